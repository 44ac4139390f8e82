// Live changes of every value of a fabric, from each preset's to both ends of its range, and of all values at
// once, from each preset to each other: no bone jumps.
//
// The norm of a bone's motion within 1/60 s: as fast as the same bone is in the same motion without the
// change, and in addition four times the mean speed at which the garment gets to where the change takes it in
// 0.2 s (twice for a way that begins and ends at rest, and twice that for corners, which run ahead), and half
// a millimetre.
#include "sanitized.h"
#include "sim_fixture.h"

enum { ROWS = 9, COLUMNS = 9, PARTICLES = ROWS * COLUMNS, MOST = 64, HISTORY = 4 };

// A change of one value or, where field is NULL, of all values to a preset's.
typedef struct Change {
    const SimFabricField *field;
    float to;
    int preset;
} Change;

// The first character keeps its fabric. Each of the others has one change.
typedef struct Crowd {
    Fixture fixture;
    SimCharacterId characters[MOST];
    Change changes[MOST];
    int count, tick_rate;
    float positions[HISTORY][MOST][PARTICLES][3]; // of the last ticks
    double speed[MOST][PARTICLES];                // m/s, largest while values change
    double way[MOST];                             // m, farthest from the first character's cloth
} Crowd;

static Crowd crowd;

// Adds a character with the first one's state.
static void add_change(Change change) {
    assert_true(crowd.count < MOST);
    const SimCharacterId added = fixture_another(&crowd.fixture);
    sim_character_adopt(crowd.fixture.world, added, crowd.characters[0]);
    for (int i = 0; i < HISTORY; i++)
        memcpy(crowd.positions[i][crowd.count], crowd.positions[i][0], sizeof crowd.positions[i][0]);
    crowd.changes[crowd.count] = change;
    crowd.characters[crowd.count++] = added;
}

// All values that the Verlet solver uses.
static void add_changes(void) {
    int field_count;
    const SimFabricField *fields = sim_fabric_fields(&field_count);
    for (int i = 0; i < 2 * field_count; i++) {
        const SimFabricField *field = &fields[i / 2];
        if (strcmp(field->group, "spring") == 0) continue;
        add_change((Change){field, i % 2 ? field->maximum : field->minimum, -1});
    }
    for (int preset = 0; preset < FIXTURE_PRESETS; preset++) add_change((Change){NULL, 0.0f, preset});
}

// A sheet that leans on a body that walks, sways and turns, in a light wind from the side.
static void begin(int preset, int tick_rate) {
    memset(&crowd, 0, sizeof crowd);
    Fixture *fixture = &crowd.fixture;
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    body->center[0] = 0.24f, body->center[1] = -0.3f, body->center[2] = 0.16f, body->radius = 0.15f;
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f;
    fixture->garment.fabric = fixture_preset(preset);
    fixture->def.environment.wind.velocity_world[0] = 0.5f;
    fixture_start(fixture, tick_rate);
    crowd.tick_rate = tick_rate;
    crowd.characters[0] = fixture->character;
    crowd.count = 1;
}

static void walk(int tick) {
    double time = (double)tick / crowd.tick_rate, heading = 0.5 * sin(2.0 * time);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.position[2] = (float)(0.8 * time + 0.05 * sin(5.0 * time));
    root.rotation[1] = (float)sin(heading / 2.0), root.rotation[3] = (float)cos(heading / 2.0);
    for (int i = 0; i < crowd.count; i++)
        sim_character_move(crowd.fixture.world, crowd.characters[i], &root, SIM_TELEPORT_NONE);
    sim_world_step(crowd.fixture.world);
    for (int i = 0; i < crowd.count; i++)
        sim_garment_particles_model(crowd.fixture.world, crowd.characters[i], 0,
                                    crowd.positions[tick % HISTORY][i]);
}

static void change_all(int preset) {
    for (int i = 1; i < crowd.count; i++) {
        const Change *change = &crowd.changes[i];
        SimFabric fabric = fixture_preset(change->field ? preset : change->preset);
        if (change->field) sim_fabric_set(&fabric, change->field, change->to);
        sim_garment_set_fabric(crowd.fixture.world, crowd.characters[i], 0, &fabric, true);
    }
}

