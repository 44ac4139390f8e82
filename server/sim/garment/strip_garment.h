// A garment in strips. The solver works on the strips; references, bones, placing and all readers use the one
// lane that the garment has beside them.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"

typedef struct SimStripGarment {
    const SimTopology *topology; // of the strips
    const SimKernel *kernel;
    SimGarmentState state;
    float *memory;        // the state's, of
    size_t numbers;       // of each strip
    float *fabrics;       // SimLaneFabric[substep_count], alike in all strips
    SimSubstep *substeps; // [substep_count], likewise
    float *air;           // SimLaneAir, likewise
    int collider_count;   // the ground included
    bool stale;           // the lane's cloth was placed: the strips are to take over from there
} SimStripGarment;

// Collider poses are those of the rig, and the ground. NULL where the arena failed.
SimStripGarment *sim_strip_garment_create(SimArena *arena, const SimTopology *strips, const SimKernel *kernel,
                                          int substep_count, int collider_count);

// Takes over the state of a garment with as many rows and columns; from is NULL when that one has no strips.
void sim_strip_garment_adopt(SimStripGarment *strips, const SimStripGarment *from);
// Completes the lane's state from the strips, to continue without them.
void sim_strip_garment_leave(const SimStripGarment *strips, SimGarmentState *lane);

// The job of the strips' kernel, in place of the lane's job.
SimKernelJob sim_strip_garment_job(const SimStripGarment *strips, const SimKernelJob *lane, int substep);

// Before the substeps of a tick: from the lane, whose job is that of substep 0, to the strips. After them:
// back.
void sim_strip_garment_begin(SimStripGarment *strips, const SimKernelJob *lane);
void sim_strip_garment_end(SimStripGarment *strips, const SimKernelJob *lane);
