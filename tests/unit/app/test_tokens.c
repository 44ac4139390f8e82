// Token files: accepted lines, exact messages for others, the role of a token, and session.open.
#include "session/access.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "hunter2"

static bool parse(AppTokens *tokens, const char *text, char message[256]) {
    message[0] = '\0';
    return app_tokens_parse(tokens, "tokens", text, strlen(text), message, 256);
}

static void test_lines_are_taken(void **state) {
    (void)state;
    AppTokens tokens;
    char message[256];
    assert_true(parse(&tokens,
                      "# who may what\n"
                      "operator one\n"
                      "\n"
                      "  observer\ttwo#2 # the screen in the hall\r\n"
                      "observer " SECRET,
                      message));
    assert_int_equal(tokens.count, 3);
    assert_int_equal(app_tokens_role(&tokens, "one"), PROTOCOL_ROLE_OPERATOR);
    assert_int_equal(app_tokens_role(&tokens, "two#2"), PROTOCOL_ROLE_OBSERVER);
    assert_int_equal(app_tokens_role(&tokens, SECRET), PROTOCOL_ROLE_OBSERVER);
    assert_int_equal(tokens.items[2].line, 5);
    assert_int_equal(app_token_length(&tokens.items[1]), 5);
    static const char *const wrong[] = {"",         "on",   "onee",    "One",    "two",
                                        "operator", "one ", "hunter3", "iunter2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(app_tokens_role(&tokens, wrong[i]), PROTOCOL_ROLE_NONE);
    app_tokens_finish(&tokens);
}

static void test_the_longest_token_is_compared_whole(void **state) {
    (void)state;
    AppTokens tokens;
    char message[256], text[APP_TOKEN_BYTES + 32] = "operator ";
    char *token = text + strlen(text);
    memset(token, 'x', APP_TOKEN_BYTES);
    assert_true(parse(&tokens, text, message));
    assert_int_equal(app_token_length(&tokens.items[0]), APP_TOKEN_BYTES);
    assert_int_equal(app_tokens_role(&tokens, token), PROTOCOL_ROLE_OPERATOR);
    token[APP_TOKEN_BYTES - 1] = 'y';
    assert_int_equal(app_tokens_role(&tokens, token), PROTOCOL_ROLE_NONE);
    strcpy(token + APP_TOKEN_BYTES - 1, "xx");
    assert_int_equal(app_tokens_role(&tokens, token), PROTOCOL_ROLE_NONE);
    app_tokens_finish(&tokens);
    assert_false(parse(&tokens, text, message));
    assert_string_equal(message, "tokens:1: expected a token of 512 characters at most, found 513");
}

static void test_mistakes_are_told_without_the_token(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "tokens: expected a line with operator or observer and a token, found none"},
        {"# operator x\n\n", "tokens: expected a line with operator or observer and a token, found none"},
        {SECRET "\n", "tokens:1: expected operator or observer, found another word"},
        {"operator a\n" SECRET " operator\n", "tokens:2: expected operator or observer, found another word"},
        {"Operator " SECRET, "tokens:1: expected operator or observer, found another word"},
        {"operators " SECRET, "tokens:1: expected operator or observer, found another word"},
        {"\n\noperator", "tokens:3: expected a token after operator, found none"},
        {"observer # " SECRET, "tokens:1: expected a token after observer, found none"},
        {"operator " SECRET " " SECRET,
         "tokens:1: expected one token, found more words: a token has no spaces"},
        {"operator hunt\xc3\xa9r2",
         "tokens:1: expected a token of visible ASCII characters, found another character at position 5"},
        {"operator hun\x7fter2",
         "tokens:1: expected a token of visible ASCII characters, found another character at position 4"},
        {"operator " SECRET "\nobserver x\nobserver " SECRET, "tokens:3: the token is already on line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AppTokens tokens;
        char message[256];
        assert_false(parse(&tokens, cases[i].text, message));
        assert_string_equal(message, cases[i].message);
        assert_null(tokens.items);
    }
}

static void test_a_nul_ends_nothing(void **state) {
    (void)state;
    static const char text[] = "operator a\0b\n";
    AppTokens tokens;
    char message[256];
    assert_false(app_tokens_parse(&tokens, "tokens", text, sizeof text - 1, message, sizeof message));
    assert_string_equal(
        message,
        "tokens:1: expected a token of visible ASCII characters, found another character at position 2");
}

static void test_so_many_and_no_more(void **state) {
    (void)state;
    AppTokens tokens;
    char message[256], *text = malloc((APP_TOKENS + 1) * 32);
    size_t length = 0;
    for (int i = 0; i < APP_TOKENS; i++) length += (size_t)sprintf(text + length, "operator t%d\n", i);
    assert_true(parse(&tokens, text, message));
    assert_int_equal(app_tokens_role(&tokens, "t1023"), PROTOCOL_ROLE_OPERATOR);
    app_tokens_finish(&tokens);
    strcpy(text + length, "observer more\n");
    assert_false(parse(&tokens, text, message));
    assert_string_equal(message, "tokens:1025: expected 1024 tokens at most, found one more");
    free(text);
}

// Reads a file of that mode and size. Returns the message, or "" on success.
static const char *read_file(const char *text, size_t size, mode_t mode, char message[512]) {
    char path[] = "/tmp/tweed-tokens-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), size);
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
    AppTokens tokens;
    message[0] = '\0';
    if (app_tokens_read(&tokens, path, message, 512)) app_tokens_finish(&tokens);
    unlink(path);
    const char *rest = strstr(message, ": ");
    return rest ? rest + 2 : message;
}

