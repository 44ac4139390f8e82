// Compiles a definition to a rig.
#include "rig/rig.h"

#include "core/rotation.h"
#include "topology/strips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_same_edges(const SimTopology *a, const SimTopology *b);
static bool has_edges_of(const SimTopology *a, const SimTopology *b);
static int list_pairs(const SimTopology *topology, bool with_diagonals, uint64_t *out_pairs);
static int compare_pairs(const void *left, const void *right);
static bool copy_bones(SimRig *rig, const SimRigDef *def);
static bool copy_constraints(SimRig *rig, const SimRigDef *def);
static void axis_in_space_of(const SimRig *rig, const SimConstraintDef *constraint, int bone, vec3 out);
static void rest_rotation(const SimRig *rig, int bone, versor out);
static bool copy_colliders(SimRig *rig, const SimRigDef *def);
static void collider_pose(const SimColliderDef *collider, SimTransform *out);
static bool copy_clips(SimRig *rig, const SimRigDef *def);
static SimKeyArc *measure_arcs(SimRig *rig, const SimClipDef *clip, size_t bone_count);
static bool is_still(const SimClipDef *clip, size_t bone_count);
static bool all_alike(const void *frames, size_t count, size_t size);
static bool build_garments(SimRig *rig, const SimRigDef *def, SimIssue *issue);
static bool build_strips(SimRig *rig);
static bool build_alone_orders(SimRig *rig);

SimRig *sim_rig_compile(const SimRigDef *def, SimIssue *out_issue) {
    if (!sim_validate_rig_def(def, out_issue)) return NULL;
    *out_issue = (SimIssue){.message = "out of memory"};
    SimRig *rig = calloc(1, sizeof *rig);
    if (!rig) return NULL;
    rig->users = 1;
    rig->info.name = sim_arena_copy_text(&rig->arena, def->name ? def->name : "");
    if (copy_bones(rig, def) && copy_constraints(rig, def) && copy_colliders(rig, def) &&
        copy_clips(rig, def) && sim_render_meshes_copy(rig, def) && sim_rig_order_steps(rig, out_issue) &&
        sim_rig_order_islands(rig, def, out_issue) && build_garments(rig, def, out_issue) &&
        sim_seams_build(rig, def) && build_strips(rig) && build_alone_orders(rig))
        return rig;
    sim_rig_destroy(rig);
    return NULL;
}

void sim_rig_destroy(SimRig *rig) {
    if (!rig) return;
    sim_arena_free(&rig->arena);
    free(rig);
}

int sim_rig_collider_named(const SimRig *rig, const char *name) {
    for (int i = 0; i < rig->info.collider_count; i++)
        if (strcmp(rig->info.colliders[i].name, name) == 0) return i;
    return -1;
}

int sim_rig_clip_named(const SimRigInfo *rig, const char *name) {
    for (int i = 0; i < rig->clip_count; i++)
        if (strcmp(rig->clip_names[i], name) == 0) return i;
    return -1;
}

int sim_rig_garment_like(const SimRig *rig, const SimGarmentType *garment) {
    const SimTopology *topology = &garment->topology;
    for (int i = 0; i < rig->info.garment_count; i++) {
        const SimTopology *other = &rig->garments[i].topology;
        if (strcmp(rig->info.garments[i].name, garment->info.name) == 0 && other->rows == topology->rows &&
            other->columns == topology->columns && other->closed == topology->closed &&
            has_same_edges(other, topology))
            return i;
    }
    return -1;
}

int sim_garment_bone_index(const SimRigDef *def, int garment, int row, int column) {
    const SimGarmentDef *at = &def->garments[garment];
    int step = column - at->bone_first_column, bone = def->bone_count;
    for (int i = 0; i < garment && at->faces; i++) bone += sim_garment_bone_count(&def->garments[i]);
    for (int i = 0; at->faces && i < at->bone_particle_count; i++)
        if (row == 0 && at->bone_particles[i] == column) return bone + i;
    if (at->faces) return -1;
    if (row < 0 || row >= sim_garment_bone_rows(at) || step < 0 || column >= at->columns ||
        step % at->bone_column_step)
        return -1;
    for (int i = 0; i < garment; i++) bone += sim_garment_bone_count(&def->garments[i]);
    return bone + row * sim_garment_bone_columns(at) + step / at->bone_column_step;
}

// Of a grid there are none.
// Whether faces join the same particles, in whatever order: a vertex that has moved a little may pair
// triangles to other quads.
static bool has_same_edges(const SimTopology *a, const SimTopology *b) {
    if (a->face_count == 0 || b->face_count == 0) return a->face_count == b->face_count;
    return has_edges_of(a, b) && has_edges_of(b, a);
}

