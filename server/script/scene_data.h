// What a loaded scene consists of.
#pragma once

#include "arena.h"
#include "script/scene.h"
#include "state.h"

struct ScriptScene {
    ScriptState *state; // NULL: a character's file
    ScriptArena arena;  // of info
    ScriptSceneInfo info;
    int on_start; // LUA_NOREF: none
};
