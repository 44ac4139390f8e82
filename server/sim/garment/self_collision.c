// Self-collision in three layers, after the hard parts of a substep. Each restores lengths, colliders and max
// distances.
// - Contacts keep layers a thickness apart, on the sides on which they were before the substep.
// - Columns that pass through a layer all the same go a part of their way, or none. So cloth that does not
//   cross itself never begins to, unless its pins, the body or a max distance force it.
// - Cloth that crosses itself is untangled by shortening the line along which it does.
// On a body that holds still, all of this together does no work on the cloth's steps (shorten_steps).
#include "garment/self_collision.h"

#include "garment/contacts.h"
#include "garment/crossings.h"
#include "garment/kernel_inputs.h"
#include "garment/mesh_search.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define CONTACTS_EACH  12 // room for them, by particle
#define CROSSINGS_EACH 8
#define REPEL_ROUNDS   4 // of sweeps over the contacts, after each of which the rest is restored
#define REPEL_SWEEPS   4
#define SLACK          0.05f // share of its target that a contact may miss after the first sweep
#define PART_SPEED     0.5f  // m/s, at which what is nearer than a thickness moves apart
#define UNTANGLE_SPEED 2.0f  // m/s

// The share of its way that a column goes which passes through something, by round.
static const float shares[] = {0.5f, 0.25f, 0.0f, 0.0f, 0.0f, 0.0f};
enum { HOLD_ROUNDS = sizeof shares / sizeof shares[0] + 1 };

// The cloth of one lane.
typedef struct SelfLane {
    float (*before)[3];  // [particle] m, after the last substep
    float (*free)[3];    // [particle] m, after this one without self-collision
    float (*reached)[3]; // [particle] m, after the contacts
    float *share;        // [particle] of the way from before to reached that its link goes
    bool *repelled;      // [particle] contacts have moved its column
    bool *tangled;       // [particle] of an edge or triangle that crossed another one before the substep
    bool calm;           // the air, in this tick
    float driven;        // m/s by which steps may be longer in this tick (shorten_steps)
    bool crosses;        // any of them
    bool opens;   // after a pose without room for it (kernel/recover.h), or after tangles: may pass through
                  // itself
    bool near;    // there are contacts or tangles in this substep
    bool moved;   // in this round
    bool settled; // nothing is left to hold back
    SimPatchPairs pairs; // that hold for `before`
    SimContacts contacts;
} SelfLane;

typedef struct SimSelfCollision {
    SimMesh mesh;
    bool is_passive; // all of its garments are (sim_is_passive)
    SelfLane *lanes; // [width]
    // Scratch of the lane at work.
    SimMeshBoxes boxes;
    SimCrossings crossings;
    float (*now)[3];     // [particle]
    float *inverse_mass; // [particle]
} SimSelfCollision;

static void allocate(SimArena *arena, SimSelfCollision *at, int width);
static SimSelfCollision *work_of(const SimGroup *group, const SimIsland *island);
static bool opens_slowly(const SimGroup *group, const SimMesh *mesh, int lane);
static void follow_references(const SimGroup *group, const SimSheet *sheet, int lane, float (*before)[3],
                              float left, float dt);
static void load(const SimGroup *group, const SimMesh *mesh, int lane, float (*out)[3]);
static void find_crossings(SimSelfCollision *at, SelfLane *lane, float (*positions)[3]);
static const SimPatchPairs *pairs_to(SimSelfCollision *at, SelfLane *lane, float (*positions)[3]);
static void note_tangles(SimSelfCollision *at, SelfLane *lane);
static bool look_around(SimGroup *group, SimSelfCollision *at, float h);
static void leave(const SimSelfCollision *at, SelfLane *lane);
static bool repel(SimGroup *group, SimSelfCollision *at, int round, float h);
static void note_repelled(const SimGroup *group, const SimMesh *mesh, SelfLane *lane, float (*now)[3]);
static void leave_others(SimGroup *group, SimSelfCollision *at);
static bool is_apart(const SimMesh *mesh, const SelfLane *lane, float (*now)[3]);
static void load_masses(const SimGroup *group, SimSelfCollision *at, int lane);
static void restore_lengths(const SimGroup *group, const SimMesh *mesh, float (*free)[3], float (*now)[3]);
static void store(const SimGroup *group, const SimMesh *mesh, int lane, float (*from)[3]);
static void finish(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep,
                   bool held);
