#include "garment/self_collision.h"

#include "core/self_collision.h"
#include "garment/kernel_inputs.h"
#include "garment/mesh.h"

#include <math.h>
#include <string.h>

#define PAIRS_EACH     16 // room for them, by patch
#define CONTACTS_EACH  12 // by particle
#define CROSSINGS_EACH 8
#define REPEL_ROUNDS   4 // of sweeps over the contacts, after each of which the rest is restored

// The garments of an island that keep out of themselves.
typedef struct Work {
    SimGroup *group;
    const SimGroupTick *tick;
    int substep;
    SimSelfCollision *at;
    const SimSelfCollisionKernel *kernel;
    float h; // s
} Work;

static void allocate(SimArena *arena, SimSelfCollision *at, const SimSelfCollisionKernel *kernel, int width);
static bool is_passive(const SimRig *rig, const SimMesh *mesh);
static bool begin_work(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep,
                       Work *out);
static SimLaneSet used_lanes(const SimGroup *group);
static void begin_lane(const Work *work, int lane);
static bool opens_slowly(const Work *work, int lane);
static float body_speed(const Work *work, int lane);
static void untangle_slowly(const Work *work, SimLaneSet set);
static void step_parts(const Work *work, SimLaneSet set, int first, int count);
static bool step(const Work *work, SimLaneSet set);
static void finish(const Work *work, bool held);
static void hold_back(const Work *work);
static void follow_references(const Work *work, const SimSheet *sheet, int lane, float left);

SimSelfCollision *sim_self_collision_create(SimArena *arena, const SimRig *rig, int width) {
    bool any = false;
    for (int g = 0; g < rig->info.garment_count; g++) any = any || rig->garments[g].self_collision > 0.0f;
    if (!any) return NULL;
    SimSelfCollision *all = sim_arena_alloc(arena, (size_t)rig->island_count, sizeof *all);
    for (int i = 0; i < rig->island_count && all; i++) {
        sim_mesh_build(arena, rig, &rig->islands[i], &all[i].mesh);
        if (all[i].mesh.sheet_count == 0) continue;
        all[i].is_passive = is_passive(rig, &all[i].mesh);
        allocate(arena, &all[i], sim_self_collision_of_width(width), width);
    }
    return arena->failed ? NULL : all;
}

void sim_self_collision_begin(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    Work work;
    if (!begin_work(group, tick, island, 0, &work)) return;
    SimSelfCollision *at = work.at;
    const SimLaneSet all = used_lanes(group);
    at->calm = at->untangles = at->opens = 0;
    work.kernel->load_before(at);
    for (int i = 0; i < group->width; i++)
        if (all >> i & 1) begin_lane(&work, i);
    work.kernel->find_tangles(at, all & ~at->opens);
    untangle_slowly(&work, all & ~at->opens);
}

void sim_self_collision_step(SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                             int substep) {
    Work work;
    if (!begin_work(group, tick, island, substep, &work)) return;
    step_parts(&work, used_lanes(group) & ~work.at->opens, 0, group->width);
}

void sim_self_collision_end(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    Work work;
    if (!begin_work(group, tick, island, 0, &work)) return;
    for (int i = 0; i < group->width; i++) {
        SimCharacter *character = group->characters[i];
        if (!character) continue;
        character->crosses_itself |= (work.at->crosses & ~work.at->opens) >> i & 1;
        const float left = character->until_untangled;
        if (left <= 0.0f) continue;
        for (int s = 0; s < work.at->mesh.sheet_count; s++)
            follow_references(&work, &work.at->mesh.sheets[s], i, left);
    }
}

