// Schemas: what keys a definition has, of what type, unit and range, with what default. One table per
// definition drives reading, defaults and error messages.
//
// Reading fills a C structure from a node tree and collects findings; it goes on after a mistake, so that one
// run tells all.
#pragma once

#include "data/arena.h"
#include "data/findings.h"
#include "data/path.h"
#include "data/value_tree.h"

#include <sim/ranges.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ScriptType { // what stands at the field's offset
    SCRIPT_TYPE_BOOLEAN,  // bool
    SCRIPT_TYPE_NUMBER,   // float
    SCRIPT_TYPE_INTEGER,  // int
    SCRIPT_TYPE_LONG,     // int64_t, within 2^53 - 1
    SCRIPT_TYPE_STRING,   // const char *
    SCRIPT_TYPE_NAME,     // const char *, 1 to 64 bytes without * ? [
    SCRIPT_TYPE_CHOICE,   // int, index into choices
    SCRIPT_TYPE_VECTOR,   // float[3]
    SCRIPT_TYPE_ROTATION, // float[4], made unit
    SCRIPT_TYPE_AXIS,     // float[3], unit
    SCRIPT_TYPE_FUNCTION, // int, reference in the registry; LUA_NOREF
    SCRIPT_TYPE_SKELETON, // const ScriptSkeleton *
    SCRIPT_TYPE_CLIP,     // const ScriptClip *
    SCRIPT_TYPE_TABLE,    // the structure of schemas[0], embedded
    SCRIPT_TYPE_ONE_OF,   // ScriptItem, of one of schemas
    SCRIPT_TYPE_LIST,     // ScriptList of element
    SCRIPT_TYPE_MAP,      // ScriptList of element, with keys
    SCRIPT_TYPE_DATA,     // const ScriptNode *, a table of anything, or NULL
    SCRIPT_TYPE_CUSTOM,   // what read makes of it, over the defaults of schemas[0] if there is one
} ScriptType;

typedef struct ScriptSchema ScriptSchema;
typedef struct ScriptSchemaField ScriptSchemaField;
typedef struct ScriptReader ScriptReader;

struct ScriptSchemaField {
    const char *key;
    ScriptType type;
    size_t offset;
    bool required;
    double minimum, maximum;    // NUMBER, INTEGER, LONG, each component of a VECTOR; both 0: no limits
    const char *unit;           // "m", NULL for a number without
    double number;              // default of NUMBER, INTEGER, LONG, BOOLEAN (1 is true), CHOICE (index)
    const char *text;           // default of STRING, NAME
    float vector[4];            // default of VECTOR, ROTATION, AXIS
    const char *otherwise;      // the default in words, where it is none of these values
    const char *const *choices; // CHOICE: names, then NULL
    const ScriptSchema *const *schemas;                                    // TABLE, ONE_OF: then NULL
    const ScriptSchemaField *element;                                      // LIST, MAP
    void (*read)(ScriptReader *reader, const ScriptNode *node, void *out); // CUSTOM
    // CUSTOM: "a number%s, or false"; others: in place of the type's own words. %s is its range, " of 0 to 10
    // m".
    const char *expects;
    const char
        *lua; // FUNCTION, CUSTOM: what the types file has: "number|false"; beside schemas[0] if there is one
    const char *help; // one sentence for authors
};

// The beginning of a field: its key is the member's name.
#define SCRIPT_FIELD(structure, member, kind)                                                                \
    .key = #member, .type = SCRIPT_TYPE_##kind, .offset = offsetof(structure, member)

// The range and default of a number that sim knows, a row of sim/ranges.h.
#define SCRIPT_RANGE_ROW(of, least, most, otherwise)                                                         \
    .unit = (of), .minimum = (least), .maximum = (most), .number = (otherwise)
#define SCRIPT_RANGE(row) SIM_WITH_RANGE(SCRIPT_RANGE_ROW, row)

// The fields of a schema, an array.
#define SCRIPT_FIELDS(array) .fields = (array), .field_count = (int)(sizeof(array) / sizeof *(array))

struct ScriptSchema {
    const char *constructor; // "cloth" of tweed.cloth; NULL for a plain table
    const char
        *name;   // of its class in the types file; NULL: after the constructor, or the field that holds it
    size_t size; // of its structure
    const ScriptSchemaField *fields;
    int field_count;
    const char *help;               // one sentence
    const char *example;            // lines of Lua that call the constructor; NULL: none
    const ScriptSchema *base;       // whose fields it has too, of the same structure; NULL for none
    const ScriptSchemaField *first; // what stands first, without a key; NULL: nothing may
};

// A value of one of several schemas.
typedef struct ScriptItem {
    const ScriptSchema *schema; // NULL: it was none of them, and a finding says so
    const void *value;
} ScriptItem;

typedef struct ScriptList {
    const char *const *keys; // [count], sorted, of a map
    const void *items;       // [count]
    int count;
} ScriptList;

struct ScriptReader {
    ScriptArena *arena;
    ScriptFindings *findings;
    ScriptSources *sources; // NULL: no lines
    const char *file;       // whose value root is
    bool is_argument;       // root is the argument of a constructor's call within file, not its value
    const ScriptNode *root;
    const char *prefix;  // before every path, "tweed.clip", or "" for none
    ScriptNodePath path; // where the reader stands, below root
    bool out_of_memory;
    size_t first_error, first_finding; // the findings' counts of errors and of all when it began
};

// Steps into a key or (from 1) an item of a list, and back: what findings then point at.
void script_reader_key(ScriptReader *reader, const char *key);
void script_reader_index(ScriptReader *reader, int index);
void script_reader_leave(ScriptReader *reader);

// True once there was an error since it began.
bool script_reader_failed(const ScriptReader *reader);

// True where there was one at its place or below, or may have been that is not listed.
bool script_reader_has_errors_here(const ScriptReader *reader);

// A finding at the reader's place.
__attribute__((format(printf, 2, 3))) void script_reader_error(ScriptReader *reader, const char *format, ...);
__attribute__((format(printf, 2, 3))) void script_reader_warn(ScriptReader *reader, const char *format, ...);
// "expected <expectation>, found <node>".
void script_reader_expected(ScriptReader *reader, const char *expectation, const ScriptNode *node);
// "no bone "Hipz"; did you mean "Hips"?", out of [count] names.
void script_reader_unknown(ScriptReader *reader, const char *what, const char *name, const char *const *names,
                           int count);
// Gives those findings the reader's path.
void script_reader_move_findings(ScriptReader *reader, const ScriptFindingRange *finding_range);

// Zeroed; a finding for want of memory.
void *script_reader_alloc(ScriptReader *reader, int count, size_t size);

// Every field at its default.
void script_schema_defaults(const ScriptSchema *schema, void *out);
// Reads node, which must be a table, over what out holds: what it does not give keeps its value.
void script_schema_read(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out);
// One value of field's type.
void script_field_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                       void *out);
size_t script_type_size(const ScriptSchemaField *field);

// "a number of 0 to 10 m".
void script_field_expects(const ScriptSchemaField *field, char *buffer, size_t size);
// "0 to 10 m", "m", or "".
void script_field_range(const ScriptSchemaField *field, char *buffer, size_t size);
// "0.3 s", "{0, -9.81, 0} m/s^2", "as radius"; "none" or "" where it has no value.
void script_field_default(const ScriptSchemaField *field, char *buffer, size_t size);
// "tweed.cloth{...} or tweed.chain{...}".
void script_schemas_expect(const ScriptSchema *const *schemas, char *buffer, size_t size);
// NULL where text is a name as the protocol wants it; else what is expected.
const char *script_name_error(const char *text, size_t length);
