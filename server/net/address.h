// Socket addresses, from and to text.
#pragma once

#include "net/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Room for the text of any address.
enum { NET_ADDRESS_LENGTH = 64 };

// The address of a host name or IP literal: IPv4 where the name has one. False: `out_error`, which begins
// with "cannot" and the purpose, such as "listen on".
bool net_address_resolve(const char *host, uint16_t port, const char *purpose,
                         struct sockaddr_storage *out_address, NetError *out_error);

// 127.0.0.0/8, ::1 or ::ffff:127.0.0.0/104.
bool net_address_is_loopback(const struct sockaddr_storage *address);

uint16_t net_address_port(const struct sockaddr_storage *address);

// "127.0.0.1:7601", "[::1]:7601".
void net_address_print(const struct sockaddr_storage *address, char *out_text, size_t size);
