// The keys of characters, and the subjects of those that the node owns.
#include "cluster/broker/broker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

typedef struct AppYield {
    AppBridge *bridge;
    AppMessage *answer;
    natsSubscription *subscription;
} AppYield;

static AppMessageOutcome store_claim(AppBroker *broker, const AppMessage *message, uint64_t *out_revision,
                                     bool *out_taken_over);
static AppMessageOutcome replace(AppBroker *broker, const AppMessage *message, const char *key,
                                 uint64_t *out_revision);
static bool read_owner(AppBroker *broker, const char *key, char out_owner[APP_NODE_BYTES + 1],
                       uint64_t *out_revision);
static AppMessageOutcome judge(AppBroker *broker, const char *node);
static bool subscribe(AppBroker *broker, const char *name);
static void unsubscribe(AppBroker *broker, const char *name, AppMessage *answer);
static AppOwnedCharacter *find_owned(const AppBroker *broker, const char *name);
static void on_yielded(void *closure);

void app_broker_warn(AppBridge *bridge, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    app_mailbox_put_waiting(&bridge->in, app_broker_warning(format, arguments));
    va_end(arguments);
}

AppMessage *app_broker_warning(const char *format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    return app_message_create(APP_MESSAGE_WARNING, text, strlen(text));
}

void app_broker_claim(AppBroker *broker, const AppMessage *message) {
    uint64_t revision = 0;
    bool is_taken_over = false;
    AppMessageOutcome outcome = store_claim(broker, message, &revision, &is_taken_over);
    // Requests come as soon as others learn of the claim.
    if (outcome == APP_MESSAGE_DONE && !subscribe(broker, message->name)) outcome = APP_MESSAGE_UNAVAILABLE;
    kvEntry *state = NULL;
    char key[APP_SUBJECT_SIZE];
    app_bridge_escape(message->name, key);
    if (is_taken_over && kvStore_Get(&state, broker->buckets[APP_STATES], key) != NATS_OK) state = NULL;
    AppMessage *answer =
        app_message_create(APP_MESSAGE_CLAIMED, state ? kvEntry_Value(state) : NULL,
                           state && kvEntry_ValueLen(state) > 0 ? (size_t)kvEntry_ValueLen(state) : 0);
    kvEntry_Destroy(state);
    if (!answer) return;
    memcpy(answer->name, message->name, sizeof answer->name);
    answer->revision = revision;
    answer->outcome = outcome;
    app_mailbox_put_waiting(&broker->bridge->in, answer);
}

// Without waiting for the broker: the next one makes up for one that is lost.
void app_broker_put_state(AppBroker *broker, const AppMessage *message) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    app_bridge_escape(message->name, key);
    snprintf(subject, sizeof subject, "$KV.%s_%s.%s", broker->bridge->def.cluster,
             app_bucket_names[APP_STATES], key);
    natsConnection_Publish(broker->connection, subject, message->body, (int)message->length);
}

// As kvStore_Delete, but only of the revision that is expected, and without waiting: a later owner's entry
// stays.
void app_broker_release(AppBroker *broker, const AppMessage *message) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64], revision[32];
    natsMsg *msg = NULL;
    unsubscribe(broker, message->name, NULL);
    app_bridge_escape(message->name, key);
    snprintf(subject, sizeof subject, "$KV.%s_%s.%s", broker->bridge->def.cluster,
             app_bucket_names[APP_CHARACTERS], key);
    snprintf(revision, sizeof revision, "%llu", (unsigned long long)message->revision);
    if (natsMsg_Create(&msg, subject, NULL, NULL, 0) != NATS_OK) return;
    if (natsMsgHeader_Set(msg, "KV-Operation", "DEL") == NATS_OK &&
        natsMsgHeader_Set(msg, "Nats-Expected-Last-Subject-Sequence", revision) == NATS_OK)
        natsConnection_PublishMsg(broker->connection, msg);
    natsMsg_Destroy(msg);
}

// Where another node has stored a newer entry meanwhile, that stays.
void app_broker_leave_to(AppBroker *broker, const AppMessage *message) {
    char key[APP_SUBJECT_SIZE];
    unsubscribe(broker, message->name, NULL);
    app_bridge_escape(message->name, key);
    kvStore_Update(NULL, broker->buckets[APP_CHARACTERS], key, message->body, (int)message->length,
                   message->revision);
}

void app_broker_yield(AppBroker *broker, const AppMessage *message) {
    AppMessage *answer = app_message_create(APP_MESSAGE_YIELDED, NULL, 0);
    if (answer) memcpy(answer->name, message->name, sizeof answer->name);
    unsubscribe(broker, message->name, answer);
}

void app_broker_release_all(AppBroker *broker) {
    for (size_t i = 0; i < broker->character_count; i++)
        app_broker_end(broker, broker->characters[i].subscription);
    free(broker->characters);
    broker->characters = NULL;
    broker->character_count = broker->character_capacity = 0;
}

void app_broker_on_request(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                           void *closure) {
    (void)connection;
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    const char *key = strstr(natsMsg_GetSubject(msg), ".character."), *reply = natsMsg_GetReply(msg);
    AppMessage *message =
        app_message_create(APP_MESSAGE_REQUEST, natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg));
    if (message) {
        if (key) app_bridge_unescape(key + strlen(".character."), message->name, sizeof message->name);
        snprintf(message->reply, sizeof message->reply, "%s", reply ? reply : "");
    }
    app_mailbox_put_waiting(&bridge->in, message);
    natsMsg_Destroy(msg);
}

