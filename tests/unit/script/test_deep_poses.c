// Jacket, skirt and cape in poses that fold them: deep crouches, and knees to the chin, struck within half a
// second and held. Vertical lengths stay exact. In crouches rows do not tear, and cloth is hardly pressed
// into the body. With the knees at the chin the waist, which the cloth hangs from, is deep in the thighs:
// there more gives way. What gives way is counted. Soon the cloth holds still, before the rest rule slows it.
// As the pose is left within half a second, the cloth opens slowly, and all constraints hold: also where the
// body breathes meanwhile.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#include <cglm/cglm.h>

#define STRETCH   1e-5 // of a length
#define TOLERANCE 2e-5 // m
#define WEFT      1.302
#define PRESSED   5e-3 // m
#define STRIKE    0.5f // s
#define HOLD      0.5f // s
#define CALM      0.1f // m/s
#define CALM_FROM 2.0f // s of holding still
#define CALM_TO   2.5f
#define BREATH    0.01 // of the pose's angles, by which a body that breathes moves: 2 cm/s at the knee
#define BREATHS   0.25 // Hz
#define OPENS     6.0  // m/s over the references, on the way out
#define HOLDS     0.5f // s after it, in which all constraints hold again
#define JUDGED    60   // Hz, at most

enum { BONES = 5, GARMENTS = 3 };

// Degrees: thighs lifted, knees bent, trunk bent forward. m of depth, largest weft link and m/s of speed
// later on that are allowed.
typedef struct Pose {
    const char *name;
    float thigh, knee, spine;
    double depth, weft, speed;
} Pose;

static const Pose poses[] = {
    {"crouch", 100, 110, 55, PRESSED, WEFT, CALM},
    {"deep crouch", 110, 120, 55, PRESSED, WEFT, CALM},
    {"squat", 130, 130, 30, PRESSED, WEFT, CALM},
    {"knees to the chin", 140, 130, 40, 60e-3, 6.0, 12.0}, // mostly 30 mm; the skirt does not hold still
};
static const int rates[] = {60, 30, 120, 240};

static int bone_named(const SimRigInfo *rig, const char *name) {
    for (int i = 0; i < rig->bone_count; i++)
        if (strcmp(rig->bones[i].name, name) == 0) return i;
    fail_msg("no bone %s", name);
    return -1;
}

// A bone turned about the model's X axis, from how it is at rest.
static SimPoseBone turned(const Motion *motion, const char *name, float degrees) {
    const int bone = bone_named(motion->rig, name);
    const SimBoneInfo *info = &motion->rig->bones[bone];
    versor rest, above, turn;
    SimPoseBone out = {.bone = bone, .has_rotation = true};
    mat4 matrix;
    glm_mat4_copy((vec4 *)info->rest_model, matrix);
    glm_mat4_quat(matrix, rest);
    glm_mat4_copy((vec4 *)motion->rig->bones[info->parent].rest_model, matrix);
    glm_mat4_quat(matrix, above);
    glm_quat_inv(above, above);
    glm_quat(turn, glm_rad(degrees), 1.0f, 0.0f, 0.0f);
    glm_quat_mul(above, turn, turn);
    glm_quat_mul(turn, rest, out.rotation);
    return out;
}

static void strike(const Motion *motion, const Pose *pose, float share) {
    const SimPoseBone bones[BONES] = {
        turned(motion, "LowerBack", pose->spine * share), turned(motion, "LeftUpLeg", -pose->thigh * share),
        turned(motion, "RightUpLeg", -pose->thigh * share), turned(motion, "LeftLeg", pose->knee * share),
        turned(motion, "RightLeg", pose->knee * share)};
    const SimPoseDef def = {.bones = bones, .bone_count = BONES, .space = SIM_POSE_PARENT};
    sim_character_set_pose(motion->world, motion->character, &def);
}

