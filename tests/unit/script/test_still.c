// Cloth of every fabric on a body that holds still after a shake, in hanging and in folded poses, where
// nothing but the cloth's own damping calms it: neither does the rest rule slow it, nor does anybody fall
// asleep; and as what ships does it, with the rest rule and sleep. Garments that pass through themselves, and
// such as keep their layers apart. At 60 Hz; where it is thorough at 30, 60, 120 and 240 Hz, skirts and capes
// with layers and all with the rest rule at 60 Hz only.
#include "sanitized.h"
#include "script/motion.h"

// cmocka.h needs these headers before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALM   5e-3 // m/s
#define FADE   0.2f // s until the body is still
#define AFTER  2    // s, how long it is watched afterwards
#define BREATH 4    // s, how long a body that breathes is watched: one breath

enum { FABRICS = SANITIZED ? 2 : 8, POSES = 8, GARMENTS = 3, BODIES = FABRICS * POSES };

static const int rates[] = {60, 30, 120, 240}; // Hz

static const char *const fabrics[] = {"rubber", "tweed", "down",    "veil",
                                      "silk",   "denim", "leather", "cotton"};
static const char *const poses[POSES] = {"stand", "bow", "crouch", "sit", "kneel", "back", "face", "arms"};

// Each fabric in each pose on another character of one world.
static Motion crowd[BODIES][GARMENTS];
static double fastest[BODIES][GARMENTS]; // m/s, of any particle while it is watched

typedef struct Wardrobe {
    const char *script;
    int fabrics; // so many of them
    double most; // share of the garments that may still move by more than CALM
    bool rests;  // the rest rule slows cloth, and characters fall asleep
} Wardrobe;

static int bodies_of(const Wardrobe *wardrobe) {
    return POSES * wardrobe->fabrics;
}

static int garments_of(void) {
    return crowd[0][0].rig->garment_count;
}

static int still_seconds(const Wardrobe *wardrobe, int body) {
    return body % wardrobe->fabrics == 0 ? 9 : 5; // rubber has the least damping
}

static void shake(const Wardrobe *wardrobe, int rate) {
    const float gravity[3] = {0.0f, -9.81f, 0.0f};
    assert_true(motion_start_with(&crowd[0][0], wardrobe->script, rate, gravity, wardrobe->rests));
    for (int body = 0; body < bodies_of(wardrobe); body++) {
        if (body > 0) motion_another(&crowd[0][0], &crowd[body][0]);
        for (int garment = 0; garment < garments_of(); garment++) {
            Motion *motion = &crowd[body][garment];
            *motion = crowd[body][0];
            assert_true(motion_look_at(motion, garment));
            assert_true(motion_fabric(motion, fabrics[body % wardrobe->fabrics]));
        }
        assert_true(motion_play(&crowd[body][0], "shake", 0.0f));
    }
    for (int tick = 0; tick < rate; tick++) sim_world_step(crowd[0][0].world);
}

static double step_of(Motion *motion) {
    double most = 0.0;
    memcpy(motion->before[0], motion->x, sizeof motion->x);
    motion_read(motion);
    for (int p = 0; p < motion->garment->particle_count; p++)
        most = fmax(most, motion_distance(motion->before[0][p], motion->x[p]) * motion->rate);
    return most;
}

static void watch(const Wardrobe *wardrobe, int rate) {
    const int fade = (int)(FADE * (float)rate);
    memset(fastest, 0, sizeof fastest);
    for (int body = 0; body < bodies_of(wardrobe); body++)
        assert_true(motion_play(&crowd[body][0], poses[body / wardrobe->fabrics], FADE));
    for (int tick = 0; tick < fade + (still_seconds(wardrobe, 0) + AFTER) * rate; tick++) {
        sim_world_step(crowd[0][0].world);
        for (int body = 0; body < bodies_of(wardrobe); body++) {
            const int still = fade + still_seconds(wardrobe, body) * rate;
            if (tick == still + AFTER * rate)
                sim_character_destroy(crowd[0][0].world, crowd[body][0].character);
            if (tick < still - 1 || tick >= still + AFTER * rate) continue;
            for (int garment = 0; garment < garments_of(); garment++) {
                const double speed = step_of(&crowd[body][garment]);
                if (tick >= still) fastest[body][garment] = fmax(fastest[body][garment], speed);
            }
        }
    }
}

