// What connections get to see: marks what is due after a tick, and gives lines as sockets have room.
#pragma once

#include "session/client.h"

// The subscription of the view, new or as it was; its static data and the newest frame become due. NULL with
// -32003 for one too many, -32603 out of memory. Takes `view` over in any case.
AppSubscription *app_streams_subscribe(AppClient *client, ProtocolView *view,
                                       const ProtocolSubscription *wish, ProtocolError *out_error);
// False: the connection has no such view.
bool app_streams_unsubscribe(AppClient *client, int view);
void app_streams_end(AppClient *client);

// After a tick: frames of this tick are due to all who want it, and static data that changed.
void app_streams_offer(App *app);

// Characters have come in: their static data is due, and their frames from their first tick on.
void app_streams_add_characters(App *app, size_t first_slot);
// The character of that slot is gone, and what was due of it; what waits in a backlog still goes out.
void app_streams_remove_character(App *app, size_t slot);

// A character's static data has changed.
void app_streams_mark_static(App *app, size_t slot);

// The next line for the socket, with a reference for the caller; NULL when there is none, or none before the
// running tick ends.
NetBuffer *app_streams_pull(AppClient *client);

// Whether anything is due.
bool app_streams_owe(const AppClient *client);
