// One tick, in two halves, and when it comes.
#include "server/app.h"
#include "server/pose_owners.h"
#include "server/serve.h"
#include "server/simulation.h"
#include "session/events.h"
#include "session/time_budget.h"
#include "stream/streams.h"

#define GRACE_NS 1000000000ULL // that a step goes on for when its requester has closed its sending side

static void app_tick_finish(void *context);
static void tell_changes(App *app);
static void beat(App *app);
static void end_abandoned_step(App *app, uint64_t now_ns);

void app_tick_begin(App *app, bool is_step) {
    app_stats_begin_tick(&app->stats);
    app->beginning = true;
    const double dt = 1.0 / app->characters.tick_rate;
    script_host_begin_tick(app->characters.host, (double)app_effect_tick(app) * dt, dt);
    app_time_budget_renew(app);
    app_notification_errors_report(app);
    app_pose_owners_release(app);
    app_reload_apply(app);
    app_spawns_settle(app);
    app_requests_serve(app);
    const bool goes_on = is_step || !app_is_paused(app);
    if (goes_on) {
        app_characters_run_scripts(&app->characters);
        app_errands_run(app);
        app_spawns_create(app);
        app_spawns_follow_scripts(app);
        app_event_world_of_scripts(app);
    }
    app->beginning = false;
    if (!goes_on) return;

    sim_world_begin_tick(app->characters.world);
    app->in_flight = true;
    app_workers_run(&app->workers, app->characters.world, app_tick_finish, app);
}

void app_follow_scripts(App *app) {
    app_errands_run(app);
    app_spawns_follow_scripts(app);
    app_event_world_of_scripts(app);
}

static void app_tick_finish(void *context) {
    App *app = context;
    sim_world_end_tick(app->characters.world);
    app->in_flight = false;
    app->tick = sim_world_tick(app->characters.world);
    app_characters_end_tick(&app->characters);
    app_views_begin_tick(&app->views);
    tell_changes(app);
    app_streams_offer(app);
    app_livelink_offer(app);
    app_stats_end_tick(&app->stats);
    app_requests_serve(app);
    app_step_continue(app);
    if (!app_is_paused(app) || app->stopping) app_tick_wait(app); // while paused the beat goes on by itself
}

// Never begins a tick itself: between two ticks the loop goes round once, so that sockets with room get what
// is new, however much the ticks are behind.
void app_tick_wait(App *app) {
    if (app->stopping) {
        if (!app->in_flight) app_serve_stop(app);
        return;
    }
    const uint64_t now = uv_hrtime();
    app_stats_report_skipped(&app->stats, &app->log, &app->clock, now);
    if (app_is_paused(app)) app_clock_restart(&app->clock, now);
    if (!app->in_flight || app_is_paused(app))
        app_ticker_arm(&app->ticker, app_clock_deadline_ns(&app->clock));
}

void app_tick_on_due(void *context) {
    App *app = context;
    if (app->stopping) return;
    if (app_is_paused(app)) {
        beat(app);
    } else if (!app->in_flight) {
        const AppClockStep step = app_clock_take(&app->clock, uv_hrtime());
        if (step.due) {
            app_stats_add_lateness(&app->stats, step.lateness_ns);
            app_tick_begin(app, false);
        }
    }
    app_tick_wait(app);
}

// A paused simulation keeps its beat, for the connections' quotas; its clock stands meanwhile.
static void beat(App *app) {
    end_abandoned_step(app, uv_hrtime());
    if (app->in_flight) return;
    script_host_begin_interval(app->characters.host);
    app_time_budget_renew(app);
    app_notification_errors_report(app);
    app_reload_apply(app);
    app_spawns_settle(app);
    app_requests_serve(app);
    app_livelink_remind(app, uv_hrtime());
}

static void tell_changes(App *app) {
    int count;
    const SimUnstable *unstable = sim_world_unstable(app->characters.world, &count);
    for (int i = 0; i < count; i++) app_event_unstable(app, &unstable[i]);
    for (size_t slot = 0; slot < app->characters.count; slot++) {
        const AppCharacter *character = app->characters.items[slot];
        if (character->revision_tick != app->tick) continue;
        app_streams_mark_static(app, slot);
        app_event_changed(app, character);
    }
}

// A peer that has closed its sending side may still read, or may be gone: the two look alike until it is sent
// something, which only the first one takes. So a step goes on for as long as its frames are taken, and one
// that sends none for GRACE_NS: a step that nobody waits for must not hold the simulation.
static void end_abandoned_step(App *app, uint64_t now_ns) {
    AppStep *step = &app->step;
    if (!step->request) return;
    const NetConnection *connection = step->request->client->connection;
    const uint64_t sent_bytes = net_connection_counters(connection).bytes_sent;
    if (step->alive_ns == 0 || sent_bytes > step->sent_bytes || !net_connection_is_ended(connection)) {
        step->alive_ns = now_ns;
        step->sent_bytes = sent_bytes;
    } else if (now_ns > step->alive_ns + GRACE_NS) {
        app_step_abandon(app);
    }
}
