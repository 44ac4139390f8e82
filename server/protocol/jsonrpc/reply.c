// Lines out: replies, batches of replies, notifications.
#include "protocol/reply.h"

#include <math.h>
#include <string.h>

static void begin_message(TextBuffer *text, const char *id);
static void write_members(TextBuffer *text, const cJSON *container);

void protocol_write_result(TextBuffer *text, const char *id, const cJSON *result) {
    begin_message(text, id);
    text_buffer_append_string(text, ",\"result\":");
    protocol_write_json(text, result);
    text_buffer_append_string(text, "}\n");
}

void protocol_write_result_text(TextBuffer *text, const char *id, const char *json, size_t length) {
    begin_message(text, id);
    text_buffer_append_string(text, ",\"result\":");
    text_buffer_append(text, json, length);
    text_buffer_append_string(text, "}\n");
}

void protocol_write_result_tick(TextBuffer *text, const char *id, uint64_t tick) {
    begin_message(text, id);
    text_buffer_append_string(text, ",\"result\":{\"tick\":");
    text_buffer_append_integer(text, (int64_t)tick);
    text_buffer_append_string(text, "}}\n");
}

void protocol_write_error(TextBuffer *text, const char *id, const ProtocolError *error) {
    begin_message(text, id);
    text_buffer_append_string(text, ",\"error\":{\"code\":");
    text_buffer_append_integer(text, error->code);
    text_buffer_append_string(text, ",\"message\":");
    text_buffer_append_quoted(text, error->message);
    bool has_path = error->path[0] != '\0', has_traceback = error->traceback;
    if (has_path || has_traceback) text_buffer_append_string(text, ",\"data\":{");
    if (has_path) {
        text_buffer_append_string(text, "\"path\":");
        text_buffer_append_quoted(text, error->path);
    }
    if (has_traceback) {
        text_buffer_append_string(text, has_path ? ",\"traceback\":" : "\"traceback\":");
        text_buffer_append_quoted(text, error->traceback);
    }
    text_buffer_append_string(text, has_path || has_traceback ? "}}}\n" : "}}\n");
}

void protocol_write_forwarded(TextBuffer *text, const char *id, const char *line, size_t length) {
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":null";
    const size_t skipped = sizeof head - 1;
    if (length <= skipped || memcmp(line, head, skipped) != 0) {
        text->failed = true;
        return;
    }
    begin_message(text, id);
    text_buffer_append(text, line + skipped, length - skipped);
}

void protocol_write_request(TextBuffer *text, const char *id, const char *method, const char *params) {
    begin_message(text, id);
    text_buffer_append_string(text, ",\"method\":");
    text_buffer_append_quoted(text, method);
    if (params) text_buffer_append_string(text, ",\"params\":");
    if (params) text_buffer_append_string(text, params);
    text_buffer_append_string(text, "}\n");
}

void protocol_write_notification(TextBuffer *text, const char *method, const cJSON *params) {
    text_buffer_append_string(text, "{\"jsonrpc\":\"2.0\",\"method\":");
    text_buffer_append_quoted(text, method);
    text_buffer_append_string(text, ",\"params\":");
    protocol_write_json(text, params);
    text_buffer_append_string(text, "}\n");
}

void protocol_batch_add(TextBuffer *batch, const TextBuffer *reply) {
    if (reply->failed || reply->length == 0) {
        batch->failed = batch->failed || reply->failed;
        return;
    }
    text_buffer_append_char(batch, batch->length == 0 ? '[' : ',');
    text_buffer_append(batch, reply->bytes, reply->length - 1);
}

void protocol_batch_end(TextBuffer *batch) {
    if (batch->length > 0) text_buffer_append_string(batch, "]\n");
}

// cJSON's own printer writes floats with 17 digits, and follows the locale.
void protocol_write_json(TextBuffer *text, const cJSON *json) {
    if (cJSON_IsObject(json) || cJSON_IsArray(json)) {
        text_buffer_append_char(text, cJSON_IsObject(json) ? '{' : '[');
        write_members(text, json);
        text_buffer_append_char(text, cJSON_IsObject(json) ? '}' : ']');
    } else if (cJSON_IsString(json)) {
        text_buffer_append_quoted(text, json->valuestring);
    } else if (cJSON_IsNumber(json)) {
        text_buffer_append_double(text, json->valuedouble);
    } else if (cJSON_IsBool(json)) {
        text_buffer_append_string(text, cJSON_IsTrue(json) ? "true" : "false");
    } else if (cJSON_IsRaw(json)) {
        text_buffer_append_string(text, json->valuestring);
    } else if (cJSON_IsNull(json)) {
        text_buffer_append_string(text, "null");
    } else { // NULL: memory ran out while the tree was built
        text->failed = true;
    }
}

bool protocol_json_is_finite(const cJSON *json) {
    bool is_finite = !cJSON_IsNumber(json) || isfinite(json->valuedouble);
    for (const cJSON *item = json ? json->child : NULL; item && is_finite; item = item->next)
        is_finite = protocol_json_is_finite(item);
    return is_finite;
}

static void begin_message(TextBuffer *text, const char *id) {
    text_buffer_append_string(text, "{\"jsonrpc\":\"2.0\",\"id\":");
    text_buffer_append_string(text, id ? id : "null");
}

static void write_members(TextBuffer *text, const cJSON *container) {
    const cJSON *item;
    cJSON_ArrayForEach(item, container) {
        if (item != container->child) text_buffer_append_char(text, ',');
        if (cJSON_IsObject(container)) {
            text_buffer_append_quoted(text, item->string);
            text_buffer_append_char(text, ':');
        }
        protocol_write_json(text, item);
    }
}
