// Defaults and validation of definitions.
#include "core/issue.h"
#include "rig/rig.h"
#include "sim/rig.h"
#include "topology/regions.h"
#include "topology/surface.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool validate_bones(const SimRigDef *def, SimIssue *issue);
static bool finite_floats(const float *values, int count);
static bool is_unit(const versor q);
static bool validate_constraints(const SimRigDef *def, SimIssue *issue);
static bool validate_garment(const SimRigDef *def, int i, SimIssue *issue);
static bool validate_size(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_surface(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_solver(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_grid(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_slits(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_points(const SimGarmentDef *garment, int i, const char *name, const float (*points)[3],
                            SimIssue *issue);
static bool validate_curve(float curve, int i, const char *name, SimIssue *issue);
static bool validate_each(const SimGarmentDef *garment, int i, const char *name, const float *each,
                          float most, const char *expected, SimIssue *issue);
static bool validate_backstop(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_chain(const SimGarmentDef *garment, int i, SimIssue *issue);
static bool validate_skin(const SimSkin *skin, int bone_count);
static bool validate_collider(const SimRigDef *def, int i, SimIssue *issue);
static bool is_length(float value);
static bool validate_clip(const SimRigDef *def, int i, SimIssue *issue);

SimBoneDef sim_default_bone_def(void) {
    return (SimBoneDef){.parent = -1, .kind = SIM_BONE_SKELETON, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
}

SimConstraintDef sim_default_constraint_def(void) {
    return (SimConstraintDef){
        .bone = -1, .other = -1, .base = -1, .axis = {1.0f, 0.0f, 0.0f}, .weight = 1.0f};
}

SimColliderDef sim_default_collider_def(void) {
    return (SimColliderDef){.bone = -1, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .normal = {0.0f, 1.0f, 0.0f}};
}

SimGarmentDef sim_default_garment_def(void) {
    return (SimGarmentDef){.kind = SIM_GARMENT_CLOTH,
                           .references = SIM_REFERENCES_BLEND,
                           .reference_collider_count = -1,
                           .max_distance_bottom = -1.0f,
                           .max_distance_curve = 1.0f,
                           .pose_curve = 1.0f,
                           .backstop = {-1.0f, -1.0f},
                           .backstop_curve = 1.0f,
                           .collider_count = -1,
                           .limit_sweeps = 100,
                           .iterations = 4,
                           .angle_limit = {180.0f, 180.0f},
                           .bone_prefix = "",
                           .bone_column_step = 1,
                           .fabric = sim_default_fabric()};
}

SimSeamDef sim_default_seam_def(void) {
    return (SimSeamDef){.row_count = 1, .closed = true};
}

SimClipDef sim_default_clip_def(void) {
    return (SimClipDef){.rate = 60.0f, .loop_blend = 0.3f};
}

bool sim_validate_rig_def(const SimRigDef *def, SimIssue *out_issue) {
    if (!validate_bones(def, out_issue) || !validate_constraints(def, out_issue)) return false;
    for (int i = 0; i < def->garment_count; i++)
        if (!validate_garment(def, i, out_issue)) return false;
    // After the garments, since colliders may be attached to their bones.
    for (int i = 0; i < def->collider_count; i++)
        if (!validate_collider(def, i, out_issue)) return false;
    for (int i = 0; i < def->seam_count; i++)
        if (!sim_validate_seam(def, i, out_issue)) return false;
    for (int i = 0; i < def->clip_count; i++)
        if (!validate_clip(def, i, out_issue)) return false;
    for (int i = 0; i < def->mesh_count; i++)
        if (!sim_validate_render_mesh(def, i, out_issue)) return false;
    return true;
}

static bool validate_bones(const SimRigDef *def, SimIssue *issue) {
    if (def->bone_count < 1 || def->bone_count > 4096)
        return sim_issue_set(issue, "expected 1 to 4096 bones", "bones");
    for (int i = 0; i < def->bone_count; i++) {
        const SimBoneDef *bone = &def->bones[i];
        if (!sim_is_name(bone->name))
            return sim_issue_set(issue, "expected 1 to 64 bytes without * ? [", "bones[%d].name", i);
        for (int j = 0; j < i; j++)
            if (strcmp(def->bones[j].name, bone->name) == 0)
                return sim_issue_set(issue, "is the name of another bone, too", "bones[%d].name", i);
        if (bone->parent < -1 || bone->parent >= i)
            return sim_issue_set(issue, "expected -1 or the index of a bone before this one",
                                 "bones[%d].parent", i);
        if (!finite_floats(bone->position, 3))
            return sim_issue_set(issue, "expected finite numbers", "bones[%d].position", i);
        if (!is_unit(bone->rotation))
            return sim_issue_set(issue, "expected a unit quaternion", "bones[%d].rotation", i);
        if (bone->kind != SIM_BONE_SKELETON && bone->kind != SIM_BONE_DRIVEN)
            return sim_issue_set(issue, "expected a skeleton or a driven bone", "bones[%d].kind", i);
        if (bone->has_inverse_bind && !finite_floats(&bone->inverse_bind[0][0], 16))
            return sim_issue_set(issue, "expected finite numbers", "bones[%d].inverse_bind", i);
    }
    return true;
}

static bool finite_floats(const float *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static bool is_unit(const versor q) {
    float length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return length > 0.99f && length < 1.01f;
}

static bool validate_constraints(const SimRigDef *def, SimIssue *issue) {
    for (int i = 0; i < def->constraint_count; i++) {
        const SimConstraintDef *constraint = &def->constraints[i];
        int last = def->bone_count - 1;
        bool needs_other = constraint->kind != SIM_CONSTRAINT_AIM;
        if (constraint->bone < 0 || constraint->bone > last)
            return sim_issue_set(issue, "expected the index of a bone", "constraints[%d].bone", i);
        if (constraint->other < (needs_other ? 0 : -1) || constraint->other > last ||
            constraint->other == constraint->bone)
            return sim_issue_set(issue, "expected the index of another bone", "constraints[%d].other", i);
        if (constraint->kind == SIM_CONSTRAINT_SLIDE &&
            (constraint->base < 0 || constraint->base > last || constraint->base == constraint->bone))
            return sim_issue_set(issue, "expected the index of another bone", "constraints[%d].base", i);
        if (!(constraint->weight >= 0.0f && constraint->weight <= 1.0f))
            return sim_issue_set(issue, "expected 0 to 1", "constraints[%d].weight", i);
        if (constraint->kind != SIM_CONSTRAINT_POSITION &&
            !(glm_vec3_norm((float *)constraint->axis) > 1e-6f && finite_floats(constraint->axis, 3)))
            return sim_issue_set(issue, "expected a vector that is not zero", "constraints[%d].axis", i);
        if (constraint->kind == SIM_CONSTRAINT_AIM && constraint->other < 0 &&
            !(glm_vec3_norm((float *)constraint->direction) > 1e-6f &&
              finite_floats(constraint->direction, 3)))
            return sim_issue_set(issue, "expected a vector that is not zero", "constraints[%d].direction", i);
        if (!finite_floats(constraint->offset, 3))
            return sim_issue_set(issue, "expected finite numbers", "constraints[%d].offset", i);
    }
    return true;
}

static bool validate_collider_list(const SimRigDef *def, int garment, const char *key, const int *colliders,
                                   int count, SimIssue *issue) {
    for (int k = 0; k < count; k++)
        if (colliders[k] < 0 || colliders[k] >= def->collider_count)
            return sim_issue_set(issue, "expected the index of a collider", "garments[%d].%s[%d]", garment,
                                 key, k);
    return true;
}

static bool validate_garment(const SimRigDef *def, int i, SimIssue *issue) {
    const SimGarmentDef *garment = &def->garments[i];
    if (!sim_is_name(garment->name))
        return sim_issue_set(issue, "expected 1 to 64 bytes without * ? [", "garments[%d].name", i);
    for (int j = 0; j < i; j++)
        if (strcmp(def->garments[j].name, garment->name) == 0)
            return sim_issue_set(issue, "is the name of another garment, too", "garments[%d].name", i);
    if (!validate_size(garment, i, issue)) return false;
    if (!(garment->faces ? validate_surface(garment, i, issue) : validate_grid(garment, i, issue)) ||
        !validate_backstop(garment, i, issue) || !validate_chain(garment, i, issue))
        return false;
    for (int column = 0; column < garment->columns && !garment->skins; column++)
        if (!validate_skin(&garment->attach[column], def->bone_count))
            return sim_issue_set(issue, "expected bones with weights above 0", "garments[%d].attach[%d]", i,
                                 column);
    for (int p = 0; p < garment->rows * garment->columns && garment->skins; p++)
        if (!validate_skin(&garment->skins[p], def->bone_count))
            return sim_issue_set(issue, "expected bones with weights above 0", "garments[%d].skins[%d]", i,
                                 p);
    if (!(garment->max_distance_top >= 0.0f && garment->max_distance_top <= 10.0f))
        return sim_issue_set(issue, "expected 0 to 10 m", "garments[%d].max_distance_top", i);
    if (!(garment->max_distance_bottom <= 10.0f))
        return sim_issue_set(issue, "expected 0 to 10 m", "garments[%d].max_distance_bottom", i);
    if (!validate_curve(garment->max_distance_curve, i, "max_distance_curve", issue) ||
        !validate_each(garment, i, "max_distances", garment->max_distances, 10.0f, "expected 0 to 10 m",
                       issue))
        return false;
    if (!validate_collider_list(def, i, "colliders", garment->colliders, garment->collider_count, issue) ||
        !validate_collider_list(def, i, "reference_colliders", garment->reference_colliders,
                                garment->reference_collider_count, issue))
        return false;
    if (!(garment->self_collision >= 0.0f && garment->self_collision <= 0.5f))
        return sim_issue_set(issue, "expected 0 to 0.5 m", "garments[%d].self_collision", i);
    if (garment->bone_first_column < 0 || garment->bone_first_column >= garment->columns)
        return sim_issue_set(issue, "expected the index of a column", "garments[%d].bone_first_column", i);
    if (!validate_solver(garment, i, issue)) return false;
    if (garment->bone_column_step < 1)
        return sim_issue_set(issue, "expected 1 at least", "garments[%d].bone_column_step", i);
    if (garment->bone_last_row != SIM_LAST_ROW_NONE && garment->bone_last_row != SIM_LAST_ROW_FOLLOW)
        return sim_issue_set(issue, "expected none or follow", "garments[%d].bone_last_row", i);
    if (garment->bone_last_row != SIM_LAST_ROW_NONE && garment->kind == SIM_GARMENT_PENDULUM)
        return sim_issue_set(issue, "expected none: a pendulum has one bone", "garments[%d].bone_last_row",
                             i);
    if (!garment->bone_prefix || strlen(garment->bone_prefix) > 48)
        return sim_issue_set(issue, "expected 48 bytes at most", "garments[%d].bone_prefix", i);
    if (!sim_validate_regions(garment, i, issue)) return false;
    SimIssue inner;
    if (sim_validate_fabric(&garment->fabric, &inner)) return true;
    return sim_issue_set(issue, inner.message, "garments[%d].fabric.%s", i, inner.path);
}

static bool validate_size(const SimGarmentDef *garment, int i, SimIssue *issue) {
    const bool is_grid = !garment->faces;
    if (garment->rows < (is_grid ? 2 : 1) || garment->rows > (is_grid ? 128 : 1))
        return sim_issue_set(issue, is_grid ? "expected 2 to 128" : "expected 1 beside faces",
                             "garments[%d].rows", i);
    if (!is_grid && (garment->columns < 3 || garment->columns > SIM_MOST_SURFACE_PARTICLES))
        return sim_issue_set(issue, "expected 3 to 16384 beside faces", "garments[%d].columns", i);
    if (is_grid && (garment->columns < (garment->closed ? 3 : 1) || garment->columns > 128))
        return sim_issue_set(issue, garment->closed ? "expected 3 to 128" : "expected 1 to 128",
                             "garments[%d].columns", i);
    if (garment->kind != SIM_GARMENT_CLOTH && garment->columns != 1)
        return sim_issue_set(issue, "expected 1", "garments[%d].columns", i);
    if (garment->kind == SIM_GARMENT_PENDULUM && garment->rows != 2)
        return sim_issue_set(issue, "expected 2", "garments[%d].rows", i);
    return true;
}

static bool validate_surface(const SimGarmentDef *garment, int i, SimIssue *issue) {
    if (garment->face_count < 1)
        return sim_issue_set(issue, "expected 1 at least", "garments[%d].face_count", i);
    if (!garment->pinned) return sim_issue_set(issue, "missing beside faces", "garments[%d].pinned", i);
    for (int p = 0; p < garment->columns; p++)
        if (!finite_floats(garment->positions[p], 3))
            return sim_issue_set(issue, "expected finite numbers", "garments[%d].positions[%d]", i, p);
    if (garment->closed || garment->pattern || garment->slit_count || garment->self_collision > 0.0f)
        return sim_issue_set(issue, "closed, pattern, slits and self_collision need a grid",
                             "garments[%d].faces", i);
    if (garment->hard == SIM_HARD_ALAN_WAKE)
        return sim_issue_set(issue, "expected exact beside faces", "garments[%d].hard", i);
    for (int k = 0; k < garment->bone_particle_count; k++)
        if (garment->bone_particles[k] < 0 || garment->bone_particles[k] >= garment->columns)
            return sim_issue_set(issue, "expected the index of a particle", "garments[%d].bone_particles[%d]",
                                 i, k);
    return sim_validate_faces(garment, i, issue);
}

static bool validate_solver(const SimGarmentDef *garment, int i, SimIssue *issue) {
    if (garment->iterations < 1 || garment->iterations > 100)
        return sim_issue_set(issue, "expected 1 to 100", "garments[%d].iterations", i);
    if (garment->solver == SIM_SOLVER_MASS_SPRING && garment->hard == SIM_HARD_ALAN_WAKE)
        return sim_issue_set(issue, "expected exact: springs have limits instead", "garments[%d].hard", i);
    if (garment->solver == SIM_SOLVER_MASS_SPRING && garment->bend == SIM_BEND_ALAN_WAKE)
        return sim_issue_set(issue, "expected curvature: springs bend by flexion", "garments[%d].bend", i);
    if (garment->limit_sweeps < 1 || garment->limit_sweeps > 1000)
        return sim_issue_set(issue, "expected 1 to 1000", "garments[%d].limit_sweeps", i);
    return true;
}

static bool validate_grid(const SimGarmentDef *garment, int i, SimIssue *issue) {
    return validate_points(garment, i, "positions", garment->positions, issue) &&
           (!garment->pattern || validate_points(garment, i, "pattern", garment->pattern, issue)) &&
           validate_slits(garment, i, issue);
}

// Cloth is one cell wide at least on both sides of a slit.
static bool validate_slits(const SimGarmentDef *garment, int i, SimIssue *issue) {
    const int first = garment->closed ? 0 : 1;
    const int last = garment->closed ? garment->columns - 1 : garment->columns - 3;
    for (int k = 0; k < garment->slit_count; k++) {
        const SimSlit *slit = &garment->slits[k];
        if (slit->column < first || slit->column > last)
            return sim_issue_set(issue, "expected a column with two on either side of the cut",
                                 "garments[%d].slits[%d].column", i, k);
        if (slit->row < 1 || slit->row >= garment->rows)
            return sim_issue_set(issue, "expected a row below the first", "garments[%d].slits[%d].row", i, k);
        for (int other = 0; other < k; other++) {
            const int apart = abs(garment->slits[other].column - slit->column);
            if (apart < 2 || (garment->closed && apart == garment->columns - 1))
                return sim_issue_set(issue, "expected two columns between it and the next slit",
                                     "garments[%d].slits[%d].column", i, k);
        }
    }
    return true;
}

static bool validate_points(const SimGarmentDef *garment, int i, const char *name, const float (*points)[3],
                            SimIssue *issue) {
    int count = garment->rows * garment->columns;
    for (int p = 0; p < count; p++)
        if (!finite_floats(points[p], 3))
            return sim_issue_set(issue, "expected finite numbers", "garments[%d].%s[%d]", i, name, p);
    for (int p = 0; p + garment->columns < count; p++)
        if (glm_vec3_distance((float *)points[p], (float *)points[p + garment->columns]) < 1e-5f)
            return sim_issue_set(issue, "lies on the particle below it: links need a length",
                                 "garments[%d].%s[%d]", i, name, p);
    int links = garment->closed ? garment->columns : garment->columns - 1;
    for (int row = 0; row < garment->rows; row++)
        for (int k = 0; k < links; k++) {
            int a = row * garment->columns + k, b = row * garment->columns + (k + 1) % garment->columns;
            if (glm_vec3_distance((float *)points[a], (float *)points[b]) < 1e-5f)
                return sim_issue_set(issue, "lies on the particle beside it: links need a length",
                                     "garments[%d].%s[%d]", i, name, a);
        }
    return true;
}

// The exponent of a change from the top row to the lowest.
static bool validate_curve(float curve, int i, const char *name, SimIssue *issue) {
    return (curve >= 0.1f && curve <= 1.0f) ||
           sim_issue_set(issue, "expected 0.1 to 1", "garments[%d].%s", i, name);
}

// A number of each particle, or NULL.
static bool validate_each(const SimGarmentDef *garment, int i, const char *name, const float *each,
                          float most, const char *expected, SimIssue *issue) {
    for (int p = 0; each && p < garment->rows * garment->columns; p++)
        if (!(each[p] >= 0.0f && each[p] <= most))
            return sim_issue_set(issue, expected, "garments[%d].%s[%d]", i, name, p);
    return true;
}

static bool validate_backstop(const SimGarmentDef *garment, int i, SimIssue *issue) {
    const float *ends = garment->backstop;
    const bool given = garment->backstops || ends[0] >= 0.0f || ends[1] >= 0.0f;
    if (given && (garment->faces || garment->columns == 1))
        return sim_issue_set(issue, "expected a grid, or none", "garments[%d].backstop", i);
    for (int end = 0; end < 2; end++)
        if (!(ends[end] <= 10.0f) || (ends[end] < 0.0f) != (ends[0] < 0.0f))
            return sim_issue_set(issue, "expected 0 to 10 m at both ends", "garments[%d].backstop[%d]", i,
                                 end);
    return validate_curve(garment->backstop_curve, i, "backstop_curve", issue) &&
           validate_each(garment, i, "backstops", garment->backstops, 10.0f, "expected 0 to 10 m", issue);
}

// Pose stiffness, and what garments of one column alone have.
static bool validate_chain(const SimGarmentDef *garment, int i, SimIssue *issue) {
    for (int end = 0; end < 2; end++) {
        float stiffness = garment->pose_stiffness[end], limit = garment->angle_limit[end];
        if (!(stiffness >= 0.0f && stiffness <= 30.0f))
            return sim_issue_set(issue, "expected 0 to 30 Hz", "garments[%d].pose_stiffness[%d]", i, end);
        if (!(limit >= 0.0f && limit <= 180.0f))
            return sim_issue_set(issue, "expected 0 to 180 degrees", "garments[%d].angle_limit[%d]", i, end);
        if (limit < 180.0f && garment->columns > 1)
            return sim_issue_set(issue, "expected one column, or 180", "garments[%d].angle_limit[%d]", i,
                                 end);
        if (limit < 180.0f && garment->hard == SIM_HARD_ALAN_WAKE)
            return sim_issue_set(issue, "expected exact lengths (hard), or 180",
                                 "garments[%d].angle_limit[%d]", i, end);
    }
    if (!validate_curve(garment->pose_curve, i, "pose_curve", issue) ||
        !validate_each(garment, i, "pose_stiffnesses", garment->pose_stiffnesses, 30.0f,
                       "expected 0 to 30 Hz", issue))
        return false;
    return (garment->pose_damping >= 0.0f && garment->pose_damping <= 10.0f) ||
           sim_issue_set(issue, "expected 0 to 10", "garments[%d].pose_damping", i);
}

static bool validate_skin(const SimSkin *skin, int bone_count) {
    float sum = 0.0f;
    for (int i = 0; i < SIM_INFLUENCES; i++) {
        if (!(skin->weights[i] >= 0.0f && skin->weights[i] <= 1e6f)) return false;
        if (skin->weights[i] > 0.0f && (skin->bones[i] < 0 || skin->bones[i] >= bone_count)) return false;
        sum += skin->weights[i];
    }
    return sum > 1e-6f;
}

static bool validate_collider(const SimRigDef *def, int i, SimIssue *issue) {
    const SimColliderDef *collider = &def->colliders[i];
    if (!sim_is_name(collider->name))
        return sim_issue_set(issue, "expected 1 to 64 bytes without * ? [", "colliders[%d].name", i);
    for (int j = 0; j < i; j++)
        if (strcmp(def->colliders[j].name, collider->name) == 0)
            return sim_issue_set(issue, "is the name of another collider, too", "colliders[%d].name", i);
    if (collider->shape == SIM_COLLIDER_PLANE) {
        float length = glm_vec3_norm((float *)collider->normal);
        if (!(length > 0.99f && length < 1.01f))
            return sim_issue_set(issue, "expected a unit vector", "colliders[%d].normal", i);
        return isfinite(collider->offset) ||
               sim_issue_set(issue, "expected a finite number", "colliders[%d].offset", i);
    }
    if (collider->bone < 0 || collider->bone >= sim_rig_bone_count(def))
        return sim_issue_set(issue, "expected the index of a bone", "colliders[%d].bone", i);
    if (!finite_floats(collider->center, 3) || !finite_floats(collider->from, 3) ||
        !finite_floats(collider->to, 3))
        return sim_issue_set(issue, "expected finite numbers", "colliders[%d].center", i);
    if (collider->shape == SIM_COLLIDER_ELLIPSOID) {
        if (!is_unit(collider->rotation))
            return sim_issue_set(issue, "expected a unit quaternion", "colliders[%d].rotation", i);
        for (int axis = 0; axis < 3; axis++)
            if (!is_length(collider->radii[axis]))
                return sim_issue_set(issue, "expected 0 to 100 m", "colliders[%d].radii[%d]", i, axis);
        return true;
    }
    if (!is_length(collider->radius))
        return sim_issue_set(issue, "expected 0 to 100 m", "colliders[%d].radius", i);
    if (collider->shape == SIM_COLLIDER_CAPSULE && !is_length(collider->radius_end))
        return sim_issue_set(issue, "expected 0 to 100 m", "colliders[%d].radius_end", i);
    return true;
}

static bool is_length(float value) {
    return value >= 0.0f && value <= 100.0f;
}

static bool validate_clip(const SimRigDef *def, int i, SimIssue *issue) {
    const SimClipDef *clip = &def->clips[i];
    if (!sim_is_name(clip->name))
        return sim_issue_set(issue, "expected 1 to 64 bytes without * ? [", "clips[%d].name", i);
    for (int j = 0; j < i; j++)
        if (strcmp(def->clips[j].name, clip->name) == 0)
            return sim_issue_set(issue, "is the name of another clip, too", "clips[%d].name", i);
    if (!(clip->rate > 0.0f && clip->rate <= 1000.0f))
        return sim_issue_set(issue, "expected above 0 to 1000 Hz", "clips[%d].rate", i);
    if (clip->frame_count < 1) return sim_issue_set(issue, "expected 1 at least", "clips[%d].frame_count", i);
    if (!(clip->loop_blend >= 0.0f && clip->loop_blend <= 10.0f))
        return sim_issue_set(issue, "expected 0 to 10 s", "clips[%d].loop_blend", i);
    size_t keys = (size_t)clip->frame_count * (size_t)def->bone_count;
    for (size_t k = 0; k < keys; k++)
        if (!is_unit(clip->rotations[k]))
            return sim_issue_set(issue, "expected a unit quaternion", "clips[%d].rotations[%d]", i, (int)k);
    for (size_t k = 0; clip->positions && k < keys; k++)
        if (!finite_floats(clip->positions[k], 3))
            return sim_issue_set(issue, "expected finite numbers", "clips[%d].positions[%d]", i, (int)k);
    for (int k = 0; clip->root && k < clip->frame_count; k++)
        if (!finite_floats(clip->root[k], 3))
            return sim_issue_set(issue, "expected finite numbers", "clips[%d].root[%d]", i, k);
    return true;
}
