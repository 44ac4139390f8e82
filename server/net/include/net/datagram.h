// Datagrams to one receiver, which need not exist. A datagram that the system does not take at once is
// dropped.
#pragma once

#include "net/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

typedef struct NetDatagrams {
    uv_udp_t socket;
    struct sockaddr_storage receiver;
} NetDatagrams;

// Resolves `host` (IP literal or name, IPv4 before IPv6; it may block) and opens a socket on the loop. With
// `loopback_only` any other address is refused. False: `out_error`. Close the handle of an opened socket with
// the other handles of the loop.
bool net_datagrams_open(NetDatagrams *datagrams, uv_loop_t *loop, const char *host, uint16_t port,
                        bool loopback_only, NetError *out_error);

// 0, or libuv's error for a dropped datagram, such as UV_EAGAIN: no room. Never waits.
int net_datagrams_send(NetDatagrams *datagrams, const char *bytes, size_t length);
