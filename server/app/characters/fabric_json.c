// Fabrics as JSON and from JSON.
#include "characters/fabrics.h"

#include <protocol/methods.h>
#include <string.h>
#include <text/number.h>

#define MAX_FIELDS 64 // bits of AppOverride.fields

static size_t list_params(const char *group, ProtocolParam params[MAX_FIELDS]);
static void put_fields(AppJson *json, cJSON *parent, const char *group, const SimFabric *fabric);

bool app_fabrics_read(const cJSON *json, AppOverride *out_values, ProtocolError *out_error) {
    ProtocolParam params[MAX_FIELDS + 2], edge[MAX_FIELDS], spring[MAX_FIELDS];
    size_t param_count = list_params("", params);
    params[param_count++] = (ProtocolParam){.name = "edge",
                                            .type = PROTOCOL_TYPE_OBJECT,
                                            .fields = edge,
                                            .field_count = list_params("edge", edge)};
    params[param_count++] = (ProtocolParam){.name = "spring",
                                            .type = PROTOCOL_TYPE_OBJECT,
                                            .fields = spring,
                                            .field_count = list_params("spring", spring)};
    *out_values = (AppOverride){.values = sim_default_fabric()};
    if (!protocol_validate_fields(params, param_count, json, "params.values", out_error)) return false;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        const cJSON *group =
            fields[i].group[0] ? cJSON_GetObjectItemCaseSensitive(json, fields[i].group) : json;
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(group, fields[i].name);
        if (!number) continue;
        sim_fabric_set(&out_values->values, &fields[i], (float)number->valuedouble);
        out_values->fields |= UINT64_C(1) << i;
    }
    return true;
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

void app_fabrics_put_overrides(AppJson *json, cJSON *parent, const AppCharacters *characters,
                               const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    cJSON *garments = app_json_object(json, parent, "garments");
    for (int i = 0; i < rig->garment_count; i++)
        if (character->overrides[i].fields != 0)
            app_fabrics_put_values(json, garments, rig->garments[i].name, &character->overrides[i]);
}

// Writes the fields of that group; returns how many.
static size_t list_params(const char *group, ProtocolParam params[MAX_FIELDS]) {
    int count;
    size_t listed = 0;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].group, group) != 0) continue;
        params[listed++] = (ProtocolParam){.name = fields[i].name,
                                           .type = PROTOCOL_TYPE_NUMBER,
                                           .minimum = text_double_from_float(fields[i].minimum),
                                           .maximum = text_double_from_float(fields[i].maximum),
                                           .unit = fields[i].unit[0] ? fields[i].unit : NULL};
    }
    return listed;
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
