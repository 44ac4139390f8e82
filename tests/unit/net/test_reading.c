// Input: lines in any pieces, over-long ones, HTTP, paused reading, and the peer's end.

#include "net_harness.h"

static void setup(Harness *harness) {
    harness_init(harness);
    harness_start(harness);
}

static void wait_for_bytes(Harness *harness, uint64_t bytes) {
    RUN_UNTIL(harness, net_connection_counters(harness->newest).bytes_received == bytes);
}

static void test_a_message_arrives_split_at_every_byte(void **state) {
    (void)state;
    static const char text[] = "{\"id\":1}\n\n{\"id\":22}\r\nlast\n";
    size_t total = sizeof text - 1;
    for (size_t split = 1; split < total; split++) {
        Harness harness;
        setup(&harness);
        int peer = peer_open(&harness, 0);
        peer_send_bytes(&harness, peer, text, split);
        wait_for_bytes(&harness, split);
        peer_send_bytes(&harness, peer, text + split, total - split);
        RUN_UNTIL(&harness, harness.message_count == 3);
        assert_string_equal(harness.transcript,
                            "open\nmessage {\"id\":1}\nmessage {\"id\":22}\nmessage last\n");
        assert_int_equal(net_connection_counters(harness.newest).messages_received, 3);
        harness_finish(&harness);
    }
}

static void test_messages_arrive_byte_by_byte(void **state) {
    Harness *harness = *state;
    static const char text[] = "{\"id\":1}\r\nsecond\n";
    harness_start(harness);
    int peer = peer_open(harness, 0);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        peer_send_bytes(harness, peer, text + i, 1);
        wait_for_bytes(harness, i + 1);
    }
    assert_string_equal(harness->transcript, "open\nmessage {\"id\":1}\nmessage second\n");
}

static void count_in_order(NetConnection *connection, char *message, size_t length) {
    Harness *harness = harness_of(connection);
    char expected[32];
    assert_int_equal(length, sprintf(expected, "%u", harness->message_count++));
    assert_string_equal(message, expected);
}

static void test_a_thousand_lines_arrive_in_one_write(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_message = count_in_order;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    char text[8000] = "";
    size_t length = 0;
    for (int i = 0; i < 1000; i++) length += (size_t)sprintf(text + length, "%d\n", i);
    peer_send_bytes(harness, peer, text, length);
    RUN_UNTIL(harness, harness->message_count == 1000);
}

static void test_an_over_long_message_is_drained_and_told_once(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    char *text = malloc(1000002);
    memset(text, 'x', 1000000);
    memcpy(text + 1000000, "\n", 2);
    peer_send(harness, peer, "before\n");
    peer_send(harness, peer, text);
    peer_send(harness, peer, text + 1000000 - 65537); // one too many
    peer_send(harness, peer, "after\n");
    RUN_UNTIL(harness, harness->message_count == 2);
    assert_string_equal(harness->transcript, "open\nmessage before\ntoo long\ntoo long\nmessage after\n");
    harness->transcript[0] = '\0';
    memcpy(text + 999999 - 65536, "\n", 1); // exactly the limit, with "\r\n"
    text[999999] = '\r', text[999998] = 'y';
    peer_send(harness, peer, text + 1000000 - 65537);
    RUN_UNTIL(harness, harness->message_count == 3);
    assert_non_null(strstr(harness->transcript, "message xxxx"));
    free(text);
}

static void test_a_message_without_end_closes(void **state) {
    Harness *harness = *state;
    static char zeros[65536];
    harness->options.max_drain = 300000;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    for (int i = 0; i < 4; i++) peer_send_bytes(harness, peer, zeros, sizeof zeros);
    run_for(harness, 20);
    assert_int_equal(harness->close_count, 0);
    send(peer, zeros, sizeof zeros, MSG_DONTWAIT | MSG_NOSIGNAL);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_string_equal(harness->transcript, "open\nclose: an over-long message did not end\n");
}

static void test_a_message_that_takes_too_long_closes(void **state) {
    Harness *harness = *state;
    static char zeros[80000];
    harness->options.max_drain_ms = 300;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    uint64_t start = now_ms();
    peer_send_bytes(harness, peer, zeros, sizeof zeros);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_in_range(now_ms() - start, 200, 900);
    assert_string_equal(harness->transcript, "open\nclose: an over-long message did not end\n");
}

static const char post[] = "POST /v1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n{\"method\":\"simulation.pause\"}\n";

static void assert_http_is_closed(Harness *harness) {
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_int_equal(harness->message_count, 0);
    assert_non_null(strstr(harness->refusals, ": an HTTP request on the JSON port\n"));
    assert_non_null(strstr(harness->transcript, "close: an HTTP request on the JSON port\n"));
}

static void test_a_browsers_post_is_closed_however_it_is_split(void **state) {
    (void)state;
    for (size_t piece = 1; piece < sizeof post; piece += 3) {
        Harness harness;
        setup(&harness);
        int peer = peer_open(&harness, 0);
        for (size_t i = 0; i < sizeof post - 1 && harness.close_count == 0; i += piece) {
            size_t length = sizeof post - 1 - i < piece ? sizeof post - 1 - i : piece;
            send(peer, post + i, length, MSG_DONTWAIT | MSG_NOSIGNAL);
            run_for(&harness, 2);
        }
        assert_http_is_closed(&harness);
        harness_finish(&harness);
    }
}

