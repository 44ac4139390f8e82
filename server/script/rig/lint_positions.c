// Advice on a garment's points: in the wrong space, in the wrong order, or without freedom to move.
#include "rig/build.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>

#define NEAR_BONE   0.3f // m: cloth that starts farther from its bone is suspicious
#define HALF        0.5f // how much nearer it lies in the other space, or its links are shorter in the other order
#define INWARD      0.3f // mean cosine between normals of open cloth and the way to its bone
#define BESIDE_BODY 0.5f // m, of what holds a mesh from the nearest bone
#define RING_GAP    0.3f // of a row's length: how far the ends of an open ring, such as a jacket's, are apart

#define ADVISE(build, key, ...)                                                                              \
    do {                                                                                                     \
        script_reader_key((build)->reader, key);                                                             \
        script_reader_warn((build)->reader, __VA_ARGS__);                                                    \
        script_reader_leave((build)->reader);                                                                \
    } while (0)

static const struct ScriptMesh *mesh_of(const ScriptRigBuild *build, const SimGarmentDef *garment);
static void lint_held(ScriptRigBuild *build, const SimGarmentDef *garment);
static void lint_space(ScriptRigBuild *build, const SimGarmentDef *garment);
static int attached_to(const SimGarmentDef *garment, int column);
static bool lint_order(ScriptRigBuild *build, const SimGarmentDef *garment);
static float longest_link(const SimGarmentDef *garment, int rows, int columns);
static void lint_directions(ScriptRigBuild *build, const SimGarmentDef *garment);
static void middle_of_row(const SimGarmentDef *garment, int row, vec3 out_middle);
static bool is_ring(const SimGarmentDef *garment);
static void lint_open_normals(ScriptRigBuild *build, const SimGarmentDef *garment, vec3 up);
static void add_area(const SimGarmentDef *garment, int row, vec3 area);

static void lint_faces(ScriptRigBuild *build, const SimGarmentDef *garment);
static bool lint_place(ScriptRigBuild *build, const SimGarmentDef *garment);
static float nearest_bone(const ScriptRigBuild *build, const SimGarmentDef *garment, bool z_up,
                          int *out_bone);
static bool is_held(const SimGarmentDef *garment, int particle);
static float mean_cosine(const SimGarmentDef *garment, const float origin[3]);

void script_positions_lint(ScriptRigBuild *build, const SimGarmentDef *garment) {
    lint_held(build, garment);
    if (build->bones_known) lint_space(build, garment);
    if (garment->faces && build->bones_known) lint_faces(build, garment);
    if (garment->kind != SIM_GARMENT_CLOTH || garment->faces || lint_order(build, garment)) return;
    if (!mesh_of(build, garment) || !build->bones_known || !lint_place(build, garment))
        lint_directions(build, garment);
}

// The mesh that the garment is made from, whose faces say which side is outward; NULL: it is a list of
// points.
static const struct ScriptMesh *mesh_of(const ScriptRigBuild *build, const SimGarmentDef *garment) {
    const ScriptItem *items = build->def->garments.items;
    return ((const ScriptGarmentDef *)items[garment - build->rig.garments].value)->mesh;
}

static void lint_held(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const bool is_given = garment->max_distances || garment->max_distance_bottom >= 0.0f;
    float most = garment->max_distance_top;
    if (garment->max_distances)
        for (int i = 0; i < garment->rows * garment->columns; i++)
            most = fmaxf(most, garment->max_distances[i]);
    else
        most = fmaxf(most, is_given ? garment->max_distance_bottom : garment->fabric.max_distance);
    if (most <= 0.0f && (is_given || garment->kind == SIM_GARMENT_CLOTH))
        ADVISE(build, "max_distance", "0 everywhere: no particle can move");
}

// Chains have points in the bone's space, cloth in model space. Points that begin far from their bone, but
// near it if read in the other space, were probably written in that one.
static void lint_space(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const bool is_cloth = garment->kind == SIM_GARMENT_CLOTH;
    const int first = garment->kind == SIM_GARMENT_PENDULUM ? 1 : 0; // point 0 is the bone's position
    float distance = HUGE_VALF, otherwise = HUGE_VALF;
    int bone = 0;
    for (int i = 0; i < garment->columns; i++) {
        if (garment->faces && !garment->pinned[i]) continue;
        const int own = attached_to(garment, i);
        float *origin = build->rest_model[own].position, *point = (float *)garment->positions[first + i];
        const float found = glm_vec3_distance(point, origin);
        vec3 in_bone;
        versor back;
        glm_vec3_sub(point, origin, in_bone);
        glm_quat_conjugate(build->rest_model[own].rotation, back);
        glm_quat_rotatev(back, in_bone, in_bone);
        otherwise = fminf(otherwise, is_cloth ? glm_vec3_norm(point) : glm_vec3_distance(in_bone, origin));
        if (found < distance) distance = found, bone = own;
    }
    if (distance < NEAR_BONE || otherwise > HALF * distance) return;
    const char *name = build->bone_names[bone];
    if (is_cloth)
        ADVISE(build, "positions",
               "the top row is %.2g m from bone \"%s\", to which it is attached: positions are in model "
               "space; are these in the bone's space?",
               (double)distance, name);
    else
        ADVISE(
            build, first ? "rest" : "points",
            "it begins %.2g m from bone \"%s\", to which it is attached: %s in the bone's space; %s in model "
            "space?",
            (double)distance, name, first ? "rest is" : "points are", first ? "is this" : "are these");
}

