// A process that has stood still, because it was stopped or kept from its processor: other nodes may have
// taken its characters over, or be about to. It sends no frame and serves no request until the broker has
// confirmed each character by a new epoch. Where the broker is away it goes on after 2 s without that.
#pragma once

#include "cluster/node/state.h"

// At the start of app_cluster_update.
void app_standstill_update(AppCluster *cluster, uint64_t now_ns);

// Whether frames may go out and requests be served. False from the first moment after a standstill, before
// app_standstill_update has seen it.
bool app_standstill_is_over(void *cluster);

// Resyncs if entries that were asked for have not all come for 2 s: nothing says that a watch has lost some.
void app_standstill_ask_again(AppCluster *cluster, uint64_t now_ns);

// Asks for all entries anew, by a watch of a new generation.
void app_standstill_resync(AppCluster *cluster);
