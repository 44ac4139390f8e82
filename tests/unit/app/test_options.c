// The command line: accepted options, and the exact messages for others.
#include "base/log.h"
#include "cli/parse.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case {
    const char *line; // words with one space between
    const char *message;
} Case;

// variable: NAME=VALUE of the environment for this parse; NULL: none.
static AppParse parse(AppOptions *options, const char *line, const char *variable, char message[1024]) {
    static char words[1024]; // the options point into it
    char *argv[48] = {(char[]){"tweed"}};
    char name[64] = "";
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    if (variable) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
        setenv(name, strchr(variable, '=') + 1, 1);
    }
    message[0] = '\0';
    const AppParse result = app_options_parse(options, argc, argv, message, 1024);
    if (variable) unsetenv(name);
    return result;
}

// The caller finishes the options.
static AppOptions accept(const char *line, const char *variable) {
    AppOptions options;
    char message[1024];
    if (parse(&options, line, variable, message) != APP_PARSE_RUN) fail_msg("%s: %s", line, message);
    return options;
}

static void assert_refused(const char *line, const char *variable, const char *expected) {
    AppOptions options;
    char message[1024];
    assert_int_equal(parse(&options, line, variable, message), APP_PARSE_WRONG);
    assert_string_equal(message, expected);
    app_options_finish(&options);
}

static void test_defaults(void **state) {
    (void)state;
    AppOptions options = accept("serve scenes/wake.lua", NULL);
    assert_int_equal(options.command, APP_COMMAND_SERVE);
    assert_int_equal(options.files.count, 1);
    assert_string_equal(options.files.names[0], "scenes/wake.lua");
    assert_string_equal(options.listen.host, "127.0.0.1");
    assert_int_equal(options.listen.port, 7601);
    assert_string_equal(options.http.host, "127.0.0.1");
    assert_int_equal(options.http.port, 7602);
    assert_false(options.no_http);
    assert_int_equal(options.allow_origin.count, 0);
    assert_null(options.web);
    assert_null(options.unix_path);
    assert_null(options.port_file);
    assert_int_equal(options.rate, 60);
    assert_int_equal(options.threads, 0);
    assert_false(options.paused);
    assert_int_equal(options.seed, 0);
    assert_int_equal(options.log_level, TEXT_LOG_INFO);
    assert_int_equal(options.log_time, APP_LOG_TIME_AUTO);
    assert_int_equal(options.max_characters, 4096);
    assert_int_equal(options.max_clients, 256);
    assert_int_equal(options.pose_timeout, 2);
    assert_int_equal(options.max_message, 65536);
    assert_string_equal(options.jsonlivelink.host, "");
    assert_true(app_options_script_memory(&options) == (size_t)64 << 20);
    assert_true(app_options_script_budget_ns(&options) == UINT64_C(50000000));
    app_options_finish(&options);
}

static void test_everything_given(void **state) {
    (void)state;
    const char *line =
        "serve a.lua --listen [::1]:0 --unix /tmp/t.sock --port-file=/tmp/p --rate 240 --threads=4 --paused "
        "--log-time local --scripts x --scripts y --assets z --log debug --seed 9223372036854775807 --http "
        "[::1]:8080 --no-http --allow-origin x.example --allow-origin http://localhost:5173 --web dist "
        "--pose-timeout 0 --max-clients 2 --max-message 2048 --script-memory 8 --script-budget 1500 b.lua -- "
        "--c.lua";
    AppOptions options = accept(line, NULL);
    assert_int_equal(options.files.count, 3);
    assert_string_equal(options.files.names[2], "--c.lua");
    assert_string_equal(options.listen.host, "::1");
    assert_int_equal(options.listen.port, 0);
    assert_string_equal(options.http.host, "::1");
    assert_int_equal(options.http.port, 8080);
    assert_true(options.no_http);
    assert_int_equal(options.allow_origin.count, 2);
    assert_string_equal(options.allow_origin.names[1], "http://localhost:5173");
    assert_string_equal(options.web, "dist");
    assert_string_equal(options.unix_path, "/tmp/t.sock");
    assert_string_equal(options.port_file, "/tmp/p");
    assert_int_equal(options.rate, 240);
    assert_int_equal(options.threads, 4);
    assert_true(options.paused);
    assert_int_equal(options.scripts.count, 2);
    assert_string_equal(options.scripts.names[1], "y");
    assert_int_equal(options.assets.count, 1);
    assert_int_equal(options.log_level, TEXT_LOG_DEBUG);
    assert_int_equal(options.log_time, APP_LOG_TIME_LOCAL);
    assert_true(options.seed == INT64_MAX);
    assert_int_equal(options.max_clients, 2);
    assert_int_equal(options.pose_timeout, 0);
    assert_int_equal(options.max_message, 2048);
    assert_true(app_options_script_memory(&options) == (size_t)8 << 20);
    assert_true(app_options_script_budget_ns(&options) == UINT64_C(1500000000));
    app_options_finish(&options);
}

