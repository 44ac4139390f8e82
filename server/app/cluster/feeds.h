// Frames of other nodes' characters: for each view that clients of this node have, one connection to each
// other node, with one subscription. Lines are copied from there into the views.
#pragma once

#include "cluster/node/state.h"

#include <net/link.h>

// The source of AppStreams; context is the AppCluster.
void app_feeds_update_view(void *context, AppView *view, const AppRemoteDemand *demand, const cJSON *params);
void app_feeds_list(void *context, const AppView *view, AppJson *json, cJSON *names);
void app_feeds_redirect(void *context, const AppView *view, AppJson *json, cJSON *servers);

// Opens missing connections, and closes those that are not needed any more. Call when nodes have joined or
// left, and from time to time.
void app_feeds_reconcile(AppCluster *cluster);
void app_feeds_close(AppCluster *cluster);

// The owner of a character has changed; "": it has none.
void app_feeds_note_owner(AppCluster *cluster, const char *character, const char *before, const char *owner);
// A character has moved from this node to another one: shows the lines that have come from there already.
void app_feeds_note_gone(AppCluster *cluster, const char *character, const char *owner);
