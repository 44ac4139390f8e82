// Exact length, no depth and max distance together while a body moves through the cloth, the priorities
// where they conflict, and the article's variants.
#include "depth.h"

enum { SECONDS = 8, RATE = 60 };

// A sheet of 9 by 9, hung by its top row, and an ellipsoid that swings through it by `amplitude` either way.
static void sweep(Fixture *fixture, float amplitude) {
    fixture_sheet(fixture, 9, 9, 0.06f);
    int bone = fixture_add_bone(fixture, "body", 0, 0.24f, -0.35f, -amplitude);
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, bone);
    body->radii[0] = 0.08f, body->radii[1] = 0.16f, body->radii[2] = 0.10f;
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = 0.35f;
    fixture->garment.fabric.edge.max_distance = 1.0f;
    fixture_add_clip(fixture, (float)RATE, SECONDS * RATE + 1, false);
    for (int frame = 0; frame <= SECONDS * RATE; frame++) {
        float *at = fixture->clip_positions[2 * frame + 1], time = (float)frame / (float)RATE;
        at[0] += 0.1f * sinf(1.7f * time);
        at[2] = -amplitude * cosf(2.0f * time);
    }
}

// The errors after one tick.
typedef struct Judgement {
    double stretch, depth, beyond; // share; m; m
} Judgement;

static Judgement step_and_judge(Fixture *fixture) {
    float body[3] = {0.0f, 0.0f, 0.0f};
    sim_world_step(fixture->world);
    fixture_particles(fixture);
    if (fixture->rig.bone_count > 1)
        memcpy(body, sim_character_bones_model(fixture->world, fixture->character)[1][3], sizeof body);
    return (Judgement){fixture_stretch(fixture), deepest(fixture, body),
                       fixture_beyond_max_distance(fixture)};
}

static Judgement worse(Judgement a, Judgement b) {
    return (Judgement){fmax(a.stretch, b.stretch), fmax(a.depth, b.depth), fmax(a.beyond, b.beyond)};
}

static Judgement judge_all(Fixture *fixture, int ticks) {
    Judgement worst = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int tick = 0; tick < ticks; tick++) worst = worse(worst, step_and_judge(fixture));
    return worst;
}

static uint64_t conflicts(const Fixture *fixture) {
    return sim_world_stats(fixture->world).constraint_conflicts;
}

static void test_all_three_hold_while_a_body_sweeps_through(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 120};
    for (int i = 0; i < 3; i++) {
        sweep(fixture, 0.20f);
        fixture_start(fixture, rates[i]);
        fixture_play(fixture, false);
        Judgement worst = judge_all(fixture, SECONDS * rates[i]);
        assert_at_most(worst.stretch, 1e-5);
        assert_near(worst.depth, 0.0, DEPTH); // it did touch, and the limit was reached
        assert_near(worst.beyond, 0.0, 1e-5);
        assert_int_equal(conflicts(fixture), 0);
        fixture_finish(fixture);
    }
}

// The body moves to the references, and max distance hardly lets the cloth leave them.
static void test_collision_wins_over_max_distance(void **state) {
    Fixture *fixture = *state;
    sweep(fixture, 0.25f);
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = 0.01f;
    fixture_start(fixture, RATE);
    fixture_play(fixture, false);
    // It starts behind the sheet and is in its middle after pi / 4 s, on its other side after pi / 2 s.
    fixture_steps(fixture, 10);
    assert_int_equal(conflicts(fixture), 0);
    fixture_steps(fixture, 30);
    assert_true(conflicts(fixture) > 0);
    Judgement inside = judge_all(fixture, 15);
    assert_at_most(inside.stretch, 1e-5);
    assert_at_most(inside.depth, DEPTH);
    assert_at_least(inside.beyond, 0.03);
    fixture_steps(fixture, 32);
    uint64_t before = conflicts(fixture);
    Judgement outside = judge_all(fixture, 10);
    assert_at_most(outside.stretch, 1e-5);
    assert_at_most(outside.depth, DEPTH);
    assert_at_most(outside.beyond, 1e-5);
    assert_int_equal(conflicts(fixture), before);
}

