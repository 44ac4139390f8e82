// Binds meshes to the bones of cloth that is no grid.
#pragma once

#include "define/mesh.h"
#include "sim/rig.h"

// Fills in the bones, joints and weights of a mesh whose vertices lie at particles. particle_of:
// [surface.vertex_count]; -1: a vertex of no triangle. The reader allocates them. Returns false when memory
// runs out, which is reported.
bool script_faces_skin(ScriptReader *reader, const SimGarmentDef *garment, const int *particle_of,
                       ScriptMesh *mesh);

// The same in the arena of `made`, for the vertices of any mesh: each moves as the nearest place on the faces
// at rest. Reports a vertex that is farther from them than `most` (m), too.
bool script_faces_bind(ScriptReader *reader, const SimGarmentDef *garment, const SimRenderMesh *surface,
                       float most, ScriptMesh *made);
