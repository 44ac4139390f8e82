// Rings of samples, and a log line when ticks cannot keep up.
#include "ticks/stats.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define REPORT_EVERY_NS 5000000000ULL

const double app_bucket_limits[APP_BUCKETS] = {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3,
                                               0.01, 0.025,  0.05, 0.1,  0.25};

static void note_standstill(AppStats *stats, uint64_t now_ns);
static void add_to_histogram(AppHistogram *histogram, uint64_t nanoseconds);
static int compare(const void *left, const void *right);
static float nearest_rank(const float *sorted, int count, int percent);

void app_stats_init(AppStats *stats) {
    uv_timeval64_t now = {0};
    uv_gettimeofday(&now);
    *stats =
        (AppStats){.start_ns = uv_hrtime(), .start_time = (double)now.tv_sec + (double)now.tv_usec * 1e-6};
    stats->alive_ns = stats->start_ns;
}

void app_stats_begin_tick(AppStats *stats) {
    if (stats->work_ns > 0) {
        app_samples_add(&stats->work_ms, (float)((double)stats->work_ns * 1e-6));
        add_to_histogram(&stats->work, stats->work_ns);
    }
    stats->work_ns = 0;
    stats->begun_ns = uv_hrtime();
    note_standstill(stats, stats->begun_ns);
}

void app_stats_end_tick(AppStats *stats) {
    const uint64_t now_ns = uv_hrtime();
    note_standstill(stats, now_ns);
    stats->alive_ns = now_ns;
    stats->slowest.nanoseconds = 0;
    stats->work_ns += now_ns - stats->begun_ns;
}

void app_stats_pass_tick(AppStats *stats) {
    stats->alive_ns = uv_hrtime();
}

void app_stats_add_work(AppStats *stats, uint64_t nanoseconds) {
    stats->work_ns += nanoseconds;
}

void app_stats_add_lateness(AppStats *stats, uint64_t nanoseconds) {
    app_samples_add(&stats->lateness_ms, (float)((double)nanoseconds * 1e-6));
    add_to_histogram(&stats->lateness, nanoseconds);
}

void app_stats_add_request(AppStats *stats, const char *method, uint64_t nanoseconds) {
    if (nanoseconds > stats->slowest.nanoseconds) stats->slowest = (AppLongRequest){method, nanoseconds};
}

void app_stats_report_skipped(AppStats *stats, AppLog *log, const AppTickClock *clock, uint64_t now_ns) {
    const uint64_t skipped = clock->skipped - stats->reported_skipped;
    if (skipped == 0 || now_ns < stats->reported_ns + REPORT_EVERY_NS) return;
    char request[96] = "";
    if (stats->blocking.nanoseconds > stats->standstill_ns / 2)
        snprintf(request, sizeof request, ", %s took %.1f ms", stats->blocking.method,
                 (double)stats->blocking.nanoseconds * 1e-6);
    app_log(log, TEXT_LOG_WARNING,
            "%llu tick%s skipped: %.1f ms without one%s; a tick takes %.1f ms of %.1f ms",
            (unsigned long long)skipped, skipped == 1 ? "" : "s", (double)stats->standstill_ns * 1e-6,
            request, (double)app_samples_percentiles(&stats->work_ms).p95, 1000.0 / clock->rate);
    stats->standstill_ns = 0;
    stats->reported_skipped = clock->skipped;
    stats->reported_ns = now_ns;
}

void app_samples_add(AppSamples *samples, float value) {
    samples->values[samples->next] = value;
    samples->next = (samples->next + 1) % APP_SAMPLES;
    if (samples->count < APP_SAMPLES) samples->count++;
}

AppPercentiles app_samples_percentiles(const AppSamples *samples) {
    if (samples->count == 0) return (AppPercentiles){0};
    float sorted[APP_SAMPLES];
    const int count = samples->count;
    memcpy(sorted, samples->values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return (AppPercentiles){.p50 = nearest_rank(sorted, count, 50),
                            .p95 = nearest_rank(sorted, count, 95),
                            .p99 = nearest_rank(sorted, count, 99),
                            .max = sorted[count - 1]};
}

float app_samples_mean(const AppSamples *samples, int count) {
    float sum = 0.0f;
    if (count > samples->count) count = samples->count;
    for (int i = 1; i <= count; i++) sum += samples->values[(samples->next + APP_SAMPLES - i) % APP_SAMPLES];
    return count > 0 ? sum / (float)count : 0.0f;
}

static void note_standstill(AppStats *stats, uint64_t now_ns) {
    const uint64_t since_ns = now_ns - stats->alive_ns;
    if (since_ns <= stats->standstill_ns) return;
    stats->standstill_ns = since_ns;
    stats->blocking = stats->slowest;
}

static void add_to_histogram(AppHistogram *histogram, uint64_t nanoseconds) {
    const double seconds = (double)nanoseconds * 1e-9;
    int bucket = 0;
    while (bucket < APP_BUCKETS && seconds > app_bucket_limits[bucket]) bucket++;
    histogram->counts[bucket]++;
    histogram->sum += seconds;
}

static int compare(const void *left, const void *right) {
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static float nearest_rank(const float *sorted, int count, int percent) {
    return sorted[(count * percent + 99) / 100 - 1];
}
