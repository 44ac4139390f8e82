// Output: control data in order, frames pulled as late as possible, limits on waiting data, orderly ends.

#include "net_harness.h"

static NetBuffer *filled(size_t length, char byte) {
    NetBuffer *buffer = net_buffer_create(length);
    memset(net_buffer_reserve(buffer, length), byte, length);
    net_buffer_commit(buffer, length);
    return buffer;
}

static void test_control_data_arrives_in_order(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    char *expected = calloc(1, 1 << 20);
    size_t expected_length = 0;
    NetBuffer *large = filled(300000, 'y');
    for (int i = 0; i < 3000; i++) {
        char text[64];
        int length = sprintf(text, "{\"id\":%d}\n", i);
        send_text(harness->newest, text);
        memcpy(expected + expected_length, text, (size_t)length);
        expected_length += (size_t)length;
        if (i % 1500 != 700) continue;
        net_connection_send(harness->newest, large);
        memset(expected + expected_length, 'y', 300000);
        expected_length += 300000;
    }
    net_buffer_release(large);
    assert_int_equal(net_connection_queued_bytes(harness->newest), expected_length);
    run_for(harness, 20);
    assert_int_equal(harness->drained_count, 0); // the peer has not read yet
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    size_t length;
    char *received = peer_read_to_end(harness, peer, &length);
    assert_int_equal(length, expected_length);
    assert_memory_equal(received, expected, length);
    free(received);
    free(expected);
}

static void test_a_buffer_is_used_again_by_its_only_holder(void **state) {
    (void)state;
    assert_false(net_buffer_reuse(NULL));
    NetBuffer *buffer = text_buffer("the first message\n");
    const char *room = net_buffer_data(buffer);
    net_buffer_retain(buffer);
    assert_false(net_buffer_reuse(buffer)); // somebody may still be sending it
    assert_int_equal(net_buffer_length(buffer), 18);
    net_buffer_release(buffer);
    assert_true(net_buffer_reuse(buffer));
    assert_int_equal(net_buffer_length(buffer), 0);
    assert_true(net_buffer_append(buffer, "the next one\n", 13));
    assert_ptr_equal(net_buffer_data(buffer), room);
    assert_memory_equal(net_buffer_data(buffer), "the next one\n", 13);
    assert_int_equal(net_buffer_length(buffer), 13);
    net_buffer_release(buffer);
}

static void test_one_buffer_serves_a_broadcast(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peers[20];
    NetConnection *connections[20];
    for (int i = 0; i < 20; i++) {
        peers[i] = peer_open(harness, 0);
        connections[i] = harness->newest;
    }
    NetBuffer *buffer = text_buffer("to all\n");
    for (int i = 0; i < 20; i++) {
        if (i == 7) net_connection_close(connections[i], NET_CLOSE_FINISHED);
        net_connection_send(connections[i], buffer);
    }
    net_buffer_release(buffer);
    RUN_UNTIL(harness, harness->drained_count == 19 && harness->close_count == 1);
    for (int i = 0; i < 20; i++) {
        char received[16] = "";
        if (i == 7) {
            assert_int_equal(peer_take(peers[i], received, sizeof received), 0);
        } else {
            assert_int_equal(net_connection_counters(connections[i]).messages_sent, 1);
            assert_int_equal(net_connection_counters(connections[i]).bytes_sent, 7);
            assert_int_equal(peer_take(peers[i], received, sizeof received), 7);
            assert_string_equal(received, "to all\n");
        }
    }
}

// Frames: the number of the newest state, once for each state.
enum { FRAME_LENGTH = 400 };

typedef struct Frames {
    Harness harness;
    int newest;
    int pulled;
    int pull_count;
} Frames;

static NetBuffer *pull_newest(NetConnection *connection) {
    Frames *frames = (Frames *)harness_of(connection);
    frames->pull_count++;
    if (frames->pulled == frames->newest) return NULL;
    frames->pulled = frames->newest;
    char text[FRAME_LENGTH + 1];
    sprintf(text, "%-*d\n", FRAME_LENGTH - 1, frames->newest);
    return text_buffer(text);
}

static void next_state(Frames *frames, NetConnection *connection) {
    frames->newest++;
    net_connection_wake(connection);
    run_once(&frames->harness);
}

