// Builds the mesh in which cloth finds itself (core/mesh.h).
#pragma once

#include "core/arena.h"
#include "core/mesh.h"
#include "rig/rig.h"

// Of the island's garments with self-collision; without any it has no sheets.
void sim_mesh_build(SimArena *arena, const SimRig *rig, const SimIsland *island, SimMesh *out_mesh);
