// Each node tells the others the revisions and levels of its characters, and the owner and epoch of its
// events.
#pragma once

#include "cluster/cluster.h"

// Tells what has changed since it was told. Between ticks only.
void app_announce_characters(AppCluster *cluster);
// A node has come, or the broker is back: tells all of it again, once who has missed it listens.
void app_announce_again(AppCluster *cluster);

// Takes what another node tells in that way. False: the message is something else.
bool app_announce_receive(AppCluster *cluster, const AppMessage *message);
// Takes from an event what character.list shows: the entry of the bucket may come later. Epoch 0: nothing.
void app_announce_note_event(AppCluster *cluster, const char *node, uint64_t epoch, const char *method,
                             const cJSON *params);
// Whose event the message is: NODE.EPOCH. 0: of no character that the cluster knows.
void app_announce_read_origin(const AppMessage *message, char node[APP_NODE_BYTES + 1], uint64_t *out_epoch);
