// Bones driven by cloth, and their continuity from tick to tick.
#include "cloth_bones.h"

#include "rotation.h"

#include <stdio.h>

#define KEEP_SHORTER 0.1f // an edge under this share of its rest length gives no direction
#define REVERSED     -0.9999f

static float link_length(const SimTopology *topology, int particle) {
    return topology->column_length[particle];
}

// The wanted y, not yet at right angles to x, and how much it can be trusted: its part across x over the rest
// span.
static float wanted_y(const SimGarmentType *garment, int bone, const float (*positions)[3],
                      const mat4 *bones_model, const vec3 x, vec3 out_y) {
    const int *cross = garment->bone_cross[bone];
    float span = garment->bone_span[bone];
    if (cross[0] == cross[1]) {
        // Without neighbours: the side of the bone it hangs from.
        glm_vec3_copy((float *)bones_model[garment->bone_attach[bone]][0], out_y);
        span = 1.0f;
    } else {
        glm_vec3_sub((float *)positions[cross[1]], (float *)positions[cross[0]], out_y);
    }
    float along = glm_vec3_dot(out_y, (float *)x);
    for (int i = 0; i < 3; i++) out_y[i] -= along * x[i];
    float across = glm_vec3_norm(out_y);
    if (across > 1e-9f) glm_vec3_scale(out_y, 1.0f / across, out_y);
    return across / span;
}

static bool link_direction(const SimGarmentType *garment, int bone, const float (*positions)[3], vec3 out_x) {
    int particle = garment->info.bones[bone].particle;
    glm_vec3_sub((float *)positions[particle + garment->topology.columns], (float *)positions[particle],
                 out_x);
    float length = glm_vec3_norm(out_x);
    if (length < KEEP_SHORTER * link_length(&garment->topology, particle)) return false;
    glm_vec3_scale(out_x, 1.0f / length, out_x);
    return true;
}

void sim_cloth_frames_start(const SimGarmentType *garment, const float (*positions)[3],
                            const mat4 *bones_model, SimClothFrame *frames) {
    for (int bone = 0; bone < garment->info.bone_count; bone++) {
        SimClothFrame *frame = &frames[bone];
        if (!link_direction(garment, bone, positions, frame->x))
            glm_vec3_copy((vec3){0.0f, -1.0f, 0.0f}, frame->x);
        if (wanted_y(garment, bone, positions, bones_model, frame->x, frame->y) < 1e-4f)
            sim_perpendicular(frame->x, frame->y);
    }
}

// y at right angles to x, after the smallest turn from the old x to the new.
static void carry_y(const vec3 old_x, const vec3 x, vec3 y) {
    if (glm_vec3_dot((float *)old_x, (float *)x) > REVERSED) {
        versor turn;
        sim_quat_between(old_x, x, turn);
        sim_quat_rotate(turn, y, y);
    }
    float along = glm_vec3_dot(y, (float *)x);
    for (int i = 0; i < 3; i++) y[i] -= along * x[i];
    if (glm_vec3_norm(y) < 1e-6f) sim_perpendicular(x, y);
    glm_vec3_normalize(y);
}

// At most 1 to 59 degrees in 1/60 s.
static void twist_towards(const vec3 x, const vec3 wanted, float trust, float dt, vec3 y) {
    vec3 side;
    glm_vec3_cross((float *)x, y, side);
    float angle = atan2f(glm_vec3_dot(side, (float *)wanted), glm_vec3_dot(y, (float *)wanted));
    float bound = glm_rad(1.0f + 58.0f * glm_smoothstep(0.05f, 0.35f, trust)) * dt * 60.0f;
    angle = glm_clamp(angle, -bound, bound);
    float cosine = cosf(angle), sine = sinf(angle);
    for (int i = 0; i < 3; i++) y[i] = cosine * y[i] + sine * side[i];
    glm_vec3_normalize(y);
}

void sim_cloth_frames_advance(const SimGarmentType *garment, const float (*positions)[3],
                              const mat4 *bones_model, float dt, SimClothFrame *frames) {
    for (int bone = 0; bone < garment->info.bone_count; bone++) {
        SimClothFrame *frame = &frames[bone];
        vec3 x, wanted;
        if (!link_direction(garment, bone, positions, x)) glm_vec3_copy(frame->x, x);
        carry_y(frame->x, x, frame->y);
        glm_vec3_copy(x, frame->x);
        float trust = wanted_y(garment, bone, positions, bones_model, x, wanted);
        if (trust > 1e-4f) twist_towards(x, wanted, trust, dt, frame->y);
    }
}

