// Every garment of the shipped characters in each of their clips, from one to the next: outside of the whole
// body, limbs included, without a conflict.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#define FADE    0.3f // s from a clip to the next
#define FEWEST  60   // Hz, how often points between particles are judged
#define SECONDS 1.8f // of each clip; a dodge lasts 0.8, a leap 1.8

enum { MOST_GARMENTS = 4 };

static const char *const characters[] = {"wake", "barry",    "boxer",           "dancer",
                                         "hero", "old_lady", "mannequins/veil", "mannequins/down",
                                         "wolf", "ponytail", "spring_dancer"};

static void assert_within(const Motion *motion, const char *script, const char *clip, const char *what,
                          double value, double bound) {
    if (!(value <= bound))
        fail_msg("%s, %s of %s, %d Hz: %s %.3g, at most %.3g", clip, motion->garment->name, script,
                 motion->rate, what, value, bound);
}

static void judge_garments(Motion *motion, MotionJudge judges[MOST_GARMENTS], bool between) {
    for (int i = 0; i < motion->rig->garment_count; i++) {
        assert_true(motion_look_at(motion, i));
        motion->judge = judges[i];
        motion_read(motion);
        motion_judge_particles(motion);
        if (between) motion_judge_between(motion);
        judges[i] = motion->judge;
    }
}

static void judge_clip(Motion *motion, const char *script, const char *clip) {
    MotionJudge judges[MOST_GARMENTS] = {0};
    const uint64_t before = sim_world_stats(motion->world).constraint_conflicts;
    const int ticks = (int)(SECONDS * (float)motion->rate),
              every = motion->rate > FEWEST ? motion->rate / FEWEST : 1;
    assert_true(motion_play(motion, clip, FADE));
    for (int tick = 0; tick < ticks; tick++) {
        sim_world_step(motion->world);
        judge_garments(motion, judges, tick % every == 0);
    }
    // The quads of a skirt cut from a circle are so large that limbs dent them in a leap, by up to 34.5 mm.
    const bool is_circle = strcmp(script, "dancer") == 0;
    const double between = is_circle ? 40e-3 : 10e-3;
    const uint64_t conflicts = sim_world_stats(motion->world).constraint_conflicts - before;
    for (int i = 0; i < motion->rig->garment_count; i++) {
        assert_true(motion_look_at(motion, i));
        assert_within(motion, script, clip, "m inside at a particle", judges[i].penetration, 1e-5);
        assert_within(motion, script, clip, "m inside between particles", judges[i].between, between);
        if (!is_circle) assert_within(motion, script, clip, "m inside legs", judges[i].in_legs, between);
        assert_within(motion, script, clip, "share deeper than 1 mm", (double)judges[i].deep,
                      (is_circle ? 1.5e-3 : 1e-3) * (double)judges[i].samples);
        assert_within(motion, script, clip, "conflicts of all garments", (double)conflicts, 0.0);
    }
}

static void judge_characters(int rate) {
    const size_t count = SANITIZED ? 1 : sizeof characters / sizeof *characters;
    for (size_t i = 0; i < count; i++) {
        static Motion motion;
        char script[64];
        snprintf(script, sizeof script, "characters/%s", characters[i]);
        assert_true(motion_start(&motion, script, rate, (float[3]){0.0f, -9.81f, 0.0f}));
        assert_true(motion.rig->garment_count <= MOST_GARMENTS && motion.rig->clip_count > 0);
        for (int clip = 0; clip < motion.rig->clip_count; clip++)
            judge_clip(&motion, characters[i], motion.rig->clip_names[clip]);
        motion_finish(&motion);
    }
}

static void test_at_60_hz(void **state) {
    (void)state;
    judge_characters(60);
}

static void test_at_other_rates(void **state) {
    (void)state;
    if (!is_thorough()) return;
    judge_characters(30);
    judge_characters(120);
    judge_characters(240);
}

// Where constraints meet tightly, roundings decide how: so once more with gravity off by some millionths.
static void test_the_deepest_crouch_of_a_leap(void **state) {
    (void)state;
    const int nudges = is_thorough() ? 6 : 1;
    for (int i = 0; i < nudges; i++) {
        static Motion motion;
        const float gravity[3] = {0.0f, -9.81f * (1.0f + 1e-6f * (float)i), 0.0f};
        assert_true(motion_start(&motion, "characters/dancer", 60, gravity));
        judge_clip(&motion, "dancer", "leap");
        motion_finish(&motion);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_60_hz),
        cmocka_unit_test(test_at_other_rates),
        cmocka_unit_test(test_the_deepest_crouch_of_a_leap),
    };
    return cmocka_run_group_tests_name("limbs", tests, NULL, NULL);
}
