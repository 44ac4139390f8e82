// A server on its own loop, and peers that are plain sockets of the same thread.
#include "net_harness.h"

static void harness_on_open(NetConnection *connection);
static void harness_on_too_long(NetConnection *connection);
static void harness_on_drained(NetConnection *connection);
static void harness_on_close(NetConnection *connection, NetCloseReason reason);
static void harness_on_log(NetServer *server, TextLogLevel level, const char *text);

void harness_note(Harness *harness, const char *format, ...) {
    size_t used = strlen(harness->transcript);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(harness->transcript + used, sizeof harness->transcript - used, format, arguments);
    va_end(arguments);
}

Harness *harness_of(NetConnection *connection) {
    return net_server_user(net_connection_server(connection));
}

void harness_on_message(NetConnection *connection, char *message, size_t length) {
    Harness *harness = harness_of(connection);
    assert_int_equal(message[length], '\0');
    harness->message_count++;
    harness_note(harness, "message %s\n", message);
}

int harness_begin(void **state) {
    static Harness harness;
    harness_init(&harness);
    *state = &harness;
    return 0;
}

int harness_end(void **state) {
    harness_finish(*state);
    return 0;
}

void harness_init(Harness *harness) {
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

void harness_start(Harness *harness) {
    harness->server = net_server_create(&harness->loop, &harness->options, &harness->callbacks, harness);
    assert_non_null(harness->server);
    NetError error = {{0}};
    if (!net_server_listen(harness->server, &error)) fail_msg("%s", error.text);
}

uint64_t now_ms(void) {
    return uv_hrtime() / 1000000;
}

void run_once(Harness *harness) {
    uv_run(&harness->loop, UV_RUN_NOWAIT);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

void run_for(Harness *harness, uint64_t milliseconds) {
    for (uint64_t end = now_ms() + milliseconds; now_ms() < end;) run_once(harness);
}

void harness_on_closed(void *user) {
    ((Harness *)user)->is_closed = true;
}

void harness_finish_closed(Harness *harness) {
    RUN_UNTIL(harness, harness->is_closed);
    assert_false(uv_loop_alive(&harness->loop));
    assert_int_equal(uv_loop_close(&harness->loop), 0);
}

void harness_finish(Harness *harness) {
    peers_close(harness);
    net_server_close(harness->server, harness_on_closed);
    harness_finish_closed(harness);
}

int peer_create(int receive_buffer) {
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(peer >= 0);
    if (receive_buffer > 0) setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    return peer;
}

void peer_connect(Harness *harness, int peer, uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(harness->peer_count < sizeof harness->peers / sizeof *harness->peers);
    harness->peers[harness->peer_count++] = peer;
}

void peer_close(Harness *harness, int peer) {
    unsigned place = 0;
    while (harness->peers[place] != peer) place++;
    harness->peers[place] = harness->peers[--harness->peer_count];
    close(peer);
}

void peers_close(Harness *harness) {
    while (harness->peer_count > 0) peer_close(harness, harness->peers[0]);
}

int peer_open(Harness *harness, int receive_buffer) {
    unsigned seen = harness->open_count + harness->refused_count;
    int peer = peer_create(receive_buffer);
    peer_connect(harness, peer, net_server_port(harness->server));
    RUN_UNTIL(harness, harness->open_count + harness->refused_count > seen);
    return peer;
}

void peer_send_bytes(Harness *harness, int peer, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(peer, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) fail_msg("send: %s", strerror(errno));
        if (sent > 0) bytes += sent, length -= (size_t)sent;
        if (length > 0) run_once(harness);
    }
}

void peer_send(Harness *harness, int peer, const char *text) {
    peer_send_bytes(harness, peer, text, strlen(text));
}

ssize_t peer_take(int peer, char *bytes, size_t capacity) {
    ssize_t received = recv(peer, bytes, capacity, MSG_DONTWAIT);
    return received >= 0 ? received : errno == EAGAIN ? -1 : -2;
}

char *peer_read_to_end(Harness *harness, int peer, size_t *out_length) {
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

NetBuffer *text_buffer(const char *text) {
    return net_buffer_create_copy(text, strlen(text));
}

void send_text(NetConnection *connection, const char *text) {
    NetBuffer *buffer = text_buffer(text);
    net_connection_send(connection, buffer);
    net_buffer_release(buffer);
}

static void harness_on_open(NetConnection *connection) {
    Harness *harness = harness_of(connection);
    harness->newest = connection;
    harness->open_count++;
    harness_note(harness, "open\n");
}

static void harness_on_too_long(NetConnection *connection) {
    harness_note(harness_of(connection), "too long\n");
}

static void harness_on_drained(NetConnection *connection) {
    harness_of(connection)->drained_count++;
}

static void harness_on_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    Harness *harness = harness_of(connection);
    if (harness->newest == connection) harness->newest = NULL;
    harness->close_count++;
    harness_note(harness, "close: %s\n", net_connection_close_text(connection));
}

static void harness_on_log(NetServer *server, TextLogLevel level, const char *text) {
    Harness *harness = net_server_user(server);
    if (strncmp(text, "refused ", 8) == 0) {
        const size_t used = strlen(harness->refusals);
        snprintf(harness->refusals + used, sizeof harness->refusals - used, "%s\n", text);
        return;
    }
    harness->log_count++;
    harness_note(harness, "log %d: %s\n", (int)level, text);
}
