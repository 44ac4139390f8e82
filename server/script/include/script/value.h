// Plain data in and out of scripts: parameters, arguments, results and events.
//
// A value owns all values in it. Functions that build return false when memory runs out, and then change
// nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum ScriptValueKind {
    SCRIPT_VALUE_NULL,
    SCRIPT_VALUE_BOOLEAN,
    SCRIPT_VALUE_NUMBER,
    SCRIPT_VALUE_STRING,
    SCRIPT_VALUE_LIST,
    SCRIPT_VALUE_TABLE,
} ScriptValueKind;

typedef struct ScriptField ScriptField;

// All zero is null. Read the fields; write through the functions below.
typedef struct ScriptValue {
    ScriptValueKind kind;
    union {
        bool boolean;
        double number;             // finite
        char *string;              // UTF-8
        struct ScriptValue *items; // LIST: [count]
        ScriptField *fields;       // TABLE: [count], each key once; those from Lua sorted by key
    };
    size_t count;    // of items or fields; of bytes in a string
    size_t capacity; // internal
} ScriptValue;

struct ScriptField {
    char *key;
    ScriptValue value;
};

#define SCRIPT_NULL ((ScriptValue){0})

ScriptValue script_value_boolean(bool boolean);
ScriptValue script_value_number(double number);
ScriptValue script_value_list(void);
ScriptValue script_value_table(void);
// length bytes of UTF-8 without a zero byte.
bool script_value_string(ScriptValue *out_value, const char *text, size_t length);
bool script_value_copy(ScriptValue *out_copy, const ScriptValue *value);
// Memory that it takes, with all in it but without itself.
size_t script_value_bytes(const ScriptValue *value);
// Frees everything in it and leaves null.
void script_value_finish(ScriptValue *value);

// Takes over `item`, also when it fails; `list` must be a list.
bool script_value_append(ScriptValue *list, ScriptValue item);
// Sets a key; takes over `value`, also when it fails; `table` must be a table.
bool script_value_set(ScriptValue *table, const char *key, ScriptValue value);
// The same for a key that is not in the table: building a large table takes linear time.
bool script_value_add(ScriptValue *table, const char *key, ScriptValue value);

// A table that does not change any more, shared by all that refer to it: the params of a character, from the
// request to spawn it until it is removed. NULL stands for an empty one.
typedef struct ScriptParams ScriptParams;

// Takes over `value`, a table. Returns NULL when memory runs out.
ScriptParams *script_params_create(ScriptValue value);
ScriptParams *script_params_retain(ScriptParams *params); // returns it
void script_params_release(ScriptParams *params);
const ScriptValue *script_params_value(const ScriptParams *params);
