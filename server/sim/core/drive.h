// What acts on the cloth of a group's characters in each substep, computed for all of them at once: a lane is
// a character. Compiled once per width, as the kernel is; all give the same bits.
#pragma once

#include "core/kernel.h"

// A rotation and a position per lane.
typedef struct SimLanesTransform {
    SimLanes3 position;
    SimLanes rotation[4]; // x, y, z, w
} SimLanesTransform;

typedef struct SimDrive {
    // Fills a collider's pose and motion in each substep of h seconds, on its way from one place to another.
    void (*collider)(const SimLanesTransform *from, const SimLanesTransform *to, int collider, float h,
                     const SimSubstep *substeps, int substep_count);
} SimDrive;

// For groups of so many lanes.
const SimDrive *sim_drive_of_width(int width);
