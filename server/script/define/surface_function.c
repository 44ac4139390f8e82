// Reads a cage from Lua and returns a mesh as packed text.
#include "define/surface_function.h"

#include "define/cloth_from_mesh.h"
#include "sandbox/state.h"
#include "schema/definition.h"
#include "shape/cage_surface.h"
#include "shape/cloth_skin.h"
#include "shape/flatten.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { KEPT = 4, POINT_INFLUENCES = 8, MAX_NAMES = 4096 };
enum { MOST_INFLUENCES = 4 * POINT_INFLUENCES + SCRIPT_CLOTH_INFLUENCES }; // of a quad's corners and cloth
enum { MAX_VERTICES = 1 << 17 }; // so that packed text stays within 2 MiB

typedef struct Surface {
    ScriptList points, quads, uvs, pattern, weights, places;
    ScriptItem cloth; // schema NULL: none
    ScriptList thickness, covers;
    int levels, sides;
    bool flatten;
} Surface;

// The bones of one point, by their index in the build's names.
typedef struct Influences {
    int bones[MOST_INFLUENCES];
    float shares[MOST_INFLUENCES];
    int count;
} Influences;

typedef struct Build {
    lua_State *lua;
    ScriptReader reader;
    Surface read;
    ScriptSurfaceDef def;
    ScriptSurface made;
    SimGarmentDef garment; // its grid and which particles have bones
    const char *names[MAX_NAMES];
    int (*point_names)[POINT_INFLUENCES]; // [points] index in names of each of a point's weights
    int *cloth_names;                     // [rows * columns] 1 + index in names, 0: not yet named
    int name_count;
} Build;

static void read_thickness(ScriptReader *reader, const ScriptNode *node, void *out);

#define NUMBERS(count, what) .expects = "a list of " count " numbers, " what
static const ScriptSchemaField point = {
    .type = SCRIPT_TYPE_VECTOR, .minimum = -100.0, .maximum = 100.0, .unit = "m"};
static const ScriptSchemaField index_of_point = {
    .type = SCRIPT_TYPE_INTEGER, .minimum = 1.0, .maximum = 32767.0};
static const ScriptSchemaField quad = {
    .type = SCRIPT_TYPE_LIST, .element = &index_of_point, .expects = "a list of 4 indices of points, from 1"};
static const ScriptSchemaField length = {
    .type = SCRIPT_TYPE_NUMBER, .minimum = -1000.0, .maximum = 1000.0, .unit = "m"};
static const ScriptSchemaField quad_uvs = {
    .type = SCRIPT_TYPE_LIST, .element = &length, NUMBERS("8", "u and v of each corner")};
static const ScriptSchemaField share = {.type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 1.0};
static const ScriptSchemaField shares = {
    .type = SCRIPT_TYPE_MAP, .element = &share, .expects = "a table {BONE = share, ...}"};
static const ScriptSchemaField grid_number = {
    .type = SCRIPT_TYPE_NUMBER, .minimum = -1000.0, .maximum = 1000.0};
static const ScriptSchemaField place = {
    .type = SCRIPT_TYPE_LIST, .element = &grid_number, NUMBERS("2", "the row and the column")};
static const ScriptSchemaField thickness = {
    .type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 1.0, .unit = "m"};
static const ScriptSchemaField each_thickness = {.type = SCRIPT_TYPE_LIST,
                                                 .element = &thickness,
                                                 .expects =
                                                     "a number of 0 to 1 m, or a list of one for each point"};
static const ScriptSchemaField cover = {
    .type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 0.5, .unit = "m"};
static const char *const sides[] = {"both", "outer", "inner", NULL}; // in the order of ScriptSides

