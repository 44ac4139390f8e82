// Wrinkle weights: their value for a known angle, how fast they rise and fall, and where they are 0.
#include "sim_fixture.h"

enum { MIDDLE = 1 }; // row or column of three

// Three particles in a row, or in a column with a second one beside it, with a kink at the middle one.
static void place(float *x, int p, bool weft, double degrees) {
    double half = degrees * FIXTURE_PI / 360.0;
    int along = (weft ? p % 3 : p / 2) - MIDDLE;
    x[weft ? 0 : 1] = (weft ? 0.06f : -0.06f) * (1.0f + (float)(along * cos(half)));
    x[2] = (float)(0.06 * abs(along) * sin(half));
}

static void kinked(Fixture *fixture, bool weft, float rest, const float *degrees, int frames, int rate) {
    fixture_marionette(fixture, weft ? 2 : 3, weft ? 3 : 2, 0.06f);
    fixture->garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    for (int p = 0; p < 6; p++) {
        place(fixture->positions[p], p, weft, (double)rest);
        place(fixture->bones[1 + p].position, p, weft, (double)rest);
    }
    fixture_add_clip(fixture, (float)rate, frames, false);
    for (int frame = 0; frame < frames; frame++)
        for (int p = 0; p < 6; p++)
            place(fixture_clip_position(fixture, frame, 1 + p), p, weft, (double)degrees[frame]);
    fixture_start(fixture, rate);
    fixture_play(fixture, false);
}

typedef struct Weights {
    float warp[256], weft[256];
} Weights;

static const Weights *look(const Fixture *fixture) {
    static Weights weights;
    sim_garment_wrinkles(fixture->world, fixture->character, 0, weights.warp, weights.weft);
    return &weights;
}

static double expected_weight(double degrees) {
    return fmin(sqrt((1.0 / cos(degrees * FIXTURE_PI / 360.0) - 1.0) / (1.0 / 0.85 - 1.0)), 1.0);
}

// Chord over arc of a kink by a is cos(a / 2). Under the dead zone and from 0.85 on it stays at its ends.
static void test_kinks(void **state) {
    Fixture *fixture = *state;
    static const struct {
        float degrees;
        double weight;
    } cases[] = {{0.0f, 0.0},   {6.0f, 0.0},   {7.0f, 0.10}, {15.0f, 0.22}, {30.0f, 0.45},
                 {45.0f, 0.68}, {60.0f, 0.94}, {64.0f, 1.0}, {120.0f, 1.0}, {180.0f, 1.0}};
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            float angles[120];
            for (int frame = 0; frame < 120; frame++) angles[frame] = cases[i].degrees;
            kinked(fixture, way == 1, 0.0f, angles, 120, 60);
            fixture_steps(fixture, 110);
            const Weights *found = look(fixture);
            int middle = way == 1 ? MIDDLE : 2 * MIDDLE;
            const float *folded = way == 1 ? found->weft : found->warp;
            const float *other = way == 1 ? found->warp : found->weft;
            double exact = cases[i].weight > 0.0 ? expected_weight((double)cases[i].degrees) : 0.0;
            assert_near(folded[middle], exact, 1e-4);
            assert_near(folded[middle], cases[i].weight, 0.006);
            // In the other direction, and at the ends, no bone has cloth on both sides.
            for (int bone = 0; bone < 6; bone++) {
                assert_near(other[bone], 0.0, 0.0);
                bool in_middle = way == 1 ? bone % 3 == MIDDLE : bone / 2 == MIDDLE;
                if (!in_middle) assert_near(folded[bone], 0.0, 0.0);
            }
            fixture_finish(fixture);
        }
}

