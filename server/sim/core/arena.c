// Memory that is allocated piece by piece and freed at once.
#include "core/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

typedef struct SimArenaBlock {
    struct SimArenaBlock *before;
} SimArenaBlock;

void *sim_arena_alloc(SimArena *arena, size_t count, size_t size) {
    if (arena->failed || (size && count > SIZE_MAX / 2 / size)) {
        arena->failed = true;
        return NULL;
    }
    size_t rounded = (count * size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    char *memory = aligned_alloc(ALIGNMENT, rounded);
    if (!memory) {
        arena->failed = true;
        return NULL;
    }
    memset(memory, 0, rounded);
    SimArenaBlock *block = (SimArenaBlock *)(void *)memory;
    block->before = arena->last;
    arena->last = block;
    arena->bytes += rounded;
    return memory + ALIGNMENT;
}

void *sim_arena_copy(SimArena *arena, const void *from, size_t count, size_t size) {
    void *copy = from ? sim_arena_alloc(arena, count, size) : NULL;
    return copy ? memcpy(copy, from, count * size) : NULL;
}

char *sim_arena_copy_text(SimArena *arena, const char *text) {
    return sim_arena_copy(arena, text, strlen(text) + 1, 1);
}

void sim_arena_free(SimArena *arena) {
    while (arena->last) {
        SimArenaBlock *block = arena->last;
        arena->last = block->before;
        free(block);
    }
    *arena = (SimArena){0};
}