static const ScriptSchemaField surface_fields[] = {
    {SCRIPT_FIELD(Surface, points, LIST), .required = true, .element = &point,
     .help = "The cage's points in model space at the bind pose. The surface passes through them."},
    {SCRIPT_FIELD(Surface, quads, LIST), .required = true, .element = &quad,
     .help =
         "Four points each, counter-clockwise seen from outside. Up to two quads share an edge; the edges of "
         "one are the border, which is smooth but for points with a single quad."},
    {SCRIPT_FIELD(Surface, uvs, LIST), .element = &quad_uvs, .otherwise = "0",
     .help =
         "For each quad the uvs of its corners, in m: u along the weft, v along the warp. Where quads give "
         "a point other uvs, the surface is cut into panels."},
    {SCRIPT_FIELD(Surface, flatten, BOOLEAN), .number = 1.0,
     .help = "Whether each panel is laid flat, so that its uvs have their true lengths. The given uvs say "
             "roughly where points lie, and how the panel is turned."},
    {SCRIPT_FIELD(Surface, pattern, LIST), .element = &point, .otherwise = "points",
     .help = "The points of the cloth as it is cut, like a cloth's `pattern`: with `flatten`, uvs have its "
             "lengths."},
    {SCRIPT_FIELD(Surface, weights, LIST), .element = &shares,
     .expects = "a list of {BONE = share, ...} for each point", .otherwise = "all by cloth",
     .help = "The shares of the bones that move each point, which follow between."},
    {SCRIPT_FIELD(Surface, cloth, ONE_OF), .schemas = SCRIPT_ONE_SCHEMA(script_cloth_schema),
     .expects = "what tweed.cloth returns",
     .help = "A garment whose bones move each point by what its shares leave of 1."},
    {SCRIPT_FIELD(Surface, places, LIST), .element = &place,
     .otherwise = "rows and columns in the order of points",
     .help =
         "Where each point lies on the grid of cloth: {row, column}, from 0, also between rows or outside."},
    {SCRIPT_FIELD(Surface, thickness, CUSTOM), .read = read_thickness,
     .expects = "a number of 0 to 1 m, or a list of one for each point", .lua = "number|number[]",
     .otherwise = "0: a sheet", .help = "How far the outer side is from the inner one, the points half way."},
    {SCRIPT_FIELD(Surface, covers, LIST), .element = &cover, .otherwise = "none",
     .help = "How far under each point the surface hides the skin, for the `covers` of tweed.mesh."},
    {SCRIPT_FIELD(Surface, sides, CHOICE), .choices = sides,
     .help = "What is made: \"outer\" is the outer side with the rounded rim, \"inner\" the rest, such as a "
             "lining."},
    {SCRIPT_FIELD(Surface, levels, INTEGER), .minimum = 0.0, .maximum = SCRIPT_MAX_LEVELS, .number = 2.0,
     .help = "How often each quad is split in four."},
};
static const ScriptSchema surface_schema = {.constructor = "surface",
                                            .name = "Surface",
                                            .size = sizeof(Surface),
                                            SCRIPT_FIELDS(surface_fields),
                                            .help = "A cage of quads."};
static const ScriptSchemaField argument = {.type = SCRIPT_TYPE_TABLE,
                                           .schemas = SCRIPT_ONE_SCHEMA(surface_schema),
                                           .expects = "{points =, quads =, ...}"};

static int make(lua_State *lua);
static void check(Build *build);
static void check_count(Build *build, const char *key, const ScriptList *list, int count, const char *of);
static void set_cage(Build *build);
static void set_uvs(Build *build);
static void set_thickness(Build *build);
static void set_garment(Build *build);
static void check_weights(Build *build);
static void push_made(Build *build);
static void push_packed(lua_State *lua, const char *key, const void *data, size_t bytes);
static void push_weights(Build *build);
static void push_covers(Build *build);
static void name_weights(Build *build);
static void influences_at(Build *build, const ScriptPlace *at, Influences *out);
static void add_cloth(Build *build, float row, float column, float share_of_cloth, Influences *influences);
static void add_influence(Influences *influences, int bone, float share_of_bone);
static int name_index(Build *build, const char *name);
static void keep_largest(Influences *influences);

