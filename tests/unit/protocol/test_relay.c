// Lines of another server that are handed on.
#include "protocol/frame.h"
#include "protocol/relay.h"
#include "protocol/static.h"
#include "text_fixture.h"

#include <string.h>

#define FRAME(view, name, tick)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":" view ",\"character\":" name     \
    ",\"revision\":3,\"tick\":" tick ",\"time\":0.1,\"bones\":[[1]]}}"
#define STATIC(view, rest)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"method\":\"stream.static\",\"params\":{\"view\":" view                           \
    ",\"character\":\"alan\",\"revision\":12,\"bones\":[\"a\"]" rest "}}"

static void check(const char *line, int view, ProtocolRelayPart part, const char *expected) {
    ProtocolRelay relay;
    assert_true(protocol_relay_read(&relay, line, strlen(line)));
    protocol_relay_write(&text, &relay, view, part);
    assert_text(expected);
}

static void test_frames(void **state) {
    (void)state;
    ProtocolRelay relay;
    const char *line = FRAME("7", "\"alan\"", "600");
    assert_true(protocol_relay_read(&relay, line, strlen(line)));
    assert_false(relay.is_static);
    assert_int_equal(relay.view, 7);
    assert_int_equal(relay.tick, 600);
    assert_int_equal(relay.revision, 3);
    assert_string_equal(relay.character, "alan");
    check(line, 12345, PROTOCOL_RELAY_WHOLE, FRAME("12345", "\"alan\"", "600") "\n");
}

static void test_names_are_read_as_they_are_written(void **state) {
    (void)state;
    static const char *const names[] = {"guest 2", "a\"b\\c/", "\n\t\r\b\f\x01\x1f", "Zo\xc3\xab",
                                        "],\"description\":{"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ProtocolFrame frame = {
            .view = 1, .character = names[i], .revision = 1, .tick = 5, .tick_rate = 60};
        text_buffer_clear(&text);
        protocol_write_frame_head(&text, &frame);
        ProtocolRelay relay;
        assert_true(protocol_relay_read(&relay, text.bytes, text.length));
        assert_string_equal(relay.character, names[i]);
        assert_int_equal(relay.tick, 5);
    }
    text_buffer_clear(&text);
}

static void test_static_data_is_cut(void **state) {
    (void)state;
    const char *meshed = STATIC(
        "1",
        ",\"description\":{\"params\":{\"x\":[1],\"meshes\":[2]},\"commands\":[],\"meshes\":[{\"a\":1}]}");
    const char *described =
        STATIC("2", ",\"description\":{\"params\":{\"x\":[1],\"meshes\":[2]},\"commands\":[]}");
    check(meshed, 1, PROTOCOL_RELAY_WHOLE,
          STATIC("1", ",\"description\":{\"params\":{\"x\":[1],\"meshes\":[2]},\"commands\":[],\"meshes\":[{"
                      "\"a\":1}]}") "\n");
    check(meshed, 2, PROTOCOL_RELAY_DESCRIBED,
          STATIC("2", ",\"description\":{\"params\":{\"x\":[1],\"meshes\":[2]},\"commands\":[]}") "\n");
    check(described, 3, PROTOCOL_RELAY_BARE, STATIC("3", "") "\n");
    check(STATIC("1", ""), 4, PROTOCOL_RELAY_BARE, STATIC("4", "") "\n");
}

static void test_other_lines(void **state) {
    (void)state;
    static const char *const lines[] = {
        "",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"view\":1}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":",
        FRAME("-1", "\"a\"", "1"),
        FRAME("99999999999", "\"a\"", "1"),
        FRAME("1", "7", "1"),
        FRAME("1", "\"a", "1"),
        FRAME("1", "\"a\\u00", "1"),
        FRAME("1", "\"a\"", "x"),
    };
    ProtocolRelay relay;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(protocol_relay_read(&relay, lines[i], strlen(lines[i])));
    const char *line = FRAME("7", "\"al\\u000an\"", "600");
    for (size_t length = 0; length < strlen(line); length++) (void)protocol_relay_read(&relay, line, length);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_names_are_read_as_they_are_written),
        cmocka_unit_test(test_static_data_is_cut),
        cmocka_unit_test(test_other_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
