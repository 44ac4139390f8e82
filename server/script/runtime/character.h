// What a loaded character consists of.
#pragma once

#include "data/arena.h"
#include "load/load.h"
#include "script/character.h"

struct ScriptCharacter {
    ScriptCharacter *next; // of the host's list
    ScriptHost *host;
    ScriptState *state;
    ScriptArena arena; // of info
    ScriptCharacterInfo info;
    int on_spawn, on_tick;   // references in the state's registry, LUA_NOREF for none
    const int *command_runs; // [info.command_count]
};

// Takes load over, whose file returned tweed.character{...}. NULL, with the findings, if it has mistakes.
// file: as script_display_path gives it.
ScriptCharacter *script_character_make(ScriptHost *host, ScriptLoad *load);
// The character of that file, loaded on first use.
ScriptCharacter *script_character_of_file(ScriptHost *host, const char *file, ScriptFindings *findings);
// All of the host's.
void script_characters_destroy(ScriptHost *host);
