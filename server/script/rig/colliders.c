// The colliders of a rig. A long ellipsoid with `split` becomes two.
#include "rig/build.h"

#include <cglm/cglm.h>
#include <stdio.h>
#include <string.h>

// Longest radius over the middle one, beyond which an ellipsoid is split.
#define SPLIT_ASPECT 2.5f
// Of the longest radius: the halves' centres, and their radius along it. They share the whole's tips and its
// other radii; their union is nowhere more than a tenth of the middle radius off its surface: a waist 8 %
// thinner in the middle, shoulders up to 10 % thicker. Set farther apart the halves would be rounder yet, and
// the waist deeper: at 0.4 it is 25 %.
#define SPLIT_CENTER 0.28f
#define SPLIT_RADIUS 0.72f

static int split_axis(const ScriptItem *item);
static void build_collider(const ScriptItem *item, SimColliderDef *out);
static SimColliderShape shape_of(const ScriptSchema *schema);
static void make_half(ScriptRigBuild *build, int axis, float side, SimColliderDef *collider);
static void check_collider_name(ScriptRigBuild *build, const SimColliderDef *colliders, int index);

void script_build_colliders(ScriptRigBuild *build) {
    const ScriptList *list = &build->def->colliders;
    const ScriptItem *items = list->items;
    SimColliderDef *colliders = script_reader_alloc(build->reader, 2 * list->count, sizeof *colliders);
    int *indices = script_reader_alloc(build->reader, 2 * list->count, sizeof *indices), count = 0;
    if (!colliders || !indices) return;
    script_reader_key(build->reader, "colliders");
    for (int i = 0; i < list->count; i++) {
        if (!items[i].schema) continue;
        script_reader_index(build->reader, i + 1);
        int axis = split_axis(&items[i]), first = count;
        build_collider(&items[i], &colliders[count++]);
        if (axis >= 0) {
            colliders[count++] = colliders[first];
            make_half(build, axis, -1.0f, &colliders[first]);
            make_half(build, axis, 1.0f, &colliders[first + 1]);
        }
        for (int k = first; k < count; k++) {
            indices[k] = i + 1;
            check_collider_name(build, colliders, k);
        }
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.colliders = colliders;
    build->rig.collider_count = count;
    build->collider_indices = indices;
}

void script_build_collider_bones(ScriptRigBuild *build) {
    const ScriptItem *items = build->def->colliders.items;
    SimColliderDef *colliders = (SimColliderDef *)build->rig.colliders;
    int *indices, count;
    const char **names = build->bones_known ? script_build_bone_names(build, &indices, &count) : NULL;
    if (!names || !colliders) return;
    script_reader_key(build->reader, "colliders");
    for (int i = 0; i < build->rig.collider_count; i++) {
        const int index = build->collider_indices[i];
        const char *name = ((const ScriptColliderDef *)items[index - 1].value)->bone;
        if (colliders[i].shape == SIM_COLLIDER_PLANE) continue;
        if (!name) continue; // reported already
        int at = 0;
        while (at < count && names[at] && strcmp(names[at], name) != 0) at++;
        colliders[i].bone = at < count ? indices[at] : 0;
        if (at < count || (i > 0 && build->collider_indices[i - 1] == index))
            continue; // reported once for both halves
        script_reader_index(build->reader, index);
        script_reader_key(build->reader, "bone");
        script_reader_unknown(build->reader, "bone", name, names, count);
        script_reader_leave(build->reader);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
}

int script_build_collider(ScriptRigBuild *build, const char *name, int out_indices[2]) {
    const SimRigDef *rig = &build->rig;
    const ScriptItem *items = build->def->colliders.items;
    const char **names = script_reader_alloc(build->reader, rig->collider_count, sizeof *names);
    int count = 0, found = 0;
    for (int i = 0; names && i < rig->collider_count && found < 2; i++) {
        const ScriptColliderDef *def = items[build->collider_indices[i] - 1].value;
        if (!rig->colliders[i].name) continue;
        if (strcmp(rig->colliders[i].name, name) == 0 || (def->name && strcmp(def->name, name) == 0))
            out_indices[found++] = i;
        names[count++] = rig->colliders[i].name;
    }
    if (found > 0) return found;
    script_reader_unknown(build->reader, "collider", name, names, count);
    out_indices[0] = 0;
    return 1;
}

const char **script_build_bone_names(ScriptRigBuild *build, int **out_indices, int *out_count) {
    const SimRigDef *rig = &build->rig;
    int most = rig->bone_count, count = 0;
    for (int g = 0; g < rig->garment_count; g++) most += rig->garments[g].rows * rig->garments[g].columns;
    const char **names = script_reader_alloc(build->reader, most, sizeof *names);
    *out_indices = script_reader_alloc(build->reader, most, sizeof **out_indices);
    *out_count = 0;
    if (!names || !*out_indices) return NULL;
    for (int i = 0; i < rig->bone_count; i++) {
        (*out_indices)[count] = i;
        names[count++] = rig->bones[i].name;
    }
    for (int g = 0; g < rig->garment_count; g++)
        for (int p = 0; p < rig->garments[g].rows * rig->garments[g].columns; p++) {
            const SimGarmentDef *garment = &rig->garments[g];
            const int row = p / garment->columns, column = p % garment->columns;
            const int bone = sim_garment_bone_index(rig, g, row, column);
            char name[SIM_GARMENT_BONE_NAME_SIZE];
            if (bone < 0 || !garment->bone_prefix) continue;
            sim_garment_bone_name(garment, row, column, name);
            (*out_indices)[count] = bone;
            names[count++] = script_arena_text(build->reader->arena, name);
        }
    *out_count = count;
    return names;
}

// The axis to split along, or -1.
static int split_axis(const ScriptItem *item) {
    const ScriptColliderDef *def = item->value;
    if (item->schema != &script_ellipsoid_schema || !def->split) return -1;
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (def->radii[axis] > def->radii[longest]) longest = axis;
    float middle = glm_max(def->radii[(longest + 1) % 3], def->radii[(longest + 2) % 3]);
    return def->radii[longest] > SPLIT_ASPECT * middle ? longest : -1;
}

static void build_collider(const ScriptItem *item, SimColliderDef *out) {
    const ScriptColliderDef *def = item->value;
    *out = sim_default_collider_def();
    out->name = def->name;
    out->shape = shape_of(item->schema);
    memcpy(out->center, def->center, sizeof def->center);
    if (out->shape == SIM_COLLIDER_ELLIPSOID) memcpy(out->rotation, def->rotation, sizeof def->rotation);
    memcpy(out->radii, def->radii, sizeof def->radii);
    memcpy(out->from, def->from, sizeof def->from);
    memcpy(out->to, def->to, sizeof def->to);
    out->radius = def->radius;
    out->radius_end = def->radius_end < 0.0f ? def->radius : def->radius_end;
    if (out->shape == SIM_COLLIDER_PLANE) memcpy(out->normal, def->normal, sizeof def->normal);
    out->offset = def->offset;
}

static SimColliderShape shape_of(const ScriptSchema *schema) {
    if (schema == &script_sphere_schema) return SIM_COLLIDER_SPHERE;
    if (schema == &script_capsule_schema) return SIM_COLLIDER_CAPSULE;
    if (schema == &script_plane_schema) return SIM_COLLIDER_PLANE;
    return SIM_COLLIDER_ELLIPSOID;
}

// The half towards the negative end of the axis (side -1) or the positive one (side 1).
static void make_half(ScriptRigBuild *build, int axis, float side, SimColliderDef *collider) {
    if (collider->name) {
        size_t size = strlen(collider->name) + sizeof "_a";
        char *name = script_reader_alloc(build->reader, (int)size, 1);
        if (name) snprintf(name, size, "%s_%c", collider->name, side < 0.0f ? 'a' : 'b');
        collider->name = name;
    }
    vec3 way = {0.0f, 0.0f, 0.0f};
    way[axis] = side * SPLIT_CENTER * collider->radii[axis];
    glm_quat_rotatev(collider->rotation, way, way);
    glm_vec3_add(collider->center, way, collider->center);
    collider->radii[axis] *= SPLIT_RADIUS;
}

static void check_collider_name(ScriptRigBuild *build, const SimColliderDef *colliders, int index) {
    for (int i = 0; i < index; i++) {
        if (!colliders[index].name || !colliders[i].name) continue;
        if (strcmp(colliders[i].name, colliders[index].name) != 0) continue;
        script_reader_error_at(build->reader, "name", "there is another collider \"%s\"",
                               colliders[index].name);
        return;
    }
}
