// The schema of seams.
#include "schema/definition.h"

#define COLUMN .minimum = 0.0, .maximum = 127.0

static const ScriptSchemaField to_garment = {.key = "to",
                                             .type = SCRIPT_TYPE_NAME,
                                             .offset = offsetof(ScriptSeamTo, garment),
                                             .required = true,
                                             .expects = "the name of a garment",
                                             .help = "The garment of the other side, which may be the same."};
static const ScriptSchemaField to_fields[] = {
    {SCRIPT_FIELD(ScriptSeamTo, column, INTEGER), COLUMN, .required = true,
     .help = "The column of the other side, from 0."},
    {SCRIPT_FIELD(ScriptSeamTo, row, INTEGER), COLUMN, .number = -1.0, .otherwise = "the first of rows",
     .help = "The row of the other side that the first one is sewn to."},
};
static const ScriptSchema to_schema = {
    .name = "SeamTo", .size = sizeof(ScriptSeamTo), SCRIPT_FIELDS(to_fields), .first = &to_garment};
static const ScriptSchema *const to_schemas[] = {&to_schema, NULL};

static const ScriptSchemaField garment = {.key = "garment",
                                          .type = SCRIPT_TYPE_NAME,
                                          .offset = offsetof(ScriptSeamDef, garment),
                                          .required = true,
                                          .expects = "the name of a garment",
                                          .help = "The garment, without a key."};
static const ScriptSchemaField row = {.type = SCRIPT_TYPE_INTEGER, COLUMN};
static const ScriptSchemaField seam_fields[] = {
    {SCRIPT_FIELD(ScriptSeamDef, name, NAME), .otherwise = "the garment's",
     .help = "Its name for self:open_seam and self:close_seam, unique among the character's seams."},
    {SCRIPT_FIELD(ScriptSeamDef, column, INTEGER), COLUMN, .required = true,
     .help = "The column that is sewn, from 0; of a chain or pendulum 0."},
    {SCRIPT_FIELD(ScriptSeamDef, to, TABLE), .required = true, .schemas = to_schemas,
     .expects = "{GARMENT, column =, row =}", .help = "What it is sewn to."},
    {SCRIPT_FIELD(ScriptSeamDef, rows, LIST), .element = &row, .expects = "a list {first, last} of two rows",
     .otherwise = "all that both columns have",
     .help = "The first and the last row that are sewn; rows that are held on both sides are not."},
    {SCRIPT_FIELD(ScriptSeamDef, closed, BOOLEAN), .number = 1.0,
     .help = "Whether it is closed at the beginning."},
};
const ScriptSchema script_seam_schema = {
    .constructor = "seam",
    .size = sizeof(ScriptSeamDef),
    SCRIPT_FIELDS(seam_fields),
    .first = &garment,
    .help = "Sews a column of a garment to a column of the same or of another, row by row.",
    .example = "tweed.seam { \"cape\", name = \"front\", column = 0, to = { \"cape\", column = 6 }, rows = { "
               "2, 5 }, closed = false }"};
