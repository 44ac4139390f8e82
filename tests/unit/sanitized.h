// SANITIZED is 1 under a sanitizer. It makes a simulation several times slower, and finds errors of memory
// and arithmetic in the first ticks of a kind. So long measurements over many fabrics and rates run shorter
// with one.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

// Whether characters are measured at all rates and with gravity nudged, which takes minutes, rather than at
// 60 Hz: with TWEED_THOROUGH in the environment, as ./dev soak thorough and CI have it.
static inline bool is_thorough(void) {
    return !SANITIZED && getenv("TWEED_THOROUGH");
}
