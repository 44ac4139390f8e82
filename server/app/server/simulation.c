// A tick from its beginning to its frames, when the next one comes, and stepping.
#include "server/simulation.h"

#include "cluster/node/cluster_pause.h"
#include "reload/spawn_loading.h"
#include "rpc/requests.h"
#include "server/levels.h"
#include "server/pause.h"
#include "server/terminal.h"
#include "session/events.h"
#include "session/sessions.h"

#define GRACE_NS 1000000000ULL // of a step whose requester has closed its sending side

static void wait_for_tick(App *app);
static void renew_interval(App *app);
static void simulate(void *context, int task, int worker);
static void after_simulation(void *context);
static void encode(void *context, int job, int worker);
static void after_frames(void *context);
static void tick_finish(App *app);
static void report_changes(App *app);
static void report_without_tick(App *app);
static void idle_interval(App *app);
static void begin_step(App *app, AppRequest *request, uint64_t ticks);
static void cancel_step(void *context, AppRequest *request);
static void continue_step(App *app);
static void end_abandoned_step(App *app, uint64_t now_ns);
static void end_step(App *app, const ProtocolError *error);

void app_tick_begin(App *app, bool is_step) {
    app_stats_begin_tick(&app->stats);
    app->ticks.phase = APP_TICK_BEGINS;
    const double dt = 1.0 / app->ticks.rate;
    script_host_begin_tick(app->characters.host, (double)app_ticks_effective(&app->ticks) * dt, dt);
    renew_interval(app);
    app_pose_owners_release(&app->pose_owners, app->characters.world, app_ticks_effective(&app->ticks));
    app_process_pending(app);
    const bool goes_on = is_step || !app_ticks_are_paused(&app->ticks);
    if (goes_on) {
        app->ticks.begun = app->ticks.newest + 1;
        app_characters_run_scripts(&app->characters);
        app_script_requests_serve(&app->rpc);
        app_spawns_create(&app->reload);
        app_spawns_update(&app->reload);
        app_event_world_of_scripts(&app->sessions);
    }
    app->ticks.phase = APP_BETWEEN_TICKS;
    if (!goes_on) {
        report_without_tick(app);
        return;
    }

    app_levels_update(app);
    app_levels_begin_cloth(app);
    sim_world_begin_tick(app->characters.world);
    app->ticks.phase = APP_TICK_IN_FLIGHT;
    app_workers_run(&app->workers, sim_world_task_count(app->characters.world), simulate, after_simulation,
                    app);
}

void app_process_pending(App *app) {
    if (!app->ticks.stopping && app_ticks_may_write(&app->ticks)) {
        app_reload_commit(&app->reload);
        app_spawns_commit(&app->reload);
    }
    if (!app_ticks_may_read(&app->ticks)) return;
    if (app_mesh_texts_update(&app->characters.mesh_texts)) {
        app_describe_requests_serve(&app->rpc);
        app_streams_offer(&app->streams);
    }
    app_rpc_serve(&app->rpc);
}

void app_tick_on_due(void *context) {
    App *app = context;
    if (app->ticks.stopping) return;
    if (app_ticks_are_paused(&app->ticks)) {
        idle_interval(app);
    } else if (app->ticks.is_halting && app->ticks.is_hurrying && app->ticks.phase != APP_TICK_IN_FLIGHT) {
        app_tick_begin(app, true);
    } else if (app->ticks.phase != APP_TICK_IN_FLIGHT) {
        const AppTickClockStep step = app_tick_clock_take(&app->clock, uv_hrtime());
        if (step.due) {
            app_stats_add_lateness(&app->stats, step.lateness_ns);
            if (app->ticks.timeline.rate > 0) // the step after this one
                app_tick_clock_steer(&app->clock, &app->ticks.timeline, app->ticks.newest + 2,
                                     step.lateness_ns);
            app_tick_begin(app, false);
        }
    }
    wait_for_tick(app);
}

void app_on_scripts_ran(void *context) {
    App *app = context;
    app_script_requests_serve(&app->rpc);
    app_spawns_update(&app->reload);
    app_event_world_of_scripts(&app->sessions);
}

void app_on_loaded(void *context) {
    App *app = context;
    app_process_pending(app);
    continue_step(app);
    if (app->advance) app->advance(app);
}

