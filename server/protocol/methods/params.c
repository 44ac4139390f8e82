// Checks params against the method's table, and reads those that passed: the value given, or the table's
// default.
#include "methods/describe.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <text/glob.h>
#include <text/nearest.h>
#include <text/utf8.h>

static const double shortest_quaternion = 1e-3;
static const ProtocolParam any_number = {.type = PROTOCOL_TYPE_NUMBER};

// Each check sets *out_error where it returns false: -32602, what was expected at `path`, what was found.
static bool check_fabric_target(const cJSON *params, ProtocolError *out_error);
static bool check_fields(const char *owner, const ProtocolParam *table, size_t count, const cJSON *object,
                         const char *path, ProtocolError *out_error);
static bool check_value(const ProtocolParam *param, const cJSON *value, const char *path,
                        ProtocolError *out_error);
static bool is_right(const ProtocolParam *param, const cJSON *value);
static bool is_in_range(const ProtocolParam *param, const cJSON *value);
static bool check_vector(const ProtocolParam *param, const cJSON *value, int count, const char *path,
                         ProtocolError *out_error);
static bool check_list(const ProtocolParam *param, const cJSON *value, const char *path,
                       ProtocolError *out_error);
static bool check_map(const ProtocolParam *param, const cJSON *value, const char *path,
                      ProtocolError *out_error);
static bool check_groups(const ProtocolParam *param, const cJSON *value, const char *path,
                         bool may_hold_groups, ProtocolError *out_error);
static bool check_finite(const cJSON *value, const char *path, ProtocolError *out_error);
static void join_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, const char *name);
static void index_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, int index);
static bool reject_value(const ProtocolParam *param, const cJSON *value, const char *path,
                         ProtocolError *out_error);
static bool reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                           const char *path, ProtocolError *out_error);

static const ProtocolParam *find(ProtocolParams params, const char *name);
static const ProtocolParam *find_param(const ProtocolParam *table, size_t count, const char *name);
static bool read_numbers(ProtocolParams params, const char *name, double *out, int count);

bool protocol_validate_params(const ProtocolMethod *method, const cJSON *params, ProtocolError *out_error) {
    if (params && !cJSON_IsObject(params)) {
        protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, "params",
                           "params must be an object: parameters go by name, not by position");
        return false;
    }
    return check_fields(method->name, method->params, method->param_count, params, "params", out_error) &&
           (!method->targets_fabric || check_fabric_target(params, out_error));
}

bool protocol_validate_fields(const ProtocolParam *table, size_t count, const cJSON *object, const char *path,
                              ProtocolError *out_error) {
    return check_fields(path, table, count, object, path, out_error);
}

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

// Either `fabric`, or both `character` and `garment`.
static bool check_fabric_target(const cJSON *params, ProtocolError *out_error) {
    static const char *const names[] = {"fabric", "character", "garment"};
    bool given[3];
    for (int i = 0; i < 3; i++) given[i] = cJSON_GetObjectItemCaseSensitive(params, names[i]);
    if (given[0] ? !given[1] && !given[2] : given[1] && given[2]) return true;

    const char *wrong = given[0] ? names[given[1] ? 1 : 2] : names[given[1] ? 2 : given[2] ? 1 : 0];
    char path[PROTOCOL_ERROR_PATH_BYTES];
    join_path(path, "params", wrong);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path,
                       "%s %s: give either fabric, or character and garment", path,
                       given[0] ? "cannot be combined with fabric" : "is missing");
    return false;
}

// `owner` is the name in messages: of the method, or the path of an object.
static bool check_fields(const char *owner, const ProtocolParam *table, size_t count, const cJSON *object,
                         const char *path, ProtocolError *out_error) {
    char field_path[PROTOCOL_ERROR_PATH_BYTES];
    const cJSON *item;
    cJSON_ArrayForEach(item, object) {
        join_path(field_path, path, item->string);
        const ProtocolParam *param = find_param(table, count, item->string);
        if (!param) return reject_unknown(owner, table, count, item->string, field_path, out_error);
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, field_path, "%s is given twice",
                               field_path);
            return false;
        }
        if (!check_value(param, item, field_path, out_error)) return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!table[i].required || cJSON_GetObjectItemCaseSensitive(object, table[i].name)) continue;
        join_path(field_path, path, table[i].name);
        return reject_value(&table[i], NULL, field_path, out_error);
    }
    return true;
}

