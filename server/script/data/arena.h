// Memory that is freed all at once: the definition read from one file.
#pragma once

#include <stddef.h>

typedef struct ScriptArena {
    struct ScriptArenaBlock *blocks;   // the newest first
    struct ScriptAllocator *allocator; // charged for the memory; may be NULL
} ScriptArena;

// Zeroed memory, aligned for any type; not NULL for 0 bytes. Returns NULL when memory runs out, the
// allocator's limit is reached or count * size overflows. An all-zero arena is empty.
void *script_arena_alloc(ScriptArena *arena, size_t count, size_t size);
// A copy of an array, or zeros where `from` is NULL; NULL when memory runs out.
void *script_arena_copy(ScriptArena *arena, const void *from, size_t count, size_t size);
// Zero-terminated copies; NULL when memory runs out.
char *script_arena_text(ScriptArena *arena, const char *text);
char *script_arena_bytes(ScriptArena *arena, const char *bytes, size_t length);
void script_arena_finish(ScriptArena *arena);
