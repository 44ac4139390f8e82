// Grids for the limit: a garment in each lane, or one sheet cut into as many vertical strips as there are
// lanes.
#pragma once

#include "grid.h"
#include "limit.h"

enum { LIMIT_RUNS = 2 * GRID_WAYS };

typedef struct LimitGrid {
    LimitCloth cloth;
    LimitRun runs[LIMIT_RUNS];
    int run_count;
    int link_solves; // of one sweep, in all lanes
    const LimitLoop *loop;
} LimitGrid;

typedef struct LimitSetting {
    int rows, columns;
    bool strips; // one sheet, columns a multiple of 16; else a garment in each lane
    const LimitLoop *loop;
} LimitSetting;

// Entries of a table: a step is one sweep over all links.
void *limit_grid_create(const void *setting);
void limit_grid_steps(void *grid, int count);
void limit_grid_destroy(void *grid);
