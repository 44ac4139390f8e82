// The solver on the grids of the comparison: sheets that are swept as the article does it (hard = "article",
// bend = "article"), stepped by the kernel's own parts.
#pragma once

#include "grid.h"
#include "world/world.h" // private: a group's kernel, state and topology

typedef struct KernelGridSetting {
    int rows, columns;
    int garments;
    const char *instruction_set; // of sim_world_use_instruction_set
} KernelGridSetting;

typedef struct KernelGrid {
    SimWorld *world;
    const SimTopology *topology;
    const SimKernel *kernel;
    int group_count;
    SimKernelJob *jobs; // [group_count]
} KernelGrid;

// Entries of a table: a step is GRID_STEP seconds of all garments: integrate, GRID_ITERATIONS sweeps over all
// links, corrections to velocity. NULL where the processor lacks the instruction set.
void *kernel_grid_create(const void *setting);
void kernel_grid_steps(void *grid, int count);
void kernel_grid_destroy(void *grid);

// The kernel's part of that name, once for all garments.
void kernel_grid_run(const KernelGrid *grid, const char *part);
