#pragma once
// What the tests of the net layer share: a server on a loop of its own, a transcript of everything it says,
// and peers that are plain sockets of the same thread. Only `run` lets the server work, so a test decides who
// is slow.

#include "net/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <text/log_level.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Harness {
    uv_loop_t loop;
    NetServerOptions options;
    NetCallbacks callbacks;
    NetServer *server;
    bool is_closed;
    NetConnection *newest;  // of those opened and not closed
    unsigned open_count;    // on_open so far
    unsigned refused_count; // on_refused so far
    unsigned message_count;
    unsigned drained_count;
    unsigned close_count;
    unsigned log_count;
    char transcript[4096]; // one line an event; the end of it is lost when it is full
} Harness;

static inline void harness_note(Harness *harness, const char *format, ...) {
    size_t used = strlen(harness->transcript);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(harness->transcript + used, sizeof harness->transcript - used, format, arguments);
    va_end(arguments);
}

static inline Harness *harness_of(NetConnection *connection) {
    return net_server_user(net_connection_server(connection));
}

static inline void harness_on_open(NetConnection *connection) {
    Harness *harness = harness_of(connection);
    harness->newest = connection;
    harness->open_count++;
    harness_note(harness, "open\n");
}

static inline void harness_on_message(NetConnection *connection, char *message, size_t length) {
    Harness *harness = harness_of(connection);
    assert_int_equal(message[length], '\0');
    harness->message_count++;
    harness_note(harness, "message %s\n", message);
}

static inline void harness_on_too_long(NetConnection *connection) {
    harness_note(harness_of(connection), "too long\n");
}

static inline void harness_on_drained(NetConnection *connection) {
    harness_of(connection)->drained_count++;
}

static inline void harness_on_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    Harness *harness = harness_of(connection);
    if (harness->newest == connection) harness->newest = NULL;
    harness->close_count++;
    harness_note(harness, "close: %s\n", net_connection_close_text(connection));
}

static inline void harness_on_log(NetServer *server, TextLogLevel level, const char *text) {
    Harness *harness = net_server_user(server);
    harness->log_count++;
    harness_note(harness, "log %d: %s\n", (int)level, text);
}

// Options and callbacks may be changed between init and start.
static inline void harness_init(Harness *harness) {
    signal(SIGPIPE, SIG_IGN);
    *harness = (Harness){.options = net_default_server_options()};
    harness->options.tcp_host = "127.0.0.1";
    harness->callbacks = (NetCallbacks){.on_open = harness_on_open,
                                        .on_message = harness_on_message,
                                        .on_too_long = harness_on_too_long,
                                        .on_drained = harness_on_drained,
                                        .on_close = harness_on_close,
                                        .on_log = harness_on_log};
    assert_int_equal(uv_loop_init(&harness->loop), 0);
}

static inline void harness_start(Harness *harness) {
    harness->server = net_server_create(&harness->loop, &harness->options, &harness->callbacks, harness);
    assert_non_null(harness->server);
    NetError error = {{0}};
    if (!net_server_listen(harness->server, &error)) fail_msg("%s", error.text);
}

static inline uint64_t now_ms(void) {
    return uv_hrtime() / 1000000;
}

static inline void run_once(Harness *harness) {
    uv_run(&harness->loop, UV_RUN_NOWAIT);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static inline void run_for(Harness *harness, uint64_t milliseconds) {
    for (uint64_t end = now_ms() + milliseconds; now_ms() < end;) run_once(harness);
}

// Lets the server work until `condition` holds; fails when it does not within 5 s.
#define RUN_UNTIL(harness, condition)                                                                        \
    do {                                                                                                     \
        uint64_t run_end = now_ms() + 5000;                                                                  \
        while (!(condition)) {                                                                               \
            if (now_ms() > run_end) fail_msg("never came: %s\n%s", #condition, (harness)->transcript);       \
            run_once(harness);                                                                               \
        }                                                                                                    \
    } while (0)

static inline void harness_on_closed(void *user) {
    ((Harness *)user)->is_closed = true;
}

// Closes the server; nothing of it may be left on the loop.
// After net_server_close.
static inline void harness_finish_closed(Harness *harness) {
    RUN_UNTIL(harness, harness->is_closed);
    assert_false(uv_loop_alive(&harness->loop));
    assert_int_equal(uv_loop_close(&harness->loop), 0);
}

static inline void harness_finish(Harness *harness) {
    net_server_close(harness->server, harness_on_closed);
    harness_finish_closed(harness);
}

// A socket of a peer; `receive_buffer` in bytes, 0 for the system's.
static inline int peer_create(int receive_buffer) {
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(peer >= 0);
    if (receive_buffer > 0) setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    return peer;
}

static inline void peer_connect(Harness *harness, int peer) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(net_server_port(harness->server))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, sizeof address), 0);
}

// Connects and waits until the server has seen it.
static inline int peer_open(Harness *harness, int receive_buffer) {
    unsigned seen = harness->open_count + harness->refused_count;
    int peer = peer_create(receive_buffer);
    peer_connect(harness, peer);
    RUN_UNTIL(harness, harness->open_count + harness->refused_count > seen);
    return peer;
}

// Sends all of it, letting the server work while the socket is full.
static inline void peer_send_bytes(Harness *harness, int peer, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(peer, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) fail_msg("send: %s", strerror(errno));
        if (sent > 0) bytes += sent, length -= (size_t)sent;
        if (length > 0) run_once(harness);
    }
}

static inline void peer_send(Harness *harness, int peer, const char *text) {
    peer_send_bytes(harness, peer, text, strlen(text));
}

// What the socket has now: its length, 0 at the end of the stream, -1 for nothing yet, -2 when it was reset.
static inline ssize_t peer_take(int peer, char *bytes, size_t capacity) {
    ssize_t received = recv(peer, bytes, capacity, MSG_DONTWAIT);
    return received >= 0 ? received : errno == EAGAIN ? -1 : -2;
}

// Everything up to the end of the stream, in a string of its own; the server works meanwhile.
static inline char *peer_read_to_end(Harness *harness, int peer, size_t *out_length) {
    size_t length = 0;
    size_t capacity = 65536;
    char *bytes = malloc(capacity + 1);
    for (uint64_t end = now_ms() + 8000; now_ms() < end;) {
        ssize_t received = peer_take(peer, bytes + length, capacity - length);
        if (received == -2) fail_msg("the connection was reset after %zu bytes", length);
        if (received == 0) {
            bytes[length] = '\0';
            *out_length = length;
            return bytes;
        }
        if (received > 0) length += (size_t)received;
        if (received < 0) run_once(harness);
        if (length == capacity) bytes = realloc(bytes, (capacity *= 2) + 1);
    }
    fail_msg("no end of the stream after %zu bytes", length);
    *out_length = 0;
    return bytes;
}

static inline NetBuffer *text_buffer(const char *text) {
    return net_buffer_create_copy(text, strlen(text));
}

static inline void send_text(NetConnection *connection, const char *text) {
    NetBuffer *buffer = text_buffer(text);
    net_connection_send(connection, buffer);
    net_buffer_release(buffer);
}
