// Which node has which character, as the bucket says, and events before it.
#pragma once

#include "cluster/cluster.h"

// from: the node that has handed the character over, "": none.
void app_entries_put(AppCluster *cluster, const char *name, const char *node, const char *script,
                     const char *from, uint64_t epoch);
// Nobody has the character of that epoch any more.
void app_entries_remove(AppCluster *cluster, const char *name, uint64_t epoch);
// The same whatever the epoch.
void app_entries_drop(AppCluster *cluster, AppDirectoryCharacter *entry);
// Nobody here gets the name of a character that another node has.
void app_entries_reserve(AppCluster *cluster, const AppDirectoryCharacter *entry);
