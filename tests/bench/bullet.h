// Bullet's soft body on a grid: the same particles, links and iterations; neither collisions nor faces.
#pragma once

#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BenchBullet BenchBullet;

typedef struct BulletLink {
    int a, b;
} BulletLink;

// So many bodies alike. mass 0: pinned. Reordered: the links in the order that Bullet's own helper finds best
// for the processor's pipeline, else as given.
BenchBullet *bullet_create(int bodies, const float (*positions)[3], const float *masses, int particle_count,
                           const BulletLink *links, int link_count, int iterations, bool reordered);
// A step of all bodies: predict, solve, integrate.
void bullet_step(BenchBullet *bullet, float dt);
void bullet_destroy(BenchBullet *bullet);
#ifdef __cplusplus
}
#endif