void sim_cloth_frames_matrices(const SimGarmentType *garment, const float (*positions)[3],
                               const SimClothFrame *frames, mat4 *out_bones) {
    for (int bone = 0; bone < garment->info.bone_count; bone++) {
        vec4 *matrix = out_bones[bone];
        glm_mat4_identity(matrix);
        glm_vec3_copy((float *)frames[bone].x, matrix[0]);
        glm_vec3_copy((float *)frames[bone].y, matrix[1]);
        glm_vec3_cross((float *)frames[bone].x, (float *)frames[bone].y, matrix[2]);
        glm_vec3_copy((float *)positions[garment->info.bones[bone].particle], matrix[3]);
    }
}

static void name_bone(SimArena *arena, const SimGarmentDef *def, int row, int column, SimBoneInfo *bone) {
    char name[80];
    if (def->kind == SIM_GARMENT_PENDULUM)
        snprintf(name, sizeof name, "%s", def->bone_prefix);
    else
        snprintf(name, sizeof name, "%s%d_%d", def->bone_prefix, row, column);
    bone->name = sim_arena_copy_text(arena, name);
}

// The bone that a particle mostly follows.
static int heaviest_bone(const SimRig *rig, const SimTopology *topology, int particle) {
    int best = SIM_INFLUENCES * particle;
    for (int i = 1; i < SIM_INFLUENCES; i++)
        if (topology->skin_weights[SIM_INFLUENCES * particle + i] > topology->skin_weights[best])
            best = SIM_INFLUENCES * particle + i;
    return rig->skin_bones[topology->skin_bones[best]];
}

static void set_neighbours(SimGarmentType *garment, int bone, int row, int column) {
    const SimTopology *topology = &garment->topology;
    int columns = topology->columns, left = column - 1, right = column + 1;
    if (topology->closed) {
        left = (left + columns) % columns;
        right %= columns;
    } else {
        left = left < 0 ? 0 : left;
        right = right >= columns ? columns - 1 : right;
    }
    int *cross = garment->bone_cross[bone];
    cross[0] = row * columns + left;
    cross[1] = row * columns + right;
    garment->bone_span[bone] = glm_vec3_distance(topology->rest[cross[0]], topology->rest[cross[1]]);
}

bool sim_garment_bones_build(SimRig *rig, const SimGarmentDef *def, int garment) {
    SimGarmentType *type = &rig->garments[garment];
    size_t count = (size_t)type->info.bone_count;
    SimGarmentBone *bones = sim_arena_take(&rig->arena, count, sizeof *bones);
    type->bone_span = sim_arena_take(&rig->arena, count, sizeof(float));
    type->bone_cross = sim_arena_take(&rig->arena, count, sizeof *type->bone_cross);
    type->bone_attach = sim_arena_take(&rig->arena, count, sizeof(int));
    SimClothFrame *frames = sim_arena_take(&rig->arena, count, sizeof *frames);
    mat4 *rest = sim_arena_take(&rig->arena, (size_t)rig->info.bone_count, sizeof *rest);
    if (rig->arena.failed) return false;
    type->info.bones = bones;
    SimBoneInfo *infos = (SimBoneInfo *)rig->info.bones;
    const SimBoneKind kinds[] = {SIM_BONE_CLOTH, SIM_BONE_PENDULUM, SIM_BONE_CHAIN};
    int bone = 0, in_row = (int)count / (def->rows - 1);
    for (int row = 0; row + 1 < def->rows; row++)
        for (int column = def->bone_first_column; column < def->columns;
             column += def->bone_column_step, bone++) {
            SimBoneInfo *info = &infos[type->first_bone + bone];
            bones[bone] = (SimGarmentBone){row * def->columns + column, type->first_bone + bone};
            type->bone_attach[bone] = heaviest_bone(rig, &type->topology, column);
            info->kind = kinds[def->kind];
            info->parent = row == 0 ? type->bone_attach[bone] : type->first_bone + bone - in_row;
            name_bone(&rig->arena, def, row, column, info);
            set_neighbours(type, bone, row, column);
        }
    for (int i = 0; i < rig->posed_bone_count; i++) glm_mat4_copy(infos[i].rest_model, rest[i]);
    sim_cloth_frames_start(type, (const float(*)[3])type->topology.rest, (const mat4 *)rest, frames);
    sim_cloth_frames_matrices(type, (const float(*)[3])type->topology.rest, frames, rest + type->first_bone);
    for (int i = type->first_bone; i < type->first_bone + (int)count; i++) {
        glm_mat4_copy(rest[i], infos[i].rest_model);
        glm_inv_tr(rest[i]);
        glm_mat4_copy(rest[i], infos[i].inverse_bind);
    }
    return !rig->arena.failed;
}
