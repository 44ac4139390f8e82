// Takes the way over the ground out of the bone that carries a motion and makes it the root's track.
#include "data.h"

#include <cglm/quat.h>
#include <cglm/util.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#define STILL_POSITION 1e-3f // m
#define STILL_ROTATION 1e-3f // radians

static bool stays(const AssetFile *file, const AssetMotion *motion, int bone, bool *out_turns);
static SimTransform above(const AssetFile *file, const AssetMotion *motion, int bone);
static SimTransform at_rest(const AssetFile *file, int bone);
static float take_frame(SimTransform stand, SimTransform parent, float *position, float *rotation,
                        float last_heading, float *out_root);

int asset_motion_carrier(const AssetFile *file, const AssetMotion *motion) {
    for (int b = 0; b < file->bone_count; b++) {
        bool turns;
        if (!stays(file, motion, b, &turns)) return b;
        if (turns) return -1;
    }
    return -1;
}

bool asset_motion_take_root(const AssetFile *file, AssetMotion *motion, int carrier) {
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

// What lies above the carrier stands still, so one frame tells where.
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
