// A cJSON tree as text: cJSON's own printer writes floats with 17 digits, and follows the locale.
#include "protocol/reply.h"

static void write_members(ProtocolText *text, const cJSON *container);

void protocol_write_json(ProtocolText *text, const cJSON *json) {
    if (cJSON_IsObject(json) || cJSON_IsArray(json)) {
        protocol_text_append_char(text, cJSON_IsObject(json) ? '{' : '[');
        write_members(text, json);
        protocol_text_append_char(text, cJSON_IsObject(json) ? '}' : ']');
    } else if (cJSON_IsString(json)) {
        protocol_text_append_quoted(text, json->valuestring);
    } else if (cJSON_IsNumber(json)) {
        protocol_text_append_double(text, json->valuedouble);
    } else if (cJSON_IsBool(json)) {
        protocol_text_append_string(text, cJSON_IsTrue(json) ? "true" : "false");
    } else if (cJSON_IsRaw(json)) {
        protocol_text_append_string(text, json->valuestring);
    } else if (cJSON_IsNull(json)) {
        protocol_text_append_string(text, "null");
    } else { // no tree, since memory ran out while it was built
        text->failed = true;
    }
}

static void write_members(ProtocolText *text, const cJSON *container) {
    const cJSON *item;
    cJSON_ArrayForEach(item, container) {
        if (item != container->child) protocol_text_append_char(text, ',');
        if (cJSON_IsObject(container)) {
            protocol_text_append_quoted(text, item->string);
            protocol_text_append_char(text, ':');
        }
        protocol_write_json(text, item);
    }
}
