// The grid of a mesh becomes that of a garment.
#include "define/cloth_from_mesh.h"

#include "define/mesh.h"
#include "define/particle_paint.h"

#include <cglm/vec3.h>
#include <string.h>

#define GENERAL_BONES 320 // as many as a skirt of 11 rows and 32 columns has

// A key of tweed.cloth, and whether the author has given it.
typedef struct Part {
    const char *key;
    bool is_given;
} Part;

static bool has_grid(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool has_none(ScriptReader *reader, const Part *parts, size_t count, const char *message);
static bool has_no_grid(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool is_divided(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool is_misread(ScriptReader *reader, const char *key);
static bool find_grid(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGridDef *def);
static const char *key_of_grids(const ScriptGarmentDef *cloth);
static bool has_no_rows(ScriptReader *reader, const ScriptGarmentDef *cloth);
static bool take_general(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGridDef *def);
static bool is_surface(const AssetGridDef *def);
static bool take_faces(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetFaces *faces);
static bool take_bones(ScriptReader *reader, ScriptGarmentDef *cloth);

bool script_cloth_complete(ScriptReader *reader, ScriptGarmentDef *cloth) {
    if (!cloth->mesh) return has_grid(reader, cloth);
    if (cloth->mesh->broken) return false; // reported already
    if (cloth->mesh_is_taken) return true;
    if (!has_no_grid(reader, cloth)) return false;
    const bool is_forced = cloth->general_choice == SCRIPT_GENERAL_YES;
    if (!(is_forced ? has_no_rows(reader, cloth) : is_divided(reader, cloth))) return false;
    const SimRenderMesh *surface = &cloth->mesh->surface;
    const AssetGridDef def = {
        .positions = surface->positions,
        .vertex_count = surface->vertex_count,
        .triangles = surface->triangles,
        .triangle_count = surface->triangle_count,
        .weld = cloth->weld,
        .pinned = cloth->mesh->pins,
    };
    return is_forced ? take_general(reader, cloth, &def) : find_grid(reader, cloth, &def);
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
    for (int i = 0; cuts && i < cloth->slits.count; i++)
        cuts[i] = (SimSlit){slits[i].column, slits[i].row, (SimSide)slits[i].over};
    *out_garment = (SimGarmentDef){.name = cloth->name,
                                   .rows = cloth->rows,
                                   .columns = cloth->columns,
                                   .closed = cloth->closed,
                                   .positions = (const float(*)[3])cloth->positions.items,
                                   .faces = (const int(*)[4])cloth->faces.items,
                                   .face_count = cloth->faces.count,
                                   .pinned = cloth->pinned,
                                   .bone_particles = cloth->bone_particles.items,
                                   .bone_particle_count = cloth->bone_particles.count,
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
    char *text = script_arena_bytes(reader->arena, garment->name, length + 1); // room for one more
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
    if (cloth->general_choice == SCRIPT_GENERAL_YES) {
        script_reader_error_at(reader, "general", "expected mesh beside it");
        return false;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].is_given) continue;
        is_whole = false;
        if (!is_misread(reader, parts[i].key))
            script_reader_error_at(reader, parts[i].key, "missing; expected %s, or mesh", parts[i].expected);
    }
    return is_whole;
}

static bool has_no_grid(ScriptReader *reader, const ScriptGarmentDef *cloth) {
    const Part parts[] = {
        {"closed", cloth->closed},
        {"positions", cloth->positions.items != NULL},
        {"slits", cloth->slits.items != NULL},
    };
    return has_none(reader, parts, sizeof parts / sizeof *parts, "expected none: the mesh has the grid");
}

// An error for each key that is given; false if there is one.
static bool has_none(ScriptReader *reader, const Part *parts, size_t count, const char *message) {
    bool is_bare = true;
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].is_given) continue;
        is_bare = false;
        script_reader_error_at(reader, parts[i].key, "%s", message);
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
    cloth->positions = (ScriptList){.items = positions, .count = count};
    cloth->rows = grid->rows;
    cloth->columns = grid->columns;
    cloth->closed = grid->closed;
    cloth->mesh_is_taken =
        script_cloth_paint(reader, cloth, grid->place_count, grid->place_of, grid->sources);
    return cloth->mesh_is_taken;
}

// Where the mesh is none, it is taken as it is unless the author wants a grid.
static bool find_grid(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGridDef *def) {
    AssetGrid grid;
    AssetError error;
    const char *key = key_of_grids(cloth);
    const bool found = cloth->rows ? asset_grid_divide(def, cloth->rows, cloth->columns, &grid, &error)
                                   : asset_grid_find(def, &grid, &error);
    bool done = found && take_grid(reader, cloth, &grid);
    asset_grid_finish(&grid);
    if (found) return done;
    if (!key && is_surface(def)) {
        cloth->no_grid = script_arena_text(reader->arena, error.message);
        if (!cloth->no_grid) script_reader_error(reader, "out of memory");
        return take_general(reader, cloth, def);
    }
    if (key && is_surface(def))
        script_reader_error_at(reader, "mesh", "%s; without %s it is taken as it is", error.message, key);
    else if (key)
        script_reader_error_at(reader, "mesh", "%s", error.message);
    else
        take_general(reader, cloth, def); // its error
    return false;
}

