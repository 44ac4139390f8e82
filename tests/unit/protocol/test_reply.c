// Output lines, byte for byte.
#include "protocol/reply.h"
#include "text_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <text/number.h>

static void test_results(void **state) {
    (void)state;
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "role", "operator");
    protocol_write_result(&text, "\"a\\u0062\"", result);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"result\":{\"role\":\"operator\"}}\n");
    protocol_write_result(&text, NULL, result);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"role\":\"operator\"}}\n");
    protocol_write_result_text(&text, "9007199254740993", "[1]", 3);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":[1]}\n");
    protocol_write_result_tick(&text, "7", 600);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"tick\":600}}\n");
    cJSON_Delete(result);
}

static void test_forwarded(void **state) {
    (void)state;
    const char *line = "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"tick\":7}}\n";
    protocol_write_forwarded(&text, "1e3", line, strlen(line));
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":1e3,\"result\":{\"tick\":7}}\n");
    protocol_write_forwarded(&text, "1", "{\"id\":null}", 11);
    assert_true(text.failed);
    text_buffer_clear(&text);
}

static void test_errors(void **state) {
    (void)state;
    ProtocolError error;
    protocol_error_set(&error, PROTOCOL_PARSE_ERROR, NULL, "not JSON: %s", "\"\n\"");
    protocol_write_error(&text, NULL, &error);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"not JSON: "
                "\\\"\\n\\\"\"}}\n");
    protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.ticks", "busy");
    protocol_write_error(&text, "1", &error);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32003,\"message\":\"busy\",\"data\":{\"path\":"
        "\"params.ticks\"}}}\n");
    protocol_error_set(&error, PROTOCOL_SCRIPT_ERROR, NULL, "boom");
    error.traceback = "stack\n\tmain";
    protocol_write_error(&text, "1", &error);
    assert_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32004,\"message\":\"boom\",\"data\":{"
                "\"traceback\":"
                "\"stack\\n\\tmain\"}}}\n");
    protocol_error_set(&error, PROTOCOL_SCRIPT_ERROR, "params.command", "boom");
    error.traceback = "";
    protocol_write_error(&text, "1", &error);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32004,\"message\":\"boom\",\"data\":{\"path\":"
        "\"params.command\",\"traceback\":\"\"}}}\n");
}

static void test_errors_of_the_protocol(void **state) {
    (void)state;
    static const char *const names[] = {"alan", "barry", "alice"};
    ProtocolError error;
    const TextNearest alna = text_nearest_of("alna", names, 3), zoe = text_nearest_of("zoe", names, 3);
    protocol_error_not_found(&error, "params.character", "character", &alna);
    assert_int_equal(error.code, PROTOCOL_NOT_FOUND);
    assert_string_equal(error.message, "no character \"alna\"; did you mean \"alan\"?");
    assert_string_equal(error.path, "params.character");
    protocol_error_not_found(&error, "params.character", "character", &zoe);
    assert_string_equal(error.message, "no character \"zoe\"");
    protocol_error_version(&error, 2);
    assert_int_equal(error.code, PROTOCOL_WRONG_VERSION);
    assert_string_equal(error.message, "protocol 2 is not supported; this server has protocol 1");
    assert_string_equal(error.path, "params.protocol");
    protocol_error_role(&error, "character.move");
    assert_int_equal(error.code, PROTOCOL_NOT_ALLOWED);
    assert_string_equal(error.message,
                        "character.move needs the role operator; this connection is an observer");
}

static void test_long_errors_are_cut_between_characters(void **state) {
    (void)state;
    char name[2000];
    for (size_t i = 0; i + 1 < sizeof name; i += 2) memcpy(name + i, "\xC3\xA4", 2);
    for (int shift = 0; shift < 2; shift++) {
        name[sizeof name - 1] = '\0';
        ProtocolError error;
        protocol_error_set(&error, -1, name + 2, "%s%s", shift == 0 ? "" : "a", name);
        size_t length = strlen(error.message);
        assert_in_range(length, PROTOCOL_ERROR_MESSAGE_BYTES - 3, PROTOCOL_ERROR_MESSAGE_BYTES - 1);
        assert_string_equal(error.message + length - 5, "\xC3\xA4\xE2\x80\xA6");
        assert_string_equal(error.path + strlen(error.path) - 5, "\xC3\xA4\xE2\x80\xA6");
    }
}

static void test_notifications(void **state) {
    (void)state;
    cJSON *params = cJSON_CreateObject();
    cJSON_AddNumberToObject(params, "tick", 12);
    cJSON_AddNumberToObject(params, "holds", 1);
    protocol_write_notification(&text, "simulation.paused", params);
    assert_text(
        "{\"jsonrpc\":\"2.0\",\"method\":\"simulation.paused\",\"params\":{\"tick\":12,\"holds\":1}}\n");
    cJSON_Delete(params);
}

static void test_batches(void **state) {
    (void)state;
    TextBuffer batch = {0};
    protocol_batch_end(&batch);
    assert_int_equal(batch.length, 0); // nothing to answer, nothing to send
    protocol_write_result_tick(&text, "1", 5);
    protocol_batch_add(&batch, &text);
    text_buffer_clear(&text);
    protocol_batch_add(&batch, &text); // a notification's reply
    protocol_write_result_tick(&text, "\"b\"", 6);
    protocol_batch_add(&batch, &text);
    protocol_batch_end(&batch);
    text_buffer_clear(&text);
    text_buffer_append(&text, batch.bytes, batch.length);
    assert_text("[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tick\":5}},{\"jsonrpc\":\"2.0\",\"id\":\"b\","
                "\"result\":"
                "{\"tick\":6}}]\n");
    text_buffer_finish(&batch);
}

static void test_trees(void **state) {
    (void)state;
    cJSON *tree = cJSON_CreateArray();
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "k\"\xC3\xA4", cJSON_CreateString("v\n\xFF"));
    cJSON_AddItemToObject(object, "empty", cJSON_CreateObject());
    cJSON_AddItemToArray(tree, object);
    cJSON_AddItemToArray(tree, cJSON_CreateArray());
    cJSON_AddItemToArray(tree, cJSON_CreateTrue());
    cJSON_AddItemToArray(tree, cJSON_CreateFalse());
    cJSON_AddItemToArray(tree, cJSON_CreateNull());
    cJSON_AddItemToArray(tree, cJSON_CreateNumber(-9.81));
    cJSON_AddItemToArray(tree, cJSON_CreateNumber(text_double_from_float(0.1f)));
    cJSON_AddItemToArray(tree, cJSON_CreateNumber(9007199254740991.0));
    cJSON_AddItemToArray(tree, cJSON_CreateNumber(-0.0));
    cJSON_AddItemToArray(tree, cJSON_CreateRaw("{\"raw\":[]}"));
    protocol_write_json(&text, tree);
    assert_text("[{\"k\\\"\xC3\xA4\":\"v\\n\xEF\xBF\xBD\",\"empty\":{}},[],true,false,null,-9.81,0.1,"
                "9007199254740991,0,"
                "{\"raw\":[]}]");
    cJSON_Delete(tree);
    protocol_write_json(&text, NULL); // what is left of a tree when memory ran out
    assert_true(text.failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_forwarded),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_of_the_protocol),
        cmocka_unit_test(test_long_errors_are_cut_between_characters),
        cmocka_unit_test(test_notifications),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_trees),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
