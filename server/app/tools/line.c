// Frames are long and come by the thousand: what identifies one stands before its bones.
#include "tools/line.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_BYTES = 1024 };

static cJSON *parse_head(const char *bytes, size_t length);

bool app_line_read(AppLine *line, const char *bytes, size_t length, bool whole) {
    *line = (AppLine){.method = ""};
    if (!whole) line->message = parse_head(bytes, length);
    if (!line->message) line->message = cJSON_ParseWithLength(bytes, length);
    if (!line->message) return false;
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line->message, "method"));
    if (method) line->method = method;
    line->params = cJSON_GetObjectItemCaseSensitive(line->message, "params");
    line->character = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line->params, "character"));
    const cJSON *tick = cJSON_GetObjectItemCaseSensitive(line->params, "tick");
    line->has_tick = cJSON_IsNumber(tick) && tick->valuedouble >= 0.0 && tick->valuedouble <= 0x1p53;
    if (line->has_tick) line->tick = (uint64_t)tick->valuedouble;
    return true;
}

void app_line_finish(AppLine *line) {
    cJSON_Delete(line->message);
    *line = (AppLine){.method = ""};
}

bool app_line_is(const AppLine *line, const char *method) {
    return strcmp(line->method, method) == 0;
}

// The quotes within a string are escaped, so ,"bones": is the key wherever it stands. NULL: no such line.
static cJSON *parse_head(const char *bytes, size_t length) {
    static const char key[] = ",\"bones\":[";
    char head[HEAD_BYTES];
    const size_t room = length < HEAD_BYTES - 3 ? length : HEAD_BYTES - 3;
    memcpy(head, bytes, room);
    head[room] = '\0';
    char *end = strstr(head, key);
    if (!end || !strstr(head, "\"stream.frame\"")) return NULL;
    memcpy(end, "}}", 3);
    return cJSON_Parse(head);
}
