// What ships keeps out of itself in storms, on the run and in leaps, and so do a coat and the skirt below it:
// no edge passes through a triangle of the cloth, judged from outside, while lengths, the body and the max
// distances hold as ever.
#include "crossings.h"
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

#define RAMP 0.2f // s, which a change of the level takes

typedef struct Scene {
    const char *script, *clip;
    int rate;
    float wind[2]; // m/s, +x and +z
    float seconds;
    bool tornado; // as in scenes/tornado.lua
} Scene;

static const Scene scenes[] = {
    {"characters/hero", "stand", 60, {12.0f, -16.0f}, 10.0f, false}, // scenes/storm.lua
    {"characters/hero", "stand", 60, {0.0f, 20.0f}, 5.0f, false},
    {"characters/hero", "stand", 60, {0.0f, -20.0f}, 5.0f, false},
    {"characters/hero", "stand", 30, {12.0f, -16.0f}, 3.0f, false},
    {"characters/hero", "stand", 240, {12.0f, -16.0f}, 2.0f, false},
    {"characters/hero", "run", 60, {0.0f, 0.0f}, 10.0f, false},
    {"characters/dancer", "leap", 60, {0.0f, 0.0f}, 5.0f, false},
    {"characters/wake", "jump", 60, {0.0f, 0.0f}, 22.0f, false},
    {"characters/wake", "walk", 60, {8.0f, -9.0f}, 10.0f, false},
    {"characters/wake", "stand", 60, {0.0f, -12.0f}, 5.0f, false},
    {"characters/wake", "stand", 60, {1.0f, 0.0f}, 6.0f, true},
    {"characters/wake", "stand", 30, {12.0f, -16.0f}, 3.0f, false},
    {"characters/wake", "stand", 240, {12.0f, -16.0f}, 2.0f, false},
    {"layers", "run", 60, {0.0f, 0.0f}, 10.0f, false},
    {"layers", "stand", 60, {-12.0f, 9.0f}, 3.0f, false},
};

enum { SCENES = sizeof scenes / sizeof scenes[0], GARMENTS = 2 };

static void begin(Motion *motion, const Scene *scene) {
    assert_true(motion_start(motion, scene->script, scene->rate, (float[3]){0.0f, -9.81f, 0.0f}));
    assert_true(motion_play(motion, scene->clip, 0.0f));
    SimEnvironment environment = *sim_world_environment(motion->world);
    const bool windy = scene->wind[0] != 0.0f || scene->wind[1] != 0.0f;
    if (windy) environment.wind = (SimWind){{scene->wind[0], 0.0f, scene->wind[1]}, 0.4f, 0.5f};
    sim_world_set_environment(motion->world, &environment);
    const SimTornado tornado = {{-4.5f, 0.0f, 0.8f}, 0.4f, 14.0f, 6.0f, {1.5f, 0.0f, 0.0f}};
    if (scene->tornado) assert_true(sim_world_set_tornado(motion->world, "twister", &tornado));
}

// Of all garments with themselves and with each other.
static int count_crossings(const Motion *motion) {
    static float points[GARMENTS][MOTION_PARTICLES][3];
    const SimRigInfo *rig = motion->rig;
    int count = 0;
    assert_true(rig->garment_count <= GARMENTS);
    for (int i = 0; i < rig->garment_count; i++)
        sim_garment_particles_model(motion->world, motion->character, i, points[i]);
    for (int i = 0; i < rig->garment_count; i++)
        for (int k = 0; k < rig->garment_count; k++)
            count += crossings_count(&rig->garments[i], (const float(*)[3])points[i], &rig->garments[k],
                                     (const float(*)[3])points[k]);
    return count;
}

static void assert_within(const Scene *scene, const char *what, double value, double bound) {
    if (!(value <= bound))
        fail_msg("%s, %s at %d Hz, wind %g, %g m/s: %s %.3g, at most %.3g", scene->script, scene->clip,
                 scene->rate, (double)scene->wind[0], (double)scene->wind[1], what, value, bound);
}

