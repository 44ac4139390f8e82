// Characters that come and go while the server runs.
//
// A script that is needed for the first time is loaded on the loader's thread. What waits for it comes true
// at the beginning of a tick or, for a connection's request while the simulation is paused, at once. A step's
// ticks do not begin before all is loaded, so that a run that is stepped repeats, however long loading takes.
#pragma once

#include "rpc/requests.h"

// After the loader has stopped.
void app_spawns_finish(App *app);

// The methods character.spawn and character.remove.
void app_spawns_spawn(AppCall *call);
void app_spawns_remove(AppCall *call);

// The callbacks of ScriptCallbacks.
bool app_spawns_wish(void *context, const ScriptSpawn *spawn, char out_name[TEXT_NAME_BYTES + 1],
                     char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
bool app_spawns_dismiss(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Between two ticks: those who waited for what is loaded now have it.
void app_spawns_settle(App *app);
// After scripts have run: what they have wanted to be loaded is due, and those that they removed go.
void app_spawns_follow_scripts(App *app);
// In a tick, before that: characters that scripts spawned come in.
void app_spawns_create(App *app);

// The connection is gone, and what it waited for; loading goes on.
void app_spawns_forget(AppClient *client);
