// Garments of one column: pendulums, ties, hair, tails. Their links keep their length without losing the
// energy of a swing, can be drawn to the directions of the skinned references (pose stiffness), and can be
// kept within a cone about these (angle limit).
#pragma once

#include "kernel/collide/fused.h"
#include "kernel/links/rows_columns.h"
#include "kernel/pose.h"

// The position of a particle when the substep began. Valid until the fused pass.
LANES_INLINE lanes3 start_position(const SimKernelJob *job, int particle) {
    const SimGarmentState *state = job->state;
    lanes3 forces_alone =
        job->topology->pinned[particle] ? state->position[particle] : state->predicted[particle];
    return mad3(forces_alone, state->velocity[particle], splat(-job->h));
}

// The direction of the link above a particle in the references; 0 if it has none.
LANES_INLINE lanes3 reference_direction(const SimGarmentState *state, int particle) {
    lanes length;
    return direction3(sub3(state->reference[particle], state->reference[particle - 1]), &length);
}

// Pose stiffness: a spring of each link on e = d - L r, d the link and r its reference's direction. With
// k_j = w^2 sum_{i >= j} m_i s_i / L_j, s the way from the top (topology->pose_inertia), a straight chain
// that is turned as a whole swings back at w, whatever its number of links: these are the equations of a
// chain whirled at w, whose higher modes are at w sqrt(n (2n - 1)). The method is that of kernel/pose.h.
// ------------------------------------------------------------------------------------------------------------

// Stiffness and damping of the link above a particle, over the density: m^2/s^2 and m^2/s.
typedef struct PoseSpring {
    float stiffness, damping;
} PoseSpring;

static inline PoseSpring pose_spring(const SimKernelJob *job, int particle) {
    const SimTopology *topology = job->topology;
    float w = topology->pose_frequency[particle];
    w *= NEWMARK(w * job->h * w * job->h);
    float inertia = topology->pose_inertia[particle];
    return (PoseSpring){inertia * w * w, inertia * w * 2.0f * topology->pose_damping};
}

// K e + C e' of the link above a particle at the start of the substep.
LANES_INLINE lanes3 pose_force(const SimKernelJob *job, const SimSubstep *drive, int particle) {
    const SimGarmentState *state = job->state;
    int upper = particle - 1;
    lanes3 v0 = reference_velocity(job, drive, upper), v1 = reference_velocity(job, drive, particle);
    lanes3 x0 = mad3(state->reference[upper], v0, splat(-job->h));
    lanes3 x1 = mad3(state->reference[particle], v1, splat(-job->h));
    lanes length;
    lanes3 wanted = direction3(sub3(x1, x0), &length);
    lanes3 e = mad3(sub3(start_position(job, particle), start_position(job, upper)), wanted,
                    splat(-job->topology->column_length[upper]));
    lanes3 slip = sub3(sub3(state->velocity[particle], state->velocity[upper]), sub3(v1, v0));
    PoseSpring spring = pose_spring(job, particle);
    lanes3 force = mad3(scale3(e, splat(spring.stiffness)), slip, splat(spring.damping));
    return select3(more(length, splat(1e-9f)), force, zero3());
}

// Solves one tridiagonal system of scalars for all lanes and axes.
static void draw_chain_to_pose(const SimKernelJob *job, int substep) {
    const SimSubstep *drive = &job->substeps[substep];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    int n = topology->particle_count;
    lanes3 *a = (lanes3 *)state->line; // the forces, then the accelerations
    float ratio[SIM_MOST_ROWS], above = 0.0f;
    for (int p = 0; p < n; p++) a[p] = zero3();
    for (int p = 1; p < n; p++) {
        lanes3 force = pose_force(job, drive, p);
        a[p] = sub3(a[p], force);
        a[p - 1] = add3(a[p - 1], force);
    }
    for (int p = 0; p < n; p++) {
        PoseSpring spring = p + 1 < n ? pose_spring(job, p + 1) : (PoseSpring){0.0f, 0.0f};
        float below = 0.5f * job->h * spring.damping + 0.25f * job->h * job->h * spring.stiffness;
        float coupled = below + (p > 0 ? above * (1.0f - ratio[p - 1]) : 0.0f);
        float inverse = topology->inverse_area[p]; // 0 if pinned
        inverse /= 1.0f + coupled * inverse;
        ratio[p] = below * inverse;
        if (p > 0) a[p] = mad3(a[p], a[p - 1], splat(above));
        a[p] = scale3(a[p], splat(inverse));
        above = below;
    }
    for (int p = n - 2; p >= 0; p--) a[p] = mad3(a[p], a[p + 1], splat(ratio[p]));
    for (int p = 0; p < n; p++) state->position[p] = mad3(state->position[p], a[p], splat(job->h * job->h));
}

