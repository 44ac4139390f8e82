// Memory that goes all at once: what is read out of one file.
#pragma once

#include <stddef.h>

typedef struct ScriptArena {
    struct ScriptArenaBlock *blocks;   // the newest first
    struct ScriptAllocator *allocator; // that is charged for it; NULL: none
} ScriptArena;

// All zero is an empty arena. Zeroed memory, aligned for any type; NULL for want of memory, where the heap is
// at its limit, or where count * size overflows. Never NULL for 0 bytes otherwise.
void *script_arena_alloc(ScriptArena *arena, size_t count, size_t size);
// A copy with a zero byte behind; NULL for want of memory.
char *script_arena_text(ScriptArena *arena, const char *text, size_t length);
void script_arena_finish(ScriptArena *arena);
