// The limits of peers that have not authenticated, until net_connection_trust.
#include "net_harness.h"

static void set_limits(Harness *harness) {
    harness->options.untrusted_bytes = 32;
    harness->options.untrusted_ms = 300;
}

static void trust_on_yes(NetConnection *connection, char *message, size_t length) {
    if (strcmp(message, "yes") == 0) net_connection_trust(connection);
    harness_on_message(connection, message, length);
}

static void test_a_silent_stranger_goes_in_time(void **state) {
    Harness *harness = *state;
    set_limits(harness);
    harness_start(harness);
    const uint64_t start = now_ms();
    peer_open(harness, 0);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_true(now_ms() - start >= 200); // the server looks every 100 ms
    assert_string_equal(harness->transcript, "open\nclose: no authentication in time\n");
}

static void test_one_who_talks_has_no_longer(void **state) {
    Harness *harness = *state;
    set_limits(harness);
    harness_start(harness);
    int peer = peer_open(harness, 0);
    for (int i = 0; i < 8 && harness->close_count == 0; i++) {
        send(peer, "a\n", 2, MSG_NOSIGNAL);
        run_for(harness, 100);
    }
    assert_int_equal(harness->close_count, 1);
}

static void test_the_limit_counts_all_of_the_messages(void **state) {
    (void)state;
    static const struct {
        const char *text, *transcript;
    } cases[] = {
        {"0123456789abcde\n0123456789abcde\n", "open\nmessage 0123456789abcde\nmessage 0123456789abcde\n"},
        {"0123456789abcde\n0123456789abcdef\n",
         "open\nmessage 0123456789abcde\nclose: too many bytes before authentication\n"},
        {"0123456789abcde\n0123456789abcdef",
         "open\nmessage 0123456789abcde\n"}, // it may still be its end that comes
        {"0123456789abcde\n0123456789abcdefg",
         "open\nmessage 0123456789abcde\nclose: too many bytes before authentication\n"},
        {"0123456789abcdef0123456789abcdef\n", "open\nclose: too many bytes before authentication\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Harness harness;
        harness_init(&harness);
        set_limits(&harness);
        harness.options.untrusted_ms = 60000;
        harness_start(&harness);
        int peer = peer_open(&harness, 0);
        peer_send(&harness, peer, cases[i].text);
        run_for(&harness, 20);
        assert_string_equal(harness.transcript, cases[i].transcript);
        harness_finish(&harness);
    }
}

// Bytes behind the trusted message in the same packet do not count.
static void test_a_trusted_peer_has_no_such_limits(void **state) {
    Harness *harness = *state;
    set_limits(harness);
    harness->callbacks.on_message = trust_on_yes;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "no\nyes\n0123456789abcdef0123456789abcdef\n0123456789abcdef0123456789abcdef");
    run_for(harness, 600);
    assert_string_equal(harness->transcript,
                        "open\nmessage no\nmessage yes\nmessage 0123456789abcdef0123456789abcdef\n");
}

static void test_a_line_past_all_limits_is_too_much_as_well(void **state) {
    Harness *harness = *state;
    set_limits(harness);
    harness->options.max_message = 40;
    harness_start(harness);
    int peer = peer_open(harness, 0);
    peer_send(harness, peer, "0123456789abcdef0123456789abcdef0123456789abcdef\n");
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_string_equal(harness->transcript, "open\nclose: too many bytes before authentication\n");
}

static void refuse(NetConnection *connection) {
    harness_note(harness_of(connection), "refused\n");
    harness_of(connection)->refused_count++;
    send_text(connection, "too many\n");
}

static void test_a_full_server_closes_its_oldest_stranger(void **state) {
    Harness *harness = *state;
    set_limits(harness);
    harness->options.untrusted_ms = 60000;
    harness->options.max_clients = 3;
    harness->callbacks.on_message = trust_on_yes;
    harness->callbacks.on_refused = refuse;
    harness_start(harness);
    int peers[6];
    for (int i = 0; i < 3; i++) peers[i] = peer_open(harness, 0);
    peer_send(harness, peers[0], "yes\n");
    RUN_UNTIL(harness, harness->message_count == 1);
    peers[3] = peer_open(harness, 0);
    RUN_UNTIL(harness, harness->open_count == 4);
    assert_int_equal(net_server_client_count(harness->server), 3);
    size_t length;
    char *received = peer_read_to_end(harness, peers[1], &length);
    assert_string_equal(received, "too many\n");
    free(received);
    for (int i = 2; i < 4; i++) peer_send(harness, peers[i], "yes\n");
    RUN_UNTIL(harness, harness->message_count == 3);
    for (int i = 4; i < 6; i++) peers[i] = peer_open(harness, 0); // no stranger is left
    peers_close(harness);
    RUN_UNTIL(harness, harness->close_count == 4);
    assert_int_equal(net_server_refusals(harness->server, NET_REFUSAL_CLIENTS), 3);
    assert_non_null(strstr(harness->transcript, "message yes\nclose: too many clients\nrefused\nopen\n"));
    run_for(harness, 1200);
    assert_non_null(strstr(harness->refusals, ": too many clients\nrefused 2 more in a second: clients\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HARNESS_TEST(test_a_silent_stranger_goes_in_time),
        HARNESS_TEST(test_one_who_talks_has_no_longer),
        cmocka_unit_test(test_the_limit_counts_all_of_the_messages),
        HARNESS_TEST(test_a_trusted_peer_has_no_such_limits),
        HARNESS_TEST(test_a_line_past_all_limits_is_too_much_as_well),
        HARNESS_TEST(test_a_full_server_closes_its_oldest_stranger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
