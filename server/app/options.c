// The table of options; parsing and help both walk it.
#include "app/options.h"

#include <arpa/inet.h>
#include <protocol/error.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind {
    OPTION_FLAG,    // bool, set to true
    OPTION_TEXT,    // const char *
    OPTION_LIST,    // AppNames, one more
    OPTION_INTEGER, // int64_t, minimum to maximum
    OPTION_LEVEL,   // int64_t, index into app_log_level_names
    OPTION_ADDRESS, // listen_host and listen_port
    OPTION_HELP,
    OPTION_VERSION,
} OptionKind;

enum {
    FOR_NONE = 1 << APP_COMMAND_NONE,
    FOR_SERVE = 1 << APP_COMMAND_SERVE,
    FOR_CHECK = 1 << APP_COMMAND_CHECK,
    FOR_MANUAL = 1 << APP_COMMAND_TYPES | 1 << APP_COMMAND_REFERENCE
};
enum { FOR_FILES = FOR_SERVE | FOR_CHECK, FOR_ALL = FOR_NONE | FOR_FILES | FOR_MANUAL };

typedef struct Option {
    const char *name;
    const char *value; // as the help calls it; NULL: takes none
    OptionKind kind;
    unsigned commands; // set of FOR_*
    size_t offset;     // in AppOptions
    int64_t minimum, maximum;
    const char *help;
} Option;

typedef struct Parser {
    AppOptions *options;
    int argc, next;
    char *const *argv;
    char *message;
    size_t capacity;
} Parser;

const char *const app_log_level_names[] = {"error", "warning", "info", "debug", NULL};

#define AT(member) offsetof(AppOptions, member)

static const Option table[] = {
    {"listen", "HOST:PORT", OPTION_ADDRESS, FOR_SERVE, 0, 0, 65535,
     "TCP address, default 127.0.0.1:7601; port 0 takes a free one"},
    {"unix", "PATH", OPTION_TEXT, FOR_SERVE, AT(unix_path), 0, 0, "listen on a Unix socket as well"},
    {"port-file", "PATH", OPTION_TEXT, FOR_SERVE, AT(port_file), 0, 0,
     "write {\"tcp\":PORT,\"unix\":PATH} there once everything listens"},
    {"rate", "HZ", OPTION_INTEGER, FOR_SERVE, AT(rate), 30, 240, "ticks a second, default 60"},
    {"threads", "N", OPTION_INTEGER, FOR_SERVE, AT(threads), 1, 256,
     "threads that simulate, default: as many as there are cores"},
    {"paused", NULL, OPTION_FLAG, FOR_SERVE, AT(paused), 0, 0,
     "start paused at tick 0, until a client resumes"},
    {"scripts", "DIR", OPTION_LIST, FOR_FILES, AT(scripts), 0, 0,
     "look for scripts there too, before tweed's own; may be repeated"},
    {"assets", "DIR", OPTION_LIST, FOR_FILES, AT(assets), 0, 0,
     "look for files to import there too; may be repeated"},
    {"json", NULL, OPTION_FLAG, FOR_CHECK, AT(json), 0, 0,
     "print {errors, warnings, findings} as JSON, for tools"},
    {"script-memory", "MIB", OPTION_INTEGER, FOR_FILES, AT(script_memory), 4, 65536,
     "memory that each script may have, default 64"},
    {"script-budget", "MS", OPTION_INTEGER, FOR_FILES, AT(script_budget), 1, 60000,
     "processor time for each script in a tick, default 50; 40 times that for loading it"},
    {"log", "LEVEL", OPTION_LEVEL, FOR_SERVE, AT(log_level), 0, 0, "error, warning, info (default) or debug"},
    {"seed", "N", OPTION_INTEGER, FOR_SERVE, AT(seed), 0, INT64_MAX,
     "of everything random, default 0: same seed, same motion"},
    {"max-clients", "N", OPTION_INTEGER, FOR_SERVE, AT(max_clients), 1, 65536,
     "connections at a time, default 256"},
    {"max-message", "BYTES", OPTION_INTEGER, FOR_SERVE, AT(max_message), 1024, 16777216,
     "the longest request, default 65536"},
    {"help", NULL, OPTION_HELP, FOR_ALL, 0, 0, 0, "this"},
    {"version", NULL, OPTION_VERSION, FOR_NONE, 0, 0, 0, "the version"},
};

