// Garments of several fabrics: a region is as its fabric alone would be, and keeps its ratio to the garment's
// when that changes; painted thickness; stiffness along the rows apart from that along the columns.
#include "sim_fixture.h"

enum { ROWS = 10, COLUMNS = 12, PARTICLES = ROWS * COLUMNS, TWEED = 0, LEATHER = 5 };

static SimFabric other;
static int regions[PARTICLES];
static float thicknesses[PARTICLES];
static int faces[(ROWS - 1) * (COLUMNS - 1)][4];
static SimSkin on_root[PARTICLES];
static int bone_particles[4];

typedef enum Kind { GRID, NET, FACES, FACES_NET, SOFT, KINDS } Kind;

// A sheet in the wind, over a ball.
static void sheet(Fixture *fixture, Kind kind) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.05f);
    SimGarmentDef *garment = &fixture->garment;
    garment->fabric = fixture_preset(TWEED);
    garment->fabric.stretch_weft = 100.0f; // edges of faces do not reach their limit, which is the garment's
    if (kind == SOFT) garment->fabric.limit = 0.3f;
    garment->solver = kind == NET || kind == FACES_NET ? SIM_SOLVER_MASS_SPRING : SIM_SOLVER_VERLET;
    fixture->def.environment.wind = (SimWind){{2.0f, 0.0f, 5.0f}, 0.0f, 0.0f};
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->radius = 0.1f, ball->center[0] = 0.3f, ball->center[1] = -0.3f, ball->center[2] = 0.12f;
    if (kind != FACES && kind != FACES_NET) return;
    for (int p = 0; p < PARTICLES; p++) {
        on_root[p] = (SimSkin){{0}, {1.0f}};
        fixture->pinned[p] = p < COLUMNS;
    }
    for (int i = 0; i < (ROWS - 1) * (COLUMNS - 1); i++) {
        const int top = i / (COLUMNS - 1) * COLUMNS + i % (COLUMNS - 1);
        memcpy(faces[i], (int[4]){top, top + COLUMNS, top + COLUMNS + 1, top + 1}, sizeof faces[i]);
    }
    garment->rows = 1;
    garment->columns = PARTICLES;
    garment->faces = (const int(*)[4])faces;
    garment->face_count = (ROWS - 1) * (COLUMNS - 1);
    garment->pinned = fixture->pinned;
    garment->skins = on_root;
    garment->bone_particles = bone_particles;
    garment->bone_particle_count = sim_garment_spread(garment, 4, bone_particles);
}

// Takes what regions change from leather, the rest as it is.
static SimFabric like_leather(const SimFabric *fabric) {
    const SimFabric leather = fixture_preset(LEATHER);
    SimFabric result = *fabric;
    result.density = leather.density;
    result.stretch = 0.1f * leather.stretch;
    result.stretch_weft = 50.0f;
    result.shear = leather.shear;
    result.drape = leather.drape;
    result.damping = leather.damping;
    result.thickness = 4.0f * fabric->thickness;
    result.wind = 0.7f;
    result.spring.structural = 2.0f * fabric->spring.structural;
    result.spring.shear = 2.0f * fabric->spring.shear;
    result.spring.flexion = 2.0f * fabric->spring.flexion;
    result.spring.damping = 2.0f * fabric->spring.damping;
    return result;
}

static void use_region(Fixture *fixture, const SimFabric *fabric) {
    other = *fabric;
    fixture->garment.region_fabrics = &other;
    fixture->garment.region_fabric_count = 1;
    fixture->garment.regions = regions;
}

static void test_a_region_is_as_its_fabric_alone(void **state) {
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        static Fixture whole, region, plain;
        static float particles[PARTICLES][3];
        sheet(&whole, kind), sheet(&region, kind), sheet(&plain, kind);
        const SimFabric fabric = like_leather(&region.garment.fabric);
        whole.garment.fabric = fabric;
        for (int p = 0; p < PARTICLES; p++) regions[p] = 0;
        use_region(&region, &fabric);
        fixture_start(&whole, 60), fixture_start(&region, 60), fixture_start(&plain, 60);
        for (int tick = 0; tick < 40; tick++) {
            Fixture *all[] = {&whole, &region, &plain};
            for (int i = 0; i < 3; i++) {
                fixture_move_to(all[i], 0.1f * (float)sin(0.15 * tick), 0.0f, 0.0f);
                fixture_steps(all[i], 1);
            }
        }
        memcpy(particles, fixture_particles(&whole), sizeof particles);
        assert_at_most(fixture_farthest(particles, fixture_particles(&region), PARTICLES),
                       kind == FACES_NET ? 1e-3 : 1e-4);
        assert_at_least(fixture_farthest(particles, fixture_particles(&plain), PARTICLES), 5e-3);
        fixture_finish(&whole), fixture_finish(&region), fixture_finish(&plain);
    }
}

// Without a region of their own, particles have the same bits as in a garment of one fabric.
static void test_no_region_changes_no_bit(void **state) {
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        static Fixture region, plain;
        static float particles[PARTICLES][3];
        sheet(&region, kind), sheet(&plain, kind);
        const SimFabric fabric = fixture_preset(LEATHER);
        for (int p = 0; p < PARTICLES; p++) regions[p] = -1;
        use_region(&region, &fabric);
        fixture_start(&region, 60), fixture_start(&plain, 60);
        fixture_steps(&region, 30), fixture_steps(&plain, 30);
        memcpy(particles, fixture_particles(&region), sizeof particles);
        assert_memory_equal(particles, fixture_particles(&plain), sizeof particles);
        fixture_finish(&region), fixture_finish(&plain);
    }
}