// Prints what still moves, and returns how many garments that is.
static int count_moving(const Wardrobe *wardrobe) {
    int moving = 0;
    for (int body = 0; body < bodies_of(wardrobe); body++)
        for (int garment = 0; garment < garments_of(); garment++) {
            const double speed = fastest[body][garment];
            if (speed <= CALM) continue;
            printf("%-8s%-8s%-8s%7.1f mm/s\n", poses[body / wardrobe->fabrics],
                   crowd[0][garment].garment->name, fabrics[body % wardrobe->fabrics], 1e3 * speed);
            moving++;
        }
    return moving;
}

static void assert_calms_down(const Wardrobe *wardrobe, bool at_all_rates) {
    const int count = at_all_rates ? (int)(sizeof rates / sizeof *rates) : 1;
    for (int i = 0; i < count; i++) {
        shake(wardrobe, rates[i]);
        watch(wardrobe, rates[i]);
        const int moving = count_moving(wardrobe), all = bodies_of(wardrobe) * garments_of();
        printf("%s, %d Hz: %d of %d garments move\n", wardrobe->script, rates[i], moving, all);
        if (moving > wardrobe->most * all)
            fail_msg("%s: %d of %d garments move at %d Hz", wardrobe->script, moving, all, rates[i]);
        motion_finish(&crowd[0][0]);
    }
}

// Most are calm 5 s (rubber 9 s) after the body came to a halt and ever after. Rubber keeps some of the 192
// garments moving, and folds that are pressed on the body spring into another place: which ones is chance,
// how many is not (16 at 60 Hz, 18 at 30 Hz, 16 at 120 Hz, 33 at 240 Hz). Half of the few garments that are
// judged under sanitizers are of rubber.
static void test_cloth_calms_down_by_itself(void **state) {
    (void)state;
    assert_calms_down(&(Wardrobe){"still", FABRICS, SANITIZED ? 0.35 : 0.2, false}, is_thorough());
}

// Folds and flaps that lie on each other do not push each other for ever, nor does cloth that a pose forces
// through itself.
static void test_layers_calm_down_by_themselves(void **state) {
    (void)state;
    static const char *const scripts[] = {"still_jacket", "still_skirt", "still_cape"};
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++)
        assert_calms_down(&(Wardrobe){scripts[i], FABRICS / 2, 0.35, false},
                          is_thorough() && i == 0 && !SANITIZED);
}

// With the rest rule but two of 32 are left: a cape of rubber, which swings freely, and one of veil with its
// arms up that moves at 5.1 mm/s.
static void test_the_rest_rule_stills_layers(void **state) {
    (void)state;
    static const char *const scripts[] = {"still_jacket", "still_skirt", "still_cape"};
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++)
        assert_calms_down(&(Wardrobe){scripts[i], FABRICS / 2, 0.065, true}, false);
}

// The mean of the fastest particle's speed over a breath, m/s, 3 s after the shake.
static void watch_breath(const Wardrobe *wardrobe, int rate) {
    const int before = 3 * rate;
    memset(fastest, 0, sizeof fastest);
    for (int body = 0; body < bodies_of(wardrobe); body++) {
        char clip[32];
        snprintf(clip, sizeof clip, "%s_breathing", poses[body / wardrobe->fabrics]);
        assert_true(motion_play(&crowd[body][0], clip, FADE));
    }
    for (int tick = 0; tick < before + BREATH * rate; tick++) {
        sim_world_step(crowd[0][0].world);
        for (int body = 0; tick >= before - 1 && body < bodies_of(wardrobe); body++)
            for (int garment = 0; garment < garments_of(); garment++) {
                const double speed = step_of(&crowd[body][garment]);
                if (tick >= before) fastest[body][garment] += speed / (BREATH * rate);
            }
    }
}

