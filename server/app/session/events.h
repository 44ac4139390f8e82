// Events: notifications to connections and scripts, each with the tick.
#pragma once

#include "characters/fabrics.h"
#include "session/sessions.h"

#include <protocol/methods.h>
#include <stdint.h>

void app_event_spawned(AppSessions *sessions, const AppCharacter *character);
void app_event_removed(AppSessions *sessions, const char *character);
// It goes on at another node of the cluster.
void app_event_moved(AppSessions *sessions, const char *character, const char *from, const char *node);
void app_event_changed(AppSessions *sessions, const AppCharacter *character); // its static data
void app_event_unstable(AppSessions *sessions, const SimUnstable *unstable);
void app_event_script_loaded(AppSessions *sessions, const char *script);
void app_event_script_failed(AppSessions *sessions, const char *script, const ScriptError *error);
// The same for an error that a running script raised. A repeated one is reported with a count, at most once a
// second.
void app_event_script_raised(AppSessions *sessions, const char *script, const ScriptError *error);
void app_event_script_suspended(AppSessions *sessions, const char *script, const ScriptError *error);
void app_event_fabric(AppSessions *sessions, const char *fabric, const AppOverride *values);
void app_event_garment(AppSessions *sessions, const char *character, const char *garment,
                       const AppOverride *values);
void app_event_world(AppSessions *sessions);
// The same if scripts have changed the world since the last one.
void app_event_world_of_scripts(AppSessions *sessions);
void app_event_paused(AppSessions *sessions);
void app_event_resumed(AppSessions *sessions);
// What is left out has changed. load: of ticks, as a share of their time; frame_interval: ticks from one
// frame to the next under the policy latest.
void app_event_shed(AppSessions *sessions, float load, int reduced, int skinned, int frame_interval);
void app_event_log(AppSessions *sessions, TextLogLevel level, const char *message);
// The same of what a script says; `character` may be NULL.
void app_event_script_log(AppSessions *sessions, TextLogLevel level, const char *script,
                          const char *character, const char *message);
// A notification failed, which has no answer: a log event tells its sender, at most once a second. method:
// NULL where there is none of that name.
void app_event_notification_failed(AppClient *client, const ProtocolMethod *method,
                                   const ProtocolError *error);
// Call once per interval: reports repeated errors after their second.
void app_events_report_repeated(AppSessions *sessions);

// The line of an event, to all connections that take events. Returns NULL when memory runs out.
void app_event_send(AppSessions *sessions, NetBuffer *line);

// The whole of world.get, into an object.
void app_put_world(AppJson *json, cJSON *object, const SimWorld *world);
// A script's error with its traceback, in the log alone.
void app_log_error(AppLog *log, const char *script, const ScriptError *error);
