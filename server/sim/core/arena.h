// Memory that is taken piece by piece and given back at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct SimArena {
    struct SimArenaBlock *last;
    bool failed; // some request could not be met: whatever was built is to be thrown away
    size_t bytes;
} SimArena;

// Zeroed and aligned to 64 bytes. NULL, and failed set, for want of memory; never NULL otherwise.
void *sim_arena_alloc(SimArena *arena, size_t count, size_t size);
char *sim_arena_copy_text(SimArena *arena, const char *text);
void sim_arena_free(SimArena *arena);