static void test_frames_are_pulled_only_into_room_and_new(void **state) {
    (void)state;
    Frames frames = {0};
    Harness *harness = &frames.harness;
    harness_init(harness);
    harness->callbacks.on_pull = pull_newest;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    NetConnection *connection = harness->newest;
    while (net_connection_queued_bytes(connection) == 0 && frames.newest < 10000)
        next_state(&frames, connection);
    int last_before = frames.newest;
    assert_true(last_before < 300); // the kernels' buffers are short: 51 were seen, and 4,000 by default
    int pulls_before = frames.pull_count;
    for (int i = 0; i < 500; i++) next_state(&frames, connection);
    assert_int_equal(frames.pull_count, pulls_before); // no room, no pull
    assert_true(net_connection_queued_bytes(connection) <= FRAME_LENGTH);

    net_connection_finish(connection,
                          NET_CLOSE_FINISHED); // its last round is the newest frame, and only that
    size_t length;
    char *received = peer_read_to_end(harness, peer, &length);
    assert_int_equal(length % FRAME_LENGTH, 0);
    int count = (int)(length / FRAME_LENGTH);
    assert_int_equal(count, last_before + 1);
    for (int i = 0; i < count; i++) {
        assert_int_equal(atoi(received + i * FRAME_LENGTH), i < count - 1 ? i + 1 : frames.newest);
    }
    free(received);
    harness_finish(harness);
}

typedef struct Burst {
    Harness harness;
    int left;
    int length;
    unsigned stall_ms; // 0: the default
} Burst;

static NetBuffer *pull_burst(NetConnection *connection) {
    Burst *burst = (Burst *)harness_of(connection);
    if (burst->left == 0) return NULL;
    burst->left--;
    NetBuffer *buffer = net_buffer_create((size_t)burst->length);
    char *room = net_buffer_reserve(buffer, (size_t)burst->length);
    memset(room, 'f', (size_t)burst->length);
    room[burst->length - 1] = '\n';
    net_buffer_commit(buffer, (size_t)burst->length);
    return buffer;
}

// Bursts to one peer, from when the connection is woken; receive_buffer: of the peer's socket, 0 for the
// system's.
static int begin(Burst *burst, int receive_buffer) {
    Harness *harness = &burst->harness;
    harness_init(harness);
    harness->callbacks.on_pull = pull_burst;
    if (burst->stall_ms) harness->options.stall_ms = burst->stall_ms;
    harness_start(harness);
    return peer_open(harness, receive_buffer);
}

static void test_a_full_socket_is_given_one_frame_more(void **state) {
    (void)state;
    static const int lengths[] = {400, 6000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t frame = (size_t)lengths[i];
        Burst burst = {.left = 100000, .length = lengths[i]};
        int peer = begin(&burst, 4096);
        NetConnection *connection = burst.harness.newest;
        net_connection_wake(connection);
        RUN_UNTIL(&burst.harness, net_connection_queued_bytes(connection) > 0);
        assert_true(net_connection_queued_bytes(connection) <= 16384 + frame); // the first time: one batch
        char received[2048];
        uint64_t sent = 0;
        for (uint64_t end = now_ms() + 3000; now_ms() < end && sent < 400000;) {
            while (peer_take(peer, received, sizeof received) > 0) {
            }
            run_once(&burst.harness);
            sent = net_connection_counters(connection).bytes_sent;
            if (sent > 300000)
                assert_true(net_connection_queued_bytes(connection) <= frame); // then one by one
        }
        assert_true(sent >= 400000);
        net_connection_close(connection, NET_CLOSE_FINISHED);
        harness_finish(&burst.harness);
    }
}

// Small frames of many characters go out in one system call.
static void test_small_frames_go_out_together(void **state) {
    (void)state;
    Burst burst = {.left = 30, .length = 400};
    begin(&burst, 0);
    net_connection_wake(burst.harness.newest);
    RUN_UNTIL(&burst.harness, burst.harness.drained_count == 1);
    assert_int_equal(net_connection_counters(burst.harness.newest).messages_sent, 30);
    assert_int_equal(net_connection_counters(burst.harness.newest).bytes_sent, 12000);
    harness_finish(&burst.harness);
}

