// The structure of a host, and of the characters that it has loaded.
#pragma once

#include "data/arena.h"
#include "data/findings.h"
#include "data/read_files.h"
#include "host/cpu_timer.h"
#include "host/events.h"
#include "host/fabric_registry.h"
#include "script/character.h"
#include "script/host.h"

#define SCRIPT_WINDOW 60u // intervals of which scripts may take half the time

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
    struct ScriptState *states;  // all of the host's, a list
    size_t bytes;                // held by all Lua states
    uint64_t most_rig_ns;        // that simulating a character may take a tick, as estimated; 0: no limit
    size_t total_memory;         // that they may hold together
    uint64_t tick;               // the number of the current tick
    uint64_t interval;           // counts ticks; while the simulation is paused, equal periods
    uint64_t second;             // of simulation, counted in intervals
    uint64_t spent_ns;           // processor time of all scripts, less a tick's time for each interval since
    uint64_t window_interval;    // the first of the last SCRIPT_WINDOW intervals or fewer
    uint64_t window_ns;          // processor time of all scripts since then
    uint64_t pass;               // counts passes over all instances: each runs once in a pass
    bool is_pass_cut;            // this one goes on in the next interval: the scripts' time was used up
    double time, dt;             // s, of the current tick
    size_t script_memory;        // limit of a script's memory, in bytes
    uint64_t script_budget_ns;   // processor time that a script may use in an interval
    ScriptCpuTimer *cpu_timer;   // of the thread that uses the host
    ScriptReadFiles *read;       // collects the files that loading reads, also when it fails; may be NULL
    ScriptReadFiles first_read;  // until script_host_report_changed
    mat4 *bones;                 // [bone_capacity] scratch of self:bone
    int bone_capacity;
    bool unhurried; // nobody waits for a tick
    bool running;   // a script runs
    bool starting;  // before script_host_started: scripts may take longer
    bool checking;  // `tweed check`: findings include the linter's advice
};

// A loaded character.
struct ScriptCharacter {
    ScriptCharacter *next; // of the host's list
    ScriptHost *host;
    struct ScriptState *state;
    ScriptArena arena; // of info
    ScriptCharacterInfo info;
    int on_spawn, on_tick, on_save, on_restore; // references in the state's registry, LUA_NOREF for none
    const int *command_runs;                    // [info.command_count]
};

// turns.c: how all scripts share a tick
// ----------------------------------------------------------------------------------------------------------

// An interval begins.
void script_host_renew_time(ScriptHost *host);
// Whether an instance or scene is to run: once in a pass, and while there is time left. pass: its last one.
bool script_host_takes_turn(ScriptHost *host, uint64_t *pass);
// A pass begins, and true; false: the one before goes on, with the events that it has.
bool script_host_begin_pass(ScriptHost *host);
