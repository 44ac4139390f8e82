// A jacket that was shaken comes to rest once its wearer stands still, hanging free or lying on him, of any
// fabric, at any rate: no particle accelerates by more than 0.1 m/s^2 after 5 s (rubber: 9 s) and none does
// later. As in the server, what is left alone settles; until it lies, lengths, colliders and max distances
// hold as ever.
#include "motion.h"

// What cmocka.h wants before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALM  0.1f // m/s^2
#define FADE  0.2f // s until the wearer is still
#define AFTER 3    // s, how long it is watched afterwards

static void assert_comes_to_rest(Motion *motion, const char *fabric, const char *pose) {
    const int rate = motion->rate, settle = strcmp(fabric, "rubber") == 0 ? 9 : 5;
    assert_true(motion_fabric(motion, fabric));
    assert_true(motion_play(motion, "crouch", 0.0f));
    for (int tick = 0; tick < 2 * rate; tick++) sim_world_step(motion->world);
    assert_true(motion_play(motion, pose, FADE));
    const int still = (int)(FADE * (float)rate) + settle * rate;
    motion->judge = (MotionJudge){0};
    for (int tick = 0; tick < still; tick++) {
        motion_acceleration(motion);
        if (tick >= 2 * rate) motion_judge_particles(motion);
    }
    const MotionJudge *judge = &motion->judge;
    bool stretches = strcmp(fabric, "rubber") == 0; // its links are soft
    if ((judge->stretch > 1e-5 && !stretches) || judge->penetration > 1e-5 || judge->beyond > 1e-5)
        fail_msg("%s, %s, %d Hz: stretched by %.3g, %.3g m deep, %.3g m beyond its max distance", fabric,
                 pose, rate, judge->stretch, judge->penetration, judge->beyond);
    for (int tick = 0; tick < AFTER * rate; tick++) {
        double acceleration = motion_acceleration(motion);
        if (!(acceleration < (double)CALM))
            fail_msg("%s, %s, %d Hz: %.3g m/s^2 %.2f s after the wearer came to a halt", fabric, pose, rate,
                     acceleration, settle + (double)tick / rate);
    }
}

static void all_come_to_rest(const char *pose) {
    static const char *const fabrics[] = {"tweed", "down",    "veil",   "silk",
                                          "denim", "leather", "rubber", "cotton"};
#ifdef __SANITIZE_ADDRESS__ // more takes too long
    static const int rates[] = {60};
#else
    static const int rates[] = {30, 60, 120, 240};
#endif
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        static Motion motion;
        assert_true(motion_start(&motion, "athlete", rates[i], (float[3]){0.0f, -9.81f, 0.0f}));
        for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++)
            assert_comes_to_rest(&motion, fabrics[k], pose);
        motion_finish(&motion);
    }
}

static void test_hanging_free(void **state) {
    (void)state;
    all_come_to_rest("stand");
}

static void test_lying_on_the_body(void **state) {
    (void)state;
    all_come_to_rest("bow");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_free),
        cmocka_unit_test(test_lying_on_the_body),
    };
    return cmocka_run_group_tests_name("rest", tests, NULL, NULL);
}
