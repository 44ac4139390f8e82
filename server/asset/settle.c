// Puts a motion right: calibration pose, ground, root track, signs of quaternions.
#include "data.h"
#include "error.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

// A first frame that jumps by more than this, and the second by less than a quarter of it, is a calibration
// pose (CMU's T-pose turns by 147 and 179 degrees, then by 4 and 1).
#define CALIBRATION_JUMP 0.8f // radians
// A bone whose position changes by less moves by rounding only.
#define STILL 1e-4f // m
// A clip is set down or lifted by at most this share of the character's height; what is farther off flies,
// swims or sits on purpose.
#define GROUND_SHARE 0.1f

static bool is_sound(const AssetFile *file, const AssetMotion *motion, AssetError *out_error);
static float turn_between(const AssetFile *file, const AssetMotion *motion, int frame);
static void drop_calibration(const AssetFile *file, AssetMotion *motion);
static bool stand_on_ground(const AssetFile *file, AssetMotion *motion);
static void lower(const AssetFile *file, AssetMotion *motion, float by);
static void drop_still_positions(const AssetFile *file, AssetMotion *motion);
static void join_signs(const AssetFile *file, AssetMotion *motion);
static int compare_floats(const void *a, const void *b);

bool asset_motion_settle(const AssetFile *file, AssetMotion *motion, AssetError *out_error) {
    if (!is_sound(file, motion, out_error)) return false;
    drop_calibration(file, motion);
    bool done = file->is_skinned || stand_on_ground(file, motion);
    int carrier = asset_motion_carrier(file, motion);
    if (done && carrier >= 0) done = asset_motion_take_root(file, motion, carrier);
    if (!done) return asset_fail(out_error, "%s: not enough memory for its motion", file->path);
    drop_still_positions(file, motion);
    join_signs(file, motion);
    return true;
}

void asset_motion_finish(AssetMotion *motion) {
    free(motion->name);
    free(motion->rotations);
    free(motion->positions);
    free(motion->root);
}

static bool is_sound(const AssetFile *file, const AssetMotion *motion, AssetError *out_error) {
    for (int f = 0; f < motion->frame_count; f++) {
        for (int b = 0; b < file->bone_count; b++) {
            const float *q = motion->rotations[f * file->bone_count + b];
            const float *p = motion->positions[f * file->bone_count + b];
            if (isfinite(q[0] + q[1] + q[2] + q[3]) && asset_is_near(p)) continue;
            return asset_fail(out_error,
                              "%s: frame %d of bone \"%s\" has a value that is no number, or too far",
                              file->path, f, file->bones[b].name);
        }
    }
    return true;
}

// The largest turn of a bone in its parent's space from a frame to the next, radians.
static float turn_between(const AssetFile *file, const AssetMotion *motion, int frame) {
    float least = 1.0f;
    for (int b = 0; b < file->bone_count; b++) {
        int at = frame * file->bone_count + b;
        float cosine = fabsf(glm_quat_dot(motion->rotations[at], motion->rotations[at + file->bone_count]));
        least = fminf(least, cosine);
    }
    return 2.0f * acosf(least);
}

static void drop_calibration(const AssetFile *file, AssetMotion *motion) {
    if (motion->frame_count < 3) return;
    float jump = turn_between(file, motion, 0);
    if (jump > CALIBRATION_JUMP && turn_between(file, motion, 1) < 0.25f * jump) motion->first_frame = 1;
}

static bool stand_on_ground(const AssetFile *file, AssetMotion *motion) {
    int count = motion->frame_count - motion->first_frame;
    float *lowest = malloc((size_t)count * sizeof *lowest);
    SimTransform *pose = malloc((size_t)file->bone_count * sizeof *pose);
    bool done = lowest && pose;
    for (int i = 0; done && i < count; i++) {
        int at = (motion->first_frame + i) * file->bone_count;
        asset_pose_model(file, motion->rotations + at, motion->positions + at, pose);
        lowest[i] = asset_pose_lowest(file, pose);
    }
    if (done) {
        qsort(lowest, (size_t)count, sizeof *lowest, compare_floats);
        float ground = lowest[count / 20]; // a stray frame may lie lower
        ground -= ASSET_SOLE_SHARE * file->height;
        if (fabsf(ground) < GROUND_SHARE * file->height) lower(file, motion, ground);
    }
    free(lowest);
    free(pose);
    return done;
}

static void lower(const AssetFile *file, AssetMotion *motion, float by) {
    for (int b = 0; b < file->bone_count; b++)
        for (int f = 0; f < motion->frame_count && file->bones[b].parent < 0; f++)
            motion->positions[f * file->bone_count + b][1] -= by;
}

// Bones that leave their rest position by rounding only stay exactly there; where all do, no positions are
// kept.
static void drop_still_positions(const AssetFile *file, AssetMotion *motion) {
    bool any = false;
    for (int b = 0; b < file->bone_count; b++) {
        float *rest = (float *)file->bones[b].position;
        float farthest = 0.0f;
        for (int f = motion->first_frame; f < motion->frame_count; f++)
            farthest = fmaxf(farthest, glm_vec3_distance(motion->positions[f * file->bone_count + b], rest));
        any = any || farthest > STILL;
        for (int f = 0; f < motion->frame_count && farthest <= STILL; f++)
            glm_vec3_copy(rest, motion->positions[f * file->bone_count + b]);
    }
    if (any) return;
    free(motion->positions);
    motion->positions = NULL;
}

static void join_signs(const AssetFile *file, AssetMotion *motion) {
    for (int i = file->bone_count; i < file->bone_count * motion->frame_count; i++)
        if (glm_quat_dot(motion->rotations[i], motion->rotations[i - file->bone_count]) < 0.0f)
            glm_vec4_negate(motion->rotations[i]);
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
