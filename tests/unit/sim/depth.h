// How deep a point is in a collider: exact, in double precision, independent of the simulation's code.
#pragma once

#include "sim_fixture.h"

#define DEPTH 1e-5 // m

typedef struct Vector {
    double x, y, z;
} Vector;

Vector vector(const float v[3]);
Vector blend(Vector a, Vector b, double s);
double dot(Vector a, Vector b);

// The nearest point of the surface is x_i = e_i^2 y_i / (t + e_i^2) where sum (x_i / e_i)^2 = 1, which falls
// with t: bisection.
double ellipsoid_depth(const SimColliderDef *collider, Vector p);

// How far a point is inside a collider that hangs on a bone at the origin; negative outside.
double collider_depth(const SimColliderDef *collider, Vector p);

// The depth of the deepest of the particles read last, in the colliders, whose bone is at `bone`. Negative:
// all are outside.
double deepest(const Fixture *fixture, const float bone[3]);
