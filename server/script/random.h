// Random numbers that scripts may use: the same seed gives the same row.
#pragma once

#include <lua.h>
#include <stdint.h>

typedef struct ScriptRandom {
    uint64_t state[4];
} ScriptRandom;

ScriptRandom script_random_seeded(uint64_t seed, const char *name);
uint64_t script_random_next(ScriptRandom *random);

// tweed.random and math.random: () → [0, 1), (n) → 1..n, (m, n) → m..n, of the running instance.
int script_random_lua(lua_State *lua);