// Angle limit: a link stays within a cone about its reference's direction in the frame of the link above.
// That frame turns by the smallest turn (without a twist) from the link's direction in its own parent's frame
// to its present direction.
// ------------------------------------------------------------------------------------------------------------

// v after the shortest turn from the unit vector a to b: v - s (s . v) / (1 + a . b) + 2 b (a . v), s = a +
// b, 1 + a . b = s . s / 2. If a and b are opposite, this is a mirror and keeps the length.
LANES_INLINE lanes3 turned(lanes3 a, lanes3 b, lanes3 v) {
    lanes3 s = add3(a, b);
    lanes share = dot3(s, v) / maximum(0.5f * dot3(s, s), splat(1e-9f));
    return mad3(mad3(v, s, -share), b, 2.0f * dot3(a, v));
}

// The references' frame, for the first link.
LANES_INLINE SimLanesPose top_frame(void) {
    lanes one = splat(1.0f), none = (lanes){0};
    return (SimLanesPose){{{one, none, none}, {none, one, none}, {none, none, one}, zero3()}};
}

// The axis of the cone of the link that ends at a particle; 0 if the references have none. It must have
// length 1 exactly: a shorter one would shrink the frame from link to link.
LANES_INLINE lanes3 cone_axis(const SimGarmentState *state, int particle, const SimLanesPose *frame) {
    lanes length;
    return direction3(rotate3(frame, reference_direction(state, particle)), &length);
}

// Turns the frame above the link that ends at a particle into the frame below it.
LANES_INLINE void carry_frame(const SimGarmentState *state, int particle, lanes3 axis, SimLanesPose *frame) {
    lanes length;
    lanes3 u = direction3(sub3(state->position[particle], state->position[particle - 1]), &length);
    mask turns = more(length, splat(1e-9f)) & more(dot3(axis, axis), splat(0.5f));
    for (int i = 0; i < 3; i++)
        frame->column[i] = select3(turns, turned(axis, u, frame->column[i]), frame->column[i]);
}

// The correction of a joint outside of its cone: the angle (radians, as a chord; 0 within) and the
// gradients at the ends of the links above and below it.
typedef struct Joint {
    lanes far;
    lanes3 above, below;
} Joint;

// C = |t - u|, t the nearest direction within the cone about a. Along u it falls towards t. Along the link
// above, with unit vector u0, it falls equally by turning a the same way.
LANES_INLINE Joint joint_above(const SimKernelJob *job, int particle, lanes3 a) {
    const SimTopology *topology = job->topology;
    const lanes3 *x = job->state->position;
    float cosine = topology->limit_cosine[particle], sine = topology->limit_sine[particle];
    lanes length, above = splat(1.0f), across;
    lanes3 u = direction3(sub3(x[particle], x[particle - 1]), &length);
    lanes3 u0 = particle > 1 ? direction3(sub3(x[particle - 1], x[particle - 2]), &above) : zero3();
    mask outside = less(dot3(u, a), splat(cosine)) & more(length, splat(1e-9f)) & more(above, splat(1e-9f)) &
                   more(dot3(a, a), splat(0.5f));
    lanes3 side = direction3(perpendicular3(a), &across);
    lanes3 outwards = direction3(mad3(u, a, -dot3(u, a)), &across);
    outwards = select3(more(across, splat(1e-6f)), outwards, side);
    lanes3 t = mad3(scale3(a, splat(cosine)), outwards, splat(sine));
    lanes3 normal = cross3(a, outwards);
    return (Joint){select_lanes(outside, minimum(length3(sub3(t, u)), splat(0.3f)), (lanes){0}),
                   scale3(cross3(normal, u0), 1.0f / maximum(above, splat(1e-9f))),
                   scale3(cross3(u, normal), 1.0f / maximum(length, splat(1e-9f)))};
}

