// Log lines and the status line.
#include "base/log.h"

#include "base/log_writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <text/utf8.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 8192 // a script's message with its traceback

const char *const app_log_time_names[] = {"none", "local", "utc", NULL};

static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent);
static void print_time(const AppLog *log);
static size_t print_safe(FILE *file, const char *text, size_t length, size_t most_columns);
static bool is_safe(uint32_t code_point);
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

void app_log_detach(AppLog *log) {
    log->writer = app_log_writer_create(log->descriptor, &log->file);
}

void app_log_finish(AppLog *log) {
    clear_status(log);
    log->status[0] = '\0';
    fflush(log->file);
}

void app_log_close(AppLog *log) {
    app_log_finish(log);
    if (log->writer) log->file = stderr;
    app_log_writer_destroy(log->writer);
    log->writer = NULL;
}

bool app_log_is_enabled(const AppLog *log, TextLogLevel level) {
    return level <= log->level;
}

void app_log(AppLog *log, TextLogLevel level, const char *format, ...) {
    if (!app_log_is_enabled(log, level)) return;
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    static const char *const plain[] = {"error: ", "warning: ", "", "debug: "};
    static const char *const colored[] = {"\033[31merror:\033[0m ", "\033[33mwarning:\033[0m ", "",
                                          "\033[2mdebug:\033[0m "};
    write_line(log, (log->decorated ? colored : plain)[level], text, "  ");
}

void app_log_print(AppLog *log, const char *format, ...) {
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(log, "", text, "");
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

size_t app_print_safe(FILE *file, const char *text, size_t most_columns) {
    return print_safe(file, text, strlen(text), most_columns);
}

bool app_flush_output(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    fprintf(stderr, "tweed: cannot write the output: %s\n", strerror(errno));
    return false;
}

static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent) {
    clear_status(log);
    print_time(log);
    fputs(prefix, log->file);
    while (*text) {
        const size_t length = strcspn(text, "\n\t");
        print_safe(log->file, text, length, SIZE_MAX);
        text += length;
        if (*text) fputc(*text, log->file);
        if (*text && *text++ == '\n') fputs(indent, log->file);
    }
    fputc('\n', log->file);
    draw_status(log);
    fflush(log->file);
}

static void print_time(const AppLog *log);
// strftime's %z has no colon, which ISO 8601 wants where the time has them.
static void print_time(const AppLog *log) {
    if (log->time == APP_LOG_TIME_NONE) return;
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
    fprintf(log->file, "%s.%03d%s ", text, (int)(now.tv_nsec / 1000000), offset);
}

static size_t print_safe(FILE *file, const char *text, size_t length, size_t most_columns) {
    size_t columns = 0;
    for (size_t at = 0; at < length && columns < most_columns; columns++) {
        const size_t size = text_utf8_length(text + at, length - at);
        if (size > 0 && is_safe(text_utf8_code_point(text + at, size)))
            fwrite(text + at, 1, size, file);
        else
            fputc('?', file);
        at += size > 0 ? size : 1;
    }
    return columns;
}

// No C0 or C1 control, line or paragraph separator, mark, embedding, override or isolate of direction.
static bool is_safe(uint32_t code_point) {
    const bool is_control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
    const bool is_direction = (code_point >= 0x200e && code_point <= 0x200f) ||
                              (code_point >= 0x2028 && code_point <= 0x202e) ||
                              (code_point >= 0x2066 && code_point <= 0x2069);
    return !is_control && !is_direction;
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