// Whether all sides of b's faces are sides or diagonals of a's.
static bool has_edges_of(const SimTopology *a, const SimTopology *b) {
    uint64_t *found = malloc(6 * (size_t)a->face_count * sizeof *found);
    uint64_t *wanted = malloc(6 * (size_t)b->face_count * sizeof *wanted);
    bool has_all = found && wanted;
    const int count = has_all ? list_pairs(a, true, found) : 0;
    const int wanted_count = has_all ? list_pairs(b, false, wanted) : 0;
    if (has_all) qsort(found, (size_t)count, sizeof *found, compare_pairs);
    for (int i = 0; i < wanted_count && has_all; i++)
        has_all = bsearch(&wanted[i], found, (size_t)count, sizeof *found, compare_pairs);
    free(found);
    free(wanted);
    return has_all;
}

// The corners of faces, two by two; 6 a face at most. Returns their number.
static int list_pairs(const SimTopology *topology, bool with_diagonals, uint64_t *out_pairs) {
    int count = 0;
    for (int face = 0; face < topology->face_count; face++) {
        const int *corner = topology->faces[face], corners = corner[3] < 0 ? 3 : 4;
        for (int i = 0; i < corners; i++)
            for (int k = i + 1; k < corners; k++) {
                const bool is_side = k == i + 1 || (i == 0 && k == corners - 1);
                const uint64_t low = (uint64_t)(corner[i] < corner[k] ? corner[i] : corner[k]);
                const uint64_t high = (uint64_t)(corner[i] < corner[k] ? corner[k] : corner[i]);
                if (is_side || with_diagonals) out_pairs[count++] = low << 32 | high;
            }
    }
    return count;
}

