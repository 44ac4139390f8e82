// Normalizes a motion: calibration pose, ground, root track, signs of quaternions.
#include "data.h"

#include <cglm/quat.h>
#include <cglm/util.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

// A first frame that jumps by more than this, and the second by less than a quarter of it, is a calibration
// pose (CMU's T-pose turns by 147 and 179 degrees, then by 4 and 1).
#define CALIBRATION_JUMP 0.8f // radians
// A bone whose position changes by less moves by rounding only.
#define STILL 1e-4f // m
// A clip is moved to the ground by at most this share of the character's height; one that is farther off
// flies, swims or sits.
#define GROUND_SHARE 0.1f
// What moves or turns by less stands still beside the bone that carries the motion.
#define STILL_POSITION 1e-3f // m
#define STILL_ROTATION 1e-3f // radians

static bool is_sound(const AssetFile *file, const AssetMotion *motion, AssetError *out_error);
static void drop_calibration(const AssetFile *file, AssetMotion *motion);
static bool stand_on_ground(const AssetFile *file, AssetMotion *motion);
static void lower(const AssetFile *file, AssetMotion *motion, float by);
static int find_carrier(const AssetFile *file, const AssetMotion *motion);
static bool extract_root(const AssetFile *file, AssetMotion *motion, int carrier);
static bool stays(const AssetFile *file, const AssetMotion *motion, int bone, bool *out_turns);
static SimTransform above(const AssetFile *file, const AssetMotion *motion, int bone);
static SimTransform at_rest(const AssetFile *file, int bone);
static float take_frame(SimTransform stand, SimTransform parent, float *position, float *rotation,
                        float last_heading, float *out_root);
static void drop_still_positions(const AssetFile *file, AssetMotion *motion);
static void join_signs(const AssetFile *file, AssetMotion *motion);
static int compare_floats(const void *a, const void *b);

bool asset_motion_normalize(const AssetFile *file, AssetMotion *motion, AssetError *out_error) {
    if (!is_sound(file, motion, out_error)) return false;
    drop_calibration(file, motion);
    bool done = file->is_skinned || stand_on_ground(file, motion);
    int carrier = find_carrier(file, motion);
    if (done && carrier >= 0) done = extract_root(file, motion, carrier);
    if (!done) return asset_fail(out_error, "%s: out of memory", file->path);
    drop_still_positions(file, motion);
    join_signs(file, motion);
    return true;
}

static bool is_sound(const AssetFile *file, const AssetMotion *motion, AssetError *out_error) {
    for (int f = 0; f < motion->frame_count; f++) {
        for (int b = 0; b < file->bone_count; b++) {
            const float *q = motion->rotations[f * file->bone_count + b];
            const float *p = motion->positions[f * file->bone_count + b];
            if (isfinite(q[0] + q[1] + q[2] + q[3]) && asset_is_in_range(p)) continue;
            return asset_fail(out_error, "%s: frame %d of bone \"%s\" is not finite or too large", file->path,
                              f, file->bones[b].name);
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

// The first bone whose position moves, if nothing above it moves or turns; else -1.
static int find_carrier(const AssetFile *file, const AssetMotion *motion) {
    for (int b = 0; b < file->bone_count; b++) {
        bool turns;
        if (!stays(file, motion, b, &turns)) return b;
        if (turns) return -1;
    }
    return -1;
}

// Moves the way over the ground from the bone that carries the motion to the root's track. Returns false when
// memory runs out.
static bool extract_root(const AssetFile *file, AssetMotion *motion, int carrier) {
    motion->root = malloc((size_t)motion->frame_count * sizeof *motion->root);
    if (!motion->root) return false;
    SimTransform stand = at_rest(file, carrier), parent = above(file, motion, carrier);
    float heading = 0.0f;
    for (int f = 0; f < motion->frame_count; f++) {
        int at = f * file->bone_count + carrier;
        heading =
            take_frame(stand, parent, motion->positions[at], motion->rotations[at], heading, motion->root[f]);
    }
    return true;
}

static bool stays(const AssetFile *file, const AssetMotion *motion, int bone, bool *out_turns) {
    int first = motion->first_frame * file->bone_count + bone;
    *out_turns = false;
    for (int f = motion->first_frame; f < motion->frame_count; f++) {
        int at = f * file->bone_count + bone;
        if (glm_vec3_distance(motion->positions[first], motion->positions[at]) > STILL_POSITION) return false;
        float cosine = fabsf(glm_quat_dot(motion->rotations[first], motion->rotations[at]));
        if (2.0f * acosf(fminf(cosine, 1.0f)) > STILL_ROTATION) *out_turns = true;
    }
    return true;
}

// The bones above the carrier stand still, so one frame is enough.
static SimTransform above(const AssetFile *file, const AssetMotion *motion, int bone) {
    int parent = file->bones[bone].parent;
    if (parent < 0) return SIM_TRANSFORM_IDENTITY;
    int at = motion->first_frame * file->bone_count + parent;
    SimTransform upper = above(file, motion, parent);
    return asset_compose(&upper, motion->positions[at], motion->rotations[at]);
}

static SimTransform at_rest(const AssetFile *file, int bone) {
    if (bone < 0) return SIM_TRANSFORM_IDENTITY;
    const SimBoneDef *def = &file->bones[bone];
    SimTransform upper = at_rest(file, def->parent);
    return asset_compose(&upper, def->position, def->rotation);
}

// Heading is the twist about +Y of the carrier's turn since the rest pose; unlike the direction of an axis on
// the ground it is defined in a bend by 90 degrees as well. Where the carrier stands at rest beside the
// origin it goes on standing beside the root. Returns the heading.
static float take_frame(SimTransform stand, SimTransform parent, float *position, float *rotation,
                        float last_heading, float *out_root) {
    SimTransform carrier = asset_compose(&parent, position, rotation);
    versor turn, back;
    glm_quat_inv(stand.rotation, turn);
    glm_quat_mul(carrier.rotation, turn, turn);
    float heading = 2.0f * atan2f(turn[1], turn[3]);
    heading = last_heading + remainderf(heading - last_heading, 2.0f * GLM_PIf);

    vec3 beside = {stand.position[0], 0.0f, stand.position[2]};
    glm_quat(turn, heading, 0.0f, 1.0f, 0.0f);
    glm_quat_rotatev(turn, beside, beside);
    out_root[0] = carrier.position[0] - beside[0];
    out_root[1] = carrier.position[2] - beside[2];
    out_root[2] = heading;

    vec3 offset = {-out_root[0], 0.0f, -out_root[1]};
    glm_vec3_add(carrier.position, offset, carrier.position);
    glm_quat_inv(turn, back);
    glm_quat_rotatev(back, carrier.position, carrier.position);
    glm_quat_mul(back, carrier.rotation, carrier.rotation);

    glm_quat_inv(parent.rotation, back);
    glm_vec3_sub(carrier.position, parent.position, carrier.position);
    glm_quat_rotatev(back, carrier.position, position);
    glm_quat_mul(back, carrier.rotation, rotation);
    glm_quat_normalize(rotation);
    return heading;
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
