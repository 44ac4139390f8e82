// A cJSON tree as text: cJSON's own printer writes floats with 17 digits, and follows the locale.
#include "protocol/reply.h"

static void write_members(TextBuffer *text, const cJSON *container);

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
    } else { // no tree, since memory ran out while it was built
        text->failed = true;
    }
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
