// The air: samples its velocity at each particle once a tick and applies drag and lift in each substep.
// tornado_velocity has the tornado's formula.
#pragma once

#include "kernel/lanes/strips.h"

// Noise
// -------------------------------------------------------------------------------------------------------------

LANES_INLINE hashes scramble(hashes value) { // finaliser by C. Wellons ("lowbias32")
    value = (value ^ value >> 16) * 0x7feb352du;
    value = (value ^ value >> 15) * 0x846ca68bu;
    return value ^ value >> 16;
}

LANES_INLINE hashes lattice_index(lanes cell, uint32_t factor) {
    return ((hashes)whole_of(cell) & (uint32_t)(SIM_LATTICE_PERIOD - 1)) * factor;
}

// Value noise, -1..1. Fills up to three values, from ten bits each of one hash per corner of the cell.
LANES_INLINE void noise(const SimLattice *lattice, lanes3 way, uint32_t seed, int count, lanes *out) {
    lanes3 place = add3(in_lanes3(lattice->fraction), way);
    lanes3 below = {round_down(place.x), round_down(place.y), round_down(place.z)};
    lanes3 cell = add3(in_lanes3(lattice->cell), below);
    lanes3 inside = sub3(place, below);
    lanes share[3][2];
    share[0][1] = smoothstep(0.0f, 1.0f, inside.x);
    share[1][1] = smoothstep(0.0f, 1.0f, inside.y);
    share[2][1] = smoothstep(0.0f, 1.0f, inside.z);
    hashes index[3][2];
    for (int i = 0; i < 2; i++) {
        index[0][i] = lattice_index(cell.x + (float)i, 0x9e3779b1u);
        index[1][i] = lattice_index(cell.y + (float)i, 0x85ebca77u);
        index[2][i] = lattice_index(cell.z + (float)i, 0xc2b2ae3du);
        share[i][0] = 1.0f - share[i][1];
    }
    share[2][0] = 1.0f - share[2][1];
    for (int k = 0; k < count; k++) out[k] = splat(0.0f);
    for (int corner = 0; corner < 8; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        hashes hash = scramble(index[0][x] + index[1][y] + index[2][z] + seed);
        lanes weight = share[0][x] * share[1][y] * share[2][z];
        for (int k = 0; k < count; k++) {
            out[k] += weight * (of_whole((mask)(hash >> 22)) * (2.0f / 1023.0f) - 1.0f);
            hash <<= 10;
        }
    }
}

// Velocity of the air
// -----------------------------------------------------------------------------------------------

// Lamb and Oseen's vortex, u = G / (2 pi r) (1 - e^(-r^2/rc^2)), with its limit G r / (2 pi rc^2) near the
// axis. The inflow has the same profile: an updraft of lift e^(-r^2/rc^2) draws it in. r is the offset
// from the foot of the axis; below the foot the vortex fades out within a core radius.
LANES_INLINE lanes3 tornado_velocity(const SimKernelTornado *tornado, lanes3 r) {
    lanes s = (r.x * r.x + r.z * r.z) * (tornado->inverse_radius * tornado->inverse_radius);
    lanes core = exp_minus(s);
    lanes near_axis = 1.0f + s * (s * (1.0f / 6.0f) - 0.5f);
    lanes profile = select_lanes(more(s, splat(0.03f)), (1.0f - core) / maximum(s, splat(0.03f)), near_axis);
    lanes above = smoothstep(-1.0f, 0.0f, r.y * tornado->inverse_radius);
    lanes swirl = above * profile * tornado->swirl, inflow = above * profile * tornado->inflow;
    return (lanes3){r.z * swirl - r.x * inflow, above * core * tornado->lift, -r.x * swirl - r.z * inflow};
}

