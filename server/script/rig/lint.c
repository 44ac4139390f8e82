// The linter: advice on definitions that are valid but probably not intended.
#include "rig/build.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIN_HEIGHT      0.05f // m, of a skeleton
#define MAX_HEIGHT      10.0f
#define TOLERATED_DEPTH 0.001f // m
#define STRIPS          16     // into which large grids are divided
#define MOST_COLUMNS    128

typedef struct Box {
    vec3 low, high; // empty: high below low
} Box;

static void lint_units(ScriptRigBuild *build);
static bool lint_skeleton_units(ScriptRigBuild *build, Box *box);
static void grow(Box *box, const float point[3], float by);
static float extent_of(const Box *box);
static void lint_collider_units(ScriptRigBuild *build, const SimColliderDef *collider);
static void lint_garment_units(ScriptRigBuild *build, const SimGarmentDef *garment, Box box);
static void lint_max_distance(ScriptRigBuild *build, const SimGarmentDef *garment);
static void lint_bones(ScriptRigBuild *build, const SimGarmentDef *garment);
static void lint_cost(ScriptRigBuild *build, const SimGarmentDef *garment, int index);
static bool is_sewn(const SimRigDef *rig, int garment);
static void lint_depths(ScriptRigBuild *build, const SimGarmentDef *garment);
static void lint_depth(ScriptRigBuild *build, const SimGarmentDef *garment, const SimColliderDef *collider);
static float depth_in(const SimColliderDef *collider, vec3 point);

