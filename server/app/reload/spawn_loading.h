// Characters that come and go while the server runs.
//
// A script that is needed for the first time is loaded by the load queue. Its spawn requests are completed at
// the start of a tick or, those of a client while the simulation is paused, at once. A step's ticks do not
// begin before all first loads are done, so that a run that is stepped repeats, however long loading takes.
#pragma once

#include "reload/reload.h"

// Drops what waits. Before the characters are finished.
void app_spawns_finish(AppReload *reload);

// Handlers; their context is the AppReload.
void app_handle_character_spawn(AppCall *call);
void app_handle_character_remove(AppCall *call);

// A script removes a character or a spawn request: a callback of ScriptCallbacks.
bool app_spawns_remove(AppCharacters *characters, const char *name,
                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Removes a character, and tells. While neither a script nor a tick runs.
void app_spawns_remove_character(AppReload *reload, AppCharacter *character);

// Between two ticks: commits first loads, and completes the spawn requests that waited for them.
void app_spawns_commit(AppReload *reload);
// In a tick, after on_tick: creates what scripts spawned.
void app_spawns_create(AppReload *reload);
// After scripts have run: loads what they need, and removes the characters that they removed.
void app_spawns_update(AppReload *reload);
