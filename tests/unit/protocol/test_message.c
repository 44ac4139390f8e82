// Input lines: what is refused before parsing, what is a request, and the unchanged id.
#include "protocol/message.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_refused_bytes(const char *bytes, size_t length, int code, const char *message) {
    ProtocolMessage read;
    ProtocolError error = {0};
    if (protocol_message_read(&read, bytes, length, &error)) fail_msg("accepted: %s", bytes);
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, code);
    assert_string_equal(error.path, "");
}

static void assert_refused(const char *line, int code, const char *message) {
    assert_refused_bytes(line, strlen(line), code, message);
}

static void assert_accepted(const char *line) {
    ProtocolMessage message;
    ProtocolError error;
    if (!protocol_message_read(&message, line, strlen(line), &error)) fail_msg("%s: %s", line, error.message);
    protocol_message_finish(&message);
}

static void test_refuses_what_is_not_json(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "not JSON: expected a value at the end"},
        {"  \t", "not JSON: expected a value at the end"},
        {"{", "not JSON: expected a key in quotes at the end"},
        {"nul", "not JSON: expected a value at byte 0"},
        {"hello", "not JSON: expected a value at byte 0"},
        {"{'a':1}", "not JSON: expected a key in quotes at byte 1"},
        {"{\"a\" 1}", "not JSON: expected \":\" at byte 5"},
        {"{\"a\":}", "not JSON: expected a value at byte 5"},
        {"{\"a\":1,}", "not JSON: expected a key in quotes at byte 7"},
        {"{\"a\":1 \"b\":2}", "not JSON: expected \",\" or \"}\" at byte 7"},
        {"[1,]", "not JSON: expected a value at byte 3"},
        {"[1 2]", "not JSON: expected \",\" or \"]\" at byte 3"},
        {"[1", "not JSON: expected \",\" or \"]\" at the end"},
        {"{} {}", "not JSON: something after the value at byte 3"},
        {"{}\n{}", "not JSON: something after the value at byte 3"},
        {"[01]", "not JSON: expected \",\" or \"]\" at byte 2"},
        {"[+1]", "not JSON: expected a value at byte 1"},
        {"[.5]", "not JSON: expected a value at byte 1"},
        {"[1.]", "not JSON: expected a digit at byte 3"},
        {"[1e]", "not JSON: expected a digit at byte 3"},
        {"[-]", "not JSON: expected a digit at byte 2"},
        {"[NaN]", "not JSON: expected a value at byte 1"},
        {"[Infinity]", "not JSON: expected a value at byte 1"},
        {"[0x10]", "not JSON: expected \",\" or \"]\" at byte 2"},
        {"[\"a]", "not JSON: a string without its closing quote at the end"},
        {"[\"\t\"]", "not JSON: a control character in a string at byte 2"},
        {"[\"\\x\"]", "not JSON: an escape that JSON does not have at byte 2"},
        {"[\"\\u12g4\"]", "not JSON: \\u without four hexadecimal digits at byte 2"},
        {"[\"\\u12", "not JSON: \\u without four hexadecimal digits at byte 2"},
        {"[\"a\\u0000b\"]", "not JSON: NUL in a string at byte 3"},
        {"[\"\\ud800\"]", "not JSON: half a surrogate pair at byte 2"},
        {"[\"\\udc00\"]", "not JSON: half a surrogate pair at byte 2"},
        {"[\"\\ud800\\u0041\"]", "not JSON: half a surrogate pair at byte 2"},
        {"[\"\\ud800\\", "not JSON: half a surrogate pair at byte 2"},
        {"[\"\xFF\"]", "not JSON: invalid UTF-8 at byte 2"},
        {"[\"\xC0\xAF\"]", "not JSON: invalid UTF-8 at byte 2"},
        {"[\"\xED\xA0\x80\"]", "not JSON: invalid UTF-8 at byte 2"},
        {"[\"\xF4\x90\x80\x80\"]", "not JSON: invalid UTF-8 at byte 2"},
        {"[\"a\xE2\x82", "not JSON: invalid UTF-8 at byte 3"},
        {"\xEF\xBB\xBF{}", "not JSON: expected a value at byte 0"},
        {"// comment", "not JSON: expected a value at byte 0"},
        {"POST /v1 HTTP/1.1", "not JSON: expected a value at byte 0"},
        {"[1234567890123456789012345678901234567890123456789012345678901234]",
         "not JSON: a number of more than 63 characters ends at byte 65"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(cases[i][0], PROTOCOL_PARSE_ERROR, cases[i][1]);
    }
    assert_refused_bytes("{\"a\0b\":1}", 9, PROTOCOL_PARSE_ERROR, "not JSON: NUL in a string at byte 3");
    assert_refused_bytes("{}\0", 3, PROTOCOL_PARSE_ERROR, "not JSON: something after the value at byte 2");
    assert_refused_bytes("\0", 1, PROTOCOL_PARSE_ERROR, "not JSON: expected a value at byte 0");
}

