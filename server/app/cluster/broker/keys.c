// Names as keys.
#include "cluster/broker/bridge.h"

#include <stdio.h>
#include <string.h>

static bool is_plain(char c);

void app_bridge_escape(const char *name, char out_key[APP_SUBJECT_SIZE]) {
    char *end = out_key, *limit = out_key + APP_SUBJECT_SIZE - 4;
    for (; *name && end < limit; name++) {
        if (is_plain(*name))
            *end++ = *name;
        else
            end += sprintf(end, "=%02X", (unsigned)(unsigned char)*name);
    }
    *end = '\0';
}

void app_bridge_unescape(const char *key, char *out_name, size_t capacity) {
    size_t length = 0;
    unsigned byte;
    while (*key && length + 1 < capacity) {
        if (*key == '=' && sscanf(key + 1, "%2x", &byte) == 1 && strlen(key) >= 3) {
            out_name[length++] = (char)byte;
            key += 3;
        } else {
            out_name[length++] = *key++;
        }
    }
    out_name[length] = '\0';
}

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
