// Skeletons as objects in Lua: imported, or written as a list of bones.
#pragma once

#include "asset/file.h"
#include "data/allocator.h"
#include "data/arena.h"
#include "schema/function.h"
#include "sim/rig.h"

#include <lauxlib.h>

typedef struct ScriptSkeleton {
    ScriptObjectHeader header;
    ScriptArena arena;       // memory that the file does not own
    const AssetFile *file;   // NULL: written as a list
    const SimBoneDef *bones; // [bone_count], parents first
    int bone_count;
    const SimTransform *rest_model;         // [bone_count]
    const struct ScriptMesh *const *meshes; // [mesh_count] of the file
    int mesh_count;
    bool broken; // could not be loaded: it has no bones
} ScriptSkeleton;

// The transform at rest in model space of each bone, from the transforms in the parents' spaces.
void script_rest_model(const SimBoneDef *bones, int bone_count, SimTransform *out_rest);

// Pushes bones as skeleton.bones has them: a list of {name, parent, position, rotation}, parents first.
void script_bones_push(lua_State *lua, const SimBoneDef *bones, int bone_count);

// tweed.import and tweed.skeleton, and the object that they return.
extern const ScriptFunction script_skeleton_functions[];
extern const ScriptObject script_skeleton_object;
// Creates the metatable in a new state.
void script_skeleton_open(lua_State *lua);
