// Any change in the folder is a reason to read the file again: it may be a link whose target changes.
#include "session/token_watch.h"

#include <stdio.h>
#include <string.h>

#define LONG_ENOUGH 16 // characters of a token

static bool watch_file(AppTokenWatch *watch, uv_loop_t *loop);
static bool on_changed(void *context, const char *path);
static void on_debounced(void *context);
static void read_again(AppTokenWatch *watch, bool tells_always);
static bool has_new_file(AppTokenWatch *watch);
static bool are_same(const AppTokens *a, const AppTokens *b);
static void warn_of_short_tokens(const AppTokenWatch *watch);

bool app_token_watch_begin(AppTokenWatch *watch, const char *path, uv_loop_t *loop, AppLog *log,
                           const AppTicks *ticks) {
    char message[1024];
    watch->path = path;
    watch->log = log;
    watch->ticks = ticks;
    if (!path) return true;
    if (!watch_file(watch, loop))
        app_log(log, TEXT_LOG_WARNING, "cannot watch %s: restart the server after a change", path);
    if (app_tokens_read(&watch->tokens, path, message, sizeof message)) {
        warn_of_short_tokens(watch);
        return true;
    }
    app_log(log, TEXT_LOG_ERROR, "%s", message);
    return false;
}

void app_token_watch_read_again(AppTokenWatch *watch) {
    if (watch->path) read_again(watch, true);
}

void app_token_watch_finish(AppTokenWatch *watch) {
    app_file_watch_finish(&watch->watch);
    app_tokens_finish(&watch->tokens);
}

static bool watch_file(AppTokenWatch *watch, uv_loop_t *loop) {
    return app_file_watch_init(&watch->watch, loop, on_changed, on_debounced, watch) == 0 &&
           app_file_watch_folder_of(&watch->watch, watch->path) == 0;
}

static bool on_changed(void *context, const char *path) {
    (void)path;
    const AppTokenWatch *watch = context;
    return !watch->ticks->stopping;
}

static void on_debounced(void *context) {
    read_again(context, false);
}

static void read_again(AppTokenWatch *watch, bool tells_always) {
    char message[sizeof watch->failure] = "";
    AppTokens tokens;
    if (watch->ticks->stopping) return;
    if (!app_tokens_read(&tokens, watch->path, message, sizeof message)) {
        if (has_new_file(watch) || strcmp(message, watch->failure) != 0 || tells_always)
            app_log(watch->log, TEXT_LOG_ERROR, "%s; the old tokens stay", message);
    } else if (are_same(&tokens, &watch->tokens)) {
        if (tells_always) app_log(watch->log, TEXT_LOG_INFO, "%s has not changed", watch->path);
        app_tokens_finish(&tokens);
    } else {
        app_tokens_finish(&watch->tokens);
        watch->tokens = tokens;
        app_log(watch->log, TEXT_LOG_INFO, "%s reloaded: %zu token%s", watch->path, tokens.count,
                tokens.count == 1 ? "" : "s");
        warn_of_short_tokens(watch);
    }
    memcpy(watch->failure, message, sizeof message);
}

// Whether the file has changed since it failed. Changes of other files in the folder are not reported again.
static bool has_new_file(AppTokenWatch *watch) {
    struct stat now = {0};
    if (stat(watch->path, &now) != 0) now = (struct stat){0};
    const struct stat before = watch->failed;
    watch->failed = now;
    return now.st_ino != before.st_ino || now.st_size != before.st_size ||
           now.st_mtim.tv_sec != before.st_mtim.tv_sec || now.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

static bool are_same(const AppTokens *a, const AppTokens *b) {
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

// Names the lines of tokens that are easy to guess, and never the tokens.
static void warn_of_short_tokens(const AppTokenWatch *watch) {
    for (size_t i = 0; i < watch->tokens.count; i++)
        if (app_token_length(&watch->tokens.items[i]) < LONG_ENOUGH)
            app_log(
                watch->log, TEXT_LOG_WARNING,
                "%s:%u: the token is shorter than %d characters and may be guessed; make one with openssl "
                "rand -hex 16",
                watch->path, watch->tokens.items[i].line, LONG_ENOUGH);
}