static void hold_back(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep);
static bool hold(SimGroup *group, SimSelfCollision *at, int round);
static bool mark_columns(const SimGroup *group, SimSelfCollision *at, SelfLane *lane, int round);
static bool was_tangled(const SimMesh *mesh, const SimCrossing *crossing, const bool *tangled);
static void hold_column(const SimGroup *group, const SimMesh *mesh, int particle, float share, float *shares);
static void go_shares(const SimGroup *group, const SimMesh *mesh, const SelfLane *lane, float (*now)[3]);
static bool shorten_steps(SimGroup *group, SimSelfCollision *at, float h);
static float step_share(const SimSelfCollision *at, const SelfLane *cloth, float h);
static float body_speed(const SimGroup *group, const SimMesh *mesh, int lane);
static float air_speed(const SimGroup *group, const SimMesh *mesh, int lane);
static bool is_passive(const SimRig *rig, const SimMesh *mesh);
static void corrections_to_velocity(SimGroup *group, SimSelfCollision *at, float h);
static void correct_velocity(const SelfLane *lane, int particle, float h, SimLane velocity);

SimSelfCollision *sim_self_collision_create(SimArena *arena, const SimRig *rig, int width) {
    bool any = false;
    for (int g = 0; g < rig->info.garment_count; g++) any = any || rig->garments[g].self_collision > 0.0f;
    if (!any) return NULL;
    SimSelfCollision *all = sim_arena_alloc(arena, (size_t)rig->island_count, sizeof *all);
    for (int i = 0; i < rig->island_count && all; i++) {
        sim_mesh_build(arena, rig, &rig->islands[i], &all[i].mesh);
        if (all[i].mesh.sheet_count == 0) continue;
        all[i].is_passive = is_passive(rig, &all[i].mesh);
        allocate(arena, &all[i], width);
    }
    return arena->failed ? NULL : all;
}

void sim_self_collision_begin(SimGroup *group, const SimIsland *island) {
    SimSelfCollision *at = work_of(group, island);
    for (int i = 0; at && i < group->width; i++) {
        if (!group->characters[i]) continue;
        SelfLane *lane = &at->lanes[i];
        SimCharacter *character = group->characters[i];
        load(group, &at->mesh, i, lane->before);
        const float air = air_speed(group, &at->mesh, i), body = body_speed(group, &at->mesh, i);
        lane->driven = (body < SIM_HOLDING_SPEED ? 0.0f : SIM_SPEEDS_OF_BODY * body) + SIM_SHARE_OF_AIR * air;
        lane->calm = air < SIM_CALM_AIR;
        character->body_speed = fmaxf(character->body_speed, body);
        lane->opens = opens_slowly(group, &at->mesh, i) || character->until_untangled > 0.0f;
        if (lane->opens) continue;
        sim_mesh_list_pairs(&at->mesh, &at->boxes, lane->before, lane->before, &lane->pairs);
        find_crossings(at, lane, lane->before);
        note_tangles(at, lane);
        const bool for_long = lane->calm && character->tangled >= SIM_TANGLED_MOST;
        lane->opens = lane->crosses && (character->was_reduced || for_long);
        if (!lane->opens) continue;
        character->until_untangled = SIM_RAMP_SECONDS;
        character->tangled = SIM_WHILE_HELD;
    }
}

void sim_self_collision_step(SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                             int substep) {
    SimSelfCollision *at = work_of(group, island);
    const float h = tick->dt / (float)tick->substep_count;
    if (!at || !look_around(group, at, h)) return;
    for (int round = 0; round < REPEL_ROUNDS && repel(group, at, round, h); round++) {
        finish(group, tick, island, substep, false);
        leave_others(group, at);
    }
    hold_back(group, tick, island, substep);
    if (shorten_steps(group, at, h)) {
        finish(group, tick, island, substep, true);
        hold_back(group, tick, island, substep);
    }
    corrections_to_velocity(group, at, h);
}