const ScriptFunction script_surface_functions[] = {
    {"surface", make, .parameters = {{.name = "surface", .type = NULL, .schema = &surface_schema}},
     .results = {{.name = "mesh",
                  .type = "table",
                  .help =
                      "{positions =, normals =, uvs =, triangles =, weights =, covers =} for tweed.mesh."}},
     .help =
         "Makes a smooth surface with thickness from a cage of quads (subdivision after Catmull and Clark). "
         "Only while the script loads.",
     .example =
         "local sheet = tweed.surface {\n"
         "  points = { { 0, 1, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 } }, quads = { { 1, 2, 3, 4 } },\n"
         "  weights = { { Hips = 1 }, { Hips = 1 }, { Hips = 1 }, { Hips = 1 } }, thickness = .01,\n"
         "}"},
    {0},
};

static int make(lua_State *lua) {
    char message[512] = "";
    ScriptFindings findings = {0};
    Build *build = lua_newuserdatauv(lua, sizeof *build, 0);
    *build = (Build){.lua = lua};
    build->reader = (ScriptReader){
        .arena = script_arena_push(lua), .findings = &findings, .file = "", .prefix = "tweed.surface"};
    script_state_check_time(lua);
    build->reader.root = script_node_read(lua, 1, false, SCRIPT_MAX_DEFINITION_NODES, build->reader.arena);
    script_schema_defaults(&surface_schema, &build->read);
    script_field_read(&build->reader, &argument, build->reader.root, &build->read);
    if (!findings.error_count) check(build);
    const bool failed = findings.error_count > 0;
    if (findings.count)
        snprintf(message, sizeof message, "%s: %s", findings.items[0].path, findings.items[0].message);
    script_findings_finish(&findings);
    if (failed) return luaL_error(lua, "%s", *message ? message : "out of memory");
    if (!script_surface_make(build->reader.arena, &build->def, &build->made))
        return luaL_error(lua, "out of memory");
    push_made(build);
    return 1;
}

static void check(Build *build) {
    const Surface *read = &build->read;
    const int point_count = read->points.count;
    if (!point_count || !read->quads.count) {
        script_reader_error(&build->reader, "expected one quad at least");
        return;
    }
    check_count(build, "weights", &read->weights, point_count, "point");
    check_count(build, "places", &read->places, point_count, "point");
    check_count(build, "covers", &read->covers, point_count, "point");
    check_count(build, "uvs", &read->uvs, read->quads.count, "quad");
    check_count(build, "pattern", &read->pattern, point_count, "point");
    if (read->thickness.count != 1) check_count(build, "thickness", &read->thickness, point_count, "point");
    if (!read->weights.items && !read->cloth.schema)
        script_reader_error_at(&build->reader, "weights", "missing; expected weights or cloth");
    const int64_t vertices = ((int64_t)read->quads.count << (2 * read->levels)) * 2;
    if (vertices > MAX_VERTICES)
        script_reader_error_at(&build->reader, "levels", "would make about %lld vertices, %d at most",
                               (long long)vertices, MAX_VERTICES);
    if (build->reader.findings->error_count) return;
    set_cage(build);
    if (build->reader.findings->error_count) return;
    set_uvs(build);
    set_thickness(build);
    set_garment(build);
    check_weights(build);
}

static void check_count(Build *build, const char *key, const ScriptList *list, int count, const char *of) {
    if (list->items && list->count != count)
        script_reader_error_at(&build->reader, key, "expected one for each of %d %ss, found %d", count, of,
                               list->count);
}

