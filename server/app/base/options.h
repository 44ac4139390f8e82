// What `tweed` is asked to do, as cli/parse.h reads it from the command line.
#pragma once

#include "base/address.h"

#include <asset/import.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define APP_MAX_CHARACTERS 4096

typedef enum AppCommand {
    APP_COMMAND_NONE,
    APP_COMMAND_SERVE,
    APP_COMMAND_BAKE,
    APP_COMMAND_CHECK,
    APP_COMMAND_INSPECT,
    APP_COMMAND_CALL,
    APP_COMMAND_STATS,
    APP_COMMAND_WATCH,
    APP_COMMAND_RECORD,
    APP_COMMAND_REPLAY,
    APP_COMMAND_TYPES,
    APP_COMMAND_REFERENCE,
    APP_COMMAND_MANUAL
} AppCommand;

typedef struct AppNames {
    const char **names; // [count]
    size_t count;
} AppNames;

// Strings belong to the command line and the environment; the arrays to the options.
typedef struct AppOptions {
    AppCommand command;
    AppNames lists; // copies of variables that hold several values
    AppNames files; // the arguments: scenes to serve, files to check, a method and its parameters, …

    AppAddress listen;      // port 0: a free one
    AppAddress http;        // of HTTP and WebSocket; host "": none
    bool no_http;           // none
    AppNames allow_origin;  // hosts and origins of browsers' pages that may connect
    const char *web;        // folder of the page; NULL: tweed's own
    AppAddress connect;     // of the server that a tool asks
    const char *unix_path;  // a socket to listen on as well, or to connect to instead; NULL: none
    const char *port_file;  // NULL: none
    const char *token_file; // of the clients that may connect, or to take one's own token from; NULL: none
    int64_t max_clients;    // connections at a time
    int64_t max_message;    // bytes of one message from a client

    const char *cluster;             // URL of its broker; NULL: none
    const char *cluster_name;        // NULL: "tweed"
    const char *node;                // this server's name there; NULL: HOST-PORT
    AppAddress advertise;            // where other nodes reach this one; host "": where it listens
    const char *cluster_credentials; // file; NULL: none

    int64_t rate;           // Hz
    int64_t threads;        // that simulate; 0: as many as there are cores
    int64_t max_characters; // at a time
    int64_t seed;           // of everything random
    int64_t pose_timeout;   // s of simulation that bones stay posed after their client has left; 0: for ever
    bool paused;            // at tick 0

    AppNames scripts;            // folders of scripts
    bool allow_save;             // clients may write fabrics there
    AppNames assets;             // folders of files to import
    const char *cache;           // the folder of what takes long to compute; NULL: the user's
    int64_t import_memory;       // MiB that reading a file to import may take
    int64_t import_time;         // s that reading the files of a script may take
    int64_t script_memory;       // MiB that each script may have
    bool no_shed;                // what makes ticks longer than their time is simulated all the same
    bool allow_heavy;            // characters that are estimated to take more than a tick
    int64_t total_script_memory; // MiB that all scripts together may have
    int64_t script_budget;       // ms of processor time that each script may take in a tick

    int64_t log_level;    // TextLogLevel
    int64_t log_time;     // AppLogTime
    int64_t log_format;   // AppLogFormat
    int64_t log_limit;    // lines a second; 0: any number
    const char *log_file; // NULL: stderr

    AppAddress jsonlivelink;   // of Unreal's JSON Live Link plug-in; host "": none
    bool jsonlivelink_remote;  // which may be on another machine
    int64_t jsonlivelink_rate; // Hz; 0: every tick

    bool json;         // print findings, or what is in a file, as JSON
    int64_t ticks;     // to watch or record; 0: without end
    int64_t timeout;   // s without a frame after which watching or recording fails; 0: never
    int64_t view_rate; // Hz to watch; 0: every tick
    AppNames bones;    // patterns to watch; none: all
    const char *view;  // to record, as JSON: parameters of stream.subscribe; NULL: everything

    bool loop;    // replay again after the end
    double speed; // of a replay

    double bake_from;      // s before the baked ones
    double bake_seconds;   // that are baked; NAN: 10 of a scene, all of a recording
    const char *out;       // the file to bake into
    const char *baked;     // pattern of the characters to bake; NULL: all
    bool no_mesh;          // bake bones only
    double position_error; // mm that a bone's origin may be off
    double rotation_error; // degrees that a bone may be turned
} AppOptions;

// Whether a file is named as a recording: FILE.ndjson.
static inline bool app_is_recording(const char *file) {
    const char *end = strrchr(file, '.');
    return end && strcmp(end, ".ndjson") == 0;
}

// In a child process of this program.
static inline AssetImport app_options_import(const AppOptions *options) {
    return (AssetImport){.program = "/proc/self/exe",
                         .memory = (size_t)options->import_memory << 20,
                         .seconds = (double)options->import_time};
}

static inline size_t app_options_script_memory(const AppOptions *options) { // bytes
    return (size_t)options->script_memory << 20;
}

static inline uint64_t app_options_script_budget_ns(const AppOptions *options) {
    return (uint64_t)options->script_budget * 1000000;
}
