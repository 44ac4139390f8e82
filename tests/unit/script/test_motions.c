// The jacket in the most violent motions: after every tick vertical links have their length, no particle is
// in the body or beyond its max distance, without a conflict. Edges and quads are nearly as good.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

typedef struct Take {
    const char *script, *clip;
    float seconds;
} Take;

static const float gravity[3] = {0.0f, -9.81f, 0.0f};

// The whole recordings of jumps and turns, a boxer until he falls, thighs to +-60 degrees at 2.6 Hz, opposed
// and alike, and 5 m/s with half a turn in 0.4 s.
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

static uint64_t conflicts(const Motion *motion) {
    return sim_world_stats(motion->world).constraint_conflicts;
}

static void judge_invariants(const Motion *motion, const Take *take, const char *fabric,
                             uint64_t conflicts_before) {
    const bool soft = strcmp(fabric, "rubber") == 0; // its columns stretch, up to its limit
    const MotionJudge *worst = &motion->judge;
    const int rate = motion->rate;
    assert_within(take, fabric, rate, "stretch", worst->stretch, soft ? 0.15 + 1e-5 : 1e-5);
    assert_within(take, fabric, rate, "penetration in m", worst->penetration, 1e-5);
    assert_within(take, fabric, rate, "m beyond the max distance", worst->beyond, 1e-5);
    assert_within(take, fabric, rate, "conflicts", (double)(conflicts(motion) - conflicts_before), 0.0);
}

static void judge_between(const Motion *motion, const Take *take, const char *fabric, double between) {
    const MotionJudge *worst = &motion->judge;
    const double deep = (double)worst->deep / (double)worst->samples;
    assert_within(take, fabric, motion->rate, "m inside between particles", worst->between, between);
    assert_within(take, fabric, motion->rate, "share deeper than 1 mm", deep, 1e-3);
}

static void judge_all(const Motion *motion, const Take *take, const char *fabric, uint64_t conflicts_before) {
    // Cloth is dented between arms and hips: tweed once by 10.3 mm at 240 Hz, rubber by up to 17.5, silk
    // by 16.2.
    const bool heavy = strcmp(fabric, "tweed") == 0;
    judge_invariants(motion, take, fabric, conflicts_before);
    judge_between(motion, take, fabric, heavy ? 12e-3 : 20e-3);
}

static void begin(Motion *motion, const Take *take, const char *fabric) {
    assert_true(motion_fabric(motion, fabric));
    assert_true(motion_play(motion, take->clip, 0.0f));
    motion->judge = (MotionJudge){0};
}

#define MOST_SECONDS (SANITIZED ? 1.0f : HUGE_VALF)

static int ticks_of(const Take *take, int rate) {
    return (int)(fminf(take->seconds, MOST_SECONDS) * (float)rate);
}

static void judge_takes(int rate) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        static Motion motion;
        assert_true(motion_start(&motion, whole[i].script, rate, gravity));
        begin(&motion, &whole[i], "tweed");
        motion_record(&motion, ticks_of(&whole[i], rate));
        judge_all(&motion, &whole[i], "tweed", 0);
        motion_finish(&motion);
    }
}

static void test_whole_motions(void **state) {
    (void)state;
    judge_takes(60);
}

static void test_at_other_rates(void **state) {
    (void)state;
    if (!is_thorough()) return;
    judge_takes(30);
    judge_takes(120);
    judge_takes(240);
}

// Each fabric on another character of one world.
static void test_all_fabrics(void **state) {
    (void)state;
    static const char *const fabrics[] = {"rubber", "veil", "down", "silk", "denim", "leather", "cotton"};
    enum { FABRICS = SANITIZED ? 2 : 7 };
    static Motion crowd[FABRICS];
    assert_true(motion_start(&crowd[0], "athlete", 60, gravity));
    for (int i = 1; i < FABRICS; i++) motion_another(&crowd[0], &crowd[i]);
    for (size_t k = 2; k < sizeof whole / sizeof *whole; k++) {
        const uint64_t before = conflicts(&crowd[0]);
        for (int i = 0; i < FABRICS; i++) begin(&crowd[i], &whole[k], fabrics[i]);
        for (int tick = ticks_of(&whole[k], 60); tick > 0; tick--) {
            sim_world_step(crowd[0].world);
            for (int i = 0; i < FABRICS; i++) motion_judge(&crowd[i]);
        }
        for (int i = 0; i < FABRICS; i++) judge_all(&crowd[i], &whole[k], fabrics[i], before);
    }
    motion_finish(&crowd[0]);
}

// The tightest hems, of leather, on a boxer who bends and turns, at rates at which folds once caught on his
// hips.
static void test_the_tightest_hems(void **state) {
    (void)state;
    static const Take box = {"boxer", "box", 23.8f};
    static const int rates[] = {30, 240, 120};
    for (int i = 0; i < (is_thorough() ? 3 : 1); i++) {
        static Motion motion;
        assert_true(motion_start(&motion, box.script, rates[i], gravity));
        assert_true(motion_fabric(&motion, "leather"));
        assert_true(motion_play(&motion, box.clip, 0.0f));
        for (int tick = ticks_of(&box, rates[i]); tick > 0; tick--) {
            sim_world_step(motion.world);
            motion_read(&motion);
            motion_judge_particles(&motion);
        }
        judge_invariants(&motion, &box, "leather", 0);
        motion_finish(&motion);
    }
}

// The dancer's skirt of springs. The first 0.1 s are left out: forearms may be where it is put on.
static void test_a_skirt_of_springs(void **state) {
    (void)state;
    enum { PUT_ON = 6 };
    static const Take takes[] = {
        {"springs", "jump", 22.8f}, {"springs", "climb", 37.4f}, {"springs_boxer", "box", 23.8f}};
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        static Motion motion;
        assert_true(motion_start(&motion, takes[i].script, 60, gravity));
        assert_true(motion_play(&motion, takes[i].clip, 0.0f));
        for (int tick = 0; tick < PUT_ON; tick++) sim_world_step(motion.world);
        motion_record(&motion, ticks_of(&takes[i], 60) - PUT_ON);
        assert_within(&takes[i], "cotton", 60, "penetration in m", motion.judge.penetration, 1e-5);
        judge_between(&motion, &takes[i], "cotton", 10e-3);
        motion_finish(&motion);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_motions),      cmocka_unit_test(test_at_other_rates),
        cmocka_unit_test(test_all_fabrics),        cmocka_unit_test(test_the_tightest_hems),
        cmocka_unit_test(test_a_skirt_of_springs),
    };
    return cmocka_run_group_tests_name("motions", tests, NULL, NULL);
}
