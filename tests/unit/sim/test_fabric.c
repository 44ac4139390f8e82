// The table of a fabric's fields, its checks, and live changes without a pop.
#include "sim_fixture.h"

static void test_the_table_is_the_struct(void **state) {
    (void)state;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    assert_int_equal(count, 30);
    assert_int_equal((size_t)count * sizeof(float), sizeof(SimFabric)); // each float of it has its field
    for (int i = 0; i < count; i++) {
        assert_int_equal(fields[i].offset, (size_t)i * sizeof(float));
        assert_true(fields[i].minimum < fields[i].maximum);
        assert_true(fields[i].default_value >= fields[i].minimum);
        assert_true(fields[i].default_value <= fields[i].maximum);
        assert_true(fields[i].name[0] != '\0' && fields[i].help[0] != '\0');
        for (int j = 0; j < i; j++)
            assert_false(strcmp(fields[i].name, fields[j].name) == 0 &&
                         strcmp(fields[i].group, fields[j].group) == 0);
    }
    static const struct {
        const char *group, *name, *unit;
    } expected[] = {
        {"", "density", "kg/m^2"},
        {"", "stretch", "N/m"},
        {"", "stretch_weft", "N/m"},
        {"", "shear", "N/m"},
        {"", "drape", "m"},
        {"", "damping", "1/s"},
        {"", "contact_damping", "1/s"},
        {"", "friction", ""},
        {"", "internal_friction", "m/s^2"},
        {"", "thickness", "m"},
        {"", "world_motion", ""},
        {"", "world_angular", ""},
        {"", "world_centrifugal", ""},
        {"", "world_speed", "m/s"},
        {"", "world_spin", "rad/s"},
        {"", "world_acceleration", "m/s^2"},
        {"", "world_spin_acceleration", "rad/s^2"},
        {"", "max_distance", "m"},
        {"", "pose", ""},
        {"", "wind", ""},
        {"", "limit", ""},
        {"edge", "damping", ""},
        {"edge", "wind", ""},
        {"edge", "world_motion", ""},
        {"edge", "max_distance", ""},
        {"spring", "structural", "N/m"},
        {"spring", "shear", "N/m"},
        {"spring", "flexion", "N/m"},
        {"spring", "damping", "N s/m"},
        {"spring", "limit", ""},
    };
    for (int i = 0; i < count; i++) {
        assert_string_equal(fields[i].group, expected[i].group);
        assert_string_equal(fields[i].name, expected[i].name);
        assert_string_equal(fields[i].unit, expected[i].unit);
    }
}

static void test_get_set_default(void **state) {
    (void)state;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    SimFabric fabric = sim_default_fabric();
    for (int i = 0; i < count; i++)
        assert_near(sim_fabric_get(&fabric, &fields[i]), fields[i].default_value, 0.0);
    for (int i = 0; i < count; i++) sim_fabric_set(&fabric, &fields[i], (float)i);
    assert_near(fabric.density, 0.0, 0.0);
    assert_near(fabric.contact_damping, 6.0, 0.0);
    assert_near(fabric.friction, 7.0, 0.0);
    assert_near(fabric.internal_friction, 8.0, 0.0);
    assert_near(fabric.limit, 20.0, 0.0);
    assert_near(fabric.edge.max_distance, 24.0, 0.0);
    assert_near(fabric.spring.limit, 29.0, 0.0);
    for (int i = 0; i < count; i++) assert_near(sim_fabric_get(&fabric, &fields[i]), i, 0.0);
}

static void test_ranges(void **state) {
    (void)state;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    SimIssue issue;
    for (int preset = 0; preset < FIXTURE_PRESETS; preset++) {
        SimFabric fabric = fixture_preset(preset);
        assert_true(sim_validate_fabric(&fabric, &issue));
    }
    for (int i = 0; i < count; i++) {
        SimFabric fabric = sim_default_fabric();
        assert_true(sim_validate_fabric(&fabric, &issue));
        const float good[] = {fields[i].minimum, fields[i].maximum};
        const float bad[] = {nextafterf(fields[i].minimum, -INFINITY),
                             nextafterf(fields[i].maximum, INFINITY), NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 2; k++) {
            sim_fabric_set(&fabric, &fields[i], good[k]);
            assert_true(sim_validate_fabric(&fabric, &issue));
        }
        for (int k = 0; k < 5; k++) {
            char path[80];
            sim_fabric_set(&fabric, &fields[i], bad[k]);
            assert_false(sim_validate_fabric(&fabric, &issue));
            snprintf(path, sizeof path, "%s%s%s", fields[i].group, fields[i].group[0] ? "." : "",
                     fields[i].name);
            assert_string_equal(issue.path, path);
        }
    }
}

static void test_messages(void **state) {
    (void)state;
    SimIssue issue;
    SimFabric fabric = sim_default_fabric();
    fabric.density = -1.0f;
    fabric.edge.wind = 11.0f; // the first mistake is told
    assert_false(sim_validate_fabric(&fabric, &issue));
    assert_string_equal(issue.path, "density");
    assert_string_equal(issue.message, "expected 0.005 to 20 kg/m^2, found -1");
    fabric = sim_default_fabric();
    fabric.edge.wind = 11.0f;
    assert_false(sim_validate_fabric(&fabric, &issue));
    assert_string_equal(issue.path, "edge.wind");
    assert_string_equal(issue.message, "expected 0 to 10, found 11");
    fabric = sim_default_fabric();
    fabric.stretch = NAN;
    assert_false(sim_validate_fabric(&fabric, &issue));
    assert_string_equal(issue.path, "stretch");
    assert_string_equal(issue.message, "expected 1 to 1e+06 N/m, found nan");
    fabric = sim_default_fabric();
    fabric.spring.damping = INFINITY;
    assert_false(sim_validate_fabric(&fabric, &issue));
    assert_string_equal(issue.path, "spring.damping");
    assert_string_equal(issue.message, "expected 0 to 100 N s/m, found inf");
}