// The bone with the greatest weight in a column.
static int attached_to(const SimGarmentDef *garment, int column) {
    const SimSkin *skin = &garment->attach[column];
    int most = 0;
    for (int i = 1; i < SIM_INFLUENCES; i++)
        if (skin->weights[i] > skin->weights[most]) most = i;
    return skin->bones[most];
}

// Whether the points make a smoother grid column by column than row by row. The wrong order has links from
// the end of a row to the start of the next, and they are long even where rows and columns differ by one.
static bool lint_order(ScriptRigBuild *build, const SimGarmentDef *garment) {
    const int rows = garment->rows, columns = garment->columns;
    const float own = longest_link(garment, rows, columns), other = longest_link(garment, columns, rows);
    if (other >= HALF * own) return false;
    ADVISE(build, "positions",
           "the longest link of %d rows of %d columns is %.2g m, that of %d rows of %d columns %.2g m: are "
           "rows and columns swapped, or do the points run column by column?",
           rows, columns, (double)own, columns, rows, (double)other);
    return true;
}

static float longest_link(const SimGarmentDef *garment, int rows, int columns) {
    float longest = 0.0f;
    for (int i = 0; i < rows * columns; i++) {
        float *point = (float *)garment->positions[i];
        if ((i + 1) % columns) longest = fmaxf(longest, glm_vec3_distance(point, point + 3));
        if (i + columns < rows * columns)
            longest = fmaxf(longest, glm_vec3_distance(point, point + (size_t)3 * (size_t)columns));
    }
    return longest;
}

// Row 0 is on top, and round a body columns run so that normals point away from it.
static void lint_directions(ScriptRigBuild *build, const SimGarmentDef *garment) {
    vec3 top, bottom, up, area = {0.0f, 0.0f, 0.0f};
    middle_of_row(garment, 0, top);
    middle_of_row(garment, garment->rows - 1, bottom);
    glm_vec3_sub(top, bottom, up);
    if (up[1] < -HALF * glm_vec3_norm(up)) {
        ADVISE(build, "positions",
               "the last row is %.2g m above the first, which is held: are the rows upside down?",
               (double)-up[1]);
        return;
    }
    if (!is_ring(garment)) {
        if (build->bones_known) lint_open_normals(build, garment, up);
        return;
    }
    for (int row = 0; row < garment->rows; row++) add_area(garment, row, area);
    if (glm_vec3_dot(area, up) >= -HALF * glm_vec3_norm(area) * glm_vec3_norm(up)) return;
    if (mesh_of(build, garment))
        ADVISE(build, "mesh", "its faces point inward: expected outward, turned round in the modeller");
    else
        ADVISE(build, "positions",
               "normals point inward: expected columns that run from the front towards +X");
}

static void middle_of_row(const SimGarmentDef *garment, int row, vec3 out_middle) {
    glm_vec3_zero(out_middle);
    for (int i = 0; i < garment->columns; i++)
        glm_vec3_add(out_middle, (float *)garment->positions[row * garment->columns + i], out_middle);
    glm_vec3_scale(out_middle, 1.0f / (float)garment->columns, out_middle);
}

static bool is_ring(const SimGarmentDef *garment) {
    const float(*points)[3] = garment->positions;
    float length = 0.0f;
    for (int i = 1; i < garment->columns; i++)
        length += glm_vec3_distance((float *)points[i - 1], (float *)points[i]);
    const float gap = glm_vec3_distance((float *)points[garment->columns - 1], (float *)points[0]);
    return garment->closed || gap < RING_GAP * length;
}

// Compares the normals with the directions away from the bone that the column is attached to, both level: the
// height of the bone does not count.
static void lint_open_normals(ScriptRigBuild *build, const SimGarmentDef *garment, vec3 up) {
    const int columns = garment->columns;
    float outward = 0.0f, most = 0.0f;
    vec3 axis;
    glm_vec3_normalize_to(up, axis);
    for (int i = 0; i < (garment->rows - 1) * columns; i++) {
        if (!((i + 1) % columns)) continue;
        float *point = (float *)garment->positions[i];
        vec3 below, right, normal, away;
        glm_vec3_sub(point + (size_t)3 * (size_t)columns, point, below);
        glm_vec3_sub(point + 3, point, right);
        glm_vec3_cross(below, right, normal);
        glm_vec3_sub(point, build->rest_model[attached_to(garment, i % columns)].position, away);
        glm_vec3_muladds(axis, -glm_vec3_dot(away, axis), away);
        outward += glm_vec3_dot(normal, away);
        most += glm_vec3_norm(normal) * glm_vec3_norm(away);
    }
    if (outward >= -INWARD * most) return;
    if (mesh_of(build, garment))
        ADVISE(build, "mesh",
               "its faces point inward, to bone \"%s\": expected outward, turned round in the modeller",
               build->bone_names[attached_to(garment, columns / 2)]);
    else
        ADVISE(build, "positions",
               "normals point inward, to bone \"%s\": expected columns that run towards +X in front of the "
               "body and towards -X behind it",
               build->bone_names[attached_to(garment, columns / 2)]);
}