// Velocity at a point; both in the world's axes, the point relative to the root.
LANES_INLINE lanes3 air_velocity(const SimKernelAir *air, const SimLaneAir *root, lanes3 point) {
    lanes3 velocity = {splat(air->velocity[0]), splat(air->velocity[1]), splat(air->velocity[2])};
    if (air->gust > 0.0f) {
        lanes swell;
        noise(&root->gusts, scale3(point, splat(air->gust_scale)), air->seed, 1, &swell);
        velocity = scale3(velocity, 1.0f + swell * air->gust);
    }
    if (air->eddy > 0.0f) {
        lanes eddy[3];
        noise(&root->eddies, scale3(point, splat(air->eddy_scale)), air->seed + 0x6a09e667u, 3, eddy);
        velocity = mad3(velocity, (lanes3){eddy[0], eddy[1], eddy[2]}, splat(air->eddy));
    }
    for (int i = 0; i < air->tornado_count; i++)
        velocity = add3(velocity,
                        tornado_velocity(&air->tornados[i], add3(in_lanes3(root->from_tornado[i]), point)));
    return velocity;
}

// Bodies in the way
// -----------------------------------------------------------------------------------------------

// The nearest distance of the ray from a point against the wind to a collider's middle, in its radii, and
// its place along the ray.
typedef struct Approach {
    lanes distance, ahead;
} Approach;

LANES_INLINE Approach approach_ellipsoid(const SimKernelCollider *collider, const SimLanesPose *pose,
                                         lanes3 r, lanes3 upwind) {
    const float *inverse = collider->inverse;
    lanes3 y = rotate_back3(pose, r), d = rotate_back3(pose, upwind);
    y = (lanes3){y.x * inverse[0], y.y * inverse[1], y.z * inverse[2]};
    d = (lanes3){d.x * inverse[0], d.y * inverse[1], d.z * inverse[2]};
    lanes length;
    d = direction3(d, &length);
    lanes ahead = maximum(-dot3(y, d), splat(0.0f));
    return (Approach){length3(mad3(y, d, ahead)), ahead};
}

// The nearest points of the ray r + t d, t >= 0, and the axis u a, 0 <= u <= length: those of the two
// lines, each clamped in turn.
LANES_INLINE Approach approach_cone(const SimKernelCollider *collider, const SimLanesPose *pose, lanes3 r,
                                    lanes3 upwind) {
    lanes3 axis = in_lanes3(pose->column[1]);
    lanes b = dot3(upwind, axis), along = dot3(r, axis);
    lanes t = (b * along - dot3(r, upwind)) / maximum(1.0f - b * b, splat(1e-6f));
    lanes u = minimum(maximum(along + t * b, splat(0.0f)), splat(collider->length));
    t = maximum(u * b - dot3(r, upwind), splat(0.0f));
    u = minimum(maximum(along + t * b, splat(0.0f)), splat(collider->length));
    float taper = (collider->radius_end - collider->radius) / fmaxf(collider->length, 1e-6f);
    lanes inverse = 1.0f / maximum(collider->radius + taper * u, splat(1e-6f));
    return (Approach){length3(mad3(mad3(r, upwind, t), axis, -u)) * inverse, t * inverse};
}

// The share of the wind that reaches a point in model space: 0 in the lee, 1 if the ray against the wind
// passes a body at 1.2 radii or the body is not ahead.
LANES_INLINE lanes exposure(const SimKernelJob *job, lanes3 point, lanes3 upwind) {
    const SimTopology *topology = job->topology;
    lanes least = splat(1.0f);
    for (int i = 0; i < topology->collider_count; i++) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &job->substeps[0].colliders[collider->pose].pose;
        if (collider->shape == SIM_KERNEL_PLANE) continue;
        lanes3 r = sub3(point, in_lanes3(pose->column[3]));
        Approach approach = collider->shape == SIM_KERNEL_ELLIPSOID
                                ? approach_ellipsoid(collider, pose, r, upwind)
                                : approach_cone(collider, pose, r, upwind);
        lanes shade = 1.0f - smoothstep(0.7f, 1.2f, approach.distance);
        least = minimum(least, 1.0f - shade * smoothstep(0.0f, 0.5f, approach.ahead));
    }
    return least;
}

// Samples the air at the particles' positions at the start of the tick. The result is in the world's axes,
// so a root that turns within the tick does not turn the wind.
LANES_INLINE void sample_air(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    if (job->air->still) return;
    const SimLanesPose *root = &job->lane_air->root;
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        const places p = batch_among(job->topology->particle_count, i);
        lanes3 point = own3(state->position, p);
        lanes3 velocity = air_velocity(job->air, job->lane_air, rotate3(root, point));
        lanes speed;
        lanes3 upwind = scale3(rotate_back3(root, direction3(velocity, &speed)), splat(-1.0f));
        set3(state->wind, p, scale3(velocity, exposure(job, point, upwind)));
    }
}

