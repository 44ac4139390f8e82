// Timing side by side: a table of {name, create, steps}, all of it measured in one run.
//
// The machine may be shared and its clock may change, so entries take turns: one short run of each, again and
// again, by the clock of this thread's own work, and each one's best run counts. A ratio of two entries is of
// the same seconds.
#pragma once

typedef struct BenchEntry {
    const char *name;
    const void *setting;                  // handed to create
    void *(*create)(const void *setting); // what is stepped; NULL: it cannot be had here
    void (*steps)(void *subject, int count);
    void (*destroy)(void *subject);
    int cycle; // steps after which what they cost comes round again: each of them is timed, and its own best
               // counts; 0: all steps cost the same
} BenchEntry;

// Seconds of one step of each entry, of a cycle's mean one, NaN for one that cannot be had.
void bench_time(const BenchEntry *entries, int count, double *out_seconds);

// "target   <what>: <= 1.5, measured 1.32", and whether that is met.
void bench_target_at_most(const char *what, double target, double measured);
void bench_target_at_least(const char *what, double target, double measured);

void bench_heading(const char *title);
