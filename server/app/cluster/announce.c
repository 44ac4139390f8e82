// {"NAME": [epoch, revision, "level"], …} on the subject of events, so that it keeps its order with them.
#include "cluster/announce.h"

#include "cluster/entries.h"
#include "cluster/node/claims.h"
#include "cluster/node/publish.h"

#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>

#define ANNOUNCEMENT "#characters "
#define MOST_AT_ONCE 500
#define JOIN_WAIT_NS UINT64_C(1000000000)  // until a node that has just come listens
#define REFRESH_NS   UINT64_C(10000000000) // repeated for nodes that were cut off without noticing it
#define MOST_UNTOLD  4096

static void note_moved(AppCluster *cluster, const char *name, const char *node, uint64_t epoch,
                       const cJSON *params);
static void tell(AppCluster *cluster, const char *name);
static bool is_due(const AppCluster *cluster, const AppClaim *claim, uint32_t revision, SimLevel level);
static void append(TextBuffer *body, const AppClaim *claim);

void app_announce_characters(AppCluster *cluster) {
    TextBuffer body = {0};
    text_buffer_append_string(&body, ANNOUNCEMENT "{");
    int count = 0;
    for (size_t i = 0; i < cluster->claims.capacity && cluster->is_connected && count < MOST_AT_ONCE; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const AppCharacter *character = claim && claim->state == APP_CLAIM_OWNED
                                            ? app_characters_find(cluster->def.characters, claim->name)
                                            : NULL;
        if (!character) continue;
        const SimLevel level = sim_character_level(cluster->def.characters->world, character->id);
        if (!is_due(cluster, claim, character->revision, level)) continue;
        claim->announced_revision = character->revision;
        claim->announced_level = level;
        claim->announced_ns = uv_hrtime();
        if (count++ > 0) text_buffer_append_char(&body, ',');
        append(&body, claim);
    }
    text_buffer_append_char(&body, '}');
    if (count > 0) app_cluster_publish_event(cluster, 0, &body);
    text_buffer_finish(&body);
}

void app_announce_again(AppCluster *cluster) {
    cluster->announce_ns = uv_hrtime() + JOIN_WAIT_NS;
}

void app_announce_later(AppCluster *cluster, const char *method, const char *character) {
    const bool comes_or_goes =
        strcmp(method, "character.spawned") == 0 || strcmp(method, "character.removed") == 0;
    if (cluster->is_connected || !comes_or_goes) return;
    if (!cluster->untold) cluster->untold = cJSON_CreateObject();
    if (!cJSON_GetObjectItemCaseSensitive(cluster->untold, character) &&
        cJSON_GetArraySize(cluster->untold) < MOST_UNTOLD)
        cJSON_AddTrueToObject(cluster->untold, character);
}

void app_announce_untold(AppCluster *cluster) {
    if (!cluster->untold || !cluster->is_connected || uv_hrtime() < cluster->announce_ns) return;
    const cJSON *name;
    cJSON_ArrayForEach(name, cluster->untold) tell(cluster, name->string);
    cJSON_Delete(cluster->untold);
    cluster->untold = NULL;
}

bool app_announce_receive(AppCluster *cluster, const AppMessage *message) {
    if (strncmp(message->body, ANNOUNCEMENT, strlen(ANNOUNCEMENT)) != 0) return false;
    cJSON *characters = cJSON_Parse(message->body + strlen(ANNOUNCEMENT));
    const cJSON *told;
    cJSON_ArrayForEach(told, characters) {
        AppDirectoryCharacter *entry =
            told->string ? app_directory_find(&cluster->directory, told->string) : NULL;
        const cJSON *epoch = cJSON_GetArrayItem(told, 0), *revision = cJSON_GetArrayItem(told, 1);
        const char *level = cJSON_GetStringValue(cJSON_GetArrayItem(told, 2));
        if (!entry || !level || !cJSON_IsNumber(epoch) || !cJSON_IsNumber(revision) ||
            (uint64_t)epoch->valuedouble != entry->epoch)
            continue;
        entry->revision = (uint32_t)revision->valuedouble;
        for (int i = 0; i < SIM_LEVELS; i++)
            if (strcmp(level, sim_level_names[i]) == 0) entry->level = (SimLevel)i;
    }
    cJSON_Delete(characters);
    return true;
}

