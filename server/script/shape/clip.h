// A part of a render mesh, cut out of it along a smooth line.
#pragma once

#include "data/arena.h"
#include "sim/render_mesh.h"

typedef struct ScriptClipDef {
    const SimRenderMesh *mesh;
    const float *depths; // [mesh->vertex_count] m inside the part's edge; 0 and below: outside
    float out;           // m that the part stands out of the mesh
} ScriptClipDef;

// Fills in the vertices and triangles of the part. Triangles are cut where the depth is 0, and a rim joins
// that edge to the mesh. Joints are those of the mesh. Uvs are the mesh's, scaled so that they are metres.
// Returns false when memory runs out.
bool script_clip_make(ScriptArena *arena, const ScriptClipDef *def, SimRenderMesh *out_part);