static void test_only_a_file_of_the_owner_alone_is_read(void **state) {
    (void)state;
    static const struct {
        mode_t mode;
        const char *message;
    } cases[] = {
        {0600, ""},
        {0644, "expected mode 0600, found 0644: run chmod 600"},
        {0640, "expected mode 0600, found 0640: run chmod 600"},
        {0602, "expected mode 0600, found 0602: run chmod 600"},
        {0700, "expected mode 0600, found 0700: run chmod 600"},
        {04600, "expected mode 0600, found 4600: run chmod 600"},
    };
    char message[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(read_file("operator x\n", 11, cases[i].mode, message), cases[i].message);
}

static void test_what_is_no_such_file_is_told(void **state) {
    (void)state;
    AppTokens tokens;
    char message[512];
    assert_false(app_tokens_read(&tokens, "/nowhere/tokens", message, sizeof message));
    assert_string_equal(message, "/nowhere/tokens: No such file or directory");
    assert_false(app_tokens_read(&tokens, "/tmp", message, sizeof message));
    assert_string_equal(message, "/tmp: expected a file, found something else");
    static char large[APP_TOKEN_FILE_BYTES + 1];
    memset(large, '#', sizeof large);
    assert_string_equal(read_file(large, sizeof large, 0600, message),
                        "expected 65536 bytes at most, found more");
    assert_string_equal(read_file(large, sizeof large - 1, 0600, message),
                        "expected a line with operator or observer and a token, found none");
}

static AppAccessResult open_session(AppAccess *access, const AppTokens *tokens, const char *json,
                                    ProtocolError *out_error) {
    *out_error = (ProtocolError){0};
    cJSON *params = cJSON_Parse(json);
    const ProtocolMethod *method = protocol_find_method("session.open", out_error);
    assert_true(protocol_validate_params(method, params, out_error));
    const AppAccessResult result =
        app_access_open(access, tokens, protocol_params(method, params), out_error);
    cJSON_Delete(params);
    return result;
}

typedef struct Step {
    const char *params;
    AppAccessResult result;
    ProtocolRole role; // afterwards
    const char *message;
} Step;

static void take_steps(const AppTokens *tokens, const Step *steps, size_t count) {
    AppAccess access = app_access_begin(tokens);
    for (size_t i = 0; i < count; i++) {
        ProtocolError error;
        assert_int_equal(open_session(&access, tokens, steps[i].params, &error), steps[i].result);
        assert_string_equal(error.message, steps[i].message);
        assert_int_equal(access.role, steps[i].role);
    }
}

static void test_a_role_lowers_what_is_granted(void **state) {
    (void)state;
    static const Step steps[] = {
        {"{}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OPERATOR, ""},
        {"{\"role\":\"observer\"}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OBSERVER, ""},
        {"{\"role\":\"operator\",\"protocol\":2}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_OBSERVER,
         "protocol 2 is not supported; this server has protocol 1"},
        {"{\"token\":\"unasked\"}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OPERATOR, ""},
    };
    take_steps(&(AppTokens){0}, steps, sizeof steps / sizeof *steps);
}

static void test_a_token_grants_and_a_wrong_one_takes_all(void **state) {
    (void)state;
    static const char *const needed = "session.open needs a token", *const wrong =
                                                                        "session.open: the token is wrong";
    static const char *const raised = "session.open: the token is one for the role observer, not operator";
    const Step steps[] = {
        {"{}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_NONE, needed},
        {"{\"role\":\"observer\"}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_NONE, needed},
        {"{\"token\":\"look\",\"role\":\"operator\"}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_NONE, raised},
        {"{}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_NONE, needed},
        {"{\"token\":\"look\"}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OBSERVER, ""},
        {"{\"role\":\"operator\"}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_OBSERVER, raised},
        {"{}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OBSERVER, ""},
        {"{\"token\":\"touch\",\"role\":\"observer\"}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OBSERVER, ""},
        {"{\"role\":\"operator\"}", APP_ACCESS_OPENED, PROTOCOL_ROLE_OPERATOR, ""},
        {"{\"token\":\"tuoch\"}", APP_ACCESS_WRONG_TOKEN, PROTOCOL_ROLE_NONE, wrong},
        {"{}", APP_ACCESS_REFUSED, PROTOCOL_ROLE_NONE, needed},
    };
    AppTokens tokens;
    char message[256];
    assert_true(parse(&tokens, "operator touch\nobserver look\n", message));
    take_steps(&tokens, steps, sizeof steps / sizeof *steps);
    app_tokens_finish(&tokens);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_taken),
        cmocka_unit_test(test_the_longest_token_is_compared_whole),
        cmocka_unit_test(test_mistakes_are_told_without_the_token),
        cmocka_unit_test(test_a_nul_ends_nothing),
        cmocka_unit_test(test_so_many_and_no_more),
        cmocka_unit_test(test_only_a_file_of_the_owner_alone_is_read),
        cmocka_unit_test(test_what_is_no_such_file_is_told),
        cmocka_unit_test(test_a_role_lowers_what_is_granted),
        cmocka_unit_test(test_a_token_grants_and_a_wrong_one_takes_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
