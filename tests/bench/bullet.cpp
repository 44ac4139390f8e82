// Bullet's soft body, stepped by its own three calls without a world and its broadphase around it.
#include "bullet.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>

#include <memory>
#include <vector>

struct BenchBullet {
    btSoftBodyWorldInfo world;
    std::vector<std::unique_ptr<btSoftBody>> bodies;
};

static std::unique_ptr<btSoftBody> make_body(btSoftBodyWorldInfo *world, const float (*positions)[3],
                                             const float *masses, int particle_count, const BulletLink *links,
                                             int link_count, int iterations, bool reordered) {
    std::vector<btVector3> points;
    for (int i = 0; i < particle_count; i++)
        points.emplace_back(positions[i][0], positions[i][1], positions[i][2]);
    auto body = std::make_unique<btSoftBody>(world, particle_count, points.data(), masses);
    for (int i = 0; i < link_count; i++) body->appendLink(links[i].a, links[i].b);
    body->m_cfg.piterations = iterations;
    body->m_cfg.collisions = 0;
    if (reordered) btSoftBodyHelpers::ReoptimizeLinkOrder(body.get());
    return body;
}

BenchBullet *bullet_create(int bodies, const float (*positions)[3], const float *masses, int particle_count,
                           const BulletLink *links, int link_count, int iterations, bool reordered) {
    auto bullet = std::make_unique<BenchBullet>();
    bullet->world.air_density = 0;
    bullet->world.m_gravity.setValue(0, -9.81f, 0);
    for (int i = 0; i < bodies; i++)
        bullet->bodies.push_back(make_body(&bullet->world, positions, masses, particle_count, links,
                                           link_count, iterations, reordered));
    return bullet.release();
}

void bullet_step(BenchBullet *bullet, float dt) {
    for (auto &body : bullet->bodies) {
        body->predictMotion(dt);
        body->solveConstraints();
        body->integrateMotion();
    }
}

void bullet_destroy(BenchBullet *bullet) {
    delete bullet;
}
