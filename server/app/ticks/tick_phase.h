// The tick that the simulation is at, the locks that pause it, and what may be done now: the decision of what
// may happen between ticks is made here alone.
#pragma once

#include "ticks/cluster_clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum AppPhase {
    APP_BETWEEN_TICKS,
    APP_TICK_BEGINS,    // what is done now takes effect in the tick about to begin
    APP_TICK_IN_FLIGHT, // workers simulate: nothing else may touch the world
} AppPhase;

// Who keeps the simulation paused. A connection has one lock at most; the unowned one is that of `--paused`
// or of a script; a running step has one too, so that the simulation does not run on when the others are
// lifted.
typedef struct AppPauseLocks {
    uint64_t *connections; // [count] ids, in order
    size_t count, capacity;
    bool unowned;     // paused from the start, or by a script
    uint64_t stepper; // id of the connection that steps; 0: none
    int elsewhere;    // held on other nodes of the cluster
} AppPauseLocks;

typedef struct AppTicks {
    uint64_t newest; // that is finished
    uint64_t begun;  // newest whose scripts or simulation have begun; a pause takes effect after it
    int rate;        // Hz
    bool by_clock;   // ticks have a time to be done in; false: a shot is baked
    AppPhase phase;
    bool stopping;        // the server has been asked to end
    AppTimeline timeline; // of the cluster; without a rate: there is none
    // In a cluster the nodes agree on when they halt: the locks here do not pause by themselves.
    bool is_halting;  // all nodes stand once they are at the tick `last`
    bool is_hurrying; // until there they do not wait for the time of ticks: one of them steps
    uint64_t last;
    AppPauseLocks pause_locks;
} AppTicks;

// Whether the world may be read now: while no tick is in flight.
bool app_ticks_may_read(const AppTicks *ticks);

// Whether the world may be changed now: at the start of a tick or, while the simulation is paused, also
// between ticks, since the next tick may be far away.
bool app_ticks_may_write(const AppTicks *ticks);

// The tick that a change made now takes effect in: the one about to begin, or the newest while paused.
uint64_t app_ticks_effective(const AppTicks *ticks);

// Seconds of simulation.
double app_ticks_time(const AppTicks *ticks);

bool app_ticks_are_paused(const AppTicks *ticks);

// Whether anybody holds the simulation, here or in the cluster: ticks run only as steps.
bool app_ticks_are_held(const AppTicks *ticks);

// paused: with the unowned lock.
void app_pause_locks_init(AppPauseLocks *locks, bool paused);
void app_pause_locks_finish(AppPauseLocks *locks);

int app_pause_locks_count(const AppPauseLocks *locks);

// Pausing twice is pausing once. Returns false when memory runs out.
bool app_pause_locks_add(AppPauseLocks *locks, uint64_t connection);

// A request to resume: lifts the connection's lock and the unowned one. True if there was one.
bool app_pause_locks_resume(AppPauseLocks *locks, uint64_t connection);

// The connection ends: lifts its lock and that of its step. True if there was one.
bool app_pause_locks_remove(AppPauseLocks *locks, uint64_t connection);
