// The last ten seconds of a measured time, and its percentiles.
#pragma once

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
