// Real motion capture through the importer, against a plain evaluation of the BVH text in double precision.
// Skipped where Debian's assimp-testmodels, or assimp, is missing.
#include "bvh.h"

#define MOST_JOINTS   64
#define MOST_CHANNELS 200
#define RADIANS       0.017453292519943295

static void rotate(const float q[4], const double v[3], double out[3]) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    apply(m, v, out);
}

// A bone's position in model space, from its parents.
static void place(const AssetFile *file, const AssetClip *clip, int frame, int bone, const double local[3],
                  double out[3]) {
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    memcpy(out, local, 3 * sizeof *out);
    for (; bone >= 0; bone = bones[bone].parent) {
        int at = frame * count + bone;
        double turned[3];
        const float *position = clip->positions ? clip->positions[at] : bones[bone].position;
        rotate(clip->rotations[at], out, turned);
        for (int i = 0; i < 3; i++) out[i] = turned[i] + (double)position[i];
    }
}

// In world space, by the root motion.
static void place_world(const AssetFile *file, const AssetClip *clip, int frame, int bone, double out[3]) {
    double model[3], by[9];
    place(file, clip, frame, bone, (double[3]){0, 0, 0}, model);
    turn_by('Y', (double)clip->root[frame][2] / RADIANS, by);
    apply(by, model, out);
    out[0] += (double)clip->root[frame][0];
    out[2] += (double)clip->root[frame][1];
}

// The imported motion is the file's after one fixed placement: turned by the first frame's heading, moved
// over the ground, and lifted.
static void assert_same_motion(const char *name, float scale, int first_frame, int every) {
    char path[256];
    AssetFile *file = load(name, path);
    Bvh *bvh = read_bvh(path);
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    assert_int_equal(count, bvh->joint_count);
    assert_float_equal(file->scale, scale, 1e-7);
    AssetClipInfo info = asset_file_clip_info(file, 0);
    assert_int_equal(info.frame_count, bvh->frame_count);
    assert_float_equal(info.first, (float)first_frame / info.rate, 1e-6);
    AssetClip clip = cut(file, -1.0f, -1.0f);
    assert_int_equal(clip.frame_count, bvh->frame_count - first_frame);
    assert_float_equal(clip.root[0][0], 0, 0);
    assert_float_equal(clip.root[0][1], 0, 0);
    assert_float_equal(clip.root[0][2], 0, 0);

    // The fixed placement, from the hips' twist about +Y and their place in the first frame.
    Frame frames[MOST_JOINTS];
    evaluate(bvh, first_frame, frames);
    const double *m = frames[0].turn;
    double heading = 2.0 * atan2(m[2] - m[6], 1.0 + m[0] + m[4] + m[8]);
    double hips[3], by[9], worst = 0.0;
    place_world(file, &clip, 0, 0, hips);
    double lift = hips[1] - frames[0].at[1] * (double)scale;
    double origin[3] = {frames[0].at[0], frames[0].at[1], frames[0].at[2]};
    turn_by('Y', -heading / RADIANS, by);
    for (int f = 0; f < clip.frame_count; f += every) {
        evaluate(bvh, first_frame + f, frames);
        for (int j = 0; j < bvh->joint_count; j++) {
            assert_string_equal(bones[j].name, bvh->joints[j].name);
            double at[3], turned[3], found[3];
            for (int i = 0; i < 3; i++)
                at[i] = (frames[j].at[i] - (i == 1 ? 0.0 : origin[i])) * (double)scale;
            apply(by, at, turned);
            turned[1] += lift;
            place_world(file, &clip, f, j, found);
            for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(found[i] - turned[i]));
        }
    }
    print_message("%s: farthest joint from its place %.2g m, lifted by %.3f m\n", name, worst, lift);
    assert_true(worst < 5e-6);
    asset_clip_finish(&clip);
    free_bvh(bvh);
    asset_file_destroy(file);
}

static void test_cmu_jumps_are_the_file_s_own(void **state) {
    (void)state;
    assert_same_motion("BVH/01_01.bvh", 0.056444f, 1, 3);
}

static void test_cmu_climbing_is_the_file_s_own(void **state) {
    (void)state;
    assert_same_motion("BVH/01_03.bvh", 0.056444f, 1, 7);
}

static void test_boxing_is_the_file_s_own(void **state) {
    (void)state;
    assert_same_motion("BVH/Boxing_Toes.bvh", 0.01f, 0, 5);
}

