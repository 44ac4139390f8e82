// The running server: all that it consists of. Included by app/server only.
#pragma once

#include "base/log.h"
#include "base/notify.h"
#include "base/options.h"
#include "base/web.h"
#include "characters/pose_owners.h"
#include "cluster/cluster.h"
#include "reload/reload.h"
#include "session/token_watch.h"
#include "stream/livelink.h"
#include "ticks/deadline_timer.h"
#include "ticks/shedding.h"
#include "ticks/stats.h"
#include "ticks/workers.h"

#include <net/server.h>

// A running simulation.step.
typedef struct AppStep {
    AppRequest *request; // NULL: none
    uint64_t remaining;  // ticks
    uint64_t alive_ns;   // when the requester last took bytes, or had not closed its sending side
    uint64_t sent_bytes; // that it had taken at alive_ns
} AppStep;

// What the status line of the terminal showed last.
typedef struct AppStatus {
    uint64_t tick;
    uint64_t time_ns;
} AppStatus;

// What decides on levels of detail.
typedef struct AppLevels {
    AppShedding shedding;
    float load;        // of ticks, as a share of their time, when it was looked at last
    uint64_t begun_ns; // when the simulation of the newest tick began
    uint64_t cloth_ns; // of `ticks` simulations since load was looked at last
    int ticks;
} AppLevels;

typedef struct AppBake AppBake; // server/bake.h

typedef struct App {
    const AppOptions *options;
    AppLog log;
    AppNotify notify;
    uv_loop_t loop;
    AppTicks ticks;
    AppStats stats;
    AppCharacters characters;
    AppTokenWatch token_watch;
    AppSessions sessions;
    AppStreams streams;
    AppLiveLink livelink;
    AppRpc rpc;
    AppReload reload;

    AppTickClock clock;
    AppDeadlineTimer tick_timer;
    bool has_tick_timer;
    AppWorkers workers;
    AppStep step;
    AppLevels levels;
    AppPoseOwners pose_owners;
    void (*stop)(struct App *app);    // called once the server is to stop and no tick is in flight
    void (*advance)(struct App *app); // begins the next tick when one has ended or a script is loaded; NULL:
                                      // the clock does
    AppBake *bake;                    // NULL: the server serves
    bool has_failed;                  // the server ends by itself
    bool script_has_failed;           // one has raised an error or was suspended

    AppCluster *cluster; // NULL: the server is in none
    NetServer *net;
    AppWeb web;
    uv_signal_t interrupt, terminate, hangup;
    bool has_terminal;       // that Ctrl-C comes from
    uv_timer_t status_timer; // of the terminal
    AppStatus status;
    SimWorldStats world_stats; // at the end of the newest tick, for reading while one is in flight
} App;

// Gives each member the others that it uses. First of all; options and the loop are set already.
void app_wire(App *app);
