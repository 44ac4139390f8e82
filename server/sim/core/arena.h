// Memory that is allocated piece by piece and freed at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct SimArena {
    struct SimArenaBlock *last;
    bool failed; // an allocation failed: discard all that was built
    size_t bytes;
} SimArena;

// Returns zeroed memory, aligned to 64 bytes. Returns NULL and sets failed when memory runs out.
void *sim_arena_alloc(SimArena *arena, size_t count, size_t size);
// Returns a copy of an array; NULL where there is none, or when memory runs out.
void *sim_arena_copy(SimArena *arena, const void *from, size_t count, size_t size);
char *sim_arena_copy_text(SimArena *arena, const char *text);
void sim_arena_free(SimArena *arena);