void sim_self_collision_end(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    const SimSelfCollision *at = work_of(group, island);
    for (int i = 0; at && i < group->width; i++) {
        SimCharacter *character = group->characters[i];
        if (!character) continue;
        character->crosses_itself |= at->lanes[i].crosses && !at->lanes[i].opens;
        const float left = character->until_untangled;
        if (left <= 0.0f) continue;
        for (int s = 0; s < at->mesh.sheet_count; s++)
            follow_references(group, &at->mesh.sheets[s], i, at->lanes[i].before, left, tick->dt);
    }
}

static void allocate(SimArena *arena, SimSelfCollision *at, int width) {
    const size_t count = (size_t)at->mesh.particle_count;
    at->lanes = sim_arena_alloc(arena, (size_t)width, sizeof *at->lanes);
    for (int i = 0; i < width && at->lanes; i++) {
        SelfLane *lane = &at->lanes[i];
        lane->before = sim_arena_alloc(arena, count, sizeof *lane->before);
        lane->free = sim_arena_alloc(arena, count, sizeof *lane->free);
        lane->reached = sim_arena_alloc(arena, count, sizeof *lane->reached);
        lane->share = sim_arena_alloc(arena, count, sizeof *lane->share);
        lane->tangled = sim_arena_alloc(arena, count, sizeof *lane->tangled);
        lane->repelled = sim_arena_alloc(arena, count, sizeof *lane->repelled);
        sim_mesh_allocate_pairs(arena, &at->mesh, &lane->pairs);
        lane->contacts.most = CONTACTS_EACH * (int)count;
        lane->contacts.items = sim_arena_alloc(arena, CONTACTS_EACH * count, sizeof *lane->contacts.items);
    }
    at->crossings.most = CROSSINGS_EACH * (int)count;
    at->crossings.items = sim_arena_alloc(arena, CROSSINGS_EACH * count, sizeof *at->crossings.items);
    at->now = sim_arena_alloc(arena, count, sizeof *at->now);
    at->inverse_mass = sim_arena_alloc(arena, count, sizeof *at->inverse_mass);
    sim_mesh_allocate_boxes(arena, &at->mesh, &at->boxes);
}

// NULL: no garment of the island collides with itself.
static SimSelfCollision *work_of(const SimGroup *group, const SimIsland *island) {
    if (!group->self_collision) return NULL;
    SimSelfCollision *at = &group->self_collision[island - group->rig->islands];
    return at->mesh.sheet_count ? at : NULL;
}

static bool opens_slowly(const SimGroup *group, const SimMesh *mesh, int lane) {
    bool opens = false;
    for (int i = 0; i < mesh->sheet_count; i++)
        opens = opens || ((const float *)group->garments[mesh->sheets[i].garment].state.opening)[lane] > 0.0f;
    return opens;
}

static void load(const SimGroup *group, const SimMesh *mesh, int lane, float (*out)[3]) {
    for (int i = 0; i < mesh->sheet_count; i++) {
        const int garment = mesh->sheets[i].garment;
        sim_lane_to_vectors(sim_group_lane(group, group->garments[garment].state.position, lane),
                            group->rig->garments[garment].info.particle_count, out + mesh->sheets[i].first);
    }
}

// Goes from where the cloth was before the tick towards its references, which it reaches after `left` s.
static void follow_references(const SimGroup *group, const SimSheet *sheet, int lane, float (*before)[3],
                              float left, float dt) {
    const SimGarmentState *state = &group->garments[sheet->garment].state;
    const SimLane position = sim_group_lane(group, state->position, lane),
                  velocity = sim_group_lane(group, state->velocity, lane),
                  old = sim_group_lane(group, state->reference0, lane),
                  new = sim_group_lane(group, state->reference1, lane);
    const float keep = sim_way_left(left, dt);
    for (int i = 0; i < group->rig->garments[sheet->garment].info.particle_count; i++)
        for (int k = 0; k < 3; k++) {
            const size_t number = 3 * (size_t)i + (size_t)k;
            const float from = before[sheet->first + i][k];
            const float to =
                *sim_lane_at(new, number).first + keep * (from - *sim_lane_at(old, number).first);
            *sim_lane_at(position, number).first = to;
            *sim_lane_at(velocity, number).first = (to - from) / dt;
        }
}