static void test_accepts_all_of_json(void **state) {
    (void)state;
    assert_accepted(" \t\r\n{ \"a\" : [ 1 , -0 , 0.5 , 1e5 , 1E-5 , 1e+5 , true , false , null , { } , [ ] , "
                    "\"\" ] } \r");
    assert_accepted(
        "{\"\xC3\xA4\":\"\\u00e4 \\ud83e\\udde5 \\\" \\\\ \\/ \\b\\f\\n\\r\\t \xF0\x9F\xA7\xA5\"}");
    assert_accepted("{\"a\":123456789012345678901234567890123456789012345678901234567890123}");
    assert_accepted("{\"a\":1e999}"); // finite numbers are the parameters' business
}

static void nested(char *out, int depth) {
    memset(out, '[', (size_t)depth);
    memset(out + depth, ']', (size_t)depth);
    out[2 * depth] = '\0';
}

static void test_limits_nesting(void **state) {
    (void)state;
    char line[400000];
    nested(line, 64);
    assert_accepted(line);
    nested(line, 65);
    assert_refused(line, PROTOCOL_PARSE_ERROR,
                   "not JSON: arrays and objects nested more than 64 deep at byte 64");
    nested(line, 100000);
    assert_refused(line, PROTOCOL_PARSE_ERROR,
                   "not JSON: arrays and objects nested more than 64 deep at byte 64");
    memset(line, '{', 70);
    assert_refused_bytes(line, 70, PROTOCOL_PARSE_ERROR, "not JSON: expected a key in quotes at byte 1");
}

static void test_limits_values(void **state) {
    (void)state;
    char line[20000] = "[0";
    for (int i = 2; i < PROTOCOL_MAX_VALUES; i++) strcpy(line + 2 * i - 2, ",0");
    size_t length = strlen(line);
    strcpy(line + length, "]");
    assert_accepted(line);
    strcpy(line + length, ",0]");
    assert_refused(line, PROTOCOL_INVALID_REQUEST, "more than 8192 JSON values in one message");
}

static void test_refuses_what_cannot_hold_requests(void **state) {
    (void)state;
    static const char shape[] = "a message must be a JSON-RPC 2.0 request (an object) or an array of them";
    assert_refused("[]", PROTOCOL_INVALID_REQUEST, "a batch must not be empty");
    assert_refused("1", PROTOCOL_INVALID_REQUEST, shape);
    assert_refused("\"x\"", PROTOCOL_INVALID_REQUEST, shape);
    assert_refused("null", PROTOCOL_INVALID_REQUEST, shape);
    assert_refused("true", PROTOCOL_INVALID_REQUEST, shape);
}

// Reads a line of one element, and gives the request or its error.
static ProtocolNext read_one(const char *line, ProtocolRequest *out_request, ProtocolError *out_error) {
    ProtocolMessage message;
    ProtocolRequest none;
    ProtocolError no_error;
    if (!protocol_message_read(&message, line, strlen(line), out_error))
        fail_msg("%s: %s", line, out_error->message);
    ProtocolNext next = protocol_message_next(&message, out_request, out_error);
    assert_int_equal(protocol_message_next(&message, &none, &no_error), PROTOCOL_NEXT_NONE);
    protocol_message_finish(&message); // the request lives on
    return next;
}

