// Messages to the other nodes.
#pragma once

#include "cluster/cluster.h"

// Puts a message to a subject into the outbox. number: of the awaited answer; 0: none. False: there is no
// room.
bool app_cluster_publish(AppCluster *cluster, const char *subject, uint64_t number, const TextBuffer *body);
// The same to the subject of events: about a character of that epoch; 0: about none.
bool app_cluster_publish_event(AppCluster *cluster, uint64_t epoch, const TextBuffer *body);
// A number for a message whose answer is awaited.
uint64_t app_cluster_new_number(AppCluster *cluster);

// -32003: the broker of the cluster cannot be reached.
void app_cluster_set_unreachable(ProtocolError *out_error);
