// Characters whose node is gone: their state is kept while it lives, and other nodes take them over.
#pragma once

#include "cluster/node/claims.h"

// Puts the state of some of this node's characters, in rotation. Between ticks only.
void app_adopt_put_states(AppCluster *cluster);
// Puts the states of all of them as they are now: the node is about to leave.
void app_adopt_put_last_states(AppCluster *cluster);

// Claims this node's part of the characters whose nodes are gone; after a while any of them.
void app_adopt_orphans(AppCluster *cluster);

// The outcome of such a claim; the message has the last state. The claim may be freed.
void app_adopt_claimed(AppCluster *cluster, AppClaim *claim, const AppMessage *message);

// The spawn of a claimed character has ended. Where it succeeded the character becomes what its last state
// says, before anybody else asks it something; else it is left to the other nodes, and the claim is freed.
// error: of the spawn; NULL: memory ran out. Between ticks only.
void app_adopt_ended(AppCluster *cluster, AppClaim *claim, const char *script, const ProtocolError *error);