static void assert_within(const Motion *motion, const Pose *pose, const char *what, double value,
                          double bound) {
    if (!(value <= bound))
        fail_msg("%s in %s at %d Hz: %s %.4g, at most %.4g", motion->garment->name, pose->name, motion->rate,
                 what, value, bound);
}

static double share_of_rest(const Motion *motion, int a, int b) {
    const float(*rest)[3] = motion->garment->rest_model;
    return motion_distance(motion->x[a], motion->x[b]) / motion_distance(rest[a], rest[b]);
}

// Returns how many particles give way: in a body, beyond the max distance or at a torn link.
static int judge_garment(const Motion *motion, const Pose *pose) {
    const SimGarmentInfo *garment = motion->garment;
    const int columns = garment->columns, links = garment->closed ? columns : columns - 1;
    int gave_way = 0;
    for (int p = columns; p < garment->particle_count; p++) {
        const float *x = motion->x[p];
        const int k = p % columns, right = k + 1 < columns ? p + 1 : p + 1 - columns;
        const double depth = motion_deepest(motion, (double[3]){(double)x[0], (double)x[1], (double)x[2]});
        const double beyond = motion_distance(motion->references[p], x) - (double)motion->limits[p];
        const double weft = k < links ? share_of_rest(motion, p, right) : 0.0;
        assert_within(motion, pose, "stretch", fabs(share_of_rest(motion, p - columns, p) - 1.0), STRETCH);
        assert_within(motion, pose, "m deep", depth, pose->depth);
        assert_within(motion, pose, "weft", weft, pose->weft);
        gave_way += depth > TOLERANCE || beyond > TOLERANCE || weft > WEFT;
    }
    return gave_way;
}

static void judge_speed(const Motion *motion, const Pose *pose, float before[][3]) {
    for (int p = 0; p < motion->garment->particle_count; p++)
        assert_within(motion, pose, "m/s", motion_distance(before[p], motion->x[p]) * motion->rate,
                      pose->speed);
}

static void judge_calm(Motion *motion, const Pose *pose, double breath) {
    static float before[GARMENTS][MOTION_PARTICLES][3];
    const int rate = motion->rate, from = (int)((CALM_FROM - HOLD) * (float)rate),
              to = (int)((CALM_TO - HOLD) * (float)rate);
    assert_in_range(motion->rig->garment_count, 1, GARMENTS);
    for (int tick = 1; tick <= to; tick++) {
        const double phase = 2.0 * GLM_PI * BREATHS * tick / rate;
        strike(motion, pose, (float)(1.0 + breath * sin(phase)));
        sim_world_step(motion->world);
        for (int i = 0; tick >= from && i < motion->rig->garment_count; i++) {
            assert_true(motion_look_at(motion, i));
            motion_read(motion);
            if (tick > from && breath == 0.0) judge_speed(motion, pose, before[i]);
            memcpy(before[i], motion->x, sizeof before[i]);
        }
    }
}

// The way a particle went over its reference in a tick, m.
static double way_over_reference(const Motion *motion, int particle, const float x[3],
                                 const float reference[3]) {
    double way = 0.0;
    for (int k = 0; k < 3; k++) {
        const float carried = motion->references[particle][k] - reference[k];
        way += pow((double)(motion->x[particle][k] - x[k] - carried), 2.0);
    }
    return sqrt(way);
}

