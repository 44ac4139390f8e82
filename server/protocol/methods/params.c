// Reading params that were validated: the value given, or the table's default.
#include "protocol/methods.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const ProtocolParam *find(ProtocolParams params, const char *name);
static bool read_numbers(ProtocolParams params, const char *name, double *out, int count);

ProtocolParams protocol_params(const ProtocolMethod *method, const cJSON *params) {
    return (ProtocolParams){method->params, method->param_count, params};
}

const cJSON *protocol_param_json(ProtocolParams params, const char *name) {
    find(params, name);
    return params.object ? cJSON_GetObjectItemCaseSensitive(params.object, name) : NULL;
}

bool protocol_param_given(ProtocolParams params, const char *name) {
    return protocol_param_json(params, name);
}

bool protocol_param_bool(ProtocolParams params, const char *name) {
    const cJSON *value = protocol_param_json(params, name);
    return value ? cJSON_IsTrue(value) : find(params, name)->default_number != 0;
}

int64_t protocol_param_integer(ProtocolParams params, const char *name) {
    return (int64_t)protocol_param_number(params, name);
}

double protocol_param_number(ProtocolParams params, const char *name) {
    const cJSON *value = protocol_param_json(params, name);
    return value ? value->valuedouble : find(params, name)->default_number;
}

const char *protocol_param_string(ProtocolParams params, const char *name) {
    const cJSON *value = protocol_param_json(params, name);
    return value ? value->valuestring : find(params, name)->default_text;
}

int protocol_param_choice(ProtocolParams params, const char *name) {
    const char *chosen = protocol_param_string(params, name);
    if (!chosen) return -1;
    const char *const *choices = find(params, name)->choices;
    int index = 0;
    while (strcmp(choices[index], chosen) != 0) index++;
    return index;
}

bool protocol_param_vec3(ProtocolParams params, const char *name, float out[3]) {
    double numbers[3];
    if (!read_numbers(params, name, numbers, 3)) return false;
    for (int i = 0; i < 3; i++) out[i] = (float)numbers[i];
    return true;
}

bool protocol_param_quaternion(ProtocolParams params, const char *name, float out[4]) {
    double numbers[4], squares = 0;
    if (!read_numbers(params, name, numbers, 4)) return false;
    for (int i = 0; i < 4; i++) squares += numbers[i] * numbers[i];
    for (int i = 0; i < 4; i++) out[i] = (float)(numbers[i] / sqrt(squares));
    return true;
}

bool protocol_param_number_or_false(ProtocolParams params, const char *name, double *out_number) {
    const cJSON *value = protocol_param_json(params, name);
    bool is_number = cJSON_IsNumber(value);
    *out_number = is_number ? value->valuedouble : 0;
    return is_number;
}

ProtocolParams protocol_param_entry(ProtocolParams params, const char *name, const cJSON *entry) {
    const ProtocolParam *param = find(params, name);
    return (ProtocolParams){param->fields, param->field_count, entry};
}

ProtocolParams protocol_param_fields(ProtocolParams params, const char *name) {
    const ProtocolParam *param = find(params, name);
    return (ProtocolParams){param->fields, param->field_count, protocol_param_json(params, name)};
}

// Asserts that the table has it: a misspelt name would silently give nothing.
static const ProtocolParam *find(ProtocolParams params, const char *name) {
    for (size_t i = 0; i < params.table_count; i++) {
        if (strcmp(params.table[i].name, name) == 0) return &params.table[i];
    }
    assert(false && "the table has no such parameter");
    return NULL;
}

static bool read_numbers(ProtocolParams params, const char *name, double *out, int count) {
    const cJSON *value = protocol_param_json(params, name);
    if (!value) return false;
    const cJSON *item = value->child;
    for (int i = 0; i < count; i++, item = item->next) out[i] = item->valuedouble;
    return true;
}
