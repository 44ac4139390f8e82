// A ring of samples and its percentiles, sorted only when somebody asks.
#include "base/samples.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right);
static float nearest_rank(const float *sorted, int count, int percent);

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

static int compare(const void *left, const void *right) {
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static float nearest_rank(const float *sorted, int count, int percent) {
    return sorted[(count * percent + 99) / 100 - 1];
}