// The answer comes after all ticks, once the requester has all frames.
void app_handle_simulation_step(AppCall *call) {
    App *app = call->context;
    if (app->cluster)
        app_cluster_step(app->cluster, call);
    else if (app->step.request)
        app_call_fail_stepping(call);
    else if (!app_ticks_are_paused(&app->ticks))
        app_call_fail_running(call);
    else
        begin_step(app, app_call_defer(call, cancel_step, app),
                   (uint64_t)protocol_param_integer(call->params, "ticks"));
}

void app_tick_pause_changed(void *context, bool was_paused) {
    App *app = context;
    AppTicks *ticks = &app->ticks;
    if (ticks->stopping || !app->has_tick_timer) return;
    if (was_paused && !ticks->is_halting) {
        app_tick_clock_restart(&app->clock, uv_hrtime());
        ticks->timeline = (AppTimeline){.tick = ticks->begun + 1,
                                        .due_ns = (int64_t)app_tick_clock_deadline_ns(&app->clock),
                                        .rate = ticks->rate};
    }
    wait_for_tick(app);
}

void app_step_in_cluster(void *context, AppRequest *request, uint64_t ticks) {
    request->cancel = cancel_step;
    request->context = context;
    begin_step(context, request, ticks);
}

void app_step_completed_in_cluster(void *context) {
    continue_step(context);
}

// Also called after other lines of the requester's, in the middle of a tick: then the tick's end continues.
void app_step_on_drained(App *app, AppClient *client) {
    if (!app->step.request || app->step.request->client != client || app->ticks.phase == APP_TICK_IN_FLIGHT ||
        app->ticks.stopping || app_streams_has_due(client))
        return;
    if (app->step.remaining == 0) {
        if (!app->cluster || app_cluster_pause_all_halted(app->cluster)) end_step(app, NULL);
        return;
    }
    if (app_load_queue_has_first_loads(&app->reload.loads)) return; // continues when they are done
    app->step.remaining--;
    app_tick_begin(app, true);
}

// Sets the wake-up for the next tick or, while paused, for the next interval. It never begins a tick itself:
// between two ticks the loop runs once, so that sockets get the new frames however late the ticks are.
static void wait_for_tick(App *app) {
    if (app->advance) return;
    const bool is_in_flight = app->ticks.phase == APP_TICK_IN_FLIGHT;
    if (app->ticks.stopping) {
        if (!is_in_flight) app->stop(app);
        return;
    }
    const uint64_t now = uv_hrtime();
    app_stats_report_skipped(&app->stats, &app->log, &app->clock, now);
    const bool is_paused = app_ticks_are_paused(&app->ticks);
    const bool hurries = app->ticks.is_halting && app->ticks.is_hurrying && !is_paused;
    if (is_paused || hurries) app_tick_clock_restart(&app->clock, now);
    if (!is_in_flight || is_paused)
        app_deadline_timer_arm(&app->tick_timer, hurries ? now : app_tick_clock_deadline_ns(&app->clock));
}

static void simulate(void *context, int task, int worker) {
    (void)worker;
    App *app = context;
    sim_world_run_task(app->characters.world, task);
}

// Many frames are encoded by the workers, too; until they are, the tick stays in flight.
static void after_simulation(void *context) {
    App *app = context;
    sim_world_end_tick(app->characters.world);
    app_levels_end_cloth(app);
    app->ticks.phase = APP_BETWEEN_TICKS;
    app->ticks.newest = sim_world_tick(app->characters.world);
    app->world_stats = sim_world_stats(app->characters.world);
    app_characters_end_tick(&app->characters);
    app_views_expire(&app->streams.views);
    report_changes(app);
    app_streams_mark_frames(&app->streams);
    const int jobs = app_views_begin_frames(&app->streams.views, &app->characters);
    if (jobs > 0) {
        app->ticks.phase = APP_TICK_IN_FLIGHT;
        app_workers_run(&app->workers, jobs, encode, after_frames, app);
    } else {
        tick_finish(app);
    }
}

static void encode(void *context, int job, int worker) {
    App *app = context;
    app_views_encode(&app->streams.views, job, worker);
}

static void after_frames(void *context) {
    App *app = context;
    app_views_end_frames(&app->streams.views);
    app->ticks.phase = APP_BETWEEN_TICKS;
    tick_finish(app);
}

static void tick_finish(App *app) {
    app_streams_offer(&app->streams);
    app_livelink_offer(&app->livelink);
    app_stats_end_tick(&app->stats);
    app_process_pending(app);
    continue_step(app);
    // While paused the intervals go on by themselves.
    if (app->advance)
        app->advance(app);
    else if (!app_ticks_are_paused(&app->ticks) || app->ticks.stopping || app->ticks.is_halting)
        wait_for_tick(app);
    if (app->cluster && app->ticks.is_halting) app_cluster_pause_update(app->cluster);
}

