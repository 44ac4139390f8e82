// xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64 from the host's seed and a name's FNV-1a hash.
#include "sandbox/random.h"

#include <string.h>
#include <text/hash.h>

static uint64_t rotate_left(uint64_t value, int bits);
static uint64_t splitmix(uint64_t *state);

ScriptRandom script_random_seeded(uint64_t seed, const char *name) {
    const uint64_t hash = text_hash(TEXT_HASH_BEGIN, name, strlen(name));
    uint64_t state = seed ^ rotate_left(hash, 32);
    ScriptRandom random;
    for (int i = 0; i < 4; i++) random.state[i] = splitmix(&state);
    return random;
}

uint64_t script_random_next(ScriptRandom *random) {
    uint64_t *s = random->state;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t script_random_up_to(ScriptRandom *random, uint64_t range) {
    uint64_t mask = range; // numbers above range are dropped, under the smallest mask that holds it
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    uint64_t number;
    do number = script_random_next(random) & mask;
    while (number > range);
    return number;
}

static uint64_t rotate_left(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix(uint64_t *state) {
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}
