// Skeletons as scripts hold them: imported or written down.
#pragma once

#include "asset/file.h"
#include "data/allocator.h"
#include "data/arena.h"
#include "schema/function.h"
#include "sim/rig.h"

#include <lauxlib.h>

typedef struct ScriptSkeleton {
    ScriptObjectHeader header;
    ScriptArena arena;       // of what is not the file's
    const AssetFile *file;   // NULL: written down
    const SimBoneDef *bones; // [bone_count], parents first
    int bone_count;
    const SimTransform *rest_model; // [bone_count]
    bool broken;                    // could not be had: bones are not to be asked for
} ScriptSkeleton;

// Of each bone, from those in their parents' spaces.
void script_rest_model(const SimBoneDef *bones, int bone_count, SimTransform *out_rest);

// tweed.import and tweed.skeleton, and what they give.
extern const ScriptFunction script_skeleton_functions[];
extern const ScriptObject script_skeleton_object;
// Makes the metatable, in a new state.
void script_skeleton_open(lua_State *lua);