enum { OPTION_COUNT = sizeof table / sizeof *table };

static const struct {
    AppCommand command;
    const char *name, *usage, *help;
    const char *file; // what a file is for; NULL: it takes none
} commands[] = {
    {APP_COMMAND_SERVE, "serve", "tweed serve [OPTION…] SCENE…",
     "simulate the characters of scenes and stream their bones", "serve (such as scripts/scenes/wake.lua)"},
    {APP_COMMAND_CHECK, "check", "tweed check [OPTION…] FILE…",
     "tell what is wrong with scripts, without starting anything", "check"},
    {APP_COMMAND_TYPES, "types", "tweed types",
     "print the types of all that scripts can say, for the Lua language server", NULL},
    {APP_COMMAND_REFERENCE, "reference", "tweed reference",
     "print the reference page of all that scripts can say, in Markdown", NULL},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static AppParse check_files(Parser *parser);
static AppParse parse_command(Parser *parser);
static AppParse parse_option(Parser *parser, const char *argument);
static AppParse store(Parser *parser, const Option *option, const char *value);
static AppParse store_integer(Parser *parser, const Option *option, const char *value);
static AppParse store_level(Parser *parser, const Option *option, const char *value);
static AppParse store_address(Parser *parser, const char *value);
static bool is_loopback(const char *host);
static bool add_name(AppNames *names, const char *name);
static const Option *find_option(AppCommand command, const char *name, size_t length);
static const char *nearest_option(AppCommand command, const char *name);
static AppParse wrong(Parser *parser, const char *format, ...) PROTOCOL_PRINTF(2, 3);

AppParse app_options_parse(AppOptions *options, int argc, char *const argv[], char *message,
                           size_t capacity) {
    *options = (AppOptions){.listen_host = "127.0.0.1",
                            .listen_port = 7601,
                            .rate = 60,
                            .script_memory = 64,
                            .script_budget = 50,
                            .log_level = APP_LOG_INFO,
                            .max_clients = 256,
                            .max_message = 65536};
    Parser parser = {options, argc, 1, argv, message, capacity};
    AppParse result = parse_command(&parser);
    bool only_files = false;
    while (result == APP_PARSE_RUN && parser.next < argc) {
        const char *argument = argv[parser.next++];
        if (only_files || argument[0] != '-' || argument[1] == '\0') {
            if (!add_name(&options->files, argument)) return wrong(&parser, "out of memory");
        } else if (strcmp(argument, "--") == 0) {
            only_files = true;
        } else {
            result = parse_option(&parser, argument);
        }
    }
    return result == APP_PARSE_RUN ? check_files(&parser) : result;
}

void app_options_finish(AppOptions *options) {
    free(options->files.names);
    free(options->scripts.names);
    free(options->assets.names);
    *options = (AppOptions){0};
}

size_t app_options_script_memory(const AppOptions *options) {
    return (size_t)options->script_memory << 20;
}

uint64_t app_options_script_budget_ns(const AppOptions *options) {
    return (uint64_t)options->script_budget * 1000000;
}

void app_options_write_help(AppCommand command, FILE *file) {
    fprintf(file, "usage:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (command == APP_COMMAND_NONE || command == commands[i].command)
            fprintf(file, "  %-32s %s\n", commands[i].usage, commands[i].help);
    fprintf(file, command == APP_COMMAND_NONE ? "\n`tweed COMMAND --help` tells a command's options. Here:\n"
                                              : "\noptions:\n");
    for (const Option *option = table; option < table + OPTION_COUNT; option++) {
        if (!(option->commands & 1U << command)) continue;
        char left[40];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(file, "  %-22s %s", left, option->help);
        if (option->kind == OPTION_INTEGER && option->maximum < INT64_MAX)
            fprintf(file, "; %lld to %lld", (long long)option->minimum, (long long)option->maximum);
        fputc('\n', file);
    }
    if (command == APP_COMMAND_SERVE)
        fprintf(file, "\nfor example:\n  tweed serve scripts/scenes/wake.lua --rate 120\n");
}

static AppParse check_files(Parser *parser) {
    const AppNames *files = &parser->options->files;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].command != parser->options->command) continue;
        if (commands[i].file && files->count == 0)
            return wrong(parser, "%s: expected a file to %s, found none", commands[i].name, commands[i].file);
        if (!commands[i].file && files->count > 0)
            return wrong(parser, "%s: expected nothing more, found \"%s\"", commands[i].name,
                         files->names[0]);
    }
    return APP_PARSE_RUN;
}