// Solves all joints outside of their cones together; each moves the ends of both of its links by their
// inverse masses. A joint shares particles with the two above it, so the system has five diagonals, solved
// as L D L'.
static void solve_joints(const SimKernelJob *job) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    if (!topology->has_angle_limit) return;
    int n = topology->particle_count;
    lanes3 *below = state->air, *above = (lanes3 *)state->line; // the forces no longer need air
    lanes *pivot = state->line + 3 * n, *first = pivot + n, *second = first + n, *lambda = second + n;
    mask acts = {0};
    SimLanesPose frame = top_frame();
    for (int p = 1; p < n; p++) {
        lanes3 axis = cone_axis(state, p, &frame);
        Joint joint = joint_above(job, p, axis);
        mask outside = more(joint.far, (lanes){0});
        carry_frame(state, p, axis, &frame);
        acts |= outside;
        above[p] = select3(outside, joint.above, zero3());
        below[p] = select3(outside, joint.below, zero3());
        lanes3 middle = sub3(above[p], below[p]);
        lanes w0 = p > 1 ? inverse_mass(job, p - 2) : (lanes){0};
        lanes w1 = inverse_mass(job, p - 1), w2 = inverse_mass(job, p);
        lanes diagonal =
            w0 * dot3(above[p], above[p]) + w1 * dot3(middle, middle) + w2 * dot3(below[p], below[p]);
        lanes far = joint.far, l1 = (lanes){0}, l2 = (lanes){0};
        if (p > 2) {
            l2 = -w0 * dot3(below[p - 2], above[p]) / pivot[p - 2];
            diagonal -= l2 * l2 * pivot[p - 2];
            far -= l2 * lambda[p - 2];
        }
        if (p > 1) {
            l1 = w1 * dot3(below[p - 1], middle) - w0 * dot3(sub3(above[p - 1], below[p - 1]), above[p]);
            if (p > 2) l1 -= l2 * pivot[p - 2] * first[p - 1];
            l1 /= pivot[p - 1];
            diagonal -= l1 * l1 * pivot[p - 1];
            far -= l1 * lambda[p - 1];
        }
        // Skips joints between particles that cannot move.
        pivot[p] = select_lanes(more(diagonal, splat(1e-9f)), diagonal, splat(1e30f));
        first[p] = l1, second[p] = l2, lambda[p] = far;
    }
    if (!any(acts)) return;
    for (int p = n - 1; p > 0; p--) {
        lambda[p] /= pivot[p];
        if (p + 1 < n) lambda[p] -= first[p + 1] * lambda[p + 1];
        if (p + 2 < n) lambda[p] -= second[p + 2] * lambda[p + 2];
    }
    lanes3 *x = state->position;
    for (int p = 1; p < n; p++) {
        x[p] = mad3(x[p], below[p], inverse_mass(job, p) * lambda[p]);
        x[p - 1] = mad3(x[p - 1], sub3(above[p], below[p]), inverse_mass(job, p - 1) * lambda[p]);
        if (p > 1) x[p - 2] = mad3(x[p - 2], above[p], -inverse_mass(job, p - 2) * lambda[p]);
    }
}

// Lengths. The column solve applies the tension along the links' directions at the end of the substep. This
// never adds energy, but a swing loses g h / 2 L of its amplitude a second; with the directions at the start
// it loses none (SHAKE: Ryckaert, Ciccotti, Berendsen 1977). So the tension is solved twice: the first
// solution moves the ends by the difference of the two directions, the second holds the lengths. The end's
// direction is kept if the start's would be unstable (the tension turns a link by its own length in a few
// substeps) or says little (the link turns far, touches or is held by its cone).
// ------------------------------------------------------------------------------------------------------------

// Smoothly from 0 at a to 1 at b.
LANES_INLINE lanes ease(lanes x, float a, float b) {
    lanes t = minimum(maximum((x - a) * (1.0f / (b - a)), (lanes){0}), splat(1.0f));
    return t * t * (3.0f - 2.0f * t);
}

