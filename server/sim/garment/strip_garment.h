// A garment in strips. The solver works on the strips; references, bones, placing and all readers use the one
// lane that the garment has beside them.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"

typedef struct SimStripGarment {
    const SimTopology *topology; // of the strips
    const SimKernel *kernel;
    SimGarmentState state;
    float *memory;        // [numbers][SIM_LANES] the state's arrays
    size_t numbers;       // of one strip
    float *fabrics;       // SimLaneFabric[substep_count], the same in all strips
    SimSubstep *substeps; // [substep_count], the same in all strips
    float *air;           // SimLaneAir, the same in all strips
    int collider_count;   // the ground included
    bool stale;           // the lane's cloth was placed: the strips copy it at the next tick
} SimStripGarment;

// Collider poses are those of the rig, and the ground. NULL where the arena failed.
SimStripGarment *sim_strip_garment_create(SimArena *arena, const SimTopology *strips, const SimKernel *kernel,
                                          int substep_count, int collider_count);

// Copies the state of a garment with as many rows and columns; from is NULL if that garment has no strips.
void sim_strip_garment_adopt(SimStripGarment *strips, const SimStripGarment *from);
// Copies the strips' remaining state to the lane, which continues without strips.
void sim_strip_garment_leave(const SimStripGarment *strips, SimGarmentState *lane);

// Returns the job of the strips' kernel that corresponds to the lane's job.
SimKernelJob sim_strip_garment_job(const SimStripGarment *strips, const SimKernelJob *lane, int substep);

// begin copies from the lane, whose job is that of substep 0, to the strips before a tick's substeps; end
// copies back after them.
void sim_strip_garment_begin(SimStripGarment *strips, const SimKernelJob *lane);
void sim_strip_garment_end(SimStripGarment *strips, const SimKernelJob *lane);