static void test_one_connection_has_only_its_turn(void **state) {
    (void)state;
    Burst burst = {.left = 1000000, .length = 1};
    begin(&burst, 0);
    net_connection_wake(burst.harness.newest);
    run_once(&burst.harness);
    assert_in_range(1000000 - burst.left, 100, 2000); // the socket had room for 16,000
    RUN_UNTIL(&burst.harness, net_connection_queued_bytes(burst.harness.newest) > 0);
    net_connection_close(burst.harness.newest, NET_CLOSE_FINISHED);
    harness_finish(&burst.harness);
}

static NetBuffer *pull_empty(NetConnection *connection) {
    Harness *harness = harness_of(connection);
    return harness->log_count++ < 40 ? net_buffer_create(0) : NULL;
}

static void test_empty_frames_do_no_harm(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_pull = pull_empty;
    harness_start(harness);
    peer_open(harness, 0);
    net_connection_wake(harness->newest);
    RUN_UNTIL(harness, harness->drained_count == 1);
    assert_int_equal(net_connection_counters(harness->newest).bytes_sent, 0);
}

static void test_control_data_goes_before_frames(void **state) {
    (void)state;
    Burst burst = {.left = 3, .length = 5};
    int peer = begin(&burst, 0);
    net_connection_wake(burst.harness.newest);
    send_text(burst.harness.newest, "reply\n");
    send_text(burst.harness.newest, "event\n");
    net_connection_finish(burst.harness.newest, NET_CLOSE_FINISHED);
    size_t length;
    char *received = peer_read_to_end(&burst.harness, peer, &length);
    assert_string_equal(received, "reply\nevent\nffff\nffff\nffff\n");
    free(received);
    harness_finish(&burst.harness);
}

static void test_drained_tells_that_a_frame_is_taken(void **state) {
    (void)state;
    Burst burst = {.length = 6000};
    Harness *harness = &burst.harness;
    int peer = begin(&burst, 4096);
    NetConnection *connection = harness->newest;
    size_t total = 0;
    char received[1000];
    for (unsigned step = 1; step <= 200;
         step++) { // the next tick starts when the last is taken: none is missed
        burst.left = 1;
        net_connection_wake(connection);
        while (harness->drained_count < step) {
            run_once(harness);
            ssize_t length = harness->drained_count < step ? peer_take(peer, received, sizeof received) : 0;
            if (length > 0) total += (size_t)length;
        }
        assert_int_equal(burst.left, 0);
        assert_int_equal(net_connection_queued_bytes(connection), 0);
        assert_int_equal(harness->drained_count, step);
    }
    net_connection_finish(connection, NET_CLOSE_FINISHED);
    size_t rest;
    free(peer_read_to_end(harness, peer, &rest));
    assert_int_equal(total + rest, 200 * 6000);
    harness_finish(harness);
}

static void test_a_wake_with_nothing_to_pull_is_answered(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    peer_open(harness, 0);
    net_connection_wake(harness->newest);
    net_connection_wake(harness->newest);
    assert_int_equal(harness->drained_count, 0);
    run_for(harness, 10);
    assert_int_equal(harness->drained_count, 1);
    net_connection_pause_reading(harness->newest, 1);
    net_connection_resume_reading(harness->newest, 1);
    run_for(harness, 10);
    assert_int_equal(harness->drained_count, 1); // nothing was asked
}

static void test_a_stalled_reader_is_closed(void **state) {
    (void)state;
    Burst burst = {.left = 1000000, .length = 400, .stall_ms = 400};
    Harness *harness = &burst.harness;
    int peer = begin(&burst, 4096);
    NetConnection *connection = harness->newest;
    net_connection_wake(connection);
    RUN_UNTIL(harness, net_connection_queued_bytes(connection) > 0);
    char received[4096];
    for (int i = 0; i < 8; i++) { // slow, but alive, for twice the time
        run_for(harness, 100);
        while (peer_take(peer, received, sizeof received) > 0) {
        }
        assert_int_equal(harness->close_count, 0);
    }
    uint64_t start = now_ms();
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_in_range(now_ms() - start, 350, 900);
    assert_non_null(strstr(harness->transcript, "close: the peer does not read\n"));
    harness_finish(harness);
}

