// Measuring ticks, and a word when they cannot keep up.
#include "server/stats.h"

#include "server/app.h"

#define TELL_EVERY_NS 5000000000ULL

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

void app_stats_tell_skipped(App *app, uint64_t now_ns) {
    AppStats *stats = &app->stats;
    const uint64_t skipped = app->clock.skipped - stats->told_skipped;
    if (skipped == 0 || now_ns < stats->told_ns + TELL_EVERY_NS) return;
    app_log(
        &app->log, APP_LOG_WARNING,
        "%llu tick%s skipped: too much work, or the machine was busy (a tick takes %.1f ms, there are %.1f)",
        (unsigned long long)skipped, skipped == 1 ? "" : "s",
        (double)app_samples_percentiles(&stats->work_ms).p95, 1000.0 / app->fleet.tick_rate);
    stats->told_skipped = app->clock.skipped;
    stats->told_ns = now_ns;
}
