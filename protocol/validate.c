// Checking params against the method's table. Nothing is read from params that did not pass here.
#include "validate.h"

#include "describe.h"
#include "utf8.h"

#include <string.h>

enum { MOST_FIELDS = 32 };

static bool check_fabric_target(const cJSON *params, ProtocolError *out_error);
static bool reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                           const char *path, ProtocolError *out_error);

bool protocol_validate_params(const ProtocolMethod *method, const cJSON *params, ProtocolError *out_error) {
    if (params != NULL && !cJSON_IsObject(params)) {
        protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, "params",
                           "params must be an object: parameters go by name, not by position");
        return false;
    }
    return protocol_check_fields(method->name, method->params, method->param_count, params, "params",
                                 out_error) &&
           (!method->targets_fabric || check_fabric_target(params, out_error));
}

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
        if (param == NULL) return reject_unknown(owner, table, count, item->string, field_path, out_error);
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

static const char *nearest_choice(const ProtocolParam *param, const cJSON *value) {
    if (param->type != PROTOCOL_TYPE_ENUM || !cJSON_IsString(value)) return NULL;
    size_t count = 0;
    while (param->choices[count] != NULL) ++count;
    return protocol_nearest_name(value->valuestring, param->choices, count);
}

bool protocol_reject_value(const ProtocolParam *param, const cJSON *value, const char *path,
                           ProtocolError *out_error) {
    ProtocolText text;
    protocol_text_init(&text);
    protocol_text_append_string(&text, value == NULL ? " is missing: it must be " : " must be ");
    protocol_describe_expected(&text, param);
    if (value != NULL && !param->secret) {
        protocol_text_append_string(&text, ", not ");
        protocol_describe_found(&text, value);
    }
    const char *near = nearest_choice(param, value);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s%.*s%s%s%s", path, (int)text.length,
                       text.length == 0 ? "" : text.bytes, near == NULL ? "" : "; did you mean \"",
                       near == NULL ? "" : near, near == NULL ? "" : "\"?");
    protocol_text_finish(&text);
    return false;
}

void protocol_join_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, const char *name) {
    size_t length = strlen(name);
    if (length > PROTOCOL_NAME_BYTES) length = protocol_utf8_cut(name, PROTOCOL_NAME_BYTES);
    // Not by snprintf: each field of each request has its path joined.
    size_t at = strlen(path), most = PROTOCOL_ERROR_PATH_BYTES - 2;
    if (at > most) at = most;
    if (length > most - at) length = most - at;
    memmove(out, path, at);
    out[at] = '.';
    memcpy(out + at + 1, name, length);
    out[at + 1 + length] = '\0';
}

static bool reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                           const char *path, ProtocolError *out_error) {
    const char *names[MOST_FIELDS];
    for (size_t i = 0; i < count; ++i) names[i] = table[i].name;
    const char *near = protocol_nearest_name(name, names, count);
    ProtocolText text;
    protocol_text_init(&text);
    protocol_describe_string(&text, name);
    if (near != NULL) {
        protocol_text_append_string(&text, "; did you mean ");
        protocol_text_append_quoted(&text, near);
        protocol_text_append_char(&text, '?');
    } else {
        protocol_text_append_string(&text, count == 0 ? "; it takes none" : "; it takes ");
        for (size_t i = 0; i < count; ++i) {
            if (i > 0) protocol_text_append_string(&text, i + 1 == count ? " and " : ", ");
            protocol_text_append_string(&text, names[i]);
        }
    }
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s has no parameter %.*s", owner,
                       (int)text.length, text.length == 0 ? "" : text.bytes);
    protocol_text_finish(&text);
    return false;
}

// Either `fabric`, or both `character` and `garment`.
static bool check_fabric_target(const cJSON *params, ProtocolError *out_error) {
    static const char *const names[] = {"fabric", "character", "garment"};
    bool given[3];
    for (int i = 0; i < 3; ++i) given[i] = cJSON_GetObjectItemCaseSensitive(params, names[i]) != NULL;
    if (given[0] ? !given[1] && !given[2] : given[1] && given[2]) return true;

    const char *wrong = given[0] ? names[given[1] ? 1 : 2] : names[given[1] ? 2 : given[2] ? 1 : 0];
    char path[PROTOCOL_ERROR_PATH_BYTES];
    protocol_join_path(path, "params", wrong);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path,
                       "%s %s: give either fabric, or character and garment", path,
                       given[0] ? "cannot stand beside fabric" : "is missing");
    return false;
}