// Adds twice the area that a row goes round, along its normal.
static void add_area(const SimGarmentDef *garment, int row, vec3 area) {
    const float(*points)[3] = garment->positions + row * garment->columns;
    vec3 middle;
    middle_of_row(garment, row, middle);
    for (int i = 0; i < garment->columns; i++) {
        vec3 from, to, part;
        glm_vec3_sub((float *)points[i], middle, from);
        glm_vec3_sub((float *)points[(i + 1) % garment->columns], middle, to);
        glm_vec3_cross(from, to, part);
        glm_vec3_add(area, part, area);
    }
}

// Advice on a general mesh: held all over, beside the body or on its side, inside out.
static void lint_faces(ScriptRigBuild *build, const SimGarmentDef *garment) {
    int pinned = 0;
    for (int i = 0; i < garment->columns; i++) pinned += garment->pinned[i];
    if (pinned == garment->columns)
        ADVISE(build, "mesh",
               "all of its %d particles are pinned, so none is simulated: expected pins where it hangs alone",
               pinned);
    if (pinned == 0 || lint_place(build, garment)) return;
    const int bone = attached_to(garment, 0);
    if (mean_cosine(garment, build->rest_model[bone].position) < -INWARD)
        ADVISE(build, "mesh",
               "its faces point inward, to bone \"%s\": expected outward, turned round in the modeller",
               build->bone_names[bone]);
}

// Advice on a mesh that is not on the body, as where its file has z up. Returns whether there is any.
static bool lint_place(ScriptRigBuild *build, const SimGarmentDef *garment) {
    int bone = 0, other = 0;
    const float distance = nearest_bone(build, garment, false, &bone);
    if (distance <= BESIDE_BODY) return false;
    const bool is_turned = nearest_bone(build, garment, true, &other) < HALF * distance;
    ADVISE(build, "mesh", "its %s %.2g m from bone \"%s\", the nearest: expected on the body%s",
           garment->faces ? "pins are" : "top row is", (double)distance, build->bone_names[bone],
           is_turned ? "; turned from z up to y up it would lie there: expected an export with y up" : "");
    return true;
}

// m, of the nearest held particle from the nearest bone; z_up: of any, once the mesh is turned from z up to y
// up, since then another side may be on top.
static float nearest_bone(const ScriptRigBuild *build, const SimGarmentDef *garment, bool z_up,
                          int *out_bone) {
    float nearest = HUGE_VALF;
    for (int i = 0; i < garment->rows * garment->columns; i++) {
        const float *at = garment->positions[i];
        vec3 point = {at[0], z_up ? at[2] : at[1], z_up ? -at[1] : at[2]};
        for (int bone = 0; (z_up || is_held(garment, i)) && bone < build->rig.bone_count; bone++) {
            const float distance = glm_vec3_distance(point, build->rest_model[bone].position);
            if (distance < nearest) nearest = distance, *out_bone = bone;
        }
    }
    return nearest;
}

static bool is_held(const SimGarmentDef *garment, int particle) {
    return garment->faces ? garment->pinned[particle] : particle < garment->columns;
}

// Of the faces' normals and the ways to them from a point, weighted by area.
static float mean_cosine(const SimGarmentDef *garment, const float origin[3]) {
    float sum = 0.0f, area = 0.0f;
    for (int i = 0; i < garment->face_count; i++) {
        const int *corner = garment->faces[i], last = corner[3] < 0 ? corner[2] : corner[3];
        vec3 side, across, normal, way;
        glm_vec3_sub((float *)garment->positions[corner[2]], (float *)garment->positions[corner[0]], side);
        glm_vec3_sub((float *)garment->positions[last], (float *)garment->positions[corner[1]], across);
        glm_vec3_cross(side, across, normal);
        glm_vec3_center((float *)garment->positions[corner[0]], (float *)garment->positions[corner[2]], way);
        glm_vec3_sub(way, (float *)origin, way);
        sum += glm_vec3_dot(normal, way) / fmaxf(glm_vec3_norm(way), 1e-6f);
        area += glm_vec3_norm(normal);
    }
    return area > 0.0f ? sum / area : 0.0f;
}
