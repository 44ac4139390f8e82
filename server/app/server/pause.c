// Pausing and resuming by pause locks.
#include "server/pause.h"

#include "cluster/node/cluster_pause.h"
#include "session/events.h"

void app_handle_simulation_pause(AppCall *call) {
    App *app = call->context;
    if (app->cluster) {
        app_cluster_pause(app->cluster, call);
        return;
    }
    AppPauseLocks *locks = &app->ticks.pause_locks;
    const int before = app_pause_locks_count(locks);
    if (!call->client) {
        locks->unowned = true;
    } else if (!app_pause_locks_add(locks, call->client->id)) {
        app_call_fail_memory(call);
        return;
    }
    if (app_pause_locks_count(locks) > before) app_event_paused(&app->sessions);
    app_call_answer_pause(call);
}

void app_handle_simulation_resume(AppCall *call) {
    App *app = call->context;
    if (app->cluster) {
        app_cluster_resume(app->cluster, call);
        return;
    }
    const bool was_paused = app_ticks_are_paused(&app->ticks);
    app_pause_locks_resume(&app->ticks.pause_locks, call->client ? call->client->id : 0);
    app_pause_end(app, was_paused);
    app_call_answer_pause(call);
}

void app_pause_remove_client(App *app, const AppClient *client) {
    const bool was_paused = app_ticks_are_paused(&app->ticks);
    app_pause_locks_remove(&app->ticks.pause_locks, client->id);
    app_pause_end(app, was_paused);
}

void app_pause_end(App *app, bool was_paused) {
    if (!was_paused || app_ticks_are_held(&app->ticks) || app->ticks.stopping) return;
    app_event_resumed(&app->sessions);
    if (!app->has_tick_timer) return; // a script resumes before the start
    app_tick_clock_restart(&app->clock, uv_hrtime());
    if (app->ticks.phase != APP_TICK_IN_FLIGHT)
        app_deadline_timer_arm(&app->tick_timer, app_tick_clock_deadline_ns(&app->clock));
}
