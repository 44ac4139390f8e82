// Garments: grids of cloth, pendulums and chains.
#include "define/cloth_from_mesh.h"
#include "rig/build.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_LINK       0.005f // m
#define MIN_CLOTH_LINK 1e-5f  // m
#define MAX_PREFIX     48     // bytes: row and column follow

static void build_garment(ScriptRigBuild *build, const ScriptItem *item, SimGarmentDef *out);
static void set_solver(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void build_cloth(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void check_points(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *key,
                         const ScriptList *list);
static void check_general(ScriptRigBuild *build, const ScriptGarmentDef *def, const SimGarmentDef *garment);
static void check_links(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *key,
                        const float (*points)[3]);
static void check_link(ScriptRigBuild *build, const float (*points)[3], int from, int to, const char *side);
static void set_slits(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_attach(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static SimSkin *one_bone(ScriptRigBuild *build, int bone, int columns);
static void set_column_skin(ScriptRigBuild *build, const ScriptList *column, SimSkin *out);
static void set_bone_names(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_prefix(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *prefix,
                       SimGarmentDef *out);
static void build_pendulum(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_column(ScriptRigBuild *build, const ScriptGarmentDef *def, const float (*points)[3],
                       int count, SimGarmentDef *out);
static void to_model(const ScriptRigBuild *build, int bone, const float point[3], float out_model[3]);
static void set_links(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void build_chain(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_follows(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static int find_colliders(ScriptRigBuild *build, const char *key, const ScriptList *list,
                          const int **out_colliders);
static void set_max_distance(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_backstop(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void set_pose(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
static void check_count(ScriptRigBuild *build, const char *key, const ScriptList *list,
                        const SimGarmentDef *garment);
static void check_name(ScriptRigBuild *build, const SimGarmentDef *garments, int index);

void script_build_garments(ScriptRigBuild *build) {
    const ScriptList *list = &build->def->garments;
    const ScriptItem *items = list->items;
    SimGarmentDef *garments = script_reader_alloc(build->reader, list->count, sizeof *garments);
    if (!garments) return;
    script_reader_key(build->reader, "garments");
    for (int i = 0; i < list->count; i++) {
        if (!items[i].schema) continue;
        script_reader_index(build->reader, i + 1);
        build_garment(build, &items[i], &garments[i]);
        check_name(build, garments, i);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.garments = garments;
    build->rig.garment_count = list->count;
}

static void build_garment(ScriptRigBuild *build, const ScriptItem *item, SimGarmentDef *out) {
    const ScriptGarmentDef *def = item->value;
    *out = sim_default_garment_def();
    out->name = def->name;
    out->references = (SimReferences)def->references.kind;
    out->self_collision = def->self_collision;
    out->collision = (SimCollision)def->collision;
    out->hard = (SimHard)def->hard;
    out->bend = (SimBend)def->bend;
    set_solver(build, def, out);
    if (item->schema == &script_cloth_schema) build_cloth(build, def, out);
    if (item->schema == &script_pendulum_schema) build_pendulum(build, def, out);
    if (item->schema == &script_chain_schema) build_chain(build, def, out);
    const SimFabric *fabric = def->fabric ? script_build_fabric(build, "fabric", def->fabric) : NULL;
    if (fabric) out->fabric = *fabric;
    if (fabric) script_build_regions(build, def, out);
    out->collider_count = find_colliders(build, "colliders", &def->colliders, &out->colliders);
    out->reference_collider_count =
        find_colliders(build, "references", &def->references.colliders, &out->reference_colliders);
    set_max_distance(build, def, out);
    if (item->schema != &script_cloth_schema) return;
    set_backstop(build, def, out);
    set_pose(build, def, out);
}

static void set_solver(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    out->solver = (SimSolver)def->solver;
    out->limit_sweeps = def->limit_sweeps;
    if (out->solver != SIM_SOLVER_MASS_SPRING) return;
    if (out->hard == SIM_HARD_ALAN_WAKE)
        script_reader_error_at(build->reader, "hard",
                               "expected \"exact\" with solver = \"mass_spring\": \"article\" sets the "
                               "lengths of links, and springs have limits instead");
    if (out->bend == SIM_BEND_ALAN_WAKE)
        script_reader_error_at(build->reader, "bend",
                               "expected \"curvature\" with solver = \"mass_spring\": its flexion springs "
                               "resist bending");
}

static void build_cloth(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const bool is_whole = script_cloth_complete(build->reader, (ScriptGarmentDef *)def);
    out->kind = SIM_GARMENT_CLOTH;
    out->rows = def->rows;
    out->columns = def->columns;
    out->closed = def->closed;
    out->positions = (const float(*)[3])def->positions.items;
    out->pattern = (const float(*)[3])def->pattern.items;
    out->pinned = def->pinned;
    out->faces = (const int(*)[4])def->faces.items;
    out->face_count = def->faces.count;
    out->bone_particles = def->bone_particles.items;
    out->bone_particle_count = def->bone_particles.count;
    if (is_whole && !out->faces) check_points(build, def, "positions", &def->positions);
    if (def->general) check_general(build, def, out);
    check_points(build, def, "pattern", &def->pattern);
    if (def->closed && def->columns && def->columns < 3)
        script_reader_error_at(build->reader, "columns", "expected 3 at least in a ring, found %d",
                               def->columns);
    set_slits(build, def, out);
    set_attach(build, def, out);
    set_bone_names(build, def, out);
}

// What needs a grid.
static void check_general(ScriptRigBuild *build, const ScriptGarmentDef *def, const SimGarmentDef *garment) {
    if (def->attach.columns.items)
        script_reader_error_at(build->reader, "attach",
                               "expected the name of a bone: a general mesh has no columns");
    if (garment->hard == SIM_HARD_ALAN_WAKE)
        script_reader_error_at(build->reader, "hard", "expected \"exact\": a general mesh has no columns");
}

// The same checks as sim's.
static void set_slits(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const ScriptSlit *slits = def->slits.items;
    const int first = def->closed ? 0 : 1, last = def->closed ? def->columns - 1 : def->columns - 3;
    SimSlit *cuts = script_reader_alloc(build->reader, def->slits.count, sizeof *cuts);
    script_reader_key(build->reader, "slits");
    for (int i = 0; cuts && i < def->slits.count; i++) {
        cuts[i] = (SimSlit){slits[i].column, slits[i].row, (SimSide)slits[i].over};
        script_reader_index(build->reader, i + 1);
        if (slits[i].column < first || slits[i].column > last)
            script_reader_error_at(build->reader, "column",
                                   "expected a column with two on either side of the cut, found %d",
                                   slits[i].column);
        if (slits[i].row >= def->rows)
            script_reader_error_at(build->reader, "row", "expected a row of 1 to %d, found %d", def->rows - 1,
                                   slits[i].row);
        for (int other = 0; other < i; other++) {
            const int apart = abs(slits[other].column - slits[i].column);
            if (apart < 2 || (def->closed && apart == def->columns - 1))
                script_reader_error_at(build->reader, "column",
                                       "expected two columns between it and the slit at column %d, found %d",
                                       slits[other].column, slits[i].column);
        }
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    out->slits = cuts;
    out->slit_count = cuts ? def->slits.count : 0;
}

static void check_points(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *key,
                         const ScriptList *list) {
    const int count = def->rows * def->columns;
    if (count && list->items && list->count != count)
        script_reader_error_at(build->reader, key, "expected %d points (%d rows of %d columns), found %d",
                               count, def->rows, def->columns, list->count);
    else if (count && list->items)
        check_links(build, def, key, (const float(*)[3])list->items);
}

// The same check as sim's, which reports only the first.
static void check_links(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *key,
                        const float (*points)[3]) {
    const int rows = def->rows, columns = def->columns;
    script_reader_key(build->reader, key);
    const bool is_misread = script_reader_has_errors_here(build->reader); // so that the first is at 0
    for (int row = 0; row < rows && !is_misread; row++)
        for (int column = 0; column < columns; column++) {
            const int particle = row * columns + column, next = (column + 1) % columns;
            if (row + 1 < rows) check_link(build, points, particle, particle + columns, "below");
            if (next || def->closed) check_link(build, points, particle, row * columns + next, "beside");
        }
    script_reader_leave(build->reader);
}

static void check_link(ScriptRigBuild *build, const float (*points)[3], int from, int to, const char *side) {
    if (glm_vec3_distance((float *)points[from], (float *)points[to]) >= MIN_CLOTH_LINK) return;
    script_reader_index(build->reader, from + 1);
    script_reader_error(build->reader, "lies on the particle %s it: links need a length", side);
    script_reader_leave(build->reader);
}

static void set_attach(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const ScriptList *columns = &def->attach.columns;
    if (def->attach.bone) {
        const int bone = script_build_bone(build, "attach", def->attach.bone);
        out->attach = one_bone(build, bone, out->columns);
        return;
    }
    if (!columns->items) return; // reported already
    if (columns->count != out->columns) {
        if (out->columns && !def->general)
            script_reader_error_at(build->reader, "attach",
                                   "expected one {BONE = weight, ...} for each of %d columns, found %d",
                                   out->columns, columns->count);
        return;
    }
    SimSkin *skins = script_reader_alloc(build->reader, columns->count, sizeof *skins);
    script_reader_key(build->reader, "attach");
    for (int i = 0; skins && i < columns->count; i++) {
        script_reader_index(build->reader, i + 1);
        set_column_skin(build, (const ScriptList *)columns->items + i, &skins[i]);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    out->attach = skins;
}

static SimSkin *one_bone(ScriptRigBuild *build, int bone, int columns) {
    SimSkin *skins = script_reader_alloc(build->reader, columns, sizeof *skins);
    for (int i = 0; skins && i < columns; i++) {
        skins[i].bones[0] = bone;
        skins[i].weights[0] = 1.0f;
    }
    return skins;
}

static void set_column_skin(ScriptRigBuild *build, const ScriptList *column, SimSkin *out) {
    const float *weights = column->items;
    float sum = 0.0f;
    if (column->count > SIM_INFLUENCES) {
        script_reader_error(build->reader, "expected %d bones at most, found %d", SIM_INFLUENCES,
                            column->count);
        return;
    }
    for (int i = 0; i < column->count; i++) {
        out->bones[i] = script_build_bone(build, column->keys[i], column->keys[i]);
        out->weights[i] = weights[i];
        sum += weights[i];
    }
    if (sum < 1e-4f && !script_reader_failed(build->reader)) // otherwise they are incomplete
        script_reader_error(build->reader, "expected weights that add up to more than 0");
}

static void set_bone_names(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    set_prefix(build, def, script_cloth_prefix(build->reader, def), out);
    out->bone_first_column = def->bones.first_column;
    out->bone_column_step = def->bones.every;
    out->bone_last_row = (SimLastRow)def->bones.last_row;
    const bool is_default = def->bones.first_column == 0 && def->bones.every == 1 && def->bones.last_row == 0;
    if (def->general && !is_default)
        script_reader_error_at(build->reader, "bones",
                               "expected prefix or count: a general mesh has no rows and columns");
    if (!def->general && def->bones.count > 0 && (def->mesh_is_taken || !def->mesh))
        script_reader_error_at(build->reader, "bones",
                               "expected first_column, every or last_row: count is a general mesh's%s",
                               def->mesh ? ", as which general = true takes this grid" : "");
    if (out->columns && !out->faces && def->bones.first_column >= out->columns) {
        script_reader_key(build->reader, "bones");
        script_reader_error_at(build->reader, "first_column", "expected a column of 0 to %d, found %d",
                               out->columns - 1, def->bones.first_column);
        script_reader_leave(build->reader);
    }
}

// Without a prefix the garment's name is too long.
static void set_prefix(ScriptRigBuild *build, const ScriptGarmentDef *def, const char *prefix,
                       SimGarmentDef *out) {
    out->bone_prefix = prefix ? prefix : "";
    if (strlen(out->bone_prefix) <= MAX_PREFIX) return;
    if (def->bones.prefix) script_reader_key(build->reader, "bones");
    script_reader_error_at(build->reader, def->bones.prefix ? "prefix" : "name",
                           "too long to begin the bones' names: \"%s\" has %zu bytes, %d at most", prefix,
                           strlen(prefix), MAX_PREFIX);
    if (def->bones.prefix) script_reader_leave(build->reader);
}

static void build_pendulum(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const float points[2][3] = {{0.0f, 0.0f, 0.0f}, {def->rest[0], def->rest[1], def->rest[2]}};
    const float length = glm_vec3_norm((float *)def->rest);
    out->kind = SIM_GARMENT_PENDULUM;
    set_prefix(build, def, def->name, out);
    set_column(build, def, points, 2, out);
    set_links(build, def, out);
    script_reader_key(build->reader, "rest");
    const bool is_misread = script_reader_has_errors_here(build->reader);
    script_reader_leave(build->reader);
    if (!is_misread && length < MIN_LINK)
        script_reader_error_at(build->reader, "rest", "expected a length of %g m at least, found %g",
                               (double)MIN_LINK, (double)length);
}

// One column of points in the bone's space.
static void set_column(ScriptRigBuild *build, const ScriptGarmentDef *def, const float (*points)[3],
                       int count, SimGarmentDef *out) {
    const int bone = script_build_bone(build, "bone", def->bone);
    float(*positions)[3] = script_reader_alloc(build->reader, count, sizeof *positions);
    out->rows = count;
    out->columns = 1;
    out->positions = (const float(*)[3])positions;
    out->attach = one_bone(build, bone, 1);
    for (int i = 0; positions && build->bones_known && i < count; i++)
        to_model(build, bone, points[i], positions[i]);
}

// From a bone's space to model space, at rest.
static void to_model(const ScriptRigBuild *build, int bone, const float point[3], float out_model[3]) {
    vec3 turned;
    SimTransform *rest = &build->rest_model[bone];
    glm_quat_rotatev(rest->rotation, (float *)point, turned);
    glm_vec3_add(rest->position, turned, out_model);
}

static void set_links(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const ScriptLinks *stiffness = &def->pose_stiffness, *limit = &def->angle_limit;
    out->pose_stiffness[0] = stiffness->base, out->pose_stiffness[1] = stiffness->tip;
    out->angle_limit[0] = limit->base, out->angle_limit[1] = limit->tip;
    out->pose_damping = def->pose_damping;
    if (out->hard == SIM_HARD_ALAN_WAKE && (limit->base < 180.0f || limit->tip < 180.0f))
        script_reader_error_at(build->reader, "angle_limit",
                               "expected hard = \"exact\": \"article\" keeps no angle limit");
}

static void build_chain(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const float(*points)[3] = (const float(*)[3])def->points.items;
    out->kind = SIM_GARMENT_CHAIN;
    if (!points) return; // reported already
    if (def->points.count < 2 || def->points.count > 128) {
        script_reader_error_at(build->reader, "points", "expected 2 to 128 points, found %d",
                               def->points.count);
        return;
    }
    set_column(build, def, points, def->points.count, out);
    set_links(build, def, out);
    set_follows(build, def, out);
    set_bone_names(build, def, out);
    script_reader_key(build->reader, "points");
    const bool is_misread = script_reader_has_errors_here(build->reader); // a point with an error is at 0
    script_reader_leave(build->reader);
    for (int i = 1; i < def->points.count && !is_misread; i++) {
        if (glm_vec3_distance((float *)points[i - 1], (float *)points[i]) >= MIN_LINK) continue;
        script_reader_key(build->reader, "points");
        script_reader_index(build->reader, i + 1);
        script_reader_error(build->reader, "expected %g m at least from the point before", (double)MIN_LINK);
        script_reader_leave(build->reader);
        script_reader_leave(build->reader);
    }
}

// The first point stays fixed to the chain's bone.
static void set_follows(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const char *const *names = def->follows.items;
    if (!names || !out->attach) return;
    if (def->follows.count != out->rows - 1) {
        script_reader_error_at(build->reader, "follows",
                               "expected a bone for each of the %d points after the first, found %d",
                               out->rows - 1, def->follows.count);
        return;
    }
    SimSkin *skins = script_reader_alloc(build->reader, out->rows, sizeof *skins);
    if (!skins) return;
    skins[0] = out->attach[0];
    script_reader_key(build->reader, "follows");
    for (int i = 1; i < out->rows; i++) {
        script_reader_index(build->reader, i);
        skins[i].bones[0] = script_build_bone(build, NULL, names[i - 1]);
        skins[i].weights[0] = 1.0f;
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    out->skins = skins;
}

// Finds the colliders of a list of names. Returns their number; -1 if no list was given.
static int find_colliders(ScriptRigBuild *build, const char *key, const ScriptList *list,
                          const int **out_colliders) {
    if (!list->items) return -1;
    const char *const *names = list->items;
    int count = 0, *colliders = script_reader_alloc(build->reader, 2 * list->count, sizeof *colliders);
    if (!colliders) return -1;
    script_reader_key(build->reader, key);
    for (int i = 0; i < list->count; i++) {
        script_reader_index(build->reader, i + 1);
        if (names[i]) count += script_build_collider(build, names[i], &colliders[count]);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    *out_colliders = colliders;
    return count;
}

static void set_max_distance(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    out->max_distance_top = def->max_distance.top;
    out->max_distance_bottom = def->max_distance.bottom;
    out->max_distance_curve = def->max_distance.curve;
    out->max_distances = def->max_distance.each.items;
    check_count(build, "max_distance", &def->max_distance.each, out);
}

static void set_backstop(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const ScriptLimits *limits = &def->backstop;
    out->backstop[0] = limits->top < 0.0f ? limits->bottom : limits->top;
    out->backstop[1] = limits->bottom < 0.0f ? limits->top : limits->bottom;
    out->backstop_curve = limits->curve;
    out->backstops = limits->each.items;
    check_count(build, "backstop", &limits->each, out);
    if (out->faces && (out->backstops || out->backstop[0] >= 0.0f))
        script_reader_error_at(
            build->reader, "backstop",
            "expected none: a general mesh has no rows and columns to tell its outside by");
}

static void set_pose(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    out->pose_stiffness[0] = def->pose.top, out->pose_stiffness[1] = def->pose.bottom;
    out->pose_curve = def->pose.curve;
    out->pose_stiffnesses = def->pose.each.items;
    out->pose_damping = def->pose_damping;
    check_count(build, "pose_stiffness", &def->pose.each, out);
}

// A list has a number for each particle.
static void check_count(ScriptRigBuild *build, const char *key, const ScriptList *list,
                        const SimGarmentDef *garment) {
    const int count = garment->rows * garment->columns;
    if (!list->items || !count || list->count == count) return;
    if (garment->faces)
        script_reader_error_at(build->reader, key, "expected %d numbers, one for each particle, found %d",
                               count, list->count);
    else
        script_reader_error_at(build->reader, key, "expected %d numbers (%d rows of %d columns), found %d",
                               count, garment->rows, garment->columns, list->count);
}

static void check_name(ScriptRigBuild *build, const SimGarmentDef *garments, int index) {
    for (int i = 0; i < index; i++) {
        if (!garments[index].name || !garments[i].name) continue;
        if (strcmp(garments[i].name, garments[index].name) != 0) continue;
        script_reader_error_at(build->reader, "name", "there is another garment \"%s\"",
                               garments[index].name);
        return;
    }
}
