// The allocator of one Lua state: it limits and counts all memory and can free everything at once, without
// Lua.
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

// Heads a userdata whose C memory Lua cannot free: an imported file, an arena.
typedef struct ScriptResource {
    struct ScriptResource *next, **previous;
    void (*finish)(struct ScriptResource *resource);
} ScriptResource;

typedef struct ScriptAllocator {
    struct ScriptBlock *blocks;
    ScriptResource *resources;
    size_t bytes; // held by Lua, and charged
    size_t limit;
    size_t collected; // bytes after the last collection that script_allocator_collect made
    // Called when an allocation would exceed a limit or the system refuses it. It must not return: Lua 5.4.4
    // is not safe when an allocation fails during a collection.
    void (*exhausted)(void *context, const char *what);
    void *context;
} ScriptAllocator;

#define SCRIPT_MAX_STRING ((size_t)2 << 20)  // bytes; comparing two of them takes 40 ms at worst
#define SCRIPT_MAX_BLOCK  ((size_t)16 << 20) // bytes; Lua's stack may need that much

// The allocator of a state.
ScriptAllocator *script_allocator_of(lua_State *lua);
// A lua_Alloc; context is the allocator.
void *script_allocator_realloc(void *allocator, void *memory, size_t old_size, size_t new_size);
// Counts memory outside Lua that a script uses. False, and nothing is counted, if that would exceed the
// limit.
bool script_allocator_charge(ScriptAllocator *allocator, size_t bytes);
void script_allocator_discharge(ScriptAllocator *allocator, size_t bytes);

// Collects garbage where half of the room that the last collection left is used: Lua does not know how much
// is charged, and would wait too long.
void script_allocator_collect(lua_State *lua);

void script_allocator_own(ScriptAllocator *allocator, ScriptResource *resource,
                          void (*finish)(ScriptResource *resource));
// Finishes the resource now, unless it is finished already.
void script_resource_finish(ScriptResource *resource);

// Finishes all resources and frees all blocks, and with them the Lua state: do not call lua_close.
void script_allocator_finish(ScriptAllocator *allocator);

// Pushes a userdata of `size` zero bytes that begins with a ScriptResource. `finish` is called once: when Lua
// collects the userdata or when the state is destroyed in any way. type: the name of the metatable, which is
// created if missing.
void *script_resource_push(lua_State *lua, size_t size, int user_value_count, const char *type,
                           void (*finish)(ScriptResource *resource));
// Completes the metatable at the top: __gc finishes the resource, __metatable hides it as `described`.
void script_resource_metatable(lua_State *lua, const char *described);