static AppParse parse_command(Parser *parser) {
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
    if (parser->argc < 2)
        return wrong(parser, "expected a command, such as serve or check; see tweed --help");
    const char *name = parser->argv[1];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) != 0) continue;
        parser->options->command = commands[i].command;
        parser->next = 2;
        return APP_PARSE_RUN;
    }
    if (strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return APP_PARSE_HELP;
    if (name[0] == '-') {
        const AppParse result = parse_option(parser, parser->argv[parser->next++]);
        return result == APP_PARSE_RUN ? wrong(parser, "expected a command, such as serve or check") : result;
    }
    const char *nearest = protocol_nearest_name(name, names, COMMAND_COUNT);
    return nearest ? wrong(parser, "no command \"%s\"; did you mean \"%s\"?", name, nearest)
                   : wrong(parser, "no command \"%s\"; see tweed --help", name);
}

// "--name", "--name value" or "--name=value".
static AppParse parse_option(Parser *parser, const char *argument) {
    if (strcmp(argument, "-h") == 0) return APP_PARSE_HELP;
    const AppCommand command = parser->options->command;
    const char *equals = strchr(argument, '=');
    const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const Option *option = NULL;
    if (strncmp(argument, "--", 2) == 0) option = find_option(command, argument + 2, length - 2);
    if (!option) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, argument);
        const char *nearest = nearest_option(command, name + strspn(name, "-"));
        return nearest ? wrong(parser, "no option %s; did you mean --%s?", name, nearest)
                       : wrong(parser, "no option %s; see --help", name);
    }
    if (!option->value && equals)
        return wrong(parser, "--%s: expected no value, found \"%s\"", option->name, equals + 1);
    const char *value = equals ? equals + 1 : NULL;
    if (option->value && !value) {
        if (parser->next >= parser->argc)
            return wrong(parser, "--%s: expected %s, found nothing", option->name, option->value);
        value = parser->argv[parser->next++];
    }
    return store(parser, option, value);
}

static AppParse store(Parser *parser, const Option *option, const char *value) {
    char *place = (char *)parser->options + option->offset;
    if (option->value && option->kind != OPTION_INTEGER && !value[0])
        return wrong(parser, "--%s: expected %s, found an empty text", option->name, option->value);
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)place = true;
        return APP_PARSE_RUN;
    case OPTION_TEXT:
        *(const char **)(void *)place = value;
        return APP_PARSE_RUN;
    case OPTION_LIST:
        return add_name((AppNames *)(void *)place, value) ? APP_PARSE_RUN : wrong(parser, "out of memory");
    case OPTION_INTEGER:
        return store_integer(parser, option, value);
    case OPTION_LEVEL:
        return store_level(parser, option, value);
    case OPTION_ADDRESS:
        return store_address(parser, value);
    case OPTION_HELP:
        return APP_PARSE_HELP;
    case OPTION_VERSION:
        break;
    }
    return APP_PARSE_VERSION;
}

