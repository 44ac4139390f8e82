// Pauses, steps and resumes all nodes at the same tick. One entry of the world's bucket has the number of
// each node's pause locks, and the last tick.
#pragma once

#include "cluster/node/state.h"

void app_cluster_pause_init(AppCluster *cluster);
// The first tick is about to come.
void app_cluster_pause_begin(AppCluster *cluster);
void app_cluster_pause_finish(AppCluster *cluster);

// simulation.pause, resume and step of a client or a script. Defers the call, or sets its result or error.
void app_cluster_pause(AppCluster *cluster, AppCall *call);
void app_cluster_resume(AppCluster *cluster, AppCall *call);
void app_cluster_step(AppCluster *cluster, AppCall *call);

// The entry of the bucket, and whether a message has it.
void app_cluster_pause_apply(AppCluster *cluster, const AppMessage *entry);
bool app_cluster_pause_is_entry(const AppMessage *message);
// Takes another node's report of the tick at which it has halted. False: the event is something else.
bool app_cluster_pause_receive_halted(AppCluster *cluster, const AppMessage *event);

// Stores this node's changes, and completes requests that have waited for them. Call at the start of each
// tick or of each interval of a pause, and when the last tick has ended.
void app_cluster_pause_update(AppCluster *cluster);
// Whether all nodes that are there have halted at the last tick.
bool app_cluster_pause_all_halted(const AppCluster *cluster);
// When the broker is away, waiting requests fail; when it is back, the entry is stored again.
void app_cluster_pause_note_connection(AppCluster *cluster, bool is_connected);
