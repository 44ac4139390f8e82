// Parses the command line by its tables.
#include "cli/parse.h"

#include "base/log.h"
#include "cli/option_table.h"

#include <arpa/inet.h>
#include <math.h>
#include <net/http.h>
#include <protocol/error.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/glob.h>
#include <text/nearest.h>

extern char **environ;

enum { MOST_NAMES = 96 }; // more than either table holds

#define PREFIX "TWEED_" // of variables

// Where an option was given.
typedef enum Source { SOURCE_NONE, SOURCE_COMMAND_LINE, SOURCE_ENVIRONMENT } Source;

typedef struct Parser {
    AppOptions *options;
    int argc, next;
    char *const *argv;
    Source sources[MOST_NAMES]; // of the options in their table
    char *message;
    size_t capacity;
} Parser;

// "--log-time" or "TWEED_LOG_TIME", for messages.
typedef struct SourceName {
    char text[APP_VARIABLE_BYTES];
} SourceName;

static int64_t *integer_of(AppOptions *options, const AppOption *option);
static AppParse check_listen(Parser *parser);
static AppParse refuse_address(Parser *parser, const char *option, const AppAddress *address);
static AppParse check_origins(Parser *parser);
static AppParse check_livelink(Parser *parser);
static AppParse check_cluster(Parser *parser);
static bool is_nats_url(const char *text);
static AppParse check_cluster_name(Parser *parser, const char *option, const char *name);
static AppParse check_bake(Parser *parser);
static AppParse check_files(Parser *parser);
static AppParse parse_command(Parser *parser);
static AppParse parse_option(Parser *parser, const char *argument);
static AppParse parse_environment(Parser *parser);
static AppParse check_variables(Parser *parser);
static bool is_overruled(const Parser *parser, const AppOption *option);
static AppParse store_variable(Parser *parser, const AppOption *option, const char *value);
static AppParse store_flag(Parser *parser, const AppOption *option, const char *value);
static AppParse store_list(Parser *parser, const AppOption *option, const char *value);
static AppParse store(Parser *parser, const AppOption *option, const char *value);
static AppParse store_integer(Parser *parser, const AppOption *option, const char *value);
static AppParse store_number(Parser *parser, const AppOption *option, const char *value);
static AppParse store_choice(Parser *parser, const AppOption *option, const char *value,
                             const char *const *choices);
static AppParse store_address(Parser *parser, const AppOption *option, const char *value);
static bool is_loopback(const char *host);
static bool add_name(AppNames *names, const char *name);
static const AppOption *find_option(AppCommand command, const char *name, size_t length);
static SourceName name_of(const Parser *parser, const AppOption *option);
static SourceName name_of_given(const Parser *parser, const char *name);
static bool is_given(const Parser *parser, const char *name);
static const char *nearest_option(AppCommand command, const char *name);
static AppParse wrong(Parser *parser, const char *format, ...) PROTOCOL_PRINTF(2, 3);

AppParse app_options_parse(AppOptions *options, int argc, char *const argv[], char *message,
                           size_t capacity) {
    *options = (AppOptions){
        .listen = {"127.0.0.1", 7601},
        .http = {"127.0.0.1", 7602},
        .connect = {"127.0.0.1", 7601},
        .speed = 1.0,
        .bake_seconds = (double)NAN,
        .position_error = 0.1,
        .rotation_error = 0.05,
    };
    for (size_t i = 0; i < app_option_count; i++) {
        const AppOption *option = &app_option_table[i];
        if (option->initial) *integer_of(options, option) = option->initial;
    }
    Parser parser = {
        .options = options, .argc = argc, .next = 1, .argv = argv, .message = message, .capacity = capacity};
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
    if (result == APP_PARSE_RUN) result = check_variables(&parser);
    if (result == APP_PARSE_RUN) result = parse_environment(&parser);
    if (result == APP_PARSE_RUN) result = check_listen(&parser);
    if (result == APP_PARSE_RUN) result = check_origins(&parser);
    if (result == APP_PARSE_RUN) result = check_livelink(&parser);
    if (result == APP_PARSE_RUN) result = check_cluster(&parser);
    if (result == APP_PARSE_RUN) result = check_bake(&parser);
    return result == APP_PARSE_RUN ? check_files(&parser) : result;
}

