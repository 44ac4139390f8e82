// Who holds the simulation, and the ticks of a step.
#include "server/simulation.h"

#include "server/app.h"
#include "session/events.h"
#include "stream/streams.h"

static void after_release(App *app, bool was_paused);
static void end_step(App *app, const ProtocolError *error);

bool app_pause(App *app, AppClient *client) {
    const int before = app_pause_locks_count(&app->pause_locks);
    if (!client)
        app->pause_locks.unowned = true;
    else if (!app_pause_locks_add(&app->pause_locks, client->id))
        return false;
    if (app_pause_locks_count(&app->pause_locks) > before) app_event_paused(app);
    return true;
}

void app_resume(App *app, AppClient *client) {
    const bool was_paused = app_is_paused(app);
    app_pause_locks_resume(&app->pause_locks, client ? client->id : 0);
    after_release(app, was_paused);
}

void app_release_hold(App *app, AppClient *client) {
    const bool was_paused = app_is_paused(app);
    app_pause_locks_remove(&app->pause_locks, client->id);
    after_release(app, was_paused);
}

void app_step_begin(App *app, AppRequest *request, uint64_t ticks) {
    app->step = (AppStep){.request = request, .remaining = ticks};
    app->pause_locks.stepper = request->client->id;
    app_step_continue(app);
}

void app_step_cancel(App *app, const AppClient *client) {
    if (!app_step_is_of(app, client)) return;
    AppRequest *request = app->step.request;
    app->step = (AppStep){0};
    const bool was_paused = app_is_paused(app);
    app->pause_locks.stepper = 0;
    after_release(app, was_paused);
    app_request_destroy(request);
}

bool app_step_is_of(const App *app, const AppClient *client) {
    return app->step.request && app->step.request->client == client;
}

void app_step_abandon(App *app) {
    ProtocolError error;
    protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.ticks",
                       "the step ended %llu ticks early: its connection sends and takes nothing any more",
                       (unsigned long long)app->step.remaining);
    end_step(app, &error);
}

void app_step_continue(App *app) {
    if (app->step.request) net_connection_wake(app->step.request->client->connection);
}

// Also called after other sends of the requester's, in the middle of a tick: then the tick's own end asks
// again.
void app_step_on_drained(AppClient *client) {
    App *app = client->app;
    if (!app_step_is_of(app, client) || app->in_flight || app->stopping || app_streams_owe(client)) return;
    if (app->step.remaining == 0) {
        end_step(app, NULL);
        return;
    }
    if (app_first_loads_any(app)) return; // goes on when that is through
    app->step.remaining--;
    app_tick_begin(app, true);
}

// `error` NULL: all its ticks are done.
static void end_step(App *app, const ProtocolError *error) {
    AppRequest *request = app->step.request;
    app->step = (AppStep){0};
    const bool was_paused = app_is_paused(app);
    app->pause_locks.stepper = 0;
    AppCall call = app_call(request);
    if (error) call.error = *error;
    app_request_answer(request, &call);
    after_release(app, was_paused);
    app_requests_serve(app); // what the requester asked meanwhile
}

static void after_release(App *app, bool was_paused) {
    if (!was_paused || app_is_paused(app) || app->stopping) return;
    app_event_resumed(app);
    if (!app->has_ticker) return; // a script resumes before the start
    app_clock_restart(&app->clock, uv_hrtime());
    if (!app->in_flight) app_ticker_arm(&app->ticker, app_clock_deadline_ns(&app->clock));
}