// Each particle lies as far above the ground as it is painted, or as its region's fabric says, also when the
// garment's fabric changes.
static void test_thickness_differs_from_place_to_place(void **state) {
    Fixture *fixture = *state;
    for (Kind kind = GRID; kind <= FACES_NET; kind++) {
        sheet(fixture, kind);
        fixture_lay_flat(fixture);
        fixture->def.environment.wind = (SimWind){{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
        SimColliderDef *ground = &fixture->colliders[0];
        *ground = (SimColliderDef){.name = ground->name, .shape = SIM_COLLIDER_PLANE, .normal = {0, 1, 0}};
        ground->offset = -0.03f;
        SimFabric fabric = fixture->garment.fabric;
        fabric.thickness = 0.004f;
        fixture->garment.fabric = fabric;
        fabric.thickness = 0.008f;
        for (int p = 0; p < PARTICLES; p++) {
            regions[p] = p % COLUMNS < 6 ? 0 : -1;
            thicknesses[p] = p % COLUMNS == 8 ? 0.02f : -1.0f;
        }
        use_region(fixture, &fabric);
        fixture->garment.thicknesses = thicknesses;
        fixture_start(fixture, 60);
        for (int change = 0; change < 2; change++) {
            const float own = change ? 0.006f : 0.004f;
            fabric = fixture->garment.fabric;
            fabric.thickness = own;
            sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
            fixture_steps(fixture, 120);
            fixture_particles(fixture);
            const float(*last)[3] = (const float(*)[3])fixture->particles + (ROWS - 1) * COLUMNS;
            assert_near(last[0][1] + 0.03f, 2.0f * own, 2e-5);
            assert_near(last[8][1] + 0.03f, 0.02f, 2e-5);
            assert_near(last[11][1] + 0.03f, own, 2e-5);
        }
        fixture_finish(fixture);
    }
}

static void hang(Fixture *fixture, float stretch, float weft, float limit) {
    fixture->garment.fabric = fixture_preset(TWEED);
    fixture->garment.fabric.stretch = stretch;
    fixture->garment.fabric.stretch_weft = weft;
    fixture->garment.fabric.limit = limit;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    fixture_particles(fixture);
}

// How deep a sheet hangs that lies between three edges, m.
static double sag(float stretch, float weft) {
    static Fixture fixture;
    fixture_sheet(&fixture, ROWS, COLUMNS, 0.05f);
    fixture_lay_flat(&fixture);
    fixture.garment.pinned = fixture.pinned;
    for (int p = 0; p < PARTICLES; p++)
        fixture.pinned[p] = p < COLUMNS || p % COLUMNS == 0 || p % COLUMNS == COLUMNS - 1;
    hang(&fixture, stretch, weft, 0.0f);
    const double deep = -(double)fixture.particles[PARTICLES - COLUMNS / 2][1];
    fixture_finish(&fixture);
    return deep;
}

// How long the columns of a hanging sheet are, m.
static double length(float stretch, float weft) {
    static Fixture fixture;
    double sum = 0.0;
    fixture_sheet(&fixture, ROWS, COLUMNS, 0.05f);
    hang(&fixture, stretch, weft, 0.3f);
    for (int p = COLUMNS + 5; p < PARTICLES; p += COLUMNS)
        sum += fixture_distance(fixture.particles[p], fixture.particles[p - COLUMNS]);
    fixture_finish(&fixture);
    return sum;
}

static void test_rows_stretch_apart_from_columns(void **state) {
    (void)state;
    const double soft = sag(60.0f, 0.0f);
    assert_near(sag(15000.0f, 60.0f), soft, 0.0);
    assert_at_least(soft, 1.5 * sag(15000.0f, 0.0f));
    assert_at_most(length(15000.0f, 60.0f), 1.001 * 0.45);
    assert_near(length(60.0f, 15000.0f), length(60.0f, 0.0f), 1e-3);
    assert_at_least(length(60.0f, 15000.0f), 1.01 * 0.45);
}

static void test_what_regions_cannot_be(void **state) {
    Fixture *fixture = *state;
    SimIssue issue;
    SimFabric fabric = fixture_preset(LEATHER);
    sheet(fixture, GRID);
    use_region(fixture, &fabric);
    regions[3] = 1;
    assert_false(sim_validate_rig_def(&fixture->rig, &issue));
    assert_string_equal(issue.path, "garments[0].regions[3]");
    regions[3] = 0;
    other.density = NAN;
    assert_false(sim_validate_rig_def(&fixture->rig, &issue));
    assert_string_equal(issue.path, "garments[0].region_fabrics[0].density");
    other = fabric;
    for (int p = 0; p < PARTICLES; p++) thicknesses[p] = p == 7 ? NAN : -1.0f;
    fixture->garment.thicknesses = thicknesses;
    assert_false(sim_validate_rig_def(&fixture->rig, &issue));
    assert_string_equal(issue.path, "garments[0].thicknesses[7]");
    thicknesses[7] = -1.0f;
    assert_true(sim_validate_rig_def(&fixture->rig, &issue));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_region_is_as_its_fabric_alone),
        cmocka_unit_test(test_no_region_changes_no_bit),
        FIXTURE_TEST(test_thickness_differs_from_place_to_place),
        cmocka_unit_test(test_rows_stretch_apart_from_columns),
        FIXTURE_TEST(test_what_regions_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
