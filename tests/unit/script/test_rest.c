// A jacket that was shaken comes to rest once its wearer stands still, hanging free or lying on him, of any
// fabric, at any rate: no particle accelerates by more than 0.1 m/s^2 after 5 s (rubber: 9 s) and none does
// later. As in the server, what is left alone settles; until it lies, lengths, colliders and max distances
// hold as ever.
#include "sanitized.h"
#include "script/motion.h"

// cmocka.h needs these headers before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALM  0.1f // m/s^2
#define FADE  0.2f // s until the wearer is still
#define AFTER 3    // s, how long it is watched afterwards

static const char *const fabrics[] = {"rubber", "tweed", "down",    "veil",
                                      "silk",   "denim", "leather", "cotton"};
enum { FABRICS = SANITIZED ? 2 : 8 };

static int settle_seconds(int fabric) {
    return fabric == 0 ? 9 : 5;
}

// Each fabric on another character of one world.
static Motion crowd[FABRICS];

static void shake(int rate, const char *pose) {
    assert_true(motion_start(&crowd[0], "athlete", rate, (float[3]){0.0f, -9.81f, 0.0f}));
    for (int i = 0; i < FABRICS; i++) {
        if (i > 0) motion_another(&crowd[0], &crowd[i]);
        assert_true(motion_fabric(&crowd[i], fabrics[i]));
        assert_true(motion_play(&crowd[i], "crouch", 0.0f));
    }
    for (int tick = 0; tick < 2 * rate; tick++) sim_world_step(crowd[0].world);
    for (int i = 0; i < FABRICS; i++) assert_true(motion_play(&crowd[i], pose, FADE));
}

static void assert_sound(const MotionJudge *judge, int fabric, const char *pose, int rate) {
    bool stretches = fabric == 0; // its links are soft
    if ((judge->stretch > 1e-5 && !stretches) || judge->penetration > 1e-5 || judge->beyond > 1e-5)
        fail_msg("%s, %s, %d Hz: stretched by %.3g, %.3g m deep, %.3g m beyond its max distance",
                 fabrics[fabric], pose, rate, judge->stretch, judge->penetration, judge->beyond);
}

static void all_come_to_rest_at(int rate, const char *pose) {
    shake(rate, pose);
    const int fade = (int)(FADE * (float)rate);
    for (int tick = 0; tick < fade + (settle_seconds(0) + AFTER) * rate; tick++) {
        sim_world_step(crowd[0].world);
        for (int i = 0; i < FABRICS; i++) {
            const int still = fade + settle_seconds(i) * rate;
            if (tick >= still + AFTER * rate) continue;
            const double acceleration = motion_acceleration(&crowd[i]);
            if (tick >= 2 * rate && tick < still) motion_judge_particles(&crowd[i]);
            if (tick >= still && !(acceleration < (double)CALM))
                fail_msg("%s, %s, %d Hz: %.3g m/s^2 %.2f s after the wearer came to a halt", fabrics[i], pose,
                         rate, acceleration, (double)(tick - fade) / rate);
        }
    }
    for (int i = 0; i < FABRICS; i++) assert_sound(&crowd[i].judge, i, pose, rate);
    motion_finish(&crowd[0]);
}

static void all_come_to_rest(const char *pose) {
    static const int rates[] = {60, 30, 120, 240};
    for (int i = 0; i < (is_thorough() ? 4 : 1); i++) all_come_to_rest_at(rates[i], pose);
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