void app_announce_note_event(AppCluster *cluster, const char *node, uint64_t epoch, const char *method,
                             const cJSON *params) {
    const char *name = app_json_get_text(params, "character"), *script = app_json_get_text(params, "script");
    const cJSON *revision = cJSON_GetObjectItemCaseSensitive(params, "revision");
    if (!name || strlen(name) > TEXT_NAME_BYTES || epoch == 0) return;
    if (strcmp(method, "character.spawned") == 0 && script)
        app_entries_put(cluster, name, node, script, "", epoch);
    else if (strcmp(method, "character.moved") == 0)
        note_moved(cluster, name, node, epoch, params);
    else if (strcmp(method, "character.removed") == 0)
        app_entries_remove(cluster, name, epoch);
    AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    if (entry && entry->epoch == epoch && cJSON_IsNumber(revision))
        entry->revision = (uint32_t)revision->valuedouble;
}

void app_announce_read_origin(const AppMessage *message, char node[APP_NODE_BYTES + 1], uint64_t *out_epoch) {
    const char *dot = strrchr(message->reply, '.');
    const size_t length = dot ? (size_t)(dot - message->reply) : 0;
    *out_epoch = 0;
    if (length == 0 || length > APP_NODE_BYTES) return;
    memcpy(node, message->reply, length);
    node[length] = '\0';
    *out_epoch = strtoull(dot + 1, NULL, 10);
}

static void note_moved(AppCluster *cluster, const char *name, const char *node, uint64_t epoch,
                       const cJSON *params) {
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    const char *from = app_json_get_text(params, "from");
    char *script = entry ? strdup(entry->script) : NULL; // the entry replaces its own
    if (script && from) app_entries_put(cluster, name, node, script, from, epoch);
    free(script);
}

// What has become of the character by now. One that another node has is that node's to tell of.
static void tell(AppCluster *cluster, const char *name) {
    const AppCharacter *character = app_characters_find(cluster->def.characters, name);
    const AppClaim *claim = app_claims_find(cluster, name);
    if (!character && app_directory_find(&cluster->directory, name)) return;
    AppJson json = {0};
    TextBuffer body = {0};
    cJSON *params = app_json_root_object(&json);
    app_json_integer(&json, params, "tick", app_ticks_effective(cluster->def.ticks));
    app_json_string(&json, params, "character", name);
    if (character) {
        app_json_string(&json, params, "script", app_character_script(character)->script);
        app_json_integer(&json, params, "revision", character->revision);
    }
    if (!json.failed)
        protocol_write_notification(&body, character ? "character.spawned" : "character.removed", params);
    if (!json.failed) app_cluster_publish_event(cluster, character && claim ? claim->revision : 0, &body);
    text_buffer_finish(&body);
    cJSON_Delete(params);
}

static bool is_due(const AppCluster *cluster, const AppClaim *claim, uint32_t revision, SimLevel level) {
    const uint64_t now_ns = uv_hrtime();
    if (revision != claim->announced_revision || level != claim->announced_level) return true;
    if (revision == 1 && level == SIM_LEVEL_FULL) return false; // which nodes assume
    return now_ns > claim->announced_ns + REFRESH_NS ||
           (now_ns >= cluster->announce_ns && claim->announced_ns < cluster->announce_ns);
}

static void append(TextBuffer *body, const AppClaim *claim) {
    text_buffer_append_quoted(body, claim->name);
    text_buffer_append_string(body, ":[");
    text_buffer_append_integer(body, (int64_t)claim->revision);
    text_buffer_append_char(body, ',');
    text_buffer_append_integer(body, claim->announced_revision);
    text_buffer_append_char(body, ',');
    text_buffer_append_quoted(body, sim_level_names[claim->announced_level]);
    text_buffer_append_char(body, ']');
}
