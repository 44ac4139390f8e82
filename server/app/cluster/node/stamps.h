// Who has set each value of the world's bucket last, and when. An entry of the bucket has the value and the
// stamp of each part: of all nodes' values of a part the newest one counts, in whatever order the entries
// come. An entry that the broker does not have, since it was away or has failed, is put again.
#pragma once

#include "cluster/node/state.h"

void app_stamps_init(AppCluster *cluster);
void app_stamps_finish(AppCluster *cluster);

// Stamps a value that this node has set, and returns the stamp, {process, time, value}, which stays the
// table's.
cJSON *app_stamps_add(AppCluster *cluster, const char *key, const char *part, const cJSON *value);
// NULL: nobody has set it.
const cJSON *app_stamps_find(const AppCluster *cluster, const char *key, const char *part);
// Whether this process has set the value.
bool app_stamps_is_own(const AppCluster *cluster, const cJSON *stamp);

// Puts the entry of the key, whose parts have been stamped.
void app_stamps_put(AppCluster *cluster, const char *key);
// The entry of the key in the bucket has that revision.
void app_stamps_note_revision(AppCluster *cluster, const char *key, uint64_t revision);
// Takes over the parts of an entry that are newer than those here, and returns copies of their stamps, by
// part, which the caller deletes. An entry that lacks what is known here is put again.
cJSON *app_stamps_merge(AppCluster *cluster, const char *key, const cJSON *parts);
// Puts again what the broker has not shown.
void app_stamps_update(AppCluster *cluster);
// The broker is back: entries that it does not show in a moment are put again.
void app_stamps_note_connected(AppCluster *cluster);
