// Pausing, stepping and resuming all nodes at one tick: one entry of the world's bucket says how many pause
// locks each node has, and after which tick nobody goes on.
#pragma once

#include "cluster/cluster.h"

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
// What another node says about where it has halted. False: the event is something else.
bool app_cluster_pause_receive_halted(AppCluster *cluster, const AppMessage *event);

// At the start of each tick, or of an interval of a pause, and when the last tick has ended: stores what has
// changed here, and completes what waits.
void app_cluster_pause_update(AppCluster *cluster);
// Whether all nodes that are there have halted at the last tick.
bool app_cluster_pause_all_halted(const AppCluster *cluster);
// The broker is away: what waits fails. It is back: the entry is stored again.
void app_cluster_pause_note_connection(AppCluster *cluster, bool is_connected);
