// Keeps the garments of an island that ask for it out of themselves and of each other.
//
// All characters of a group together (core/self_collision.h).
#pragma once

#include "garment/group.h"

// Allocates for all islands of the rig and `width` lanes. Returns NULL if no garment collides with itself or
// memory runs out.
struct SimSelfCollision *sim_self_collision_create(SimArena *arena, const SimRig *rig, int width);

// At the start of a tick: finds where the cloth passes through itself already. Cloth that has done so for
// long (SIM_TANGLED_MOST) in calm air, or when its level was `reduced` until then, may be wound up in itself
// for good: it goes to its references.
void sim_self_collision_begin(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);

// After the hard parts of a substep. Lengths, colliders and max distances hold in the end as they do after
// these.
void sim_self_collision_step(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep);

// At the end of a tick: where cloth is on its way to its references.
void sim_self_collision_end(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);