// What only a grid can have, of the given keys; NULL: none.
static const char *key_of_grids(const ScriptGarmentDef *cloth) {
    const Part parts[] = {
        {"general = false", cloth->general_choice == SCRIPT_GENERAL_NO},
        {"rows and columns", cloth->rows > 0},
        {"pattern", cloth->pattern.items != NULL},
        {"regions", cloth->regions.items != NULL},
        {"self_collision", cloth->self_collision > 0.0f},
        {"columns in attach", cloth->attach.columns.items != NULL},
        {"hard = \"article\"", cloth->hard == SIM_HARD_ALAN_WAKE},
        {"columns of bones", cloth->bones.first_column != 0 || cloth->bones.every != 1},
        {"last_row of bones", cloth->bones.last_row != 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].is_given) return parts[i].key;
    return NULL;
}

static bool has_no_rows(ScriptReader *reader, const ScriptGarmentDef *cloth) {
    const Part parts[] = {
        {"rows", cloth->rows > 0},
        {"columns", cloth->columns > 0},
        {"pattern", cloth->pattern.items != NULL},
        {"regions", cloth->regions.items != NULL},
        {"self_collision", cloth->self_collision > 0.0f},
    };
    return has_none(reader, parts, sizeof parts / sizeof *parts,
                    "expected none beside general = true: it needs a grid");
}

static bool take_general(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetGridDef *def) {
    AssetFaces faces;
    AssetError error;
    cloth->general = true;
    const bool found = asset_faces_find(def, &faces, &error);
    if (!found) script_reader_error_at(reader, "mesh", "%s", error.message);
    cloth->mesh_is_taken = found && take_faces(reader, cloth, &faces) && take_bones(reader, cloth);
    if (cloth->mesh_is_taken && faces.hangs_all_round) {
        script_reader_key(reader, "mesh");
        script_reader_warn(reader, "hangs from all of its outline, which is its only open edge: "
                                   "import_mesh { paint = } pins a part of it");
        script_reader_leave(reader);
    }
    asset_faces_finish(&faces);
    return cloth->mesh_is_taken;
}

static bool is_surface(const AssetGridDef *def) {
    AssetFaces faces;
    AssetError error;
    const bool found = asset_faces_find(def, &faces, &error);
    asset_faces_finish(&faces);
    return found;
}

static bool take_faces(ScriptReader *reader, ScriptGarmentDef *cloth, const AssetFaces *faces) {
    const int count = faces->particle_count, vertices = cloth->mesh->surface.vertex_count;
    float(*positions)[3] = script_reader_alloc(reader, count, sizeof *positions);
    int(*corners)[4] = script_reader_alloc(reader, faces->face_count, sizeof *corners);
    bool *pinned = script_reader_alloc(reader, count, sizeof *pinned);
    int *particle_of = script_reader_alloc(reader, vertices, sizeof *particle_of);
    if (!positions || !corners || !pinned || !particle_of) return false;
    memcpy(positions, faces->positions, (size_t)count * sizeof *positions);
    memcpy(corners, faces->faces, (size_t)faces->face_count * sizeof *corners);
    memcpy(pinned, faces->pinned, (size_t)count * sizeof *pinned);
    memcpy(particle_of, faces->particle_of, (size_t)vertices * sizeof *particle_of);
    cloth->rows = 1;
    cloth->columns = count;
    cloth->positions = (ScriptList){.items = positions, .count = count};
    cloth->faces = (ScriptList){.items = corners, .count = faces->face_count};
    cloth->pinned = pinned;
    cloth->particle_of = particle_of;
    return script_cloth_paint(reader, cloth, count, particle_of, NULL);
}

// Those that are painted, from the top down, or evenly spread ones.
static bool take_bones(ScriptReader *reader, ScriptGarmentDef *cloth) {
    const ScriptMesh *mesh = cloth->mesh;
    const int wanted = mesh->bone_marks         ? cloth->columns
                       : cloth->bones.count > 0 ? cloth->bones.count
                                                : GENERAL_BONES;
    int *particles = script_reader_alloc(reader, cloth->columns, sizeof *particles), count = 0;
    bool *painted = script_reader_alloc(reader, cloth->columns, sizeof *painted);
    if (!particles || !painted) return false;
    const SimGarmentDef garment = {.rows = 1,
                                   .columns = cloth->columns,
                                   .positions = (const float(*)[3])cloth->positions.items,
                                   .faces = (const int(*)[4])cloth->faces.items,
                                   .face_count = cloth->faces.count,
                                   .pinned = cloth->pinned};
    const int listed = sim_garment_spread(&garment, wanted, particles);
    for (int i = 0; i < mesh->surface.vertex_count; i++)
        if (cloth->particle_of[i] >= 0)
            painted[cloth->particle_of[i]] |= !mesh->bone_marks || mesh->bone_marks[i];
    for (int i = 0; i < listed; i++)
        if (painted[particles[i]]) particles[count++] = particles[i];
    cloth->bone_particles = (ScriptList){.items = particles, .count = count};
    if (count == 0)
        script_reader_error_at(reader, "mesh", "%s",
                               listed ? "expected bones painted at triangles, found none" : "out of memory");
    return count > 0;
}
