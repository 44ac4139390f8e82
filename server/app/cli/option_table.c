// The tables of commands and options, and the help, which is written from them.
#include "cli/option_table.h"

#include <protocol/methods.h>
#include <stdint.h>

enum {
    FOR_NONE = 1 << APP_COMMAND_NONE,
    FOR_SERVE = 1 << APP_COMMAND_SERVE,
    FOR_CHECK = 1 << APP_COMMAND_CHECK,
    FOR_MANUAL = 1 << APP_COMMAND_TYPES | 1 << APP_COMMAND_REFERENCE,
    FOR_WATCH = 1 << APP_COMMAND_WATCH,
    FOR_RECORD = 1 << APP_COMMAND_RECORD,
    FOR_REPLAY = 1 << APP_COMMAND_REPLAY,
    FOR_CLIENT = 1 << APP_COMMAND_CALL | 1 << APP_COMMAND_STATS | FOR_WATCH | FOR_RECORD
};
enum {
    FOR_FILES = FOR_SERVE | FOR_CHECK,
    FOR_LISTENING = FOR_SERVE | FOR_REPLAY,
    FOR_ALL = FOR_NONE | FOR_FILES | FOR_MANUAL | FOR_CLIENT | FOR_REPLAY
};

static int columns(const char *text);
static void write_options(AppCommand command, FILE *file);
static int option_columns(const AppOption *option);
static void write_methods(FILE *file);

#define AT(member) offsetof(AppOptions, member)

const AppOption app_option_table[] = {
    {"listen", "HOST:PORT", APP_OPTION_ADDRESS, FOR_LISTENING, AT(listen), 0, 65535,
     "TCP address, default 127.0.0.1:7601; port 0 takes a free one"},
    {"unix", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(unix_path), 0, 0, "listen on a Unix socket as well"},
    {"connect", "HOST:PORT", APP_OPTION_ADDRESS, FOR_CLIENT, AT(connect), 1, 65535,
     "the server's TCP address, default 127.0.0.1:7601"},
    {"unix", "PATH", APP_OPTION_TEXT, FOR_CLIENT, AT(unix_path), 0, 0, "the server's Unix socket, instead"},
    {"port-file", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(port_file), 0, 0,
     "write {\"tcp\":PORT,\"unix\":PATH} there once everything listens"},
    {"token-file", "PATH", APP_OPTION_TEXT, FOR_LISTENING, AT(token_file), 0, 0,
     "serve only who shows a token of this file, of mode 0600"},
    {"token-file", "PATH", APP_OPTION_TEXT, FOR_CLIENT, AT(token_file), 0, 0,
     "show this file's first token, where the server asks; default: TWEED_TOKEN's"},
    {"rate", "HZ", APP_OPTION_INTEGER, FOR_SERVE, AT(rate), 30, 240, "ticks a second, default 60"},
    {"rate", "HZ", APP_OPTION_INTEGER, FOR_WATCH, AT(view_rate), 1, 1000,
     "frames a second, default: one a tick"},
    {"bones", "PATTERN", APP_OPTION_LIST, FOR_WATCH, AT(bones), 0, 0,
     "only those bones, such as jacket_*; may be repeated"},
    {"view", "JSON", APP_OPTION_TEXT, FOR_RECORD, AT(view), 0, 0,
     "what to record, as stream.subscribe takes it; default: all"},
    {"ticks", "N", APP_OPTION_INTEGER, FOR_WATCH | FOR_RECORD, AT(ticks), 1, 1000000000,
     "end by itself after so many ticks"},
    {"threads", "N", APP_OPTION_INTEGER, FOR_SERVE, AT(threads), 1, 256,
     "threads that simulate, default: as many as there are cores"},
    {"paused", NULL, APP_OPTION_FLAG, FOR_SERVE, AT(paused), 0, 0,
     "start paused at tick 0, until a client resumes"},
    {"scripts", "DIR", APP_OPTION_LIST, FOR_FILES, AT(scripts), 0, 0,
     "look for scripts there too, before tweed's own; may be repeated"},
    {"assets", "DIR", APP_OPTION_LIST, FOR_FILES, AT(assets), 0, 0,
     "look for files to import there too; may be repeated"},
    {"json", NULL, APP_OPTION_FLAG, FOR_CHECK, AT(json), 0, 0,
     "print {errors, warnings, findings} as JSON, for tools"},
    {"script-memory", "MIB", APP_OPTION_INTEGER, FOR_FILES, AT(script_memory), 4, 65536,
     "memory that each script may have, default 64"},
    {"script-budget", "MS", APP_OPTION_INTEGER, FOR_FILES, AT(script_budget), 1, 60000,
     "processor time for each script in a tick, default 50; 40 times that for loading it"},
    {"log", "LEVEL", APP_OPTION_LEVEL, FOR_SERVE, AT(log_level), 0, 0,
     "error, warning, info (default) or debug"},
    {"log-time", "TIME", APP_OPTION_TIME, FOR_SERVE, AT(log_time), 0, 0,
     "begin log lines with none, local or utc time; default: none on a terminal, utc elsewhere"},
    {"seed", "N", APP_OPTION_INTEGER, FOR_SERVE, AT(seed), 0, INT64_MAX,
     "of everything random, default 0: same seed, same motion"},
    {"pose-timeout", "SECONDS", APP_OPTION_INTEGER, FOR_SERVE, AT(pose_timeout), 0, 86400,
     "how long bones stay posed after who posed them has left, default 2; 0: for ever"},
    {"max-characters", "N", APP_OPTION_INTEGER, FOR_SERVE, AT(max_characters), 1, APP_MAX_CHARACTERS,
     "characters at a time, default 4096"},
    {"max-clients", "N", APP_OPTION_INTEGER, FOR_SERVE, AT(max_clients), 1, 65536,
     "connections at a time, default 256"},
    {"max-message", "BYTES", APP_OPTION_INTEGER, FOR_SERVE, AT(max_message), 1024, 16777216,
     "the longest request, default 65536"},
    {"jsonlivelink", "HOST:PORT", APP_OPTION_ADDRESS, FOR_SERVE, AT(jsonlivelink), 1, 65535,
     "send all bones to Unreal's JSON Live Link plug-in there, by UDP"},
    {"jsonlivelink-rate", "HZ", APP_OPTION_INTEGER, FOR_SERVE, AT(jsonlivelink_rate), 1, 240,
     "so often, default: once a tick"},
    {"jsonlivelink-remote", NULL, APP_OPTION_FLAG, FOR_SERVE, AT(jsonlivelink_remote), 0, 0,
     "it may be on another machine: what is sent is not encrypted"},
    {"help", NULL, APP_OPTION_HELP, FOR_ALL, 0, 0, 0, "this"},
    {"version", NULL, APP_OPTION_VERSION, FOR_NONE, 0, 0, 0, "the version"},
};
const size_t app_option_count = sizeof app_option_table / sizeof *app_option_table;

