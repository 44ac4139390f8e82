#include "bullet_grid.h"

#ifdef BENCH_BULLET
#include "bullet.h"

#include <stdlib.h>

void *bullet_grid_create(const void *setting_) {
    const BulletSetting *setting = setting_;
    const int particles = setting->rows * setting->columns;
    Grid grid;
    float(*positions)[3] = calloc((size_t)particles, sizeof *positions);
    float *masses = calloc((size_t)particles, sizeof *masses);
    BenchBullet *bullet = NULL;
    if (positions && masses && grid_init(&grid, setting->rows, setting->columns)) {
        for (int p = 0; p < particles; p++) {
            grid_position(&grid, p, positions[p]);
            masses[p] = grid_is_pinned(&grid, p) ? 0.0f : 0.4f * GRID_CELL * GRID_CELL;
        }
        BulletLink *links = calloc((size_t)grid.link_count, sizeof *links);
        for (int i = 0; links && i < grid.link_count; i++)
            links[i] = (BulletLink){grid.links[i].a, grid.links[i].b};
        if (links)
            bullet = bullet_create(setting->garments, (const float(*)[3])positions, masses, particles, links,
                                   grid.link_count, setting->iterations, setting->reordered);
        free(links);
        grid_finish(&grid);
    }
    free(positions);
    free(masses);
    return bullet;
}

void bullet_grid_steps(void *bullet, int count) {
    for (int i = 0; i < count; i++) bullet_step(bullet, GRID_STEP);
}

void bullet_grid_destroy(void *bullet) {
    bullet_destroy(bullet);
}
#else
#include <stddef.h>

void *bullet_grid_create(const void *setting) {
    (void)setting;
    return NULL;
}

void bullet_grid_steps(void *bullet, int count) {
    (void)bullet, (void)count;
}

void bullet_grid_destroy(void *bullet) {
    (void)bullet;
}
#endif
