// JSON trees for answers and events. They are built as cJSON's own Add functions do it, but a failed
// allocation is remembered, so one check at the end is enough. Trees are converted to and from scripts'
// values.
#pragma once

#include <cjson/cJSON.h>
#include <script/value.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppJson {
    bool failed; // something is missing for want of memory
} AppJson;

// A tree's root.
cJSON *app_json_root_object(AppJson *json);
cJSON *app_json_root_list(AppJson *json);

// Each adds to an object under a key, or (key NULL) to the end of a list. A parent of NULL, left by an
// earlier failure, is allowed. The new object or list belongs to its parent.
cJSON *app_json_object(AppJson *json, cJSON *parent, const char *key);
cJSON *app_json_list(AppJson *json, cJSON *parent, const char *key);
void app_json_string(AppJson *json, cJSON *parent, const char *key, const char *value);
void app_json_number(AppJson *json, cJSON *parent, const char *key, double value);
void app_json_integer(AppJson *json, cJSON *parent, const char *key, uint64_t value);
void app_json_bool(AppJson *json, cJSON *parent, const char *key, bool value);

// As the shortest decimals that give back the same float32.
void app_json_float(AppJson *json, cJSON *parent, const char *key, float value);
void app_json_vector(AppJson *json, cJSON *parent, const char *key, const float *values, size_t count);

// Prints a tree as one line on stdout, or that memory ran out on stderr, and deletes it.
void app_json_print(const AppJson *json, cJSON *root);

// Takes `item` over, also when it fails. The item where it now belongs to its parent, or NULL.
cJSON *app_json_item(AppJson *json, cJSON *parent, const char *key, cJSON *item);

// Sets a member in place of the one of that key, if there is one. Takes `item` over.
void app_json_set(cJSON *object, const char *key, cJSON *item);

// Members of an object, which may be NULL. NULL, `otherwise`, 0 and false: it has no such text, number,
// number from 0 on, or true.
const char *app_json_get_text(const cJSON *object, const char *key);
double app_json_get_number(const cJSON *object, const char *key, double otherwise);
uint64_t app_json_get_integer(const cJSON *object, const char *key);
bool app_json_get_bool(const cJSON *object, const char *key);

// False: the member is no list of `count`, and out_values is as it was.
bool app_json_get_vector(const cJSON *object, const char *key, float *out_values, int count);

// Returns false when memory runs out, and out_value is null.
bool app_value_from_json(ScriptValue *out_value, const cJSON *json);

// Returns NULL when memory runs out.
cJSON *app_value_to_json(const ScriptValue *value);
