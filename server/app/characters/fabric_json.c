// Fabrics as JSON and from JSON.
#include "characters/fabrics.h"

#include <math.h>
#include <protocol/methods.h>
#include <stdio.h>
#include <string.h>
#include <text/nearest.h>
#include <text/number.h>

#define MAX_FIELDS 64 // bits of AppOverride.fields

static bool read_group(const cJSON *json, const char *group, AppOverride *out_values,
                       ProtocolError *out_error);
static bool read_field(const cJSON *item, const char *path, const SimFabricField *field, int index,
                       AppOverride *out_values, ProtocolError *out_error);
static void unknown_key(const char *group, const char *key, const char *path, ProtocolError *out_error);
static void put_fields(AppJson *json, cJSON *parent, const char *group, const SimFabric *fabric);

bool app_fabrics_read(const cJSON *json, AppOverride *out_values, ProtocolError *out_error) {
    *out_values = (AppOverride){.values = sim_default_fabric()};
    return read_group(json, "", out_values, out_error);
}

cJSON *app_fabrics_describe(AppJson *json, const SimFabric *fabric) {
    cJSON *root = app_json_root_object(json);
    put_fields(json, app_json_object(json, root, "values"), "", fabric);
    put_fields(json, app_json_object(json, root, "edge"), "edge", fabric);
    put_fields(json, app_json_object(json, root, "spring"), "spring", fabric);
    return root;
}

void app_fabrics_put_values(AppJson *json, cJSON *parent, const char *key, const AppOverride *values) {
    cJSON *root = app_json_object(json, parent, key);
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        if (!(values->fields >> i & 1)) continue;
        cJSON *group = root;
        if (fields[i].group[0]) {
            group = cJSON_GetObjectItemCaseSensitive(root, fields[i].group);
            if (!group) group = app_json_object(json, root, fields[i].group);
        }
        app_json_float(json, group, fields[i].name, sim_fabric_get(&values->values, &fields[i]));
    }
}

static bool read_group(const cJSON *json, const char *group, AppOverride *out_values,
                       ProtocolError *out_error) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (const cJSON *item = json->child; item; item = item->next) {
        char path[PROTOCOL_ERROR_PATH_BYTES];
        snprintf(path, sizeof path, "params.values.%s%s%.64s", group, group[0] ? "." : "", item->string);
        if (cJSON_GetObjectItemCaseSensitive(json, item->string) != item) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s is given twice", path);
            return false;
        }
        int field = 0;
        bool is_group = false;
        for (; field < count; field++) {
            is_group |= !group[0] && fields[field].group[0] && strcmp(fields[field].group, item->string) == 0;
            if (strcmp(fields[field].group, group) == 0 && strcmp(fields[field].name, item->string) == 0)
                break;
        }
        if (field < count) {
            if (!read_field(item, path, &fields[field], field, out_values, out_error)) return false;
        } else if (is_group && cJSON_IsObject(item)) {
            if (!read_group(item, item->string, out_values, out_error)) return false;
        } else if (is_group) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path,
                               "expected an object of numbers, found %.9g", item->valuedouble);
            return false;
        } else {
            unknown_key(group, item->string, path, out_error);
            return false;
        }
    }
    return true;
}

static bool read_field(const cJSON *item, const char *path, const SimFabricField *field, int index,
                       AppOverride *out_values, ProtocolError *out_error) {
    const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    const double minimum = text_double_from_float(field->minimum);
    const double maximum = text_double_from_float(field->maximum);
    if (value >= minimum && value <= maximum) {
        sim_fabric_set(&out_values->values, field, (float)value);
        out_values->fields |= UINT64_C(1) << index;
        return true;
    }
    char found[32] = "an object";
    if (cJSON_IsNumber(item)) snprintf(found, sizeof found, "%.9g", value);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "expected %.9g to %.9g%s%s, found %s",
                       minimum, maximum, field->unit[0] ? " " : "", field->unit, found);
    return false;
}

static void unknown_key(const char *group, const char *key, const char *path, ProtocolError *out_error) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    const char *names[MAX_FIELDS + 2] = {0};
    size_t name_count = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].group, group) == 0) names[name_count++] = fields[i].name;
    if (!group[0]) {
        names[name_count++] = "edge";
        names[name_count++] = "spring";
    }
    const TextNearest nearest = text_nearest_of(key, names, name_count);
    char hint[TEXT_HINT_SIZE];
    text_nearest_hint(&nearest, hint, sizeof hint);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "no value \"%.64s\"%s", key, hint);
}

static void put_fields(AppJson *json, cJSON *parent, const char *group, const SimFabric *fabric) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].group, group) != 0) continue;
        cJSON *field = app_json_object(json, parent, fields[i].name);
        app_json_float(json, field, "value", sim_fabric_get(fabric, &fields[i]));
        app_json_string(json, field, "unit", fields[i].unit);
        app_json_float(json, field, "minimum", fields[i].minimum);
        app_json_float(json, field, "maximum", fields[i].maximum);
        app_json_float(json, field, "default", fields[i].default_value);
    }
}
