// The schema of seams.
#include "definition.h"

#define COLUMN .minimum = 0.0, .maximum = 127.0

static const ScriptSchemaField to_garment = {.key = "to",
                                             .type = SCRIPT_TYPE_NAME,
                                             .offset = offsetof(ScriptSeamTo, garment),
                                             .required = true,
                                             .expects = "the name of a garment"};
static const ScriptSchemaField to_fields[] = {
    {SCRIPT_FIELD(ScriptSeamTo, column, INTEGER), COLUMN, .required = true, .help = "From 0."},
    {SCRIPT_FIELD(ScriptSeamTo, row, INTEGER), COLUMN, .number = -1.0, .otherwise = "the first of rows",
     .help = "What the first of rows is sewn to."},
};
static const ScriptSchema to_schema = {
    .size = sizeof(ScriptSeamTo), SCRIPT_FIELDS(to_fields), .first = &to_garment};
static const ScriptSchema *const to_schemas[] = {&to_schema, NULL};

static const ScriptSchemaField garment = {.key = "garment",
                                          .type = SCRIPT_TYPE_NAME,
                                          .offset = offsetof(ScriptSeamDef, garment),
                                          .required = true,
                                          .expects = "the name of a garment"};
static const ScriptSchemaField row = {.type = SCRIPT_TYPE_INTEGER, COLUMN};
static const ScriptSchemaField seam_fields[] = {
    {SCRIPT_FIELD(ScriptSeamDef, name, NAME), .otherwise = "the garment's",
     .help = "Unique among the character's seams: what self:open_seam and self:close_seam take."},
    {SCRIPT_FIELD(ScriptSeamDef, column, INTEGER), COLUMN, .required = true, .help = "From 0."},
    {SCRIPT_FIELD(ScriptSeamDef, to, TABLE), .required = true, .schemas = to_schemas,
     .expects = "{GARMENT, column =, row =}", .help = "The other side, of the same or of another garment."},
    {SCRIPT_FIELD(ScriptSeamDef, rows, LIST), .element = &row, .expects = "a list {first, last} of two rows",
     .otherwise = "all that both columns have",
     .help = "From the first to the last, each row is sewn, but those that are held on both sides."},
    {SCRIPT_FIELD(ScriptSeamDef, closed, BOOLEAN), .number = 1.0, .help = "How it is at the beginning."},
};
const ScriptSchema script_seam_schema = {.constructor = "seam",
                                         .size = sizeof(ScriptSeamDef),
                                         SCRIPT_FIELDS(seam_fields),
                                         .first = &garment,
                                         .help = "Sews a column of a garment to another column, row by row."};
