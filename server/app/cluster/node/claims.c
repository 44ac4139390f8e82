// Requests to the bridge for names, and the table of claims.
#include "cluster/node/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AppMessage *write_entry(AppMessageKind kind, const AppClaim *claim, const char *node,
                               const char *script);
static void put_release(AppCluster *cluster, const AppClaim *claim, AppMessageKind kind);
static void destroy(AppClaim *claim);

AppClaim *app_claims_find(const AppCluster *cluster, const char *name) {
    return script_name_table_owner(&cluster->claims, name);
}

AppClaim *app_claims_create(AppCluster *cluster, const char *name, const char *script) {
    return app_claims_create_from(cluster, name, script, "", 0);
}

AppClaim *app_claims_create_from(AppCluster *cluster, const char *name, const char *script, const char *from,
                                 uint64_t epoch) {
    AppClaim *claim = calloc(1, sizeof *claim);
    if (!claim) return NULL;
    snprintf(claim->name, sizeof claim->name, "%s", name);
    snprintf(claim->from, sizeof claim->from, "%s", from);
    claim->replaces = epoch;
    if (!script_name_table_put(&cluster->claims, claim->name, claim)) {
        free(claim);
        return NULL;
    }
    app_claims_request(cluster, claim, script);
    return claim;
}

bool app_claims_request(AppCluster *cluster, AppClaim *claim, const char *script) {
    AppMessage *message = write_entry(APP_MESSAGE_CLAIM, claim, cluster->node, script);
    if (message) message->revision = claim->replaces;
    claim->replaces = 0;
    const bool is_requested = app_mailbox_put(&cluster->bridge.out, message);
    claim->state = is_requested ? APP_CLAIM_REQUESTED : APP_CLAIM_DUE;
    return is_requested;
}

void app_claims_set_owned(AppCluster *cluster, AppClaim *claim, uint64_t revision) {
    claim->state = APP_CLAIM_OWNED;
    claim->revision = revision;
    claim->generation = cluster->directory.generation;
    claim->announced_revision = 0;
}

void app_claims_release(AppCluster *cluster, AppClaim *claim) {
    put_release(cluster, claim, claim->revision > 0 ? APP_MESSAGE_RELEASE : APP_MESSAGE_YIELD);
    script_name_table_remove(&cluster->claims, claim->name);
    destroy(claim);
}

void app_claims_leave_to(AppCluster *cluster, AppClaim *claim, const char *node, const char *script) {
    claim->from[0] = '\0';
    AppMessage *message = write_entry(APP_MESSAGE_LEAVE, claim, node, script);
    if (message) message->revision = claim->revision;
    app_mailbox_put(&cluster->bridge.out, message);
    script_name_table_remove(&cluster->claims, claim->name);
    destroy(claim);
}

// A move takes care of its own claim.
void app_claims_confirm(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const AppCharacter *character = claim && claim->state == APP_CLAIM_OWNED && !claim->move
                                            ? app_characters_find(cluster->def.characters, claim->name)
                                            : NULL;
        if (!character) continue;
        claim->replaces = claim->revision;
        app_claims_request(cluster, claim, app_character_script(character)->script);
    }
}

// A claim for each character, and no other but those of spawns.
void app_claims_reconcile(AppCluster *cluster) {
    AppCharacters *characters = cluster->def.characters;
    cluster->seen_changes = characters->changes;
    cluster->must_reconcile = false;
    for (size_t i = 0; i < characters->count; i++) {
        const char *name = characters->items[i]->name;
        if (!app_claims_find(cluster, name))
            app_claims_create(cluster, name, app_character_script(characters->items[i])->script);
    }
    for (size_t i = 0; i < cluster->claims.capacity;) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const bool is_needed = !claim || claim->spawn || claim->adopts || claim->arrival ||
                               claim->state == APP_CLAIM_REQUESTED ||
                               app_characters_find(characters, claim->name);
        if (!is_needed) app_claims_release(cluster, claim);
        i = is_needed ? i + 1 : 0; // slots have moved
    }
}

void app_claims_request_due(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity && cluster->is_connected; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const AppCharacter *character = claim && claim->state == APP_CLAIM_DUE
                                            ? app_characters_find(cluster->def.characters, claim->name)
                                            : NULL;
        if (character) app_claims_request(cluster, claim, app_character_script(character)->script);
    }
}

void app_claims_give_back(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        const AppClaim *claim = cluster->claims.slots[i].owner;
        if (claim && claim->revision > 0) put_release(cluster, claim, APP_MESSAGE_RELEASE);
    }
}

void app_claims_finish(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity; i++)
        if (cluster->claims.slots[i].owner) destroy(cluster->claims.slots[i].owner);
    script_name_table_finish(&cluster->claims);
}

// The entry begins with the node: the bridge knows its own by that.
static AppMessage *write_entry(AppMessageKind kind, const AppClaim *claim, const char *node,
                               const char *script) {
    TextBuffer body = {0};
    text_buffer_append_string(&body, "{\"node\":");
    text_buffer_append_quoted(&body, node);
    text_buffer_append_string(&body, ",\"script\":");
    text_buffer_append_quoted(&body, script);
    if (claim->from[0]) {
        text_buffer_append_string(&body, ",\"from\":");
        text_buffer_append_quoted(&body, claim->from);
    }
    text_buffer_append_char(&body, '}');
    AppMessage *message = body.failed ? NULL : app_message_create(kind, body.bytes, body.length);
    text_buffer_finish(&body);
    if (message) memcpy(message->name, claim->name, sizeof message->name);
    return message;
}

static void put_release(AppCluster *cluster, const AppClaim *claim, AppMessageKind kind) {
    AppMessage *message = app_message_create(kind, NULL, 0);
    if (!message) return;
    memcpy(message->name, claim->name, sizeof message->name);
    message->revision = claim->revision;
    app_mailbox_put(&cluster->bridge.out, message);
}

static void destroy(AppClaim *claim) {
    cJSON_Delete(claim->restored);
    cJSON_Delete(claim->saved);
    free(claim);
}