static void test_fewer_characters(void **state) {
    (void)state;
    AppOptions options = accept("serve a.lua --max-characters 8", NULL);
    assert_int_equal(options.max_characters, 8);
    app_options_finish(&options);
}

static const Case wrong_usage[] = {
    {"", "expected a command, such as serve or check; see tweed --help"},
    {"sevre a.lua", "no command \"sevre\"; did you mean \"serve\"?"},
    {"fly", "no command \"fly\"; see tweed --help"},
    {"serve", "serve: expected a file to serve (such as scripts/scenes/wake.lua), found none"},
    {"check", "check: expected a file to check, found none"},
    {"types x", "types: expected nothing more, found \"x\""},
    {"tipes", "no command \"tipes\"; did you mean \"types\"?"},
    {"reference --json", "no option --json; see --help"},
    {"serve a.lua --json", "no option --json; see --help"},
    {"serve a.lua --rate 20", "--rate: expected a whole number from 30 to 240, found \"20\""},
    {"serve a.lua --rate 60Hz", "--rate: expected a whole number from 30 to 240, found \"60Hz\""},
    {"serve a.lua --rate=", "--rate: expected a whole number from 30 to 240, found \"\""},
    {"serve a.lua --rate -60", "--rate: expected a whole number from 30 to 240, found \"-60\""},
    {"serve a.lua --seed 9223372036854775808",
     "--seed: expected a whole number from 0 to 9223372036854775807, found \"9223372036854775808\""},
    {"serve a.lua --max-characters 0",
     "--max-characters: expected a whole number from 1 to 4096, found \"0\""},
    {"serve a.lua --rate", "--rate: expected HZ, found nothing"},
    {"serve a.lua --unix=", "--unix: expected PATH, found an empty text"},
    {"serve a.lua --raet 60", "no option --raet; did you mean --rate?"},
    {"serve a.lua --raet=60", "no option --raet; did you mean --rate?"},
    {"serve a.lua -rate 60", "no option -rate; did you mean --rate?"},
    {"serve a.lua --frobnicate", "no option --frobnicate; see --help"},
    {"serve a.lua --paused=yes", "--paused: expected no value, found \"yes\""},
    {"serve a.lua --log loud", "--log: expected error, warning, info or debug, found \"loud\""},
    {"serve a.lua --log-time gmt", "--log-time: expected none, local or utc, found \"gmt\""},
    {"serve a.lua --listen 7601", "--listen: expected HOST:PORT such as 127.0.0.1:7601, found \"7601\""},
    {"serve a.lua --listen localhost:70000",
     "--listen: expected HOST:PORT such as 127.0.0.1:7601, found \"localhost:70000\""},
    {"serve a.lua --listen ::1:7601",
     "--listen: expected HOST:PORT such as 127.0.0.1:7601, found \"::1:7601\""},
    {"serve a.lua --http 7602", "--http: expected HOST:PORT such as 127.0.0.1:7602, found \"7602\""},
    {"serve a.lua --http 0.0.0.0:80",
     "--http: expected a loopback address such as 127.0.0.1:80, found 0.0.0.0: anyone who reaches the port "
     "can drive the characters, so another address needs --token-file"},
    {"serve a.lua --listen 0.0.0.0:7601", "--listen: expected a loopback address such as "
                                          "127.0.0.1:7601, found 0.0.0.0: anyone who reaches the port can "
                                          "drive the characters, so another address needs --token-file"},
#define ORIGIN(value)                                                                                        \
    {                                                                                                        \
        "serve a.lua --allow-origin " value,                                                                 \
            "--allow-origin: expected a host name, or an origin such as https://example.com or "             \
            "http://localhost:5173, found \"" value "\""                                                     \
    }
    ORIGIN("null"),
    ORIGIN("*"),
    ORIGIN("http://ok.example/"),
    ORIGIN("http://x/y"),
    ORIGIN("ok.example:8000"),
    ORIGIN("javascript:"),
    ORIGIN("file://"),
    ORIGIN("http://ok.example:65536"),
    ORIGIN("http://[::1"),
    {"serve a.lua --jsonlivelink 54321",
     "--jsonlivelink: expected HOST:PORT such as 127.0.0.1:54321, found \"54321\""},
    {"serve a.lua --jsonlivelink 127.0.0.1:0",
     "--jsonlivelink: expected HOST:PORT such as 127.0.0.1:54321, found \"127.0.0.1:0\""},
    {"serve a.lua --jsonlivelink 192.168.1.20:54321",
     "--jsonlivelink: expected a loopback address such as 127.0.0.1:54321, found 192.168.1.20: another "
     "machine's address needs --jsonlivelink-remote, since the data is not encrypted"},
    {"serve a.lua --jsonlivelink-remote",
     "--jsonlivelink-remote: expected --jsonlivelink HOST:PORT as well, found none"},
    {"serve a.lua --jsonlivelink-rate 30",
     "--jsonlivelink-rate: expected --jsonlivelink HOST:PORT as well, found none"},
    {"serve a.lua --jsonlivelink-rate 0",
     "--jsonlivelink-rate: expected a whole number from 1 to 240, found \"0\""},
    {"bake a.lua --jsonlivelink [::1]:1", "no option --jsonlivelink; see --help"},
    {"check a.lua --rate 60", "no option --rate; see --help"},
    {"--paused", "no option --paused; see --help"},
};

