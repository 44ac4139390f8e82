// The schemas of garments (cloth, pendulum, chain) and of the seams between them.
#include "schema/definition.h"

#include <asset/grid.h>

#define REACH    .minimum = -100.0, .maximum = 100.0, .unit = "m"
#define DISTANCE .minimum = 0.0, .maximum = 10.0, .unit = "m"

const char *const script_solvers[] = {"verlet", "mass_spring", NULL}; // in the order of sim's enumerators
static const char *const references[] = {"blend", "attach",
                                         NULL}; // all five in the order of sim's enumerators
static const char *const exact_or_article[] = {"exact", "article", NULL};
static const char *const bends[] = {"curvature", "article", NULL};
static const char *const last_rows[] = {"none", "follow", NULL};
static const char *const sides[] = {"left", "right", NULL};

static const ScriptSchemaField limit_fields[] = {
    {SCRIPT_FIELD(ScriptLimits, top, NUMBER), DISTANCE, .help = "The limit of the top row."},
    {SCRIPT_FIELD(ScriptLimits, bottom, NUMBER), DISTANCE, .number = -1.0,
     .otherwise = "the fabric's max_distance", .help = "The limit of the lowest row."},
    {SCRIPT_FIELD(ScriptLimits, curve, NUMBER), .minimum = 0.1, .maximum = 1.0, .number = 1.0,
     .help = "The exponent of the limit's growth from top to bottom; 1 is linear."},
};
static const ScriptSchema limits_schema = {
    .name = "MaxDistance", .size = sizeof(ScriptLimits), SCRIPT_FIELDS(limit_fields)};
static const ScriptSchemaField distance = {.type = SCRIPT_TYPE_NUMBER, DISTANCE};
static const ScriptSchemaField distances = {
    .type = SCRIPT_TYPE_LIST,
    .element = &distance,
    .expects = "{top =, bottom =, curve =} in m, or a list of rows * columns numbers"};

#define CURVE                                                                                                \
    {                                                                                                        \
        SCRIPT_FIELD(ScriptLimits, curve, NUMBER),                                                           \
            .minimum = 0.1, .maximum = 1.0, .number = 1.0,                                                   \
            .help = "The exponent of the change from top to bottom; 1 is linear."                            \
    }
#define FREQUENCY .minimum = 0.0, .maximum = 30.0, .unit = "Hz"
#define POSE_EXPECTS                                                                                         \
    "a number of 0 to 30 Hz, {top =, bottom =, curve =}, or a list of rows * columns numbers in Hz"
static const ScriptSchemaField pose_fields[] = {
    {SCRIPT_FIELD(ScriptLimits, top, NUMBER), FREQUENCY, .help = "The value of the top row."},
    {SCRIPT_FIELD(ScriptLimits, bottom, NUMBER), FREQUENCY, .help = "The value of the lowest row."},
    CURVE,
};
static const ScriptSchema pose_schema = {
    .name = "PoseStiffness", .size = sizeof(ScriptLimits), SCRIPT_FIELDS(pose_fields)};
static const ScriptSchemaField frequency = {.type = SCRIPT_TYPE_NUMBER, FREQUENCY, .expects = POSE_EXPECTS};

#define BACKSTOP_EXPECTS                                                                                     \
    "a number of 0 to 10 m, {top =, bottom =, curve =}, or a list of rows * columns numbers in m"
static const ScriptSchemaField backstop_fields[] = {
    {SCRIPT_FIELD(ScriptLimits, top, NUMBER), DISTANCE, .number = -1.0, .otherwise = "bottom",
     .help = "The distance of the top row."},
    {SCRIPT_FIELD(ScriptLimits, bottom, NUMBER), DISTANCE, .number = -1.0, .otherwise = "top",
     .help = "The distance of the lowest row."},
    CURVE,
};
static const ScriptSchema backstop_schema = {
    .name = "Backstop", .size = sizeof(ScriptLimits), SCRIPT_FIELDS(backstop_fields)};
static const ScriptSchemaField backstop = {.type = SCRIPT_TYPE_NUMBER, DISTANCE, .expects = BACKSTOP_EXPECTS};

static const ScriptSchemaField weight = {.type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 1.0};
static const ScriptSchemaField column = {
    .type = SCRIPT_TYPE_MAP, .element = &weight, .expects = "a table {BONE = weight, ...}"};
