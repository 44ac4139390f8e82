// character.spawn in a cluster: first the node, then the name, then the character.
#pragma once

#include "cluster/node/claims.h"

// cluster.drain: moves all characters of a node to those with the most room, and keeps new ones away.
void app_place_drain(AppCluster *cluster, AppCall *call);
// Between ticks: goes on with that.
void app_place_update(AppCluster *cluster);
void app_place_finish(AppCluster *cluster);

// A checked character.spawn of a client: to the node that it names, or to the one with the most room. Defers
// it, or sets the error.
void app_place_spawn(AppCluster *cluster, AppCall *call);

// Serves a request of another node's here.
void app_place_serve(AppCluster *cluster, const AppMessage *message);

// The outcome of a claim that has a spawn.
void app_place_claimed(AppCluster *cluster, AppClaim *claim, AppMessageOutcome outcome);

// The router's `ended`: context is the AppCluster.
void app_place_ended(void *context, const AppRequest *request, const ProtocolError *error);
