// Who holds the simulation still. It runs while nobody does.
//
// A connection holds it once at most, the hold of nobody's is that of `--paused`, and a running step is one
// too: it keeps the simulation from running on by itself when everyone else lets go meanwhile.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppPauseLocks {
    uint64_t *connections; // [count] ids of those who paused, in order
    size_t count, capacity;
    bool unowned;     // paused from the start, or by a script
    uint64_t stepper; // id of the connection that steps; 0: none
} AppPauseLocks;

// paused: with the hold of nobody's.
void app_pause_locks_init(AppPauseLocks *locks, bool paused);
void app_pause_locks_finish(AppPauseLocks *locks);

bool app_pause_locks_any(const AppPauseLocks *locks);
int app_pause_locks_count(const AppPauseLocks *locks);

// Pausing twice is pausing once. False when out of memory.
bool app_pause_locks_add(AppPauseLocks *locks, uint64_t connection);

// A request to resume: lifts the connection's hold, and nobody's. True if that changed anything.
bool app_pause_locks_resume(AppPauseLocks *locks, uint64_t connection);

// A connection has ended: its hold and its step end with it. True if it had one.
bool app_pause_locks_remove(AppPauseLocks *locks, uint64_t connection);
