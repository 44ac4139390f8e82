// The node's part in the clock of its cluster: which node is the reference, and what time it has.
#pragma once

#include "cluster/node/state.h"

// Before the node has begun: asks the reference for the time. Whether it has answered often enough; call it
// again after answers, or after some ms. True where there is no other node to ask.
bool app_timing_is_known(AppCluster *cluster);
// The first tick is about to be timed: takes over the cluster's tick, or begins its count.
void app_timing_begin(AppCluster *cluster, AppTickClock *clock);

// Asks the reference for the time, and publishes this node's. Call every 150 ms, between ticks.
void app_timing_update(AppCluster *cluster);
// Call when the simulation has halted or runs again: publishes that, and asks for the time again.
void app_timing_restart(AppCluster *cluster);
// An answer.
void app_timing_receive(AppCluster *cluster, const AppMessage *answer);

// Ticks that the node is behind the cluster's; negative: ahead of it.
int64_t app_timing_ticks_behind(const AppCluster *cluster);
// How far its clock may be off the reference's.
double app_timing_error_ms(const AppCluster *cluster);
