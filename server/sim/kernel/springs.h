// Mass-spring cloth (X. Provot, "Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth
// Behavior", 1995): springs with damping, integrated by semi-implicit Euler, and the limit beyond which no
// spring stretches. Springs are a list: they need not form a grid.
#pragma once

#include "kernel/collide/contact.h"
#include "kernel/collide/max_distance.h"
#include "kernel/integrate.h"

// F = k (l - L) + c (v1 - v0) . u along the unit vector u from x0 to x1; v0 += w0 h F u; v1 -= w1 h F u.
LANES_INLINE void pull_spring(const Part3 *x0, const Part3 *x1, Part3 *v0, Part3 *v1, native rest,
                              native stiffness, native damping, native gain0, native gain1) {
    Part3 d = {x1->x - x0->x, x1->y - x0->y, x1->z - x0->z};
    Part3 v = {v1->x - v0->x, v1->y - v0->y, v1->z - v0->z};
    native length = part_square_root(d.x * d.x + d.y * d.y + d.z * d.z);
    native inverse = part_where_more(length, 1e-9f, 1.0f / length);
    native speed = (d.x * v.x + d.y * v.y + d.z * v.z) * inverse;
    native force = (stiffness * (length - rest) + damping * speed) * inverse;
    native g0 = gain0 * force, g1 = gain1 * force;
    *v0 = (Part3){v0->x + d.x * g0, v0->y + d.y * g0, v0->z + d.z * g0};
    *v1 = (Part3){v1->x - d.x * g1, v1->y - d.y * g1, v1->z - d.z * g1};
}

LANES_INLINE void pull_part(const SimKernelJob *job, int spring, int part, const lanes *gain, const Part3 *x0,
                            const Part3 *x1, Part3 *v0, Part3 *v1, int turn) {
    const SimLinks *springs = &job->topology->springs;
    const SimLaneFabric *fabric = job->fabric;
    const shared *area = job->topology->inverse_area;
    const native factor = shared_part(&springs->factor[spring], part, 0);
    const native own = parts_of(gain)[part];
    pull_spring(x0, x1, v0, v1, shared_part(&springs->length[spring], part, 0),
                parts_of(&fabric->stiffness[springs->kind[spring]])[part] * factor,
                parts_of(&fabric->spring_damping)[part] * factor,
                own * shared_part(&area[springs->ends[spring][0]], part, 0),
                own * shared_part(&area[OWN(springs->ends[spring][1])], part, turn));
}

// The hottest loop: it splits wide lanes by hand. h is 0 in lanes that take no further step.
static void pull_springs(const SimKernelJob *job, lanes h) {
    const SimLinks *springs = &job->topology->springs;
    const lanes3 *x = job->state->position;
    lanes3 *v = job->state->velocity;
    const lanes gain = job->fabric->inverse_density * h;
    for (int i = 0; i < springs->count; i++) {
        int a = springs->ends[i][0], b = springs->ends[i][1];
        int ahead = i + LINKS_AHEAD < springs->count ? i + LINKS_AHEAD : 0;
        fetch(&springs->length[ahead]), fetch(&springs->factor[ahead]);
        if (!crosses_seam(b)) {
            for (int part = 0; part < NATIVES; part++) {
                Part3 x0 = part3_of(&x[a], part), x1 = part3_of(&x[b], part);
                Part3 v0 = part3_of(&v[a], part), v1 = part3_of(&v[b], part);
                pull_part(job, i, part, &gain, &x0, &x1, &v0, &v1, 0);
                put_part3(&v[a], part, &v0);
                put_part3(&v[b], part, &v1);
            }
            continue;
        }
        // Its second end is in the next lane.
        Parts3 x0 = parts3_of(&x[a]), x1 = parts3_of(&x[OWN(b)]);
        Parts3 v0 = parts3_of(&v[a]), v1 = parts3_of(&v[OWN(b)]);
        x1 = turned3(&x1, 1), v1 = turned3(&v1, 1);
        for (int part = 0; part < NATIVES; part++)
            pull_part(job, i, part, &gain, &x0.part[part], &x1.part[part], &v0.part[part], &v1.part[part], 1);
        v1 = turned3(&v1, -1);
        put_parts3(&v[a], &v0);
        put_parts3(&v[OWN(b)], &v1);
    }
}

// Lanes that take no further step are not damped.
LANES_INLINE Damping damping_of_step(const Damping *whole, mask steps) {
    Damping damping = *whole;
    damping.h = select_lanes(steps, whole->h, (lanes){0});
    for (int edge = 0; edge < 2; edge++)
        for (int touching = 0; touching < 2; touching++) {
            damping.decay[edge][touching] = select_lanes(steps, whole->decay[edge][touching], splat(1.0f));
            damping.gain[edge][touching] = select_lanes(steps, whole->gain[edge][touching], (lanes){0});
        }
    return damping;
}

