// What is the same on all nodes, by way of a bucket: gravity, wind, ground, each tornado, and the values set
// on each fabric. The last value that was stored under a key counts.
#pragma once

#include "cluster/cluster.h"

void app_replicas_finish(AppCluster *cluster);

// An event of this node's: stores what has changed. One that comes of an entry that is being applied is noted
// only.
void app_replicas_note(AppCluster *cluster, const char *method, const cJSON *params);
// An entry of the bucket: requests of it are served like those of another node.
void app_replicas_apply(AppCluster *cluster, const AppLetter *entry);
