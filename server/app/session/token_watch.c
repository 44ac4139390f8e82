// Any change in the folder is reason enough to look: the file may be a link whose target is what changes.
#include "session/token_watch.h"

#include "server/app.h"

#include <stdio.h>
#include <string.h>

#define SETTLE_MS   60
#define LONG_ENOUGH 16 // characters of a token

static bool follow(App *app);
static void on_changed(void *context, const char *path);
static void on_settled(uv_timer_t *timer);
static bool same(const AppTokens *a, const AppTokens *b);
static void warn_of_short_ones(App *app);

bool app_token_watch_begin(App *app) {
    const char *path = app->options->token_file;
    char message[1024];
    if (!path) return true;
    if (!follow(app))
        app_log(&app->log, TEXT_LOG_WARNING, "cannot watch %s: changes are taken up by the next start only",
                path);
    if (app_tokens_read(&app->tokens, path, message, sizeof message)) {
        warn_of_short_ones(app);
        return true;
    }
    app_log(&app->log, TEXT_LOG_ERROR, "%s", message);
    return false;
}

void app_token_watch_finish(App *app) {
    app_file_watch_finish(&app->token_watch.watch);
    app_tokens_finish(&app->tokens);
}

static bool follow(App *app) {
    AppTokenWatch *watch = &app->token_watch;
    app_file_watch_init(&watch->watch, &app->loop, on_changed, app);
    if (uv_timer_init(&app->loop, &watch->settling) != 0) return false;
    watch->settling.data = app;
    return app_file_watch_folder_of(&watch->watch, app->options->token_file) == 0;
}

static void on_changed(void *context, const char *path) {
    (void)path;
    App *app = context;
    uv_timer_t *settling = &app->token_watch.settling;
    if (!app->stopping && !uv_is_active((uv_handle_t *)settling))
        uv_timer_start(settling, on_settled, SETTLE_MS, 0);
}

static void on_settled(uv_timer_t *timer) {
    App *app = timer->data;
    char message[sizeof app->token_watch.failure] = "";
    AppTokens tokens;
    if (app->stopping) return;
    if (!app_tokens_read(&tokens, app->options->token_file, message, sizeof message)) {
        if (strcmp(message, app->token_watch.failure) != 0)
            app_log(&app->log, TEXT_LOG_ERROR, "%s; the tokens of before stay", message);
    } else if (same(&tokens, &app->tokens)) {
        app_tokens_finish(&tokens);
    } else {
        app_tokens_finish(&app->tokens);
        app->tokens = tokens;
        app_log(&app->log, TEXT_LOG_INFO, "%s is read anew: %zu token%s", app->options->token_file,
                tokens.count, tokens.count == 1 ? "" : "s");
        warn_of_short_ones(app);
    }
    memcpy(app->token_watch.failure, message, sizeof message);
}

static bool same(const AppTokens *a, const AppTokens *b) {
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

// Those that somebody could find by trying are told, without what they are.
static void warn_of_short_ones(App *app) {
    for (size_t i = 0; i < app->tokens.count; i++)
        if (app_token_length(&app->tokens.items[i]) < LONG_ENOUGH)
            app_log(&app->log, TEXT_LOG_WARNING,
                    "%s:%u: a token of less than %d characters may be guessed: openssl rand -hex 16 makes a "
                    "better one",
                    app->options->token_file, app->tokens.items[i].line, LONG_ENOUGH);
}