static void test_a_slow_reader_of_one_large_message_is_not_stalled(void **state) {
    (void)state;
    Burst burst = {.left = 1, .length = 1000000, .stall_ms = 300};
    Harness *harness = &burst.harness;
    int peer = begin(&burst, 4096);
    net_connection_wake(harness->newest);
    char received[30000];
    for (uint64_t end = now_ms() + 1000; now_ms() < end; run_for(harness, 20)) {
        peer_take(peer, received, sizeof received);
        assert_int_equal(harness->close_count, 0);
    }
    assert_true(net_connection_queued_bytes(harness->newest) > 0); // the message is not through yet
    net_connection_close(harness->newest, NET_CLOSE_FINISHED);
    harness_finish(harness);
}

static void test_a_silent_peer_is_not_stalled(void **state) {
    Harness *harness = *state;
    harness->options.stall_ms = 100;
    harness_start(harness);
    peer_open(harness, 0);
    run_for(harness, 500);
    assert_int_equal(harness->close_count, 0);
}

static void test_over_the_soft_limit_the_peer_is_not_read_from(void **state) {
    Harness *harness = *state;
    harness->options.control_soft_limit = 100000;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    NetBuffer *buffer = filled(50000, 'x');
    for (int i = 0; i < 20; i++) net_connection_send(harness->newest, buffer);
    net_buffer_release(buffer);
    peer_send(harness, peer, "1\n");
    run_for(harness, 50);
    assert_int_equal(harness->message_count, 0);

    char received[4096];
    size_t queued_at_first = 0;
    while (harness->message_count == 0) {
        while (peer_take(peer, received, sizeof received) > 0) {
        }
        queued_at_first = net_connection_queued_bytes(harness->newest);
        run_once(harness);
    }
    assert_true(queued_at_first <= 200000); // it was half of the limit, when a write of 50,000 ended
    net_connection_close(harness->newest, NET_CLOSE_FINISHED);
}

static void test_past_the_hard_limit_the_connection_is_closed(void **state) {
    Harness *harness = *state;
    harness->options.control_hard_limit = 1000000;
    harness_start(harness);
    peer_open(harness, 4096);
    static char kilobyte[1001];
    memset(kilobyte, 'x', 1000);
    unsigned sent = 0;
    for (; harness->close_count == 0 && sent < 5000; sent++) {
        if (harness->newest) send_text(harness->newest, kilobyte);
        run_once(harness);
    }
    assert_in_range(sent, 1000, 2000); // the limit, and what the kernels hold
    assert_non_null(strstr(harness->transcript, "close: more than 16 MiB of unread replies\n"));
}

static void test_one_line_may_be_longer_than_the_hard_limit(void **state) {
    Harness *harness = *state;
    harness->options.control_hard_limit = 1000000;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    NetBuffer *buffer = filled(3000000, 'x');
    net_connection_send(harness->newest, buffer);
    net_buffer_release(buffer);
    static char received[65536];
    size_t total = 0;
    while (total < 3000000 && harness->close_count == 0) {
        const ssize_t taken = peer_take(peer, received, sizeof received);
        total += taken > 0 ? (size_t)taken : 0;
        run_once(harness);
    }
    assert_int_equal(total, 3000000);
    assert_int_equal(harness->close_count, 0);
}

static void test_a_message_lost_for_memory_closes(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    peer_open(harness, 0);
    net_connection_send(harness->newest, NULL);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_string_equal(harness->transcript, "open\nclose: out of memory\n");
}

static void test_finishing_delivers_all_to_a_slow_peer(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    static char megabyte[1000001];
    memset(megabyte, 'z', 1000000);
    send_text(harness->newest, megabyte);
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    run_for(harness, 20);
    size_t length;
    char *received = peer_read_to_end(harness, peer, &length);
    assert_int_equal(length, 1000000);
    assert_string_equal(received, megabyte);
    free(received);
    peer_close(harness, peer);
    RUN_UNTIL(harness, harness->close_count == 1);
    assert_non_null(strstr(harness->transcript, "close: finished\n"));
}

// A finishing peer that reads slowly is closed in time.
static void test_finishing_ends(void **state) {
    (void)state;
    for (int closing = 0; closing < 2; closing++) {
        Burst burst = {.left = 1000000, .length = 4000};
        Harness *harness = &burst.harness;
        harness_init(harness);
        harness->callbacks.on_pull = pull_burst;
        harness->options.finish_ms = closing ? 400 : 60000;
        harness->options.finish_most_ms = closing ? 60000 : 400;
        harness_start(harness);
        int peer = peer_open(harness, 4096);
        char received[1000];
        if (closing)
            net_server_close(harness->server, harness_on_closed);
        else
            net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
        for (uint64_t end = now_ms() + 5000; harness->close_count == 0 && now_ms() < end; run_once(harness))
            peer_take(peer, received, sizeof received);
        assert_int_equal(harness->close_count, 1);
        assert_true(burst.left > 0);
        peers_close(harness);
        if (closing)
            harness_finish_closed(harness);
        else
            harness_finish(harness);
    }
}

