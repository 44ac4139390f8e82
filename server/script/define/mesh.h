// Render meshes as objects in Lua: written as tables or packed strings, or imported.
#pragma once

#include "data/allocator.h"
#include "schema/function.h"
#include "schema/material.h"
#include "sim/render_mesh.h"

#include <lauxlib.h>

// The most different bones that one mesh may name.
#define SCRIPT_MESH_BONES 4096

typedef struct ScriptMesh {
    ScriptObjectHeader header;
    ScriptArena arena;        // of all below
    SimRenderMesh surface;    // joints index `bones`, or are NULL with weights; no garment and material yet;
                              // normals never NULL
    const char *const *bones; // [bone_count]
    int bone_count;
    const char *garment; // NULL: none
    ScriptMaterial material;
    const float *covers; // [surface.vertex_count] m, how far it hides what lies under it; NULL: not at all
    const bool *pins;    // [surface.vertex_count] of cloth, as painted; NULL: not painted
    const float *max_distances; // [surface.vertex_count] m, of cloth; NAN where not painted; NULL: nowhere
    const float *thicknesses; // [surface.vertex_count] m, of cloth; below 0 where not painted; NULL: nowhere
    const int *fabrics;       // [surface.vertex_count] of cloth, index into fabric_names; -1 where not
                              // painted; NULL: nowhere
    const char *const *fabric_names; // [fabric_name_count]
    int fabric_name_count;
    const bool *bone_marks; // [surface.vertex_count] of cloth, as painted; NULL: not painted
    bool is_bound;          // a file's: it is at the bind pose of the file, others are at the rest pose
    bool broken;            // has errors; only its name may be known
} ScriptMesh;

// tweed.mesh, and the object that it returns.
extern const ScriptFunction script_mesh_functions[];
extern const ScriptObject script_mesh_object;
// Creates the metatable in a new state.
void script_mesh_open(lua_State *lua);

// Pushes a mesh that is broken until its maker has filled it in.
ScriptMesh *script_mesh_push(lua_State *lua);
// Pushes a mesh with the data of another one, whose owner is at the index of the stack.
ScriptMesh *script_mesh_push_like(lua_State *lua, const ScriptMesh *mesh, int owner);