// A kink of the bind pose counts as flat; straighter than that is no fold.
static void test_kinks_beyond_the_bind_pose(void **state) {
    Fixture *fixture = *state;
    static const struct {
        float rest, degrees;
        double beyond;
    } cases[] = {{22.5f, 22.5f, 0.0}, {22.5f, 52.5f, 30.0}, {90.0f, 135.0f, 45.0},
                 {45.0f, 0.0f, 0.0},  {45.0f, 50.0f, 0.0},  {170.0f, 180.0f, 10.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float angles[120];
        for (int frame = 0; frame < 120; frame++) angles[frame] = cases[i].degrees;
        kinked(fixture, i % 2, cases[i].rest, angles, 120, 60);
        fixture_steps(fixture, 110);
        const Weights *found = look(fixture);
        assert_near(i % 2 ? found->weft[MIDDLE] : found->warp[2], expected_weight(cases[i].beyond), 1e-3);
        fixture_finish(fixture);
    }
}

// At any rate a fold rises by 1 - e^(-t / 60 ms) and falls by e^(-t / 250 ms).
static void test_attack_and_release(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 240};
    static float angles[FIXTURE_FRAMES];
    for (int i = 0; i < 3; i++) {
        const int rate = rates[i];
        for (int frame = 0; frame < 3 * rate; frame++)
            angles[frame] = frame > rate / 2 && frame <= 3 * rate / 2 ? 60.0f : 0.0f;
        kinked(fixture, false, 0.0f, angles, 3 * rate, rate);
        fixture_steps(fixture, rate / 2);
        assert_near(look(fixture)->warp[2], 0.0, 0.0);
        double full = expected_weight(60.0);
        for (int tick = 1; tick <= rate; tick++) {
            fixture_steps(fixture, 1);
            assert_near(look(fixture)->warp[2], full * (1.0 - exp(-tick / (0.06 * rate))), 1e-4);
        }
        for (int tick = 1; tick <= rate; tick++) {
            fixture_steps(fixture, 1);
            assert_near(look(fixture)->warp[2], full * exp(-tick / (0.25 * rate)), 1e-4);
        }
        fixture_finish(fixture);
    }
}

// A character placed in folds shows them at once; a reset clears its history.
static void test_nothing_is_left_after_a_reset(void **state) {
    Fixture *fixture = *state;
    float angles[40];
    for (int frame = 0; frame < 40; frame++) angles[frame] = frame < 30 ? 45.0f : 0.0f;
    kinked(fixture, true, 0.0f, angles, 40, 60);
    assert_near(look(fixture)->weft[MIDDLE], 0.0, 0.0); // placed before its clip: at the bind pose
    fixture_reset(fixture, &fixture->character);
    fixture_play(fixture, false);
    sim_world_place(fixture->world);
    assert_near(look(fixture)->weft[MIDDLE], expected_weight(45.0), 1e-5);
    fixture_reset(fixture, &fixture->character);
    sim_world_place(fixture->world);
    assert_near(look(fixture)->weft[MIDDLE], 0.0, 0.0);
}

// Gravity pulls a hanging sheet straight; the folds of a sheet that sinks onto the ground are deep.
static void test_flat_and_crumpled(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 8, 8, 0.06f);
    fixture_start(fixture, 60);
    const int bones = sim_rig_info(fixture->world, fixture->rig_id)->garments[0].bone_count;
    for (int tick = 0; tick < 240; tick++) {
        sim_world_step(fixture->world);
        const Weights *found = look(fixture);
        for (int i = 0; i < bones; i++) {
            assert_near(found->warp[i], 0.0, 0.0);
            assert_near(found->weft[i], 0.0, 0.0);
        }
    }
    fixture->def.environment.has_ground = true;
    fixture->def.environment.ground = -0.2f;
    sim_world_set_environment(fixture->world, &fixture->def.environment);
    fixture_move_to(fixture, 0.02f, 0.0f, 0.05f);
    fixture_steps(fixture, 240);
    double deepest = 0.0;
    for (int i = 0; i < bones; i++) deepest = fmax(deepest, (double)look(fixture)->warp[i]);
    assert_at_least(deepest, 0.9);
}

// Cloth that is round at the bind pose has no folds at rest round a body.
static void test_rest_round_a_body(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 8, 12, 0.06f);
    fixture->garment.closed = true;
    for (int p = 0; p < 96; p++) {
        double turn = 2.0 * FIXTURE_PI / 12.0 * (p % 12), radius = 0.15;
        fixture->positions[p][0] = (float)(radius * sin(turn));
        fixture->positions[p][2] = (float)(radius * cos(turn));
    }
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, 0);
    body->to[1] = -0.6f, body->radius = body->radius_end = 0.14f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    const int bones = sim_rig_info(fixture->world, fixture->rig_id)->garments[0].bone_count;
    for (int i = 0; i < bones; i++) {
        assert_near(look(fixture)->warp[i], 0.0, 0.0);
        assert_near(look(fixture)->weft[i], 0.0, 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_kinks),
        FIXTURE_TEST(test_kinks_beyond_the_bind_pose),
        FIXTURE_TEST(test_attack_and_release),
        FIXTURE_TEST(test_nothing_is_left_after_a_reset),
        FIXTURE_TEST(test_flat_and_crumpled),
        FIXTURE_TEST(test_rest_round_a_body),
    };
    return cmocka_run_group_tests_name("sim wrinkles", tests, NULL, NULL);
}
