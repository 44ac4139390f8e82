// Colliders at their limits: the fastest sweep that cloth does not pass through, and sizes, shapes and
// positions that must do no lasting harm.
#include "depth.h"
#include "sanitized.h"

// A collider on a bone that stands behind a hanging sheet and sweeps forward by 0.3 m within one tick of
// 1/30 s, then stands still.
static void sweep(Fixture *fixture, SimColliderShape shape, float radius) {
    fixture_sheet(fixture, 17, 7, 0.04f);
    int bone = fixture_add_bone(fixture, "sweeper", 0, 0.12f, -0.30f, -radius - 0.01f);
    SimColliderDef *collider = fixture_add_collider(fixture, shape, bone);
    collider->radius = collider->radius_end = radius;
    collider->radii[0] = 0.2f, collider->radii[1] = 2.0f * radius, collider->radii[2] = radius;
    collider->from[0] = -0.2f, collider->to[0] = 0.2f;
    fixture_add_clip(fixture, 30.0f, 61, false);
    for (int frame = 4; frame < 61; frame++) fixture->clip_positions[2 * frame + 1][2] += 0.3f;
}

// Counts columns that have passed through: of those in the collider's way (a sphere: the middle one, else
// all), those whose end hangs behind its middle.
static int passed(const Fixture *fixture, SimColliderShape shape, const float bone[3]) {
    int count = 0;
    for (int column = 0; column < 7; column++) {
        int p = column;
        if (column != 3 && shape == SIM_COLLIDER_SPHERE) continue;
        while (p < 16 * 7 && fixture->particles[p][1] > bone[1]) p += 7;
        const float *above = fixture->particles[p - 7], *below = fixture->particles[p];
        float share = (above[1] - bone[1]) / (above[1] - below[1]);
        count += above[2] + share * (below[2] - above[2]) < bone[2];
    }
    return count;
}

// Guaranteed while a collider's surface goes no farther in one substep of 1/240 s than its smallest radius:
// the nearest way out is then the way that it came. 0.3 m in a tick are 37.5 mm a substep. A ball that is
// hardly wider than the cells of the cloth may still slip out sideways between two columns: balls here are
// wider.
static void test_a_sweeping_collider_takes_the_cloth_along(void **state) {
    Fixture *fixture = *state;
    static const SimColliderShape shapes[] = {SIM_COLLIDER_SPHERE, SIM_COLLIDER_CAPSULE,
                                              SIM_COLLIDER_ELLIPSOID};
    static const float radii[] = {0.04f, 0.06f, 0.10f};
    for (int i = 0; i < 9; i++) {
        float radius = i % 3 ? radii[i / 3] : 2.0f * radii[i / 3];
        sweep(fixture, shapes[i % 3], radius);
        fixture_start(fixture, 30);
        fixture_play(fixture, false);
        for (int tick = 0; tick < 12; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            const float *bone = sim_character_bones_model(fixture->world, fixture->character)[1][3];
            if (tick <= 4) // later it may be thrown over the top
                assert_int_equal(passed(fixture, shapes[i % 3], bone), 0);
            assert_at_most(fixture_stretch(fixture), 1e-5);
            assert_at_most(deepest(fixture, bone), DEPTH);
            if (tick == 4) assert_near(bone[2], 0.29 - (double)radius, 1e-5); // it did sweep
        }
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

// A crowd of colliders about the cloth: sizes from 0 to that of a building, needles, discs, coincident ends.
static void crowd(Fixture *fixture, int round) {
    static const float sizes[] = {0.0f, 1e-4f, 1e-3f, 0.02f, 0.1f, 0.5f, 100.0f};
    static const SimColliderShape shapes[] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_CAPSULE,
                                              SIM_COLLIDER_SPHERE, SIM_COLLIDER_ELLIPSOID};
    fixture_sheet(fixture, 8, 5, 0.05f);
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = round % 2 ? 0.3f : 10.0f;
    fixture->garment.fabric.friction = round % 3 ? 0.0f : 0.5f;
    int bone = fixture_add_bone(fixture, "crowd", 0, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < FIXTURE_COLLIDERS; i++) {
        SimColliderDef *collider = fixture_add_collider(fixture, shapes[(i + round) % 4], bone);
        const float *at = fixture->positions[(7 * i + 3 * round) % 40]; // a particle's exact place
        for (int k = 0; k < 3; k++) {
            collider->center[k] = collider->from[k] = at[k];
            collider->to[k] = at[k] + (i % 3 ? 0.1f * (float)(i - k) : 0.0f); // every third: ends coincide
            collider->radii[k] = sizes[(i + 2 * k + round) % 7];
        }
        collider->radius = sizes[(i + round) % 7];
        collider->radius_end = sizes[(3 * i + round) % 7];
    }
    fixture_add_clip(fixture, 60.0f, 401, false);
    for (int frame = 60; frame <= 400; frame++) fixture->clip_positions[2 * frame + 1][2] = 400.0f;
}

static void assert_sound(Fixture *fixture) {
    for (int p = 0; p < fixture_particle_count(fixture); p++)
        for (int k = 0; k < 3; k++) // no farther from its pinned row than its links are long
            assert_at_most(fabs((double)fixture->particles[p][k] - (double)fixture->positions[p % 5][k]),
                           0.36);
    assert_at_most(fixture_stretch(fixture), 1e-5);
    assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
}

// In the crowd the cloth keeps its links and counts conflicts. After the crowd is gone it hangs as before.
static void test_a_crowd_of_odd_colliders(void **state) {
    Fixture *fixture = *state;
    const int rounds = is_thorough() ? 28 : 7;
    int impossible = 0;
    for (int round = 0; round < rounds; round++) {
        crowd(fixture, round);
        fixture_start(fixture, round % 4 ? 60 : 30);
        fixture_play(fixture, false);
        int rate = round % 4 ? 60 : 30;
        for (int tick = 0; tick < rate + rate / 2; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            assert_sound(fixture);
        }
        uint64_t conflicts = sim_world_stats(fixture->world).constraint_conflicts;
        impossible += conflicts > 0;
        fixture_steps(fixture, 4 * rate);
        fixture_particles(fixture);
        assert_sound(fixture);
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, conflicts);
        for (int p = 0; p < 40; p++)
            assert_at_most(fixture_distance(fixture->particles[p], fixture->positions[p]), 0.02);
        fixture_finish(fixture);
    }
    assert_true(impossible >= rounds / 2); // a building about the pinned row, and worse
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_a_sweeping_collider_takes_the_cloth_along),
        FIXTURE_TEST(test_a_crowd_of_odd_colliders),
    };
    return cmocka_run_group_tests_name("sim collider limits", tests, NULL, NULL);
}
