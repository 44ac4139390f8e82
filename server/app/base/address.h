// HOST:PORT of a server, and URLs of a NATS server.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppAddress {
    char host[256]; // without the brackets of an IPv6 literal
    int64_t port;
} AppAddress;

// Reads HOST:PORT or [HOST]:PORT, with a port of five digits at most. False: the text is something else, and
// out_address is as it was.
bool app_address_read(const char *text, AppAddress *out_address);

// Writes comma separated URLs without the user and password that may stand in them.
void app_address_hide_users(const char *urls, char *out_shown, size_t capacity);
