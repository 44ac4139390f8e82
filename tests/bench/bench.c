// Turns of short runs, and the lines that tell of targets.
#include "bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define RUN_SECONDS   4e-3 // long beside a look at the clock
#define TOTAL_SECONDS 1.0  // of an entry, after which its turns are over once it has had a few

enum { MAX_ENTRIES = 16, ROUNDS = 60, FEWEST_ROUNDS = 4 };

// Of this thread's own work: what else runs on the core meanwhile is not counted.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double run(const BenchEntry *entry, void *subject, int count) {
    double begin = now();
    entry->steps(subject, count);
    return now() - begin;
}

// As many steps as a run takes; also warms up.
static int steps_of_a_run(const BenchEntry *entry, void *subject) {
    int count = 1;
    while (run(entry, subject, count) < 0.5 * RUN_SECONDS && count < 1 << 24) count *= 2;
    return count;
}

void bench_time(const BenchEntry *entries, int count, double *out_seconds) {
    void *subjects[MAX_ENTRIES] = {0};
    int steps[MAX_ENTRIES] = {0};
    double spent[MAX_ENTRIES] = {0};
    for (int i = 0; i < count; i++) {
        subjects[i] = entries[i].create(entries[i].setting);
        out_seconds[i] = subjects[i] ? HUGE_VAL : (double)NAN;
        if (subjects[i]) steps[i] = steps_of_a_run(&entries[i], subjects[i]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            if (!subjects[i] || (round >= FEWEST_ROUNDS && spent[i] > TOTAL_SECONDS)) continue;
            double seconds = run(&entries[i], subjects[i], steps[i]);
            out_seconds[i] = fmin(out_seconds[i], seconds / steps[i]);
            spent[i] += seconds;
        }
    for (int i = 0; i < count; i++)
        if (subjects[i]) entries[i].destroy(subjects[i]);
}

static void print_target(const char *what, const char *relation, double target, double measured, bool met) {
    if (isnan(measured))
        printf("  target  %s: %s %g, not measured\n", what, relation, target);
    else
        printf("  target  %s: %s %g, measured %.3g (%s)\n", what, relation, target, measured,
               met ? "met" : "missed");
}

void bench_target_at_most(const char *what, double target, double measured) {
    print_target(what, "<=", target, measured, measured <= target);
}

void bench_target_at_least(const char *what, double target, double measured) {
    print_target(what, ">=", target, measured, measured >= target);
}

void bench_heading(const char *title) {
    printf("\n%s\n", title);
}