static void test_wrong_usage_is_told(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong_usage / sizeof *wrong_usage; i++)
        assert_refused(wrong_usage[i].line, NULL, wrong_usage[i].message);
}

static void test_live_link_goes_elsewhere_only_when_told_to(void **state) {
    (void)state;
    const char *lines[] = {"serve a --jsonlivelink [::1]:54321 --jsonlivelink-rate 30",
                           "serve a --jsonlivelink-remote --jsonlivelink 192.168.1.20:54321"};
    const char *hosts[] = {"::1", "192.168.1.20"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        AppOptions options = accept(lines[i], NULL);
        assert_string_equal(options.jsonlivelink.host, hosts[i]);
        assert_int_equal(options.jsonlivelink.port, 54321);
        assert_int_equal(options.jsonlivelink_rate, i == 0 ? 30 : 0);
        assert_int_equal(options.jsonlivelink_remote, i == 1);
        app_options_finish(&options);
    }
}

static void test_variables_stand_for_options(void **state) {
    (void)state;
    AppOptions options = accept("serve a.lua", "TWEED_RATE=120");
    assert_int_equal(options.rate, 120);
    app_options_finish(&options);
    options = accept("serve a.lua --rate 30", "TWEED_RATE=fast");
    assert_int_equal(options.rate, 30); // the command line wins
    app_options_finish(&options);
    options = accept("watch", "TWEED_RATE=12");
    assert_int_equal(options.view_rate, 12);
    app_options_finish(&options);
    options = accept("serve a.lua", "TWEED_BINARY=x");
    app_options_finish(&options); // somebody else's
    options = accept("serve a.lua", "TWEED_LOG_TIME=utc");
    assert_int_equal(options.log_time, APP_LOG_TIME_UTC);
    app_options_finish(&options);
    options = accept("serve a.lua", "TWEED_UNIX=");
    assert_null(options.unix_path); // an empty variable is none
    app_options_finish(&options);
    options = accept("serve a.lua", "TWEED_HELP=1");
    app_options_finish(&options);
}

