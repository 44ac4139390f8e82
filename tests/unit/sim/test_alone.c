// A garment alone gives the same bits with all lanes as with one, and as beside others in a group, whatever
// it is and whatever happens to it.
#include "sanitized.h"
#include "sim_fixture.h"
#include "topology/topology.h"

enum { GARMENTS = SANITIZED ? 12 : 96, FEW = SANITIZED ? 12 : 32, TICKS = SANITIZED ? 16 : 48 };
enum { MOST_COLUMNS = 40, MOST_ROWS = 14 };
enum { MOST = MOST_ROWS * MOST_COLUMNS, GUESTS = 3 };

static uint32_t random_state;

static int below(int most) { // 0..most - 1
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)most);
}
static bool one_in(int most) {
    return below(most) == 0;
}
static float between(float low, float high) {
    return low + (high - low) * (float)below(10000) / 9999.0f;
}

typedef struct Cloth {
    Fixture fixture;
    SimSlit slit;
    SimSeamDef seam;
    float thicknesses[MOST], max_distances[MOST];
    int rate;
} Cloth;

// Round the body or a flat sheet in front of it.
static void shape(Cloth *cloth) {
    Fixture *fixture = &cloth->fixture;
    SimGarmentDef *garment = &fixture->garment;
    const int rows = 2 + below(MOST_ROWS - 1), columns = 1 + below(MOST_COLUMNS);
    const float cell = between(0.03f, 0.07f), wide = between(1.0f, 1.3f);
    fixture_sheet(fixture, rows, columns, cell);
    garment->closed = columns >= 3 && one_in(3);
    const float turn = (garment->closed ? 6.2831853f : 5.6f) / (float)(columns > 1 ? columns : 2);
    for (int p = 0; p < rows * columns && columns > 4; p++) {
        const float radius = cell / turn * (1.0f + (wide - 1.0f) * (float)(p / columns) / (float)rows);
        fixture->positions[p][0] = radius * sinf(turn * (float)(p % columns));
        fixture->positions[p][2] = radius * cosf(turn * (float)(p % columns));
    }
    cloth->slit = (SimSlit){columns / 2, 1 + below(rows - 1), (SimSide)below(2)};
    if (columns > 4 && one_in(4)) garment->slits = &cloth->slit, garment->slit_count = 1;
    cloth->seam = (SimSeamDef){"front", {0, 0}, {0, columns - 1}, {0, 0}, rows, true};
    if (columns > 4 && !garment->closed && !garment->slits && one_in(3))
        fixture->rig.seams = &cloth->seam, fixture->rig.seam_count = 1;
}

static void weave(Cloth *cloth) {
    SimGarmentDef *garment = &cloth->fixture.garment;
    SimFabric *fabric = &garment->fabric;
    *fabric = fixture_preset(below(FIXTURE_PRESETS));
    fabric->friction = one_in(2) ? between(0.1f, 0.8f) : 0.0f;
    fabric->internal_friction = one_in(4) ? between(0.1f, 3.0f) : 0.0f;
    fabric->max_distance = one_in(3) ? 0.03f : between(0.1f, 0.5f); // the former leads to conflicts
    fabric->world_motion = between(0.0f, 1.0f);
    garment->max_distance_top = 0.0f;
    garment->max_distance_bottom = -1.0f;
    for (int p = 0; p < MOST; p++) {
        cloth->thicknesses[p] = one_in(3) ? -1.0f : between(0.0f, 0.02f);
        cloth->max_distances[p] = between(0.0f, 0.3f);
    }
    if (one_in(4)) garment->thicknesses = cloth->thicknesses;
    if (one_in(4)) garment->max_distances = cloth->max_distances;
    if (one_in(5)) garment->self_collision = 0.02f;
    if (one_in(6)) garment->hard = SIM_HARD_ALAN_WAKE;
    if (one_in(6)) garment->bend = SIM_BEND_ALAN_WAKE;
    if (one_in(6)) garment->collision = SIM_COLLISION_ALAN_WAKE;
    if (one_in(8))
        garment->solver = SIM_SOLVER_MASS_SPRING, garment->hard = SIM_HARD_EXACT,
        garment->bend = SIM_BEND_CURVATURE;
    garment->bone_column_step = 1 + below(2);
}

