// The table of stamps, and the entries that wait for the broker.
#include "cluster/node/stamps.h"

#include "base/json.h"
#include "cluster/node/status.h"

#include <math.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LATER    1e-3                 // s
#define RETRY_NS UINT64_C(1000000000) // for the broker to show an entry that was put

static bool is_newer(const cJSON *stamp, const cJSON *than);
static void mark_unsent(AppCluster *cluster, const char *key);
static bool put_entry(AppCluster *cluster, const char *key, AppMessageKind kind);
static double wall_clock(void);

void app_stamps_init(AppCluster *cluster) {
    AppReplicas *replicas = &cluster->replicas;
    replicas->stamped = cJSON_CreateObject();
    replicas->unsent = cJSON_CreateObject();
    replicas->revisions = cJSON_CreateObject();
}

void app_stamps_finish(AppCluster *cluster) {
    cJSON_Delete(cluster->replicas.stamped);
    cJSON_Delete(cluster->replicas.unsent);
    cJSON_Delete(cluster->replicas.revisions);
}

// The time of a change is later than that of any known one of the key, whatever the clocks of the nodes say.
cJSON *app_stamps_add(AppCluster *cluster, const char *key, const char *part, const cJSON *value) {
    double time = wall_clock();
    cJSON *parts = cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, key);
    if (!parts) parts = cJSON_AddObjectToObject(cluster->replicas.stamped, key);
    const cJSON *item;
    cJSON_ArrayForEach(item, parts) time =
        fmax(time, cJSON_GetObjectItemCaseSensitive(item, "time")->valuedouble + LATER);
    cJSON *stamp = cJSON_CreateObject();
    cJSON_AddStringToObject(stamp, "process", cluster->process);
    cJSON_AddNumberToObject(stamp, "time", time);
    cJSON_AddItemToObject(stamp, "value", cJSON_Duplicate(value, 1));
    app_json_set(parts, part, stamp);
    return stamp;
}

const cJSON *app_stamps_find(const AppCluster *cluster, const char *key, const char *part) {
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, key);
    return cJSON_GetObjectItemCaseSensitive(parts, part);
}

bool app_stamps_is_own(const AppCluster *cluster, const cJSON *stamp) {
    return app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(stamp, "process"));
}

void app_stamps_put(AppCluster *cluster, const char *key) {
    const bool waits = cJSON_GetObjectItemCaseSensitive(cluster->replicas.unsent, key) != NULL;
    mark_unsent(cluster, key);
    if (cluster->is_connected && !put_entry(cluster, key, APP_MESSAGE_STORE))
        app_log(cluster->def.log, TEXT_LOG_WARNING, "the change of %s waits: the queue to the broker is full",
                key);
    else if (!cluster->is_connected && !waits)
        app_log(cluster->def.log, TEXT_LOG_INFO,
                "%s has changed while the broker is away: the other nodes get it when the broker is back",
                key);
}

void app_stamps_note_revision(AppCluster *cluster, const char *key, uint64_t revision) {
    app_json_set(cluster->replicas.revisions, key, cJSON_CreateNumber((double)revision));
}

cJSON *app_stamps_merge(AppCluster *cluster, const char *key, const cJSON *parts) {
    cJSON *ours = cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, key),
          *newer = cJSON_CreateObject();
    if (!ours) ours = cJSON_AddObjectToObject(cluster->replicas.stamped, key);
    bool lacks_one = false, lacks_own = false;
    const cJSON *item;
    cJSON_ArrayForEach(item, ours) {
        if (!is_newer(item, cJSON_GetObjectItemCaseSensitive(parts, item->string))) continue;
        lacks_one = true;
        lacks_own |= app_stamps_is_own(cluster, item);
    }
    cJSON_ArrayForEach(item, parts) {
        if (!is_newer(item, cJSON_GetObjectItemCaseSensitive(ours, item->string))) continue;
        cJSON_AddItemToObject(newer, item->string, cJSON_Duplicate(item, 1));
        app_json_set(ours, item->string, cJSON_Duplicate(item, 1));
    }
    if (!lacks_one) {
        cJSON_DeleteItemFromObjectCaseSensitive(cluster->replicas.unsent, key);
    } else if (!cJSON_GetObjectItemCaseSensitive(cluster->replicas.unsent, key)) { // else one is on its way
        mark_unsent(cluster, key);
        if (lacks_own) put_entry(cluster, key, APP_MESSAGE_UPDATE); // others do so if this node does not
    }
    return newer;
}

void app_stamps_update(AppCluster *cluster) {
    const double now = (double)uv_hrtime();
    if (!cluster->is_connected) return;
    for (cJSON *item = cluster->replicas.unsent->child; item; item = item->next) {
        if (now < item->valuedouble + RETRY_NS) continue;
        put_entry(cluster, item->string, APP_MESSAGE_UPDATE);
        cJSON_SetNumberValue(item, now);
    }
}

void app_stamps_note_connected(AppCluster *cluster) {
    for (const cJSON *item = cluster->replicas.stamped->child; item; item = item->next)
        mark_unsent(cluster, item->string);
}

// than: NULL is older than all.
static bool is_newer(const cJSON *stamp, const cJSON *than) {
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(stamp, "time"),
                *process = cJSON_GetObjectItemCaseSensitive(stamp, "process"),
                *other_time = cJSON_GetObjectItemCaseSensitive(than, "time"),
                *other_process = cJSON_GetObjectItemCaseSensitive(than, "process");
    if (!cJSON_IsNumber(time) || !cJSON_IsString(process)) return false;
    if (!cJSON_IsNumber(other_time) || !cJSON_IsString(other_process)) return true;
    return time->valuedouble > other_time->valuedouble ||
           (time->valuedouble == other_time->valuedouble &&
            strcmp(process->valuestring, other_process->valuestring) > 0);
}

static void mark_unsent(AppCluster *cluster, const char *key) {
    app_json_set(cluster->replicas.unsent, key, cJSON_CreateNumber((double)uv_hrtime()));
}

// kind: APP_MESSAGE_UPDATE only replaces the entry that this node has seen, so of several nodes that put an
// entry again one does. False: the queue to the broker is full.
static bool put_entry(AppCluster *cluster, const char *key, AppMessageKind kind) {
    const cJSON *revision = cJSON_GetObjectItemCaseSensitive(cluster->replicas.revisions, key);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddNumberToObject(entry, "tick", (double)sim_world_tick(cluster->def.characters->world));
    cJSON_AddItemToObject(
        entry, "value", cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, key), 1));
    TextBuffer text = {0};
    protocol_write_json(&text, entry);
    cJSON_Delete(entry);
    AppMessage *message = text.failed ? NULL : app_message_create(kind, text.bytes, text.length);
    text_buffer_finish(&text);
    if (message) app_bridge_escape(key, message->subject);
    if (message && kind == APP_MESSAGE_UPDATE && revision)
        message->revision = (uint64_t)revision->valuedouble;
    return app_mailbox_put(&cluster->bridge.out, message);
}

static double wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
