// The parts without sockets: cutting lines, recognising HTTP, buffers.

#include "framer.h"
#include "queue.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char stream[] = "one\ntwo\r\n\n\r\n12345678\n12345678\r\n123456789\nthree\r\r\n"
                             "123456789\r\nabcdefghijklmnopqrstuvwxyz\nz\n12345678\r";
static const char lines[] = "[one][two][12345678][12345678]<too long>[three\r]<too long><too long>[z]";

static void take_all(NetFramer *framer, char *out_text) {
    char *message;
    size_t length;
    for (NetFramerResult result; (result = net_framer_next(framer, &message, &length)) != NET_FRAMER_MORE;) {
        if (result == NET_FRAMER_MESSAGE) {
            assert_int_equal(strlen(message), length);
            sprintf(out_text + strlen(out_text), "[%s]", message);
        } else {
            strcat(out_text, "<too long>");
        }
    }
}

static void test_lines_are_the_same_split_anywhere(void **state) {
    (void)state;
    size_t total = sizeof stream - 1;
    for (size_t first = 0; first <= total; first++) {
        for (size_t second = first; second <= total; second++) {
            NetFramer framer;
            net_framer_init(&framer, 8);
            char text[512] = "";
            assert_true(net_framer_feed(&framer, stream, first));
            take_all(&framer, text);
            assert_true(net_framer_feed(&framer, stream + first, second - first));
            take_all(&framer, text);
            assert_true(net_framer_feed(&framer, stream + second, total - second));
            take_all(&framer, text);
            assert_string_equal(text, lines);
            assert_int_equal(net_framer_held(&framer), 9); // "12345678\r" may still become a line
            net_framer_finish(&framer);
        }
    }
}

static void test_lines_are_the_same_byte_by_byte(void **state) {
    (void)state;
    NetFramer framer;
    net_framer_init(&framer, 8);
    char text[512] = "";
    for (size_t i = 0; i < sizeof stream - 1; i++) {
        assert_true(net_framer_feed(&framer, stream + i, 1));
        take_all(&framer, text);
    }
    assert_string_equal(text, lines);
    net_framer_finish(&framer);
}

// The framer keeps lines until they are taken, also while it is fed.
static void test_lines_wait_until_asked_for(void **state) {
    (void)state;
    NetFramer framer;
    net_framer_init(&framer, 100);
    char piece[64];
    for (int i = 0; i < 1000; i++) {
        assert_true(net_framer_feed(&framer, piece, (size_t)sprintf(piece, "line %d\nli", 2 * i)));
        assert_true(net_framer_feed(&framer, piece, (size_t)sprintf(piece, "ne %d\n", 2 * i + 1)));
        char *message;
        size_t length;
        assert_int_equal(net_framer_next(&framer, &message, &length), NET_FRAMER_MESSAGE);
        char expected[64];
        sprintf(expected, "line %d", i);
        assert_string_equal(message, expected);
    }
    net_framer_finish(&framer);
}

static void test_a_long_message_holds_no_memory(void **state) {
    (void)state;
    static char zeros[4096];
    NetFramer framer;
    net_framer_init(&framer, 65536);
    char *message;
    size_t length;
    for (int i = 0; i < 1000; i++) {
        assert_true(net_framer_feed(&framer, zeros, sizeof zeros));
        assert_int_equal(net_framer_next(&framer, &message, &length), NET_FRAMER_MORE);
        assert_true(framer.capacity <= 2 * 65536 + sizeof zeros);
    }
    assert_true(framer.is_draining);
    assert_true(framer.drained > 1000 * sizeof zeros - 65536 - sizeof zeros);
    assert_true(net_framer_feed(&framer, "\n", 1));
    assert_int_equal(net_framer_next(&framer, &message, &length), NET_FRAMER_TOO_LONG);
    assert_int_equal(net_framer_next(&framer, &message, &length), NET_FRAMER_MORE);
    assert_int_equal(framer.drained, 0);
    assert_true(framer.capacity <= 16384); // it was given back
    net_framer_finish(&framer);
}

