// What clients see is what was simulated: a mesh skinned to the streamed bones of each shipped character lies
// on the cloth and outside the body.
#include "sanitized.h"
#include "script/skinned.h"
#include "unit_test.h"

#define SECONDS      (SANITIZED ? 0.5 : 4.0)
#define JUDGED       15 // times a second
#define GARMENTS     4
#define DANCER       "characters/dancer"
#define MOST_RMS     4e-3  // m
#define MOST_DEEP    5e-3  // share of the points
#define MOST_DEPTH   8e-3  // m
#define DODGE_DEPTH  20e-3 // the jacket crumples between arm and hip within a few ticks
#define VEIL_DEPTH   20e-3 // a veil's fold between shoulder and neck, at single points of the mesh
#define CIRCLE_DEPTH 30e-3 // a circle's hairpin folds round forearms and between thighs, at single points

static const float gravity[3] = {0.0f, -9.81f, 0.0f};

// A dodge as the command has it: out of the walk and back.
static void play(Motion *motion, const char *clip, int tick) {
    const int rate = motion->rate, period = 2 * rate;
    const bool dodges = strcmp(clip, "dodge") == 0;
    bool known = true;
    if (tick == 0) known = motion_play(motion, dodges ? "walk" : clip, 0.0f);
    if (dodges && tick % period == rate) known = motion_play(motion, "dodge", 0.1f);
    if (dodges && tick % period == rate + rate * 8 / 10) known = motion_play(motion, "walk", 0.3f);
    assert_true(known);
}

// As the dancer's on_spawn sets it: scripts' functions do not run here.
static void set_damping(const Motion *motion) {
    SimFabric silk = *sim_garment_fabric(motion->world, motion->character, 0);
    silk.damping = 1.0f;
    sim_garment_set_fabric(motion->world, motion->character, 0, &silk, false);
}

static double most_depth(const char *script, const char *clip) {
    if (strcmp(clip, "dodge") == 0) return DODGE_DEPTH;
    if (strcmp(script, "characters/old_lady") == 0) return VEIL_DEPTH;
    return strcmp(script, DANCER) == 0 ? CIRCLE_DEPTH : MOST_DEPTH;
}

static void assert_follows(const Motion *motion, const char *script, const char *clip, const char *garment,
                           const Skinned *skinned) {
    const double rms = skinned_rms(skinned), deep = (double)skinned->deep / (double)skinned->samples;
    if (rms > MOST_RMS || deep > MOST_DEEP || skinned->depth > most_depth(script, clip) ||
        skinned->off > 1e-4)
        fail_msg("%s, %s, %s, %d Hz: %.1f mm RMS, %.2f %% deeper than 2 mm, %.1f mm at worst, %.2g mm off a "
                 "particle",
                 script, clip, garment, motion->rate, 1e3 * rms, 100.0 * deep, 1e3 * skinned->depth,
                 1e3 * skinned->off);
}

static void judge_clip(Motion *motion, const char *script, const char *clip) {
    Skinned skinned[GARMENTS] = {0};
    const SimRigInfo *rig = motion->rig;
    assert_true(rig->garment_count <= GARMENTS);
    for (int tick = 0; tick < (int)(SECONDS * motion->rate); tick++) {
        play(motion, clip, tick);
        sim_world_step(motion->world);
        for (int i = 0; tick % (motion->rate / JUDGED) == 0 && i < rig->garment_count; i++)
            if (rig->garments[i].kind == SIM_GARMENT_CLOTH) skinned_judge(motion, i, &skinned[i]);
    }
    for (int i = 0; i < rig->garment_count; i++)
        if (skinned[i].samples) assert_follows(motion, script, clip, rig->garments[i].name, &skinned[i]);
}

// Each clip by somebody of its own.
static void judge_character(const char *script, int rate) {
    static Motion motion, another;
    assert_true(motion_start(&motion, script, rate, gravity));
    for (int clip = 0; clip < motion.rig->clip_count; clip++) {
        motion_another(&motion, &another);
        if (strcmp(script, DANCER) == 0) set_damping(&another);
        judge_clip(&another, script, motion.rig->clip_names[clip]);
        sim_character_destroy(another.world, another.character);
    }
    motion_finish(&motion);
}

static void test_shipped_characters(void **state) {
    (void)state;
    static const char *const scripts[] = {"wake", "dancer", "hero", "barry", "old_lady", "boxer", "wolf"};
    for (size_t i = 0; i < (SANITIZED ? 3 : sizeof scripts / sizeof *scripts); i++) {
        char script[64];
        snprintf(script, sizeof script, "characters/%s", scripts[i]);
        judge_character(script, 60);
    }
}

static void test_at_other_rates(void **state) {
    (void)state;
    static const int rates[] = {30, 120, 240};
    for (int i = 0; i < (is_thorough() ? 3 : 0); i++) judge_character("characters/wake", rates[i]);
}

// Cloth that names no mesh has one: half its thickness off the cloth on both sides, and rounder where it
// folds.
static void test_default_meshes(void **state) {
    (void)state;
    static const char character[] = "characters/old_lady"; // her veil has no mesh of its own
    static Motion motion;
    Skinned skinned = {0};
    assert_true(motion_start(&motion, character, 60, gravity));
    const SimRenderMesh *mesh = motion.rig->meshes;
    while (mesh->garment != 0) mesh++;
    assert_string_equal(mesh->name, motion.rig->garments[0].name);
    for (int tick = 0; tick < (SANITIZED ? 20 : 2 * 60); tick++) {
        play(&motion, "walk", tick);
        sim_world_step(motion.world);
        if (tick % 10 == 9) skinned_judge_mesh(&motion, mesh, &skinned);
    }
    if (skinned_rms(&skinned) > MOST_RMS) fail_msg("%s: %.1f mm RMS", character, 1e3 * skinned_rms(&skinned));
    motion_finish(&motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_meshes),
        cmocka_unit_test(test_shipped_characters),
        cmocka_unit_test(test_at_other_rates),
    };
    return cmocka_run_group_tests_name("skinned", tests, NULL, NULL);
}