static void test_takes_a_request_apart(void **state) {
    (void)state;
    ProtocolRequest request;
    ProtocolError error;
    assert_int_equal(
        read_one("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"simulation.step\",\"params\":{\"ticks\":5}}",
                 &request, &error),
        PROTOCOL_NEXT_REQUEST);
    assert_string_equal(request.id, "7");
    assert_string_equal(request.method, "simulation.step");
    assert_false(request.notification);
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(request.params, "ticks")->valueint, 5);
    protocol_request_finish(&request);

    assert_int_equal(read_one("{\"jsonrpc\":\"2.0\",\"method\":\"session.ping\"}", &request, &error),
                     PROTOCOL_NEXT_REQUEST);
    assert_null(request.id);
    assert_null(request.params);
    assert_true(request.notification);
    protocol_request_finish(&request);

    // A request whose params are no object is still a request; the method's table refuses it.
    assert_int_equal(read_one("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[1],\"more\":2}",
                              &request, &error),
                     PROTOCOL_NEXT_REQUEST);
    assert_true(cJSON_IsArray(request.params));
    protocol_request_finish(&request);
}

static void assert_id(const char *member, const char *expected) {
    char line[256];
    snprintf(line, sizeof line, "{\"method\":\"m\",%s,\"params\":{\"id\":5},\"jsonrpc\":\"2.0\"}", member);
    ProtocolRequest request;
    ProtocolError error;
    assert_int_equal(read_one(line, &request, &error), PROTOCOL_NEXT_REQUEST);
    assert_string_equal(request.id, expected);
    assert_false(request.notification);
    protocol_request_finish(&request);
}

static void test_keeps_ids_as_they_came(void **state) {
    (void)state;
    static const char *const ids[] = {"0",
                                      "-1",
                                      "9007199254740993",
                                      "123456789012345678901234567890",
                                      "1.50",
                                      "1E2",
                                      "\"\"",
                                      "\"a\\u0062\\n\\\"\\/\"",
                                      "\"\xC3\xA4\"",
                                      "null"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char member[128];
        snprintf(member, sizeof member, "\"id\" :  %s ", ids[i]);
        assert_id(member, ids[i]);
    }
    assert_id("\"id\":1,\"id\":2", "1"); // the first counts
    assert_id("\"\\u0069d\":3", "3");
    assert_id("\"i\\u0064\":4,\"id\":5", "4");
    assert_id("\"ID\":8,\"Id\":9,\"id\":10", "10");
}

static void assert_invalid(const char *line, const char *id, const char *path, const char *message) {
    ProtocolRequest request;
    ProtocolError error;
    assert_int_equal(read_one(line, &request, &error), PROTOCOL_NEXT_INVALID);
    assert_int_equal(error.code, PROTOCOL_INVALID_REQUEST);
    assert_string_equal(error.message, message);
    assert_string_equal(error.path, path);
    if (!id)
        assert_null(request.id);
    else
        assert_string_equal(request.id, id);
    assert_false(request.notification);
    protocol_request_finish(&request);
}

static void test_names_what_is_wrong_with_a_request(void **state) {
    (void)state;
    assert_invalid("{}", NULL, "jsonrpc", "jsonrpc must be \"2.0\"");
    assert_invalid("{\"id\":1,\"method\":\"m\"}", "1", "jsonrpc", "jsonrpc must be \"2.0\"");
    assert_invalid("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", "1", "jsonrpc", "jsonrpc must be \"2.0\"");
    assert_invalid("{\"JSONRPC\":\"2.0\",\"id\":1,\"method\":\"m\"}", "1", "jsonrpc",
                   "jsonrpc must be \"2.0\"");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":\"a\"}", "\"a\"", "method", "method must be a string");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"method\":1,\"params\":\"bar\"}", NULL, "method",
                   "method must be a string");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":1,\"Method\":\"m\"}", "1", "method",
                   "method must be a string");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"m\"}", NULL, "id",
                   "id must be a string, a number or null");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", NULL, "id",
                   "id must be a string, a number or null");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}", NULL, "id",
                   "id must be a string, a number or null");
    assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", "4", "method", "method must be a string");
    assert_invalid("[1]", NULL, "", "each element of a batch must be an object");
}