static double mean_speed(const Wardrobe *wardrobe) {
    double sum = 0.0;
    for (int body = 0; body < bodies_of(wardrobe); body++)
        for (int garment = 0; garment < garments_of(); garment++) sum += fastest[body][garment];
    return sum / (bodies_of(wardrobe) * garments_of());
}

// The body itself moves at 22 mm/s at most. In a crouch that leaves no room cloth moves, too, but slowly.
static void test_breath_does_not_shake_cloth(void **state) {
    (void)state;
    static const struct {
        const char *script;
        double most; // m/s
    } cases[] = {{"still_jacket", 0.055}, {"still_skirt", 0.055}, {"still_cape", 0.1}};
    for (int i = 0; i < (SANITIZED ? 0 : 3); i++) {
        const Wardrobe wardrobe = {cases[i].script, is_thorough() ? FABRICS / 2 : 2, 0.0, true};
        shake(&wardrobe, rates[0]);
        watch_breath(&wardrobe, rates[0]);
        const double mean = mean_speed(&wardrobe);
        printf("%s, breathing: %.1f mm/s in the mean\n", cases[i].script, 1e3 * mean);
        if (mean > cases[i].most) count_moving(&wardrobe);
        assert_true(mean <= cases[i].most);
        motion_finish(&crowd[0][0]);
    }
}

static void run(const Motion *motion, int seconds) {
    for (int tick = 0; tick < seconds * motion->rate; tick++) sim_world_step(motion->world);
}

// Of the garment that is looked at, after so many seconds and ever after.
static void assert_calm_after(Motion *motion, const char *script, const char *clip, int seconds) {
    run(motion, seconds);
    motion_read(motion);
    for (int tick = 0; tick < AFTER * motion->rate; tick++) {
        sim_world_step(motion->world);
        const double speed = step_of(motion);
        if (speed > CALM)
            fail_msg("%s, %s: moves at %.1f mm/s after %d s", script, clip, 1e3 * speed, seconds);
    }
    motion_finish(motion);
}

// Layers that lie on each other come to rest, too: a jacket's vent, the folds of a full hem and of a skirt.
static void test_what_ships_calms_down_by_itself(void **state) {
    (void)state;
    static const char *const scripts[] = {
        "wake", "dancer", "mannequins/tweed",  "mannequins/silk", "mannequins/denim",
        "hero", "barry",  "mannequins/cotton", "mannequins/down", "mannequins/leather"};
    const int all = (int)(sizeof scripts / sizeof *scripts);
    for (int i = 0; i < (is_thorough() ? all : SANITIZED ? 1 : 3); i++) {
        static Motion motion;
        char path[64];
        snprintf(path, sizeof path, "characters/%s", scripts[i]);
        assert_true(motion_start_with(&motion, path, rates[0], (float[3]){0.0f, -9.81f, 0.0f}, false));
        assert_true(motion_play(&motion, "stand", 0.0f));
        assert_calm_after(&motion, path, "stand", 10);
    }
}

// So do layers that a pose without room presses together, where nothing moves the body.
static void test_held_deep_poses_calm_down(void **state) {
    (void)state;
    static const char *const bodies[] = {"athlete", "boxer"}, *const clips[] = {"tuck", "kick"};
    for (int i = 0; i < (SANITIZED ? 1 : 4); i++) {
        static Motion motion;
        assert_true(motion_start(&motion, bodies[i / 2], rates[0], (float[3]){0.0f, -9.81f, 0.0f}));
        assert_true(motion_play(&motion, "stand", 0.0f));
        run(&motion, 2);
        assert_true(motion_play(&motion, clips[i % 2], 0.3f));
        assert_calm_after(&motion, bodies[i / 2], clips[i % 2], 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cloth_calms_down_by_itself),
                                       cmocka_unit_test(test_layers_calm_down_by_themselves),
                                       cmocka_unit_test(test_the_rest_rule_stills_layers),
                                       cmocka_unit_test(test_breath_does_not_shake_cloth),
                                       cmocka_unit_test(test_what_ships_calms_down_by_itself),
                                       cmocka_unit_test(test_held_deep_poses_calm_down)};
    return cmocka_run_group_tests_name("still", tests, NULL, NULL);
}
