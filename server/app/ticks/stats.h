// What is measured of each tick: the last ten seconds of it, and its percentiles.
#pragma once

#include "base/log.h"
#include "ticks/tick_clock.h"

#include <stdint.h>

#define APP_SAMPLES 600 // kept; older ones are overwritten

typedef struct AppSamples {
    float values[APP_SAMPLES];
    int count; // filled, APP_SAMPLES at most
    int next;  // place of the next one
} AppSamples;

// Nearest rank: p95 is the smallest value that at least 95 % of the samples do not exceed. All 0 without
// samples. In the unit of the samples.
typedef struct AppPercentiles {
    float p50, p95, p99, max;
} AppPercentiles;

void app_samples_add(AppSamples *samples, float value);
AppPercentiles app_samples_percentiles(const AppSamples *samples);
// Of the last ones, `count` at most.
float app_samples_mean(const AppSamples *samples, int count);

// All values since the start, counted by size as Prometheus wants them.
#define APP_BUCKETS 11
extern const double app_bucket_limits[APP_BUCKETS]; // seconds, inclusive; the last bucket has no limit

typedef struct AppHistogram {
    uint64_t counts[APP_BUCKETS + 1]; // of values over the limit before
    double sum;                       // seconds
} AppHistogram;

typedef struct AppLongRequest {
    const char *method;
    uint64_t nanoseconds; // 0: none
} AppLongRequest;

typedef struct AppStats {
    uint64_t start_ns;
    double start_time; // s, since the Unix epoch
    AppHistogram lateness, work;
    AppSamples lateness_ms;    // of the ticks that the clock gave
    AppSamples work_ms;        // of all ticks, from their beginning to the last frame encoded
    uint64_t begun_ns;         // when the newest tick began
    uint64_t alive_ns;         // when a tick ended last, or was left out in a pause
    uint64_t work_ns;          // of the newest tick, until now
    uint64_t standstill_ns;    // longest time without a tick since the log reported skipped ones
    AppLongRequest blocking;   // the longest request meanwhile
    AppLongRequest slowest;    // since the last tick
    uint64_t reported_skipped; // ticks that the log has reported
    uint64_t reported_ns;
} AppStats;

void app_stats_init(AppStats *stats);

// A tick begins: the one before is measured whole, since all that was to be encoded of it has been.
void app_stats_begin_tick(AppStats *stats);
void app_stats_end_tick(AppStats *stats);

// In place of a tick, while paused, and when the clock of ticks starts.
void app_stats_pass_tick(AppStats *stats);

// Encoding after the tick's end, as sockets have room.
void app_stats_add_work(AppStats *stats, uint64_t nanoseconds);

void app_stats_add_lateness(AppStats *stats, uint64_t nanoseconds);

// A request was served; `method` is a constant.
void app_stats_add_request(AppStats *stats, const char *method, uint64_t nanoseconds);

// Logs the ticks that were skipped since the last report, at most every five seconds.
void app_stats_report_skipped(AppStats *stats, AppLog *log, const AppTickClock *clock, uint64_t now_ns);
