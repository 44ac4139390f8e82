// Which node has which character: entries of the bucket, and events that arrive before them.
#pragma once

#include "cluster/node/state.h"

// from: the node that has handed the character over, "": none.
void app_entries_put(AppCluster *cluster, const char *name, const char *node, const char *script,
                     const char *from, uint64_t epoch);
// The character of that epoch is gone.
void app_entries_remove(AppCluster *cluster, const char *name, uint64_t epoch);
// Drops the entry, whatever its epoch.
void app_entries_drop(AppCluster *cluster, AppDirectoryCharacter *entry);
// Keeps the name of a character of another node from being used here.
void app_entries_reserve(AppCluster *cluster, const AppDirectoryCharacter *entry);