static bool check_value(const ProtocolParam *param, const cJSON *value, const char *path,
                        ProtocolError *out_error) {
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
        return check_fields(path, param->fields, param->field_count, value, path, out_error);
    case PROTOCOL_TYPE_TABLE:
        if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) break;
        return check_finite(value, path, out_error);
    default:
        if (is_right(param, value)) return true;
        break;
    }
    return reject_value(param, value, path, out_error);
}

static bool is_string_of(const cJSON *value, double least, double most) {
    if (!cJSON_IsString(value)) return false;
    double length = (double)strlen(value->valuestring);
    return length >= least && length <= most;
}

static bool is_choice(const ProtocolParam *param, const cJSON *value) {
    if (!cJSON_IsString(value)) return false;
    for (const char *const *choice = param->choices; *choice; choice++)
        if (strcmp(*choice, value->valuestring) == 0) return true;
    return false;
}

static bool is_right(const ProtocolParam *param, const cJSON *value) {
    switch (param->type) {
    case PROTOCOL_TYPE_NAME:
        return cJSON_IsString(value) && text_is_name(value->valuestring, strlen(value->valuestring));
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
        return is_string_of(value, 1, TEXT_NAME_BYTES) && text_glob_is_valid(value->valuestring);
    default:
        return false;
    }
}

static bool is_in_range(const ProtocolParam *param, const cJSON *value) {
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble)) return false;
    if (param->minimum == param->maximum) return true;
    return value->valuedouble >= param->minimum && value->valuedouble <= param->maximum;
}

static bool check_vector(const ProtocolParam *param, const cJSON *value, int count, const char *path,
                         ProtocolError *out_error) {
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != count)
        return reject_value(param, value, path, out_error);
    ProtocolParam number = *param;
    number.type = PROTOCOL_TYPE_NUMBER;
    double squares = 0;
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) { // a pose has hundreds: a path is written only where one is wrong
        if (!is_in_range(&number, item)) {
            char item_path[PROTOCOL_ERROR_PATH_BYTES];
            index_path(item_path, path, index);
            return reject_value(&number, item, item_path, out_error);
        }
        squares += item->valuedouble * item->valuedouble;
        index++;
    }
    if (count == 3 || sqrt(squares) >= shortest_quaternion) return true;
    protocol_error_set(
        out_error, PROTOCOL_INVALID_PARAMS, path,
        "%s must be a quaternion of length at least 0.001: this one is too short to be a rotation", path);
    return false;
}

static bool check_list(const ProtocolParam *param, const cJSON *value, const char *path,
                       ProtocolError *out_error) {
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) > PROTOCOL_MAX_PATTERNS)
        return reject_value(param, value, path, out_error);
    ProtocolParam entry = *param;
    entry.type = param->type == PROTOCOL_TYPE_ENUM_LIST   ? PROTOCOL_TYPE_ENUM
                 : param->type == PROTOCOL_TYPE_NAME_LIST ? PROTOCOL_TYPE_NAME
                                                          : PROTOCOL_TYPE_PATTERN;
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        index_path(item_path, path, index++);
        if (!check_value(&entry, item, item_path, out_error)) return false;
    }
    return true;
}

// Duplicate names are found where names are looked up, since there may be thousands.
static bool check_map(const ProtocolParam *param, const cJSON *value, const char *path,
                      ProtocolError *out_error) {
    if (!cJSON_IsObject(value)) return reject_value(param, value, path, out_error);
    ProtocolParam entry = *param;
    entry.type = PROTOCOL_TYPE_OBJECT;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        join_path(item_path, path, item->string);
        if (!text_is_name(item->string, strlen(item->string))) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, item_path,
                               "%s: the key is not a valid name (1 to 64 bytes without * ? [)", item_path);
            return false;
        }
        if (!check_value(&entry, item, item_path, out_error)) return false;
    }
    return true;
}

// {KEY: number, GROUP: {KEY: number}}. The fabric checks which keys there are.
static bool check_groups(const ProtocolParam *param, const cJSON *value, const char *path,
                         bool may_hold_groups, ProtocolError *out_error) {
    if (!cJSON_IsObject(value)) return reject_value(param, value, path, out_error);
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        join_path(item_path, path, item->string);
        const bool checked = may_hold_groups && cJSON_IsObject(item)
                                 ? check_groups(param, item, item_path, false, out_error)
                                 : check_value(&any_number, item, item_path, out_error);
        if (!checked) return false;
    }
    return true;
}