// A sheet that leans on a body under a light wind, and changes from one fabric to another while it rests.
static double largest_move_in_a_tick(int from, int to, bool ramp, int tick_rate) {
    static Fixture fixture;
    fixture_sheet(&fixture, 9, 9, 0.06f);
    SimColliderDef *body = fixture_add_collider(&fixture, SIM_COLLIDER_SPHERE, 0);
    body->center[0] = 0.24f, body->center[1] = -0.3f, body->center[2] = -0.1f, body->radius = 0.15f;
    fixture.garment.max_distance_top = 0.0f;
    fixture.garment.max_distance_bottom = -1.0f; // the fabric's, which changes as well
    fixture.garment.fabric = fixture_preset(from);
    fixture.def.environment.wind.velocity_world[2] = -0.5f;
    fixture_start(&fixture, tick_rate);
    fixture_steps(&fixture, 6 * tick_rate);
    SimFabric fabric = fixture_preset(to);
    sim_garment_set_fabric(fixture.world, fixture.character, 0, &fabric, ramp);
    assert_memory_equal(sim_garment_fabric(fixture.world, fixture.character, 0), &fabric, sizeof fabric);
    double most = 0.0;
    for (int tick = 0; tick < tick_rate; tick++) most = fmax(most, fixture_way_of_a_tick(&fixture));
    fixture_finish(&fixture);
    return most;
}

static void test_live_changes_do_not_pop(void **state) {
    (void)state;
    for (int to = 0; to < FIXTURE_PRESETS; to++)
        assert_at_most(largest_move_in_a_tick(0, to, true, 60), 0.02); // 1.2 m/s
    for (int from = 0; from < FIXTURE_PRESETS; from++)
        assert_at_most(largest_move_in_a_tick(from, 5, true, 60), 0.02);
}

// The values ramp linearly from the present ones in 0.2 s, visible in max distances. Bounds that no cloth
// uses drop at once.
static void test_ramps(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 3, 3, 0.06f);
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f;
    SimFabric fabric = fixture->garment.fabric;
    fabric.max_distance = fixture->garment.fabric.max_distance = 0.4f;
    fabric.edge.max_distance = fixture->garment.fabric.edge.max_distance = 1.0f;
    fixture_start(fixture, 60);
    double expected = 0.4;
    for (int tick = 0; tick < 40; tick++) {
        if (tick == 5) fabric.max_distance = 1.0f;
        if (tick == 11) fabric.max_distance = 1.4f; // half way there
        if (tick == 5 || tick == 11)
            sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
        sim_world_step(fixture->world);
        if (tick >= 5) expected += (tick < 11 ? 0.6 : tick < 23 ? 1.4 - 0.7 : 0.0) / 12.0;
        sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
        assert_near(fixture->max_distances[7], expected, 1e-5);
        assert_near(fixture->max_distances[4], expected / 2.0, 1e-5);
        assert_near(fixture->max_distances[1], 0.0, 0.0);
    }
    fabric.max_distance = 0.9f;
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
    sim_world_step(fixture->world);
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    assert_near(fixture->max_distances[7], 0.9, 1e-6);
    fabric.max_distance = 0.6f;
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, false); // at once
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    assert_near(fixture->max_distances[7], 0.6, 1e-6);
}

// max = fixed + fabric's share, times the edge's factor, from top to bottom along the given curve; or as
// given each, at edges too.
static void test_max_distances(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        static float each[25];
        fixture_sheet(fixture, 5, 5, 0.06f);
        fixture->garment.fabric.max_distance = 0.4f;
        fixture->garment.fabric.edge.max_distance = 1.5f;
        fixture->garment.max_distance_top = 0.1f;
        fixture->garment.max_distance_bottom = i == 0 ? -1.0f : 0.3f;
        fixture->garment.max_distance_curve = 0.5f;
        for (int p = 0; p < 25; p++) each[p] = 0.01f * (float)p;
        if (i == 2) fixture->garment.max_distances = each;
        fixture_start(fixture, 60);
        sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
        for (int p = 0; p < 25; p++) {
            bool edge = p % 5 == 0 || p % 5 == 4 || p / 5 == 0 || p / 5 == 4;
            double share = sqrt(p / 5 / 4.0), bottom = i == 0 ? 0.4 : 0.3;
            double expected = i == 2 ? 0.01 * p : 0.1 + share * (bottom - 0.1);
            assert_near(fixture->max_distances[p], expected * (edge && i < 2 ? 1.5 : 1.0), 1e-6);
        }
        fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_is_the_struct),
        cmocka_unit_test(test_get_set_default),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_live_changes_do_not_pop),
        FIXTURE_TEST(test_ramps),
        FIXTURE_TEST(test_max_distances),
    };
    return cmocka_run_group_tests_name("sim fabric", tests, NULL, NULL);
}
