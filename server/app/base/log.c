// Lines of the log and the status line.
#include "base/log.h"

#include "base/log_writer.h"
#include "base/safe_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 8192 // a script's message with its traceback

const char *const app_log_time_names[] = {"none", "local", "utc", NULL};
const char *const app_log_format_names[] = {"text", "json", NULL};

static int open_file(const char *path);
static void write_loss(void *context, FILE *file, size_t lines, const char *reason);
static void write_log(AppLog *log, TextLogLevel level, const AppLogFields *fields, const char *format,
                      va_list arguments);
static bool is_within_limit(AppLog *log, TextLogLevel level);
static void print(AppLog *log, const char *text);
static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent);
static void write_json(const AppLog *log, FILE *file, TextLogLevel level, const char *message,
                       const AppLogFields *fields);
static void write_json_field(FILE *file, const char *name, const char *value);
static void print_time(const AppLog *log, FILE *file);
static void clear_status(const AppLog *log);
static void draw_status(const AppLog *log);
static size_t terminal_width(const AppLog *log);

void app_log_init(AppLog *log, FILE *file, TextLogLevel level, AppLogTime time) {
    const int descriptor = fileno(file);
    *log = (AppLog){.file = file,
                    .descriptor = descriptor,
                    .level = level,
                    .time = time,
                    .terminal = isatty(descriptor) == 1};
    tzset();
    if (time == APP_LOG_TIME_AUTO) log->time = log->terminal ? APP_LOG_TIME_NONE : APP_LOG_TIME_UTC;
    const char *no_color = getenv("NO_COLOR");
    log->decorated = log->terminal && !(no_color && no_color[0]);
}

// Where memory or threads do not suffice for the writer, stderr is written to directly.
bool app_log_open(AppLog *log, const AppOptions *options, char *out_message, size_t capacity) {
    app_log_init(log, stderr, (TextLogLevel)options->log_level, (AppLogTime)options->log_time);
    log->path = options->log_file;
    log->format = (AppLogFormat)options->log_format;
    log->limit = (unsigned)options->log_limit;
    if (log->path && (log->descriptor = open_file(log->path)) < 0) {
        snprintf(out_message, capacity, "--log-file %s: %s", log->path, strerror(errno));
        return false;
    }
    if (log->path || log->format == APP_LOG_FORMAT_JSON) {
        log->terminal = log->decorated = false;
        if (options->log_time == APP_LOG_TIME_AUTO) log->time = APP_LOG_TIME_UTC;
    }
    log->writer = app_log_writer_create(log->descriptor, write_loss, log, &log->file);
    if (log->writer || !log->path) return true;
    close(log->descriptor);
    snprintf(out_message, capacity, "--log-file %s: out of memory or threads", log->path);
    return false;
}

void app_log_reopen(AppLog *log) {
    if (!log->path) return;
    const int opened = open_file(log->path);
    if (opened < 0 || !app_log_writer_redirect(log->writer, opened))
        app_log(log, TEXT_LOG_ERROR, "--log-file %s: %s; still writing to the old file", log->path,
                strerror(errno));
    if (opened >= 0) close(opened);
}

void app_log_finish(AppLog *log) {
    clear_status(log);
    log->status[0] = '\0';
    fflush(log->file);
}

void app_log_close(AppLog *log) {
    app_log_report_left_out(log);
    app_log_finish(log);
    if (log->writer) log->file = stderr;
    if (app_log_writer_destroy(log->writer) && log->path) close(log->descriptor);
    log->writer = NULL;
}

bool app_log_is_enabled(const AppLog *log, TextLogLevel level) {
    return level <= log->level;
}

void app_log(AppLog *log, TextLogLevel level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_log(log, level, &(AppLogFields){0}, format, arguments);
    va_end(arguments);
}

void app_log_about(AppLog *log, TextLogLevel level, const AppLogFields *fields, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_log(log, level, fields, format, arguments);
    va_end(arguments);
}

void app_log_report_left_out(AppLog *log) {
    if (log->left_out == 0) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((uint64_t)now.tv_sec == log->second) return;
    const unsigned count = log->left_out, errors = log->errors_left_out;
    log->left_out = log->errors_left_out = 0;
    app_log(log, TEXT_LOG_WARNING, "%u line%s left out by --log-limit %u, %u of them error%s", count,
            count == 1 ? "" : "s", log->limit, errors, errors == 1 ? "" : "s");
}

void app_log_print(AppLog *log, const char *format, ...) {
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print(log, text);
}

void app_log_print_line(AppLog *log, const char *format, ...) {
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *end = text; (end = strchr(end, '\n')); end++)
        if (end[1] != ' ') *end = '?';
    print(log, text);
}

void app_log_status(AppLog *log, const char *format, ...) {
    if (!log->terminal) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log->status, sizeof log->status, format, arguments);
    va_end(arguments);
    clear_status(log);
    draw_status(log);
    fflush(log->file);
}

bool app_flush_output(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    app_report_output(errno);
    return false;
}