static void report_changes(App *app) {
    int count;
    const SimUnstable *unstable = sim_world_unstable(app->characters.world, &count);
    for (int i = 0; i < count; i++) app_event_unstable(&app->sessions, &unstable[i]);
    for (size_t slot = 0; slot < app->characters.count; slot++) {
        const AppCharacter *character = app->characters.items[slot];
        if (character->revision_tick != app->ticks.newest) continue;
        app_streams_mark_static(&app->streams, slot);
        app_event_changed(&app->sessions, character);
    }
}

// What has changed for a tick that a pause has put off: subscribers see frames as they are now, so static
// data goes out before them.
static void report_without_tick(App *app) {
    for (size_t slot = 0; slot < app->characters.count; slot++) {
        AppCharacter *character = app->characters.items[slot];
        if (character->revision_tick <= app->ticks.newest) continue;
        character->revision_tick = app->ticks.newest;
        app_streams_mark_static(&app->streams, slot);
        app_event_changed(&app->sessions, character);
    }
    app_streams_offer(&app->streams);
}

// What happens in place of a tick while the simulation is paused; its clock stands meanwhile.
static void idle_interval(App *app) {
    end_abandoned_step(app, uv_hrtime());
    if (app->ticks.phase == APP_TICK_IN_FLIGHT) return;
    app_stats_pass_tick(&app->stats);
    script_host_begin_interval(app->characters.host);
    renew_interval(app);
    app_process_pending(app);
    if (app->rpc.of_scripts.first || app->characters.any_removal)
        app_on_scripts_ran(app); // what there was no time for, or too much for one tick
    app_livelink_remind(&app->livelink, uv_hrtime());
}

static void renew_interval(App *app) {
    app_time_budget_renew(&app->sessions);
    app->characters.spawns_left = APP_SPAWNS_PER_TICK;
    app->characters.removals_left = APP_REMOVALS_PER_TICK;
    app_events_report_repeated(&app->sessions);
    app_log_report_left_out(&app->log);
    if (app->cluster) app_cluster_update(app->cluster);
    app_terminal_notify(app);
}

static void begin_step(App *app, AppRequest *request, uint64_t ticks) {
    app->step = (AppStep){.request = request, .remaining = ticks};
    app->ticks.pause_locks.stepper = request->client->id;
    continue_step(app);
}

// The requester is gone.
static void cancel_step(void *context, AppRequest *request) {
    (void)request;
    App *app = context;
    app->step = (AppStep){0};
    const bool was_paused = app_ticks_are_paused(&app->ticks);
    app->ticks.pause_locks.stepper = 0;
    app_pause_end(app, was_paused);
}

// As soon as all that the requester is owed has gone out, app_step_on_drained is called.
static void continue_step(App *app) {
    if (app->step.request) net_connection_wake(app->step.request->client->connection);
}

// A peer that has closed its sending side may still read, or may have ended: only sending shows which. So a
// step goes on as long as its frames are taken, and for GRACE_NS without frames: an abandoned step must not
// keep the simulation paused.
static void end_abandoned_step(App *app, uint64_t now_ns) {
    AppStep *step = &app->step;
    if (!step->request) return;
    const NetConnection *connection = step->request->client->connection;
    const uint64_t sent_bytes = net_connection_counters(connection).bytes_sent;
    if (step->alive_ns == 0 || sent_bytes > step->sent_bytes || !net_connection_is_ended(connection)) {
        step->alive_ns = now_ns;
        step->sent_bytes = sent_bytes;
    } else if (now_ns > step->alive_ns + GRACE_NS) {
        ProtocolError error;
        protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.ticks",
                           "the step ended %llu ticks early: its connection has stopped sending and reading",
                           (unsigned long long)step->remaining);
        end_step(app, &error);
    }
}

// `error` NULL: all its ticks are done.
static void end_step(App *app, const ProtocolError *error) {
    AppRequest *request = app->step.request;
    app->step = (AppStep){0};
    const bool was_paused = app_ticks_are_paused(&app->ticks);
    app->ticks.pause_locks.stepper = 0;
    AppCall call = app_call(request);
    if (error) call.error = *error;
    app_request_complete(request, &call);
    app_pause_end(app, was_paused);
    app_process_pending(app); // what the requester asked meanwhile
}
