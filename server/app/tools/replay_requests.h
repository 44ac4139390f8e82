// Requests to a replay: what a recording can answer, it answers as a live server would.
#pragma once

#include "tools/replay_player.h"

// Of a new connection, and of server.describe: the recorded one, with what is the replay's own. The result
// belongs to the caller; NULL when memory runs out.
cJSON *app_replay_hello(const AppReplay *replay);

// Handles a message of a client and sends the replies.
void app_replay_receive(AppReplayClient *client, const char *bytes, size_t length);
