// Cloth bones: their data for the kernel, and their matrices from its lanes.
#include "core/lane.h"
#include "core/rotation.h"
#include "rig/rig.h"
#include "topology/surface.h"

#include <stdio.h>

#define SHORTEST_SPAN 1e-4f // m
#define BONES_AHEAD   4     // are fetched: a crowd's matrices have left the near caches since the last tick

static int pivot_of(const SimGarmentDef *def, int index);
static void set_link(const SimTopology *topology, SimClothBone *bone);
static void set_sides(const SimTopology *topology, SimClothBone *bone);
static void finish_bone(const SimRig *rig, const SimTopology *topology, SimClothBone *bone);
static int column_beside(const SimTopology *topology, int row, int column, int by);
static float rest_span(const SimTopology *topology, const SimClothBone *bone);
static int heaviest_skin_bone(const SimTopology *topology, int particle);
static void set_folds(const SimTopology *topology, SimClothBone *bone);
static SimFold fold_between(const SimTopology *topology, int before, int particle, int after);
static void describe_bone(SimRig *rig, const SimGarmentDef *def, SimGarmentType *type, int index);
static int bone_above(const SimGarmentType *type, const SimGarmentDef *def, int index);
static bool set_rest(const SimRig *rig, const SimGarmentType *type, int bone_columns);
static void rest_matrices(const SimRig *rig, const SimTopology *topology, float *frames, float *poses,
                          mat4 *out_bones);
static void hold_as_at_rest(const SimTopology *topology, int bone_columns, mat4 *rest);

// Bone by bone, all lanes of each: lane by lane every line of memory would be read once for each lane.
void sim_cloth_bones_matrices(const SimTopology *topology, const float *positions, const float *frames,
                              int width, mat4 *const *out_bones) {
    for (int bone = 0; bone < topology->bone_count; bone++) {
        const float *frame = frames + SIM_NUMBERS(SimBoneFrame) * (size_t)(bone * width);
        const float *columns[4] = {
            frame + SIM_NUMBER(SimBoneFrame, x) * (size_t)width,
            frame + SIM_NUMBER(SimBoneFrame, y) * (size_t)width,
            frame + SIM_NUMBER(SimBoneFrame, z) * (size_t)width,
            positions + SIM_NUMBERS(SimLanes3) * (size_t)(topology->bones[bone].pivot * width),
        };
        const int ahead = bone + BONES_AHEAD < topology->bone_count ? bone + BONES_AHEAD : bone;
        for (int lane = 0; lane < width; lane++) {
            if (!out_bones[lane]) continue;
            vec4 *matrix = out_bones[lane][bone];
            __builtin_prefetch(out_bones[lane][ahead], 1);
            for (int column = 0; column < 4; column++)
                for (int i = 0; i < 3; i++) matrix[column][i] = columns[column][i * width + lane];
            matrix[0][3] = matrix[1][3] = matrix[2][3] = 0.0f;
            matrix[3][3] = 1.0f;
        }
    }
}

int sim_garment_bone_rows(const SimGarmentDef *def) {
    if (def->faces) return 1;
    return def->bone_last_row == SIM_LAST_ROW_FOLLOW ? def->rows : def->rows - 1;
}

int sim_garment_bone_columns(const SimGarmentDef *def) {
    if (def->faces) return def->bone_particle_count;
    if (def->bone_column_step < 1) return 0; // not set or invalid; validation reports it
    return (def->columns - def->bone_first_column + def->bone_column_step - 1) / def->bone_column_step;
}

int sim_garment_bone_count(const SimGarmentDef *garment) {
    return sim_garment_bone_rows(garment) * sim_garment_bone_columns(garment);
}

int sim_rig_bone_count(const SimRigDef *def) {
    int count = def->bone_count;
    for (int i = 0; i < def->garment_count; i++) count += sim_garment_bone_count(&def->garments[i]);
    return count;
}

void sim_garment_bone_name(const SimGarmentDef *def, int row, int column,
                           char out_name[SIM_GARMENT_BONE_NAME_SIZE]) {
    if (def->kind == SIM_GARMENT_PENDULUM)
        snprintf(out_name, SIM_GARMENT_BONE_NAME_SIZE, "%s", def->bone_prefix);
    else if (def->faces)
        snprintf(out_name, SIM_GARMENT_BONE_NAME_SIZE, "%s%d", def->bone_prefix, column);
    else
        snprintf(out_name, SIM_GARMENT_BONE_NAME_SIZE, "%s%d_%d", def->bone_prefix, row, column);
}

