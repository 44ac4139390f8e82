// Clips as objects in Lua: cut out of a file, or computed by a function.
#pragma once

#include "asset/file.h"
#include "data/allocator.h"
#include "schema/function.h"

#include <lauxlib.h>

// The computed motion of one bone. Frames in which the function leaves the bone out have no values.
typedef struct ScriptTrack {
    struct ScriptTrack *next;
    const char *bone;
    versor *rotations; // [frame_count], all zero: no value
    vec3 *positions;   // [frame_count] m, not finite: no value; NULL: no positions
} ScriptTrack;

typedef struct ScriptClip {
    ScriptObjectHeader header;
    float loop_blend; // s
    bool broken;      // could not be loaded
    // of a file
    const AssetFile *file; // NULL: computed
    AssetClip motion;
    // computed
    ScriptArena arena;
    float rate; // frames per second
    int frame_count;
    ScriptTrack *tracks; // in the order of their first frame
    float (*root)[3];    // [frame_count] x, z, heading; NULL: none
} ScriptClip;

// tweed.clip, and the pose that its sample returns.
extern const ScriptFunction script_clip_functions[];
extern const ScriptObject script_pose_object;
// Creates the metatable in a new state.
void script_clip_open(lua_State *lua);