static void test_variables_of_flags_and_lists(void **state) {
    (void)state;
    const char *const flags[] = {"TWEED_PAUSED=1", "TWEED_PAUSED=true", "TWEED_PAUSED=0",
                                 "TWEED_PAUSED=false"};
    for (size_t i = 0; i < 4; i++) {
        AppOptions options = accept("serve a.lua", flags[i]);
        assert_int_equal(options.paused, i < 2);
        app_options_finish(&options);
    }
    AppOptions options = accept("serve a.lua", "TWEED_SCRIPTS=a b,c");
    assert_int_equal(options.scripts.count, 2);
    assert_string_equal(options.scripts.names[0], "a b");
    assert_string_equal(options.scripts.names[1], "c");
    app_options_finish(&options);
    options = accept("serve a.lua --scripts d", "TWEED_SCRIPTS=b,c");
    assert_int_equal(options.scripts.count, 1);
    app_options_finish(&options);
    options = accept("serve a.lua --http [::1]:1", "TWEED_NO_HTTP=1");
    assert_false(options.no_http);
    app_options_finish(&options);
    options = accept("stats --connect [::1]:1", "TWEED_UNIX=a");
    assert_null(options.unix_path);
    app_options_finish(&options);
}

static void test_wrong_variables_are_named(void **state) {
    (void)state;
    static const struct {
        const char *line, *message, *variable;
    } cases[] = {
        {"serve a.lua", "TWEED_LISTNE: no option of that name; did you mean TWEED_LISTEN?",
         "TWEED_LISTNE=127.0.0.1:0"},
        {"serve a", "TWEED_RATE: expected a whole number from 30 to 240, found \"fast\"", "TWEED_RATE=fast"},
        {"serve a", "TWEED_PAUSED: expected 1 or 0, found \"maybe\"", "TWEED_PAUSED=maybe"},
        {"serve a", "TWEED_LOG: expected error, warning, info or debug, found \"loud\"", "TWEED_LOG=loud"},
        {"serve a", "TWEED_LOG_FORMAT: expected text or json, found \"xml\"", "TWEED_LOG_FORMAT=xml"},
        {"serve a", "TWEED_HTTP: expected HOST:PORT such as 127.0.0.1:7602, found \"80\"", "TWEED_HTTP=80"},
        {"serve a",
         "TWEED_LISTEN: expected a loopback address such as 127.0.0.1:1, found 0.0.0.0: anyone who reaches "
         "the port can drive the characters, so another address needs --token-file",
         "TWEED_LISTEN=0.0.0.0:1"},
        {"serve a",
         "TWEED_ALLOW_ORIGIN: expected a host name, or an origin such as https://example.com or "
         "http://localhost:5173, found \"b/c\"",
         "TWEED_ALLOW_ORIGIN=a,b/c"},
        {"serve a", "TWEED_JSONLIVELINK_RATE: expected --jsonlivelink HOST:PORT as well, found none",
         "TWEED_JSONLIVELINK_RATE=9"},
        {"replay a", "TWEED_SPEED: expected a number from 0.01 to 100, found \"0.001\"", "TWEED_SPEED=0.001"},
        {"replay a", "TWEED_SPEED: expected a number from 0.01 to 100, found \"101\"", "TWEED_SPEED=101"},
        {"bake a", "TWEED_OUT: expected a name that ends in .glb, found \"a.png\"", "TWEED_OUT=a.png"},
        {"bake a", "TWEED_CHARACTERS: expected a pattern in which each [ has its ], found \"[\"",
         "TWEED_CHARACTERS=["},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].line, cases[i].variable, cases[i].message);
}

static void test_loopback_is_taken(void **state) {
    (void)state;
    const char *lines[] = {"serve a --listen 127.0.0.1:0", "serve a --listen 127.255.0.3:1",
                           "serve a --listen localhost:65535", "serve a --listen [::1]:7"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        AppOptions options = accept(lines[i], NULL);
        app_options_finish(&options);
    }
}