static void find_crossings(SimSelfCollision *at, SelfLane *lane, float (*positions)[3]) {
    const SimPatchPairs *pairs = pairs_to(at, lane, positions);
    sim_crossings_find(&at->mesh, pairs, &at->boxes, positions, &at->crossings);
}

// Pairs that hold for the way from `before` to these positions.
static const SimPatchPairs *pairs_to(SimSelfCollision *at, SelfLane *lane, float (*positions)[3]) {
    if (!sim_mesh_pairs_hold(&at->mesh, &lane->pairs, positions))
        sim_mesh_list_pairs(&at->mesh, &at->boxes, lane->before, positions, &lane->pairs);
    return &lane->pairs;
}

static void note_tangles(SimSelfCollision *at, SelfLane *lane) {
    lane->crosses = at->crossings.count > 0;
    memset(lane->tangled, 0, (size_t)at->mesh.particle_count * sizeof *lane->tangled);
    for (int i = 0; i < at->crossings.count; i++) {
        const SimCrossing *crossing = &at->crossings.items[i];
        for (int k = 0; k < 2; k++) lane->tangled[at->mesh.edges[crossing->edge].ends[k]] = true;
        for (int k = 0; k < 3; k++) lane->tangled[at->mesh.triangles[crossing->triangle][k]] = true;
    }
}

// Finds what has come near in this substep. Returns false when nothing has, in any lane.
static bool look_around(SimGroup *group, SimSelfCollision *at, float h) {
    bool any = false;
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        lane->near = false, lane->settled = true;
        if (!group->characters[i] || lane->opens) continue;
        load(group, &at->mesh, i, lane->free);
        sim_contacts_find(&at->mesh, pairs_to(at, lane, lane->free), &at->boxes, lane->before, lane->free,
                          PART_SPEED * h, lane->tangled, &lane->contacts);
        lane->near = lane->crosses || lane->contacts.count > 0;
        lane->settled = false;
        any = any || lane->near;
        if (!lane->near) leave(at, lane);
    }
    return any;
}

// What is not near anything, and where contacts hold from the beginning, needs nothing more in this substep.
static void leave(const SimSelfCollision *at, SelfLane *lane) {
    lane->near = false, lane->settled = true;
    memcpy(lane->before, lane->free, (size_t)at->mesh.particle_count * sizeof *lane->free);
}

// Returns false when all contacts hold.
static bool repel(SimGroup *group, SimSelfCollision *at, int round, float h) {
    const SimMesh *mesh = &at->mesh;
    bool any = false;
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        lane->moved = false;
        if (!lane->near || lane->settled) continue;
        load(group, mesh, i, at->now);
        load_masses(group, at, i);
        if (round == 0 && lane->crosses) {
            find_crossings(at, lane, lane->before);
            sim_crossings_shorten(mesh, &at->crossings, lane->before, at->inverse_mass, UNTANGLE_SPEED * h,
                                  at->now);
            lane->moved = true;
        }
        for (int sweep = 0; sweep < REPEL_SWEEPS; sweep++) {
            const float slack = round + sweep > 0 ? SLACK : 0.0f;
            if (!sim_contacts_sweep(&lane->contacts, at->inverse_mass, slack, at->now)) break;
            lane->moved = true;
            restore_lengths(group, mesh, lane->free, at->now);
        }
        if (round == 0) memset(lane->repelled, 0, (size_t)mesh->particle_count * sizeof *lane->repelled);
        if (lane->moved) {
            note_repelled(group, mesh, lane, at->now);
            store(group, mesh, i, at->now);
            any = true;
        } else {
            lane->settled = is_apart(mesh, lane, at->now);
            lane->near = round > 0 || !lane->settled;
            if (!lane->near) leave(at, lane);
        }
    }
    return any;
}

static void note_repelled(const SimGroup *group, const SimMesh *mesh, SelfLane *lane, float (*now)[3]) {
    for (int i = 0; i < mesh->sheet_count; i++) {
        const SimSheet *sheet = &mesh->sheets[i];
        const SimTopology *topology = &group->rig->garments[sheet->garment].topology;
        for (int k = 0; k < topology->particle_count; k++) {
            const int p = sheet->first + k;
            if (lane->repelled[p] || glm_vec3_distance2(now[p], lane->free[p]) <= 0.0f) continue;
            for (int j = k % topology->columns; j < topology->particle_count; j += topology->columns)
                lane->repelled[sheet->first + j] = true;
        }
    }
}

