// Self-collision in three layers, after the hard parts of a substep. Each restores lengths, colliders and max
// distances.
// - Contacts keep layers a thickness apart, on the sides on which they were before the substep.
// - Columns that pass through a layer all the same go a part of their way, or none. So cloth that does not
//   cross itself never begins to, unless its pins, the body or a max distance force it.
// - Cloth that crosses itself is untangled by shortening the line along which it does.
// On a body that holds still, all of this together does no work on the cloth's steps (shorten_steps).
// Compiled once per width.
#include "core/self_collision.h"

#include "self_collision/contacts.h"
#include "self_collision/steps.h"

#define REPEL_SWEEPS   4
#define SLACK          0.05f // share of its target that a contact may miss after the first sweep
#define PART_SPEED     0.5f  // m/s, at which what is nearer than a thickness moves apart
#define UNTANGLE_SPEED 5.0f  // m/s

#define JOIN(a, b)    a##b
#define KERNEL(width) JOIN(sim_self_collision_, width)

extern const SimSelfCollisionKernel KERNEL(SIM_WIDTH);

static void find_crossings(SimSelfCollision *at, const SimLanes3 *positions, SimLaneSet set);
static void list_broken_pairs(SimSelfCollision *at, const SimLanes3 *positions, SimLaneSet set);
static void note_stays(SimSelfCollision *at);

static void load_before(SimSelfCollision *at) {
    lanes most = (lanes){0};
    load(at, at->before);
    for (int i = 0; i < at->mesh.sheet_count; i++)
        for (int p = 0; p < at->jobs[i].topology->particle_count; p++)
            most = maximum(most, dot3(at->jobs[i].state->wind[p], at->jobs[i].state->wind[p]));
    *at->air = square_root(most);
}

static void find_tangles(SimSelfCollision *at, SimLaneSet set) {
    list_pairs(&at->mesh, &at->boxes, at->before, at->before, set, &at->pairs);
    find_crossings(at, at->before, set);
    note_tangles(at, set);
}

static bool look_around(SimSelfCollision *at, SimLaneSet set, float h) {
    at->settled = ~set;
    at->near = at->moved = NO_LANES;
    load(at, at->free);
    list_broken_pairs(at, at->free, set);
    if (!find_contacts(at, PART_SPEED * h, set)) return false;
    at->near = set & (at->crosses | lanes_where(more(*at->contacts.counts, (lanes){0})));
    leave(at, set & ~at->near);
    return true;
}

static bool repel(SimSelfCollision *at, int round, float h) {
    const SimLaneSet set = at->near & ~at->settled;
    at->moved = NO_LANES;
    if (!set) return false;
    load(at, at->now);
    load_masses(at);
    if (round == 0) {
        const SimLaneSet crossed = set & at->crosses;
        for (int p = 0; p < at->mesh.particle_count; p++) at->repelled[p] &= ~set;
        if (crossed) find_crossings(at, at->before, crossed);
        if (crossed) shorten_crossings(at, UNTANGLE_SPEED * h);
        at->moved = crossed;
    }
    SimLaneSet sweeping = set;
    for (int sweep = 0; sweep < REPEL_SWEEPS && sweeping; sweep++) {
        sweeping = sweep_contacts(at, round + sweep > 0 ? SLACK : 0.0f, sweeping);
        at->moved |= sweeping;
        if (sweeping) restore_lengths(at, sweeping);
    }
    const SimLaneSet held = set & ~at->moved, apart = held ? held & are_apart(at) : NO_LANES;
    at->settled |= apart;
    if (round == 0) leave(at, apart);
    if (!at->moved) return false;
    note_repelled(at, at->moved);
    note_stays(at);
    store(at, at->now);
    return true;
}