static void allocate(SimArena *arena, SimSelfCollision *at, const SimSelfCollisionKernel *kernel, int width) {
    const SimMesh *mesh = &at->mesh;
    const size_t count = (size_t)mesh->particle_count, lane = (size_t)width * sizeof(float);
    const size_t box = kernel->box_numbers * lane;
    at->jobs = sim_arena_alloc(arena, (size_t)mesh->sheet_count, sizeof *at->jobs);
    at->before = sim_arena_alloc(arena, count, 3 * lane);
    at->free = sim_arena_alloc(arena, count, 3 * lane);
    at->reached = sim_arena_alloc(arena, count, 3 * lane);
    at->now = sim_arena_alloc(arena, count, 3 * lane);
    at->inverse_mass = sim_arena_alloc(arena, count, lane);
    at->share = sim_arena_alloc(arena, count, lane);
    at->stays = sim_arena_alloc(arena, count, lane);
    at->repelled = sim_arena_alloc(arena, count, sizeof *at->repelled);
    at->tangled = sim_arena_alloc(arena, count, sizeof *at->tangled);
    at->driven = sim_arena_alloc(arena, 1, lane);
    at->air = sim_arena_alloc(arena, 1, lane);
    at->boxes.particles = sim_arena_alloc(arena, count, box);
    at->boxes.edges = sim_arena_alloc(arena, (size_t)mesh->edge_count, box);
    at->boxes.triangles = sim_arena_alloc(arena, (size_t)mesh->triangle_count, box);
    at->boxes.nodes = sim_arena_alloc(arena, (size_t)mesh->node_count, box);
    at->boxes.normals = sim_arena_alloc(arena, (size_t)mesh->node_count, box);
    at->pairs.most = PAIRS_EACH * mesh->patch_count;
    at->pairs.items = sim_arena_alloc(arena, (size_t)(width * at->pairs.most), sizeof *at->pairs.items);
    at->pairs.counts = sim_arena_alloc(arena, 1, lane);
    at->pairs.valid = sim_arena_alloc(arena, count, box);
    at->contacts.most = CONTACTS_EACH * mesh->particle_count;
    at->contacts.items = sim_arena_alloc(arena, CONTACTS_EACH * count, kernel->contact_numbers * lane);
    at->contacts.counts = sim_arena_alloc(arena, 1, lane);
    at->crossings.most = CROSSINGS_EACH * mesh->particle_count;
    at->crossings.items =
        sim_arena_alloc(arena, (size_t)(width * at->crossings.most), sizeof *at->crossings.items);
    at->crossings.counts = sim_arena_alloc(arena, 1, lane);
}

static bool is_passive(const SimRig *rig, const SimMesh *mesh) {
    bool passive = true;
    for (int i = 0; i < mesh->sheet_count; i++)
        passive = passive && sim_is_passive(&rig->garments[mesh->sheets[i].garment].topology);
    return passive;
}

// Returns false when no garment of the island collides with itself.
static bool begin_work(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep,
                       Work *out) {
    SimSelfCollision *at =
        group->self_collision ? &group->self_collision[island - group->rig->islands] : NULL;
    if (!at || at->mesh.sheet_count == 0) return false;
    *out = (Work){group,
                  tick,
                  substep,
                  at,
                  sim_self_collision_of_width(group->width),
                  tick->dt / (float)tick->substep_count};
    for (int i = 0; i < at->mesh.sheet_count; i++)
        at->jobs[i] = sim_kernel_job(group, tick, at->mesh.sheets[i].garment, substep);
    return true;
}

static SimLaneSet used_lanes(const SimGroup *group) {
    SimLaneSet used = 0;
    for (int i = 0; i < group->width; i++)
        if (group->characters[i]) used |= (SimLaneSet)1 << i;
    return used;
}

// What of a character holds for the whole tick.
static void begin_lane(const Work *work, int lane) {
    SimSelfCollision *at = work->at;
    SimCharacter *character = work->group->characters[lane];
    const SimLaneSet bit = (SimLaneSet)1 << lane;
    const float air = ((const float *)at->air)[lane], body = body_speed(work, lane);
    ((float *)at->driven)[lane] =
        (body < SIM_HOLDING_SPEED ? 0.0f : SIM_SPEEDS_OF_BODY * body) + SIM_SHARE_OF_AIR * air;
    character->body_speed = fmaxf(character->body_speed, body);
    if (air < SIM_CALM_AIR) at->calm |= bit;
    if (opens_slowly(work, lane) || character->until_untangled > 0.0f) at->opens |= bit;
}

static bool opens_slowly(const Work *work, int lane) {
    bool opens = false;
    for (int i = 0; i < work->at->mesh.sheet_count; i++)
        opens = opens || ((const float *)work->at->jobs[i].state->opening)[lane] > 0.0f;
    return opens;
}