// Divides the substep into as many steps as each lane's springs need. Pinned particles move evenly to their
// references; the air's change of velocity is spread evenly.
static void step_springs(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const lanes count = job->fabric->spring_steps, share = 1.0f / count, h = job->h * share;
    blow(job, substep);
    for (int p = 0; p < topology->particle_count; p++) {
        state->start[p] = state->position[p];
        if (!topology->pinned[p]) continue;
        lanes3 way = sub3(reference_after(job, index, p), state->position[p]);
        state->velocity[p] = scale3(way, splat(1.0f / job->h));
    }
    const Damping whole = damping_over(job, substep, h);
    for (float step = 0.0f; any(more(count, splat(step))); step += 1.0f) {
        const mask steps = more(count, splat(step));
        const lanes now = select_lanes(steps, h, (lanes){0});
        const lanes air = select_lanes(steps, share, (lanes){0});
        const Damping damping = damping_of_step(&whole, steps);
        pull_springs(job, now);
        for (int p = 0; p < topology->particle_count; p++) {
            lanes3 v = state->velocity[p];
            if (!topology->pinned[p])
                v = driven_velocity(job, substep, &damping, p, mad3(v, state->air[p], air));
            state->velocity[p] = v;
            state->position[p] = mad3(state->position[p], v, now);
        }
    }
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        state->predicted[p] = state->position[p];
        state->contact[p] = (lanes){0};
    }
}

#define LIMIT_TOLERANCE 1e-5f // of the length; so much beyond the limit a spring is left as it is
#define LIMIT_EASE      0.01f // of the limit; late sweeps draw springs so much farther together, and end soon
#define LIMIT_EXACT     16    // sweeps before that

// Draws the ends of a spring that is beyond its limit together, the lighter one more: two loose ends meet it
// in the middle, beside a fixed end the loose one moves alone. Returns the lanes in which they moved.
LANES_INLINE mask limit_spring(const SimKernelJob *job, int spring, mask active, float ease) {
    const SimLinks *springs = &job->topology->springs;
    lanes3 *x = job->state->position;
    int a = springs->ends[spring][0], b = springs->ends[spring][1];
    lanes3 d = sub3(at3(x, b), x[a]);
    lanes rest = wide(springs->length[spring]), limit = job->fabric->limit;
    lanes square = dot3(d, d), past = rest * (1.0f + limit) * (1.0f + LIMIT_TOLERANCE);
    mask beyond = active & more(square, past * past) & more(wide(springs->factor[spring]), (lanes){0});
    if (!any(beyond)) return beyond;
    lanes w0 = inverse_mass(job, a), w1 = inverse_mass(job, b), length = square_root(square);
    lanes target = rest * (1.0f + limit * (1.0f - ease));
    lanes s = (length - target) / maximum(length * (w0 + w1), splat(1e-12f));
    x[a] = select3(beyond, mad3(x[a], d, w0 * s), x[a]);
    put3(x, b, select3(beyond, mad3(at3(x, b), d, -w1 * s), at3(x, b)));
    return beyond;
}

// Moves particles that are beyond their max distance back, by the share `ease` farther. Returns the lanes in
// which one moved.
LANES_INLINE mask limit_distances(const SimKernelJob *job, mask active, float ease) {
    const SimTopology *topology = job->topology;
    mask moved = {0};
    if (!topology->has_max_distance) return moved;
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        const lanes limit = max_distance(job, p);
        const lanes3 away = sub3(job->state->position[p], job->state->reference[p]);
        const lanes past = limit * (1.0f + LIMIT_TOLERANCE), square = dot3(away, away);
        const mask outside = active & more(square, past * past);
        if (!any(outside)) continue;
        const lanes share = limit * (1.0f - ease) / maximum(square_root(square), splat(1e-9f));
        job->state->position[p] =
            select3(outside, mad3(job->state->reference[p], away, share), job->state->position[p]);
        moved |= outside;
    }
    return moved;
}

// Provot's inverse procedure on structural and shear springs of some lanes, forwards and backwards in turns,
// and between sweeps the max distances, since either can break the other. A lane in which all hold does not
// change any more, however often the others are swept. Returns the lanes in which something moved.
static mask draw_to_limits(const SimKernelJob *job, mask active) {
    const SimLinks *springs = &job->topology->springs;
    mask moved = {0};
    for (int sweep = 0; sweep < job->topology->limit_sweeps; sweep++) {
        const float ease = sweep < LIMIT_EXACT ? 0.0f : LIMIT_EASE;
        mask now = {0};
        for (int k = 0; k < springs->count; k++) {
            const int i = sweep % 2 == 0 ? k : springs->count - 1 - k;
            if (springs->kind[i] != SIM_LINK_BEND) now |= limit_spring(job, i, active, ease);
        }
        now |= limit_distances(job, active, ease);
        if (!any(now)) break;
        moved |= now;
    }
    return moved;
}