#define STATUSES                                                                                             \
    "The status is 0, or 1 where the server answers with an error, 2 where the command line is wrong, 3\n"   \
    "where no server is to be reached or it goes away, 4 where what comes out cannot be written.\n"

const AppCommandInfo app_command_table[] = {
    {APP_COMMAND_SERVE, "serve", "tweed serve [OPTION…] SCENE…",
     "simulate the characters of scenes and stream their bones",
     "a file to serve (such as scripts/scenes/wake.lua)", 1, SIZE_MAX,
     "for example:\n  tweed serve scripts/scenes/wake.lua --rate 120\n"},
    {APP_COMMAND_CHECK, "check", "tweed check [OPTION…] FILE|FOLDER…",
     "find mistakes in scripts without starting a server", "a file to check", 1, SIZE_MAX,
     "Of a FOLDER every script below it is checked, with FOLDER among the folders of scripts. Findings go "
     "to\n"
     "stdout, one a line: FILE:LINE: error or warning: KEY: MESSAGE. What scripts print goes to stderr, as "
     "does\n"
     "the summary.\n"
     "The status is 0, or 1 where there is an error, 2 where the command line is wrong.\n"},
    {APP_COMMAND_CALL, "call", "tweed call [OPTION…] METHOD [JSON]",
     "send a running server a request, and print the result as JSON",
     "a method to call (such as server.describe)", 1, 2,
     "for example:\n  tweed call character.play "
     "'{\"character\":\"alan\",\"clip\":\"walk\",\"loop\":true}'\n\n"
     "With - for METHOD, requests are read from stdin, one METHOD [JSON] a line, and sent over one\n"
     "connection; empty lines and lines that begin with # are skipped:\n"
     "  printf '%s\\n' simulation.pause 'simulation.step {\"ticks\":60}' server.stats | tweed call -\n\n"
     "Errors go to stderr. A pause or a subscription ends with the connection, which ends with the reply, "
     "or\n"
     "with the end of stdin.\n" STATUSES},
    {APP_COMMAND_STATS, "stats", "tweed stats [OPTION…]", "tell how a running server is doing", NULL, 0, 0,
     STATUSES},
    {APP_COMMAND_WATCH, "watch", "tweed watch [OPTION…] [CHARACTER…]",
     "show a running server's frame rates, or the bones of characters", "a character", 0, SIZE_MAX,
     "CHARACTER is a name or a pattern, such as '*'. Where the output is no terminal, each line has these,\n"
     "with tabs between: tick, character, frames a second, frames missed; of bones: tick, character, bone,\n"
     "its position x y z and rotation x y z w in the world. Ctrl-C ends it.\n" STATUSES},
    {APP_COMMAND_RECORD, "record", "tweed record [OPTION…] FILE",
     "write what a running server streams into a file, or with - to stdout", "a file to write", 1, 1,
     "for example:\n  tweed record walk.ndjson --view '{\"characters\":[\"alan\"],\"layout\":\"trs\"}'\n\n"
     "The file has one message a line, as the server sent it. Nothing is left out: who cannot write as fast\n"
     "as the server sends is disconnected. Ctrl-C ends it with a whole line.\n" STATUSES},
    {APP_COMMAND_REPLAY, "replay", "tweed replay [OPTION…] FILE", "serve a recording as if it were live",
     "a recording to serve", 1, 1,
     "The time of the recording begins with the first subscription; at its end the last frames stand, and "
     "it\n"
     "begins again with the first subscription after all have left. A client subscribes to the view that "
     "was\n"
     "recorded, of which it may ask for some characters, a lower rate, and either policy.\n"},
    {APP_COMMAND_TYPES, "types", "tweed types",
     "print the types of all that scripts can say, for the Lua language server", NULL, 0, 0, NULL},
    {APP_COMMAND_REFERENCE, "reference", "tweed reference",
     "print the reference page of all that scripts can say, in Markdown", NULL, 0, 0, NULL},
};
const size_t app_command_count = sizeof app_command_table / sizeof *app_command_table;

