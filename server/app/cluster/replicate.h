// Keeps gravity, wind, ground, tornadoes and the values set on fabrics the same on all nodes, by a bucket.
// The newest value of each counts.
#pragma once

#include "cluster/node/state.h"

// Call when the scene is loaded; later changes are stored.
void app_replicas_init(AppCluster *cluster);
void app_replicas_finish(AppCluster *cluster);

// Applies entries that came before this node had reached their tick.
void app_replicas_update(AppCluster *cluster);
// The entry is of an earlier cluster: deletes it.
void app_replicas_delete(AppCluster *cluster, const AppMessage *entry);

// An event of this node's: stores what has changed. One that comes of an entry that is being applied is noted
// only.
void app_replicas_note(AppCluster *cluster, const char *method, const cJSON *params);
// An entry of the bucket: requests of it are served like those of another node.
void app_replicas_apply(AppCluster *cluster, const AppMessage *entry);
