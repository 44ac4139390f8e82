// Each instance has a row of its own, and so has what no instance runs.
#include "sandbox/random_library.h"

#include "runtime/instance.h"
#include "sandbox/state.h"

#include <lauxlib.h>

static uint64_t up_to(ScriptRandom *random, uint64_t range);

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

// 0..range, each equally likely: numbers beyond it are thrown away under the smallest mask that holds it.
static uint64_t up_to(ScriptRandom *random, uint64_t range) {
    uint64_t mask = range;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    uint64_t number;
    do number = script_random_next(random) & mask;
    while (number > range);
    return number;
}
