// Messages to the other nodes.
#pragma once

#include "cluster/node/state.h"

#define APP_PART_BYTES ((size_t)512 << 10) // of a longer body; the broker takes 1 MiB

// Publishes a body to a subject. number: identifies the answer, from app_cluster_new_number; 0: none is
// awaited. False: the queue to the broker is full, or the broker is away.
bool app_cluster_publish(AppCluster *cluster, const char *subject, uint64_t number, const TextBuffer *body);
// Publishes to the subject of events. epoch: of the character that the event is about; 0: of none.
bool app_cluster_publish_event(AppCluster *cluster, uint64_t epoch, const TextBuffer *body);
// A number that no other awaited answer has.
uint64_t app_cluster_new_number(AppCluster *cluster);

// -32003: the broker of the cluster cannot be reached.
void app_cluster_set_unreachable(ProtocolError *out_error);
