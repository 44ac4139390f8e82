// What the server, its listeners and its connections share: its end, counters, the log. Peers that are turned
// away are counted, and logged by reason at most once a second each.

#include "server_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_EVERY_MS = 1000 };

const char *const net_refusal_names[NET_REFUSAL_COUNT] = {
    [NET_REFUSAL_REQUEST] = "http_request", [NET_REFUSAL_HOST] = "host",
    [NET_REFUSAL_ORIGIN] = "origin",        [NET_REFUSAL_PROTOCOL] = "not_json",
    [NET_REFUSAL_CLIENTS] = "clients",      [NET_REFUSAL_STRANGER] = "no_token",
    [NET_REFUSAL_TOKEN] = "wrong_token",
};

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

uint64_t net_server_refusals(const NetServer *server, NetRefusal reason) {
    return server->refusals[reason].count;
}

NetRefusal net_refusal_of(NetCloseReason reason) {
    switch (reason) {
    case NET_CLOSE_TOO_MANY_CLIENTS:
        return NET_REFUSAL_CLIENTS;
    case NET_CLOSE_HTTP:
    case NET_CLOSE_TLS:
        return NET_REFUSAL_PROTOCOL;
    case NET_CLOSE_UNTRUSTED_BYTES:
    case NET_CLOSE_UNTRUSTED_TIME:
        return NET_REFUSAL_STRANGER;
    case NET_CLOSE_WRONG_TOKEN:
        return NET_REFUSAL_TOKEN;
    default:
        return NET_REFUSAL_COUNT;
    }
}

void net_server_refuse(NetServer *server, NetRefusal reason, const char *format, ...) {
    NetRefusals *refusals = &server->refusals[reason];
    const uint64_t now = uv_now(server->loop);
    refusals->count++;
    if (now < refusals->quiet_until_ms) {
        refusals->left_out++;
        return;
    }
    refusals->quiet_until_ms = now + LOG_EVERY_MS;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    net_server_log(server, TEXT_LOG_WARNING, "refused %s", text);
}

void net_server_report_refusals(NetServer *server) {
    const uint64_t now = uv_now(server->loop);
    for (NetRefusal reason = 0; reason < NET_REFUSAL_COUNT; reason++) {
        NetRefusals *refusals = &server->refusals[reason];
        if (refusals->left_out == 0 || now < refusals->quiet_until_ms) continue;
        net_server_log(server, TEXT_LOG_WARNING, "refused %u more in a second: %s", refusals->left_out,
                       net_refusal_names[reason]);
        refusals->left_out = 0;
        refusals->quiet_until_ms = now + LOG_EVERY_MS;
    }
}