static void set_cage(Build *build) {
    const Surface *read = &build->read;
    ScriptReader *reader = &build->reader;
    int(*quads)[4] = script_reader_alloc(reader, read->quads.count, sizeof *quads);
    script_reader_key(reader, "quads");
    for (int i = 0; quads && i < read->quads.count; i++) {
        const ScriptList *corners = (const ScriptList *)read->quads.items + i;
        script_reader_index(reader, i + 1);
        if (corners->count != 4) script_reader_error(reader, "expected 4 points, found %d", corners->count);
        for (int k = 0; k < 4 && corners->count == 4; k++) {
            quads[i][k] = ((const int *)corners->items)[k] - 1;
            if (quads[i][k] >= read->points.count)
                script_reader_error(reader, "expected points of 1 to %d, found %d", read->points.count,
                                    quads[i][k] + 1);
        }
        script_reader_leave(reader);
    }
    build->def.cage = (ScriptCage){(const float(*)[3])read->points.items, (const int(*)[4])quads,
                                   read->points.count, read->quads.count};
    build->def.levels = read->levels;
    build->def.sides = (ScriptSides)read->sides;
    const int fault = reader->findings->error_count ? -1 : script_cage_fault(reader->arena, &build->def.cage);
    if (fault >= 0) {
        script_reader_index(reader, fault + 1);
        script_reader_error(reader,
                            "is the third with one of its edges: two quads at most may share an edge");
        script_reader_leave(reader);
    }
    script_reader_leave(reader);
}

static void set_uvs(Build *build) {
    const ScriptList *lists = build->read.uvs.items;
    float(*uvs)[4][2] = script_reader_alloc(&build->reader, build->read.quads.count, sizeof *uvs);
    if (!lists || !uvs) return;
    script_reader_key(&build->reader, "uvs");
    for (int i = 0; i < build->read.uvs.count; i++) {
        script_reader_index(&build->reader, i + 1);
        if (lists[i].count == 8)
            memcpy(uvs[i], lists[i].items, sizeof uvs[i]);
        else
            script_reader_error(&build->reader, "expected 8 numbers, found %d", lists[i].count);
        script_reader_leave(&build->reader);
    }
    script_reader_leave(&build->reader);
    ScriptCage cut = build->def.cage;
    if (build->read.pattern.items) cut.points = (const float(*)[3])build->read.pattern.items;
    if (build->read.flatten) build->reader.out_of_memory |= !script_flatten(build->reader.arena, &cut, uvs);
    build->def.uvs = (const float(*)[4][2])uvs;
    build->def.flatten = build->read.flatten;
    build->def.pattern = (const float(*)[3])build->read.pattern.items;
}

static void set_thickness(Build *build) {
    const ScriptList *read = &build->read.thickness;
    const float *given = read->items;
    float *each = script_reader_alloc(&build->reader, build->read.points.count, sizeof *each);
    for (int i = 0; each && given && i < build->read.points.count; i++)
        each[i] = given[read->count == 1 ? 0 : i];
    build->def.thickness = each;
}

static void set_garment(Build *build) {
    const ScriptGarmentDef *cloth = build->read.cloth.value;
    if (!build->read.cloth.schema) return;
    script_reader_key(&build->reader, "cloth");
    const bool is_whole =
        script_cloth_grid(&build->reader, (ScriptGarmentDef *)build->read.cloth.value, &build->garment);
    if (is_whole && cloth->general)
        script_reader_error(&build->reader, "expected a grid: a general mesh has no rows and columns");
    script_reader_leave(&build->reader);
    if (!is_whole || cloth->general) return;
    build->cloth_names =
        script_reader_alloc(&build->reader, cloth->rows * cloth->columns, sizeof *build->cloth_names);
    if (!build->read.places.items && build->read.points.count != cloth->rows * cloth->columns)
        script_reader_error_at(&build->reader, "places",
                               "missing; there are %d points, not the %d of cloth's %d rows of %d columns",
                               build->read.points.count, cloth->rows * cloth->columns, cloth->rows,
                               cloth->columns);
}

static void check_weights(Build *build) {
    const ScriptList *weights = build->read.weights.items, *places = build->read.places.items;
    ScriptReader *reader = &build->reader;
    for (int i = 0; i < build->read.points.count; i++) {
        float sum = 0.0f;
        for (int k = 0; weights && k < weights[i].count; k++) sum += ((const float *)weights[i].items)[k];
        script_reader_key(reader, "weights");
        script_reader_index(reader, i + 1);
        if (weights && sum < 1e-4f && !build->read.cloth.schema)
            script_reader_error(reader, "expected weights that add up to more than 0");
        if (weights && weights[i].count > POINT_INFLUENCES)
            script_reader_error(reader, "expected %d bones at most, found %d", POINT_INFLUENCES,
                                weights[i].count);
        script_reader_leave(reader);
        script_reader_leave(reader);
        if (places && places[i].count != 2)
            script_reader_error_at(reader, "places", "expected a row and a column each, found %d numbers",
                                   places[i].count);
    }
}

