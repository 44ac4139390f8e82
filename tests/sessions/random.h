// Numbers from a seed: splitmix64.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_next(Random *random) {
    uint64_t bits = random->state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

// 0 to count - 1.
static inline unsigned random_below(Random *random, unsigned count) {
    return (unsigned)((random_next(random) >> 32) * count >> 32);
}

static inline bool random_chance(Random *random, unsigned percent) {
    return random_below(random, 100) < percent;
}
