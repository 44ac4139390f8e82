// Log lines and the status line.
#include "app/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_BYTES 8192 // a script's message with its traceback

static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent);
static void clear_status(const AppLog *log);
static void draw_status(const AppLog *log);
static size_t terminal_width(const AppLog *log);

void app_log_init(AppLog *log, FILE *file, TextLogLevel level) {
    *log = (AppLog){.file = file, .level = level, .terminal = isatty(fileno(file)) == 1};
    const char *no_color = getenv("NO_COLOR");
    log->decorated = log->terminal && !(no_color && no_color[0]);
}

void app_log_finish(AppLog *log) {
    clear_status(log);
    log->status[0] = '\0';
    fflush(log->file);
}

bool app_log_takes(const AppLog *log, TextLogLevel level) {
    return level <= log->level;
}

void app_log(AppLog *log, TextLogLevel level, const char *format, ...) {
    if (!app_log_takes(log, level)) return;
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

void app_log_say(AppLog *log, const char *format, ...) {
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

static void write_line(AppLog *log, const char *prefix, const char *text, const char *indent) {
    clear_status(log);
    fputs(prefix, log->file);
    for (const char *c = text; *c; c++) {
        const bool control = ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f;
        fputc(control ? '?' : *c, log->file);
        if (*c == '\n') fputs(indent, log->file);
    }
    fputc('\n', log->file);
    draw_status(log);
    fflush(log->file);
}

static void clear_status(const AppLog *log) {
    if (log->status[0]) fputs("\r\033[K", log->file);
}

// Cut to the terminal's width: a line that wraps could not be cleared again.
static void draw_status(const AppLog *log) {
    if (!log->status[0]) return;
    const size_t width = terminal_width(log);
    size_t columns = 0, bytes = 0;
    while (log->status[bytes]) {
        const bool begins_character = ((unsigned char)log->status[bytes] & 0xc0) != 0x80;
        if (begins_character && ++columns >= width) break;
        bytes++;
    }
    if (log->decorated) fputs("\033[2m", log->file);
    fwrite(log->status, 1, bytes, log->file);
    if (log->decorated) fputs("\033[0m", log->file);
}

static size_t terminal_width(const AppLog *log) {
    struct winsize size;
    if (ioctl(fileno(log->file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}
