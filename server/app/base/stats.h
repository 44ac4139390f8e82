// What is measured of each tick.
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/samples.h"

#include <stdint.h>

typedef struct AppStats {
    uint64_t start_ns;
    AppSamples lateness_ms;    // of the ticks that the clock gave
    AppSamples work_ms;        // of all ticks, from their beginning to the last frame encoded
    uint64_t begun_ns;         // when the newest tick began
    uint64_t work_ns;          // of the newest tick, until now
    uint64_t reported_skipped; // ticks that the log has reported
    uint64_t reported_ns;
} AppStats;

void app_stats_init(AppStats *stats);

// A tick begins: the one before is measured whole, since all that was to be encoded of it has been.
void app_stats_begin_tick(AppStats *stats);
void app_stats_end_tick(AppStats *stats);

// Encoding goes on after the tick's end, as sockets have room.
void app_stats_add_work(AppStats *stats, uint64_t nanoseconds);

void app_stats_add_lateness(AppStats *stats, uint64_t nanoseconds);

// Logs the ticks that were skipped since the last report, at most every five seconds.
void app_stats_report_skipped(AppStats *stats, AppLog *log, const AppClock *clock, uint64_t now_ns);