void app_options_finish(AppOptions *options) {
    free(options->files.names);
    free(options->scripts.names);
    free(options->assets.names);
    free(options->allow_origin.names);
    free(options->bones.names);
    for (size_t i = 0; i < options->lists.count; i++) free((void *)options->lists.names[i]);
    free(options->lists.names);
    *options = (AppOptions){0};
}

static int64_t *integer_of(AppOptions *options, const AppOption *option) {
    return (int64_t *)(void *)((char *)options + option->offset);
}

static AppParse check_listen(Parser *parser) {
    const AppOptions *options = parser->options;
    if (options->token_file) return APP_PARSE_RUN;
    if (!is_loopback(options->listen.host)) return refuse_address(parser, "listen", &options->listen);
    if (!options->no_http && !is_loopback(options->http.host))
        return refuse_address(parser, "http", &options->http);
    return APP_PARSE_RUN;
}

static AppParse refuse_address(Parser *parser, const char *option, const AppAddress *address) {
    return wrong(
        parser,
        "%s: expected a loopback address such as 127.0.0.1:%d, found %s: anyone who reaches the port "
        "can drive the characters, so another address needs --token-file",
        name_of_given(parser, option).text, (int)address->port, address->host);
}

static AppParse check_origins(Parser *parser) {
    const AppNames *origins = &parser->options->allow_origin;
    for (size_t i = 0; i < origins->count; i++)
        if (!net_origin_is_valid(origins->names[i]))
            return wrong(parser,
                         "%s: expected a host name, or an origin such as https://example.com or "
                         "http://localhost:5173, found \"%s\"",
                         name_of_given(parser, "allow-origin").text, origins->names[i]);
    return APP_PARSE_RUN;
}

static AppParse check_livelink(Parser *parser) {
    const AppOptions *options = parser->options;
    const char *host = options->jsonlivelink.host;
    if (host[0] && !options->jsonlivelink_remote && !is_loopback(host))
        return wrong(parser,
                     "%s: expected a loopback address such as 127.0.0.1:%d, found %s: another "
                     "machine's address needs --jsonlivelink-remote, since the data is not encrypted",
                     name_of_given(parser, "jsonlivelink").text, (int)options->jsonlivelink.port, host);
    if (!host[0] && (options->jsonlivelink_remote || options->jsonlivelink_rate > 0))
        return wrong(
            parser, "%s: expected --jsonlivelink HOST:PORT as well, found none",
            name_of_given(parser, options->jsonlivelink_remote ? "jsonlivelink-remote" : "jsonlivelink-rate")
                .text);
    return APP_PARSE_RUN;
}

static AppParse check_cluster(Parser *parser) {
    const AppOptions *options = parser->options;
    if (options->command != APP_COMMAND_SERVE) return APP_PARSE_RUN;
    const char *dependent = options->cluster_name          ? "cluster-name"
                            : options->node                ? "node"
                            : options->advertise.host[0]   ? "advertise"
                            : options->cluster_credentials ? "cluster-credentials"
                                                           : NULL;
    if (dependent && !options->cluster)
        return wrong(parser, "%s: needs --cluster URL", name_of_given(parser, dependent).text);
    if (options->cluster && !is_nats_url(options->cluster)) {
        char shown[512];
        app_address_hide_users(options->cluster, shown, sizeof shown);
        return wrong(parser,
                     "%s: expected a NATS server such as nats://127.0.0.1:4222 or tls://HOST, found %s",
                     name_of_given(parser, "cluster").text, shown);
    }
    const AppParse result = check_cluster_name(parser, "cluster-name", options->cluster_name);
    return result == APP_PARSE_RUN ? check_cluster_name(parser, "node", options->node) : result;
}

static bool is_nats_url(const char *text) {
    static const char *const schemes[] = {"nats://", "tls://"};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(text, schemes[i], strlen(schemes[i])) == 0) return text[strlen(schemes[i])] != '\0';
    return false;
}

