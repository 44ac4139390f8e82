// Each node tells the others the revisions and levels of its characters, and the owner and epoch of its
// events.
#pragma once

#include "cluster/node/state.h"

// Announces the changes since the last announcement. Call between ticks.
void app_announce_characters(AppCluster *cluster);
// A node has joined, or the broker is back: everything is announced again after a second, when they listen.
void app_announce_again(AppCluster *cluster);

// An event of this node that the others may miss while the broker is away. What it was about is told by
// app_announce_untold, which is to be called often, a second after the broker is back.
void app_announce_later(AppCluster *cluster, const char *method, const char *character);
void app_announce_untold(AppCluster *cluster);

// Takes an announcement of another node. False: the message is something else.
bool app_announce_receive(AppCluster *cluster, const AppMessage *message);
// Takes from an event what character.list shows: the entry of the bucket may come later. Epoch 0: nothing.
void app_announce_note_event(AppCluster *cluster, const char *node, uint64_t epoch, const char *method,
                             const cJSON *params);
// Reads the origin of an event, NODE.EPOCH. Epoch 0: the event is about no character that the cluster knows.
void app_announce_read_origin(const AppMessage *message, char node[APP_NODE_BYTES + 1], uint64_t *out_epoch);