// The share of the tension of the link below particle k that acts along its direction at the start.
LANES_INLINE lanes share_of_start(const SimKernelJob *job, const LineScratch *scratch, int k, lanes3 start) {
    const SimGarmentState *state = job->state;
    // h^2 times the square of the frequency at which the tension would turn the link.
    lanes stiffness = -scratch->lambda[k] * (scratch->weight[k] + scratch->weight[k + 1]) *
                      (1.0f / job->topology->column_length[k]);
    lanes end =
        maximum(ease(absolute(stiffness), 0.1f, 0.4f), ease(-dot3(start, scratch->u[k]), -0.97f, -0.85f));
    end = maximum(end, maximum(state->contact[k], state->contact[k + 1]));
    return 1.0f - end;
}

static void solve_chain(const SimKernelJob *job, int substep) {
    (void)substep;
    if (job->topology->alan_wake_hard) return;
    SimGarmentState *state = job->state;
    int n = job->topology->rows - 1;
    Line line = column_line(job, 0, state->line);
    LineScratch scratch = line_scratch(&line);
    solve_joints(job);
    eliminate(job, &line, &scratch);
    for (int k = 0; k < n; k++) {
        lanes length;
        lanes3 start = direction3(sub3(start_position(job, k + 1), start_position(job, k)), &length);
        lanes share = share_of_start(job, &scratch, k, start) * scratch.lambda[k];
        lanes3 change = scale3(sub3(start, scratch.u[k]), share);
        state->position[k] = mad3(state->position[k], change, -scratch.weight[k]);
        state->position[k + 1] = mad3(state->position[k + 1], change, scratch.weight[k + 1]);
    }
    solve_line(job, &line);
    solve_joints(job); // lengths and joints disturb each other a little
    solve_line(job, &line);
}

// Constraints do no work along the mean of the velocities before and after, and lose energy in contacts:
// sum m c . ((v - g h + v') / 2 - V) <= 0, v the velocity after the forces, v' = v + c the one after all
// corrections, V that of the references. The fused pass turns the lower links of a stiff chain without
// moving the upper ones and can break this rule, so if links lie on their cones the excess is removed from
// the speed.
LANES_INLINE void take_gained_energy(const SimKernelJob *job, const SimSubstep *drive, mask held) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    lanes inverse_h = splat(1.0f / job->h), allowed = (lanes){0}, found = (lanes){0};
    if (!any(held)) return;
    for (int p = 1; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        lanes3 before = sub3(state->velocity[p], reference_velocity(job, drive, p));
        lanes3 c = scale3(sub3(state->position[p], state->predicted[p]), inverse_h);
        lanes3 after = add3(before, c);
        float area = 1.0f / topology->inverse_area[p];
        found += area * dot3(after, after);
        allowed += area * (dot3(before, before) + dot3(c, *drive->gravity) * job->h);
    }
    lanes share = square_root(maximum(allowed, (lanes){0}) / maximum(found, splat(1e-12f)));
    held = held & less(share, splat(1.0f));
    for (int p = 1; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        lanes3 reference = reference_velocity(job, drive, p);
        lanes3 c = scale3(sub3(state->position[p], state->predicted[p]), inverse_h);
        lanes3 after = mad3(reference, sub3(add3(state->velocity[p], c), reference), share);
        lanes3 predicted = mad3(state->position[p], sub3(state->velocity[p], after), splat(job->h));
        state->predicted[p] = select3(held, predicted, state->predicted[p]);
    }
}

// The fused pass of a chain with angle limits.
static void fused_cones(const SimKernelJob *job, int substep) {
    const SimSubstep *drive = &job->substeps[substep];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    SimLanesPose frame = top_frame();
    const NearColliders all = {.count = -1};
    mask held = {0};
    for (int p = 1; p < topology->particle_count; p++) {
        lanes3 axis = cone_axis(state, p, &frame);
        Cone cone = {axis, topology->limit_cosine[p], topology->limit_sine[p]};
        if (!topology->pinned[p]) {
            LinkSphere sphere = link_sphere(job, p, p - 1);
            sphere.cone = &cone;
            fused_particle(job, drive, &all, p, &sphere);
        }
        lanes along = dot3(sub3(state->position[p], state->position[p - 1]), axis);
        float on_cone = topology->column_length[p - 1] * (cone.cosine + 1e-3f * cone.sine + 1e-6f);
        held |= less(along, splat(on_cone));
        carry_frame(state, p, axis, &frame);
    }
    take_gained_energy(job, drive, held);
}
