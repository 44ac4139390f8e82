// Checking one value of each type, and the fields of objects, which are values.
#include "methods/describe.h"
#include "methods/validate.h"
#include "protocol/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <text/glob.h>

static const double shortest_quaternion = 1e-3;

static bool is_right(const ProtocolParam *param, const cJSON *value);
static bool check_vector(const ProtocolParam *param, const cJSON *value, int count, const char *path,
                         ProtocolError *out_error);
static bool check_list(const ProtocolParam *param, const cJSON *value, const char *path,
                       ProtocolError *out_error);
static bool check_map(const ProtocolParam *param, const cJSON *value, const char *path,
                      ProtocolError *out_error);
static bool check_groups(const ProtocolParam *param, const cJSON *value, const char *path,
                         bool may_hold_groups, ProtocolError *out_error);
static bool check_finite(const cJSON *value, const char *path, ProtocolError *out_error);

bool protocol_check_value(const ProtocolParam *param, const cJSON *value, const char *path,
                          ProtocolError *out_error) {
    bool right = false;
    switch (param->type) {
    case PROTOCOL_TYPE_VEC3:
        return check_vector(param, value, 3, path, out_error);
    case PROTOCOL_TYPE_QUATERNION:
        return check_vector(param, value, 4, path, out_error);
    case PROTOCOL_TYPE_ENUM_LIST:
    case PROTOCOL_TYPE_PATTERN_LIST:
    case PROTOCOL_TYPE_NAME_LIST:
        return check_list(param, value, path, out_error);
    case PROTOCOL_TYPE_MAP:
        return check_map(param, value, path, out_error);
    case PROTOCOL_TYPE_VALUES:
        return check_groups(param, value, path, true, out_error);
    case PROTOCOL_TYPE_OBJECT:
        if (!cJSON_IsObject(value)) break;
        return protocol_check_fields(path, param->fields, param->field_count, value, path, out_error);
    case PROTOCOL_TYPE_TABLE:
        if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) break;
        return check_finite(value, path, out_error);
    default:
        right = is_right(param, value);
        break;
    }
    return right || protocol_reject_value(param, value, path, out_error);
}

static bool is_string_of(const cJSON *value, double least, double most) {
    if (!cJSON_IsString(value)) return false;
    double length = (double)strlen(value->valuestring);
    return length >= least && length <= most;
}

static bool is_in_range(const ProtocolParam *param, const cJSON *value) {
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble)) return false;
    if (param->minimum == param->maximum) return true;
    return value->valuedouble >= param->minimum && value->valuedouble <= param->maximum;
}

static bool is_choice(const ProtocolParam *param, const cJSON *value) {
    if (!cJSON_IsString(value)) return false;
    for (const char *const *choice = param->choices; *choice != NULL; ++choice) {
        if (strcmp(*choice, value->valuestring) == 0) return true;
    }
    return false;
}

static bool is_name(const char *text) {
    const size_t length = strlen(text);
    return length >= 1 && length <= PROTOCOL_NAME_BYTES && strpbrk(text, "*?[") == NULL;
}

static bool is_right(const ProtocolParam *param, const cJSON *value) {
    switch (param->type) {
    case PROTOCOL_TYPE_NAME:
        return cJSON_IsString(value) && is_name(value->valuestring);
    case PROTOCOL_TYPE_STRING:
        return is_string_of(value, param->minimum, param->maximum);
    case PROTOCOL_TYPE_BOOL:
        return cJSON_IsBool(value);
    case PROTOCOL_TYPE_INTEGER:
        return is_in_range(param, value) && value->valuedouble == floor(value->valuedouble);
    case PROTOCOL_TYPE_NUMBER:
        return is_in_range(param, value);
    case PROTOCOL_TYPE_NUMBER_OR_FALSE:
        return cJSON_IsFalse(value) || is_in_range(param, value);
    case PROTOCOL_TYPE_ENUM:
        return is_choice(param, value);
    case PROTOCOL_TYPE_PATTERN:
        return is_string_of(value, 1, PROTOCOL_NAME_BYTES) && text_glob_is_valid(value->valuestring);
    default:
        return false;
    }
}

static void index_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, int index) {
    snprintf(out, PROTOCOL_ERROR_PATH_BYTES, "%s[%d]", path, index);
}