static void judge(const Scene *scene, float seconds) {
    static Motion motion;
    begin(&motion, scene);
    const int ticks = (int)(seconds * (float)scene->rate);
    int tangled = 0;
    for (int tick = 0; tick < ticks; tick++) {
        sim_world_step(motion.world);
        motion_judge(&motion);
        tangled += count_crossings(&motion) > 0;
    }
    // The short run of a build with sanitizers has few ticks, and few samples.
    assert_within(scene, "share of ticks with a crossing", (double)tangled / ticks, SANITIZED ? 0.1 : 0.01);
    assert_within(scene, "stretch", motion.judge.stretch, 1e-5);
    assert_within(scene, "penetration in m", motion.judge.penetration, 1e-5);
    assert_within(scene, "m beyond the max distance", motion.judge.beyond, 1e-5);
    assert_within(scene, "share deeper than 1 mm", (double)motion.judge.deep / (double)motion.judge.samples,
                  SANITIZED ? 5e-3 : 1e-3);
    motion_finish(&motion);
}

static void test_nothing_passes_through_cloth(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) judge(&scenes[i], SANITIZED ? 0.5f : scenes[i].seconds);
}

// The longest way of a particle in one tick.
static double longest_step(Motion *motion, float seconds) {
    double longest = 0.0;
    motion_read(motion);
    for (int tick = 0; tick < (int)(seconds * (float)motion->rate + 0.5f); tick++) {
        static float before[MOTION_PARTICLES][3];
        memcpy(before, motion->x, sizeof before);
        sim_world_step(motion->world);
        motion_read(motion);
        for (int i = 0; i < motion->garment->particle_count; i++)
            longest = fmax(longest, motion_distance(before[i], motion->x[i]));
    }
    return longest;
}

static double farthest_from_references(Motion *motion) {
    double farthest = 0.0;
    motion_read(motion);
    for (int i = 0; i < motion->garment->particle_count; i++)
        farthest = fmax(farthest, motion_distance(motion->references[i], motion->x[i]));
    return farthest;
}

// The level `reduced` does without collisions of cloth with itself. What is tangled then goes to its
// references at an even pace when they come back, and is apart from there on.
static void test_tangles_of_the_reduced_level_end(void **state) {
    (void)state;
    const Scene made[] = {
        {"characters/hero", "stand", 60, {12.0f, -16.0f}, 4.0f, false},
        {"characters/wake", "stand", 60, {0.0f, -16.0f}, 4.0f, false},
        {"characters/wake", "stand", 30, {0.0f, 12.0f}, 4.0f, false},
    };
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++) {
        static Motion motion;
        begin(&motion, &made[i]);
        assert_true(sim_character_set_level(motion.world, motion.character, SIM_LEVEL_REDUCED));
        longest_step(&motion, 3.0f);
        assert_true(count_crossings(&motion) > 0);
        const double far = farthest_from_references(&motion), ticks = RAMP * (float)made[i].rate;
        assert_true(sim_character_set_level(motion.world, motion.character, SIM_LEVEL_FULL));
        assert_within(&made[i], "longest step in m", longest_step(&motion, RAMP), 1.1 * far / ticks);
        int tangled = 0;
        const int rest = (int)(made[i].seconds * (float)made[i].rate);
        for (int tick = 0; tick < rest; tick++) {
            sim_world_step(motion.world);
            tangled += count_crossings(&motion) > 0;
        }
        assert_within(&made[i], "share of ticks with a crossing", (double)tangled / rest, 0.01);
        motion_finish(&motion);
    }
}

// Cloth that a pose ties up in itself goes to its references after a second, and is apart from there on.
static void test_tangles_that_stay_end(void **state) {
    (void)state;
    static const char *const fabrics[] = {"cotton", "silk"};
    for (int i = 0; i < (SANITIZED ? 1 : 2); i++) {
        static Motion motion;
        int tangled = 0;
        assert_true(motion_start(&motion, "still_cape", 60, (float[3]){0.0f, -9.81f, 0.0f}));
        assert_true(motion_fabric(&motion, fabrics[i]));
        assert_true(motion_play(&motion, "shake", 0.0f));
        longest_step(&motion, 1.0f);
        assert_true(motion_play(&motion, "face", RAMP));
        longest_step(&motion, RAMP + 0.5f);
        assert_true(count_crossings(&motion) > 0);
        longest_step(&motion, 0.8f);
        for (int tick = 0; tick < 2 * 60; tick++) {
            sim_world_step(motion.world);
            tangled += count_crossings(&motion) > 0;
        }
        assert_int_equal(tangled, 0);
        motion_finish(&motion);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_passes_through_cloth),
        cmocka_unit_test(test_tangles_of_the_reduced_level_end),
        cmocka_unit_test(test_tangles_that_stay_end),
    };
    return cmocka_run_group_tests_name("tangles", tests, NULL, NULL);
}
