// Errors of params that did not pass.
#include "methods/describe.h"
#include "methods/validate.h"

#include <string.h>
#include <text/nearest.h>
#include <text/utf8.h>

enum { MOST_FIELDS = 32 };

static const char *nearest_choice(const ProtocolParam *param, const cJSON *value) {
    if (param->type != PROTOCOL_TYPE_ENUM || !cJSON_IsString(value)) return NULL;
    size_t count = 0;
    while (param->choices[count] != NULL) ++count;
    return text_nearest_name(value->valuestring, param->choices, count);
}

bool protocol_reject_value(const ProtocolParam *param, const cJSON *value, const char *path,
                           ProtocolError *out_error) {
    TextBuffer text;
    text_buffer_init(&text);
    text_buffer_append_string(&text, value == NULL ? " is missing: it must be " : " must be ");
    protocol_describe_expected(&text, param);
    if (value != NULL && !param->secret) {
        text_buffer_append_string(&text, ", not ");
        protocol_describe_found(&text, value);
    }
    const char *near = nearest_choice(param, value);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s%.*s%s%s%s", path, (int)text.length,
                       text.length == 0 ? "" : text.bytes, near == NULL ? "" : "; did you mean \"",
                       near == NULL ? "" : near, near == NULL ? "" : "\"?");
    text_buffer_finish(&text);
    return false;
}

bool protocol_reject_unknown(const char *owner, const ProtocolParam *table, size_t count, const char *name,
                             const char *path, ProtocolError *out_error) {
    const char *names[MOST_FIELDS] = {NULL};
    for (size_t i = 0; i < count; ++i) names[i] = table[i].name;
    const char *near = text_nearest_name(name, names, count);
    TextBuffer text;
    text_buffer_init(&text);
    text_buffer_append_excerpt(&text, name);
    if (near != NULL) {
        text_buffer_append_string(&text, "; did you mean ");
        text_buffer_append_quoted(&text, near);
        text_buffer_append_char(&text, '?');
    } else {
        text_buffer_append_string(&text, count == 0 ? "; it takes none" : "; it takes ");
        for (size_t i = 0; i < count; ++i) {
            if (i > 0) text_buffer_append_string(&text, i + 1 == count ? " and " : ", ");
            text_buffer_append_string(&text, names[i]);
        }
    }
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s has no parameter %.*s", owner,
                       (int)text.length, text.length == 0 ? "" : text.bytes);
    text_buffer_finish(&text);
    return false;
}

void protocol_join_path(char out[PROTOCOL_ERROR_PATH_BYTES], const char *path, const char *name) {
    size_t length = strlen(name);
    if (length > PROTOCOL_NAME_BYTES) length = text_utf8_cut(name, PROTOCOL_NAME_BYTES);
    // Not by snprintf: each field of each request has its path joined.
    size_t at = strlen(path), most = PROTOCOL_ERROR_PATH_BYTES - 2;
    if (at > most) at = most;
    if (length > most - at) length = most - at;
    memmove(out, path, at);
    out[at] = '.';
    memcpy(out + at + 1, name, length);
    out[at + 1 + length] = '\0';
}