static const ScriptSchemaField attach_columns = {
    .type = SCRIPT_TYPE_LIST,
    .element = &column,
    .expects = "the name of a bone, or a list of one {BONE = weight, ...} for each column"};
static const ScriptSchemaField attach_bone = {.type = SCRIPT_TYPE_NAME};

static const ScriptSchemaField collider_name = {.type = SCRIPT_TYPE_NAME,
                                                .expects = "the name of a collider"};

static const ScriptSchemaField followed_bone = {.type = SCRIPT_TYPE_NAME, .expects = "the name of a bone"};

#define REFERENCES_EXPECT "\"blend\", \"attach\" or a list of names of colliders"
static const ScriptSchemaField reference_kind = {
    .type = SCRIPT_TYPE_CHOICE, .choices = references, .expects = REFERENCES_EXPECT};
static const ScriptSchemaField reference_colliders = {
    .type = SCRIPT_TYPE_LIST, .element = &collider_name, .expects = REFERENCES_EXPECT};

static const ScriptSchemaField bones_fields[] = {
    {SCRIPT_FIELD(ScriptBoneNames, prefix, STRING), .otherwise = "the garment's name and \"_\"",
     .help =
         "The beginning of the bones' names; row, _ and column follow, or the particle of a general mesh."},
    {SCRIPT_FIELD(ScriptBoneNames, first_column, INTEGER), .minimum = 0.0, .maximum = 127.0,
     .help = "The first column that has bones, from 0."},
    {SCRIPT_FIELD(ScriptBoneNames, every, INTEGER), .minimum = 1.0, .maximum = 127.0, .number = 1.0,
     .help = "The distance in columns from one column with bones to the next."},
    {SCRIPT_FIELD(ScriptBoneNames, last_row, CHOICE), .choices = last_rows,
     .help =
         "The last row: \"none\" gives it no bones, \"follow\" gives it bones that continue the link above."},
    {SCRIPT_FIELD(ScriptBoneNames, count, INTEGER), .minimum = 1.0, .maximum = 4096.0, .otherwise = "320",
     .help =
         "Of a general mesh that paints no bones: how many particles have bones, which lie evenly spread."},
};
static const ScriptSchema bones_schema = {
    .name = "GarmentBones", .size = sizeof(ScriptBoneNames), SCRIPT_FIELDS(bones_fields)};

static const ScriptSchemaField point = {.type = SCRIPT_TYPE_VECTOR, REACH};

static const ScriptSchemaField slit_fields[] = {
    {SCRIPT_FIELD(ScriptSlit, column, INTEGER), .required = true, .minimum = 0.0, .maximum = 127.0,
     .help = "The column, from 0, between which and the next one the cloth is cut."},
    {SCRIPT_FIELD(ScriptSlit, row, INTEGER), .required = true, .minimum = 1.0, .maximum = 127.0,
     .help = "The first row in which the two columns are not joined."},
    {SCRIPT_FIELD(ScriptSlit, over, CHOICE), .choices = sides,
     .help = "The side, seen from outside, that lies over the other one."},
};
static const ScriptSchema slit_schema = {
    .name = "Slit", .size = sizeof(ScriptSlit), SCRIPT_FIELDS(slit_fields)};
static const ScriptSchemaField slit = {.type = SCRIPT_TYPE_TABLE,
                                       .schemas = SCRIPT_ONE_SCHEMA(slit_schema),
                                       .expects = "{column =, row =, over =}"};

static const ScriptSchemaField region_line = {.type = SCRIPT_TYPE_INTEGER, .minimum = 0.0, .maximum = 127.0};
static const ScriptSchemaField region_fields[] = {
    {SCRIPT_FIELD(ScriptRegion, fabric, NAME), .expects = "the name of a fabric",
     .otherwise = "the garment's",
     .help = "The fabric there: its density, stretch, stretch_weft, shear, drape, damping, thickness, wind "
             "and springs."},
    {SCRIPT_FIELD(ScriptRegion, thickness, NUMBER), .minimum = 0.0, .maximum = 0.1, .unit = "m",
     .number = -1.0, .otherwise = "the fabric's", .help = "How far the cloth keeps off colliders there."},
    {SCRIPT_FIELD(ScriptRegion, rows, LIST), .element = &region_line,
     .expects = "a list {first, last} of two rows", .otherwise = "all",
     .help = "The first and the last row, from 0."},
    {SCRIPT_FIELD(ScriptRegion, columns, LIST), .element = &region_line,
     .expects = "a list {first, last} of two columns", .otherwise = "all",
     .help = "The first and the last column, from 0; in a ring the first may be the greater one."},
};
static const ScriptSchema region_schema = {
    .name = "Region", .size = sizeof(ScriptRegion), SCRIPT_FIELDS(region_fields)};
