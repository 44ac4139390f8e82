// Whether a sanitizer watches. It makes a simulation several times slower, and finds what it looks for
// (memory, arithmetic) in the first ticks of a kind. So tests that measure for long, or the same of many
// fabrics and rates, do so in full without one; with one they enter each path for a shorter stretch.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
