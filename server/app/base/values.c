// Two trees of the same shape. Of a key that JSON gives twice the later value counts. Both are bounded in
// depth: JSON by protocol (64), values from Lua by script.
#include "base/values.h"

#include <string.h>

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
