#pragma once
// Datagrams to one receiver, who may be there or not: what the system does not take at once is dropped.

#include "net/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

typedef struct NetDatagrams {
    uv_udp_t socket;
    struct sockaddr_storage receiver;
} NetDatagrams;

// Looks `host` up (IP literal or name, IPv4 before IPv6; it may block) and opens a socket on the loop. With
// `loopback_only` any other address is refused. False: `out_error` says what and why. Where `datagrams` was
// opened it must be closed, or its handle by whoever closes all of the loop's.
bool net_datagrams_open(NetDatagrams *datagrams, uv_loop_t *loop, const char *host, uint16_t port,
                        bool loopback_only, NetError *out_error);

// 0 when the system has taken it; else libuv's word on why it is dropped, such as UV_EAGAIN: no room. Never
// waits.
int net_datagrams_send(NetDatagrams *datagrams, const char *bytes, size_t length);