void app_report_output(int failure) {
    fprintf(stderr, "tweed: cannot write the output: %s\n", strerror(failure));
}

// Does not wait for the reader of a pipe. -1: see errno.
static int open_file(const char *path) {
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0640);
}

static void write_loss(void *context, FILE *file, size_t lines, const char *reason) {
    const AppLog *log = context;
    char text[256];
    snprintf(text, sizeof text, "%s: %zu line%s lost", reason, lines, lines == 1 ? " is" : "s are");
    if (log->format == APP_LOG_FORMAT_JSON) {
        write_json(log, file, TEXT_LOG_WARNING, text, &(AppLogFields){0});
        return;
    }
    fprintf(file, "%swarning: %s\n", log->terminal ? "\r\033[K" : "", text);
}

static void write_log(AppLog *log, TextLogLevel level, const AppLogFields *fields, const char *format,
                      va_list arguments) {
    static const char *const plain[] = {"error: ", "warning: ", "", "debug: "};
    static const char *const colored[] = {"\033[31merror:\033[0m ", "\033[33mwarning:\033[0m ", "",
                                          "\033[2mdebug:\033[0m "};
    if (!app_log_is_enabled(log, level) || !is_within_limit(log, level)) return;
    char text[LINE_BYTES];
    const int length = vsnprintf(text, sizeof text, format, arguments);
    if (log->format == APP_LOG_FORMAT_JSON) {
        write_json(log, log->file, level, text, fields);
        fflush(log->file);
        return;
    }
    if (fields->traceback && length >= 0 && (size_t)length < sizeof text)
        snprintf(text + length, sizeof text - (size_t)length, "\n%s", fields->traceback);
    write_line(log, (log->decorated ? colored : plain)[level], text, "  ");
}

static bool is_within_limit(AppLog *log, TextLogLevel level) {
    if (log->limit == 0 || level == TEXT_LOG_DEBUG) return true;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    app_log_report_left_out(log);
    if ((uint64_t)now.tv_sec != log->second) log->lines = 0;
    log->second = (uint64_t)now.tv_sec;
    if (log->lines++ < log->limit) return true;
    log->left_out++;
    log->errors_left_out += level == TEXT_LOG_ERROR;
    return false;
}

static void print(AppLog *log, const char *text) {
    if (log->format == APP_LOG_FORMAT_JSON) {
        write_json(log, log->file, TEXT_LOG_INFO, text + strspn(text, " \n"), &(AppLogFields){0});
        fflush(log->file);
        return;
    }
    write_line(log, "", text, "");
}

static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent) {
    clear_status(log);
    if (log->time != APP_LOG_TIME_NONE) {
        print_time(log, log->file);
        fputc(' ', log->file);
    }
    fputs(prefix, log->file);
    app_print_safe_lines(log->file, text, indent);
    fputc('\n', log->file);
    draw_status(log);
    fflush(log->file);
}

static void write_json(const AppLog *log, FILE *file, TextLogLevel level, const char *message,
                       const AppLogFields *fields) {
    fputs("{\"time\":\"", file);
    print_time(log, file);
    fprintf(file, "\",\"level\":\"%s\",\"message\":", text_log_level_names[level]);
    app_print_safe_string(file, message);
    if (fields->client) fprintf(file, ",\"client\":%llu", (unsigned long long)fields->client);
    write_json_field(file, "address", fields->address);
    write_json_field(file, "script", fields->script);
    write_json_field(file, "character", fields->character);
    write_json_field(file, "traceback", fields->traceback);
    fputs("}\n", file);
}

static void write_json_field(FILE *file, const char *name, const char *value) {
    if (!value || !value[0]) return;
    fprintf(file, ",\"%s\":", name);
    app_print_safe_string(file, value);
}

// strftime's %z has no colon, which ISO 8601 wants where the time has them.
static void print_time(const AppLog *log, FILE *file) {
    struct timespec now;
    struct tm parts;
    char text[32], offset[8] = "Z";
    clock_gettime(CLOCK_REALTIME, &now);
    if (log->time == APP_LOG_TIME_LOCAL)
        localtime_r(&now.tv_sec, &parts);
    else
        gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (log->time == APP_LOG_TIME_LOCAL && strftime(offset, sizeof offset, "%z", &parts) == 5) {
        memmove(offset + 4, offset + 3, 3);
        offset[3] = ':';
    }
    fprintf(file, "%s.%03d%s", text, (int)(now.tv_nsec / 1000000), offset);
}

static void clear_status(const AppLog *log) {
    if (log->status[0]) fputs("\r\033[K", log->file);
}

// Cut to the terminal's width: a line that wraps could not be cleared again.
static void draw_status(const AppLog *log) {
    if (!log->status[0]) return;
    if (log->decorated) fputs("\033[2m", log->file);
    app_print_safe(log->file, log->status, terminal_width(log) - 1);
    if (log->decorated) fputs("\033[0m", log->file);
}

static size_t terminal_width(const AppLog *log) {
    struct winsize size;
    if (ioctl(log->descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}
