// The command line: what `tweed` was asked to do. One table gives names, ranges, defaults and help texts, so
// parsing and `--help` cannot disagree.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <text/log_level.h>

#define APP_MAX_CHARACTERS 4096

typedef enum AppCommand {
    APP_COMMAND_NONE,
    APP_COMMAND_SERVE,
    APP_COMMAND_CHECK,
    APP_COMMAND_CALL,
    APP_COMMAND_STATS,
    APP_COMMAND_WATCH,
    APP_COMMAND_RECORD,
    APP_COMMAND_REPLAY,
    APP_COMMAND_TYPES,
    APP_COMMAND_REFERENCE
} AppCommand;

// Strings belong to the command line; the arrays to the options.
typedef struct AppNames {
    const char **names; // [count]
    size_t count;
} AppNames;

typedef struct AppAddress {
    char host[256]; // without the brackets of an IPv6 literal
    int64_t port;
} AppAddress;

typedef struct AppOptions {
    AppCommand command;
    AppNames files;        // the arguments: scenes to serve, files to check, a method and its parameters, …
    AppAddress listen;     // port 0: a free one
    AppAddress connect;    // of the server that is asked
    const char *unix_path; // to listen on as well, or to connect to instead; NULL: none
    const char *port_file; // NULL: none
    const char *token_file; // of those who may connect, or to take one's own from; NULL: none
    int64_t rate;           // Hz
    int64_t threads;        // that simulate; 0: as many as there are cores
    int64_t view_rate;      // Hz that is watched; 0: all
    int64_t ticks;          // to watch or record; 0: without end
    AppNames bones;         // patterns; none: all
    const char *view;       // parameters of stream.subscribe as JSON; NULL: none
    bool paused;            // start so, at tick 0
    bool json;              // findings as JSON
    AppNames scripts;       // further folders of scripts
    AppNames assets;        // further folders of files to import
    int64_t script_memory;  // MiB that each script may have
    int64_t script_budget;  // ms of processor time that each script may take in a tick
    int64_t log_level;      // TextLogLevel
    int64_t seed;           // of everything random
    int64_t pose_timeout;   // s of simulation that the bones of a driver who left stay posed; 0: for ever
    int64_t max_characters; // at a time
    int64_t max_clients;    // connections at a time
    int64_t max_message;    // bytes of one message from a client

    AppAddress jsonlivelink;   // of Unreal's JSON Live Link plug-in; host "": none
    bool jsonlivelink_remote;  // which may be on another machine
    int64_t jsonlivelink_rate; // Hz; 0: every tick
} AppOptions;

typedef enum AppParse {
    APP_PARSE_RUN,     // do the command
    APP_PARSE_HELP,    // print the help of the command (or, with none, of tweed)
    APP_PARSE_VERSION, // print the version
    APP_PARSE_WRONG,   // print the message: which option, what was expected, what was found
} AppParse;

// Fills `options` in any case; finish it afterwards. argv[0] is not looked at. `message` is written where the
// result is APP_PARSE_WRONG, one line without its end.
AppParse app_options_parse(AppOptions *options, int argc, char *const argv[], char *message, size_t capacity);
void app_options_finish(AppOptions *options);

size_t app_options_script_memory(const AppOptions *options);      // bytes
uint64_t app_options_script_budget_ns(const AppOptions *options); // ns

void app_options_write_help(AppCommand command, FILE *file);