// Drag and lift
// ------------------------------------------------------------------------------------------------

// Coefficients of the air's force at right angles to a piece of cloth and along it. k = C / 2 rho_air |u|
// / density is the rate at which that part of the cloth's velocity approaches the air's. A sheet at an
// angle is pushed along its normal: that is lift.
#define AIR_NORMAL  2.0f
#define AIR_TANGENT 0.05f

// The mean air of some particles, in model space.
LANES_INLINE lanes3 mean_air(const SimKernelJob *job, const SimSubstep *substep, const places *particles,
                             int count) {
    if (job->air->still) return zero3();
    lanes3 sum = at3(job->state->wind, particles[0]);
    for (int i = 1; i < count; i++) sum = add3(sum, at3(job->state->wind, particles[i]));
    return rotate_back3(substep->root_world, scale3(sum, splat(1.0f / (float)count)));
}

LANES_INLINE lanes3 air_change(lanes3 u, lanes3 across, lanes rate) {
    lanes length;
    lanes3 n = direction3(across, &length);
    lanes3 along_normal = scale3(n, dot3(u, n));
    lanes speed = length3(u);
    lanes normal_share = 1.0f - exp_minus(rate * speed * AIR_NORMAL);
    lanes tangent_share = 1.0f - exp_minus(rate * speed * AIR_TANGENT);
    return mad3(scale3(along_normal, normal_share), sub3(u, along_normal), tangent_share);
}

// The change of a quad's velocity towards the air's, exact over the substep, and a quarter of its area. Each
// corner gets the change times the quad's share of the corner's mass: this is a mean of stable steps, so no
// wind overshoots.
LANES_INLINE lanes3 quad_change(const SimKernelJob *job, const SimSubstep *substep, places quad,
                                const places corner[4], lanes *out_quarter) {
    const SimTopology *topology = job->topology;
    const SimLanes3 *x = job->state->position, *v = job->state->velocity;
    lanes3 across =
        cross3(sub3(at3(x, corner[3]), at3(x, corner[0])), sub3(at3(x, corner[1]), at3(x, corner[2])));
    lanes3 mean =
        add3(add3(at3(v, corner[0]), at3(v, corner[1])), add3(at3(v, corner[2]), at3(v, corner[3])));
    lanes3 u = mad3(mean_air(job, substep, corner, 4), mean, splat(-0.25f));
    lanes edge = wide_at(topology->quad_edge, quad);
    lanes rate = (job->fabric->wind[0] * (1.0f - edge) + job->fabric->wind[1] * edge) * job->h;
    if (topology->quad_wind) rate *= wide_at(topology->quad_wind, quad);
    *out_quarter = 0.25f * wide_at(topology->quad_area, quad);
    return air_change(u, across, rate);
}

#ifdef SIM_ALONE

// First all quads, then all particles, each with its quads in order.
LANES_INLINE void blow_quads(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    const SimAloneOrder *order = alone_order(topology);
    SimLanes3 changes[SIM_ALONE_LONGEST * SIM_ALONE_LONGEST + 1];
    SimLanes quarters[SIM_ALONE_LONGEST * SIM_ALONE_LONGEST];
    for (int i = 0; i < batches_of(order->quad_count); i++) {
        const places quad = batch_among(order->quad_count, i);
        places corner[4];
        lanes quarter;
        for (int k = 0; k < 4; k++) corner[k] = batch_of(&order->corners[k], i);
        set3(changes, quad, quad_change(job, substep, quad, corner, &quarter));
        set(quarters, quad, quarter);
    }
    // Of the particles that have fewer than four.
    changes[order->quad_count] = (SimLanes3){0.0f, 0.0f, 0.0f};
    quarters[order->quad_count] = 0.0f;
    for (int i = 0; i < batches_of(topology->particle_count); i++) {
        const places p = batch_among(topology->particle_count, i);
        const lanes inverse_area = own_shared(topology->inverse_area, p);
        lanes3 sum = zero3();
        for (int k = 0; k < 4; k++) {
            const places quad = batch_of(&order->particle_quads[k], i);
            sum = mad3(sum, own3(changes, quad), own(quarters, quad) * inverse_area);
        }
        set3(job->state->air, p, sum);
    }
}

