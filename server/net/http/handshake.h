// The answer to a WebSocket key (RFC 6455, 4.2.2).
#pragma once

#include <stdbool.h>

enum { NET_ACCEPT_LENGTH = 28 };

// Whether it is 16 bytes in base64.
bool net_websocket_key_is_valid(const char *key);

void net_websocket_accept(const char *key, char out_accept[NET_ACCEPT_LENGTH + 1]);