// A hip that the top row is about, and legs that kick up into the cloth.
static void body(Fixture *fixture) {
    SimColliderDef *hip = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
    hip->center[1] = -0.1f;
    hip->radii[0] = 0.12f, hip->radii[1] = 0.1f, hip->radii[2] = 0.09f;
    for (int side = -1; side <= 1; side += 2) {
        const int leg =
            fixture_add_bone(fixture, side < 0 ? "left" : "right", 0, 0.08f * (float)side, -0.1f, 0.0f);
        SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, leg);
        thigh->center[1] = -0.15f;
        thigh->radii[0] = 0.07f, thigh->radii[1] = 0.2f, thigh->radii[2] = 0.08f;
        SimColliderDef *shin = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, leg);
        shin->from[1] = -0.3f, shin->to[1] = -0.6f, shin->radius = 0.05f, shin->radius_end = 0.03f;
    }
    fixture_add_clip(fixture, 30.0f, 31, true);
    const float swing = between(0.3f, 1.9f);
    for (int frame = 0; frame < 31; frame++) {
        for (int leg = 1; leg <= 2; leg++) {
            const float angle = swing * sinf(0.4f * (float)frame + 2.0f * (float)leg);
            const versor kick = {sinf(angle / 2.0f), 0.0f, 0.0f, cosf(angle / 2.0f)};
            memcpy(fixture->clip_rotations[3 * frame + leg], kick, sizeof kick);
        }
        fixture->clip_root[frame][2] = 0.03f * (float)frame;
    }
}

static void make(Cloth *cloth, int seed) {
    static const int rates[] = {30, 60, 120, 240};
    Fixture *fixture = &cloth->fixture;
    random_state = 77u + 1000003u * (uint32_t)seed;
    memset(cloth, 0, sizeof *cloth);
    shape(cloth);
    weave(cloth);
    body(fixture);
    cloth->rate = rates[seed % 4];
    fixture->def.seed = 7;
    fixture->def.settle = one_in(2);
    if (!one_in(4)) {
        const float speed = one_in(3) ? 25.0f : 3.0f;
        fixture->def.environment.wind = (SimWind){{speed, 0.0f, between(-speed, speed)}, 0.5f, 0.7f};
    }
    fixture->def.environment.has_ground = one_in(2);
    fixture->def.environment.ground = -0.5f;
}

static uint64_t look(Cloth *cloth, uint64_t so_far) {
    static float weights[3][MOST];
    Fixture *fixture = &cloth->fixture;
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    const size_t bones = (size_t)info->garments[0].bone_count * sizeof(float);
    fixture_particles(fixture);
    so_far = fixture_hash(so_far, fixture->particles,
                          (size_t)fixture_particle_count(fixture) * sizeof fixture->particles[0]);
    so_far = fixture_hash(so_far, sim_character_bones_model(fixture->world, fixture->character),
                          (size_t)info->bone_count * sizeof(mat4));
    sim_garment_wrinkles(fixture->world, fixture->character, 0, weights[0], weights[1]);
    sim_garment_bone_confidence(fixture->world, fixture->character, 0, weights[2]);
    for (int i = 0; i < 3; i++) so_far = fixture_hash(so_far, weights[i], bones);
    return so_far;
}

static void act(Cloth *cloth, int tick) {
    static const SimTornado whirl = {{0.5f, -0.6f, 0.4f}, 0.6f, 9.0f, 4.0f, {0}};
    Fixture *fixture = &cloth->fixture;
    SimTransform root = sim_character_root(fixture->world, fixture->character);
    root.position[0] += 0.02f;
    SimTeleport teleport = SIM_TELEPORT_NONE;
    if (tick == 14) teleport = SIM_TELEPORT_KEEP, root.position[0] += 3.0f;
    if (tick == 30) teleport = SIM_TELEPORT_RESET, root.position[0] += 3.0f;
    if (tick < 36) sim_character_move(fixture->world, fixture->character, &root, teleport);
    if (tick == 6 && one_in(2)) assert_true(sim_world_set_tornado(fixture->world, "whirl", &whirl));
    if (tick == 10 && fixture->rig.seam_count)
        sim_seam_set_closed(fixture->world, fixture->character, 0, one_in(2));
    const SimLevel levels[] = {SIM_LEVEL_FULL, SIM_LEVEL_REDUCED, SIM_LEVEL_SKINNED};
    if (tick % 12 == 11 && one_in(3))
        sim_character_set_level(fixture->world, fixture->character, levels[below(3)]);
    SimFabric fabric = fixture_preset(below(FIXTURE_PRESETS));
    if (tick == 20 && one_in(2)) sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
}

// Others in lanes of the same group, each at its own moment of the clip and on its own way.
static void invite(Fixture *fixture, SimCharacterId guests[GUESTS]) {
    for (int i = 0; i < GUESTS; i++) {
        const SimPlay play = {.loop = true, .speed = 0.6f + 0.3f * (float)i, .at = 0.13f * (float)i};
        guests[i] = fixture_another(fixture);
        sim_character_play(fixture->world, guests[i], 0, &play);
    }
}

