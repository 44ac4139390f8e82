// The terminal: log lines, and below them one status line that is rewritten in place.
//
// Everything goes to one stream (stderr). The status line exists only where that is a terminal; a log line
// first clears it and then puts it back, so the two never mix.
#pragma once

#include "app/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <text/log_level.h>

#if defined(__GNUC__)
#define APP_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define APP_PRINTF(string, first)
#endif

typedef struct AppLog {
    FILE *file;
    TextLogLevel level; // lines above it are left out
    bool terminal;
    bool decorated;   // with colours: a terminal, and no NO_COLOR in the environment
    char status[256]; // "" = none
} AppLog;

void app_log_init(AppLog *log, FILE *file, TextLogLevel level);

// Clears the status line for good. The stream stays open.
void app_log_finish(AppLog *log);

// One line, without its end. Control characters in it are written as '?', so that no name or message from
// outside drives the terminal; further lines, as of a traceback, are indented, so that none of a name passes
// for a line of its own.
void app_log(AppLog *log, TextLogLevel level, const char *format, ...) APP_PRINTF(3, 4);

// Whether a line of this level would be written.
bool app_log_takes(const AppLog *log, TextLogLevel level);

// What is said at the start whatever the level is; no prefix.
void app_log_say(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Replaces the status line; nothing where the stream is no terminal.
void app_log_status(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Prints text from outside, such as a name, `most_columns` characters at most. Control characters, and
// characters that change the direction of text, become '?', so that none drives the terminal. Returns how
// many were printed.
size_t app_print_safe(FILE *file, const char *text, size_t most_columns);