bool sim_garment_bones_build(SimRig *rig, const SimGarmentDef *def, int garment) {
    SimGarmentType *type = &rig->garments[garment];
    SimTopology *topology = &type->topology;
    const int count = type->info.bone_count;
    const float reach = type->surface ? sim_surface_reach(type->surface, count) : 0.0f;
    float *scratch = sim_arena_alloc(&rig->arena, (size_t)topology->particle_count, sizeof *scratch);
    SimGarmentBone *listed = sim_arena_alloc(&rig->arena, (size_t)count, sizeof *listed);
    topology->bones = sim_arena_alloc(&rig->arena, (size_t)count, sizeof *topology->bones);
    if (rig->arena.failed) return false;
    topology->bone_count = count;
    type->info.bones = listed;
    for (int i = 0; i < count; i++) {
        SimClothBone *bone = &topology->bones[i];
        bone->pivot = pivot_of(def, i);
        if (type->surface)
            sim_surface_bone_place(type->surface, reach, scratch, bone);
        else
            set_link(topology, bone), set_sides(topology, bone);
        finish_bone(rig, topology, bone);
        set_folds(topology, bone);
        listed[i] = (SimGarmentBone){bone->pivot, type->first_bone + i};
        describe_bone(rig, def, type, i);
    }
    return !rig->arena.failed && set_rest(rig, type, sim_garment_bone_columns(def));
}

static int pivot_of(const SimGarmentDef *def, int index) {
    if (def->faces) return def->bone_particles[index];
    const int columns = sim_garment_bone_columns(def);
    return index / columns * def->columns + def->bone_first_column + index % columns * def->bone_column_step;
}

// A bone on the last row points along the link above it.
static void set_link(const SimTopology *topology, SimClothBone *bone) {
    int columns = topology->columns;
    bool last = bone->pivot + columns >= topology->particle_count;
    bone->from = last ? bone->pivot - columns : bone->pivot;
    bone->to = bone->from + columns;
    bone->length = topology->column_length[bone->from];
    bone->warp = (SimFold){.before = bone->pivot < columns ? bone->pivot : bone->pivot - columns,
                           .after = last ? bone->pivot : bone->to};
}

static void set_sides(const SimTopology *topology, SimClothBone *bone) {
    const int row = bone->pivot / topology->columns, column = bone->pivot % topology->columns;
    const int row_start = bone->pivot - column;
    // Around a ring of three the next but one is behind.
    int reach = topology->closed && topology->columns < 4 ? 1 : 2;
    bone->left = row_start + column_beside(topology, row, column, -1);
    bone->right = row_start + column_beside(topology, row, column, 1);
    bone->far_left = row_start + column_beside(topology, row, column, -reach);
    bone->far_right = row_start + column_beside(topology, row, column, reach);
}

static void finish_bone(const SimRig *rig, const SimTopology *topology, SimClothBone *bone) {
    bone->span = bone->left == bone->right ? 1.0f : glm_max(rest_span(topology, bone), SHORTEST_SPAN);
    bone->side_bone = heaviest_skin_bone(topology, bone->pivot % topology->columns);
    glm_vec3_copy((float *)rig->info.bones[rig->skin_bones[bone->side_bone]].rest_model[0], bone->side);
    glm_vec3_normalize(bone->side);
    bone->above = -1;
    glm_vec3_sub(topology->rest[bone->to], topology->rest[bone->from], bone->ahead);
    glm_vec3_normalize(bone->ahead);
}

// Beyond an open edge or a slit: the edge.
static int column_beside(const SimTopology *topology, int row, int column, int by) {
    const int columns = topology->columns, links = topology->closed ? columns : columns - 1;
    const int way = by < 0 ? -1 : 1;
    for (; by != 0; by -= way) {
        const int link = by < 0 ? column - 1 : column;
        if (!topology->closed && (link < 0 || link >= links)) break;
        if (topology->row_length[row * links + (link + columns) % columns] <= 0.0f) break;
        column = (column + way + columns) % columns;
    }
    return column;
}

static float rest_span(const SimTopology *topology, const SimClothBone *bone) {
    vec3 near, far;
    glm_vec3_sub(topology->rest[bone->right], topology->rest[bone->left], near);
    glm_vec3_sub(topology->rest[bone->far_right], topology->rest[bone->far_left], far);
    glm_vec3_muladds(far, 2.0f, near);
    return glm_vec3_norm(near);
}

static float rest_distance(const SimTopology *topology, int a, int b) {
    return glm_vec3_distance(topology->rest[a], topology->rest[b]);
}

// The skin bone that a particle mostly follows.
static int heaviest_skin_bone(const SimTopology *topology, int particle) {
    int best = SIM_INFLUENCES * particle;
    for (int i = 1; i < SIM_INFLUENCES; i++)
        if (topology->skin_weights[SIM_INFLUENCES * particle + i] > topology->skin_weights[best])
            best = SIM_INFLUENCES * particle + i;
    return topology->skin_bones[best];
}

static void set_folds(const SimTopology *topology, SimClothBone *bone) {
    bone->warp = fold_between(topology, bone->warp.before, bone->pivot, bone->warp.after);
    bone->weft = fold_between(topology, bone->left, bone->pivot, bone->right);
}

