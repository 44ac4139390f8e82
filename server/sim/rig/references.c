// Skin weights of a garment's references: the bones that its top is attached to, blended further down into
// the bones of near colliders.
#include "core/rotation.h"
#include "rig/rig.h"

#include <string.h>

#define BLEND_SOFTNESS                                                                                       \
    0.05f               // m; how far the nearness of a collider is blurred, so that weights change smoothly
#define BLEND_ROWS 0.6f // share of the way down over which the attachment gives way to the near bones

static void reference_skin(SimRig *rig, const SimGarmentDef *def, int garment, int particle, float *weights,
                           SimSkin *out_skin);
static void add_skin(const SimSkin *skin, float share, float *weights);
static void near_weights(const SimRig *rig, const int *colliders, int count, const float *point,
                         float *weights);
static float collider_distance(const SimRig *rig, int index, const float *point);
static void keep_heaviest(const float *weights, int bone_count, SimSkin *out_skin);
static int skin_bone_index(SimRig *rig, int bone);

bool sim_references_build(SimRig *rig, const SimRigDef *def, int garment) {
    SimTopology *topology = &rig->garments[garment].topology;
    float *weights = sim_arena_alloc(&rig->arena, (size_t)rig->posed_bone_count, sizeof *weights);
    if (!weights) return false;
    for (int p = 0; p < topology->particle_count; p++) {
        SimSkin skin;
        reference_skin(rig, &def->garments[garment], garment, p, weights, &skin);
        for (int i = 0; i < SIM_INFLUENCES; i++) {
            topology->skin_weights[SIM_INFLUENCES * p + i] = skin.weights[i];
            if (skin.weights[i] > 0.0f)
                topology->skin_bones[SIM_INFLUENCES * p + i] = skin_bone_index(rig, skin.bones[i]);
        }
    }
    return true;
}

static void reference_skin(SimRig *rig, const SimGarmentDef *def, int garment, int particle, float *weights,
                           SimSkin *out_skin) {
    const SimGarmentInfo *info = &rig->garments[garment].info;
    memset(weights, 0, (size_t)rig->posed_bone_count * sizeof *weights);
    if (def->skins) {
        add_skin(&def->skins[particle], 1.0f, weights);
    } else {
        float down = sim_way_down(&rig->garments[garment], particle);
        float blend = def->references == SIM_REFERENCES_BLEND ? glm_smoothstep(0.0f, BLEND_ROWS, down) : 0.0f;
        const bool own = def->reference_collider_count < 0;
        if (blend > 0.0f)
            near_weights(rig, own ? info->colliders : def->reference_colliders,
                         own ? info->collider_count : def->reference_collider_count, def->positions[particle],
                         weights);
        float sum = 0.0f;
        for (int bone = 0; bone < rig->posed_bone_count; bone++) sum += (weights[bone] *= blend);
        add_skin(&def->attach[particle % def->columns], 1.0f - sum, weights);
    }
    keep_heaviest(weights, rig->posed_bone_count, out_skin);
}

static void add_skin(const SimSkin *skin, float share, float *weights) {
    float sum = 0.0f;
    for (int i = 0; i < SIM_INFLUENCES; i++) sum += skin->weights[i];
    for (int i = 0; i < SIM_INFLUENCES; i++)
        if (skin->weights[i] > 0.0f) weights[skin->bones[i]] += share * skin->weights[i] / sum;
}

// Weights per bone, [bone_count], summing to 1: each collider's bone by the inverse cube of its distance.
static void near_weights(const SimRig *rig, const int *colliders, int count, const float *point,
                         float *weights) {
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        const SimColliderDef *collider = &rig->info.colliders[colliders[i]];
        // Planes have no bone, and colliders on other cloth are no body to follow.
        if (collider->shape == SIM_COLLIDER_PLANE || collider->bone >= rig->posed_bone_count) continue;
        float distance = glm_max(collider_distance(rig, colliders[i], point), 0.0f) + BLEND_SOFTNESS;
        float weight = 1.0f / (distance * distance * distance);
        weights[collider->bone] += weight;
        sum += weight;
    }
    for (int bone = 0; bone < rig->posed_bone_count && sum > 0.0f; bone++) weights[bone] /= sum;
}

// About how far a point at the bind pose is from a collider's surface; exact for spheres.
static float collider_distance(const SimRig *rig, int index, const float *point) {
    const SimColliderDef *collider = &rig->info.colliders[index];
    const mat4 *bone = &rig->info.bones[collider->bone].rest_model;
    SimTransform pose, local = rig->collider_local[index];
    sim_matrix_to_transform(*bone, &pose);
    sim_transform_multiply(&pose, &local, &pose);
    vec3 r;
    glm_vec3_sub((float *)point, pose.position, r);
    versor back;
    sim_quat_inverse(pose.rotation, back);
    sim_quat_rotate(back, r, r);
    if (collider->shape == SIM_COLLIDER_ELLIPSOID) {
        vec3 unit;
        for (int i = 0; i < 3; i++) unit[i] = r[i] / glm_max(collider->radii[i], 1e-4f);
        float scale = glm_vec3_norm(unit);
        return scale > 1e-6f ? glm_vec3_norm(r) * (1.0f - 1.0f / scale)
                             : -glm_vec3_min((float *)collider->radii);
    }
    if (collider->shape == SIM_COLLIDER_SPHERE) return glm_vec3_norm(r) - collider->radius;
    float length = glm_vec3_distance((float *)collider->from, (float *)collider->to);
    float along = glm_clamp(r[1], 0.0f, length);
    float share = length > 0.0f ? along / length : 0.0f;
    r[1] -= along;
    float large = glm_max(collider->radius, collider->radius_end),
          small = glm_min(collider->radius, collider->radius_end);
    return glm_vec3_norm(r) - (large + share * (small - large));
}

// The SIM_INFLUENCES heaviest bones, weights summing to 1.
static void keep_heaviest(const float *weights, int bone_count, SimSkin *out_skin) {
    memset(out_skin, 0, sizeof *out_skin);
    float sum = 0.0f;
    for (int i = 0; i < SIM_INFLUENCES; i++) {
        int heaviest = -1;
        for (int bone = 0; bone < bone_count; bone++) {
            bool taken = false;
            for (int k = 0; k < i; k++)
                taken = taken || (out_skin->bones[k] == bone && out_skin->weights[k] > 0.0f);
            if (!taken && weights[bone] > 0.0f && (heaviest < 0 || weights[bone] > weights[heaviest]))
                heaviest = bone;
        }
        if (heaviest < 0) break;
        out_skin->bones[i] = heaviest;
        out_skin->weights[i] = weights[heaviest];
        sum += weights[heaviest];
    }
    for (int i = 0; i < SIM_INFLUENCES; i++) out_skin->weights[i] /= sum;
}

// Index into the rig's skin bones; adds a new one.
static int skin_bone_index(SimRig *rig, int bone) {
    for (int i = 0; i < rig->skin_bone_count; i++)
        if (rig->skin_bones[i] == bone) return i;
    rig->skin_bones[rig->skin_bone_count] = bone;
    return rig->skin_bone_count++;
}