static void push_made(Build *build) {
    const ScriptSurface *made = &build->made;
    const size_t vertices = (size_t)made->vertex_count, triangles = (size_t)made->triangle_count;
    for (size_t i = 0; i < triangles; i++) // Lua counts from 1
        for (int k = 0; k < 3; k++) made->triangles[i][k]++;
    lua_createtable(build->lua, 0, 5);
    push_packed(build->lua, "positions", made->positions, vertices * sizeof *made->positions);
    push_packed(build->lua, "normals", made->normals, vertices * sizeof *made->normals);
    push_packed(build->lua, "uvs", made->uvs, vertices * sizeof *made->uvs);
    push_packed(build->lua, "triangles", made->triangles, triangles * sizeof *made->triangles);
    push_weights(build);
    push_covers(build);
}

static void push_packed(lua_State *lua, const char *key, const void *data, size_t bytes) {
    lua_pushlstring(lua, data, bytes);
    lua_setfield(lua, -2, key);
}

static void push_covers(Build *build) {
    const float *covers = build->read.covers.items;
    const size_t count = (size_t)build->made.vertex_count;
    float *each = script_arena_alloc(build->reader.arena, count, sizeof *each);
    if (!each) luaL_error(build->lua, "out of memory");
    for (size_t i = 0; covers && i < count; i++) {
        float corner_shares[4];
        script_place_shares(&build->made.places[i], corner_shares);
        for (int k = 0; k < 4; k++)
            each[i] += corner_shares[k] * covers[build->def.cage.quads[build->made.places[i].quad][k]];
    }
    if (covers) push_packed(build->lua, "covers", each, count * sizeof *each);
}

// {bones = names, joints = packed, shares = packed}
static void push_weights(Build *build) {
    const int count = build->made.vertex_count;
    uint16_t(*joints)[KEPT] = script_arena_alloc(build->reader.arena, (size_t)count, sizeof *joints);
    float(*shares_of)[KEPT] = script_arena_alloc(build->reader.arena, (size_t)count, sizeof *shares_of);
    if (!joints || !shares_of) luaL_error(build->lua, "out of memory");
    name_weights(build);
    for (int i = 0; i < count; i++) {
        Influences influences = {0};
        influences_at(build, &build->made.places[i], &influences);
        keep_largest(&influences);
        for (int k = 0; k < influences.count; k++) {
            joints[i][k] = (uint16_t)(influences.bones[k] + 1);
            shares_of[i][k] = influences.shares[k];
        }
    }
    lua_createtable(build->lua, 0, 3);
    push_packed(build->lua, "joints", joints, (size_t)count * sizeof *joints);
    push_packed(build->lua, "shares", shares_of, (size_t)count * sizeof *shares_of);
    lua_createtable(build->lua, build->name_count, 0);
    for (int i = 0; i < build->name_count; i++) {
        lua_pushstring(build->lua, build->names[i]);
        lua_rawseti(build->lua, -2, i + 1);
    }
    lua_setfield(build->lua, -2, "bones");
    lua_setfield(build->lua, -2, "weights");
}

static void name_weights(Build *build) {
    const ScriptList *weights = build->read.weights.items;
    const int points = build->read.points.count;
    if (!weights) return;
    build->point_names = script_arena_alloc(build->reader.arena, (size_t)points, sizeof *build->point_names);
    if (!build->point_names) luaL_error(build->lua, "out of memory");
    for (int i = 0; i < points; i++)
        for (int k = 0; k < weights[i].count; k++)
            build->point_names[i][k] = name_index(build, weights[i].keys[k]);
}