static SimFold fold_between(const SimTopology *topology, int before, int particle, int after) {
    if (before == particle || after == particle) return (SimFold){.before = particle, .after = particle};
    float arc = rest_distance(topology, before, particle) + rest_distance(topology, particle, after);
    float ratio = glm_min(rest_distance(topology, before, after) / arc, 1.0f);
    return (SimFold){before, after, arc, ratio, sqrtf(1.0f - ratio * ratio)};
}

static void describe_bone(SimRig *rig, const SimGarmentDef *def, SimGarmentType *type, int index) {
    static const SimBoneKind kinds[] = {SIM_BONE_CLOTH, SIM_BONE_PENDULUM, SIM_BONE_CHAIN};
    SimBoneInfo *info = (SimBoneInfo *)&rig->info.bones[type->first_bone + index];
    int attach = rig->skin_bones[type->topology.bones[index].side_bone];
    info->kind = kinds[def->kind];
    const int above = bone_above(type, def, index), pivot = type->topology.bones[index].pivot;
    info->parent = above < 0 ? attach : type->first_bone + above;
    char name[SIM_GARMENT_BONE_NAME_SIZE];
    sim_garment_bone_name(def, pivot / def->columns, pivot % def->columns, name);
    info->name = sim_arena_copy_text(&rig->arena, name);
}

// The next bone up the column or the path, of those before; -1: none.
static int bone_above(const SimGarmentType *type, const SimGarmentDef *def, int index) {
    const SimClothBone *bones = type->topology.bones;
    const int columns = sim_garment_bone_columns(def);
    if (!type->surface) return index < columns ? -1 : index - columns;
    for (int p = type->surface->above[bones[index].pivot]; p >= 0; p = type->surface->above[p])
        for (int i = 0; i < index; i++)
            if (bones[i].pivot == p) return i;
    return -1;
}

static bool set_rest(const SimRig *rig, const SimGarmentType *type, int bone_columns) {
    SimArena scratch = {0};
    size_t bones = (size_t)type->topology.bone_count, poses = (size_t)rig->skin_bone_count;
    mat4 *rest = sim_arena_alloc(&scratch, bones, sizeof *rest);
    float *frames = sim_arena_alloc(&scratch, bones, SIM_NUMBERS(SimBoneFrame) * sizeof(float));
    float *skin = sim_arena_alloc(&scratch, poses, SIM_NUMBERS(SimLanesPose) * sizeof(float));
    bool done = !scratch.failed;
    if (done) {
        rest_matrices(rig, &type->topology, frames, skin, rest);
        hold_as_at_rest(&type->topology, bone_columns, rest);
    }
    for (size_t i = 0; done && i < bones; i++) {
        SimBoneInfo *info = (SimBoneInfo *)&rig->info.bones[type->first_bone + (int)i];
        glm_mat4_copy(rest[i], info->rest_model);
        glm_inv_tr(rest[i]);
        glm_mat4_copy(rest[i], info->inverse_bind);
    }
    sim_arena_free(&scratch);
    return done;
}

// The bones' matrices at the bind pose, computed by the kernel on one lane with the cloth at rest.
static void rest_matrices(const SimRig *rig, const SimTopology *topology, float *frames, float *poses,
                          mat4 *out_bones) {
    mat4 identity = GLM_MAT4_IDENTITY_INIT;
    for (size_t i = 0; i < (size_t)rig->skin_bone_count; i++)
        sim_matrix_to_lane((const vec4 *)identity, (SimLane){poses + SIM_NUMBERS(SimLanesPose) * i, 1});
    SimGarmentState state = {.position = (SimLanes3 *)topology->rest, .frames = (SimBoneFrame *)frames};
    const SimKernelJob job = {
        .topology = topology, .state = &state, .skin_poses = (const SimLanesPose *)poses};
    sim_kernel_scalar.bones(&job, 0.0f);
    sim_cloth_bones_matrices(topology, topology->rest[0], frames, 1, &out_bones);
}

// A bone without neighbours keeps its rest orientation relative to the bone above it in its column.
static void hold_as_at_rest(const SimTopology *topology, int bone_columns, mat4 *rest) {
    for (int i = 0; i < topology->bone_count; i++) {
        SimClothBone *bone = &topology->bones[i];
        if (bone->left != bone->right) continue;
        mat4 above = GLM_MAT4_IDENTITY_INIT;
        bone->above = i >= bone_columns ? i - bone_columns : -1;
        if (bone->above >= 0) glm_mat4_copy(rest[bone->above], above);
        for (int axis = 0; axis < 3; axis++) {
            bone->ahead[axis] = glm_vec3_dot(above[axis], rest[i][0]);
            bone->side[axis] = glm_vec3_dot(above[axis], rest[i][1]);
        }
    }
}
