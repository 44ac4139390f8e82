// What scripts print: so much at a time that nobody else's lines drown, and no tick is spent on it.
#pragma once

#include "script/host.h"

#include <lua.h>
#include <stdint.h>

// Of one script. All zero: nothing said yet.
typedef struct ScriptLogQuota {
    uint64_t second; // of simulation, that is counted; the loading is one of its own
    unsigned lines;  // in it
} ScriptLogQuota;

// tweed.log(level, text)
int script_log_write(lua_State *lua);
// print(...)
int script_log_print(lua_State *lua);
