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

// The options of the command line and the environment, which own the strings; the arrays are the options'.
typedef struct AppOptions {
    AppCommand command;
    AppNames lists; // copies of variables that hold several values
    AppNames files; // the arguments: scenes to serve, files to check, a method and its parameters, …

    AppAddress listen;      // of the TCP server; port 0 takes a free one
    AppAddress http;        // of HTTP and WebSocket; host "": none
    bool no_http;           // HTTP and WebSocket are off
    AppNames allow_origin;  // hosts and origins of browsers' pages that may connect
    const char *web;        // folder of the page that is served; NULL: tweed's own
    AppAddress connect;     // of the server that a tool connects to
    const char *unix_path;  // socket to listen on as well, or that a tool connects to instead; NULL: none
    const char *port_file;  // file that gets the bound port; NULL: none
    const char *token_file; // tokens that a server accepts, or the one that a tool sends; NULL: none
    int64_t max_clients;    // connections at a time
    int64_t max_message;    // bytes of a client's longest message

    const char *cluster;             // URL of the cluster's broker; NULL: no cluster
    const char *cluster_name;        // NULL: "tweed"
    const char *node;                // name of this server in the cluster; NULL: HOST-PORT
    AppAddress advertise;            // at which other nodes reach this one; host "": where it listens
    const char *cluster_credentials; // file; NULL: none

    int64_t rate;           // ticks a second
    int64_t threads;        // of the simulation; 0: as many as there are cores
    int64_t max_characters; // at a time
    int64_t seed;           // of all random numbers
    int64_t
        pose_timeout; // s of simulation after which the bones of a client that left are released; 0: never
    bool paused;      // the server starts paused, at tick 0

    AppNames scripts;            // folders of scripts
    bool allow_save;             // clients may write fabrics into them
    AppNames assets;             // folders of files to import
    const char *cache;           // folder for results that take long to compute; NULL: the user's
    int64_t import_memory;       // MiB that reading a file to import may take
    int64_t import_time;         // s that reading the files of a script may take
    int64_t script_memory;       // MiB that each script may have
    bool no_shed;                // overload does not lower levels of detail
    bool allow_heavy;            // characters are allowed that are estimated to take more than a tick
    int64_t total_script_memory; // MiB that all scripts together may have
    int64_t script_budget;       // ms of processor time that each script may take in a tick

    int64_t log_level;    // TextLogLevel
    int64_t log_time;     // AppLogTime
    int64_t log_format;   // AppLogFormat
    int64_t log_limit;    // lines a second; 0: any number
    const char *log_file; // NULL: stderr

    AppAddress jsonlivelink;   // of Unreal's JSON Live Link plug-in; host "": none
    bool jsonlivelink_remote;  // that address may be on another machine
    int64_t jsonlivelink_rate; // messages a second; 0: one a tick

    bool json;         // findings and the content of files are printed as JSON
    int64_t ticks;     // to watch or record; 0: without end
    int64_t timeout;   // s without a frame after which watching or recording fails; 0: never
    int64_t view_rate; // frames a second to watch; 0: one a tick
    AppNames bones;    // patterns of bones to watch; none: all
    const char *view;  // parameters of the stream.subscribe to record, as JSON; NULL: everything

    bool loop;    // a replay begins again after its end
    double speed; // of a replay

    double bake_from;      // s before the first baked frame
    double bake_seconds;   // s that are baked; NAN: 10 of a scene, all of a recording
    const char *out;       // the file to bake into
    const char *baked;     // pattern of the characters to bake; NULL: all
    bool no_mesh;          // bones are baked without meshes
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
