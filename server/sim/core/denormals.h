// Flushes denormal floats to zero while a group is simulated: with them, cloth that is almost at rest costs a
// hundred times as much as cloth in motion.
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#define SIM_FLUSH_TO_ZERO      0x8000u
#define SIM_DENORMALS_ARE_ZERO 0x0040u

// Returns the previous mode.
static inline uint64_t sim_flush_denormals(void) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | SIM_FLUSH_TO_ZERO | SIM_DENORMALS_ARE_ZERO);
    return before;
}

static inline void sim_restore_denormals(uint64_t before) {
    _mm_setcsr((unsigned)before);
}

#elif defined(__aarch64__)

#define SIM_FLUSH_TO_ZERO (1u << 24) // FPCR.FZ, of inputs and of results

static inline uint64_t sim_flush_denormals(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | SIM_FLUSH_TO_ZERO));
    return before;
}

static inline void sim_restore_denormals(uint64_t before) {
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

static inline uint64_t sim_flush_denormals(void) {
    return 0;
}
static inline void sim_restore_denormals(uint64_t before) {
    (void)before;
}

#endif
