// Characters of other nodes that go on at this one; see move.h.
#pragma once

#include "cluster/node/claims.h"

// A message to this node about a character that comes, or a request that its old owner answers. False: it is
// neither.
bool app_arrivals_receive(AppCluster *cluster, const AppMessage *message);
// The bridge has asked for the name.
void app_arrivals_claimed(AppCluster *cluster, AppClaim *claim, const AppMessage *message);
// Creates the characters that have arrived. Call between ticks.
void app_arrivals_update(AppCluster *cluster, uint64_t now_ns);
// Whether the character is here while requests are on their way that its old owner has received.
bool app_arrivals_is_waiting(const AppCluster *cluster, const char *character);
// Then a request of this node's clients waits for them: true.
bool app_arrivals_defer(AppCluster *cluster, AppCall *call, const char *character);
void app_arrivals_finish(AppCluster *cluster);