void app_options_write_help(AppCommand command, FILE *file) {
    fprintf(file, "usage:\n");
    const AppCommandInfo *own = NULL;
    for (size_t i = 0; i < app_command_count; i++) {
        const AppCommandInfo *info = &app_command_table[i];
        if (command == info->command) own = info;
        if (command == APP_COMMAND_NONE || own == info)
            fprintf(file, "  %s%*s %s\n", info->usage, 36 - columns(info->usage), "", info->help);
    }
    fprintf(file, command == APP_COMMAND_NONE ? "\n`tweed COMMAND --help` tells a command's options. Here:\n"
                                              : "\noptions:\n");
    write_options(command, file);
    if (own && own->notes) fprintf(file, "\n%s", own->notes);
    if (command == APP_COMMAND_CALL) write_methods(file);
}

// Characters, not bytes.
static int columns(const char *text) {
    int count = 0;
    for (const char *c = text; *c; c++) count += ((unsigned char)*c & 0xc0) != 0x80;
    return count;
}

// One column for all: as wide as the longest.
static void write_options(AppCommand command, FILE *file) {
    int width = 22;
    for (size_t i = 0; i < app_option_count; i++) {
        const int length = option_columns(&app_option_table[i]);
        if (app_option_table[i].commands & 1U << command && length > width) width = length;
    }
    for (size_t i = 0; i < app_option_count; i++) {
        const AppOption *option = &app_option_table[i];
        if (!(option->commands & 1U << command)) continue;
        fprintf(file, "  --%s%s%s%*s %s", option->name, option->value ? " " : "",
                option->value ? option->value : "", width - option_columns(option), "", option->help);
        if (option->kind == APP_OPTION_INTEGER && option->maximum < INT64_MAX)
            fprintf(file, "; %lld to %lld", (long long)option->minimum, (long long)option->maximum);
        fputc('\n', file);
    }
}

static int option_columns(const AppOption *option) {
    return 2 + columns(option->name) + (option->value ? 1 + columns(option->value) : 0);
}

static void write_methods(FILE *file) {
    fprintf(file, "\nmethods:\n");
    for (int i = 0; i < PROTOCOL_METHOD_COUNT; i++) fprintf(file, "  %s\n", protocol_methods[i].name);
}
