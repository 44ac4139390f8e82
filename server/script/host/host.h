// What a host consists of, and the characters that it has loaded.
#pragma once

#include "data/arena.h"
#include "data/findings.h"
#include "data/strings.h"
#include "host/cpu_timer.h"
#include "host/events.h"
#include "host/fabric_set.h"
#include "script/character.h"
#include "script/host.h"

struct ScriptHost {
    SimWorld *world;
    SimWorld *own_world; // while checking, else NULL
    uint64_t seed;
    ScriptCallbacks callbacks;
    char *working_directory;      // absolute; paths below it are shown relative to it
    ScriptStringList folders;     // of scenes that were loaded, the newest first
    ScriptStringList directories; // of scripts
    ScriptStringList assets;
    ScriptFabricSet fabrics;
    ScriptEvents events;
    uint64_t last_number;        // of listeners and requests, which have numbers
    ScriptCharacter *characters; // a list
    size_t bytes;                // that all Lua states hold
    uint64_t tick;               // that runs: counts them
    uint64_t interval;           // counts ticks and, while there are none, times as long
    uint64_t second;             // counts them, by intervals
    double time, dt;             // s, of that tick
    size_t script_memory;        // bytes that a script may have
    uint64_t script_budget_ns;   // of processor time that a script may take in an interval
    ScriptCpuTimer *cpu_timer;   // of the thread that uses the host
    ScriptStringList *read;      // takes the files that loading reads, however it ends; may be NULL
    mat4 *bones;                 // [bone_capacity] scratch of self:bone
    int bone_capacity;
    bool running;  // a script does
    bool starting; // nobody waits for a tick
    bool checking; // findings have the linter's advice
};

// A character's file that is loaded.
struct ScriptCharacter {
    ScriptCharacter *next; // of the host's list
    ScriptHost *host;
    struct ScriptState *state;
    ScriptArena arena; // of info
    ScriptCharacterInfo info;
    int on_spawn, on_tick;   // references in the state's registry, LUA_NOREF for none
    const int *command_runs; // [info.command_count]
};
