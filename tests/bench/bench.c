// Turns of short runs, and the lines that tell of targets.
#include "bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define TURN_SECONDS  4e-3 // long beside a look at the clock
#define TOTAL_SECONDS 1.0  // of an entry: then its turns are over

enum { MOST_ENTRIES = 16, MOST_CYCLE = 32 };

typedef struct Contender {
    const BenchEntry *entry;
    void *subject;
    int steps; // between two looks at the clock
    int phase; // of the cycle
    double best[MOST_CYCLE];
    double spent; // s
} Contender;

// Of this thread's own work: what else runs on the core meanwhile is not counted.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double run(const Contender *contender, int steps) {
    double begin = now();
    contender->entry->steps(contender->subject, steps);
    return now() - begin;
}

// Of equal steps, as many as a turn takes; also warms up.
static void enter(Contender *contender, const BenchEntry *entry) {
    *contender = (Contender){.entry = entry, .subject = entry->create(entry->setting), .steps = 1};
    for (int phase = 0; phase < MOST_CYCLE; phase++) contender->best[phase] = HUGE_VAL;
    if (!contender->subject || entry->cycle > 0) return;
    while (run(contender, contender->steps) < 0.5 * TURN_SECONDS && contender->steps < 1 << 24)
        contender->steps *= 2;
}

static bool takes_turn(Contender *contender) {
    if (!contender->subject || contender->spent >= TOTAL_SECONDS) return false;
    double left = TURN_SECONDS;
    do {
        double seconds = run(contender, contender->steps);
        double *best = &contender->best[contender->phase];
        *best = fmin(*best, seconds / contender->steps);
        if (contender->entry->cycle > 0) contender->phase = (contender->phase + 1) % contender->entry->cycle;
        contender->spent += seconds;
        left -= seconds;
    } while (contender->entry->cycle > 0 && left > 0.0);
    return true;
}

static double mean_best(const Contender *contender) {
    int phases = contender->entry->cycle > 0 ? contender->entry->cycle : 1;
    double sum = 0.0;
    for (int phase = 0; phase < phases; phase++) sum += contender->best[phase] / phases;
    return contender->subject ? sum : (double)NAN;
}

void bench_time(const BenchEntry *entries, int count, double *out_seconds) {
    Contender contenders[MOST_ENTRIES];
    for (int i = 0; i < count; i++) enter(&contenders[i], &entries[i]);
    for (bool any = true; any;) {
        any = false;
        for (int i = 0; i < count; i++) any |= takes_turn(&contenders[i]);
    }
    for (int i = 0; i < count; i++) {
        out_seconds[i] = mean_best(&contenders[i]);
        if (contenders[i].subject) entries[i].destroy(contenders[i].subject);
    }
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