static bool check_vector(const ProtocolParam *param, const cJSON *value, int count, const char *path,
                         ProtocolError *out_error) {
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != count) {
        return protocol_reject_value(param, value, path, out_error);
    }
    ProtocolParam number = *param;
    number.type = PROTOCOL_TYPE_NUMBER;
    double squares = 0;
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) { // hundreds in a pose: their paths are written where one is wrong
        if (!is_in_range(&number, item)) {
            char item_path[PROTOCOL_ERROR_PATH_BYTES];
            index_path(item_path, path, index);
            return protocol_reject_value(&number, item, item_path, out_error);
        }
        squares += item->valuedouble * item->valuedouble;
        ++index;
    }
    if (count == 3 || sqrt(squares) >= shortest_quaternion) return true;
    protocol_error_set(
        out_error, PROTOCOL_INVALID_PARAMS, path,
        "%s must be a quaternion of length at least 0.001: this one is too short to be a rotation", path);
    return false;
}

static bool check_list(const ProtocolParam *param, const cJSON *value, const char *path,
                       ProtocolError *out_error) {
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) > PROTOCOL_MAX_PATTERNS) {
        return protocol_reject_value(param, value, path, out_error);
    }
    ProtocolParam entry = *param;
    entry.type = param->type == PROTOCOL_TYPE_ENUM_LIST   ? PROTOCOL_TYPE_ENUM
                 : param->type == PROTOCOL_TYPE_NAME_LIST ? PROTOCOL_TYPE_NAME
                                                          : PROTOCOL_TYPE_PATTERN;
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        index_path(item_path, path, index++);
        if (!protocol_check_value(&entry, item, item_path, out_error)) return false;
    }
    return true;
}

// That no name is given twice is for those to see who look the names up: there may be thousands.
static bool check_map(const ProtocolParam *param, const cJSON *value, const char *path,
                      ProtocolError *out_error) {
    if (!cJSON_IsObject(value)) return protocol_reject_value(param, value, path, out_error);
    ProtocolParam entry = *param;
    entry.type = PROTOCOL_TYPE_OBJECT;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        protocol_join_path(item_path, path, item->string);
        if (!is_name(item->string)) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, item_path,
                               "%s is under no name: names are 1 to 64 bytes without * ? [", item_path);
            return false;
        }
        if (!protocol_check_value(&entry, item, item_path, out_error)) return false;
    }
    return true;
}

// {KEY: number, GROUP: {KEY: number}}; which keys there are the fabric knows.
static bool check_groups(const ProtocolParam *param, const cJSON *value, const char *path,
                         bool may_hold_groups, ProtocolError *out_error) {
    static const ProtocolParam number = {.type = PROTOCOL_TYPE_NUMBER};
    if (!cJSON_IsObject(value)) return protocol_reject_value(param, value, path, out_error);
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        protocol_join_path(item_path, path, item->string);
        bool is_right = may_hold_groups && cJSON_IsObject(item)
                            ? check_groups(param, item, item_path, false, out_error)
                            : protocol_check_value(&number, item, item_path, out_error);
        if (!is_right) return false;
    }
    return true;
}

// Every number in there; strings, bools and null are as they are. No deeper than a message may be.
static bool check_finite(const cJSON *value, const char *path, ProtocolError *out_error) {
    static const ProtocolParam number = {.type = PROTOCOL_TYPE_NUMBER};
    if (cJSON_IsNumber(value)) return protocol_check_value(&number, value, path, out_error);
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        if (cJSON_IsObject(value))
            protocol_join_path(item_path, path, item->string);
        else
            index_path(item_path, path, index);
        ++index;
        if (!check_finite(item, item_path, out_error)) return false;
    }
    return true;
}

// Fields
// -----------------------------------------------------------------------------------------------------------

static const ProtocolParam *find_param(const ProtocolParam *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(table[i].name, name) == 0) return &table[i];
    }
    return NULL;
}

bool protocol_check_fields(const char *owner, const ProtocolParam *table, size_t count, const cJSON *object,
                           const char *path, ProtocolError *out_error) {
    char field_path[PROTOCOL_ERROR_PATH_BYTES];
    const cJSON *item;
    cJSON_ArrayForEach(item, object) {
        protocol_join_path(field_path, path, item->string);
        const ProtocolParam *param = find_param(table, count, item->string);
        if (param == NULL)
            return protocol_reject_unknown(owner, table, count, item->string, field_path, out_error);
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, field_path, "%s is given twice",
                               field_path);
            return false;
        }
        if (!protocol_check_value(param, item, field_path, out_error)) return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!table[i].required || cJSON_GetObjectItemCaseSensitive(object, table[i].name) != NULL) continue;
        protocol_join_path(field_path, path, table[i].name);
        return protocol_reject_value(&table[i], NULL, field_path, out_error);
    }
    return true;
}
