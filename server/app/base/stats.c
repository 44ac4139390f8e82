// Measuring ticks, and a word when they cannot keep up.
#include "base/stats.h"

#include <uv.h>

#define REPORT_EVERY_NS 5000000000ULL

void app_stats_init(AppStats *stats) {
    *stats = (AppStats){.start_ns = uv_hrtime()};
}

void app_stats_begin_tick(AppStats *stats) {
    if (stats->work_ns > 0) app_samples_add(&stats->work_ms, (float)((double)stats->work_ns * 1e-6));
    stats->work_ns = 0;
    stats->begun_ns = uv_hrtime();
}

void app_stats_end_tick(AppStats *stats) {
    stats->work_ns += uv_hrtime() - stats->begun_ns;
}

void app_stats_add_work(AppStats *stats, uint64_t nanoseconds) {
    stats->work_ns += nanoseconds;
}

void app_stats_add_lateness(AppStats *stats, uint64_t nanoseconds) {
    app_samples_add(&stats->lateness_ms, (float)((double)nanoseconds * 1e-6));
}

void app_stats_report_skipped(AppStats *stats, AppLog *log, const AppClock *clock, uint64_t now_ns) {
    const uint64_t skipped = clock->skipped - stats->reported_skipped;
    if (skipped == 0 || now_ns < stats->reported_ns + REPORT_EVERY_NS) return;
    app_log(
        log, TEXT_LOG_WARNING,
        "%llu tick%s skipped: too much work, or the machine was busy (a tick takes %.1f ms, there are %.1f)",
        (unsigned long long)skipped, skipped == 1 ? "" : "s",
        (double)app_samples_percentiles(&stats->work_ms).p95, 1000.0 / clock->rate);
    stats->reported_skipped = clock->skipped;
    stats->reported_ns = now_ns;
}