// All lanes of the garments that any of these lanes belong to: the strips of one are all lanes.
LANES_INLINE mask garments_of(mask some) {
#ifdef SIM_STRIPS
    return any(some) ? ~(mask){0} : some;
#else
    return some;
#endif
}

// Lanes in which a particle has touched a collider in this substep.
LANES_INLINE mask touching_lanes(const SimKernelJob *job) {
    mask touching = {0};
    for (int p = 0; p < job->topology->particle_count; p++)
        touching |= more(job->state->contact[p], splat(0.5f));
    return touching;
}

#define LIMIT_ROUNDS    16 // at most; after eight, springs of a runner's skirt are up to 1 % beyond the limit
#define CONFLICT_ROUNDS 2  // while there is no room: more rounds find none either
#define CONFLICT_STEP   1e-3f // m that a particle still moves in the last round, where there is no room
#define STILL_SURFACE   1e-3f // m/s

// Lanes in which the last round still moved a particle by more than CONFLICT_STEP.
LANES_INLINE mask crowded_lanes(const SimKernelJob *job, const lanes3 *before, mask active) {
    mask crowded = {0};
    for (int p = 0; p < job->topology->particle_count; p++) {
        const lanes3 step = sub3(job->state->position[p], before[p]);
        const mask moves = active & more(dot3(step, step), splat(CONFLICT_STEP * CONFLICT_STEP));
        if (job->topology->pinned[p] || !any(moves)) continue;
        *job->state->conflicts += count_places(moves, p);
        crowded |= moves;
    }
    return garments_of(crowded);
}

// The limit draws cloth into bodies, and these push it beyond the limit: in turns, until the limit moves
// nothing more. Where there is no room for both, bodies are last. Overwrites state->air, which the substep no
// longer needs.
static void limit_springs(const SimKernelJob *job, int substep) {
    SimGarmentState *state = job->state;
    const mask was_crowded = garments_of(less(*state->recovery, (lanes){0}));
    const lanes last = select_lanes(was_crowded, splat(CONFLICT_ROUNDS), splat(LIMIT_ROUNDS - 1));
    draw_to_limits(job, ~(mask){0});
    collide(job, substep);
    mask active = garments_of(touching_lanes(job)) & ~calm_mask(job), in_vain = {0};
    for (int round = 1; round < LIMIT_ROUNDS && any(active); round++) {
        const mask ends = active & ~less(splat((float)round), last);
        if (any(ends))
            for (int p = 0; p < job->topology->particle_count; p++)
                state->air[p] = select3(ends, state->position[p], state->air[p]);
        active = garments_of(draw_to_limits(job, active));
        const lanes calm = select_lanes(active, (lanes){0}, splat(1.0f));
        SimKernelJob rest = *job;
        rest.calm = &calm;
        if (any(active)) collide(&rest, substep);
        in_vain |= ends & active;
        active &= ~ends;
    }
    if (any(in_vain)) in_vain = crowded_lanes(job, state->air, in_vain);
    *state->crowded = select_lanes(in_vain, splat(1.0f), (lanes){0});
}

// Lanes in which a collider that moves touches a particle.
LANES_INLINE mask pushed_lanes(const SimKernelJob *job) {
    const SimGarmentState *state = job->state;
    mask pushed = {0};
    for (int p = 0; p < job->topology->particle_count; p++)
        pushed |= more(state->contact[p], splat(0.5f)) &
                  more(dot3(state->damped_to[p], state->damped_to[p]), splat(STILL_SURFACE * STILL_SURFACE));
    return garments_of(pushed);
}

// Without room for both the limit and bodies, a garment goes along with its references from where it was, and
// out of bodies that move: limit, bodies and bodies that overlap would feed its springs in turns.
static void go_along(const SimKernelJob *job, int index) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const mask crowded = more(*state->crowded, splat(0.5f));
    if (!any(crowded)) return;
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        const lanes3 v = reference_velocity(job, &job->substeps[index], p);
        const lanes3 x = mad3(state->start[p], v, splat(job->h));
        state->velocity[p] = select3(crowded, v, state->velocity[p]);
        state->position[p] = select3(crowded, x, state->position[p]);
    }
    const lanes calm = select_lanes(crowded & pushed_lanes(job), (lanes){0}, splat(1.0f));
    SimKernelJob pushed = *job;
    pushed.calm = &calm;
    if (any(less(calm, splat(0.5f)))) collide(&pushed, index);
    for (int p = 0; p < topology->particle_count; p++)
        state->predicted[p] = select3(crowded, state->position[p], state->predicted[p]);
}
