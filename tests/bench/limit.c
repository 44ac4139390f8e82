// Chooses among the copies of the bare loop.
#include "limit.h"

#include <stddef.h>
#include <string.h>

extern const LimitLoop limit_loop_baseline, limit_loop_avx2, limit_loop_avx512;

const LimitLoop *limit_loop(const char *instruction_set) {
#ifdef LIMIT_X86
    if (strcmp(instruction_set, "avx2") == 0) return &limit_loop_avx2;
    if (strcmp(instruction_set, "avx512") == 0) return &limit_loop_avx512;
#endif
    return strcmp(instruction_set, "baseline") == 0 ? &limit_loop_baseline : NULL;
}