// In calm air, columns of open grids that no contact has moved stay where they were: the limits of rows would
// spread its push over the garment, and feed a swing.
static void leave_others(SimGroup *group, SimSelfCollision *at) {
    const SimMesh *mesh = &at->mesh;
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        if (!lane->moved || !lane->calm || !at->is_passive) continue;
        load(group, mesh, i, at->now);
        for (int p = 0; p < mesh->particle_count; p++)
            if (!lane->repelled[p] && !group->rig->garments[mesh->sheets[mesh->sheet[p]].garment].info.closed)
                glm_vec3_copy(lane->free[p], at->now[p]);
        store(group, mesh, i, at->now);
    }
}

// Whether nothing can cross while all contacts hold: no particle has moved by half a thickness since they
// were found, and what is not among them was farther off than one.
static bool is_apart(const SimMesh *mesh, const SelfLane *lane, float (*now)[3]) {
    bool apart = !lane->crosses && lane->contacts.count < lane->contacts.most;
    for (int p = 0; p < mesh->particle_count && apart; p++) {
        const float most = 0.5f * mesh->sheets[mesh->sheet[p]].thickness;
        apart = glm_vec3_distance2(now[p], lane->free[p]) < most * most;
    }
    return apart;
}

static void load_masses(const SimGroup *group, SimSelfCollision *at, int lane) {
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        const SimTopology *topology = &group->rig->garments[sheet->garment].topology;
        const SimLane fabric = sim_group_lane(group, group->garments[sheet->garment].fabrics, lane);
        const float inverse_density = *sim_lane_at(fabric, SIM_NUMBER(SimLaneFabric, inverse_density)).first;
        for (int p = 0; p < topology->particle_count; p++)
            at->inverse_mass[sheet->first + p] = topology->inverse_area[p] * inverse_density;
    }
}

// From the top down: each link keeps its direction and has its length in `free` again.
static void restore_lengths(const SimGroup *group, const SimMesh *mesh, float (*free)[3], float (*now)[3]) {
    for (int i = 0; i < mesh->sheet_count; i++) {
        const SimSheet *sheet = &mesh->sheets[i];
        const SimTopology *topology = &group->rig->garments[sheet->garment].topology;
        for (int k = topology->columns; k < topology->particle_count; k++) {
            const int p = sheet->first + k, above = p - topology->columns;
            vec3 link;
            glm_vec3_sub(now[p], now[above], link);
            const float length = glm_vec3_norm(link);
            if (topology->pinned[k] || !(length > 1e-6f)) continue;
            glm_vec3_copy(now[above], now[p]);
            glm_vec3_muladds(link, glm_vec3_distance(free[p], free[above]) / length, now[p]);
        }
    }
}

static void store(const SimGroup *group, const SimMesh *mesh, int lane, float (*from)[3]) {
    for (int i = 0; i < mesh->sheet_count; i++) {
        const SimSheet *sheet = &mesh->sheets[i];
        const SimLane out = sim_group_lane(group, group->garments[sheet->garment].state.position, lane);
        for (int p = 0; p < group->rig->garments[sheet->garment].info.particle_count; p++)
            sim_vector_to_lane(from[sheet->first + p], sim_lane_at(out, 3 * (size_t)p));
    }
}

// Restores lengths, colliders and max distances in the lanes that moved; the length of rows too, unless they
// are held: columns of which one stays and the next goes part then.
static void finish(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep,
                   bool held) {
    const SimSelfCollision *at = work_of(group, island);
    _Alignas(sizeof(float[SIM_LANES])) float calm[SIM_LANES];
    for (int i = 0; i < group->width; i++) calm[i] = at->lanes[i].moved ? 0.0f : 1.0f;
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const int garment = at->mesh.sheets[i].garment;
        SimKernelJob job = sim_kernel_job(group, tick, garment, substep);
        job.calm = (const SimLanes *)calm;
        job.held = held;
        group->garments[garment].kernel->finish(&job, substep);
    }
}

