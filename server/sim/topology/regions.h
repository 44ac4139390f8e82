// Regions of a garment that are of another fabric, and cloth that is thicker in places.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"
#include "sim/rig.h"

// Call when the topology's particles, links, springs and bending elements are there. Returns false when
// memory runs out.
bool sim_regions_apply(SimArena *arena, const SimGarmentDef *def, SimTopology *topology);

// Returns false with an issue for regions that are none.
bool sim_validate_regions(const SimGarmentDef *def, int garment, SimIssue *out_issue);
