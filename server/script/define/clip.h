// Clips as scripts hold them: cut out of a file, or computed by a function.
#pragma once

#include "asset/file.h"
#include "data/allocator.h"
#include "schema/function.h"

#include <lauxlib.h>

// The computed motion of one bone; frames that the function left out have none.
typedef struct ScriptTrack {
    struct ScriptTrack *next;
    const char *bone;
    versor *rotations; // [frame_count], all zero where there is none
    vec3 *positions;   // [frame_count] m, not finite where there is none; NULL: none at all
} ScriptTrack;

typedef struct ScriptClip {
    ScriptObjectHeader header;
    float loop_blend; // s
    bool broken;      // could not be had
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

// tweed.clip, and what its sample gives.
extern const ScriptFunction script_clip_functions[];
extern const ScriptObject script_pose_object;
// Makes the metatable, in a new state.
void script_clip_open(lua_State *lua);
