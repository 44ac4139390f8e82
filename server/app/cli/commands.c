// Runs the command that the command line asks for.
#include "app/main.h"
#include "base/log.h"
#include "base/safe_text.h"
#include "base/version.h"
#include "cli/manual.h"
#include "cli/parse.h"
#include "server/serve.h"
#include "tools/recording.h"
#include "tools/tools.h"

#include <asset/import.h>
#include <fcntl.h>
#include <script/manual.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void occupy_standard_files(void);
static int run(const AppOptions *options);
static bool has_misnamed_recording(const AppOptions *options);
static int print_manual(const char *page);
static int print(bool (*write)(FILE *file));

int app_main(int argc, char **argv) {
    AppOptions options;
    char message[1024];
    int status = 0;
    if (asset_import_main(argc, argv, &status)) return status; // a child that reads a file
    occupy_standard_files();
    switch (app_options_parse(&options, argc, argv, message, sizeof message)) {
    case APP_PARSE_RUN:
        status = run(&options);
        break;
    case APP_PARSE_HELP:
        app_options_write_help(options.command, stdout);
        break;
    case APP_PARSE_VERSION:
        printf("tweed " TWEED_VERSION "\ncommit %s\nbuild %s\n", app_commit, app_build);
        break;
    case APP_PARSE_WRONG:
        fputs("tweed: ", stderr);
        app_print_safe(stderr, message, SIZE_MAX);
        fputc('\n', stderr);
        status = 2;
        break;
    }
    app_options_finish(&options);
    return status;
}

// Where the caller has closed stdin, stdout or stderr, the next file or socket would get its number, and
// output would go into a client's stream or libuv's pipes. /dev/null, opened in the wrong direction, takes
// the number and fails as a closed file does.
static void occupy_standard_files(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) >= 0) continue;
        if (open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) return;
    }
}

static int run(const AppOptions *options) {
    switch (options->command) {
    case APP_COMMAND_BAKE:
        if (app_is_recording(options->files.names[0])) return app_tool_bake_recording(options);
        return has_misnamed_recording(options) ? 2 : app_serve(options);
    case APP_COMMAND_CHECK:
        return app_tool_check(options);
    case APP_COMMAND_INSPECT:
        return app_tool_inspect(options);
    case APP_COMMAND_CALL:
        return app_tool_call(options);
    case APP_COMMAND_STATS:
        return app_tool_stats(options);
    case APP_COMMAND_WATCH:
        return app_tool_watch(options);
    case APP_COMMAND_RECORD:
        return app_tool_record(options);
    case APP_COMMAND_REPLAY:
        return app_tool_replay(options);
    case APP_COMMAND_TYPES:
        return print(script_write_types);
    case APP_COMMAND_REFERENCE:
        return print(script_write_reference);
    case APP_COMMAND_MANUAL:
        return print_manual(options->files.count > 0 ? options->files.names[0] : NULL);
    default:
        return app_serve(options);
    }
}

// Where a scene is expected: tells it.
static bool has_misnamed_recording(const AppOptions *options) {
    for (size_t i = 0; i < options->files.count; i++) {
        if (!app_recording_is_at(options->files.names[i])) continue;
        fputs("tweed: bake: expected a recording's name to end in .ndjson, found \"", stderr);
        app_print_safe(stderr, options->files.names[i], SIZE_MAX);
        fputs("\"\n", stderr);
        return true;
    }
    return false;
}

static int print_manual(const char *page) {
    char message[256];
    if (app_write_manual(page, stdout, message, sizeof message)) return app_flush_output() ? 0 : 1;
    fputs("tweed: manual: ", stderr);
    app_print_safe(stderr, message, SIZE_MAX);
    fputc('\n', stderr);
    return 2;
}

static int print(bool (*write)(FILE *file)) {
    const bool written = write(stdout);
    return app_flush_output() && written ? 0 : 1;
}
