// The log, on stderr or in a file: lines of text, or one JSON object a line. Where it is a terminal, one
// status line below it is redrawn in place. What is unsafe to print is replaced, see safe_text.h.
#pragma once

#include "base/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <text/log_level.h>

#if defined(__GNUC__)
#define APP_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define APP_PRINTF(string, first)
#endif

// The time that a line begins with, in ISO 8601 with milliseconds.
typedef enum AppLogTime {
    APP_LOG_TIME_NONE,
    APP_LOG_TIME_LOCAL, // 2026-03-01T13:30:00.123+01:00
    APP_LOG_TIME_UTC,   // 2026-03-01T12:30:00.123Z
    APP_LOG_TIME_AUTO,  // none for text on a terminal, UTC elsewhere
} AppLogTime;

// "none", "local", "utc", NULL, in the order of the enumerators.
extern const char *const app_log_time_names[];

typedef enum AppLogFormat {
    APP_LOG_FORMAT_TEXT,
    APP_LOG_FORMAT_JSON, // {"time":…,"level":…,"message":…} and what AppLogFields has; UTC unless LOCAL
} AppLogFormat;

// "text", "json", NULL, in the order of the enumerators.
extern const char *const app_log_format_names[];

// What a line is about, for JSON. All zero: nothing of it.
typedef struct AppLogFields {
    uint64_t client;
    const char *address, *script, *character;
    const char *traceback; // text shows it too, below the line
} AppLogFields;

typedef struct AppLogWriter AppLogWriter;

typedef struct AppLog {
    FILE *file;
    int descriptor;       // of the file, and of its terminal
    const char *path;     // NULL: stderr
    AppLogWriter *writer; // NULL: the file is written to directly
    TextLogLevel level;   // lines above it are left out
    AppLogTime time;      // not AUTO
    AppLogFormat format;
    bool terminal;    // with a status line
    bool decorated;   // with colours: a terminal, and no NO_COLOR in the environment
    char status[256]; // "" = none

    unsigned limit; // lines a second, 0 = none; those of the level debug do not count
    uint64_t second;
    unsigned lines, left_out, errors_left_out; // in it
} AppLog;

// Text without a limit.
void app_log_init(AppLog *log, FILE *file, TextLogLevel level, AppLogTime time);

// The log that the options ask for; no line of it waits for whoever reads it, see log_writer.h. False:
// the file cannot be opened, as `out_message` says; nothing to close.
bool app_log_open(AppLog *log, const AppOptions *options, char *out_message, size_t capacity);

// Opens its file again, which may have been renamed. Where that fails the old one is kept, as a line tells.
void app_log_reopen(AppLog *log);

// Clears the status line for good. The stream stays open.
void app_log_finish(AppLog *log);

// Ends what app_log_open began: further lines go to stderr.
void app_log_close(AppLog *log);

// Writes a line; `format` has no line end. A text of several lines, such as a traceback, is indented from the
// second on, so that no name passes for a line of the log. Beyond the limit of lines a second it is counted.
void app_log(AppLog *log, TextLogLevel level, const char *format, ...) APP_PRINTF(3, 4);
void app_log_about(AppLog *log, TextLogLevel level, const AppLogFields *fields, const char *format, ...)
    APP_PRINTF(4, 5);

// Tells how many lines the limit left out, once their second is over. For every now and then.
void app_log_report_left_out(AppLog *log);

// Whether a line of this level is written.
bool app_log_is_enabled(const AppLog *log, TextLogLevel level);

// Writes a line without the level's prefix, whatever the level and the limit of the log are. Further lines
// are not indented.
void app_log_print(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);
// The same for text with names: line ends become '?', so that no name begins a line; those of a traceback,
// whose lines are indented, stay.
void app_log_print_line(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Replaces the status line; does nothing without a terminal.
void app_log_status(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Flushes stdout. False: what was printed cannot be written, which stderr tells.
bool app_flush_output(void);
// Tells it; `failure` is the write's errno.
void app_report_output(int failure);