// It is part of subjects and of buckets' names.
static AppParse check_cluster_name(Parser *parser, const char *option, const char *name) {
    if (!name) return APP_PARSE_RUN;
    const size_t plain = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (name[0] && strlen(name) <= 32 && name[plain] == '\0') return APP_PARSE_RUN;
    return wrong(parser, "%s: expected 1 to 32 letters, digits, - and _, found %s",
                 name_of_given(parser, option).text, name);
}

static AppParse check_bake(Parser *parser) {
    const AppOptions *options = parser->options;
    const char *end = options->out ? strrchr(options->out, '.') : NULL;
    if (options->out && (!end || strcmp(end, ".glb") != 0))
        return wrong(parser, "%s: expected a name that ends in .glb, found \"%s\"",
                     name_of_given(parser, "out").text, options->out);
    if (options->baked && !text_glob_is_valid(options->baked))
        return wrong(parser, "%s: expected a pattern in which each [ has its ], found \"%s\"",
                     name_of_given(parser, "characters").text, options->baked);
    for (size_t i = 0; i < options->files.count; i++)
        if (app_is_recording(options->files.names[i]) && options->files.count > 1)
            return wrong(parser,
                         "bake: expected scenes, or one recording alone, found \"%s\" among %zu files",
                         options->files.names[i], options->files.count);
    return APP_PARSE_RUN;
}

static AppParse check_files(Parser *parser) {
    const AppNames *files = &parser->options->files;
    for (size_t i = 0; i < app_command_count; i++) {
        const AppCommandInfo *info = &app_command_table[i];
        if (info->command != parser->options->command) continue;
        if (files->count < info->least)
            return wrong(parser, "%s: expected %s, found none", info->name, info->argument);
        if (files->count > info->most)
            return wrong(parser, "%s: expected nothing more, found \"%s\"", info->name,
                         files->names[info->most]);
    }
    return APP_PARSE_RUN;
}

