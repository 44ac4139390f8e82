// HTTP and WebSocket: parsing in any pieces, time limits, and frames that share their bytes with TCP clients.

#include "http/request.h"
#include "http/websocket.h"
#include "net_harness.h"

static const char upgrade[] = "GET /v1?x=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                              "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Protocol: chat\r\nX-Long-Name-That-Is-Not-Kept-By-Anybody: 1\r\n"
                              "Sec-WebSocket-Protocol: tweed.v1\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

// Masked by zeros, so that the payload can be read here: "{}" in three fragments with a ping between, a text
// of 200 bytes, which is too long, a pong, an empty text, a close.
static const char frames[] = "\x01\x81\0\0\0\0{"
                             "\x89\x82\0\0\0\0hi"
                             "\x00\x80\0\0\0\0"
                             "\x80\x81\0\0\0\0}"
                             "\x81\xfe\x00\xc8\0\0\0\0"
                             "0123456789012345678901234567890123456789012345678901234567890123456789"
                             "0123456789012345678901234567890123456789012345678901234567890123456789"
                             "012345678901234567890123456789012345678901234567890123456789"
                             "\x8a\x80\0\0\0\0"
                             "\x81\x80\0\0\0\0"
                             "\x88\x82\0\0\0\0\x03\xe8";
static const char events[] = "ping hi, message {}, too long, pong, message , close";

static void test_keys_are_answered(void **state) {
    (void)state;
    char accept[NET_ACCEPT_LENGTH + 1];
    net_websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", accept); // RFC 6455, 1.3
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_true(net_websocket_key_is_valid("dGhlIHNhbXBsZSBub25jZQ=="));
    assert_false(net_websocket_key_is_valid("dGhlIHNhbXBsZSBub25jZQ="));
    assert_false(net_websocket_key_is_valid("dGhlIHNhbXBsZSBub25jZ!=="));
    assert_false(net_websocket_key_is_valid("dGhlIHNhbXBsZSBub25jZQAA"));
}

static void test_a_request_is_the_same_split_anywhere(void **state) {
    (void)state;
    static NetRequest request;
    const size_t total = sizeof upgrade - 1;
    for (size_t first = 0; first <= total; first++) {
        const size_t second = first + (total - first) / 2;
        const size_t cuts[] = {0, first, second, total};
        net_request_init(&request);
        for (int i = 0; i < 3; i++) {
            assert_false(request.is_whole && cuts[i] < total);
            const size_t length = cuts[i + 1] - cuts[i];
            if (length == 0) continue; // http_parser takes that for the end
            assert_int_equal(net_request_feed(&request, upgrade + cuts[i], length), length);
        }
        assert_true(request.is_whole && request.wants_upgrade && request.is_keep_alive);
        assert_int_equal(request.error, 0);
        assert_string_equal(request.target, "/v1");
        assert_string_equal(request.values[NET_HEADER_HOST], "localhost");
        assert_string_equal(request.values[NET_HEADER_PROTOCOL], "chat,tweed.v1");
        assert_string_equal(request.values[NET_HEADER_KEY], "dGhlIHNhbXBsZSBub25jZQ==");
        assert_false(request.has[NET_HEADER_ORIGIN]);
    }
}

static void note_event(const NetWebSocket *socket, NetWebSocketEvent event, char *out_text) {
    char *end = out_text + strlen(out_text);
    const char *comma = out_text[0] ? ", " : "";
    const int length = (int)socket->control_length;
    if (event == NET_WEBSOCKET_MESSAGE) sprintf(end, "%smessage %s", comma, socket->message);
    if (event == NET_WEBSOCKET_TOO_LONG) sprintf(end, "%stoo long", comma);
    if (event == NET_WEBSOCKET_PING) sprintf(end, "%sping %.*s", comma, length, socket->control);
    if (event == NET_WEBSOCKET_PONG) sprintf(end, "%spong", comma);
    if (event == NET_WEBSOCKET_CLOSE) sprintf(end, "%sclose", comma);
    if (event == NET_WEBSOCKET_FAILED) sprintf(end, "%sfailed %d", comma, (int)socket->failure);
}