// A claim that timed out, or that an earlier process of this node made, names the node already: it is
// renewed. A name whose owner is gone is taken over.
static AppMessageOutcome store_claim(AppBroker *broker, const AppMessage *message, uint64_t *out_revision,
                                     bool *out_taken_over) {
    char key[APP_SUBJECT_SIZE], owner[APP_NODE_BYTES + 1];
    uint64_t revision;
    kvStore *bucket = broker->buckets[APP_CHARACTERS];
    if (!bucket) return APP_MESSAGE_UNAVAILABLE;
    app_bridge_escape(message->name, key);
    if (message->revision > 0) return replace(broker, message, key, out_revision);
    if (kvStore_Create(out_revision, bucket, key, message->body, (int)message->length) == NATS_OK)
        return APP_MESSAGE_DONE;
    if (!read_owner(broker, key, owner, &revision)) return APP_MESSAGE_UNAVAILABLE;
    const bool is_own = strcmp(owner, broker->bridge->def.node) == 0;
    const AppMessageOutcome outcome = is_own || !owner[0] ? APP_MESSAGE_DONE : judge(broker, owner);
    *out_taken_over = true;
    if (outcome != APP_MESSAGE_DONE) return outcome;
    return kvStore_Update(out_revision, bucket, key, message->body, (int)message->length, revision) == NATS_OK
               ? APP_MESSAGE_DONE
               : APP_MESSAGE_UNAVAILABLE;
}

// Replaces one revision, whose owner has agreed. An update that timed out may have been stored.
static AppMessageOutcome replace(AppBroker *broker, const AppMessage *message, const char *key,
                                 uint64_t *out_revision) {
    char owner[APP_NODE_BYTES + 1];
    if (kvStore_Update(out_revision, broker->buckets[APP_CHARACTERS], key, message->body,
                       (int)message->length, message->revision) == NATS_OK)
        return APP_MESSAGE_DONE;
    if (!read_owner(broker, key, owner, out_revision)) return APP_MESSAGE_UNAVAILABLE;
    const bool is_own = strcmp(owner, broker->bridge->def.node) == 0;
    return is_own && *out_revision > message->revision ? APP_MESSAGE_DONE : APP_MESSAGE_TAKEN;
}

// False: the broker does not say.
static bool read_owner(AppBroker *broker, const char *key, char out_owner[APP_NODE_BYTES + 1],
                       uint64_t *out_revision) {
    kvEntry *entry = NULL;
    out_owner[0] = '\0';
    if (kvStore_Get(&entry, broker->buckets[APP_CHARACTERS], key) != NATS_OK) return false;
    *out_revision = kvEntry_Revision(entry);
    const char *value = kvEntry_ValueString(entry);
    if (value) sscanf(value, "{\"node\":\"%" APP_NODE_WIDTH "[A-Za-z0-9_-]\"", out_owner);
    kvEntry_Destroy(entry);
    return true;
}

// Whether a node is gone. Its entry may also be missing because the broker has started anew: then this node's
// own was missing, too.
static AppMessageOutcome judge(AppBroker *broker, const char *node) {
    kvEntry *entry = NULL;
    const natsStatus status = kvStore_Get(&entry, broker->buckets[APP_NODES], node);
    kvEntry_Destroy(entry);
    if (status == NATS_OK) return APP_MESSAGE_TAKEN;
    if (status != NATS_NOT_FOUND) return APP_MESSAGE_UNAVAILABLE;
    const bool is_sure =
        broker->heartbeats_since_ns > 0 && uv_hrtime() - broker->heartbeats_since_ns > APP_STEADY_NS;
    return is_sure ? APP_MESSAGE_DONE : APP_MESSAGE_LATER;
}

// A subscription that there is stays, so that no request meets a gap.
static bool subscribe(AppBroker *broker, const char *name) {
    if (find_owned(broker, name)) return true;
    if (!TEXT_ARRAY_GROW(broker->characters, broker->character_count, broker->character_capacity))
        return false;
    AppOwnedCharacter *owned = &broker->characters[broker->character_count];
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    app_bridge_escape(name, key);
    snprintf(subject, sizeof subject, "tweed.%s.character.%s", broker->bridge->def.cluster, key);
    snprintf(owned->name, sizeof owned->name, "%s", name);
    if (natsConnection_Subscribe(&owned->subscription, broker->connection, subject, app_broker_on_request,
                                 broker) != NATS_OK)
        return false;
    broker->character_count++;
    return true;
}

// Ends the subscription by draining it: requests that the broker or nats.c still has come first, then the
// answer, if any. The broker knows of the end before anything else that is sent afterwards.
static void unsubscribe(AppBroker *broker, const char *name, AppMessage *answer) {
    AppOwnedCharacter *owned = find_owned(broker, name);
    AppYield *yield = owned ? malloc(sizeof *yield) : NULL;
    if (yield) *yield = (AppYield){broker->bridge, answer, owned->subscription};
    if (yield && natsSubscription_SetOnCompleteCB(owned->subscription, on_yielded, yield) == NATS_OK) {
        if (natsSubscription_Drain(owned->subscription) != NATS_OK)
            natsSubscription_Unsubscribe(owned->subscription);
    } else {
        free(yield);
        if (owned) app_broker_end(broker, owned->subscription);
        app_mailbox_put_waiting(&broker->bridge->in, answer);
    }
    if (owned) *owned = broker->characters[--broker->character_count];
}

static AppOwnedCharacter *find_owned(const AppBroker *broker, const char *name) {
    for (size_t i = 0; i < broker->character_count; i++)
        if (strcmp(broker->characters[i].name, name) == 0) return &broker->characters[i];
    return NULL;
}

// By the thread of nats.c, after the subscription's last message.
static void on_yielded(void *closure) {
    AppYield *yield = closure;
    natsSubscription_Destroy(yield->subscription);
    app_mailbox_put_waiting(&yield->bridge->in, yield->answer);
    free(yield);
}
