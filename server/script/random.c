// xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64 from the host's seed and a name's FNV-1a hash.
#include "random.h"

#include "instance.h"
#include "state.h"

#include <lauxlib.h>

static uint64_t rotate_left(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix(uint64_t *state) {
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

ScriptRandom script_random_seeded(uint64_t seed, const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
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

// 0..range, each equally likely: numbers beyond it are thrown away under the smallest mask that holds it.
static uint64_t up_to(ScriptRandom *random, uint64_t range) {
    uint64_t mask = range;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    uint64_t number;
    do number = script_random_next(random) & mask;
    while (number > range);
    return number;
}

int script_random_lua(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    ScriptRandom *random = state->running ? &state->running->random : &state->random;
    if (lua_gettop(lua) == 0) {
        lua_pushnumber(lua, (double)(script_random_next(random) >> 11) * 0x1p-53);
        return 1;
    }
    const bool one = lua_gettop(lua) == 1;
    const lua_Integer low = one ? 1 : luaL_checkinteger(lua, 1), high = luaL_checkinteger(lua, one ? 1 : 2);
    luaL_argcheck(lua, low <= high, one ? 1 : 2, "interval is empty");
    lua_pushinteger(lua,
                    (lua_Integer)((lua_Unsigned)low + up_to(random, (lua_Unsigned)high - (lua_Unsigned)low)));
    return 1;
}
