// Schemas: the keys of a definition with type, unit, range and default. One table per definition drives
// reading, defaults, error messages and documentation.
//
// Reading fills a C structure from a value tree and collects findings. It continues after an error, so that
// one run reports all.
#pragma once

#include "data/arena.h"
#include "data/findings.h"
#include "data/path.h"
#include "data/value_tree.h"

#include <sim/ranges.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ScriptType { // and the C type at the field's offset
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
    SCRIPT_TYPE_MESH,     // const ScriptMesh *
    SCRIPT_TYPE_TABLE,    // the structure of schemas[0], embedded
    SCRIPT_TYPE_ONE_OF,   // ScriptItem, of one of schemas
    SCRIPT_TYPE_LIST,     // ScriptList of element
    SCRIPT_TYPE_MAP,      // ScriptList of element, with keys
    SCRIPT_TYPE_DATA,     // const ScriptNode *, a table of anything, or NULL
    SCRIPT_TYPE_CUSTOM,   // written by `read`, over the defaults of schemas[0], if any
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
    const char *otherwise;      // the default in words, if it is none of these values
    const char *const *choices; // CHOICE: names, then NULL
    const ScriptSchema *const *schemas;                                    // TABLE, ONE_OF: then NULL
    const ScriptSchemaField *element;                                      // LIST, MAP
    void (*read)(ScriptReader *reader, const ScriptNode *node, void *out); // CUSTOM
    const void *context;                                                   // CUSTOM: what `read` needs
    // replaces the type's own description in messages: "a number%s, or false"; %s is the range, " of 0 to 10
    // m"
    const char *expects;
    const char
        *lua; // FUNCTION, CUSTOM: the type in the types file, "number|false"; added to schemas[0], if any
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

// The schemas of a field that has one, at file scope.
#define SCRIPT_ONE_SCHEMA(schema) ((const ScriptSchema *const[]){&(schema), NULL})

struct ScriptSchema {
    const char *constructor; // "cloth" of tweed.cloth; NULL for a plain table
    const char *name; // the class in the types file; NULL: from the constructor, or the field that holds it
    size_t size;      // of its structure
    const ScriptSchemaField *fields;
    int field_count;
    const char *help;               // one sentence
    const char *example;            // lines of Lua that call the constructor; NULL: none
    const ScriptSchema *base;       // more fields of the same structure; or NULL
    const ScriptSchemaField *first; // a value without a key, at index 1; or NULL
};

// A value of one of several schemas.
typedef struct ScriptItem {
    const ScriptSchema *schema; // NULL: none of them, which is reported
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
    const char *file;       // the file that returned root
    bool is_argument;       // root is the argument of a constructor's call within file, not its value
    const ScriptNode *root;
    const char *prefix;  // before every path, "tweed.clip", or ""
    ScriptNodePath path; // the current path, below root
    bool out_of_memory;
    size_t first_error, first_finding; // the counts of errors and findings at the beginning
    size_t errors_made;                // those that are not listed among them
    int muted;                         // > 0: further errors are not listed
    const ScriptSchemaField *field;    // CUSTOM: whose `read` is called
};

// Lists the first error of a list of numbers alone, and counts the items that are wrong: 100 positions in
// centimetres are one mistake.
typedef struct ScriptListErrors {
    size_t finding, errors_made; // at the beginning; at the last item
    int wrong;                   // items
} ScriptListErrors;

ScriptListErrors script_list_errors_begin(const ScriptReader *reader);
// Call after each item.
void script_list_errors_add(ScriptListErrors *errors, ScriptReader *reader);
void script_list_errors_end(const ScriptListErrors *errors, ScriptReader *reader);

// Enters a key or an item of a list (from 1), and leaves it. Findings are reported at the current path.
void script_reader_key(ScriptReader *reader, const char *key);
void script_reader_index(ScriptReader *reader, int index);
void script_reader_leave(ScriptReader *reader);

// Whether there has been an error since the beginning.
bool script_reader_failed(const ScriptReader *reader);

// Whether there is an error at the current path or below, or may be one that is not listed.
bool script_reader_has_errors_here(const ScriptReader *reader);

// Adds a finding at the current path.
__attribute__((format(printf, 2, 3))) void script_reader_error(ScriptReader *reader, const char *format, ...);
// A finding at a key below the current path.
__attribute__((format(printf, 3, 4))) void script_reader_error_at(ScriptReader *reader, const char *key,
                                                                  const char *format, ...);
__attribute__((format(printf, 2, 3))) void script_reader_warn(ScriptReader *reader, const char *format, ...);
// "expected <expectation>, found <node>".
void script_reader_expected(ScriptReader *reader, const char *expectation, const ScriptNode *node);
// "no bone "Hipz"; did you mean "Hips"?", from `count` names.
void script_reader_unknown(ScriptReader *reader, const char *what, const char *name, const char *const *names,
                           int count);
// The same; where: " in fabrics/", added where no name is near.
void script_reader_unknown_in(ScriptReader *reader, const char *what, const char *name, const char *where,
                              const char *const *names, int count);
// Replaces the prefix of these findings by the current path.
void script_reader_move_findings(ScriptReader *reader, const ScriptFindingRange *finding_range);

// Zeroed memory; NULL with a finding when memory runs out.
void *script_reader_alloc(ScriptReader *reader, int count, size_t size);

// Sets every field to its default.
void script_schema_defaults(const ScriptSchema *schema, void *out);
// Reads `node`, which must be a table, over the values in `out`.
void script_schema_read(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out);
// Reads one value of the field's type.
void script_field_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                       void *out);

// "a number of 0 to 10 m".
void script_field_expects(const ScriptSchemaField *field, char *buffer, size_t size);
// "0 to 10 m", "m", or "".
void script_field_range(const ScriptSchemaField *field, char *buffer, size_t size);
// "0.3 s", "{0, -9.81, 0} m/s^2", "as radius"; "none" or "" where it has no value.
void script_field_default(const ScriptSchemaField *field, char *buffer, size_t size);
// NULL if the text is a valid name of the protocol; otherwise what is expected.
const char *script_name_error(const char *text, size_t length);

// Reads a scalar into out. False, and nothing is read, if it does not match the field; errors inside a vector
// or of an object are reported here. For all types except TABLE, ONE_OF, LIST, MAP and CUSTOM.
bool script_scalar_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out);
// "expected a number of 0 to 10 m, found a table", at the reader's path.
void script_field_mismatch(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node);