static float body_speed(const Work *work, int lane) {
    float most = 0.0f;
    for (int i = 0; i < work->at->mesh.sheet_count; i++)
        most = fmaxf(most, ((const float *)work->at->jobs[i].state->body_speed)[lane]);
    return most;
}

// Cloth that crosses itself for long is on its way to its references from now on.
static void untangle_slowly(const Work *work, SimLaneSet set) {
    SimSelfCollision *at = work->at;
    for (int i = 0; i < work->group->width; i++) {
        const SimLaneSet bit = (SimLaneSet)1 << i;
        if (!(set & bit)) continue;
        SimCharacter *character = work->group->characters[i];
        const bool for_long = (at->calm & bit) && character->tangled >= SIM_TANGLED_MOST;
        if ((at->crosses & bit) && (character->was_reduced || for_long)) {
            at->opens |= bit;
            character->until_untangled = SIM_RAMP_SECONDS;
            character->tangled = SIM_WHILE_HELD;
        }
        if (character->tangled >= 0.0f) at->untangles |= bit;
    }
}

// Steps the lanes of a set from `first` on, as many together as there is room for.
static void step_parts(const Work *work, SimLaneSet set, int first, int count) {
    const SimLaneSet part = set & ((((SimLaneSet)1 << count) - 1) << first);
    if (!part || step(work, part)) return;
    step_parts(work, part, first, count / 2);
    step_parts(work, part, first + count / 2, count / 2);
}

// Returns false, and has done nothing, when there is no room to step these lanes together.
static bool step(const Work *work, SimLaneSet set) {
    const SimSelfCollisionKernel *kernel = work->kernel;
    SimSelfCollision *at = work->at;
    if (!kernel->look_around(at, set, work->h)) return false;
    if (!at->near) return true;
    for (int round = 0; round < REPEL_ROUNDS && kernel->repel(at, round, work->h); round++)
        finish(work, false);
    hold_back(work);
    if (kernel->shorten_steps(at, work->h)) {
        finish(work, true);
        hold_back(work);
    }
    kernel->corrections_to_velocity(at, work->h);
    return true;
}

// Restores lengths, colliders and max distances in the lanes that moved; the length of rows too, unless they
// are held: columns of which one stays and the next goes part then.
static void finish(const Work *work, bool held) {
    _Alignas(sizeof(float[SIM_LANES])) float calm[SIM_LANES];
    for (int i = 0; i < work->group->width; i++) calm[i] = work->at->moved >> i & 1 ? 0.0f : 1.0f;
    for (int i = 0; i < work->at->mesh.sheet_count; i++) {
        SimKernelJob job = work->at->jobs[i];
        job.calm = (const SimLanes *)calm;
        if (held)
            job.held = true;
        else
            job.stays = (const SimLanes *)((const float *)work->at->stays +
                                           work->at->mesh.sheets[i].first * work->group->width);
        work->group->garments[work->at->mesh.sheets[i].garment].kernel->finish(&job, work->substep);
    }
}

static void hold_back(const Work *work) {
    for (int round = 0; work->kernel->hold(work->at, round); round++) finish(work, true);
}

// Goes from where the cloth was before the tick towards its references, which it reaches after `left` s.
static void follow_references(const Work *work, const SimSheet *sheet, int lane, float left) {
    const SimGroup *group = work->group;
    const SimGarmentState *state = &group->garments[sheet->garment].state;
    const SimLane position = sim_group_lane(group, state->position, lane),
                  velocity = sim_group_lane(group, state->velocity, lane),
                  old = sim_group_lane(group, state->reference0, lane),
                  new = sim_group_lane(group, state->reference1, lane),
                  before = sim_group_lane(group, work->at->before, lane);
    const float dt = work->tick->dt, keep = sim_way_left(left, dt);
    for (size_t number = 0; number < 3 * (size_t)(sheet->end - sheet->first); number++) {
        const float from = *sim_lane_at(before, 3 * (size_t)sheet->first + number).first;
        const float to = *sim_lane_at(new, number).first + keep * (from - *sim_lane_at(old, number).first);
        *sim_lane_at(position, number).first = to;
        *sim_lane_at(velocity, number).first = (to - from) / dt;
    }
}
