// What a loaded scene consists of.
#pragma once

#include "data/arena.h"
#include "sandbox/state.h"
#include "script/scene.h"

struct ScriptScene {
    ScriptState *state; // NULL: a character's file
    ScriptArena arena;  // of info
    ScriptSceneInfo info;
    int on_start; // LUA_NOREF: none
};