static void test_questions(void **state) {
    (void)state;
    const struct {
        const char *line;
        AppParse result;
        AppCommand command;
    } cases[] = {{"--version", APP_PARSE_VERSION, APP_COMMAND_NONE},
                 {"--help", APP_PARSE_HELP, APP_COMMAND_NONE},
                 {"-h", APP_PARSE_HELP, APP_COMMAND_NONE},
                 {"help", APP_PARSE_HELP, APP_COMMAND_NONE},
                 {"serve --help", APP_PARSE_HELP, APP_COMMAND_SERVE},
                 {"check -h", APP_PARSE_HELP, APP_COMMAND_CHECK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AppOptions options;
        char message[1024];
        assert_int_equal(parse(&options, cases[i].line, NULL, message), cases[i].result);
        assert_int_equal(options.command, cases[i].command);
        app_options_finish(&options);
    }
}

static void test_nodes_need_a_cluster(void **state) {
    (void)state;
    AppOptions options =
        accept("serve a.lua --cluster nats://h:4222 --cluster-name x_1 --node n-2 --advertise "
               "h:7 --cluster-credentials c",
               NULL);
    assert_string_equal(options.cluster, "nats://h:4222");
    assert_string_equal(options.cluster_name, "x_1");
    assert_string_equal(options.node, "n-2");
    assert_string_equal(options.advertise.host, "h");
    assert_string_equal(options.cluster_credentials, "c");
    app_options_finish(&options);
    static const Case cases[] = {
        {"serve a.lua --node n", "--node: needs --cluster URL"},
        {"serve a.lua --advertise h:7", "--advertise: needs --cluster URL"},
        {"serve a.lua --cluster http://h:4222", "--cluster: expected a NATS server such as "
                                                "nats://127.0.0.1:4222 or tls://HOST, found http://h:4222"},
        {"serve a.lua --cluster http://u:p@ss@h:4222",
         "--cluster: expected a NATS server such as "
         "nats://127.0.0.1:4222 or tls://HOST, found http://h:4222"},
        {"serve a.lua --cluster nats://",
         "--cluster: expected a NATS server such as nats://127.0.0.1:4222 or tls://HOST, found nats://"},
        {"serve a.lua --cluster tls://h --node a.b",
         "--node: expected 1 to 32 letters, digits, - and _, found a.b"},
        {"serve a.lua --cluster tls://h --cluster-name a*",
         "--cluster-name: expected 1 to 32 letters, digits, - and _, found a*"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].line, NULL, cases[i].message);
}

// A command's help lists all of its options and no others.
static void test_help_says_what_parsing_takes(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    app_options_write_help(APP_COMMAND_SERVE, file);
    fclose(file);
    const char *names[] = {"--listen HOST:PORT",
                           "--http HOST:PORT",
                           "--no-http",
                           "--allow-origin ORIGIN",
                           "--web DIR",
                           "--unix PATH",
                           "--port-file PATH",
                           "--rate HZ",
                           "--threads N",
                           "--paused",
                           "--scripts DIR",
                           "--allow-save",
                           "--assets DIR",
                           "--log LEVEL",
                           "--log-time TIME",
                           "--seed N",
                           "--pose-timeout SECONDS",
                           "--max-characters N",
                           "--max-clients N",
                           "--max-message BYTES",
                           "--script-memory MIB",
                           "--script-budget MS",
                           "30 to 240",
                           "--help",
                           "tweed serve [OPTION…] SCENE…"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(strstr(text, names[i]));
    assert_null(strstr(text, "tweed check"));
    free(text);

    file = open_memstream(&text, &size);
    app_options_write_help(APP_COMMAND_CHECK, file);
    fclose(file);
    assert_null(strstr(text, "--rate"));
    assert_non_null(strstr(text, "--assets DIR"));
    assert_non_null(strstr(text, "--script-budget MS"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_everything_given),
        cmocka_unit_test(test_fewer_characters),
        cmocka_unit_test(test_wrong_usage_is_told),
        cmocka_unit_test(test_live_link_goes_elsewhere_only_when_told_to),
        cmocka_unit_test(test_loopback_is_taken),
        cmocka_unit_test(test_nodes_need_a_cluster),
        cmocka_unit_test(test_variables_stand_for_options),
        cmocka_unit_test(test_variables_of_flags_and_lists),
        cmocka_unit_test(test_wrong_variables_are_named),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_help_says_what_parsing_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