// The shares of the corners, mixed; what they leave of 1 is the cloth's.
static void influences_at(Build *build, const ScriptPlace *at, Influences *out) {
    const ScriptList *weights = build->read.weights.items, *places = build->read.places.items;
    float corner_shares[4], sum = 0.0f, row = 0.0f, column = 0.0f;
    script_place_shares(at, corner_shares);
    for (int i = 0; i < 4; i++) {
        const int corner = build->def.cage.quads[at->quad][i], columns = build->garment.columns;
        const float *own = places ? places[corner].items : NULL;
        for (int k = 0; weights && k < weights[corner].count; k++) {
            const float part = corner_shares[i] * ((const float *)weights[corner].items)[k];
            add_influence(out, build->point_names[corner][k], part);
            sum += part;
        }
        row += corner_shares[i] * (own ? own[0] : columns ? (float)(corner / columns) : 0.0f);
        column += corner_shares[i] * (own ? own[1] : columns ? (float)(corner % columns) : 0.0f);
    }
    if (build->read.cloth.schema && sum < 1.0f - 1e-4f) add_cloth(build, row, column, 1.0f - sum, out);
}

static void add_cloth(Build *build, float row, float column, float share_of_cloth, Influences *influences) {
    const ScriptClothPoint on = script_cloth_skin(&build->garment, row, column);
    for (int i = 0; i < SCRIPT_CLOTH_INFLUENCES; i++) {
        const int particle = on.particles[i];
        if (on.weights[i] < 1e-4f) continue;
        if (!build->cloth_names[particle]) {
            const char *name =
                lua_pushfstring(build->lua, "%s%d_%d", build->garment.bone_prefix,
                                particle / build->garment.columns, particle % build->garment.columns);
            name = script_arena_text(build->reader.arena, name);
            lua_pop(build->lua, 1);
            if (!name) luaL_error(build->lua, "out of memory");
            build->cloth_names[particle] = name_index(build, name) + 1;
        }
        add_influence(influences, build->cloth_names[particle] - 1, share_of_cloth * on.weights[i]);
    }
}

static void add_influence(Influences *influences, int bone, float share_of_bone) {
    int at = 0;
    while (at < influences->count && influences->bones[at] != bone) at++;
    if (at == MOST_INFLUENCES) return;
    if (at == influences->count) {
        influences->bones[at] = bone;
        influences->shares[at] = 0.0f;
        influences->count++;
    }
    influences->shares[at] += share_of_bone;
}

static int name_index(Build *build, const char *name) {
    for (int i = 0; i < build->name_count; i++)
        if (strcmp(build->names[i], name) == 0) return i;
    if (build->name_count == MAX_NAMES)
        luaL_error(build->lua, "tweed.surface: more than %d bones", MAX_NAMES);
    build->names[build->name_count] = name;
    return build->name_count++;
}

// The largest first; those that are kept add up to 1.
static void keep_largest(Influences *influences) {
    float sum = 0.0f;
    for (int i = 0; i < influences->count && i < KEPT; i++) {
        int largest = i;
        for (int k = i + 1; k < influences->count; k++)
            if (influences->shares[k] > influences->shares[largest]) largest = k;
        const int bone = influences->bones[largest];
        const float share_of_bone = influences->shares[largest];
        influences->bones[largest] = influences->bones[i],
        influences->shares[largest] = influences->shares[i];
        influences->bones[i] = bone, influences->shares[i] = share_of_bone;
        sum += share_of_bone;
    }
    if (influences->count > KEPT) influences->count = KEPT;
    for (int i = 0; i < influences->count; i++) influences->shares[i] /= sum;
}

static void read_thickness(ScriptReader *reader, const ScriptNode *node, void *out) {
    ScriptList *list = out;
    if (node->kind == SCRIPT_NODE_NUMBER) {
        float *one = script_reader_alloc(reader, 1, sizeof *one);
        if (!one) return;
        script_field_read(reader, &thickness, node, one);
        *list = (ScriptList){.items = one, .count = 1};
    } else {
        script_field_read(reader, &each_thickness, node, list);
    }
}
