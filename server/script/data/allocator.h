// Memory of one Lua state, all of it: limited, counted, and freed at once without asking Lua.
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

// In front of what host functions put into userdata and Lua cannot free: a file, a list of blocks.
typedef struct ScriptResource {
    struct ScriptResource *next, **previous;
    void (*finish)(struct ScriptResource *resource);
} ScriptResource;

typedef struct ScriptAllocator {
    struct ScriptBlock *blocks;
    ScriptResource *resources;
    size_t bytes; // that Lua holds, and what was charged
    size_t limit;
    // Called in place of an allocation that would pass a limit, or that the system refuses. It must not
    // return: Lua 5.4.4 is not safe where an allocation fails in the middle of a collection.
    void (*exhausted)(void *context, const char *what);
    void *context;
} ScriptAllocator;

#define SCRIPT_LARGEST_STRING ((size_t)2 << 20)  // bytes; comparing two of them takes 40 ms at worst
#define SCRIPT_LARGEST_BLOCK  ((size_t)16 << 20) // bytes; Lua's stack may take so much

// The allocator of a state.
ScriptAllocator *script_allocator_of(lua_State *lua);
// A lua_Alloc; context is the allocator.
void *script_allocator_realloc(void *allocator, void *memory, size_t old_size, size_t new_size);
// Counts memory outside of Lua that a script is the cause of. False, counting nothing, past the limit.
bool script_allocator_charge(ScriptAllocator *allocator, size_t bytes);
void script_allocator_discharge(ScriptAllocator *allocator, size_t bytes);

void script_allocator_own(ScriptAllocator *allocator, ScriptResource *resource,
                          void (*finish)(ScriptResource *resource));
// Finishes it now; nothing if that is done.
void script_resource_finish(ScriptResource *resource);

// Finishes all resources and frees all blocks. The Lua state is gone with them; lua_close is not to be
// called.
void script_allocator_finish(ScriptAllocator *allocator);

// Pushes size bytes, all zero, that begin with a ScriptResource. `finish` is called once: when Lua collects
// the userdata, or when its state goes, however it goes. type: of the metatable, made where it is missing.
void *script_resource_push(lua_State *lua, size_t size, int user_value_count, const char *type,
                           void (*finish)(ScriptResource *resource));
// Gives the metatable at the top what makes userdata of that kind go properly.
void script_resource_metatable(lua_State *lua, const char *described);
