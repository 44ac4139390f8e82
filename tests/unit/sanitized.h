// SANITIZED is 1 under a sanitizer. It makes a simulation several times slower, and finds errors of memory
// and arithmetic in the first ticks of a kind. So long measurements over many fabrics and rates run shorter
// with one.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