static void measure(int tick, bool changing) {
    int back = crowd.tick_rate > 60 ? crowd.tick_rate / 60 : 1;
    double per_second = crowd.tick_rate / (double)back;
    float(*const now)[PARTICLES][3] = crowd.positions[tick % HISTORY];
    float(*const before)[PARTICLES][3] = crowd.positions[(tick - back) % HISTORY];
    for (int i = 0; i < crowd.count; i++)
        for (int p = 0; p < PARTICLES; p++) {
            double speed = per_second * fixture_distance(before[i][p], now[i][p]);
            if (changing) crowd.speed[i][p] = fmax(crowd.speed[i][p], speed);
            crowd.way[i] = fmax(crowd.way[i], fixture_distance(now[0][p], now[i][p]));
        }
}

static void judge(int preset) {
    for (int i = 1; i < crowd.count; i++)
        for (int p = 0; p < PARTICLES; p++) {
            double norm = crowd.speed[0][p] + 4.0 * crowd.way[i] / 0.2 + 0.5e-3 * 60.0;
            if (crowd.speed[i][p] <= norm) continue;
            const Change *change = &crowd.changes[i];
            print_error("%s at %d Hz, %s.%s to %g: particle %d at %.3f m/s, its norm is %.3f m/s\n",
                        fixture_preset_names[preset], crowd.tick_rate,
                        change->field ? change->field->group : "all",
                        change->field ? change->field->name : fixture_preset_names[change->preset],
                        (double)change->to, p, crowd.speed[i][p], norm);
            fail();
        }
}

static void no_bone_jumps(int preset, int tick_rate) {
    begin(preset, tick_rate);
    const int start = 3 * tick_rate;
    for (int tick = 1; tick < start; tick++) walk(tick);
    add_changes();
    change_all(preset);
    for (int tick = start; tick < start + tick_rate / 2; tick++) {
        walk(tick);
        measure(tick, tick < start + tick_rate / 5);
    }
    judge(preset);
    fixture_finish(&crowd.fixture);
}

static void test_every_preset(void **state) {
    (void)state;
    for (int preset = 0; preset < (SANITIZED ? 1 : FIXTURE_PRESETS); preset++) no_bone_jumps(preset, 60);
}

static void test_other_rates(void **state) {
    (void)state;
    static const int presets[] = {6, 3, 0}; // rubber, silk, tweed
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++) {
        no_bone_jumps(presets[i], 30);
        if (SANITIZED) continue;
        no_bone_jumps(presets[i], 120);
        no_bone_jumps(presets[i], 240);
    }
}

// A ramp is the same at every rate, since values change by substeps.
static void test_the_way_does_not_depend_on_the_rate(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 120, 240};
    static float found[4][35][3];
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, 7, 5, 0.06f);
        fixture->garment.fabric = fixture_preset(6);
        fixture->def.environment.wind.velocity_world[2] = 2.0f;
        fixture_start(fixture, rates[i]);
        fixture_steps(fixture, rates[i]);
        SimFabric veil = fixture_preset(2);
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &veil, true);
        fixture_steps(fixture, rates[i] / 10);
        memcpy(found[i], fixture_particles(fixture), sizeof found[i]);
        assert_memory_equal(found[0], found[i], sizeof found[0]);
        fixture_finish(fixture);
    }
}

// A bound that becomes tighter starts where the cloth is, so that it ramps over all of the 0.2 s.
static void test_bounds_begin_at_their_use(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 5, 5, 0.06f);
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f;
    SimFabric fabric = fixture->garment.fabric;
    fabric.edge.max_distance = 1.0f;
    fabric.max_distance = 10.0f;
    fixture->garment.fabric = fabric;
    fixture->def.environment.wind.velocity_world[2] = 4.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 240);
    fixture_beyond_max_distance(fixture);
    fixture_particles(fixture);
    double in_use = 0.0;
    for (int p = 5; p < 25; p++)
        in_use =
            fmax(in_use, fixture_distance(fixture->particles[p], fixture->references[p]) / (p / 5 / 4.0));
    assert_at_least(in_use, 0.05);
    fabric.max_distance = 0.0f;
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
    for (int tick = 1; tick <= 12; tick++) {
        fixture_steps(fixture, 1);
        fixture_particles(fixture);
        assert_at_most(fixture_beyond_max_distance(fixture), 1e-5);
        assert_near(fixture->max_distances[22], in_use * (1.0 - tick / 12.0), 1e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_preset),
        cmocka_unit_test(test_other_rates),
        FIXTURE_TEST(test_the_way_does_not_depend_on_the_rate),
        FIXTURE_TEST(test_bounds_begin_at_their_use),
    };
    return cmocka_run_group_tests_name("sim ramps", tests, NULL, NULL);
}
