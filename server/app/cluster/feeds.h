// Frames of other nodes' characters: for each view that clients of this node have, one connection to each
// other node, with one subscription. Lines are copied from there into the views.
#pragma once

#include "cluster/cluster.h"

#include <net/link.h>

// The source of AppStreams; context is the AppCluster.
void app_feeds_update_view(void *context, AppView *view, const AppRemoteDemand *demand, const cJSON *params);
void app_feeds_list(void *context, const AppView *view, AppJson *json, cJSON *names);
void app_feeds_redirect(void *context, const AppView *view, AppJson *json, cJSON *servers);

// Connects what is missing, and closes what is no longer needed: after nodes have come or gone, and every now
// and then.
void app_feeds_reconcile(AppCluster *cluster);
void app_feeds_close(AppCluster *cluster);

// The owner of a character has changed; "": nobody.
void app_feeds_note_owner(AppCluster *cluster, const char *character, const char *before, const char *owner);
// A character is not on this node any more, but on another one: shows what has come from there already.
void app_feeds_note_gone(AppCluster *cluster, const char *character, const char *owner);
