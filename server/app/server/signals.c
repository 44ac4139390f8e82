// Signals, which arrive on the loop.
#include "server/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static bool watch(App *app, uv_signal_t *handle, uv_signal_cb on_signal, int signal_number);
static bool is_ignored(int signal_number);
static bool has_terminal(void);
static void end_at_once(int signal_number);
static void on_end(uv_signal_t *handle, int signal_number);
static void on_hangup(uv_signal_t *handle, int signal_number);

void app_signals_init(App *app) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its write
    signal(SIGINT, end_at_once);
    signal(SIGTERM, end_at_once);
    app->has_terminal = has_terminal();
    if (app->options->command == APP_COMMAND_SERVE && !is_ignored(SIGHUP))
        (void)watch(app, &app->hangup, on_hangup, SIGHUP);
}

bool app_signals_begin(App *app) {
    return watch(app, &app->interrupt, on_end, SIGINT) && watch(app, &app->terminate, on_end, SIGTERM);
}

static bool watch(App *app, uv_signal_t *handle, uv_signal_cb on_signal, int signal_number) {
    if (uv_signal_init(&app->loop, handle) != 0) return false;
    handle->data = app;
    return uv_signal_start(handle, on_signal, signal_number) == 0;
}

static bool is_ignored(int signal_number) {
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Whether there is a terminal that controls the process.
static bool has_terminal(void) {
    const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal >= 0) close(terminal);
    return terminal >= 0;
}

// While the scenes are loaded, which may take long, there is nothing to close in order.
static void end_at_once(int signal_number) {
    (void)signal_number;
    _exit(0);
}

// A second signal ends the process at once.
static void on_end(uv_signal_t *handle, int signal_number) {
    (void)signal_number;
    App *app = handle->data;
    if (app->ticks.stopping) {
        app_log_finish(&app->log);
        _exit(0);
    }
    app->ticks.stopping = true;
    app_log_status(&app->log, "stopping…");
    if (app->ticks.phase != APP_TICK_IN_FLIGHT) app->stop(app);
}

// The kernel sends it as well when the terminal of the process is closed: then nobody is left to end it by
// Ctrl-C.
static void on_hangup(uv_signal_t *handle, int signal_number) {
    App *app = handle->data;
    if (app->has_terminal && !has_terminal()) {
        on_end(handle, signal_number);
        return;
    }
    if (app->ticks.stopping) return;
    app_log_reopen(&app->log);
    app_log(&app->log, TEXT_LOG_INFO, "SIGHUP: reading %sthe scripts again",
            app->token_watch.path ? "the tokens and " : "");
    app_token_watch_read_again(&app->token_watch);
    app_reload_all(&app->reload);
}