// Digits only: strtoll would take a sign, spaces and what follows.
static AppParse store_integer(Parser *parser, const Option *option, const char *value) {
    int64_t number = 0;
    bool valid = value[0] != '\0' && strspn(value, "0123456789") == strlen(value);
    for (const char *c = value; valid && *c; c++) {
        valid = number <= (INT64_MAX - (*c - '0')) / 10;
        if (valid) number = 10 * number + (*c - '0');
    }
    if (!valid || number < option->minimum || number > option->maximum)
        return wrong(parser, "--%s: expected a whole number from %lld to %lld, found \"%s\"", option->name,
                     (long long)option->minimum, (long long)option->maximum, value);
    *(int64_t *)(void *)((char *)parser->options + option->offset) = number;
    return APP_PARSE_RUN;
}

static AppParse store_level(Parser *parser, const Option *option, const char *value) {
    for (int level = 0; app_log_level_names[level]; level++) {
        if (strcmp(value, app_log_level_names[level]) != 0) continue;
        parser->options->log_level = level;
        return APP_PARSE_RUN;
    }
    return wrong(parser, "--%s: expected error, warning, info or debug, found \"%s\"", option->name, value);
}

static AppParse store_address(Parser *parser, const char *value) {
    const char *colon = strrchr(value, ':');
    const char *host = value, *end = colon;
    if (colon && value[0] == '[') { // [::1]:7601
        host = value + 1;
        end = colon[-1] == ']' ? colon - 1 : NULL;
    } else if (colon && memchr(value, ':', (size_t)(colon - value))) {
        end = NULL; // an IPv6 literal without brackets
    }
    AppOptions *options = parser->options;
    const char *digits = colon ? colon + 1 : "";
    const size_t digit_count = strlen(digits);
    const bool is_number = digit_count > 0 && digit_count <= 5 && strspn(digits, "0123456789") == digit_count;
    if (!end || end == host || (size_t)(end - host) >= sizeof options->listen_host || !is_number ||
        atoi(digits) > 65535)
        return wrong(parser, "--listen: expected HOST:PORT such as 127.0.0.1:7601, found \"%s\"", value);
    snprintf(options->listen_host, sizeof options->listen_host, "%.*s", (int)(end - host), host);
    options->listen_port = atoi(digits);
    if (!is_loopback(options->listen_host))
        return wrong(parser,
                     "--listen: expected a loopback address such as 127.0.0.1:%s, found \"%s\": "
                     "whoever reaches the port may drive the characters, so other addresses are refused "
                     "until clients can be asked for a token",
                     digits, value);
    return APP_PARSE_RUN;
}

// Names are left to net, which looks them up and refuses likewise.
static bool is_loopback(const char *host) {
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, host, &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, host, &v6) == 1) {
        const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127;
        return IN6_IS_ADDR_LOOPBACK(&v6) || mapped;
    }
    return true;
}

static bool add_name(AppNames *names, const char *name) {
    const char **grown = realloc(names->names, (names->count + 1) * sizeof *grown);
    if (!grown) return false;
    names->names = grown;
    names->names[names->count++] = name;
    return true;
}

static const Option *find_option(AppCommand command, const char *name, size_t length) {
    for (const Option *option = table; option < table + OPTION_COUNT; option++)
        if ((option->commands & 1U << command) && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static const char *nearest_option(AppCommand command, const char *name) {
    const char *names[OPTION_COUNT];
    size_t count = 0;
    for (const Option *option = table; option < table + OPTION_COUNT; option++)
        if (option->commands & 1U << command) names[count++] = option->name;
    return protocol_nearest_name(name, names, count);
}

static AppParse wrong(Parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->message, parser->capacity, format, arguments);
    va_end(arguments);
    return APP_PARSE_WRONG;
}
