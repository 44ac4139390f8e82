// What a script returned, as a tree in C: read from Lua once, whole, so that everything after it is free of
// Lua's long jumps.
#pragma once

#include "data/arena.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct ScriptSkeleton;
struct ScriptClip;

typedef enum ScriptNodeKind {
    SCRIPT_NODE_NIL,
    SCRIPT_NODE_BOOLEAN,
    SCRIPT_NODE_NUMBER,
    SCRIPT_NODE_STRING,
    SCRIPT_NODE_TABLE,
    SCRIPT_NODE_FUNCTION,
    SCRIPT_NODE_SKELETON, // what tweed.import and tweed.skeleton give
    SCRIPT_NODE_CLIP,     // what tweed.clip gives
    SCRIPT_NODE_OTHER,
} ScriptNodeKind;

// Where a definition's table was made: the call of tweed.<constructor>.
typedef struct ScriptCallSite {
    const char *constructor; // "cloth"
    int line;                // 0 where it is not known
    char file[];
} ScriptCallSite;

typedef struct ScriptNode ScriptNode;

typedef struct ScriptNodeField {
    const char *key; // a key that is neither a string nor of the list is written "[7]"
    const ScriptNode *value;
} ScriptNodeField;

struct ScriptNode {
    ScriptNodeKind kind;
    const ScriptCallSite *call_site; // TABLE: NULL where no constructor made it
    union {
        bool boolean;
        double number;
        struct {
            const char *text;
            size_t length;
        };
        struct {
            const ScriptNode *items;       // [item_count]
            const ScriptNodeField *fields; // [field_count], sorted by key
            int item_count, field_count;
        };
        int function; // reference in the state's registry
        const struct ScriptSkeleton *skeleton;
        const struct ScriptClip *clip;
        const char *other; // what it is: "a coroutine"
    };
};

// Reads the value at index. Raises a Lua error for want of memory and for what is larger or deeper than any
// definition. Objects and origins live as long as the value does in Lua; functions, where they are kept, as
// long as the state, else their reference is LUA_NOREF.
const ScriptNode *script_node_read(lua_State *lua, int index, bool keep_functions, ScriptArena *arena);

// Pushes an arena that Lua collects, and that counts as memory of the script.
ScriptArena *script_arena_push(lua_State *lua);

// NULL where there is none.
const ScriptNode *script_node_field(const ScriptNode *node, const char *key);
const ScriptNode *script_node_item(const ScriptNode *node, int index); // from 1

// What it is, for an error: "a table", "the string \"x\"", "-1", "tweed.cloth{...}"; NULL is "nothing".
void script_node_describe(const ScriptNode *node, char *buffer, size_t size);
