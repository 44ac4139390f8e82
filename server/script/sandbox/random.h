// Random numbers that scripts may use: the same seed gives the same row.
#pragma once

#include <stdint.h>

typedef struct ScriptRandom {
    uint64_t state[4];
} ScriptRandom;

ScriptRandom script_random_seeded(uint64_t seed, const char *name);
uint64_t script_random_next(ScriptRandom *random);
uint64_t script_random_up_to(ScriptRandom *random, uint64_t range); // 0 to range, each equally likely