static void test_takes_a_mixed_batch_apart(void **state) {
    (void)state;
    static const char line[] =
        "[{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"a\"}, 1, {\"jsonrpc\":\"2.0\",\"method\":\"b\"}, "
        "{\"foo\":{\"id\":3}}, [[{\"id\":4}]], {\"id\":5,\"jsonrpc\":\"2.0\",\"method\":\"c\"}, \"id\"]";
    static const struct {
        ProtocolNext next;
        const char *id;
        const char *method;
    } expected[] = {
        {PROTOCOL_NEXT_REQUEST, "\"1\"", "a"}, {PROTOCOL_NEXT_INVALID, NULL, NULL},
        {PROTOCOL_NEXT_REQUEST, NULL, "b"},    {PROTOCOL_NEXT_INVALID, NULL, NULL},
        {PROTOCOL_NEXT_INVALID, NULL, NULL},   {PROTOCOL_NEXT_REQUEST, "5", "c"},
        {PROTOCOL_NEXT_INVALID, NULL, NULL},
    };
    ProtocolMessage message;
    ProtocolError error;
    assert_true(protocol_message_read(&message, line, sizeof line - 1, &error));
    assert_true(message.batch);
    ProtocolRequest request;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(protocol_message_next(&message, &request, &error), expected[i].next);
        if (!expected[i].id)
            assert_null(request.id);
        else
            assert_string_equal(request.id, expected[i].id);
        if (!expected[i].method)
            assert_null(request.method);
        else
            assert_string_equal(request.method, expected[i].method);
        protocol_request_finish(&request);
    }
    assert_int_equal(protocol_message_next(&message, &request, &error), PROTOCOL_NEXT_NONE);
    protocol_message_finish(&message);
}

// For any bytes reading ends, and a refusal has a code and a message.
static void test_survives_any_bytes(void **state) {
    (void)state;
    static const char seed[] =
        "[{\"jsonrpc\":\"2.0\",\"id\":\"\\ud83e\\udde5\",\"method\":\"m\",\"params\":{\"a\":[1.5e3,true]}}]";
    uint32_t random = 12345;
    for (int round = 0; round < 100000; round++) {
        char line[sizeof seed];
        memcpy(line, seed, sizeof seed);
        size_t length = sizeof seed - 1;
        for (int change = 0; change < 3; change++) {
            random = random * 1664525 + 1013904223;
            line[(random >> 8) % length] =
                change == 0 ? (char)(random >> 24) : "{}[]\",:\\u0e-"[(random >> 24) % 12];
        }
        if (random % 7 == 0) length = (random >> 4) % length;
        char *exact = malloc(length == 0 ? 1 : length); // so that a sanitizer sees a step beyond
        memcpy(exact, line, length);
        ProtocolMessage message;
        ProtocolError error = {0};
        if (protocol_message_read(&message, exact, length, &error)) {
            ProtocolRequest request;
            while (protocol_message_next(&message, &request, &error) != PROTOCOL_NEXT_NONE) {
                protocol_request_finish(&request);
            }
            protocol_message_finish(&message);
        } else {
            assert_true(error.code == PROTOCOL_PARSE_ERROR || error.code == PROTOCOL_INVALID_REQUEST);
            assert_true(error.message[0] != '\0');
        }
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses_what_is_not_json),
        cmocka_unit_test(test_accepts_all_of_json),
        cmocka_unit_test(test_limits_nesting),
        cmocka_unit_test(test_limits_values),
        cmocka_unit_test(test_refuses_what_cannot_hold_requests),
        cmocka_unit_test(test_takes_a_request_apart),
        cmocka_unit_test(test_keeps_ids_as_they_came),
        cmocka_unit_test(test_names_what_is_wrong_with_a_request),
        cmocka_unit_test(test_takes_a_mixed_batch_apart),
        cmocka_unit_test(test_survives_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