static const ScriptSchemaField region = {.type = SCRIPT_TYPE_TABLE,
                                         .schemas = SCRIPT_ONE_SCHEMA(region_schema),
                                         .expects = "{fabric =, thickness =, rows =, columns =}"};

#define ANGLE .minimum = 0.0, .maximum = 180.0, .unit = "degrees"

static const ScriptSchemaField stiffness_fields[] = {
    {SCRIPT_FIELD(ScriptLinks, base, NUMBER), FREQUENCY, .help = "The value at the first link."},
    {SCRIPT_FIELD(ScriptLinks, tip, NUMBER), FREQUENCY,
     .help = "The value at the last link; it changes evenly in between."},
};
static const ScriptSchemaField angle_fields[] = {
    {SCRIPT_FIELD(ScriptLinks, base, NUMBER), ANGLE, .number = 180.0, .help = "The value at the first link."},
    {SCRIPT_FIELD(ScriptLinks, tip, NUMBER), ANGLE, .number = 180.0,
     .help = "The value at the last link; it changes evenly in between."},
};
static const ScriptSchema stiffness_schema = {
    .name = "PoseStiffness", .size = sizeof(ScriptLinks), SCRIPT_FIELDS(stiffness_fields)};
static const ScriptSchema angle_schema = {
    .name = "AngleLimit", .size = sizeof(ScriptLinks), SCRIPT_FIELDS(angle_fields)};
static const ScriptSchemaField stiffness = {
    .type = SCRIPT_TYPE_NUMBER, FREQUENCY, .expects = "a number of 0 to 30 Hz, or {base =, tip =}"};
static const ScriptSchemaField angle = {
    .type = SCRIPT_TYPE_NUMBER, ANGLE, .expects = "a number of 0 to 180 degrees, or {base =, tip =}"};

static const ScriptSchemaField pendulum_fields[] = {
    {SCRIPT_FIELD(ScriptGarmentDef, bone, NAME), .required = true,
     .help = "The bone from which the garment hangs."},
    {SCRIPT_FIELD(ScriptGarmentDef, rest, VECTOR), REACH, .required = true,
     .help = "The position of the bob at the bind pose, in the bone's space. Its distance from the bone is "
             "the string's length."},
};

static const ScriptSchemaField chain_fields[] = {
    {SCRIPT_FIELD(ScriptGarmentDef, bone, NAME), .required = true,
     .help = "The bone that the first point is fixed to."},
    {SCRIPT_FIELD(ScriptGarmentDef, points, LIST), .required = true, .element = &point,
     .expects = "a list of 2 to 128 {x, y, z} in m",
     .help = "The points at the bind pose, in the bone's space."},
    {SCRIPT_FIELD(ScriptGarmentDef, follows, LIST), .element = &followed_bone,
     .expects = "a list of a bone's name for each point after the first", .otherwise = "as references says",
     .help =
         "The bones that the origins of max_distance, pose_stiffness and angle_limit follow, such as those "
         "of an animated tail."},
    {SCRIPT_FIELD(ScriptGarmentDef, bones, TABLE), .schemas = SCRIPT_ONE_SCHEMA(bones_schema),
     .expects = "{prefix =, first_column =, every =, last_row =}", .help = "The particles that have bones."},
};

#define COLUMN .minimum = 0.0, .maximum = 127.0

static const ScriptSchemaField to_garment = {.key = "to",
                                             .type = SCRIPT_TYPE_NAME,
                                             .offset = offsetof(ScriptSeamTo, garment),
                                             .required = true,
                                             .expects = "the name of a garment",
                                             .help = "The other garment; it may be the same one."};
static const ScriptSchemaField to_fields[] = {
    {SCRIPT_FIELD(ScriptSeamTo, column, INTEGER), COLUMN, .required = true,
     .help = "The other garment's column, from 0."},
    {SCRIPT_FIELD(ScriptSeamTo, row, INTEGER), COLUMN, .number = -1.0, .otherwise = "the first row in rows",
     .help = "The other column's row to which the first row is sewn."},
};
static const ScriptSchema to_schema = {
    .name = "SeamTo", .size = sizeof(ScriptSeamTo), SCRIPT_FIELDS(to_fields), .first = &to_garment};