static void move_guests(Fixture *fixture, const SimCharacterId guests[GUESTS]) {
    for (int i = 0; i < GUESTS; i++) {
        SimTransform root = sim_character_root(fixture->world, guests[i]);
        root.position[2] += 0.01f * (float)(i - 1);
        sim_character_move(fixture->world, guests[i], &root, SIM_TELEPORT_NONE);
    }
}

static uint64_t run(int seed, const char *instruction_set, bool has_guests, uint64_t out_conflicts[TICKS]) {
    static Cloth cloth;
    SimCharacterId guests[GUESTS];
    make(&cloth, seed);
    Fixture *fixture = &cloth.fixture;
    fixture_start(fixture, cloth.rate);
    assert_true(sim_world_use_instruction_set(fixture->world, instruction_set));
    // The first character has the kernel of the world's choice.
    sim_character_destroy(fixture->world, fixture->character);
    fixture->character = fixture_another(fixture);
    fixture_play(fixture, true);
    if (has_guests) invite(fixture, guests);
    uint64_t result = FIXTURE_HASH;
    for (int tick = 0; tick < TICKS; tick++) {
        act(&cloth, tick);
        if (has_guests) move_guests(fixture, guests);
        sim_world_step(fixture->world);
        result = look(&cloth, result);
        out_conflicts[tick] = sim_world_stats(fixture->world).constraint_conflicts;
    }
    fixture_finish(fixture);
    return result;
}

static void test_all_lanes_change_nothing(void **state) {
    (void)state;
    const char *set;
    uint64_t all = 0, conflicts[TICKS], found_conflicts[TICKS];
    for (int seed = 0; seed < (is_thorough() ? GARMENTS : FEW); seed++) {
        const uint64_t expected = run(seed, "scalar", false, conflicts);
        for (int i = 0; (set = fixture_instruction_set(i)); i++) {
            if (!strstr(set, "alone")) continue;
            const uint64_t found = run(seed, set, false, found_conflicts);
            if (found != expected) print_error("garment %d with %s\n", seed, set);
            assert_int_equal(found, expected);
            assert_memory_equal(found_conflicts, conflicts, sizeof conflicts);
        }
        all += conflicts[TICKS - 1];
    }
    assert_true(all > 0);
}

static void test_others_in_the_group_change_nothing(void **state) {
    (void)state;
    const char *set;
    uint64_t conflicts[TICKS];
    for (int seed = 0; seed < FEW; seed++) {
        const uint64_t expected = run(seed, "scalar", false, conflicts);
        for (int i = 0; (set = fixture_instruction_set(i)); i++) {
            if (strstr(set, "alone") || strcmp(set, "scalar") == 0) continue;
            const uint64_t found = run(seed, set, true, conflicts);
            if (found != expected) print_error("garment %d with %s\n", seed, set);
            assert_int_equal(found, expected);
        }
    }
}

// Whether one of two bending elements moves a particle that the other needs: the first three are moved.
static bool meet(const int a[5], const int b[5]) {
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            if (a[i] == b[k] && (i < 3 || k < 3)) return true;
    return false;
}

// Elements are sorted, but not two that meet. Their compliance tells where they have been.
static void test_sorted_elements_keep_their_order_where_they_meet(void **state) {
    (void)state;
    enum { ELEMENTS = 200, PARTICLES = 60 };
    random_state = 5;
    SimArena arena = {0};
    SimTopology topology = {.particle_count = PARTICLES};
    sim_bends_allocate(&arena, ELEMENTS, &topology.bends);
    assert_false(arena.failed);
    for (int i = 0; i < ELEMENTS; i++) {
        const int first = below(PARTICLES), step = 1 + below(PARTICLES / 5 - 1);
        for (int k = 0; k < 5; k++) topology.bends.particles[i][k] = (first + k * step) % PARTICLES;
        topology.bends.compliance[i] = topology.bends.curvature[i][1] = (float)i;
    }
    topology.bends.count = ELEMENTS;
    assert_true(sim_bends_sort(&arena, &topology));
    assert_int_equal(topology.bends.count, ELEMENTS);
    int moved = 0;
    bool found[ELEMENTS] = {false};
    for (int i = 0; i < ELEMENTS; i++) {
        const int before = (int)topology.bends.compliance[i];
        assert_false(found[before]);
        found[before] = true;
        moved += before != i;
        assert_near(topology.bends.curvature[i][1], before, 0.0);
        for (int k = 0; k < i; k++)
            if (meet(topology.bends.particles[k], topology.bends.particles[i]))
                assert_true((int)topology.bends.compliance[k] < before);
    }
    assert_true(moved > ELEMENTS / 2);
    sim_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lanes_change_nothing),
        cmocka_unit_test(test_others_in_the_group_change_nothing),
        cmocka_unit_test(test_sorted_elements_keep_their_order_where_they_meet),
    };
    return cmocka_run_group_tests_name("sim alone", tests, NULL, NULL);
}
