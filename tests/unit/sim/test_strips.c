// A large grid is cut into strips. It behaves as the same grid in one lane, with the same bits on every
// processor.
#include "depth.h"
#include "sim_fixture.h"

enum { ROWS = 64, COLUMNS = 64, PARTICLES = ROWS * COLUMNS };

static void make_grid(Fixture *fixture, int rows, int columns, bool closed) {
    fixture_sheet(fixture, rows, columns, 0.03f);
    for (int p = 0; p < rows * columns; p++) {
        float column = (float)(p % columns), row = (float)(p / columns), middle = 0.5f * (float)columns;
        float turn = (float)FIXTURE_PI * column / middle, radius = 0.4f + 0.004f * row;
        float *x = fixture->positions[p];
        x[0] = closed ? radius * sinf(turn) : 0.04f * (column - middle);
        x[1] = -0.03f * row;
        x[2] = closed ? radius * cosf(turn) : 0.01f * row;
    }
}

// A curtain over a body, or a ring of cloth; whole: simulated in one lane, since it is kept apart from
// itself.
static void make(Fixture *fixture, bool closed, bool whole) {
    make_grid(fixture, ROWS, COLUMNS, closed);
    SimGarmentDef *garment = &fixture->garment;
    garment->closed = closed;
    garment->max_distance_bottom = 3.0f;
    garment->bone_column_step = 8;
    garment->fabric = fixture_preset(0);
    garment->self_collision = whole ? 1e-5f : 0.0f;
    fixture->def.environment.wind = (SimWind){{1.0f, 0.0f, 2.0f}, 0.3f, 0.3f};
    if (closed) return;
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
    body->center[1] = -0.8f, body->center[2] = 0.5f;
    body->radii[0] = 0.9f, body->radii[1] = 0.25f, body->radii[2] = 0.2f;
}

// The least net of springs that is cut, its strips as narrow as can be.
static void make_net(Fixture *fixture, bool closed, bool whole) {
    make_grid(fixture, 22, 48, closed);
    fixture->garment.solver = SIM_SOLVER_MASS_SPRING;
    fixture->garment.closed = closed;
    fixture->garment.self_collision = whole ? 1e-5f : 0.0f;
}

// The curtain, whose right half is leather.
static void make_patched(Fixture *fixture, bool closed, bool whole) {
    static SimFabric leather;
    static int regions[PARTICLES];
    make(fixture, closed, whole);
    leather = fixture_preset(5);
    for (int p = 0; p < PARTICLES; p++) regions[p] = p % COLUMNS < COLUMNS / 2 ? -1 : 0;
    fixture->garment.region_fabrics = &leather;
    fixture->garment.region_fabric_count = 1;
    fixture->garment.regions = regions;
}

// The curtain, whose right half lies so far off the body that it touches at once.
static void make_padded(Fixture *fixture, bool closed, bool whole) {
    static float thicknesses[PARTICLES];
    make(fixture, closed, whole);
    for (int p = 0; p < PARTICLES; p++) thicknesses[p] = p % COLUMNS < COLUMNS / 2 ? -1.0f : 0.05f;
    fixture->garment.thicknesses = thicknesses;
}

static void start(Fixture *fixture, const char *instruction_set) {
    fixture_start(fixture, 60);
    if (!instruction_set) return;
    sim_character_destroy(fixture->world, fixture->character);
    assert_true(sim_world_use_instruction_set(fixture->world, instruction_set));
    fixture->character = fixture_another(fixture);
}

// Strips solve shear and bending in another order, so results differ in bits. Everything else is exact in
// both.
static void compare(void (*make_one)(Fixture *, bool, bool), bool closed, int ticks, double limit) {
    static Fixture strips, whole;
    static float particles[PARTICLES][3];
    make_one(&strips, closed, false);
    make_one(&whole, closed, true);
    start(&strips, NULL);
    start(&whole, NULL);
    fixture_steps(&strips, ticks);
    fixture_steps(&whole, ticks);
    const size_t size = (size_t)fixture_particle_count(&strips) * sizeof *particles;
    memcpy(particles, fixture_particles(&strips), size);
    assert_at_most(fixture_farthest(particles, fixture_particles(&whole), fixture_particle_count(&whole)),
                   limit);
    assert_true(memcmp(particles, fixture_particles(&whole), size) != 0);
    fixture_finish(&strips);
    fixture_finish(&whole);
}

static void test_an_open_sheet_moves_as_in_a_lane(void **state) {
    (void)state;
    compare(make, false, 1, 2e-6);
    compare(make, false, 8, 2e-3);
}

static void test_a_sheet_of_two_fabrics_moves_as_in_a_lane(void **state) {
    (void)state;
    compare(make_patched, false, 1, 2e-6);
    compare(make_patched, false, 8, 1e-2);
    compare(make_padded, false, 1, 4e-3);
}

static void test_a_ring_moves_as_in_a_lane(void **state) {
    (void)state;
    compare(make, true, 1, 2e-6);
    compare(make, true, 8, 5e-3);
}

static void test_springs_move_as_in_a_lane(void **state) {
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        compare(make_net, closed, 1, 2e-6);
        compare(make_net, closed, 8, 2e-3);
    }
}