// The top row is deeper in the body than a link is long.
static void test_length_wins_over_collision(void **state) {
    Fixture *fixture = *state;
    sweep(fixture, 0.25f);
    for (int frame = 0; frame <= SECONDS * RATE; frame++) {
        float *at = fixture->clip_positions[2 * frame + 1];
        at[0] = 0.24f, at[1] = frame < 90 ? 0.0f : 2.0f, at[2] = 0.0f;
    }
    fixture_start(fixture, RATE);
    fixture_play(fixture, false);
    Judgement inside = judge_all(fixture, 80);
    assert_at_most(inside.stretch, 1e-5);
    assert_at_least(inside.depth, 0.01);
    assert_true(conflicts(fixture) > 0);
    for (int p = 0; p < 81; p++)
        for (int i = 0; i < 3; i++) assert_near(fixture->particles[p][i], fixture->positions[p][i], 0.6);
    fixture_steps(fixture, 60);
    uint64_t before = conflicts(fixture);
    Judgement outside = judge_all(fixture, 120);
    assert_at_most(outside.stretch, 1e-5);
    assert_at_most(outside.beyond, 1e-5);
    assert_int_equal(conflicts(fixture), before);
}

// hard = "article": lengths are exact, but the pass along the columns may push particles into the body, and
// velocities are lost.
static void test_hard_alan_wake(void **state) {
    Fixture *fixture = *state;
    sweep(fixture, 0.25f);
    fixture->garment.hard = SIM_HARD_ALAN_WAKE;
    fixture_start(fixture, RATE);
    fixture_play(fixture, false);
    Judgement worst = judge_all(fixture, SECONDS * RATE);
    assert_at_most(worst.stretch, 1e-5);
    assert_true(worst.depth > 1e-3 && worst.depth < 0.1);
    assert_true(worst.beyond > 1e-3 && worst.beyond < 1.0);
}

// collision = "article" pushes away from the centre, not to the nearest point, so a bob rests elsewhere on a
// stretched body, though outside. On a ball both are the same.
static double resting_places_apart(bool ball) {
    static Fixture fixture;
    float bob[2][3];
    for (int article = 0; article < 2; article++) {
        fixture_sheet(&fixture, 2, 1, 0.3f);
        SimColliderDef *body = fixture_add_collider(&fixture, SIM_COLLIDER_ELLIPSOID, 0);
        body->center[0] = 0.05f, body->center[1] = -0.25f, body->center[2] = -0.16f;
        body->radii[0] = ball ? 0.12f : 0.3f, body->radii[1] = ball ? 0.12f : 0.08f, body->radii[2] = 0.12f;
        body->rotation[2] = sinf(0.3f), body->rotation[3] = cosf(0.3f);
        fixture.garment.collision = article ? SIM_COLLISION_ALAN_WAKE : SIM_COLLISION_EXACT;
        fixture.garment.fabric.contact_damping = 3.0f;
        fixture.def.environment.gravity_world[2] = -8.0f;
        fixture_start(&fixture, RATE);
        Judgement worst = judge_all(&fixture, 600);
        assert_at_most(worst.stretch, 1e-5);
        assert_near(worst.depth, 0.0, DEPTH);
        memcpy(bob[article], fixture.particles[1], sizeof bob[article]);
        fixture_finish(&fixture);
    }
    return fixture_distance(bob[0], bob[1]);
}

static void test_collision_alan_wake(void **state) {
    (void)state;
    assert_at_most(resting_places_apart(true), 1e-3);
    assert_at_least(resting_places_apart(false), 0.02);
}

// bend = "article": links between second neighbours hold a strip up as well, though by other numbers.
static void test_bend_alan_wake(void **state) {
    Fixture *fixture = *state;
    double tip[3];
    for (int i = 0; i < 3; i++) {
        fixture_sheet(fixture, 8, 3, 0.03f);
        fixture_lay_flat(fixture);
        for (int p = 3; p < 6; p++) fixture->pinned[p] = true;
        fixture->garment.bend = i == 2 ? SIM_BEND_ALAN_WAKE : SIM_BEND_CURVATURE;
        fixture->garment.fabric.drape = i == 0 ? 0.0f : 0.15f;
        fixture->garment.fabric.damping = 10.0f;
        fixture_start(fixture, RATE);
        fixture_steps(fixture, 240);
        tip[i] = (double)fixture_particles(fixture)[22][1];
        assert_at_most(fixture_stretch(fixture), 1e-5);
        fixture_finish(fixture);
    }
    assert_at_most(tip[0], -0.17); // hangs down from the clamp
    assert_at_least(tip[1], tip[0] + 0.03);
    assert_at_least(tip[2], tip[0] + 0.001);
    assert_at_least(fabs(tip[2] - tip[1]), 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_all_three_hold_while_a_body_sweeps_through),
        FIXTURE_TEST(test_collision_wins_over_max_distance),
        FIXTURE_TEST(test_length_wins_over_collision),
        FIXTURE_TEST(test_hard_alan_wake),
        cmocka_unit_test(test_collision_alan_wake),
        FIXTURE_TEST(test_bend_alan_wake),
    };
    return cmocka_run_group_tests_name("sim together", tests, NULL, NULL);
}
