// Random numbers for scripts: the same seed gives the same sequence.
#pragma once

#include <stdint.h>

typedef struct ScriptRandom {
    uint64_t state[4];
} ScriptRandom;

ScriptRandom script_random_seeded(uint64_t seed, const char *name);
uint64_t script_random_next(ScriptRandom *random);
uint64_t script_random_up_to(ScriptRandom *random, uint64_t range); // 0 to range, each equally likely
