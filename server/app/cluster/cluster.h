// This server as a node of a cluster; README.md beside it has the design. Everything here runs on the loop's
// thread; only app/server includes it.
#pragma once

#include "cluster/node/state.h"

// Joins the cluster of the options and claims the names of all characters; those that another node has are
// removed. Blocks for some seconds at most; before the loop runs. NULL, or has_joined is false: out_message.
AppCluster *app_cluster_join(const AppClusterDef *def, char *out_message, size_t capacity);

// The clock of ticks is about to start: sets it, and the tick count, to the cluster's.
void app_cluster_begin(AppCluster *cluster, AppTickClock *clock);

// Gives up the node's name and its characters, and ends the bridge. NULL: nothing.
void app_cluster_leave(AppCluster *cluster);
// After the loop has closed its handles.
void app_cluster_destroy(AppCluster *cluster);

// Claims new characters, drops lost ones, and does everything else that is due. Call at the start of each
// tick, or of each interval of a pause.
void app_cluster_update(AppCluster *cluster);