// Cloth that lay without room does not snap open.
static void judge_way_out(Motion *motion, const Pose *pose) {
    static float x[GARMENTS][MOTION_PARTICLES][3], references[GARMENTS][MOTION_PARTICLES][3];
    const int out = (int)(STRIKE * (float)motion->rate), held = (int)(HOLDS * (float)motion->rate);
    uint64_t conflicts = 0;
    for (int tick = 0; tick <= out + held; tick++) {
        const float share = fmaxf(0.0f, 1.0f - (float)tick / (float)out);
        strike(motion, pose, share * share * (3.0f - 2.0f * share));
        if (tick > 0) sim_world_step(motion->world);
        for (int i = 0; i < motion->rig->garment_count; i++) {
            assert_true(motion_look_at(motion, i));
            motion_read(motion);
            for (int p = 0; tick > 0 && p < motion->garment->particle_count; p++)
                assert_within(motion, pose, "m/s on the way out",
                              way_over_reference(motion, p, x[i][p], references[i][p]) * motion->rate, OPENS);
            memcpy(x[i], motion->x, sizeof x[i]);
            memcpy(references[i], motion->references, sizeof references[i]);
        }
        if (tick == out + held - 1) conflicts = sim_world_stats(motion->world).constraint_conflicts;
    }
    assert_int_equal(sim_world_stats(motion->world).constraint_conflicts, conflicts);
}

// Goes into the pose and holds it. Returns how much has given way.
static uint64_t hold_pose(Motion *motion, const Pose *pose, int rate) {
    uint64_t counted = 0, before;
    assert_true(motion_start(motion, "still", rate, (float[3]){0.0f, -9.81f, 0.0f}));
    assert_true(motion_play(motion, "stand", 0.0f));
    for (int tick = 0; tick < rate; tick++) sim_world_step(motion->world);
    assert_int_equal(sim_world_stats(motion->world).constraint_conflicts, 0);
    const int ticks = (int)((STRIKE + HOLD) * (float)rate), every = rate > JUDGED ? rate / JUDGED : 1;
    for (int tick = 1; tick <= ticks; tick++) {
        const float share = fminf(1.0f, (float)tick / (STRIKE * (float)rate));
        int gave_way = 0;
        strike(motion, pose, share * share * (3.0f - 2.0f * share));
        before = sim_world_stats(motion->world).constraint_conflicts;
        sim_world_step(motion->world);
        for (int i = 0; tick % every == 0 && i < motion->rig->garment_count; i++) {
            assert_true(motion_look_at(motion, i));
            motion_read(motion);
            gave_way += judge_garment(motion, pose);
        }
        counted = sim_world_stats(motion->world).constraint_conflicts;
        assert_within(motion, pose, "particles of all garments that give way uncounted",
                      (double)gave_way - (double)(counted - before), 0.0);
    }
    return counted;
}

static void judge_pose(const Pose *pose, int rate, double breath) {
    static Motion motion;
    assert_true(hold_pose(&motion, pose, rate) > 0);
    judge_calm(&motion, pose, breath);
    judge_way_out(&motion, pose);
    motion_finish(&motion);
}

static void test_rows_hold(void **state) {
    (void)state;
    const size_t pose_count = SANITIZED ? 2 : sizeof poses / sizeof *poses;
    const size_t rate_count = is_thorough() ? sizeof rates / sizeof *rates : 1;
    for (size_t i = 0; i < pose_count; i++)
        for (size_t k = 0; k < 2 * rate_count; k++) judge_pose(&poses[i], rates[k / 2], k % 2 ? BREATH : 0.0);
}

// A row that is torn when the body comes to rest is mended, and stays so: poses of many depths.
static void test_rows_are_whole_in_poses_of_all_depths(void **state) {
    (void)state;
    const int rate_count = is_thorough() ? 4 : 1;
    for (int thigh = 90; thigh <= 110 && !SANITIZED; thigh += 5)
        for (int spine = 25; spine <= 55; spine += 15)
            for (int i = 0; i < rate_count; i++) {
                const Pose pose = {"a crouch", (float)thigh, (float)thigh + 10.0f, (float)spine, PRESSED,
                                   WEFT,       CALM};
                static Motion motion;
                hold_pose(&motion, &pose, rates[(i + 1) % 4]);
                motion_finish(&motion);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_hold),
        cmocka_unit_test(test_rows_are_whole_in_poses_of_all_depths),
    };
    return cmocka_run_group_tests_name("deep poses", tests, NULL, NULL);
}
