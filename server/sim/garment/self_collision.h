// Keeps the particles of one garment apart.
//
// One character at a time, without lanes: which particles are near each other differs from lane to lane, so
// that lanes would have to go through all pairs that any of them has.
#pragma once

#include "garment/group.h"

// Particles sorted into cells as wide as the garment is to be thick, for one garment of one character.
typedef struct SimCells {
    int buckets;     // a power of two
    int *starts;     // [buckets + 1] of the entries of a bucket
    int *entries;    // [particle] particles, bucket by bucket, ascending within
    int (*cells)[3]; // [particle]
    int *bucket;     // [particle]
    float (*positions)[3];
} SimCells;

// Allocates for the rig's largest garment that collides with itself. Returns NULL when none does or memory
// runs out.
SimCells *sim_cells_create(SimArena *arena, const SimRig *rig);

// One sweep, between the soft and the hard part of a substep: any two particles that are nearer than the
// garment is thick move away from each other, the lighter one more, unless they are nearer than that at rest,
// measured across the garment's own seams, too.
void sim_self_collide(SimGroup *group, int garment, int lane);
