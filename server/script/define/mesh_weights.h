// The weights of a mesh: one bone for all vertices, a table for each, or packed strings.
#pragma once

#include "define/mesh.h"

#define SCRIPT_WEIGHTS_EXPECT                                                                                \
    "the name of a bone, a list of one {BONE = share, ...} for each vertex, or {bones =, joints =, shares "  \
    "=}"

// As given. A schema's field reads it by script_mesh_weights_keep.
typedef struct ScriptMeshWeights {
    const ScriptNode *node;
    ScriptList bones; // of const char *: of the packed form
    const ScriptNode *joints, *shares;
} ScriptMeshWeights;

extern const ScriptSchema *const script_packed_weights_schemas[]; // one

void script_mesh_weights_keep(ScriptReader *reader, const ScriptNode *node, void *out_weights);

// Sets the mesh's bones, joints and weights; its vertices are set. False with an error at the key `weights`,
// or out of memory.
bool script_mesh_weights_set(ScriptReader *reader, const ScriptMeshWeights *given, ScriptMesh *mesh);