static int compare_pairs(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool copy_bones(SimRig *rig, const SimRigDef *def) {
    int count = sim_rig_bone_count(def);
    SimBoneInfo *bones = sim_arena_alloc(&rig->arena, (size_t)count, sizeof *bones);
    rig->rest_local = sim_arena_alloc(&rig->arena, (size_t)def->bone_count, sizeof *rig->rest_local);
    rig->inverse_rest = sim_arena_alloc(&rig->arena, (size_t)def->bone_count, sizeof *rig->inverse_rest);
    if (rig->arena.failed) return false;
    for (int i = 0; i < def->bone_count; i++) {
        const SimBoneDef *bone = &def->bones[i];
        SimTransform *local = &rig->rest_local[i];
        glm_vec3_copy((float *)bone->position, local->position);
        glm_quat_normalize_to((float *)bone->rotation, local->rotation);
        mat4 matrix;
        sim_transform_to_matrix(local, matrix);
        SimBoneInfo *info = &bones[i];
        info->name = sim_arena_copy_text(&rig->arena, bone->name);
        info->parent = bone->parent;
        info->kind = bone->kind;
        if (bone->parent < 0)
            glm_mat4_copy(matrix, info->rest_model);
        else
            glm_mat4_mul(bones[bone->parent].rest_model, matrix, info->rest_model);
        glm_mat4_copy(info->rest_model, rig->inverse_rest[i]);
        glm_inv_tr(rig->inverse_rest[i]);
        glm_mat4_copy(bone->has_inverse_bind ? (vec4 *)bone->inverse_bind : rig->inverse_rest[i],
                      info->inverse_bind);
    }
    rig->posed_bone_count = def->bone_count;
    rig->info.bones = bones;
    rig->info.bone_count = count;
    return !rig->arena.failed;
}

static bool copy_constraints(SimRig *rig, const SimRigDef *def) {
    size_t count = (size_t)def->constraint_count;
    rig->constraints = sim_arena_alloc(&rig->arena, count, sizeof *rig->constraints);
    rig->constraint_distance = sim_arena_alloc(&rig->arena, count, sizeof(float));
    rig->constraint_axis = sim_arena_alloc(&rig->arena, count, sizeof(vec3));
    if (rig->arena.failed) return false;
    rig->constraint_count = def->constraint_count;
    for (int i = 0; i < def->constraint_count; i++) {
        SimConstraintDef *constraint = &rig->constraints[i];
        *constraint = def->constraints[i];
        glm_vec3_normalize(constraint->axis);
        glm_vec3_normalize(constraint->direction);
        glm_vec3_copy(constraint->axis, rig->constraint_axis[i]);
        const SimBoneInfo *bones = rig->info.bones;
        if (constraint->kind == SIM_CONSTRAINT_POSITION)
            rig->constraint_distance[i] = glm_vec3_distance((float *)bones[constraint->bone].rest_model[3],
                                                            (float *)bones[constraint->other].rest_model[3]);
        if (constraint->kind == SIM_CONSTRAINT_TWIST)
            axis_in_space_of(rig, constraint, bones[constraint->other].parent, rig->constraint_axis[i]);
        if (constraint->kind == SIM_CONSTRAINT_SLIDE) {
            axis_in_space_of(rig, constraint, constraint->base, rig->constraint_axis[i]);
            glm_mat4_mulv3(rig->inverse_rest[constraint->base],
                           (float *)bones[constraint->other].rest_model[3], 1.0f, constraint->offset);
        }
    }
    return true;
}

// The constraint's axis at rest, in the space of a bone; -1 is model space.
static void axis_in_space_of(const SimRig *rig, const SimConstraintDef *constraint, int bone, vec3 out) {
    versor own, space;
    rest_rotation(rig, constraint->bone, own);
    rest_rotation(rig, bone, space);
    sim_quat_inverse(space, space);
    sim_quat_rotate(own, constraint->axis, out);
    sim_quat_rotate(space, out, out);
}

static void rest_rotation(const SimRig *rig, int bone, versor out) {
    glm_quat_identity(out);
    if (bone >= 0) glm_mat4_quat((vec4 *)rig->info.bones[bone].rest_model, out);
}

static bool copy_colliders(SimRig *rig, const SimRigDef *def) {
    SimColliderDef *colliders = sim_arena_alloc(&rig->arena, (size_t)def->collider_count, sizeof *colliders);
    rig->collider_local =
        sim_arena_alloc(&rig->arena, (size_t)def->collider_count, sizeof *rig->collider_local);
    if (rig->arena.failed) return false;
    for (int i = 0; i < def->collider_count; i++) {
        colliders[i] = def->colliders[i];
        colliders[i].name = sim_arena_copy_text(&rig->arena, def->colliders[i].name);
        collider_pose(&colliders[i], &rig->collider_local[i]);
    }
    rig->info.colliders = colliders;
    rig->info.collider_count = def->collider_count;
    return !rig->arena.failed;
}

// The pose of a collider in its bone's space: an ellipsoid's own axes, a capsule's y axis along it, a plane's
// y axis its normal.
static void collider_pose(const SimColliderDef *collider, SimTransform *out) {
    *out = SIM_TRANSFORM_IDENTITY;
    vec3 up = {0.0f, 1.0f, 0.0f}, axis;
    bool swap;
    switch (collider->shape) {
    case SIM_COLLIDER_ELLIPSOID:
        glm_vec3_copy((float *)collider->center, out->position);
        glm_quat_normalize_to((float *)collider->rotation, out->rotation);
        break;
    case SIM_COLLIDER_SPHERE:
        glm_vec3_copy((float *)collider->center, out->position);
        break;
    case SIM_COLLIDER_CAPSULE:
        // From the larger sphere to the smaller; when the smaller lies inside, only the larger counts.
        swap = collider->radius_end > collider->radius;
        glm_vec3_copy((float *)(swap ? collider->to : collider->from), out->position);
        glm_vec3_sub((float *)(swap ? collider->from : collider->to), out->position, axis);
        if (glm_vec3_norm(axis) < 1e-6f) break;
        glm_vec3_normalize(axis);
        sim_quat_between(up, axis, out->rotation);
        break;
    case SIM_COLLIDER_PLANE:
        glm_vec3_normalize_to((float *)collider->normal, axis);
        sim_quat_between(up, axis, out->rotation);
        glm_vec3_scale(axis, collider->offset, out->position);
        break;
    }
}

static bool copy_clips(SimRig *rig, const SimRigDef *def) {
    size_t count = (size_t)def->clip_count;
    rig->clips = sim_arena_alloc(&rig->arena, count, sizeof *rig->clips);
    const char **names = sim_arena_alloc(&rig->arena, count, sizeof *names);
    float *durations = sim_arena_alloc(&rig->arena, count, sizeof *durations);
    rig->clip_is_still = sim_arena_alloc(&rig->arena, count, sizeof *rig->clip_is_still);
    rig->key_arcs = sim_arena_alloc(&rig->arena, count, sizeof *rig->key_arcs);
    if (rig->arena.failed) return false;
    for (size_t i = 0; i < count; i++) {
        SimClipDef *clip = &rig->clips[i];
        *clip = def->clips[i];
        size_t frames = (size_t)clip->frame_count, keys = frames * (size_t)def->bone_count;
        clip->name = names[i] = sim_arena_copy_text(&rig->arena, clip->name);
        clip->rotations = sim_arena_copy(&rig->arena, clip->rotations, keys, sizeof *clip->rotations);
        clip->positions = sim_arena_copy(&rig->arena, clip->positions, keys, sizeof *clip->positions);
        clip->root = sim_arena_copy(&rig->arena, clip->root, frames, sizeof *clip->root);
        rig->key_arcs[i] = measure_arcs(rig, clip, (size_t)def->bone_count);
        rig->clip_is_still[i] = is_still(clip, (size_t)def->bone_count);
        durations[i] = (float)(clip->frame_count - 1) / clip->rate;
    }
    rig->info.clip_names = names;
    rig->info.clip_durations = durations;
    rig->info.clip_count = def->clip_count;
    return !rig->arena.failed;
}

// Turns the clip's rotations onto one hemisphere as well, so that the way to the next is the short one.
static SimKeyArc *measure_arcs(SimRig *rig, const SimClipDef *clip, size_t bone_count) {
    const size_t count = (size_t)(clip->frame_count - 1) * bone_count;
    SimKeyArc *arcs = sim_arena_alloc(&rig->arena, count, sizeof *arcs);
    if (rig->arena.failed) return NULL;
    for (size_t key = 0; key < count; key++) {
        float *next = (float *)clip->rotations[key + bone_count];
        const SimArc arc = sim_arc(clip->rotations[key], next);
        if (arc.sign < 0.0f) glm_vec4_negate(next);
        arcs[key] = (SimKeyArc){arc.angle, arc.sine};
    }
    return arcs;
}

static bool is_still(const SimClipDef *clip, size_t bone_count) {
    size_t frames = (size_t)clip->frame_count;
    return all_alike(clip->rotations, frames, bone_count * sizeof(versor)) &&
           all_alike(clip->positions, frames, bone_count * sizeof(vec3)) &&
           all_alike(clip->root, frames, sizeof(vec3));
}

static bool all_alike(const void *frames, size_t count, size_t size) {
    const char *first = frames;
    for (size_t i = 1; i < count && first; i++)
        if (memcmp(first, first + i * size, size) != 0) return false;
    return true;
}

static bool build_garments(SimRig *rig, const SimRigDef *def, SimIssue *issue) {
    size_t count = (size_t)def->garment_count;
    rig->garments = sim_arena_alloc(&rig->arena, count, sizeof *rig->garments);
    rig->skin_bones = sim_arena_alloc(&rig->arena, (size_t)rig->posed_bone_count, sizeof *rig->skin_bones);
    SimGarmentInfo *infos = sim_arena_alloc(&rig->arena, count, sizeof *infos);
    if (rig->arena.failed) return false;
    int first_bone = rig->posed_bone_count;
    for (int i = 0; i < def->garment_count; i++) {
        SimGarmentType *garment = &rig->garments[i];
        garment->first_bone = first_bone;
        garment->info.bone_count = sim_garment_bone_count(&def->garments[i]);
        first_bone += garment->info.bone_count;
        if (!sim_topology_build(&rig->arena, &def->garments[i], garment) ||
            !sim_colliders_build(rig, &def->garments[i], garment) || !sim_references_build(rig, def, i) ||
            !sim_garment_bones_build(rig, &def->garments[i], i))
            return false;
        garment->surface = NULL; // it refers to the definition
        infos[i] = garment->info;
        rig->particle_count += garment->info.particle_count;
    }
    rig->info.garments = infos;
    rig->info.garment_count = def->garment_count;
    // Garment bones are named by the author's prefix: a name may exist already.
    for (int i = rig->posed_bone_count; i < rig->info.bone_count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(rig->info.bones[i].name, rig->info.bones[j].name) == 0) {
                snprintf(issue->path, sizeof issue->path, "garments");
                snprintf(issue->message, sizeof issue->message,
                         "two bones would be named \"%s\": give another bone prefix",
                         rig->info.bones[i].name);
                return false;
            }
    return true;
}

// Large garments without seams and self-collision, which work particle by particle.
static bool build_strips(SimRig *rig) {
    for (int i = 0; i < rig->info.garment_count; i++) {
        SimGarmentType *garment = &rig->garments[i];
        bool sewn = false;
        for (int k = 0; k < rig->info.seam_count; k++)
            sewn = sewn || rig->seams[k].garments[0] == i || rig->seams[k].garments[1] == i;
        if (sewn || garment->self_collision > 0.0f || !sim_strips_fit(&garment->topology)) continue;
        garment->strips = sim_arena_alloc(&rig->arena, 1, sizeof *garment->strips);
        if (!garment->strips || !sim_strips_build(&rig->arena, &garment->topology, garment->strips))
            return false;
        rig->has_strips = true;
    }
    return true;
}

static bool build_alone_orders(SimRig *rig) {
    for (int i = 0; i < rig->info.garment_count; i++)
        if (!rig->garments[i].strips && !(sim_bends_sort(&rig->arena, &rig->garments[i].topology) &&
                                          sim_alone_order_build(&rig->arena, &rig->garments[i].topology)))
            return false;
    return true;
}