// Each peer reads a little now and then: none is closed as stalled.
static void test_a_slow_reader_of_one_large_message_may_finish(void **state) {
    (void)state;
    Burst burst = {.left = 1, .length = 1000000};
    Harness *harness = &burst.harness;
    harness_init(harness);
    harness->callbacks.on_pull = pull_burst;
    harness->options.finish_ms = 300;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    char received[30000];
    for (uint64_t end = now_ms() + 1000; now_ms() < end; run_for(harness, 20)) {
        peer_take(peer, received, sizeof received);
        assert_int_equal(harness->close_count, 0);
    }
    net_connection_close(harness->newest, NET_CLOSE_FINISHED);
    harness_finish(harness);
}

// A close with unread input would make the kernel reset the connection and lose what is on its way.
static void test_finishing_loses_nothing_to_unread_input(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    int peer = peer_open(harness, 4096);
    net_connection_pause_reading(harness->newest, 1);
    static char junk[100000];
    send(peer, junk, sizeof junk, MSG_DONTWAIT);
    static char text[15001]; // the kernels hold it
    memset(text, 'z', 15000);
    send_text(harness->newest, text);
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    run_for(harness, 50);
    send(peer, junk, sizeof junk, MSG_DONTWAIT);
    run_for(harness, 50);
    size_t length;
    char *received = peer_read_to_end(harness, peer, &length);
    assert_string_equal(received, text);
    free(received);
}

static void test_a_peer_that_dies_while_written_to_is_closed(void **state) {
    (void)state;
    Burst burst = {.left = 1000000, .length = 4000};
    int peer = begin(&burst, 4096);
    net_connection_wake(burst.harness.newest);
    RUN_UNTIL(&burst.harness, net_connection_queued_bytes(burst.harness.newest) > 0);
    peer_close(&burst.harness, peer); // with unread data: a reset
    RUN_UNTIL(&burst.harness, burst.harness.close_count == 1);
    assert_non_null(strstr(burst.harness.transcript, "close: connection reset by peer\n"));
    harness_finish(&burst.harness);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HARNESS_TEST(test_control_data_arrives_in_order),
        cmocka_unit_test(test_a_buffer_is_used_again_by_its_only_holder),
        HARNESS_TEST(test_one_buffer_serves_a_broadcast),
        cmocka_unit_test(test_frames_are_pulled_only_into_room_and_new),
        cmocka_unit_test(test_a_full_socket_is_given_one_frame_more),
        cmocka_unit_test(test_small_frames_go_out_together),
        cmocka_unit_test(test_one_connection_has_only_its_turn),
        HARNESS_TEST(test_empty_frames_do_no_harm),
        cmocka_unit_test(test_control_data_goes_before_frames),
        cmocka_unit_test(test_drained_tells_that_a_frame_is_taken),
        HARNESS_TEST(test_a_wake_with_nothing_to_pull_is_answered),
        cmocka_unit_test(test_a_stalled_reader_is_closed),
        cmocka_unit_test(test_a_slow_reader_of_one_large_message_is_not_stalled),
        HARNESS_TEST(test_a_silent_peer_is_not_stalled),
        HARNESS_TEST(test_over_the_soft_limit_the_peer_is_not_read_from),
        HARNESS_TEST(test_past_the_hard_limit_the_connection_is_closed),
        HARNESS_TEST(test_one_line_may_be_longer_than_the_hard_limit),
        HARNESS_TEST(test_a_message_lost_for_memory_closes),
        HARNESS_TEST(test_finishing_delivers_all_to_a_slow_peer),
        cmocka_unit_test(test_finishing_ends),
        cmocka_unit_test(test_a_slow_reader_of_one_large_message_may_finish),
        HARNESS_TEST(test_finishing_loses_nothing_to_unread_input),
        cmocka_unit_test(test_a_peer_that_dies_while_written_to_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