static bool looks_like_http(const char *text) {
    return net_looks_like_http(text, strlen(text), 30);
}

static void test_http_is_told_by_its_first_line(void **state) {
    (void)state;
    assert_true(looks_like_http("GET / HTTP/1.1\r\nHost: x\r\n"));
    assert_true(looks_like_http("POST /a?b=c HTTP/1.1"));
    assert_true(looks_like_http("OPTIONS * HTTP/"));
    assert_true(looks_like_http("\r\n\nX-own http://a/ HTTP/2\n"));
    assert_true(looks_like_http("GET /\r\n")); // HTTP/0.9
    assert_true(looks_like_http("POST /a"));
    assert_true(looks_like_http("POST a-target-longer-than-the-limit"));
    assert_false(looks_like_http("POST a-target-longer-than-limit\n"));
    assert_false(looks_like_http("POST * HTTP")); // more may come
    assert_false(looks_like_http("POST "));
    assert_false(looks_like_http("POST"));
    assert_false(looks_like_http("USER x\r\n"));
    assert_true(net_looks_like_tls("\x16\x03\x01", 3));
    assert_false(net_looks_like_tls("", 0));
    assert_false(looks_like_http(""));
    assert_false(looks_like_http("\n"));
    assert_false(looks_like_http("POST  HTTP/1.1\n"));
    assert_false(looks_like_http(" GET / HTTP/1.1\n"));
    assert_false(looks_like_http("{\"method\": \"GET / HTTP/1.1\"}\n"));
    assert_false(looks_like_http("[1] 2 HTTP/1.1\n"));
    assert_false(looks_like_http("{}\nGET / HTTP/1.1\n"));
    assert_false(looks_like_http("{\"a message longer than the limit\": 1, "));
}

static void test_buffers_grow_and_are_shared(void **state) {
    (void)state;
    NetBuffer *buffer = net_buffer_create(3);
    for (int i = 0; i < 100; i++) assert_true(net_buffer_append(buffer, "0123456789", 10));
    char *room = net_buffer_reserve(buffer, 1000);
    memset(room, 'x', 1000);
    net_buffer_commit(buffer, 5);
    assert_int_equal(net_buffer_length(buffer), 1005);
    assert_memory_equal(net_buffer_data(buffer) + 990, "0123456789xxxxx", 15);
    assert_ptr_equal(net_buffer_retain(buffer), buffer);
    net_buffer_release(buffer);
    assert_memory_equal(net_buffer_data(buffer), "0123456789", 10);
    net_buffer_release(buffer);
    assert_null(net_buffer_retain(NULL));
    net_buffer_release(NULL);
    assert_null(net_buffer_create(SIZE_MAX / 2 + 1));
}

static void test_a_queue_keeps_order_and_counts_bytes(void **state) {
    (void)state;
    NetQueue queue = {0};
    size_t pushed = 0;
    size_t popped = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 7; i++, pushed++) {
            NetBuffer *buffer = net_buffer_create_copy((const char *)&pushed, sizeof pushed);
            assert_true(net_queue_push(&queue, buffer));
            net_buffer_release(buffer);
        }
        for (int i = 0; i < 5; i++, popped++) {
            NetBuffer *buffer = net_queue_pop(&queue);
            assert_memory_equal(net_buffer_data(buffer), &popped, sizeof popped);
            net_buffer_release(buffer);
        }
        assert_int_equal(queue.bytes, (pushed - popped) * sizeof pushed);
    }
    net_queue_finish(&queue);
    assert_null(net_queue_pop(&queue));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_the_same_split_anywhere),
        cmocka_unit_test(test_lines_are_the_same_byte_by_byte),
        cmocka_unit_test(test_lines_wait_until_asked_for),
        cmocka_unit_test(test_a_long_message_holds_no_memory),
        cmocka_unit_test(test_http_is_told_by_its_first_line),
        cmocka_unit_test(test_buffers_grow_and_are_shared),
        cmocka_unit_test(test_a_queue_keeps_order_and_counts_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
