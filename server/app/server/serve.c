// The server's start, its loop and its end.
#include "server/serve.h"

#include "base/paths.h"
#include "reload/spawn_loading.h"
#include "rpc/requests.h"
#include "server/bake.h"
#include "server/handler_table.h"
#include "server/network.h"
#include "server/signals.h"
#include "server/simulation.h"
#include "server/terminal.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define STATUS_MS 1000

static bool start_workers(App *app);
static void greet(App *app);
static void raise_file_limit(const AppOptions *options);
static bool load(App *app);
static void log_finding(AppLog *log, const ScriptFinding *finding);
static bool start(App *app);
static bool start_serving(App *app);
static bool join_cluster(App *app);
static void fail(void *context);
static void hand_over_character(void *context, AppCharacter *character);
static void remove_character(void *context, AppCharacter *character);
static void stop(App *app);
static void on_status(uv_timer_t *timer);
static void on_network_closed(void *context);
static void close_handle(uv_handle_t *handle, void *context);
static void finish(App *app);
static bool script_spawn(void *context, const ScriptSpawn *spawn, char out_name[TEXT_NAME_BYTES + 1],
                         char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static bool script_remove(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static ScriptRequestStatus script_request(void *context, const char *method, const ScriptValue *params,
                                          uint64_t token, ScriptValue *out_result,
                                          char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static void script_changed_world(void *context);
static void script_log(void *context, TextLogLevel level, const char *script, const char *character,
                       const char *message);
static void script_report(void *context, const char *script, const char *message);
static void script_failed(void *context, const char *script, const char *character, const ScriptError *error);
static void script_suspended(void *context, const char *script, const char *character,
                             const ScriptError *error);

int app_serve(const AppOptions *options) {
    App *app = calloc(1, sizeof *app); // large: it holds the jobs of all workers
    char message[1024] = "out of memory";
    if (!app || !app_log_open(&app->log, options, message, sizeof message) || uv_loop_init(&app->loop) != 0) {
        fprintf(stderr, "tweed: %s\n", message);
        free(app);
        return 1;
    }
    app->options = options;
    app_wire(app);
    app_methods_init(app);
    app->stop = stop;
    app_notify_init(&app->notify);
    app_signals_init(app);
    raise_file_limit(options);
    if (options->port_file) unlink(options->port_file); // of an earlier run
    const bool started =
        start_workers(app) &&
        app_token_watch_begin(&app->token_watch, options->token_file, &app->loop, &app->log, &app->ticks) &&
        load(app) && start(app);
    if (!started)
        stop(app);
    else if (!app->bake)
        greet(app);
    uv_run(&app->loop, UV_RUN_DEFAULT);
    app_log_finish(&app->log);
    if (started && !app->bake)
        app_log(&app->log, TEXT_LOG_INFO, "stopped at tick %llu", (unsigned long long)app->ticks.newest);
    const int status = app->bake ? app_bake_finish(app) : started && !app->has_failed ? 0 : 1;
    finish(app);
    return status;
}

void app_wire(App *app) {
    app->ticks.rate = (int)app->options->rate;
    app->pose_owners.timeout = (uint64_t)(app->options->pose_timeout * app->options->rate);
    app->ticks.by_clock = app->options->command == APP_COMMAND_SERVE;
    app_pause_locks_init(&app->ticks.pause_locks, app->options->paused);
    app_stats_init(&app->stats);
    app->sessions.tokens = &app->token_watch.tokens;
    app->sessions.ticks = app->streams.ticks = app->livelink.ticks = app->rpc.ticks = app->reload.ticks =
        &app->ticks;
    app->sessions.characters = app->streams.characters = app->livelink.characters = app->rpc.characters =
        app->reload.characters = &app->characters;
    app->sessions.log = app->streams.log = app->livelink.log = &app->log;
    app->streams.stats = &app->stats;
    app->rpc.sessions = app->reload.sessions = &app->sessions;
    app->rpc.streams = app->reload.streams = &app->streams;
    app->rpc.stats = &app->stats;
    app->rpc.scripts_ran = app_on_scripts_ran;
    app->reload.rpc = &app->rpc;
    app->reload.loaded = app_on_loaded;
    app->rpc.context = app->reload.context = app;
}

static void greet(App *app) {
    app_terminal_greet(app);
    app_notify_send(&app->notify, "READY=1");
}

// Closes the network first and in order, then the other handles, which ends the loop.
static void stop(App *app) {
    app->ticks.stopping = true;
    app_notify_send(&app->notify, "STOPPING=1");
    app_cluster_leave(app->cluster);
    if (app->sessions.clients) app_event_log(&app->sessions, TEXT_LOG_INFO, "the server is shutting down");
    if (app->net)
        net_server_close(app->net, on_network_closed);
    else
        on_network_closed(app);
}

static bool start_workers(App *app) {
    int64_t count = app->options->threads;
    if (count == 0) count = uv_available_parallelism();
    if (count > APP_MAX_WORKERS) count = APP_MAX_WORKERS;
    int error;
    if (app_workers_start(&app->workers, &app->loop, (int)count, &error)) return true;
    app_log(&app->log, TEXT_LOG_ERROR, "cannot start %d threads: %s", (int)count, uv_strerror(error));
    return false;
}

// To what --max-clients needs, as far as the system allows; net keeps to the result.
static void raise_file_limit(const AppOptions *options) {
    const rlim_t wanted =
        (rlim_t)options->max_clients + 256; // and the server's own files, and HTTP clients without a session
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool load(App *app) {
    AppPaths paths;
    if (!app_paths_init(&paths, app->options)) {
        app_log(&app->log, TEXT_LOG_ERROR, "out of memory");
        return false;
    }
    app_paths_check(app->options, &app->log);
    AssetImport import = app_options_import(app->options);
    import.cancelled = &app->reload.loads.cancelled;
    const AppCharactersDef def = {.tick_rate = (int)app->options->rate,
                                  .seed = (uint64_t)app->options->seed,
                                  .scenes = &app->options->files,
                                  .script_directories = paths.scripts,
                                  .script_directory_count = paths.script_count,
                                  .asset_directories = paths.assets,
                                  .asset_directory_count = paths.asset_count,
                                  .cache_directory = paths.cache,
                                  .max_characters = (size_t)app->options->max_characters,
                                  .import = import,
                                  .script_memory = app_options_script_memory(app->options),
                                  .by_clock = app->ticks.by_clock,
                                  .allow_heavy = app->options->allow_heavy,
                                  .total_script_memory = (size_t)app->options->total_script_memory << 20,
                                  .script_budget_ns = app_options_script_budget_ns(app->options),
                                  .callbacks = {.context = app,
                                                .spawn = script_spawn,
                                                .remove = script_remove,
                                                .world_changed = script_changed_world,
                                                .log = script_log,
                                                .report = script_report,
                                                .failed = script_failed,
                                                .request = script_request,
                                                .suspended = script_suspended}};
    ScriptFindings findings = {0};
    ScriptError error = {0};
    const bool loaded = app_characters_init(&app->characters, &def, &findings, &error);
    app->sessions.scripts_changed_world = false; // there is no connection to notify
    for (size_t i = 0; i < findings.count; i++) log_finding(&app->log, &findings.items[i]);
    if (error.message) app_log_error(&app->log, NULL, &error);
    const bool is_told = error.message || (findings.error_count > 0 && findings.count > 0);
    if (!loaded && !is_told) app_log(&app->log, TEXT_LOG_ERROR, "out of memory");
    script_findings_finish(&findings);
    script_error_finish(&error);
    app_paths_finish(&paths);
    return loaded;
}

static void log_finding(AppLog *log, const ScriptFinding *finding) {
    char *text = script_finding_text(finding, false);
    app_log(log, finding->severity == SCRIPT_SEVERITY_ERROR ? TEXT_LOG_ERROR : TEXT_LOG_WARNING, "%s",
            text ? text : "out of memory");
    free(text);
}

static bool start(App *app) {
    const int error = app_deadline_timer_init(&app->tick_timer, &app->loop, app_tick_on_due, app);
    app->has_tick_timer = error == 0;
    if (error != 0 || !app_signals_begin(app)) {
        app_log(&app->log, TEXT_LOG_ERROR, "cannot start the tick timer or watch signals: %s",
                error != 0 ? uv_strerror(error) : "out of memory");
        return false;
    }
    // Before the network, which counts how many files are left for clients.
    if (!app_reload_init(&app->reload, &app->loop))
        app_log(&app->log, TEXT_LOG_WARNING, "cannot watch files for changes");
    const int async_error = app_mesh_texts_init(&app->characters.mesh_texts, &app->loop,
                                                app->characters.world, app_on_loaded, app);
    if (async_error != 0) {
        app_log(&app->log, TEXT_LOG_ERROR, "cannot wait for threads: %s", uv_strerror(async_error));
        return false;
    }
    return app->options->command == APP_COMMAND_BAKE ? app_bake_begin(app) : start_serving(app);
}

static bool start_serving(App *app) {
    char message[512];
    const bool listens =
        app_livelink_open(&app->livelink, app->options, &app->loop, message, sizeof message) &&
        app_network_listen(app, message, sizeof message);
    if (listens && app->options->cluster && !join_cluster(app)) return false;
    if (!listens || !app_network_tell_ports(app, message, sizeof message)) {
        app_log(&app->log, TEXT_LOG_ERROR, "%s", message);
        return false;
    }
    if (app->log.terminal && uv_timer_init(&app->loop, &app->status_timer) == 0) {
        app->status_timer.data = app;
        uv_timer_start(&app->status_timer, on_status, STATUS_MS, STATUS_MS);
    }
    app_tick_clock_init(&app->clock, app->ticks.rate, uv_hrtime());
    if (app->cluster) app_cluster_begin(app->cluster, &app->clock);
    app_stats_pass_tick(&app->stats); // loading is no standstill
    app_deadline_timer_arm(&app->tick_timer, app_tick_clock_deadline_ns(&app->clock));
    return true;
}

static bool join_cluster(App *app) {
    char message[512];
    const AppClusterDef def = {.options = app->options,
                               .loop = &app->loop,
                               .log = &app->log,
                               .characters = &app->characters,
                               .sessions = &app->sessions,
                               .rpc = &app->rpc,
                               .stats = &app->stats,
                               .ticks = &app->ticks,
                               .clock = &app->clock,
                               .pose_owners = &app->pose_owners,
                               .port = net_server_port(app->net),
                               .remove = remove_character,
                               .pause_changed = app_tick_pause_changed,
                               .step = app_step_in_cluster,
                               .step_completed = app_step_completed_in_cluster,
                               .hand_over = hand_over_character,
                               .end = fail,
                               .context = app};
    app->cluster = app_cluster_join(&def, message, sizeof message);
    const bool has_joined = app->cluster && app->cluster->has_joined;
    if (!has_joined) app_log(&app->log, TEXT_LOG_ERROR, "--cluster: %s", message);
    return has_joined;
}

static void fail(void *context) {
    App *app = context;
    app->has_failed = true;
    app->ticks.stopping = true;
    if (app->ticks.phase != APP_TICK_IN_FLIGHT) app->stop(app);
}

// Its frames go on, from elsewhere.
static void hand_over_character(void *context, AppCharacter *character) {
    App *app = context;
    app_streams_hand_over(&app->streams, character->slot);
    app_characters_remove(&app->characters, character);
}

static void remove_character(void *context, AppCharacter *character) {
    app_spawns_remove_character(&((App *)context)->reload, character);
}

static void on_status(uv_timer_t *timer) {
    app_terminal_update(timer->data);
}

static void on_network_closed(void *context) {
    App *app = context;
    app->net = NULL;
    if (app->has_tick_timer) app_deadline_timer_close(&app->tick_timer);
    app->has_tick_timer = false;
    app_load_queue_stop(&app->reload.loads);
    app_mesh_texts_stop(&app->characters.mesh_texts);
    uv_walk(&app->loop, close_handle, NULL);
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void finish(App *app) {
    app_spawns_finish(&app->reload);
    app_reload_finish(&app->reload);
    app_script_requests_drop_after(&app->rpc, NULL);
    app_rpc_finish(&app->rpc);
    app_cluster_destroy(app->cluster);
    app_pose_owners_finish(&app->pose_owners);
    app_pause_locks_finish(&app->ticks.pause_locks);
    app_characters_finish(&app->characters);
    app_token_watch_finish(&app->token_watch);
    app_views_finish(&app->streams.views);
    app_livelink_finish(&app->livelink);
    app_web_finish(&app->web);
    text_buffer_finish(&app->sessions.text);
    app_notify_finish(&app->notify);
    uv_loop_close(&app->loop);
    app_log_close(&app->log);
    free(app);
}

static bool script_spawn(void *context, const ScriptSpawn *spawn, char out_name[TEXT_NAME_BYTES + 1],
                         char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    return app_characters_request_script_spawn(&app->characters, spawn, out_name, out_message);
}

static bool script_remove(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    return app_spawns_remove(&app->characters, name, out_message);
}

static ScriptRequestStatus script_request(void *context, const char *method, const ScriptValue *params,
                                          uint64_t token, ScriptValue *out_result,
                                          char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    return app_script_request(&app->rpc, method, params, token, out_result, out_message);
}

static void script_changed_world(void *context) {
    App *app = context;
    app->sessions.scripts_changed_world = true;
}

static void script_log(void *context, TextLogLevel level, const char *script, const char *character,
                       const char *message) {
    app_event_script_log(&((App *)context)->sessions, level, script, character, message);
}

static void script_report(void *context, const char *script, const char *message) {
    script_log(context, TEXT_LOG_INFO, script, NULL, message);
}

static void script_failed(void *context, const char *script, const char *character,
                          const ScriptError *error) {
    (void)character;
    App *app = context;
    app->script_has_failed = true;
    app_event_script_raised(&app->sessions, script, error);
}

static void script_suspended(void *context, const char *script, const char *character,
                             const ScriptError *error) {
    (void)character;
    App *app = context;
    app->script_has_failed = true;
    app_characters_pause_clips(&app->characters, script);
    app_event_script_suspended(&app->sessions, script, error);
}