#else

#ifdef SIM_STRIPS
#define FIRST_OF_NEXT SIM_RIGHT // column 0 of the strip to the right
#else
#define FIRST_OF_NEXT 0
#endif

// Quads that a row has. In strips an open garment's last column has a quad of area 0.
LANES_INLINE int quads_of_row(const SimTopology *topology) {
    return topology->closed || FIRST_OF_NEXT != 0 ? topology->columns : topology->columns - 1;
}

LANES_INLINE void blow_quads(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    SimLanes3 *air = job->state->air;
    int columns = topology->columns, quads = quads_of_row(topology);
    for (int row = 0; row + 1 < topology->rows; row++)
        for (int column = 0; column < quads; column++) {
            int right = column + 1 < columns ? column + 1 : FIRST_OF_NEXT;
            const int corner[4] = {row * columns + column, row * columns + right,
                                   (row + 1) * columns + column, (row + 1) * columns + right};
            lanes quarter;
            lanes3 change = quad_change(job, substep, row * quads + column, corner, &quarter);
            for (int i = 0; i < 4; i++)
                put3(air, corner[i],
                     mad3(at3(air, corner[i]), change,
                          quarter * shared_at(topology->inverse_area, corner[i])));
        }
}

#endif

#if !defined(SIM_STRIPS) && !defined(SIM_ALONE) // which are grids
// The same with faces of three or four corners.
static void blow_faces(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const lanes3 *x = state->position;
    for (int face = 0; face < topology->face_count; face++) {
        const int *corner = topology->faces[face], count = corner[3] < 0 ? 3 : 4;
        const float share = 1.0f / (float)count;
        lanes3 across = cross3(sub3(x[corner[2]], x[corner[0]]), sub3(x[corner[count - 1]], x[corner[1]]));
        lanes3 mean = state->velocity[corner[0]];
        for (int i = 1; i < count; i++) mean = add3(mean, state->velocity[corner[i]]);
        lanes3 u = mad3(mean_air(job, substep, corner, count), mean, splat(-share));
        const float edge = topology->quad_edge[face], part = share * topology->quad_area[face];
        lanes rate = (job->fabric->wind[0] * (1.0f - edge) + job->fabric->wind[1] * edge) * job->h;
        if (topology->quad_wind) rate *= topology->quad_wind[face];
        lanes3 change = air_change(u, across, rate);
        for (int i = 0; i < count; i++)
            state->air[corner[i]] =
                mad3(state->air[corner[i]], change, splat(part * topology->inverse_area[corner[i]]));
    }
}
#endif

#ifndef SIM_ALONE
// A chain has no quads: the air acts at right angles to its links.
LANES_INLINE void blow_chain(const SimKernelJob *job, const SimSubstep *substep) {
    SimGarmentState *state = job->state;
    for (int p = 1; p < job->topology->particle_count; p++) {
        lanes3 u = sub3(mean_air(job, substep, &p, 1), state->velocity[p]);
        lanes length;
        lanes3 t = direction3(sub3(state->position[p], state->position[p - 1]), &length);
        lanes3 across = mad3(u, t, -dot3(u, t));
        state->air[p] = air_change(u, across, job->fabric->wind[job->topology->edge[p]] * job->h);
    }
}
#endif

// Does nothing if no lane's fabric takes wind.
LANES_INLINE void blow(const SimKernelJob *job, const SimSubstep *substep) {
    for (int p = 0; p < job->topology->particle_count; p++)
        job->state->air[p] = (SimLanes3){(SimLanes){0}, (SimLanes){0}, (SimLanes){0}};
    if (!any(more(in_lanes(job->fabric->wind[0] + job->fabric->wind[1]), (lanes){0}))) return;
#ifdef SIM_ALONE
    blow_quads(job, substep);
#else
#ifndef SIM_STRIPS
    if (job->topology->face_count > 0) {
        blow_faces(job, substep);
        return;
    }
#endif
    if (job->topology->columns > 1)
        blow_quads(job, substep);
    else
        blow_chain(job, substep);
#endif
}