static void test_instruction_sets_agree(void **state) {
    (void)state;
    static Fixture sheet;
    static float expected[PARTICLES][3];
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++) {
        make(&sheet, false, false);
        start(&sheet, set);
        fixture_steps(&sheet, 20);
        if (i == 0) memcpy(expected, fixture_particles(&sheet), sizeof expected);
        assert_memory_equal(fixture_particles(&sheet), expected, sizeof expected);
        fixture_finish(&sheet);
    }
}

static void test_lengths_collision_and_max_distance_hold_together(void **state) {
    (void)state;
    static Fixture sheet;
    make(&sheet, false, false);
    start(&sheet, NULL);
    for (int tick = 0; tick < 60; tick++) {
        fixture_steps(&sheet, 1);
        fixture_particles(&sheet);
        assert_at_most(fixture_stretch(&sheet), 1e-5);
        for (int p = COLUMNS; p < PARTICLES; p++)
            assert_at_most(ellipsoid_depth(&sheet.colliders[0], vector(sheet.particles[p])), 1e-5);
    }
    assert_int_equal(sim_world_stats(sheet.world).constraint_conflicts, 0);
    fixture_finish(&sheet);
}

// A reset restarts the strips as well.
static void test_reset_is_as_after_creation(void **state) {
    (void)state;
    static Fixture sheet;
    static float first[PARTICLES][3];
    make(&sheet, true, false);
    memset(&sheet.def.environment.wind, 0, sizeof sheet.def.environment.wind);
    start(&sheet, NULL);
    fixture_steps(&sheet, 10);
    memcpy(first, fixture_particles(&sheet), sizeof first);
    fixture_reset(&sheet, &sheet.character);
    fixture_steps(&sheet, 10);
    assert_memory_equal(fixture_particles(&sheet), first, sizeof first);
    fixture_finish(&sheet);
}

// An adopted character of an unchanged rig continues to the bit.
static void test_adopted_it_goes_on(void **state) {
    (void)state;
    static Fixture left, right;
    for (int closed = 0; closed < 2; closed++) {
        make(&left, closed, false);
        make(&right, closed, false);
        start(&left, NULL);
        start(&right, NULL);
        for (int round = 0; round < 3; round++) {
            fixture_steps(&left, 10);
            fixture_steps(&right, 10);
            fixture_adopt(&left);
            assert_memory_equal(fixture_particles(&left), fixture_particles(&right), sizeof left.particles);
        }
        fixture_steps(&left, 10);
        fixture_steps(&right, 10);
        assert_memory_equal(fixture_particles(&left), fixture_particles(&right), sizeof left.particles);
        fixture_finish(&left);
        fixture_finish(&right);
    }
}

// Cloth keeps its velocity from strips to a lane and back.
static void test_adopted_into_a_lane_it_goes_on(void **state) {
    (void)state;
    static Fixture sheet;
    make(&sheet, true, false);
    start(&sheet, NULL);
    fixture_steps(&sheet, 20);
    const double way = fixture_way_of_a_tick(&sheet);
    assert_at_least(way, 0.01);
    for (int i = 0; i < 2; i++) {
        sheet.garment.self_collision = i == 0 ? 1e-5f : 0.0f;
        fixture_adopt(&sheet);
        assert_near(fixture_way_of_a_tick(&sheet), way, 0.2 * way);
    }
    fixture_finish(&sheet);
}

// A hem at its max distance is drawn in, and cells grow longer, within 0.2 s.
static void test_numbers_grow(void **state) {
    (void)state;
    static Fixture sheet;
    fixture_sheet(&sheet, ROWS, COLUMNS, 0.03f);
    sheet.garment.max_distance_top = sheet.garment.max_distance_bottom = 0.3f;
    fixture_lay_flat(&sheet);
    start(&sheet, NULL);
    fixture_steps(&sheet, 240);
    assert_at_most(fixture_way_of_a_tick(&sheet), 1e-4);
    sheet.garment.max_distance_top = sheet.garment.max_distance_bottom = 0.2f;
    for (int p = 0; p < PARTICLES; p++) sheet.positions[p][2] *= 1.1f;
    fixture_adopt(&sheet);
    double most = fixture_way_of_a_tick(&sheet);
    const float(*particles)[3] = fixture_particles(&sheet);
    assert_near(fixture_distance(particles[0], particles[COLUMNS]), 0.03 * (1.0 + 0.1 / 12.0), 1e-6);
    for (int tick = 1; tick < 60; tick++) most = fmax(most, fixture_way_of_a_tick(&sheet));
    assert_at_most(most, 0.1); // at once: 0.27
    fixture_particles(&sheet);
    assert_at_most(fixture_stretch(&sheet), 1e-5);
    assert_at_most(fixture_beyond_max_distance(&sheet), 1e-5);
    fixture_finish(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_open_sheet_moves_as_in_a_lane),
        cmocka_unit_test(test_a_sheet_of_two_fabrics_moves_as_in_a_lane),
        cmocka_unit_test(test_a_ring_moves_as_in_a_lane),
        cmocka_unit_test(test_springs_move_as_in_a_lane),
        cmocka_unit_test(test_instruction_sets_agree),
        cmocka_unit_test(test_lengths_collision_and_max_distance_hold_together),
        cmocka_unit_test(test_reset_is_as_after_creation),
        cmocka_unit_test(test_adopted_it_goes_on),
        cmocka_unit_test(test_adopted_into_a_lane_it_goes_on),
        cmocka_unit_test(test_numbers_grow),
    };
    return cmocka_run_group_tests_name("sim strips", tests, NULL, NULL);
}
