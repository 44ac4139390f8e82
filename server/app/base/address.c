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