static const ScriptSchemaField garment = {.key = "garment",
                                          .type = SCRIPT_TYPE_NAME,
                                          .offset = offsetof(ScriptSeamDef, garment),
                                          .required = true,
                                          .expects = "the name of a garment",
                                          .help = "The garment's name, without a key."};
static const ScriptSchemaField row = {.type = SCRIPT_TYPE_INTEGER, COLUMN};
static const ScriptSchemaField seam_fields[] = {
    {SCRIPT_FIELD(ScriptSeamDef, name, NAME), .otherwise = "the garment's",
     .help = "The seam's name for self:open_seam and self:close_seam, unique among the character's seams."},
    {SCRIPT_FIELD(ScriptSeamDef, column, INTEGER), COLUMN, .required = true,
     .help = "The column that is sewn, from 0; 0 for a chain or pendulum."},
    {SCRIPT_FIELD(ScriptSeamDef, to, TABLE), .required = true, .schemas = SCRIPT_ONE_SCHEMA(to_schema),
     .expects = "{GARMENT, column =, row =}", .help = "The other side of the seam."},
    {SCRIPT_FIELD(ScriptSeamDef, rows, LIST), .element = &row, .expects = "a list {first, last} of two rows",
     .otherwise = "all rows that both columns have",
     .help = "The first and the last sewn row. Rows that follow the skeleton on both sides are not sewn."},
    {SCRIPT_FIELD(ScriptSeamDef, closed, BOOLEAN), .number = 1.0,
     .help = "Whether the seam is closed at the start."},
};
const ScriptSchema script_seam_schema = {
    .constructor = "seam",
    .size = sizeof(ScriptSeamDef),
    SCRIPT_FIELDS(seam_fields),
    .first = &garment,
    .help = "Sews a column of a garment to a column of the same or another garment, row by row.",
    .example = "tweed.seam { \"cape\", name = \"front\", column = 0, to = { \"cape\", column = 6 }, rows = { "
               "2, 5 }, closed = false }"};

static const ScriptSchemaField mesh = {.type = SCRIPT_TYPE_MESH};