static AppParse parse_command(Parser *parser) {
    const char *names[MOST_NAMES];
    for (size_t i = 0; i < app_command_count; i++) names[i] = app_command_table[i].name;
    if (parser->argc < 2)
        return wrong(parser, "expected a command, such as serve or check; see tweed --help");
    const char *name = parser->argv[1];
    for (size_t i = 0; i < app_command_count; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        parser->options->command = app_command_table[i].command;
        parser->next = 2;
        return APP_PARSE_RUN;
    }
    if (strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return APP_PARSE_HELP;
    if (name[0] == '-') {
        const AppParse result = parse_option(parser, parser->argv[parser->next++]);
        return result == APP_PARSE_RUN ? wrong(parser, "expected a command, such as serve or check") : result;
    }
    const char *nearest = text_nearest_of(name, names, app_command_count).best;
    return nearest ? wrong(parser, "no command \"%s\"; did you mean \"%s\"?", name, nearest)
                   : wrong(parser, "no command \"%s\"; see tweed --help", name);
}

// "--name", "--name value" or "--name=value".
static AppParse parse_option(Parser *parser, const char *argument) {
    if (strcmp(argument, "-h") == 0) return APP_PARSE_HELP;
    const AppCommand command = parser->options->command;
    const char *equals = strchr(argument, '=');
    const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const AppOption *option = NULL;
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
    parser->sources[option - app_option_table] = SOURCE_COMMAND_LINE;
    return store(parser, option, value);
}

// What the command line does not give.
static AppParse parse_environment(Parser *parser) {
    AppParse result = APP_PARSE_RUN;
    for (size_t i = 0; i < app_option_count && result == APP_PARSE_RUN; i++) {
        const AppOption *option = &app_option_table[i];
        char variable[APP_VARIABLE_BYTES];
        if (!(option->commands & 1U << parser->options->command) || parser->sources[i] != SOURCE_NONE)
            continue;
        if (!app_option_variable(option, variable) || is_overruled(parser, option)) continue;
        const char *value = getenv(variable);
        if (!value || !value[0]) continue;
        parser->sources[i] = SOURCE_ENVIRONMENT;
        result = store_variable(parser, option, value);
    }
    return result;
}

// What is nearly the variable of an option is one that was mistyped. Others are somebody else's.
static AppParse check_variables(Parser *parser) {
    char variables[MOST_NAMES][APP_VARIABLE_BYTES];
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < app_option_count && count < MOST_NAMES; i++) {
        if (!app_option_variable(&app_option_table[i], variables[count])) continue;
        names[count] = variables[count] + strlen(PREFIX);
        count++;
    }
    for (char **entry = environ; *entry; entry++) {
        char name[APP_VARIABLE_BYTES];
        const size_t length = strcspn(*entry, "=");
        if (length >= sizeof name || strncmp(*entry, PREFIX, strlen(PREFIX)) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        if (strcmp(name, PREFIX "TOKEN") == 0) continue;
        const char *best = text_nearest_of(name + strlen(PREFIX), names, count).best;
        if (best && strcmp(best, name + strlen(PREFIX)) != 0)
            return wrong(parser, "%s: no option of that name; did you mean " PREFIX "%s?", name, best);
    }
    return APP_PARSE_RUN;
}

// Whether the command line says the opposite.
static bool is_overruled(const Parser *parser, const AppOption *option) {
    return (strcmp(option->name, "no-http") == 0 && is_given(parser, "http")) ||
           (strcmp(option->name, "unix") == 0 && is_given(parser, "connect"));
}

static AppParse store_variable(Parser *parser, const AppOption *option, const char *value) {
    if (option->kind == APP_OPTION_FLAG) return store_flag(parser, option, value);
    if (option->kind == APP_OPTION_LIST) return store_list(parser, option, value);
    return store(parser, option, value);
}

static AppParse store_flag(Parser *parser, const AppOption *option, const char *value) {
    if (strcmp(value, "1") == 0 || strcmp(value, "true") == 0) return store(parser, option, value);
    if (strcmp(value, "0") == 0 || strcmp(value, "false") == 0) return APP_PARSE_RUN;
    return wrong(parser, "%s: expected 1 or 0, found \"%s\"", name_of(parser, option).text, value);
}

// Splits a copy of the value, which the options keep, at its commas.
static AppParse store_list(Parser *parser, const AppOption *option, const char *value) {
    AppParse result = APP_PARSE_RUN;
    char *copy = strdup(value), *rest;
    if (!copy || !add_name(&parser->options->lists, copy)) {
        free(copy);
        return wrong(parser, "out of memory");
    }
    for (char *part = strtok_r(copy, ",", &rest); part && result == APP_PARSE_RUN;
         part = strtok_r(NULL, ",", &rest))
        result = store(parser, option, part);
    return result;
}

static AppParse store(Parser *parser, const AppOption *option, const char *value) {
    char *place = (char *)parser->options + option->offset;
    if (option->value && option->kind != APP_OPTION_INTEGER && !value[0])
        return wrong(parser, "%s: expected %s, found an empty text", name_of(parser, option).text,
                     option->value);
    switch (option->kind) {
    case APP_OPTION_FLAG:
        *(bool *)(void *)place = true;
        return APP_PARSE_RUN;
    case APP_OPTION_TEXT:
        *(const char **)(void *)place = value;
        return APP_PARSE_RUN;
    case APP_OPTION_LIST:
        return add_name((AppNames *)(void *)place, value) ? APP_PARSE_RUN : wrong(parser, "out of memory");
    case APP_OPTION_INTEGER:
        return store_integer(parser, option, value);
    case APP_OPTION_NUMBER:
    case APP_OPTION_FACTOR:
        return store_number(parser, option, value);
    case APP_OPTION_LEVEL:
        return store_choice(parser, option, value, text_log_level_names);
    case APP_OPTION_TIME:
        return store_choice(parser, option, value, app_log_time_names);
    case APP_OPTION_FORMAT:
        return store_choice(parser, option, value, app_log_format_names);
    case APP_OPTION_ADDRESS:
        return store_address(parser, option, value);
    case APP_OPTION_HELP:
        return APP_PARSE_HELP;
    case APP_OPTION_VERSION:
        break;
    }
    return APP_PARSE_VERSION;
}

// Takes digits only; strtoll accepts signs, spaces and a tail.
static AppParse store_integer(Parser *parser, const AppOption *option, const char *value) {
    int64_t number = 0;
    bool valid = value[0] != '\0' && strspn(value, "0123456789") == strlen(value);
    for (const char *c = value; valid && *c; c++) {
        valid = number <= (INT64_MAX - (*c - '0')) / 10;
        if (valid) number = 10 * number + (*c - '0');
    }
    if (!valid || number < option->minimum || number > option->maximum)
        return wrong(parser, "%s: expected a whole number from %lld to %lld, found \"%s\"",
                     name_of(parser, option).text, (long long)option->minimum, (long long)option->maximum,
                     value);
    *integer_of(parser->options, option) = number;
    return APP_PARSE_RUN;
}

// Takes decimals such as 2.5; strtod accepts signs, exponents and a tail.
static AppParse store_number(Parser *parser, const AppOption *option, const char *value) {
    const size_t whole = strspn(value, "0123456789");
    const size_t part = value[whole] == '.' ? 1 + strspn(value + whole + 1, "0123456789") : 0;
    const double number = strtod(value, NULL);
    const bool has_digits = whole > 0 || part > 1;
    const double most = (double)option->maximum;
    const double least = option->kind == APP_OPTION_FACTOR ? 1.0 / most : (double)option->minimum;
    if (!has_digits || value[whole + part] != '\0' || !(number >= least) || number > most)
        return wrong(parser, "%s: expected a number from %g to %g, found \"%s\"",
                     name_of(parser, option).text, least, most, value);
    *(double *)(void *)((char *)parser->options + option->offset) = number;
    return APP_PARSE_RUN;
}

static AppParse store_choice(Parser *parser, const AppOption *option, const char *value,
                             const char *const *choices) {
    char expected[128] = "";
    for (int64_t i = 0; choices[i]; i++) {
        if (strcmp(value, choices[i]) == 0) {
            *integer_of(parser->options, option) = i;
            return APP_PARSE_RUN;
        }
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s%s",
                 i == 0           ? ""
                 : choices[i + 1] ? ", "
                                  : " or ",
                 choices[i]);
    }
    return wrong(parser, "%s: expected %s, found \"%s\"", name_of(parser, option).text, expected, value);
}

