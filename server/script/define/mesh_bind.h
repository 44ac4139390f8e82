// Binds meshes to skeletons, and fits them to their proportions.
#pragma once

#include "schema/function.h"

// tweed.import_mesh, tweed.loft_mesh and tweed.bind_mesh.
extern const ScriptFunction script_mesh_bind_functions[];
