// What connections are told unasked: events, each with the tick.
#pragma once

#include "characters/fabrics.h"
#include "session/client.h"

#include <text/log_level.h>

void app_event_spawned(App *app, const AppCharacter *character);
void app_event_removed(App *app, const char *character);
void app_event_changed(App *app, const AppCharacter *character); // its static data
void app_event_unstable(App *app, const SimUnstable *unstable);
void app_event_script_loaded(App *app, const char *script);
void app_event_script_failed(App *app, const char *script, const ScriptError *error);
void app_event_script_suspended(App *app, const char *script, const ScriptError *error);
void app_event_fabric(App *app, const char *fabric, const AppOverride *values);
void app_event_garment(App *app, const char *character, const char *garment, const AppOverride *values);
void app_event_world(App *app);
// The same once, if scripts have changed the world since the last time.
void app_event_world_of_scripts(App *app);
void app_event_paused(App *app);
void app_event_resumed(App *app);
void app_event_log(App *app, TextLogLevel level, const char *message);
// To that connection alone.
void app_event_log_to(AppClient *client, TextLogLevel level, const char *message);

// The whole of world.get, into an object.
void app_put_world(AppJson *json, cJSON *object, const SimWorld *world);
