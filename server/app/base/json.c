// cJSON's Add functions, with a memory for failure.
#include "base/json.h"

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
