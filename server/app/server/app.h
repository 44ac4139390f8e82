// The running server: everything it holds, and the two halves of a tick.
#pragma once

#include "app/log.h"
#include "app/options.h"
#include "base/clock.h"
#include "base/pause_locks.h"
#include "base/stats.h"
#include "base/ticker.h"
#include "characters/characters.h"
#include "reload/first_loads.h"
#include "reload/loader.h"
#include "reload/reload.h"
#include "rpc/errands.h"
#include "rpc/requests.h"
#include "server/pose_owners.h"
#include "server/spawns.h"
#include "server/terminal.h"
#include "server/workers.h"
#include "session/client.h"
#include "session/token_file.h"
#include "session/token_watch.h"
#include "stream/livelink.h"
#include "stream/views.h"

#include <net/server.h>
#include <uv.h>

// A running simulation.step.
typedef struct AppStep {
    AppRequest *request; // NULL: none
    uint64_t remaining;  // ticks
    uint64_t alive_ns;   // when the requester was known to be there, and
    uint64_t sent_bytes; // what it had taken by then
} AppStep;

struct App {
    const AppOptions *options;
    AppLog log;
    uv_loop_t loop;
    AppTokens tokens; // none: every connection is an operator's
    AppTokenWatch token_watch;
    AppCharacters characters;
    AppViews views;
    AppRequests requests;
    AppErrands errands;
    AppPoseOwners pose_owners;
    AppLoader loader;
    AppReload reload;
    AppFirstLoad *first_loads; // in the order in which they were wanted
    AppClient *clients;        // newest first
    NetServer *net;
    AppClock clock;
    AppTicker ticker;
    AppWorkers workers;
    AppPauseLocks pause_locks;
    AppStep step;
    AppStats stats;
    AppLiveLink livelink;
    uv_signal_t interrupt, terminate;
    uv_timer_t status_timer; // of the terminal
    AppStatus status;
    TextBuffer text;            // of the message being written
    uint64_t tick;              // the newest that is finished
    bool beginning;             // commands that are served now take effect in the tick about to begin
    bool in_flight;             // workers are at the world: nobody else touches it
    bool leaving;               // some character or wish may be, since a script removed it
    bool scripts_changed_world; // and nobody was told yet
    bool stopping;              // asked to end
    bool has_ticker;
};

// The tick that a command served now takes effect in: the one about to begin, or the newest where the
// simulation is paused.
uint64_t app_effect_tick(const App *app);

// Seconds of simulation.
double app_time(const App *app);

bool app_is_paused(const App *app);

// The first half of a tick: commands, scripts, then the batches to the workers. Nothing begins where a
// command pauses, unless it is a tick of a step.
void app_tick_begin(App *app, bool is_step);

// Sets the clock's wake-up for the next tick or, while paused, the next beat.
void app_tick_wait(App *app);

// The clock's wake-up.
void app_tick_on_due(void *context);

// Behind scripts that have run without the rest of a tick: what they asked for is done, since there may be no
// tick for long.
void app_follow_scripts(App *app);
