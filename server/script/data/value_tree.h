// A copy of a Lua value as a tree in C. It is read from Lua once, so the code that checks it is free of Lua's
// long jumps.
#pragma once

#include "data/allocator.h"
#include "data/arena.h"
#include "data/findings.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum ScriptNodeKind {
    SCRIPT_NODE_NIL,
    SCRIPT_NODE_BOOLEAN,
    SCRIPT_NODE_NUMBER,
    SCRIPT_NODE_STRING,
    SCRIPT_NODE_TABLE,
    SCRIPT_NODE_FUNCTION,
    SCRIPT_NODE_OBJECT, // made by tweed.skeleton, tweed.import, tweed.clip or tweed.mesh
    SCRIPT_NODE_OTHER,
} ScriptNodeKind;

// The metatables of objects that a definition may hold.
#define SCRIPT_SKELETON_TYPE "tweed.skeleton"
#define SCRIPT_CLIP_TYPE     "tweed.clip"
#define SCRIPT_MESH_TYPE     "tweed.mesh"

// Heads the userdata of these objects.
typedef struct ScriptObjectHeader {
    ScriptResource resource;
    ScriptFindingRange finding_range;
} ScriptObjectHeader;

// The call of tweed.<constructor> that made a definition.
typedef struct ScriptCallSite {
    const char *constructor; // "cloth"
    int line;                // 0: unknown
    char file[];
} ScriptCallSite;

typedef struct ScriptNode ScriptNode;

typedef struct ScriptNodeField {
    const char *key; // a key that is no string and not in the list reads "[7]"
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
        struct {
            const struct ScriptObjectHeader *object;
            const char *object_type; // SCRIPT_SKELETON_TYPE
        };
        const char *other; // "a coroutine"
    };
};

// Reads the value at index. Raises when memory runs out and for values that are too deep or have more than
// `most_nodes` nodes. Objects and call sites live as long as the value in Lua. Functions that are kept live
// as long as the state; otherwise their reference is LUA_NOREF.
const ScriptNode *script_node_read(lua_State *lua, int index, bool keep_functions, int most_nodes,
                                   ScriptArena *arena);
#define SCRIPT_MAX_DEFINITION_NODES 1000000 // 128 * 128 points take 65,536
#define SCRIPT_MAX_ARGUMENT_NODES   8192    // as many values as a request of the protocol may have

// Pushes an arena that Lua collects and that counts as the script's memory.
ScriptArena *script_arena_push(lua_State *lua);

bool script_node_is(const ScriptNode *node, ScriptNodeKind kind); // false for NULL
// NULL if there is none.
const ScriptNode *script_node_field(const ScriptNode *node, const char *key);
const ScriptNode *script_node_item(const ScriptNode *node, int index); // from 1

// Describes the node for an error message: "a table", "the string \"x\"", "-1", "tweed.cloth{...}"; NULL is
// "nothing".
void script_node_describe(const ScriptNode *node, char *buffer, size_t size);
