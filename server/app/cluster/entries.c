// What the directory, the claims and the feeds make of an entry.
#include "cluster/entries.h"

#include "cluster/feeds.h"
#include "cluster/node/claims.h"

#include <stdio.h>
#include <string.h>

static void note_own(AppCluster *cluster, const char *name, uint64_t epoch, AppClaim *claim);
static bool is_outdated(const AppClaim *claim, uint64_t epoch);

void app_entries_put(AppCluster *cluster, const char *name, const char *node, const char *script,
                     const char *from, uint64_t epoch) {
    AppClaim *claim = app_claims_find(cluster, name);
    const AppDirectoryCharacter *known = app_directory_find(&cluster->directory, name);
    char before[APP_NODE_BYTES + 1];
    snprintf(before, sizeof before, "%s", known ? known->node : "");
    AppDirectoryCharacter *entry = app_directory_put(&cluster->directory, name, node, script, epoch);
    if (entry && strcmp(before, entry->node) != 0) {
        snprintf(entry->from, sizeof entry->from, "%s", from);
        entry->moved_ns = uv_hrtime();
        app_feeds_note_owner(cluster, name, before, entry->node);
    }
    if (strcmp(node, cluster->node) == 0)
        note_own(cluster, name, epoch, claim);
    else if (is_outdated(claim, epoch))
        claim->state = APP_CLAIM_LOST;
    else if (entry)
        app_entries_reserve(cluster, entry);
}

void app_entries_remove(AppCluster *cluster, const char *name, uint64_t epoch) {
    AppClaim *claim = app_claims_find(cluster, name);
    AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    if (entry && epoch >= entry->epoch) app_entries_drop(cluster, entry);
    if (is_outdated(claim, epoch)) claim->state = APP_CLAIM_DUE;
}

// A name without an owner in the table of names is taken, but not by a character of this node.
void app_entries_reserve(AppCluster *cluster, const AppDirectoryCharacter *entry) {
    ScriptNameTable *names = &cluster->def.characters->names;
    if (!script_name_table_has(names, entry->name)) script_name_table_put(names, entry->name, NULL);
}

void app_entries_drop(AppCluster *cluster, AppDirectoryCharacter *entry) {
    AppCharacters *characters = cluster->def.characters;
    const AppClaim *claim = app_claims_find(cluster, entry->name);
    const bool is_wanted_here = (claim && claim->spawn) || app_characters_find(characters, entry->name) ||
                                app_characters_find_spawn_request(characters, entry->name);
    if (!is_wanted_here) script_name_table_remove(&characters->names, entry->name);
    app_feeds_note_owner(cluster, entry->name, entry->node, "");
    app_directory_remove(&cluster->directory, entry);
}

static bool is_outdated(const AppClaim *claim, uint64_t epoch) {
    return claim && claim->state == APP_CLAIM_OWNED && !claim->move && epoch > claim->revision;
}

// This node has no claim for an entry that an earlier process of it has left, or that it has just released.
// Once it has joined it gives the entry back.
static void note_own(AppCluster *cluster, const char *name, uint64_t epoch, AppClaim *claim) {
    if (claim) {
        if (epoch > claim->revision) claim->revision = epoch;
        claim->generation = cluster->directory.generation;
        return;
    }
    if (!cluster->has_joined) return;
    AppMessage *release = app_message_create(APP_MESSAGE_RELEASE, NULL, 0);
    if (!release) return;
    snprintf(release->name, sizeof release->name, "%s", name);
    release->revision = epoch;
    app_mailbox_put(&cluster->bridge.out, release);
}