// Every number in the value must be finite. Recursion is no deeper than a message may be nested.
static bool check_finite(const cJSON *value, const char *path, ProtocolError *out_error) {
    if (cJSON_IsNumber(value)) return check_value(&any_number, value, path, out_error);
    int index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        char item_path[PROTOCOL_ERROR_PATH_BYTES];
        if (cJSON_IsObject(value))
            join_path(item_path, path, item->string);
        else
            index_path(item_path, path, index);
        index++;
        if (!check_finite(item, item_path, out_error)) return false;
    }
    return true;
}

// path.name, the name cut after 64 bytes; path[""] for an empty name. Not by snprintf: each field of each
// request has its path joined.
static void join_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, const char *name) {
    const bool is_empty = !*name;
    if (is_empty) name = "[\"\"]";
    size_t length = strlen(name);
    if (length > TEXT_NAME_BYTES) length = text_utf8_cut(name, TEXT_NAME_BYTES);
    size_t at = strlen(path), most = PROTOCOL_ERROR_PATH_BYTES - 2;
    if (at > most) at = most;
    if (length > most - at) length = most - at;
    memmove(out, path, at);
    if (!is_empty) out[at++] = '.';
    memcpy(out + at, name, length);
    out[at + length] = '\0';
}

static void index_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, int index) {
    snprintf(out, PROTOCOL_ERROR_PATH_BYTES, "%s[%d]", path, index);
}

// "PATH is missing: it must be …" where `value` is NULL, "PATH must be …, not …" elsewhere. Always false.
static bool reject_value(const ProtocolParam *param, const cJSON *value, const char *path,
                         ProtocolError *out_error) {
    TextBuffer text = {0};
    text_buffer_append_string(&text, value ? " must be " : " is missing: it must be ");
    protocol_describe_expected(&text, param);
    if (value && !param->secret) {
        text_buffer_append_string(&text, ", not ");
        protocol_describe_found(&text, value);
    }
    if (param->type == PROTOCOL_TYPE_ENUM && cJSON_IsString(value)) {
        char hint[TEXT_HINT_SIZE];
        TextNearest nearest = text_nearest_to(value->valuestring);
        for (const char *const *choice = param->choices; *choice; choice++)
            text_nearest_offer(&nearest, *choice);
        text_nearest_hint(&nearest, hint, sizeof hint);
        text_buffer_append_string(&text, hint);
    }
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s%s", path, text_buffer_string(&text));
    text_buffer_finish(&text);
    return false;
}

// "OWNER has no parameter "nam"; did you mean "name"?", or the names that it has. Always false.
static bool reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                           const char *path, ProtocolError *out_error) {
    TextNearest nearest = text_nearest_to(name);
    for (size_t i = 0; i < count; i++) text_nearest_offer(&nearest, table[i].name);
    char hint[TEXT_HINT_SIZE];
    text_nearest_hint(&nearest, hint, sizeof hint);
    TextBuffer text = {0};
    text_buffer_append_excerpt(&text, name);
    text_buffer_append_string(&text, nearest.best ? hint : count == 0 ? "; it takes none" : "; it takes ");
    for (size_t i = 0; i < count && !nearest.best; i++) {
        if (i > 0) text_buffer_append_string(&text, i + 1 == count ? " and " : ", ");
        text_buffer_append_string(&text, table[i].name);
    }
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s has no parameter %s", owner,
                       text_buffer_string(&text));
    text_buffer_finish(&text);
    return false;
}

// Asserts that the table has it: a misspelt name would silently give nothing.
static const ProtocolParam *find(ProtocolParams params, const char *name) {
    const ProtocolParam *param = find_param(params.table, params.table_count, name);
    assert(param && "the table has no such parameter");
    return param;
}

static bool read_numbers(ProtocolParams params, const char *name, double *out, int count) {
    const cJSON *value = protocol_param_json(params, name);
    if (!value) return false;
    const cJSON *item = value->child;
    for (int i = 0; i < count; i++, item = item->next) out[i] = item->valuedouble;
    return true;
}

static const ProtocolParam *find_param(const ProtocolParam *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}
