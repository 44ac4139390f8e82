// Addresses as people and nodes write them.
#include "base/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool app_address_read(const char *text, AppAddress *out_address) {
    const char *colon = strrchr(text, ':'), *host = text, *end = colon;
    if (!colon) return false;
    if (text[0] == '[') { // [::1]:7601
        host = text + 1;
        end = colon[-1] == ']' ? colon - 1 : host;
    } else if (memchr(text, ':', (size_t)(colon - text))) { // an IPv6 literal without brackets
        return false;
    }
    const char *digits = colon + 1;
    const size_t digit_count = strlen(digits);
    if (digit_count == 0 || digit_count > 5 || strspn(digits, "0123456789") != digit_count) return false;
    if (end <= host || (size_t)(end - host) >= sizeof out_address->host) return false;
    snprintf(out_address->host, sizeof out_address->host, "%.*s", (int)(end - host), host);
    out_address->port = atoi(digits);
    return true;
}

// A password may have any byte in it, so a URL extends to the next comma that a scheme follows.
void app_address_hide_users(const char *urls, char *out_shown, size_t capacity) {
    size_t length = 0;
    out_shown[0] = '\0';
    while (*urls && length < capacity) {
        const char *scheme = urls + (*urls == ',');
        const size_t letters = strspn(scheme, "abcdefghijklmnopqrstuvwxyz");
        const char *host = strncmp(scheme + letters, "://", 3) == 0 ? scheme + letters + 3 : scheme;
        const char *end = host, *user_end = host;
        while (*end && strncmp(end, ",nats://", 8) != 0 && strncmp(end, ",tls://", 7) != 0) {
            if (*end == '@') user_end = end + 1;
            end++;
        }
        length += (size_t)snprintf(out_shown + length, capacity - length, "%.*s%.*s", (int)(host - urls),
                                   urls, (int)(end - user_end), user_end);
        urls = end;
    }
}