// In calm air, columns of open grids that no contact has moved stay where they are: the limits of rows would
// spread its push over the garment, and feed a swing.
static void note_stays(SimSelfCollision *at) {
    const SimLaneSet set = at->is_passive ? at->moved & at->calm : NO_LANES;
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        for (int p = sheet->first; p < sheet->end; p++) {
            const SimLaneSet stays = sheet->closed ? NO_LANES : set & ~at->repelled[p];
            at->stays[p] = select_lanes(where_lanes(stays | ~at->moved), splat(1.0f), (lanes){0});
        }
    }
}

static bool hold(SimSelfCollision *at, int round) {
    const SimLaneSet set = ~at->settled;
    at->moved = NO_LANES;
    if (!set) return false;
    load(at, at->now);
    if (round == 0) {
        copy_where(set, at->mesh.particle_count, at->now, at->reached);
        for (int p = 0; p < at->mesh.particle_count; p++)
            at->share[p] = select_lanes(where_lanes(set), splat(1.0f), at->share[p]);
    }
    find_crossings(at, at->now, set);
    if (round < HOLD_ROUNDS - 1) at->moved = mark_columns(at, way_shares[round], set);
    at->settled |= set & ~at->moved;
    if (set & ~at->moved) note_tangles(at, set & ~at->moved);
    if (!at->moved) return false;
    go_shares(at, at->moved);
    store(at, at->now);
    return true;
}

// Cloth that comes free of itself is exempt.
static bool shorten_steps(SimSelfCollision *at, float h) {
    const SimLaneSet set = at->is_passive ? at->near & ~(at->crosses & at->untangles) : NO_LANES;
    at->moved = NO_LANES;
    if (!set) return false;
    load(at, at->now);
    load_masses(at);
    const lanes share = step_share(at, h);
    at->moved = set & lanes_where(less(share, splat(1.0f)));
    if (!at->moved) return false;
    for (int p = 0; p < at->mesh.particle_count; p++) {
        const mask moves = where_lanes(at->moved) & more(at->inverse_mass[p], (lanes){0});
        const lanes3 step = sub3(at->now[p], at->before[p]);
        at->now[p] = select3(moves, add3(at->before[p], scale3(step, share)), at->now[p]);
    }
    restore_lengths(at, at->moved);
    store(at, at->now);
    at->settled &= ~at->moved;
    return true;
}

static void corrections_to_velocity(SimSelfCollision *at, float h) {
    if (!at->near) return;
    load(at, at->now);
    copy_where(at->near, at->mesh.particle_count, at->now, at->before);
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        for (int p = sheet->first; p < sheet->end; p++) {
            SimLanes3 *velocity = &at->jobs[i].state->velocity[p - sheet->first];
            const lanes3 change = scale3(sub3(at->before[p], at->free[p]), splat(1.0f / h));
            const lanes3 to = corrected(*velocity, change, where_lanes(at->tangled[p]));
            *velocity = select3(where_lanes(at->near), to, *velocity);
        }
    }
}

static void find_crossings(SimSelfCollision *at, const SimLanes3 *positions, SimLaneSet set) {
    list_broken_pairs(at, positions, set);
    find_crossings_at(at, positions, set);
}

// Afterwards the list holds for the way from `before` to these positions.
static void list_broken_pairs(SimSelfCollision *at, const SimLanes3 *positions, SimLaneSet set) {
    const SimLaneSet broken = set & ~pairs_hold(&at->mesh, &at->pairs, positions);
    if (broken) list_pairs(&at->mesh, &at->boxes, at->before, positions, broken, &at->pairs);
}

const SimSelfCollisionKernel KERNEL(SIM_WIDTH) = {
    .box_numbers = sizeof(SimBox) / sizeof(SimLanes),
    .contact_numbers = sizeof(SimContact) / sizeof(SimLanes),
    .load_before = load_before,
    .find_tangles = find_tangles,
    .look_around = look_around,
    .repel = repel,
    .hold = hold,
    .shorten_steps = shorten_steps,
    .corrections_to_velocity = corrections_to_velocity,
};
