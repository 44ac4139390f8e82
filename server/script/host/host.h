// The structure of a host, and of the characters that it has loaded.
#pragma once

#include "data/arena.h"
#include "data/findings.h"
#include "data/strings.h"
#include "host/cpu_timer.h"
#include "host/events.h"
#include "host/fabric_registry.h"
#include "script/character.h"
#include "script/host.h"

struct ScriptHost {
    SimWorld *world;
    SimWorld *own_world; // of a host for checking or reloading, otherwise NULL
    uint64_t seed;
    ScriptCallbacks callbacks;
    char *working_directory;      // absolute; paths below it are shown relative to it
    ScriptStringList folders;     // of loaded scenes, the newest first
    ScriptStringList directories; // of scripts
    ScriptStringList assets;
    AssetImport import;
    char *cache; // a folder; "": none
    ScriptFabricRegistry fabrics;
    ScriptEvents events;
    uint64_t last_number;        // the last id of a listener or request
    ScriptCharacter *characters; // a list
    size_t bytes;                // held by all Lua states
    uint64_t tick;               // the number of the current tick
    uint64_t interval;           // counts ticks; while the simulation is paused, equal periods
    uint64_t second;             // of simulation, counted in intervals
    double time, dt;             // s, of the current tick
    size_t script_memory;        // limit of a script's memory, in bytes
    uint64_t script_budget_ns;   // processor time that a script may use in an interval
    ScriptCpuTimer *cpu_timer;   // of the thread that uses the host
    ScriptStringList *read;      // collects the files that loading reads, also when it fails; may be NULL
    mat4 *bones;                 // [bone_capacity] scratch of self:bone
    int bone_capacity;
    bool running;  // a script runs
    bool starting; // before script_host_started: scripts may take longer
    bool checking; // `tweed check`: findings include the linter's advice
};

// A loaded character.
struct ScriptCharacter {
    ScriptCharacter *next; // of the host's list
    ScriptHost *host;
    struct ScriptState *state;
    ScriptArena arena; // of info
    ScriptCharacterInfo info;
    int on_spawn, on_tick;   // references in the state's registry, LUA_NOREF for none
    const int *command_runs; // [info.command_count]
};
