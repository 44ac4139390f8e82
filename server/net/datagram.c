// One unconnected UDP socket, so that a missing receiver does not come back as an error.

#include "net/datagram.h"

#include "address.h"

#include <stdio.h>

enum { SEND_BUFFER = 4 << 20 }; // bytes, for all characters of a tick; the system may give less

bool net_datagrams_open(NetDatagrams *datagrams, uv_loop_t *loop, const char *host, uint16_t port,
                        bool loopback_only, NetError *out_error) {
    if (!net_address_resolve(host, port, "send to", &datagrams->receiver, out_error)) return false;
    char name[NET_ADDRESS_LENGTH];
    net_address_print(&datagrams->receiver, name, sizeof name);
    if (loopback_only && !net_address_is_loopback(&datagrams->receiver)) {
        snprintf(out_error->text, sizeof out_error->text, "cannot send to %s: it is not a loopback address",
                 name);
        return false;
    }
    const int status = uv_udp_init_ex(loop, &datagrams->socket, datagrams->receiver.ss_family);
    if (status != 0) {
        snprintf(out_error->text, sizeof out_error->text, "cannot send to %s: %s", name, uv_strerror(status));
        return false;
    }
    int size = SEND_BUFFER;
    uv_send_buffer_size((uv_handle_t *)&datagrams->socket, &size);
    return true;
}

int net_datagrams_send(NetDatagrams *datagrams, const char *bytes, size_t length) {
    const uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)length); // libuv takes no const
    const int sent =
        uv_udp_try_send(&datagrams->socket, &buffer, 1, (const struct sockaddr *)&datagrams->receiver);
    return sent < 0 ? sent : 0;
}
