// Blocks of growing size in a list; big requests get a block of their own.
#include "data/arena.h"

#include "data/allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK ((size_t)4096)
#define MAX_BLOCK   ((size_t)1 << 20)

typedef struct ScriptArenaBlock {
    struct ScriptArenaBlock *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
} Block;

static Block *add_block(ScriptArena *arena, size_t least);

void *script_arena_alloc(ScriptArena *arena, size_t count, size_t size) {
    const size_t alignment = _Alignof(max_align_t);
    if (size && count > (SIZE_MAX / 4) / size) return NULL;
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    if (!bytes) bytes = alignment;
    Block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

void *script_arena_copy(ScriptArena *arena, const void *from, size_t count, size_t size) {
    void *copy = script_arena_alloc(arena, count, size);
    if (copy && from && count > 0) memcpy(copy, from, count * size);
    return copy;
}

char *script_arena_text(ScriptArena *arena, const char *text) {
    return script_arena_bytes(arena, text, strlen(text));
}

char *script_arena_bytes(ScriptArena *arena, const char *bytes, size_t length) {
    char *copy = script_arena_alloc(arena, length + 1, 1);
    if (copy) memcpy(copy, bytes, length);
    return copy;
}

void script_arena_finish(ScriptArena *arena) {
    for (Block *block = arena->blocks; block;) {
        Block *next = block->next;
        if (arena->allocator) script_allocator_discharge(arena->allocator, sizeof(Block) + block->size);
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}

static Block *add_block(ScriptArena *arena, size_t least) {
    size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
    if (size > MAX_BLOCK) size = MAX_BLOCK;
    if (size < least) size = least;
    if (arena->allocator && !script_allocator_charge(arena->allocator, sizeof(Block) + size)) return NULL;
    Block *block = calloc(1, sizeof(Block) + size);
    if (!block) {
        if (arena->allocator) script_allocator_discharge(arena->allocator, sizeof(Block) + size);
        return NULL;
    }
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}
