// The status of this node, and what it knows of the others.
#pragma once

#include "cluster/node/state.h"

// Gives the bridge this node's status.
void app_status_put(AppCluster *cluster);
// It as JSON, which the caller frees. Returns NULL when memory runs out.
char *app_status_write(const AppCluster *cluster);

// Whether the text, which a node has written, is AppCluster.process of this one.
bool app_status_is_of_this_process(const AppCluster *cluster, const cJSON *process);

// `cluster` of server.describe.
void app_status_describe(const AppCluster *cluster, AppJson *json, cJSON *object);

// The result of character.list: the characters of all nodes, in the order of their epochs, which is that of
// spawning.
void app_status_list(const AppCluster *cluster, AppCall *call);
