// Depth in a collider, by bisection in double precision.
#include "depth.h"

static Vector in_its_axes(const SimColliderDef *collider, Vector p);
static double capsule_depth(const SimColliderDef *collider, Vector p);

Vector vector(const float v[3]) {
    return (Vector){(double)v[0], (double)v[1], (double)v[2]};
}

Vector blend(Vector a, Vector b, double s) {
    return (Vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double ellipsoid_depth(const SimColliderDef *collider, Vector p) {
    Vector in_axes = in_its_axes(collider, p);
    double y[3] = {in_axes.x, in_axes.y, in_axes.z}, e[3], low = -HUGE_VAL, high = 0.0, distance = 0.0,
           f = 0.0;
    for (int i = 0; i < 3; i++) {
        e[i] = (double)collider->radii[i];
        y[i] = fmax(y[i], 1e-8 * e[i]); // on a plane of symmetry either side is as near
        low = fmax(low, e[i] * (y[i] - e[i]));
        high += e[i] * y[i];
        f += pow(y[i] / e[i], 2.0);
    }
    for (int round = 0; round < 200; round++) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 3; i++) sum += pow(e[i] * y[i] / (t + e[i] * e[i]), 2.0);
        *(sum > 1.0 ? &low : &high) = t;
    }
    for (int i = 0; i < 3; i++) distance += pow(e[i] * e[i] * y[i] / (high + e[i] * e[i]) - y[i], 2.0);
    return f < 1.0 ? sqrt(distance) : -sqrt(distance);
}

double collider_depth(const SimColliderDef *collider, Vector p) {
    Vector r = blend(p, vector(collider->center), -1.0);
    switch (collider->shape) {
    case SIM_COLLIDER_ELLIPSOID:
        return ellipsoid_depth(collider, p);
    case SIM_COLLIDER_SPHERE:
        return (double)collider->radius - sqrt(dot(r, r));
    case SIM_COLLIDER_CAPSULE:
        return capsule_depth(collider, p);
    case SIM_COLLIDER_PLANE:
        break;
    }
    return (double)collider->offset - dot(vector(collider->normal), p);
}

double deepest(const Fixture *fixture, const float bone[3]) {
    double worst = -HUGE_VAL;
    for (int p = 0; p < fixture_particle_count(fixture); p++) {
        if (fixture->pinned[p]) continue;
        Vector at = blend(vector(fixture->particles[p]), vector(bone), -1.0);
        for (int i = 0; i < fixture->rig.collider_count; i++)
            worst = fmax(worst, collider_depth(&fixture->colliders[i], at));
    }
    return worst;
}

// The point in the ellipsoid's own axes, in the octant where all is positive.
static Vector in_its_axes(const SimColliderDef *collider, Vector p) {
    const float *q = collider->rotation;
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    Vector axes[3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    Vector r = blend(p, vector(collider->center), -1.0);
    return (Vector){fabs(dot(axes[0], r)), fabs(dot(axes[1], r)), fabs(dot(axes[2], r))};
}

// The union of spheres from one end to the other, so the depth is the largest in any of them; it has one
// maximum.
static double capsule_depth(const SimColliderDef *collider, Vector p) {
    Vector from = vector(collider->from), way = blend(vector(collider->to), from, -1.0);
    double low = 0.0, high = 1.0, depth[2] = {0.0, 0.0};
    for (int round = 0; round < 200; round++) {
        double at[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0};
        for (int i = 0; i < 2; i++) {
            Vector r = blend(p, blend(from, way, at[i]), -1.0);
            double radius =
                (double)collider->radius + at[i] * ((double)collider->radius_end - (double)collider->radius);
            depth[i] = radius - sqrt(dot(r, r));
        }
        *(depth[0] < depth[1] ? &low : &high) = at[depth[0] < depth[1] ? 0 : 1];
    }
    return depth[0];
}