static void test_a_post_with_an_endless_path_is_closed(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    char *text = malloc(100000);
    memset(text, 'a', 100000);
    memcpy(text, "POST /", 6);
    strcpy(text + 80000, " HTTP/1.1\r\n\r\n{\"method\":\"simulation.pause\"}\n");
    send(peer, text, strlen(text), MSG_NOSIGNAL);
    assert_http_is_closed(harness);
    free(text);
}

static void test_only_the_first_line_is_looked_at(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "{}\nGET / HTTP/1.1\n");
    RUN_UNTIL(harness, harness->message_count == 2);
    assert_string_equal(harness->transcript, "open\nmessage {}\nmessage GET / HTTP/1.1\n");
}

static void pause_at_three(NetConnection *connection, char *message, size_t length) {
    harness_on_message(connection, message, length);
    if (strcmp(message, "3") == 0) net_connection_pause_reading(connection, 1);
}

static void test_a_pause_holds_back_what_has_been_read(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_message = pause_at_three;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "1\n2\n3\n4\n5\n");
    run_for(harness, 20);
    assert_string_equal(harness->transcript, "open\nmessage 1\nmessage 2\nmessage 3\n");
    peer_send(harness, peer, "6\n");
    run_for(harness, 20);
    assert_int_equal(harness->message_count, 3);

    net_connection_pause_reading(harness->newest, 2); // a second reason
    net_connection_resume_reading(harness->newest, 1);
    run_for(harness, 20);
    assert_int_equal(harness->message_count, 3);
    net_connection_resume_reading(harness->newest, 2);
    assert_int_equal(harness->message_count, 3); // no call back from within a call
    RUN_UNTIL(harness, harness->message_count == 6);
    assert_non_null(strstr(harness->transcript, "message 4\nmessage 5\nmessage 6\n"));
}

static void test_a_paused_peer_fills_its_own_socket(void **state) {
    Harness *harness = *state;
    static char line[1000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    harness_start(harness);
    int peer = peer_open(harness, 0);
    net_connection_pause_reading(harness->newest, 1);
    unsigned sent = 0;
    for (uint64_t end = now_ms() + 300; now_ms() < end; run_once(harness)) {
        while (send(peer, line, sizeof line, MSG_DONTWAIT) == (ssize_t)sizeof line) sent++;
    }
    assert_true(sent > 100);
    assert_true(net_connection_counters(harness->newest).bytes_received <= 4096 + 65536);
    assert_int_equal(harness->message_count, 0);
    net_connection_resume_reading(harness->newest, 1);
    RUN_UNTIL(harness, harness->message_count >= sent);
}

static void on_end(NetConnection *connection) {
    harness_note(harness_of(connection), "end\n");
}

static void test_the_end_comes_after_the_last_message(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_end = on_end;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    net_connection_pause_reading(harness->newest, 1);
    peer_send(harness, peer, "1\n2"); // the last line has no newline
    shutdown(peer, SHUT_WR);
    run_for(harness, 20);
    assert_string_equal(harness->transcript, "open\n");
    net_connection_resume_reading(harness->newest, 1);
    run_for(harness, 20);
    assert_string_equal(harness->transcript, "open\nmessage 1\nmessage 2\nend\n");

    send_text(harness->newest, "still answered\n"); // only the peer's sending side has ended
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    size_t length;
    char *received = peer_read_to_end(harness, peer, &length);
    assert_string_equal(received, "still answered\n");
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_non_null(strstr(harness->transcript, "end\nclose: finished\n"));
    free(received);
}

static void test_a_paused_peer_that_leaves_is_noticed(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_message = pause_at_three;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "3\n");
    RUN_UNTIL(harness, harness->message_count == 1);
    run_for(harness, 5);
    peer_close(harness, peer);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_string_equal(harness->transcript, "open\nmessage 3\nclose: closed by the peer\n");
}

static void close_at_two(NetConnection *connection, char *message, size_t length) {
    harness_on_message(connection, message, length);
    if (strcmp(message, "2") == 0) net_connection_close(connection, NET_CLOSE_FINISHED);
}

static void test_nothing_comes_after_close(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_message = close_at_two;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "1\n2\n3\n");
    RUN_UNTIL(harness, harness->close_count == 1);
    run_for(harness, 10);
    assert_string_equal(harness->transcript, "open\nmessage 1\nmessage 2\nclose: finished\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_arrives_split_at_every_byte),
        HARNESS_TEST(test_messages_arrive_byte_by_byte),
        HARNESS_TEST(test_a_thousand_lines_arrive_in_one_write),
        HARNESS_TEST(test_an_over_long_message_is_drained_and_told_once),
        HARNESS_TEST(test_a_message_without_end_closes),
        HARNESS_TEST(test_a_message_that_takes_too_long_closes),
        cmocka_unit_test(test_a_browsers_post_is_closed_however_it_is_split),
        HARNESS_TEST(test_a_post_with_an_endless_path_is_closed),
        HARNESS_TEST(test_only_the_first_line_is_looked_at),
        HARNESS_TEST(test_a_pause_holds_back_what_has_been_read),
        HARNESS_TEST(test_a_paused_peer_fills_its_own_socket),
        HARNESS_TEST(test_the_end_comes_after_the_last_message),
        HARNESS_TEST(test_a_paused_peer_that_leaves_is_noticed),
        HARNESS_TEST(test_nothing_comes_after_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