static AppParse store_address(Parser *parser, const AppOption *option, const char *value) {
    AppAddress *address = (AppAddress *)(void *)((char *)parser->options + option->offset), read;
    if (!app_address_read(value, &read) || read.port < option->minimum || read.port > option->maximum)
        return wrong(parser, "%s: expected HOST:PORT such as 127.0.0.1:%d, found \"%s\"",
                     name_of(parser, option).text,
                     address == &parser->options->jsonlivelink ? 54321
                     : address == &parser->options->http       ? 7602
                                                               : 7601,
                     value);
    *address = read;
    return APP_PARSE_RUN;
}

// Host names pass: net looks them up, and refuses other addresses too.
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
    if (!TEXT_ARRAY_EXTEND(names->names, names->count)) return false;
    names->names[names->count++] = name;
    return true;
}

static const AppOption *find_option(AppCommand command, const char *name, size_t length) {
    for (size_t i = 0; i < app_option_count; i++) {
        const AppOption *option = &app_option_table[i];
        if ((option->commands & 1U << command) && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static SourceName name_of(const Parser *parser, const AppOption *option) {
    SourceName name;
    if (parser->sources[option - app_option_table] == SOURCE_ENVIRONMENT)
        app_option_variable(option, name.text);
    else
        snprintf(name.text, sizeof name.text, "--%s", option->name);
    return name;
}

static SourceName name_of_given(const Parser *parser, const char *name) {
    return name_of(parser, find_option(parser->options->command, name, strlen(name)));
}

static bool is_given(const Parser *parser, const char *name) {
    const AppOption *option = find_option(parser->options->command, name, strlen(name));
    return option && parser->sources[option - app_option_table] == SOURCE_COMMAND_LINE;
}

static const char *nearest_option(AppCommand command, const char *name) {
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < app_option_count && count < MOST_NAMES; i++)
        if (app_option_table[i].commands & 1U << command) names[count++] = app_option_table[i].name;
    return text_nearest_of(name, names, count).best;
}

static AppParse wrong(Parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->message, parser->capacity, format, arguments);
    va_end(arguments);
    return APP_PARSE_WRONG;
}
