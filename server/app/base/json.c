// Building and converting trees.
#include "base/json.h"

#include "base/safe_text.h"

#include <stdio.h>
#include <string.h>
#include <text/number.h>

cJSON *app_json_root_object(AppJson *json) {
    cJSON *root = cJSON_CreateObject();
    json->failed |= !root;
    return root;
}

cJSON *app_json_root_list(AppJson *json) {
    cJSON *root = cJSON_CreateArray();
    json->failed |= !root;
    return root;
}

cJSON *app_json_item(AppJson *json, cJSON *parent, const char *key, cJSON *item) {
    const bool added = item && parent &&
                       (key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item));
    if (added) return item;
    json->failed = true;
    cJSON_Delete(item);
    return NULL;
}

void app_json_set(cJSON *object, const char *key, cJSON *item) {
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddItemToObject(object, key, item);
}

cJSON *app_json_object(AppJson *json, cJSON *parent, const char *key) {
    return app_json_item(json, parent, key, cJSON_CreateObject());
}

cJSON *app_json_list(AppJson *json, cJSON *parent, const char *key) {
    return app_json_item(json, parent, key, cJSON_CreateArray());
}

void app_json_string(AppJson *json, cJSON *parent, const char *key, const char *value) {
    app_json_item(json, parent, key, cJSON_CreateString(value));
}

void app_json_number(AppJson *json, cJSON *parent, const char *key, double value) {
    app_json_item(json, parent, key, cJSON_CreateNumber(value));
}

void app_json_integer(AppJson *json, cJSON *parent, const char *key, uint64_t value) {
    app_json_number(json, parent, key, (double)value);
}

void app_json_bool(AppJson *json, cJSON *parent, const char *key, bool value) {
    app_json_item(json, parent, key, cJSON_CreateBool(value));
}

void app_json_float(AppJson *json, cJSON *parent, const char *key, float value) {
    app_json_number(json, parent, key, text_double_from_float(value));
}

void app_json_vector(AppJson *json, cJSON *parent, const char *key, const float *values, size_t count) {
    cJSON *list = app_json_list(json, parent, key);
    for (size_t i = 0; i < count; i++) app_json_float(json, list, NULL, values[i]);
}

void app_json_print(const AppJson *json, cJSON *root) {
    char *text = json->failed ? NULL : cJSON_PrintUnformatted(root);
    if (text) app_print_safe_json(stdout, text);
    if (text)
        fputc('\n', stdout);
    else
        fprintf(stderr, "tweed: out of memory\n");
    cJSON_free(text);
    cJSON_Delete(root);
}

const char *app_json_get_text(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

double app_json_get_number(const cJSON *object, const char *key, double otherwise) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(number) ? number->valuedouble : otherwise;
}

uint64_t app_json_get_integer(const cJSON *object, const char *key) {
    const double number = app_json_get_number(object, key, 0);
    return number > 0 ? (uint64_t)number : 0;
}

bool app_json_get_bool(const cJSON *object, const char *key) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

bool app_json_get_vector(const cJSON *object, const char *key, float *out_values, int count) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
    if (cJSON_GetArraySize(list) != count) return false;
    for (int i = 0; i < count; i++) out_values[i] = (float)cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
    return true;
}

bool app_value_from_json(ScriptValue *out_value, const cJSON *json) {
    *out_value = SCRIPT_NULL;
    if (cJSON_IsBool(json)) *out_value = script_value_boolean(cJSON_IsTrue(json));
    if (cJSON_IsNumber(json)) *out_value = script_value_number(json->valuedouble);
    if (cJSON_IsString(json))
        return script_value_string(out_value, json->valuestring, strlen(json->valuestring));
    if (!cJSON_IsArray(json) && !cJSON_IsObject(json)) return true;
    *out_value = cJSON_IsArray(json) ? script_value_list() : script_value_table();
    for (const cJSON *item = json->child; item; item = item->next) {
        ScriptValue value;
        if (!app_value_from_json(&value, item) ||
            !(cJSON_IsArray(json) ? script_value_append(out_value, value)
                                  : script_value_add(out_value, item->string, value))) {
            script_value_finish(out_value);
            return false;
        }
    }
    return true;
}

cJSON *app_value_to_json(const ScriptValue *value) {
    cJSON *json = NULL;
    switch (value->kind) {
    case SCRIPT_VALUE_NULL:
        return cJSON_CreateNull();
    case SCRIPT_VALUE_BOOLEAN:
        return cJSON_CreateBool(value->boolean);
    case SCRIPT_VALUE_NUMBER:
        return cJSON_CreateNumber(value->number);
    case SCRIPT_VALUE_STRING:
        return cJSON_CreateString(value->string);
    case SCRIPT_VALUE_LIST:
        json = cJSON_CreateArray();
        break;
    case SCRIPT_VALUE_TABLE:
        json = cJSON_CreateObject();
        break;
    }
    bool complete = json != NULL;
    for (size_t i = 0; complete && i < value->count; i++) {
        const bool is_list = value->kind == SCRIPT_VALUE_LIST;
        cJSON *item = app_value_to_json(is_list ? &value->items[i] : &value->fields[i].value);
        complete = item && (is_list ? cJSON_AddItemToArray(json, item)
                                    : cJSON_AddItemToObject(json, value->fields[i].key, item));
        if (!complete) cJSON_Delete(item);
    }
    if (complete) return json;
    cJSON_Delete(json);
    return NULL;
}
