// The jacket while its wearer moves as hard as people do: after every tick vertical links have their length,
// no particle is in the body and none too far from its reference, all three at once and without a conflict;
// edges and quads are as good as outside as well.
#include "motion.h"

// What cmocka.h wants before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct Take {
    const char *script, *clip;
    float seconds;
} Take;

static const float gravity[3] = {0.0f, -9.81f, 0.0f};

// Whole: the mocap's jumps and turns, a boxer until he falls, thighs to +-60 degrees at 2.6 Hz, one against
// the other and both alike, and 5 m/s with half a turn in 0.4 s.
static const Take whole[] = {{"athlete", "jump", 22.8f},
                             {"boxer", "box", 23.8f},
                             {"athlete", "crouch", 5.0f},
                             {"athlete", "crouch_together", 5.0f},
                             {"athlete", "run", 3.8f}};

static void assert_within(const Take *take, const char *fabric, int rate, const char *what, double value,
                          double bound) {
    if (!(value <= bound))
        fail_msg("%s, %s, %d Hz: %s %.3g, at most %.3g", take->clip, fabric, rate, what, value, bound);
}

static void judge(Motion *motion, const Take *take, const char *fabric, float seconds) {
    const uint64_t before = sim_world_stats(motion->world).constraint_conflicts;
    const bool soft = strcmp(fabric, "rubber") == 0; // its columns stretch, up to its limit
    const int rate = motion->rate;
    assert_true(motion_fabric(motion, fabric));
    assert_true(motion_play(motion, take->clip, 0.0f));
    motion->judge = (MotionJudge){0};
    motion_record(motion, (int)(seconds * (float)rate));
    const MotionJudge *worst = &motion->judge;
    assert_within(take, fabric, rate, "stretch", worst->stretch, soft ? 0.15 + 1e-5 : 1e-5);
    assert_within(take, fabric, rate, "penetration in m", worst->penetration, 1e-5);
    assert_within(take, fabric, rate, "m beyond the max distance", worst->beyond, 1e-5);
    assert_within(take, fabric, rate, "m inside between particles", worst->between,
                  strcmp(fabric, "tweed") == 0 ? 10e-3 : 12e-3); // cotton: 10 mm and a little, once
    assert_within(take, fabric, rate, "share deeper than 1 mm", (double)worst->deep / (double)worst->samples,
                  1e-3);
    assert_within(take, fabric, rate, "conflicts",
                  (double)(sim_world_stats(motion->world).constraint_conflicts - before), 0.0);
}

// All of it takes a sanitizer too long.
#ifdef __SANITIZE_ADDRESS__
#define MOST_SECONDS 1.0f
#else
#define MOST_SECONDS HUGE_VALF
#endif

static void judge_takes(int rate, float most_seconds) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        static Motion motion;
        assert_true(motion_start(&motion, whole[i].script, rate, gravity));
        judge(&motion, &whole[i], "tweed", fminf(fminf(whole[i].seconds, most_seconds), MOST_SECONDS));
        motion_finish(&motion);
    }
}

static void test_whole_motions(void **state) {
    (void)state;
    judge_takes(60, HUGE_VALF);
}

static void test_at_other_rates(void **state) {
    (void)state;
    judge_takes(30, HUGE_VALF);
    judge_takes(120, 2.5f);
    judge_takes(240, 2.5f);
}

static void test_all_fabrics(void **state) {
    (void)state;
    static const char *const fabrics[] = {"down", "veil", "silk", "denim", "leather", "rubber", "cotton"};
    static Motion motion;
    assert_true(motion_start(&motion, "athlete", 60, gravity));
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
        for (size_t k = 2; k < sizeof whole / sizeof *whole; k++)
            judge(&motion, &whole[k], fabrics[i], fminf(whole[k].seconds, MOST_SECONDS));
    motion_finish(&motion);
}

// Knees to the chin: there the max distance gives way, and that is counted; lengths hold, whatever happens.
// After 2 s on his feet again all holds as ever.
static void test_what_has_no_room_gives_way_and_recovers(void **state) {
    (void)state;
    static const Take stand = {"athlete", "stand", 3.0f};
    static Motion motion;
    assert_true(motion_start(&motion, "athlete", 60, gravity));
    assert_true(motion_play(&motion, "stand", 0.0f));
    for (int tick = 0; tick < 60; tick++) sim_world_step(motion.world);
    assert_int_equal(sim_world_stats(motion.world).constraint_conflicts, 0);
    assert_true(motion_play(&motion, "tuck", 0.3f));
    motion_record(&motion, 2 * 60);
    assert_true(sim_world_stats(motion.world).constraint_conflicts > 0);
    assert_true(motion.judge.stretch <= 1e-5);
    assert_true(motion.judge.beyond > 1e-3);
    assert_int_equal(sim_world_stats(motion.world).unstable, 0);
    assert_true(motion_play(&motion, "stand", 0.3f));
    for (int tick = 0; tick < 2 * 60; tick++) sim_world_step(motion.world);
    judge(&motion, &stand, "tweed", stand.seconds);
    motion_finish(&motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_motions),
        cmocka_unit_test(test_at_other_rates),
        cmocka_unit_test(test_all_fabrics),
        cmocka_unit_test(test_what_has_no_room_gives_way_and_recovers),
    };
    return cmocka_run_group_tests_name("motions", tests, NULL, NULL);
}
