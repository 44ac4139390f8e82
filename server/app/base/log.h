// The log on stderr, and where that is a terminal, one status line below it that is redrawn in place.
#pragma once

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
    APP_LOG_TIME_AUTO,  // none on a terminal, UTC elsewhere
} AppLogTime;

// "none", "local", "utc", NULL, in the order of the enumerators.
extern const char *const app_log_time_names[];

typedef struct AppLogWriter AppLogWriter;

typedef struct AppLog {
    FILE *file;
    int descriptor;       // of the file, and of its terminal
    AppLogWriter *writer; // NULL: the file is written to directly
    TextLogLevel level;   // lines above it are left out
    AppLogTime time;      // not AUTO
    bool terminal;
    bool decorated;   // with colours: a terminal, and no NO_COLOR in the environment
    char status[256]; // "" = none
} AppLog;

void app_log_init(AppLog *log, FILE *file, TextLogLevel level, AppLogTime time);

// From now on no line waits for whoever reads the file, see log_writer.h. Where memory or threads do not
// suffice, nothing changes. End it by app_log_close.
void app_log_detach(AppLog *log);

// Clears the status line for good. The stream stays open.
void app_log_finish(AppLog *log);

// Ends what app_log_detach began: further lines are written directly.
void app_log_close(AppLog *log);

// Writes a line; `format` has no line end. Unsafe characters become '?', as app_print_safe writes them. A
// text of several lines, such as a traceback, is indented from the second on, so that no name passes for a
// line of the log.
void app_log(AppLog *log, TextLogLevel level, const char *format, ...) APP_PRINTF(3, 4);

// Whether a line of this level is written.
bool app_log_is_enabled(const AppLog *log, TextLogLevel level);

// Writes a line without the level's prefix, whatever the level of the log is. Further lines are not indented.
void app_log_print(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Replaces the status line; does nothing without a terminal.
void app_log_status(AppLog *log, const char *format, ...) APP_PRINTF(2, 3);

// Prints text from outside, such as a name, `most_columns` characters at most. Control characters, and
// characters that change the direction of text, become '?', so that none drives the terminal. Returns how
// many were printed.
size_t app_print_safe(FILE *file, const char *text, size_t most_columns);

// Flushes stdout. False: what was printed cannot be written, which stderr tells.
bool app_flush_output(void);
