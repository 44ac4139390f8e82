// All blocks are in a list, so that a state can be freed wherever it was stopped.
#include "data/allocator.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

typedef struct ScriptBlock {
    struct ScriptBlock *next, **previous;
    _Alignas(max_align_t) unsigned char bytes[];
} Block;

static void unlink_block(Block *block);
static Block *block_of(void *memory);
static const char *refusal_reason(const ScriptAllocator *allocator, const void *memory, size_t old_size,
                                  size_t new_size);
static void *refuse(ScriptAllocator *allocator, const char *what);
static void link_block(ScriptAllocator *allocator, Block *block);
static int collect(lua_State *lua);

void *script_allocator_realloc(void *context, void *memory, size_t old_size, size_t new_size) {
    ScriptAllocator *allocator = context;
    if (!new_size) {
        if (!memory) return NULL;
        unlink_block(block_of(memory));
        free(block_of(memory));
        allocator->bytes -= old_size;
        return NULL;
    }
    const char *wrong = refusal_reason(allocator, memory, old_size, new_size);
    if (wrong) return refuse(allocator, wrong);
    Block *block = memory ? block_of(memory) : NULL;
    if (block) unlink_block(block);
    Block *grown = realloc(block, sizeof(Block) + new_size);
    if (!grown) {
        if (block) link_block(allocator, block);
        return refuse(allocator, "the system has no more memory");
    }
    link_block(allocator, grown);
    allocator->bytes += new_size - (memory ? old_size : 0);
    return grown->bytes;
}

bool script_allocator_charge(ScriptAllocator *allocator, size_t bytes) {
    if (bytes > allocator->limit || allocator->bytes > allocator->limit - bytes) return false;
    allocator->bytes += bytes;
    return true;
}

void script_allocator_discharge(ScriptAllocator *allocator, size_t bytes) {
    allocator->bytes -= bytes;
}

void script_allocator_collect(lua_State *lua) {
    ScriptAllocator *allocator = script_allocator_of(lua);
    if (allocator->bytes <= allocator->collected + (allocator->limit - allocator->collected) / 2) return;
    lua_gc(lua, LUA_GCCOLLECT);
    allocator->collected = allocator->bytes;
}

void script_allocator_own(ScriptAllocator *allocator, ScriptResource *resource,
                          void (*finish)(ScriptResource *resource)) {
    *resource = (ScriptResource){allocator->resources, &allocator->resources, finish};
    if (resource->next) resource->next->previous = &resource->next;
    allocator->resources = resource;
}

void script_resource_finish(ScriptResource *resource) {
    if (!resource->previous) return;
    *resource->previous = resource->next;
    if (resource->next) resource->next->previous = resource->previous;
    resource->previous = NULL;
    resource->finish(resource);
}

void script_allocator_finish(ScriptAllocator *allocator) {
    while (allocator->resources) script_resource_finish(allocator->resources);
    while (allocator->blocks) {
        Block *block = allocator->blocks;
        allocator->blocks = block->next;
        free(block);
    }
    allocator->bytes = 0;
}

void script_resource_metatable(lua_State *lua, const char *described) {
    lua_pushcfunction(lua, collect);
    lua_setfield(lua, -2, "__gc");
    lua_pushstring(lua, described);
    lua_setfield(lua, -2, "__metatable");
}

void *script_resource_push(lua_State *lua, size_t size, int user_value_count, const char *type,
                           void (*finish)(ScriptResource *resource)) {
    ScriptResource *resource = lua_newuserdatauv(lua, size, user_value_count);
    memset(resource, 0, size);
    if (luaL_newmetatable(lua, type)) script_resource_metatable(lua, "sealed");
    script_allocator_own(script_allocator_of(lua), resource, finish);
    lua_setmetatable(lua, -2);
    return resource;
}

ScriptAllocator *script_allocator_of(lua_State *lua) {
    void *allocator;
    lua_getallocf(lua, &allocator);
    return allocator;
}

static void unlink_block(Block *block) {
    *block->previous = block->next;
    if (block->next) block->next->previous = block->previous;
}

static Block *block_of(void *memory) {
    return (Block *)(void *)((unsigned char *)memory - offsetof(Block, bytes));
}

// The reason to refuse a block of that size, or NULL. For a new block Lua passes its type as the old size.
static const char *refusal_reason(const ScriptAllocator *allocator, const void *memory, size_t old_size,
                                  size_t new_size) {
    const size_t held = memory ? old_size : 0;
    if (new_size <= held) return NULL;
    if (!memory && old_size == LUA_TSTRING && new_size > SCRIPT_MAX_STRING)
        return "a string of more than 2 MiB";
    if (new_size > SCRIPT_MAX_BLOCK) return "a table or text of more than 16 MiB";
    return allocator->bytes + (new_size - held) > allocator->limit ? "its memory is used up" : NULL;
}

static void *refuse(ScriptAllocator *allocator, const char *what) {
    allocator->exhausted(allocator->context, what);
    return NULL; // returns only while the state is created: lua_newstate then fails
}

static void link_block(ScriptAllocator *allocator, Block *block) {
    block->next = allocator->blocks;
    block->previous = &allocator->blocks;
    if (block->next) block->next->previous = &block->next;
    allocator->blocks = block;
}

static int collect(lua_State *lua) {
    script_resource_finish(lua_touserdata(lua, 1));
    return 0;
}