static void test_calibration_pose_is_dropped(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("BVH/01_01.bvh", path);
    AssetClipInfo info = asset_file_clip_info(file, 0);
    assert_int_equal(asset_file_clip_count(file), 1);
    assert_string_equal(info.name, "Motion");
    assert_float_equal(info.rate, 120, 0);
    assert_int_equal(info.frame_count, 2752);
    assert_float_equal(info.first, 1.0f / 120.0f, 1e-6);
    assert_float_equal(info.duration, 22.925f, 1e-4);
    AssetClip clip = cut(file, -1.0f, -1.0f);
    double largest = 0.0;
    for (int f = 1; f < clip.frame_count; f++) {
        for (int b = 0; b < clip.bone_count; b++) {
            const float *q = clip.rotations[f * clip.bone_count + b],
                        *p = clip.rotations[(f - 1) * clip.bone_count + b];
            double cosine = (double)(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
            assert_true(cosine >= 0.0); // one sign throughout
            largest = fmax(largest, 2.0 * acos(fmin(cosine, 1.0)) / RADIANS);
        }
        assert_true(fabsf(clip.root[f][2] - clip.root[f - 1][2]) < 0.2f); // unwrapped
    }
    print_message("largest turn in a frame %.1f degrees\n", largest);
    assert_true(largest < 30.0);
    asset_clip_finish(&clip);
    asset_file_destroy(file);
}

// Hip joints and feet of a man who jumps: SIMULATION's range of the thighs, and ground under the feet.
static void test_thighs_and_feet_are_plausible(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("BVH/01_01.bvh", path);
    AssetClip clip = cut(file, 0.1f, 22.9f);
    assert_int_equal(clip.frame_count, 2748 - 12 + 1);
    int hips = find_bone(file, "Hips"), toe = find_bone(file, "LeftToeBase");
    const char *tops[] = {"LeftUpLeg", "RightUpLeg"}, *knees[] = {"LeftLeg", "RightLeg"};
    double least = 90, most = -90, low = 9, high = -9, lowest_toe = 9;
    for (int f = 0; f < clip.frame_count; f++) {
        for (int side = 0; side < 2; side++) {
            double top[3], knee[3], back[4], along[3];
            place(file, &clip, f, find_bone(file, tops[side]), (double[3]){0, 0, 0}, top);
            place(file, &clip, f, find_bone(file, knees[side]), (double[3]){0, 0, 0}, knee);
            const float *q = clip.rotations[f * clip.bone_count + hips];
            float inverse[4] = {-q[0], -q[1], -q[2], q[3]};
            for (int i = 0; i < 3; i++) back[i] = knee[i] - top[i];
            rotate(inverse, back, along); // in the hips' space
            double flexion = atan2(along[2], -along[1]) / RADIANS;
            least = fmin(least, flexion);
            most = fmax(most, flexion);
        }
        double at[3], tip[3];
        place(file, &clip, f, hips, (double[3]){0, 0, 0}, at);
        assert_float_equal(at[0], 0, 1e-5); // the way over the ground is the root's
        assert_float_equal(at[2], 0, 1e-5);
        low = fmin(low, at[1]);
        high = fmax(high, at[1]);
        place(file, &clip, f, toe, (double[3]){0, 0, 0}, tip);
        lowest_toe = fmin(lowest_toe, tip[1]);
    }
    print_message("thighs %.1f to %.1f degrees, hips %.2f to %.2f m, lowest toe %.3f m\n", least, most, low,
                  high, lowest_toe);
    assert_true(least > -8 && least < -4 && most > 62 && most < 67);
    assert_true(low > 0.75 && high > 1.2 && high < 1.3);
    assert_true(lowest_toe > 0.01 && lowest_toe < 0.03);
    asset_clip_finish(&clip);
    asset_file_destroy(file);
}

static void test_a_row_too_many_is_left_alone(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("BVH/Boxing_Toes.bvh", path);
    Bvh *bvh = read_bvh(path);
    assert_int_equal(bvh->row_count, bvh->frame_count + 1); // otherwise this test says nothing
    int count;
    asset_file_bones(file, &count);
    assert_int_equal(count, 21);
    assert_float_equal(asset_file_clip_info(file, 0).rate, 100, 0);
    assert_float_equal(asset_file_clip_info(file, 0).duration, 30.68, 1e-4);
    assert_float_equal(asset_file_height(file), 1.7326, 1e-4);
    free_bvh(bvh);
    asset_file_destroy(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmu_jumps_are_the_file_s_own),
        cmocka_unit_test(test_cmu_climbing_is_the_file_s_own),
        cmocka_unit_test(test_boxing_is_the_file_s_own),
        cmocka_unit_test(test_calibration_pose_is_dropped),
        cmocka_unit_test(test_thighs_and_feet_are_plausible),
        cmocka_unit_test(test_a_row_too_many_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