static void hold_back(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep) {
    for (int round = 0; round < HOLD_ROUNDS && hold(group, work_of(group, island), round); round++)
        finish(group, tick, island, substep, true);
}

// Returns false when nothing is left to hold back.
static bool hold(SimGroup *group, SimSelfCollision *at, int round) {
    const SimMesh *mesh = &at->mesh;
    const size_t size = (size_t)mesh->particle_count * sizeof *at->now;
    bool any = false;
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        lane->moved = false;
        if (lane->settled) continue;
        load(group, mesh, i, at->now);
        if (round == 0) {
            memcpy(lane->reached, at->now, size);
            for (int p = 0; p < mesh->particle_count; p++) lane->share[p] = 1.0f;
        }
        find_crossings(at, lane, at->now);
        lane->moved = round < HOLD_ROUNDS - 1 && mark_columns(group, at, lane, round);
        lane->settled = !lane->moved;
        if (lane->settled) {
            note_tangles(at, lane);
            continue;
        }
        go_shares(group, mesh, lane, at->now);
        store(group, mesh, i, at->now);
        any = true;
    }
    return any;
}

// Returns false when there are no crossings but those of cloth that was tangled before.
static bool mark_columns(const SimGroup *group, SimSelfCollision *at, SelfLane *lane, int round) {
    const SimMesh *mesh = &at->mesh;
    bool any = false;
    for (int i = 0; i < at->crossings.count; i++) {
        const SimCrossing *crossing = &at->crossings.items[i];
        if (was_tangled(mesh, crossing, lane->tangled)) continue;
        for (int k = 0; k < 2; k++)
            hold_column(group, mesh, mesh->edges[crossing->edge].ends[k], shares[round], lane->share);
        for (int k = 0; k < 3; k++)
            hold_column(group, mesh, mesh->triangles[crossing->triangle][k], shares[round], lane->share);
        any = true;
    }
    return any;
}

static bool was_tangled(const SimMesh *mesh, const SimCrossing *crossing, const bool *tangled) {
    const int *ends = mesh->edges[crossing->edge].ends, *corners = mesh->triangles[crossing->triangle];
    return tangled[ends[0]] && tangled[ends[1]] && tangled[corners[0]] && tangled[corners[1]] &&
           tangled[corners[2]];
}

static void hold_column(const SimGroup *group, const SimMesh *mesh, int particle, float share,
                        float *out_shares) {
    const SimSheet *sheet = &mesh->sheets[mesh->sheet[particle]];
    const SimTopology *topology = &group->rig->garments[sheet->garment].topology;
    const int column = (particle - sheet->first) % topology->columns;
    for (int k = column; k < topology->particle_count; k += topology->columns)
        if (share < out_shares[sheet->first + k]) out_shares[sheet->first + k] = share;
}

// From the top down: each link turns by its share from where it was before to where it has reached.
static void go_shares(const SimGroup *group, const SimMesh *mesh, const SelfLane *lane, float (*now)[3]) {
    for (int i = 0; i < mesh->sheet_count; i++) {
        const SimSheet *sheet = &mesh->sheets[i];
        const SimTopology *topology = &group->rig->garments[sheet->garment].topology;
        for (int k = 0; k < topology->particle_count; k++) {
            const int p = sheet->first + k, above = p - topology->columns;
            if (topology->pinned[k] || k < topology->columns) {
                glm_vec3_copy(lane->reached[p], now[p]);
                continue;
            }
            vec3 link, old;
            glm_vec3_sub(lane->reached[p], lane->reached[above], link);
            glm_vec3_sub(lane->before[p], lane->before[above], old);
            const float length = glm_vec3_norm(link);
            if (lane->share[p] < 1.0f) {
                glm_vec3_lerp(old, link, lane->share[p], link);
                glm_vec3_normalize(link);
                glm_vec3_scale(link, length, link);
            }
            glm_vec3_add(now[above], link, now[p]);
        }
    }
}

