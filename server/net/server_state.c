// The state shared by the server, its listeners and its connections.

#include "server_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void net_server_released(NetServer *server) {
    server->open_handles--;
    if (server->open_handles > 0) return;
    NetServerClosed on_closed = server->on_closed;
    void *user = server->user;
    free(server->read_buffer);
    free(server);
    if (on_closed) on_closed(user);
}

void net_counters_add(NetCounters *sum, const NetCounters *counters) {
    sum->messages_received += counters->messages_received;
    sum->bytes_received += counters->bytes_received;
    sum->messages_sent += counters->messages_sent;
    sum->bytes_sent += counters->bytes_sent;
}

void net_server_log(NetServer *server, TextLogLevel level, const char *format, ...) {
    if (!server->callbacks.on_log) return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    server->callbacks.on_log(server, level, text);
}