void script_rig_lint(ScriptRigBuild *build) {
    const SimRigDef *rig = &build->rig;
    lint_units(build);
    script_seams_lint(build);
    script_bones_lint(build);
    script_reader_key(build->reader, "garments");
    for (int i = 0; i < rig->garment_count; i++) {
        const SimGarmentDef *garment = &rig->garments[i];
        if (script_rig_part_has_errors(build, "garments", i + 1)) continue;
        script_reader_index(build->reader, i + 1);
        lint_max_distance(build, garment);
        lint_bones(build, garment);
        lint_cost(build, garment, i);
        script_positions_lint(build, garment);
        if (build->bones_known) lint_depths(build, garment);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
}

static void lint_units(ScriptRigBuild *build) {
    const SimRigDef *rig = &build->rig;
    Box box = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
    if (!build->bones_known || lint_skeleton_units(build, &box)) return;
    script_reader_key(build->reader, "colliders");
    for (int i = 0; i < rig->collider_count; i++) {
        const int index = build->collider_indices[i];
        if (script_rig_part_has_errors(build, "colliders", index)) continue;
        script_reader_index(build->reader, index);
        lint_collider_units(build, &rig->colliders[i]);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    script_reader_key(build->reader, "garments");
    for (int i = 0; i < rig->garment_count; i++) {
        if (script_rig_part_has_errors(build, "garments", i + 1)) continue;
        script_reader_index(build->reader, i + 1);
        lint_garment_units(build, &rig->garments[i], box);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
}

// Advice on the skeleton's size; if there is any, its colliders and garments get none.
static bool lint_skeleton_units(ScriptRigBuild *build, Box *box) {
    const int count = build->def->skeleton->bone_count;
    for (int i = 0; i < count; i++) grow(box, build->rest_model[i].position, 0.0f);
    const float extent = extent_of(box);
    if (count < 2 || (extent >= MIN_HEIGHT && extent <= MAX_HEIGHT)) return false;
    script_reader_key(build->reader, "skeleton");
    script_reader_warn(build->reader, "it measures %.3g m: lengths are in metres%s", (double)extent,
                       extent > MAX_HEIGHT ? "; are these centimetres?" : "");
    script_reader_leave(build->reader);
    return true;
}

static void grow(Box *box, const float point[3], float by) {
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = fminf(box->low[axis], point[axis] - by);
        box->high[axis] = fmaxf(box->high[axis], point[axis] + by);
    }
}

static float extent_of(const Box *box) {
    float extent = 0.0f;
    for (int axis = 0; axis < 3; axis++) extent = fmaxf(extent, box->high[axis] - box->low[axis]);
    return extent;
}

// In its bone's space. A body has no shape of the size of a house.
static void lint_collider_units(ScriptRigBuild *build, const SimColliderDef *collider) {
    Box box = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
    if (collider->shape == SIM_COLLIDER_PLANE) return;
    if (collider->shape == SIM_COLLIDER_CAPSULE) {
        grow(&box, collider->from, collider->radius);
        grow(&box, collider->to, collider->radius_end);
    } else {
        const bool is_sphere = collider->shape == SIM_COLLIDER_SPHERE;
        grow(&box, collider->center, is_sphere ? collider->radius : glm_vec3_max((float *)collider->radii));
    }
    if (extent_of(&box) > MAX_HEIGHT)
        script_reader_warn(build->reader, "it measures %.3g m: lengths are in metres; are these centimetres?",
                           (double)extent_of(&box));
}

// box: of the skeleton alone.
static void lint_garment_units(ScriptRigBuild *build, const SimGarmentDef *garment, Box box) {
    for (int i = 0; i < garment->rows * garment->columns; i++) grow(&box, garment->positions[i], 0.0f);
    if (extent_of(&box) > MAX_HEIGHT)
        script_reader_warn(
            build->reader,
            "with the skeleton it measures %.3g m: lengths are in metres; are these centimetres?",
            (double)extent_of(&box));
}

// Advice on a particle whose limit is too small to follow the particle above.
static void lint_max_distance(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const float top = garment->max_distance_top;
    const float bottom =
        garment->max_distance_bottom < 0.0f ? garment->fabric.max_distance : garment->max_distance_bottom;
    script_reader_key(build->reader, "max_distance");
    if (!garment->max_distances && bottom < top)
        script_reader_warn(build->reader,
                           "%.3g m at the bottom is less than %.3g m at the top: links keep lower particles "
                           "with those above",
                           (double)bottom, (double)top);
    for (int i = garment->columns; garment->max_distances && i < garment->rows * garment->columns; i++) {
        const float above = garment->max_distances[i - garment->columns], own = garment->max_distances[i];
        if (own >= above) continue;
        script_reader_index(build->reader, i + 1);
        script_reader_warn(
            build->reader,
            "%.3g m is less than %.3g m in the row above: links keep lower particles with those above",
            (double)own, (double)above);
        script_reader_leave(build->reader);
        break;
    }
    script_reader_leave(build->reader);
}

static void lint_bones(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const int behind = garment->columns - 1 - garment->bone_first_column;
    if (garment->faces || garment->kind != SIM_GARMENT_CLOTH || garment->closed ||
        behind % garment->bone_column_step == 0)
        return;
    script_reader_key(build->reader, "bones");
    script_reader_warn(build->reader, "the last of %d columns has no bones: first_column is %d, every is %d",
                       garment->columns, garment->bone_first_column, garment->bone_column_step);
    script_reader_leave(build->reader);
}

// Advice on a large grid that a few columns more or less would make much cheaper.
static void lint_cost(ScriptRigBuild *build, const SimGarmentDef *garment, int index) {
    const bool springs = garment->solver == SIM_SOLVER_MASS_SPRING;
    const int columns = garment->columns, fewer = columns / STRIPS * STRIPS, more = fewer + STRIPS;
    const bool fits_fewer = sim_garment_is_divisible(garment, fewer);
    const bool fits_more = more <= MOST_COLUMNS && sim_garment_is_divisible(garment, more);
    if (fewer == columns || !(fits_fewer || fits_more) || is_sewn(&build->rig, index)) return;
    char fitting[32];
    snprintf(fitting, sizeof fitting, fits_fewer && fits_more ? "%d or %d" : "%d", fits_fewer ? fewer : more,
             more);
    script_reader_key(build->reader, "columns");
    script_reader_warn(build->reader,
                       "%d columns are no multiple of %d: a character alone takes about %d times as long for "
                       "each %s as with %s",
                       columns, STRIPS, springs ? 9 : 6, springs ? "spring" : "link", fitting);
    script_reader_leave(build->reader);
}

static bool is_sewn(const SimRigDef *rig, int garment) {
    for (int i = 0; i < rig->seam_count; i++)
        if (rig->seams[i].garments[0] == garment || rig->seams[i].garments[1] == garment) return true;
    return false;
}

static void lint_depths(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const SimRigDef *rig = &build->rig;
    const bool meets_all = garment->collider_count < 0;
    const int count = meets_all ? rig->collider_count : garment->collider_count;
    for (int k = 0; k < count; k++) {
        const int collider = meets_all ? k : garment->colliders[k];
        if (!script_rig_part_has_errors(build, "colliders", build->collider_indices[collider]))
            lint_depth(build, garment, &rig->colliders[collider]);
    }
}

static void lint_depth(ScriptRigBuild *build, const SimGarmentDef *garment, const SimColliderDef *collider) {
    if (collider->shape == SIM_COLLIDER_PLANE) return; // a plane in the world; the character may be anywhere
    if (collider->bone >= build->rig.bone_count) return; // moves with cloth, or is unknown
    SimTransform *rest = &build->rest_model[collider->bone];
    versor back;
    glm_quat_conjugate(rest->rotation, back);
    float deepest = TOLERATED_DEPTH;
    int count = 0;
    for (int i = garment->faces ? 0 : garment->columns; i < garment->rows * garment->columns; i++) {
        if (garment->faces && garment->pinned[i]) continue; // held, as the top row of a grid is
        vec3 offset, point;
        glm_vec3_sub((float *)garment->positions[i], rest->position, offset);
        glm_quat_rotatev(back, offset, point);
        const float depth = depth_in(collider, point);
        if (depth > TOLERATED_DEPTH) count++;
        deepest = fmaxf(deepest, depth);
    }
    if (!count) return;
    script_reader_warn(build->reader, "at the bind pose %d %s inside collider \"%s\", by %.0f mm at most",
                       count, count == 1 ? "particle is" : "particles are", collider->name,
                       (double)deepest * 1000.0);
}

// Depth of a point inside the collider, in m, near enough for advice; negative outside. `point` in the bone's
// space.
static float depth_in(const SimColliderDef *collider, vec3 point) {
    vec3 from_center, local, scaled, twice;
    if (collider->shape == SIM_COLLIDER_CAPSULE) {
        vec3 axis, offset, nearest;
        glm_vec3_sub((float *)collider->to, (float *)collider->from, axis);
        glm_vec3_sub(point, (float *)collider->from, offset);
        const float square = glm_vec3_norm2(axis);
        const float t = square > 0.0f ? glm_clamp(glm_vec3_dot(offset, axis) / square, 0.0f, 1.0f) : 0.0f;
        glm_vec3_lerp((float *)collider->from, (float *)collider->to, t, nearest);
        return glm_lerp(collider->radius, collider->radius_end, t) - glm_vec3_distance(point, nearest);
    }
    glm_vec3_sub(point, (float *)collider->center, from_center);
    if (collider->shape == SIM_COLLIDER_SPHERE) return collider->radius - glm_vec3_norm(from_center);
    versor back;
    glm_quat_conjugate((float *)collider->rotation, back);
    glm_quat_rotatev(back, from_center, local);
    glm_vec3_div(local, (float *)collider->radii, scaled);
    glm_vec3_div(scaled, (float *)collider->radii, twice);
    const float value = glm_vec3_norm(scaled), slope = glm_vec3_norm(twice);
    if (slope < 1e-6f) return glm_vec3_min((float *)collider->radii);
    return value * (1.0f - value) / slope; // first order in the distance from the surface
}
