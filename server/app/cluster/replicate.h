// What is the same on all nodes, by way of a bucket: gravity, wind, ground, each tornado, and the values set
// on each fabric. The newest value of each counts.
#pragma once

#include "cluster/cluster.h"

// Once the scene is loaded: what is set from then on is stored.
void app_replicas_init(AppCluster *cluster);
void app_replicas_finish(AppCluster *cluster);

// Applies what this node has heard of before it is at the tick in which it took place.
void app_replicas_update(AppCluster *cluster);
// The entry is of an earlier cluster: deletes it.
void app_replicas_delete(AppCluster *cluster, const AppMessage *entry);

// An event of this node's: stores what has changed. One that comes of an entry that is being applied is noted
// only.
void app_replicas_note(AppCluster *cluster, const char *method, const cJSON *params);
// An entry of the bucket: requests of it are served like those of another node.
void app_replicas_apply(AppCluster *cluster, const AppMessage *entry);