static void read_limits(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_by_rows(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_attach(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_references(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_links(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_general(ScriptReader *reader, const ScriptNode *node, void *out);

static const ScriptSchemaField garment_fields[] = {
    {SCRIPT_FIELD(ScriptGarmentDef, name, NAME), .required = true,
     .help = "Unique among the character's garments."},
    {SCRIPT_FIELD(ScriptGarmentDef, fabric, NAME), .required = true, .expects = "the name of a fabric",
     .help = "The garment's fabric, by name."},
    {SCRIPT_FIELD(ScriptGarmentDef, solver, CHOICE), .choices = script_solvers,
     .help = "The method of simulation: \"verlet\" has vertical links of exact length, \"mass_spring\" "
             "structural, shear and flexion springs, the group spring of the fabric."},
    {SCRIPT_FIELD(ScriptGarmentDef, limit_sweeps, INTEGER), .minimum = 1.0, .maximum = 1000.0,
     .number = 100.0,
     .help = "With solver = \"mass_spring\", how often at most a substep (1/240 s) goes over the springs to "
             "draw those beyond the fabric's spring.limit together. It stops when none is."},
    {SCRIPT_FIELD(ScriptGarmentDef, colliders, LIST), .element = &collider_name,
     .expects = "a list of names of colliders", .otherwise = "all of the character's",
     .help = "The colliders that keep the garment out."},
    {SCRIPT_FIELD(ScriptGarmentDef, max_distance, CUSTOM), .schemas = SCRIPT_ONE_SCHEMA(limits_schema),
     .read = read_limits, .expects = "{top =, bottom =, curve =}, or a list of rows * columns numbers in m",
     .lua = "number[]",
     .otherwise = "for cloth 0 at the top to the fabric's max_distance at the bottom, otherwise no limit",
     .help = "How far each particle may move from the position that skinning gives it."},
    {SCRIPT_FIELD(ScriptGarmentDef, collision, CHOICE), .choices = exact_or_article,
     .help = "\"exact\" pushes particles to the nearest point of a collider. \"article\" pushes them out of "
             "the collider scaled to a unit sphere, which is exact for spheres only."},
    {SCRIPT_FIELD(ScriptGarmentDef, hard, CHOICE), .choices = exact_or_article,
     .help = "\"exact\" keeps the length of vertical links by a solver of whole columns that keeps momentum. "
             "\"article\" sets each link to its length from the top down and loses momentum."},
    {SCRIPT_FIELD(ScriptGarmentDef, self_collision, NUMBER), .minimum = 0.0, .maximum = 0.5, .unit = "m",
     .help = "How far layers of the cloth keep apart, so that it does not pass through itself; 0 turns it "
             "off. Garments of one character that have it keep out of each other, too."},
    {SCRIPT_FIELD(ScriptGarmentDef, bend, CHOICE), .choices = bends,
     .help = "\"curvature\" resists a change of curvature. \"article\" resists bending by links between "
             "second neighbours."},
    {SCRIPT_FIELD(ScriptGarmentDef, meshes, LIST), .element = &mesh,
     .otherwise = "for cloth a smooth surface of its grid, otherwise none",
     .help = "The garment's render meshes, which take their materials from its fabric."},
};
const ScriptSchema script_garment_schema = {
    .name = "Keys of all garments", .size = sizeof(ScriptGarmentDef), SCRIPT_FIELDS(garment_fields)};

static const ScriptSchemaField cloth_fields[] = {
    {SCRIPT_FIELD(ScriptGarmentDef, rows, INTEGER), .minimum = 2.0, .maximum = 128.0,
     .otherwise = "those of mesh", .help = "Rows of particles; row 0 is on top."},
    {SCRIPT_FIELD(ScriptGarmentDef, columns, INTEGER), .minimum = 2.0, .maximum = 128.0,
     .otherwise = "those of mesh",
     .help = "Columns of particles. In front of the body they run towards +X, so that the bones' z points "
             "away from the body."},
    {SCRIPT_FIELD(ScriptGarmentDef, closed, BOOLEAN),
     .help = "Whether the cloth is a ring: the last column is the first one's neighbour."},
    {SCRIPT_FIELD(ScriptGarmentDef, positions, LIST), .element = &point,
     .expects = "a list of rows * columns {x, y, z} in m", .otherwise = "those of mesh",
     .help = "The particles in model space at the bind pose, row by row."},
    {SCRIPT_FIELD(ScriptGarmentDef, mesh, MESH), .otherwise = "none: rows, columns and positions are given",
     .help =
         "A surface in model space at the bind pose, of tweed.import_mesh: a sheet with four corners, or a "
         "ring. Without rows and columns its vertices are the grid; with them it is divided evenly. Its "
         "highest side becomes the top row. A mesh that is no grid is taken as it is."},
    {SCRIPT_FIELD(ScriptGarmentDef, weld, NUMBER), .minimum = 0.0, .maximum = 0.1, .unit = "m",
     .number = (double)ASSET_DEFAULT_WELD,
     .help = "How near vertices of the mesh are that become one particle."},
    {.key = "general",
     .type = SCRIPT_TYPE_CUSTOM,
     .offset = offsetof(ScriptGarmentDef, general_choice),
     .read = read_general,
     .expects = "true or false",
     .lua = "boolean",
     .otherwise = "whether the mesh is no grid",
     .help = "Whether the mesh is taken as it is: its vertices are the particles, its edges the links. It "
             "hangs from what is pinned, or else from its highest open edge. false: what is no grid is an "
             "error."},
    {SCRIPT_FIELD(ScriptGarmentDef, pattern, LIST), .element = &point,
     .expects = "a list of rows * columns {x, y, z} in m", .otherwise = "positions",
     .help =
         "The particles as the cloth is cut, in any place: lengths, areas and curvature at rest, where they "
         "are others than at the bind pose. A skirt cut as a flat disc hangs in folds."},
    {SCRIPT_FIELD(ScriptGarmentDef, slits, LIST), .element = &slit,
     .expects = "a list of {column =, row =, over =}", .otherwise = "none",
     .help = "Cuts from the last row upwards between two columns, such as a jacket's vent."},
    {SCRIPT_FIELD(ScriptGarmentDef, regions, LIST), .element = &region,
     .expects = "a list of {fabric =, thickness =, rows =, columns =}", .otherwise = "none",
     .help =
         "Parts of a grid that are of another fabric, or thicker; of two at a place the later one counts. "
         "A mesh may be painted instead."},
    {SCRIPT_FIELD(ScriptGarmentDef, attach, CUSTOM), .required = true, .read = read_attach,
     .expects = "the name of a bone, or a list of one {BONE = weight, ...} for each column",
     .lua = "string|table<string, number>[]", .help = "The bones that the top row is skinned to."},
    {SCRIPT_FIELD(ScriptGarmentDef, references, CUSTOM), .read = read_references,
     .expects = REFERENCES_EXPECT, .lua = "\"blend\"|\"attach\"|string[]", .otherwise = "\"blend\"",
     .help = "The bones that the origin of max_distance follows: \"blend\" is a smooth blend of the bones of "
             "near colliders, a list says of which colliders, \"attach\" is the bones to which the top row "
             "is skinned."},
    {SCRIPT_FIELD(ScriptGarmentDef, backstop, CUSTOM), .schemas = SCRIPT_ONE_SCHEMA(backstop_schema),
     .read = read_by_rows, .context = &backstop, .expects = BACKSTOP_EXPECTS, .lua = "number|number[]",
     .otherwise = "none",
     .help = "How far each particle may be behind the position that skinning gives it, along the outward "
             "normal of the grid as skinned. Colliders win over it."},
    {.key = "pose_stiffness",
     .type = SCRIPT_TYPE_CUSTOM,
     .offset = offsetof(ScriptGarmentDef, pose),
     .schemas = SCRIPT_ONE_SCHEMA(pose_schema),
     .read = read_by_rows,
     .context = &frequency,
     .expects = POSE_EXPECTS,
     .lua = "number|number[]",
     .otherwise = "0: none",
     .help = "The stiffness of a spring that draws each particle to the position that skinning gives it, as "
             "the frequency of its swing. The fabric's pose is a factor on it."},
    {SCRIPT_FIELD(ScriptGarmentDef, pose_damping, NUMBER), .minimum = 0.0, .maximum = 10.0, .number = 1.0,
     .help = "The damping ratio of that spring; 1 is critical."},
    {SCRIPT_FIELD(ScriptGarmentDef, bones, TABLE), .schemas = SCRIPT_ONE_SCHEMA(bones_schema),
     .expects = "{prefix =, first_column =, every =, last_row =}", .help = "The particles that have bones."},
};
const ScriptSchema script_cloth_schema = {
    .constructor = "cloth",
    .size = sizeof(ScriptGarmentDef),
    SCRIPT_FIELDS(cloth_fields),
    .base = &script_garment_schema,
    .help = "A grid of cloth that hangs from its top row.",
    .example =
        "local points = {}\n"
        "for row = 0, 5 do\n"
        "  for column = 0, 6 do points[#points + 1] = { .15 - .05 * column, 1.45 - .1 * row, -.15 } end\n"
        "end\n"
        "tweed.cloth {\n"
        "  name = \"cape\", fabric = \"silk\", rows = 6, columns = 7, positions = points, attach = "
        "\"Spine\",\n"
        "  max_distance = { top = 0, bottom = .5 }, colliders = { \"chest\", \"head\" }, bones = { every = 2 "
        "},\n"
        "}"};

static const ScriptSchemaField links_fields[] = {
    {SCRIPT_FIELD(ScriptGarmentDef, pose_stiffness, CUSTOM), .schemas = SCRIPT_ONE_SCHEMA(stiffness_schema),
     .read = read_links, .context = &stiffness, .expects = "a number of 0 to 30 Hz, or {base =, tip =}",
     .lua = "number", .otherwise = "0: none",
     .help = "The stiffness of a spring that turns each link back to its direction at rest, as the frequency "
             "of its swing."},
    {SCRIPT_FIELD(ScriptGarmentDef, pose_damping, NUMBER), .minimum = 0.0, .maximum = 10.0,
     .help = "The damping ratio of that spring; 1 is critical."},
    {SCRIPT_FIELD(ScriptGarmentDef, angle_limit, CUSTOM), .schemas = SCRIPT_ONE_SCHEMA(angle_schema),
     .read = read_links, .context = &angle, .expects = "a number of 0 to 180 degrees, or {base =, tip =}",
     .lua = "number", .otherwise = "180 degrees: none",
     .help = "How far each link may turn from its direction at rest relative to the link above; the first "
             "link, relative to the bone."},
    {.key = "references",
     .type = SCRIPT_TYPE_CHOICE,
     .offset = offsetof(ScriptGarmentDef, references.kind),
     .choices = references,
     .number = 1.0,
     .help = "The bones that the origin of max_distance, pose_stiffness and angle_limit follows: \"attach\" "
             "is the bone from which the garment hangs, \"blend\" a smooth blend of the bones whose "
             "colliders are near."},
};
static const ScriptSchema links_schema = {
    .size = sizeof(ScriptGarmentDef), SCRIPT_FIELDS(links_fields), .base = &script_garment_schema};
const ScriptSchema script_pendulum_schema = {
    .constructor = "pendulum",
    .size = sizeof(ScriptGarmentDef),
    SCRIPT_FIELDS(pendulum_fields),
    .base = &links_schema,
    .help = "A bob on a string and a bone that aims at it, for parts that swing as a whole, such as a hood.",
    .example =
        "tweed.pendulum { name = \"hood\", bone = \"Spine\", fabric = \"tweed\", rest = { 0, .2, -.2 } }"};
const ScriptSchema script_chain_schema = {
    .constructor = "chain",
    .size = sizeof(ScriptGarmentDef),
    SCRIPT_FIELDS(chain_fields),
    .base = &links_schema,
    .help =
        "A row of particles, such as a tie or a tail. A chain is a strip of its fabric that is as wide as "
        "its links are long; no key sets the width. A particle weighs the fabric's density times the "
        "square of half the links at it, so more and shorter links make a lighter chain. The air moves a "
        "chain less the denser its fabric is, whatever its links.",
    .example = "tweed.chain {\n"
               "  name = \"tie\", bone = \"Spine\", fabric = \"silk\", bones = { last_row = \"follow\" },\n"
               "  points = { { 0, .3, .13 }, { 0, .2, .14 }, { 0, .1, .14 } },\n"
               "}"};

static void read_limits(ScriptReader *reader, const ScriptNode *node, void *out) {
    ScriptLimits *limits = out;
    if (node->kind == SCRIPT_NODE_TABLE && !node->item_count && !node->call_site)
        script_schema_read(reader, &limits_schema, node, limits);
    else
        script_field_read(reader, &distances, node, &limits->each);
}

// A number for all rows, a table or a list. The field's context is the schema of the number.
static void read_by_rows(ScriptReader *reader, const ScriptNode *node, void *out) {
    const ScriptSchemaField *field = reader->field, *number = field->context;
    ScriptLimits *limits = out;
    if (node->kind == SCRIPT_NODE_TABLE && !node->item_count && !node->call_site) {
        script_schema_read(reader, field->schemas[0], node, limits);
    } else if (node->kind == SCRIPT_NODE_TABLE) {
        const ScriptSchemaField list = {
            .type = SCRIPT_TYPE_LIST, .element = number, .expects = field->expects};
        script_field_read(reader, &list, node, &limits->each);
    } else {
        script_field_read(reader, number, node, &limits->top);
        limits->bottom = limits->top;
    }
}

static void read_attach(ScriptReader *reader, const ScriptNode *node, void *out) {
    ScriptAttach *attach = out;
    if (node->kind == SCRIPT_NODE_STRING)
        script_field_read(reader, &attach_bone, node, &attach->bone);
    else
        script_field_read(reader, &attach_columns, node, &attach->columns);
}

static void read_references(ScriptReader *reader, const ScriptNode *node, void *out) {
    ScriptReferences *read = out;
    if (node->kind == SCRIPT_NODE_STRING)
        script_field_read(reader, &reference_kind, node, &read->kind);
    else
        script_field_read(reader, &reference_colliders, node, &read->colliders);
}

// A number for all links, or a table.
static void read_links(ScriptReader *reader, const ScriptNode *node, void *out) {
    const ScriptSchemaField *field = reader->field;
    ScriptLinks *links = out;
    if (node->kind == SCRIPT_NODE_TABLE && !node->item_count && !node->call_site) {
        script_schema_read(reader, field->schemas[0], node, links);
        return;
    }
    script_field_read(reader, field->context, node, &links->base);
    links->tip = links->base;
}

static void read_general(ScriptReader *reader, const ScriptNode *node, void *out) {
    static const ScriptSchemaField flag = {.type = SCRIPT_TYPE_BOOLEAN};
    bool general = false;
    const size_t errors = reader->errors_made;
    script_field_read(reader, &flag, node, &general);
    if (reader->errors_made == errors) *(int *)out = general ? SCRIPT_GENERAL_YES : SCRIPT_GENERAL_NO;
}
