// The grid of a mesh becomes that of a garment.
#include "define/cloth_mesh.h"

#include "define/mesh.h"

#include <asset/grid.h>
#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

static bool has_grid(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool has_no_grid(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool is_divided(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool is_misread(ScriptReader *reader, const char *key);
static bool take_grid(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGrid *grid);
static bool take_paint(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGrid *grid);

bool script_cloth_complete(ScriptReader *reader, ScriptGarmentDef *cloth) {
    if (!cloth->mesh) return has_grid(reader, cloth);
    if (cloth->mesh->broken) return false; // reported already
    if (cloth->mesh_is_taken) return true;
    if (!has_no_grid(reader, cloth) || !is_divided(reader, cloth)) return false;
    const SimRenderMesh *surface = &cloth->mesh->surface;
    const AssetGridDef def = {
        .positions = surface->positions,
        .vertex_count = surface->vertex_count,
        .triangles = surface->triangles,
        .triangle_count = surface->triangle_count,
        .weld = cloth->weld,
        .pinned = cloth->mesh->pins,
    };
    AssetGrid grid;
    AssetError error;
    const bool found = cloth->rows ? asset_grid_divide(&def, cloth->rows, cloth->columns, &grid, &error)
                                   : asset_grid_find(&def, &grid, &error);
    if (!found) script_reader_error_at(reader, "mesh", "%s", error.message);
    const bool done = found && take_grid(reader, cloth, &grid);
    asset_grid_finish(&grid);
    return done;
}

bool script_cloth_grid(ScriptReader *reader, ScriptGarmentDef *cloth, SimGarmentDef *out_garment) {
    if (!script_cloth_complete(reader, cloth) || !cloth->name) return false;
    const int count = cloth->rows * cloth->columns;
    if (cloth->positions.count != count) {
        script_reader_error_at(reader, "positions", "expected %d points (%d rows of %d columns), found %d",
                               count, cloth->rows, cloth->columns, cloth->positions.count);
        return false;
    }
    const char *prefix = script_cloth_prefix(reader, cloth);
    const ScriptSlit *slits = cloth->slits.items;
    SimSlit *cuts = script_reader_alloc(reader, cloth->slits.count, sizeof *cuts);
    for (int i = 0; cuts && i < cloth->slits.count; i++) cuts[i] = (SimSlit){slits[i].column, slits[i].row};
    *out_garment = (SimGarmentDef){.name = cloth->name,
                                   .rows = cloth->rows,
                                   .columns = cloth->columns,
                                   .closed = cloth->closed,
                                   .positions = (const float(*)[3])cloth->positions.items,
                                   .slits = cuts,
                                   .slit_count = cuts ? cloth->slits.count : 0,
                                   .bone_prefix = prefix,
                                   .bone_first_column = cloth->bones.first_column,
                                   .bone_column_step = cloth->bones.every,
                                   .bone_last_row = (SimLastRow)cloth->bones.last_row};
    return prefix && cuts;
}

const char *script_cloth_prefix(ScriptReader *reader, const ScriptGarmentDef *garment) {
    if (garment->bones.prefix || !garment->name) return garment->bones.prefix;
    const size_t length = strlen(garment->name);
    char *text = script_arena_text(reader->arena, garment->name, length + 1); // room for one more
    if (text) text[length] = '_';
    return text;
}

static bool has_grid(ScriptReader *reader, const ScriptGarmentDef *cloth) {
    const struct {
        const char *key, *expected;
        bool is_given;
    } parts[] = {
        {"rows", "a whole number of 2 to 128", cloth->rows > 0},
        {"columns", "a whole number of 2 to 128", cloth->columns > 0},
        {"positions", "a list of rows * columns {x, y, z} in m", cloth->positions.items != NULL},
    };
    bool is_whole = true;
    if (is_misread(reader, "mesh")) return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].is_given) continue;
        is_whole = false;
        if (!is_misread(reader, parts[i].key))
            script_reader_error_at(reader, parts[i].key, "missing; expected %s, or mesh", parts[i].expected);
    }
    return is_whole;
}

static bool has_no_grid(ScriptReader *reader, const ScriptGarmentDef *cloth) {
    const struct {
        const char *key;
        bool is_given;
    } parts[] = {
        {"closed", cloth->closed},
        {"positions", cloth->positions.items != NULL},
        {"slits", cloth->slits.items != NULL},
    };
    bool is_bare = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].is_given) continue;
        is_bare = false;
        script_reader_error_at(reader, parts[i].key, "expected none: the mesh has the grid");
    }
    return is_bare;
}

// rows and columns divide the mesh evenly; without them its own grid is found.
static bool is_divided(ScriptReader *reader, const ScriptGarmentDef *cloth) {
    const bool has_rows = cloth->rows > 0, has_columns = cloth->columns > 0;
    const char *missing = has_rows ? "columns" : "rows";
    if (has_rows == has_columns) return !is_misread(reader, "rows") && !is_misread(reader, "columns");
    if (!is_misread(reader, missing))
        script_reader_error_at(reader, missing,
                               "missing; expected rows and columns, or neither, beside mesh");
    return false;
}

static bool is_misread(ScriptReader *reader, const char *key) {
    script_reader_key(reader, key);
    const bool has_errors = script_reader_has_errors_here(reader);
    script_reader_leave(reader);
    return has_errors;
}

static bool take_grid(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGrid *grid) {
    const int count = grid->rows * grid->columns;
    float(*positions)[3] = script_reader_alloc(reader, count, sizeof *positions);
    if (!positions) return false;
    for (int i = 0; i < count; i++) glm_vec3_copy(grid->positions[i], positions[i]);
    if (!take_paint(reader, cloth, grid)) return false;
    cloth->rows = grid->rows;
    cloth->columns = grid->columns;
    cloth->closed = grid->closed;
    cloth->positions = (ScriptList){.items = positions, .count = count};
    cloth->mesh_is_taken = true;
    return true;
}

// A particle is pinned where one of its vertices is, and has their smallest max distance; where it has none,
// those of the nearest.
static bool take_paint(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGrid *grid) {
    const ScriptMesh *mesh = cloth->mesh;
    const int count = grid->rows * grid->columns;
    bool *pinned = script_reader_alloc(reader, count, sizeof *pinned);
    float *distances = script_reader_alloc(reader, count, sizeof *distances);
    if (!pinned || !distances) return false;
    for (int i = 0; i < count; i++) distances[i] = NAN;
    const int sources = grid->particle_of ? mesh->surface.vertex_count : count;
    for (int i = 0; i < sources; i++) {
        const int particle = grid->particle_of ? grid->particle_of[i] : i;
        const int vertex = grid->particle_of ? i : grid->vertices[i];
        if (mesh->pins) pinned[particle] |= mesh->pins[vertex] || particle < grid->columns;
        if (mesh->max_distances)
            distances[particle] = fminf(distances[particle], mesh->max_distances[vertex]);
    }
    if (mesh->pins) cloth->pinned = pinned;
    if (!mesh->max_distances || cloth->max_distance.each.items) return true;
    for (int i = 0; i < count; i++) {
        const float *at = grid->positions[i];
        if (pinned[i] && isnan(distances[i])) distances[i] = 0.0f;
        if (!isnan(distances[i])) continue;
        script_reader_error_at(
            reader, "mesh",
            "expected a max_distance painted at all vertices or none, found none at {%g, %g, %g}",
            (double)at[0], (double)at[1], (double)at[2]);
        return false;
    }
    cloth->max_distance.each = (ScriptList){.items = distances, .count = count};
    return true;
}