// As kernel/passive.h does: on a body that holds still, what all this does in a substep does no work on the
// steps. Cloth that comes free of itself is exempt. Returns whether any lane's step is shortened.
static bool shorten_steps(SimGroup *group, SimSelfCollision *at, float h) {
    bool any = false;
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        lane->moved = false;
        if (!lane->near || !at->is_passive) continue;
        if (lane->crosses && group->characters[i]->tangled >= 0.0f) continue; // it untangles
        load(group, &at->mesh, i, at->now);
        load_masses(group, at, i);
        const float share = step_share(at, lane, h);
        if (share >= 1.0f) continue;
        for (int p = 0; p < at->mesh.particle_count; p++)
            if (at->inverse_mass[p] > 0.0f) glm_vec3_lerp(lane->before[p], at->now[p], share, at->now[p]);
        restore_lengths(group, &at->mesh, lane->free, at->now);
        store(group, &at->mesh, i, at->now);
        lane->moved = any = true;
        lane->settled = false;
    }
    return any;
}

static float step_share(const SimSelfCollision *at, const SelfLane *cloth, float h) {
    float work = 0.0f, square = 0.0f, mass = 0.0f;
    for (int p = 0; p < at->mesh.particle_count; p++) {
        vec3 step, free;
        if (!(at->inverse_mass[p] > 0.0f)) continue;
        const float m = 1.0f / at->inverse_mass[p];
        glm_vec3_sub(at->now[p], cloth->before[p], step);
        glm_vec3_sub(cloth->free[p], cloth->before[p], free);
        work += m * glm_vec3_dot(free, step);
        square += m * glm_vec3_norm2(step);
        mass += m;
    }
    if (!(square > 0.0f)) return 1.0f;
    return fmaxf(work / square, 0.0f) + cloth->driven * h * sqrtf(mass / square);
}

static float body_speed(const SimGroup *group, const SimMesh *mesh, int lane) {
    float most = 0.0f;
    for (int i = 0; i < mesh->sheet_count; i++)
        most = fmaxf(most, ((const float *)group->garments[mesh->sheets[i].garment].state.body_speed)[lane]);
    return most;
}

static float air_speed(const SimGroup *group, const SimMesh *mesh, int lane) {
    float most = 0.0f;
    for (int i = 0; i < mesh->sheet_count; i++) {
        const int garment = mesh->sheets[i].garment;
        const SimLane wind = sim_group_lane(group, group->garments[garment].state.wind, lane);
        for (int p = 0; p < group->rig->garments[garment].info.particle_count; p++) {
            vec3 air;
            sim_lane_to_vectors(sim_lane_at(wind, 3 * (size_t)p), 1, &air);
            most = fmaxf(most, glm_vec3_norm2(air));
        }
    }
    return sqrtf(most);
}

static bool is_passive(const SimRig *rig, const SimMesh *mesh) {
    bool passive = true;
    for (int i = 0; i < mesh->sheet_count; i++)
        passive = passive && sim_is_passive(&rig->garments[mesh->sheets[i].garment].topology);
    return passive;
}

static void corrections_to_velocity(SimGroup *group, SimSelfCollision *at, float h) {
    for (int i = 0; i < group->width; i++) {
        SelfLane *lane = &at->lanes[i];
        if (!lane->near) continue;
        load(group, &at->mesh, i, lane->before);
        for (int s = 0; s < at->mesh.sheet_count; s++) {
            const SimSheet *sheet = &at->mesh.sheets[s];
            const SimLane velocity = sim_group_lane(group, group->garments[sheet->garment].state.velocity, i);
            for (int k = 0; k < group->rig->garments[sheet->garment].info.particle_count; k++)
                correct_velocity(lane, sheet->first + k, h, sim_lane_at(velocity, 3 * (size_t)k));
        }
    }
}

// A correction takes speed, up to all of it along its way, and gives none: contacts are inelastic, and what
// is too near moves apart without being thrown. What untangles keeps its speed.
static void correct_velocity(const SelfLane *lane, int particle, float h, SimLane velocity) {
    vec3 v, change;
    sim_lane_to_vectors(velocity, 1, &v);
    glm_vec3_sub(lane->before[particle], lane->free[particle], change);
    glm_vec3_scale(change, 1.0f / h, change);
    const float square = glm_vec3_norm2(change);
    if (!(square > 0.0f)) return;
    const float against = -glm_vec3_dot(v, change) / square;
    glm_vec3_muladds(change, lane->tangled[particle] ? 1.0f : glm_clamp_zo(against), v);
    sim_vector_to_lane(v, velocity);
}