static void take_events(NetWebSocket *socket, const char *bytes, size_t length, char *out_text) {
    for (NetWebSocketEvent event = NET_WEBSOCKET_PING; event != NET_WEBSOCKET_MORE;) {
        size_t taken;
        event = net_websocket_read(socket, bytes, length, &taken);
        bytes += taken;
        length -= taken;
        note_event(socket, event, out_text);
    }
    assert_int_equal(length, 0);
}

static void test_frames_are_the_same_split_anywhere(void **state) {
    (void)state;
    const size_t total = sizeof frames - 1;
    for (size_t first = 0; first <= total; first++) {
        for (size_t second = first; second <= total; second += 7) {
            NetWebSocket socket;
            char text[256] = "";
            assert_true(net_websocket_init(&socket, 199));
            take_events(&socket, frames, first, text);
            take_events(&socket, frames + first, second - first, text);
            take_events(&socket, frames + second, total - second, text);
            assert_string_equal(text, events);
            net_websocket_finish(&socket);
        }
    }
}

static void test_headers_have_the_least_bytes(void **state) {
    (void)state;
    static const struct {
        uint64_t length;
        size_t header_length;
        const char *header;
    } cases[] = {
        {0, 2, "\x81\x00"},
        {125, 2, "\x81\x7d"},
        {126, 4, "\x81\x7e\x00\x7e"},
        {65535, 4, "\x81\x7e\xff\xff"},
        {65536, 10, "\x81\x7f\0\0\0\0\0\x01\0\0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char header[10];
        assert_int_equal(net_websocket_header(1, cases[i].length, header), cases[i].header_length);
        assert_memory_equal(header, cases[i].header, cases[i].header_length);
    }
}

static void start_http(Harness *harness) {
    harness->options.http_host = "127.0.0.1";
    harness_start(harness);
}

static int http_open(Harness *harness, int receive_buffer) {
    int peer = peer_create(receive_buffer);
    peer_connect(harness, peer, net_server_http_port(harness->server));
    return peer;
}

// Connects, and reads the answer to the handshake.
static int websocket_open(Harness *harness, int receive_buffer) {
    char answer[512];
    size_t length = 0;
    int peer = http_open(harness, receive_buffer);
    peer_send(harness, peer, upgrade);
    while (length < 4 || memcmp(answer + length - 4, "\r\n\r\n", 4) != 0) {
        const ssize_t taken = peer_take(peer, answer + length, 1);
        if (taken > 0) length++;
        run_once(harness);
    }
    assert_memory_equal(answer, "HTTP/1.1 101 ", 13);
    return peer;
}

static void test_a_session_begins_with_the_upgrade(void **state) {
    Harness *harness = *state;
    start_http(harness);
    int peer = websocket_open(harness, 0);
    assert_int_equal(net_connection_carrier(harness->newest), NET_WEBSOCKET);
    peer_send_bytes(harness, peer, frames, 21 + 7); // to the end of "{}"
    RUN_UNTIL(harness, harness->message_count == 1);
    assert_string_equal(harness->transcript, "open\nmessage {}\n");
    send_text(harness->newest, "reply\n");
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    size_t length;
    char *bytes = peer_read_to_end(harness, peer, &length);
    assert_memory_equal(bytes,
                        "\x8a\x02hi\x81\x05reply\x88\x0a\x03\xe8"
                        "finished",
                        length);
    free(bytes);
}

enum { FRAME_BYTES = 3000000 };

static NetBuffer *shared_frame;
static int frames_left;

static NetBuffer *pull_shared(NetConnection *connection) {
    (void)connection;
    return frames_left-- > 0 ? net_buffer_retain(shared_frame) : NULL;
}

// Neither copies the frame: each holds the same buffer while its socket is full.
static void test_a_frame_is_shared_by_both_transports(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_pull = pull_shared;
    frames_left = 0;
    start_http(harness);
    shared_frame = net_buffer_create(FRAME_BYTES);
    char *room = net_buffer_reserve(shared_frame, FRAME_BYTES);
    for (int i = 0; i < FRAME_BYTES; i++) room[i] = (char)('a' + i % 23);
    room[FRAME_BYTES - 1] = '\n';
    net_buffer_commit(shared_frame, FRAME_BYTES);

    int line = peer_open(harness, 4096);
    NetConnection *line_connection = harness->newest;
    int socket = websocket_open(harness, 4096);
    NetConnection *connections[] = {line_connection, harness->newest};
    frames_left = 2;
    for (int i = 0; i < 2; i++) net_connection_wake(connections[i]);
    RUN_UNTIL(harness, frames_left <= 0);
    run_for(harness, 50);
    assert_false(net_buffer_reuse(shared_frame));
    for (int i = 0; i < 2; i++) {
        assert_in_range(net_connection_queued_bytes(connections[i]), 1, FRAME_BYTES);
        net_connection_finish(connections[i], NET_CLOSE_FINISHED);
    }
    for (int i = 0; i < 2; i++) {
        size_t length;
        char *bytes = peer_read_to_end(harness, i == 0 ? line : socket, &length);
        const char *body = i == 0 ? bytes : bytes + 10;
        assert_int_equal(length, i == 0 ? FRAME_BYTES : 10 + FRAME_BYTES - 1 + 12); // and the close frame
        assert_memory_equal(body, net_buffer_data(shared_frame), FRAME_BYTES - 1);
        if (i == 1) assert_memory_equal(bytes, "\x81\x7f\0\0\0\0\0\x2d\xc6\xbf", 10);
        free(bytes);
    }
    RUN_UNTIL(harness, harness->close_count == 2);
    assert_true(net_buffer_reuse(shared_frame));
    net_buffer_release(shared_frame);
}

static void test_a_slow_request_is_ended(void **state) {
    Harness *harness = *state;
    static const char *const beginnings[] = {"", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "};
    harness->options.request_ms = 200;
    harness->options.keep_alive_ms = 400;
    start_http(harness);
    for (int i = 0; i < 2; i++) {
        int peer = http_open(harness, 0);
        const uint64_t begin = now_ms();
        peer_send(harness, peer, beginnings[i]);
        size_t length;
        char *bytes = peer_read_to_end(harness, peer, &length);
        assert_in_range(now_ms() - begin, i == 0 ? 390 : 190, 3000);
        if (i == 0) assert_int_equal(length, 0);
        if (i == 1) assert_memory_equal(bytes, "HTTP/1.1 408 Request Timeout\r\n", 30);
        free(bytes);
    }
    assert_string_equal(harness->transcript, ""); // the owner knows of neither
}

static void test_a_silent_websocket_gets_a_ping_and_its_end(void **state) {
    Harness *harness = *state;
    harness->options.ping_ms = 300;
    start_http(harness);
    int peer = websocket_open(harness, 0);
    size_t length;
    char *bytes = peer_read_to_end(harness, peer, &length);
    assert_memory_equal(bytes, "\x89\x00\x88", 3); // a ping, then the close frame with 1008
    assert_memory_equal(bytes + 4, "\x03\xf0", 2);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_string_equal(harness->transcript, "open\nclose: no answer to a WebSocket ping\n");
    free(bytes);
}

static void test_messages_are_held_back_one_by_one(void **state) {
    Harness *harness = *state;
    start_http(harness);
    int peer = websocket_open(harness, 0);
    net_connection_pause_reading(harness->newest, 1);
    for (int i = 0; i < 50; i++) peer_send_bytes(harness, peer, "\x81\x81\0\0\0\0x", 7);
    run_for(harness, 50);
    assert_int_equal(harness->message_count, 0);
    net_connection_resume_reading(harness->newest, 1);
    RUN_UNTIL(harness, harness->message_count == 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_answered),
        cmocka_unit_test(test_a_request_is_the_same_split_anywhere),
        cmocka_unit_test(test_frames_are_the_same_split_anywhere),
        cmocka_unit_test(test_headers_have_the_least_bytes),
        HARNESS_TEST(test_a_session_begins_with_the_upgrade),
        HARNESS_TEST(test_a_frame_is_shared_by_both_transports),
        HARNESS_TEST(test_a_slow_request_is_ended),
        HARNESS_TEST(test_a_silent_websocket_gets_a_ping_and_its_end),
        HARNESS_TEST(test_messages_are_held_back_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
