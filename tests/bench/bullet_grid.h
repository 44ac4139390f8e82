// Bullet's soft body as an entry of a table. Where the library is not installed create gives NULL.
#pragma once

#include "grid.h"

typedef struct BulletSetting {
    int rows, columns;
    int garments;
    int iterations;
    bool reordered; // by Bullet's own helper, so that neighbours in the list share no particle
} BulletSetting;

// A step is GRID_STEP seconds of all garments.
void *bullet_grid_create(const void *setting);
void bullet_grid_steps(void *bullet, int count);
void bullet_grid_destroy(void *bullet);
