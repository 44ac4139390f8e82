// The dancer's skirt keeps the limit of its springs in all she does: legs, max distances and its own folds
// push it about, and there is always room for it.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#define SECONDS   3.0f
#define FADE      0.3f
#define LIMIT     0.1 // of cotton
#define TOLERANCE 1e-3
#define CALM      5e-3 // m/s
#define CIRCLE    0.8  // of garments/skirt.lua

static float cut[MOTION_PARTICLES][3]; // the skirt as it is cut: what its springs have their lengths from

// A part of a circle round a hole as wide as the waist, with columns as long as they hang, sewn up to a cone.
static void cut_skirt(const SimGarmentInfo *skirt) {
    const float(*rest)[3] = skirt->rest_model;
    const int columns = skirt->columns;
    double waist = 0.0;
    for (int column = 0; column < columns; column++)
        waist += motion_distance(rest[column], rest[(column + 1) % columns]);
    for (int column = 0; column < columns; column++) {
        const double angle = 2.0 * GLM_PI * column / columns;
        double down = 0.0;
        for (int p = column; p < skirt->particle_count; p += columns) {
            if (p >= columns) down += motion_distance(rest[p], rest[p - columns]);
            const double radius = waist / (2.0 * GLM_PI) + CIRCLE * down;
            cut[p][0] = (float)(radius * sin(angle));
            cut[p][1] = (float)(-sqrt(1.0 - CIRCLE * CIRCLE) * down);
            cut[p][2] = (float)(radius * cos(angle));
        }
    }
}

static double stretch(const Motion *motion, int a, int b) {
    return motion_distance(motion->x[a], motion->x[b]) / motion_distance(cut[a], cut[b]) - 1.0;
}

// Of the structural and shear springs between a particle and those right of it and below, but for what is
// pinned at both ends.
static double most_stretch(const Motion *motion, int row, int column) {
    const int columns = motion->garment->columns;
    const int here = row * columns + column, right = row * columns + (column + 1) % columns;
    double most = row > 0 ? stretch(motion, here, right) : 0.0;
    if (row + 1 == motion->garment->rows) return most;
    most = fmax(most, stretch(motion, here, here + columns));
    most = fmax(most, stretch(motion, here, right + columns));
    return fmax(most, stretch(motion, right, here + columns));
}

static void judge_springs(const Motion *motion, const char *clip, int tick) {
    for (int row = 0; row < motion->garment->rows; row++)
        for (int column = 0; column < motion->garment->columns; column++) {
            const double found = most_stretch(motion, row, column);
            if (!(found <= LIMIT + TOLERANCE))
                fail_msg("%s, %d Hz, tick %d: a spring at row %d, column %d is %.1f %% longer", clip,
                         motion->rate, tick, row, column, 100.0 * found);
        }
}

static void judge_clip(Motion *motion, const char *clip) {
    assert_true(motion_play(motion, clip, FADE));
    for (int tick = 0; tick < (int)(SECONDS * (float)motion->rate); tick++) {
        sim_world_step(motion->world);
        motion_read(motion);
        judge_springs(motion, clip, tick);
    }
}

static void judge(int rate) {
    static Motion motion;
    assert_true(motion_start(&motion, "characters/spring_dancer", rate, (float[3]){0.0f, -9.81f, 0.0f}));
    cut_skirt(motion.garment);
    for (int clip = 0; clip < motion.rig->clip_count; clip++)
        judge_clip(&motion, motion.rig->clip_names[clip]);
    motion_finish(&motion);
}

static void test_all_clips(void **state) {
    (void)state;
    judge(60);
    if (!is_thorough()) return;
    judge(30);
    judge(120);
}

// Holds a pose, and gives the greatest speed of a particle in the last second, m/s.
static double speed_in(Motion *motion, const char *clip) {
    double fastest = 0.0;
    assert_true(motion_play(motion, clip, FADE));
    for (int tick = 0; tick < 4 * motion->rate; tick++) {
        memcpy(motion->before[0], motion->x, sizeof motion->x);
        sim_world_step(motion->world);
        motion_read(motion);
        if (tick < 3 * motion->rate) continue;
        for (int p = 0; p < motion->garment->particle_count; p++)
            fastest = fmax(fastest, motion_distance(motion->before[0][p], motion->x[p]) * motion->rate);
    }
    return fastest;
}

// In a deep crouch there is no room between thighs, trunk and max distances. The case is counted, and feeds
// no springs, which drove the cloth at 2 to 15 m/s for as long as she crouched.
static void test_no_room(void **state) {
    (void)state;
    static const int rates[] = {60, 30, 120, 240};
    for (int i = 0; i < (is_thorough() ? 4 : 1); i++) {
        static Motion motion;
        assert_true(motion_start(&motion, "spring_still", rates[i], (float[3]){0.0f, -9.81f, 0.0f}));
        const double speed = speed_in(&motion, "crouch");
        assert_true(sim_world_stats(motion.world).constraint_conflicts > 0);
        if (speed > CALM) fail_msg("%d Hz: %.4f m/s", rates[i], speed);
        motion_finish(&motion);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_clips), cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests_name("spring limit", tests, NULL, NULL);
}
