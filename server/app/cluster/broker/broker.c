// The keys of characters, and the subjects of those that the node owns.
#include "cluster/broker/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct AppYield {
    AppBridge *bridge;
    AppLetter *answer;
} AppYield;

const char *const app_bucket_names[APP_BUCKET_COUNT] = {"nodes", "chars", "world", "state"};

static AppLetterOutcome store_claim(AppBroker *broker, const AppLetter *letter, uint64_t *out_revision,
                                    bool *out_taken_over);
static AppLetterOutcome replace(AppBroker *broker, const AppLetter *letter, const char *key,
                                uint64_t *out_revision);
static bool read_owner(AppBroker *broker, const char *key, char out_owner[APP_NODE_BYTES + 1],
                       uint64_t *out_revision);
static AppLetterOutcome judge(AppBroker *broker, const char *node);
static bool own(AppBroker *broker, const char *name);
static void disown(AppBroker *broker, const char *name);
static AppOwned *find_owned(const AppBroker *broker, const char *name);
static void on_yielded(void *closure);

void app_broker_claim(AppBroker *broker, const AppLetter *letter) {
    uint64_t revision = 0;
    bool is_taken_over = false;
    AppLetterOutcome outcome = store_claim(broker, letter, &revision, &is_taken_over);
    // Requests come as soon as others learn of the claim.
    if (outcome == APP_LETTER_DONE && !own(broker, letter->name)) outcome = APP_LETTER_UNAVAILABLE;
    kvEntry *state = NULL;
    char key[APP_SUBJECT_SIZE];
    app_bridge_escape(letter->name, key);
    if (is_taken_over && kvStore_Get(&state, broker->buckets[APP_STATES], key) != NATS_OK) state = NULL;
    AppLetter *answer =
        app_letter_create(APP_LETTER_CLAIMED, state ? kvEntry_Value(state) : NULL,
                          state && kvEntry_ValueLen(state) > 0 ? (size_t)kvEntry_ValueLen(state) : 0);
    kvEntry_Destroy(state);
    if (!answer) return;
    memcpy(answer->name, letter->name, sizeof answer->name);
    answer->revision = revision;
    answer->outcome = outcome;
    app_mailbox_put_waiting(&broker->bridge->in, answer);
}

// Without waiting for the broker: the next one makes up for one that is lost.
void app_broker_put_state(AppBroker *broker, const AppLetter *letter) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    app_bridge_escape(letter->name, key);
    snprintf(subject, sizeof subject, "$KV.%s_%s.%s", broker->bridge->def.cluster,
             app_bucket_names[APP_STATES], key);
    natsConnection_Publish(broker->connection, subject, letter->body, (int)letter->length);
}

// As kvStore_Delete, but only of the revision that is expected, and without waiting: a later owner's entry
// stays.
void app_broker_release(AppBroker *broker, const AppLetter *letter) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64], revision[32];
    natsMsg *message = NULL;
    disown(broker, letter->name);
    app_bridge_escape(letter->name, key);
    snprintf(subject, sizeof subject, "$KV.%s_%s.%s", broker->bridge->def.cluster,
             app_bucket_names[APP_CHARACTERS], key);
    snprintf(revision, sizeof revision, "%llu", (unsigned long long)letter->revision);
    if (natsMsg_Create(&message, subject, NULL, NULL, 0) != NATS_OK) return;
    if (natsMsgHeader_Set(message, "KV-Operation", "DEL") == NATS_OK &&
        natsMsgHeader_Set(message, "Nats-Expected-Last-Subject-Sequence", revision) == NATS_OK)
        natsConnection_PublishMsg(broker->connection, message);
    natsMsg_Destroy(message);
}

// The answer comes after all requests that nats.c has taken.
void app_broker_yield(AppBroker *broker, const AppLetter *letter) {
    AppYield *yield = calloc(1, sizeof *yield);
    AppLetter *answer = app_letter_create(APP_LETTER_YIELDED, NULL, 0);
    if (answer) memcpy(answer->name, letter->name, sizeof answer->name);
    if (yield) *yield = (AppYield){broker->bridge, answer};
    const AppOwned *owned = find_owned(broker, letter->name);
    const bool will_answer =
        yield && owned && natsSubscription_SetOnCompleteCB(owned->subscription, on_yielded, yield) == NATS_OK;
    disown(broker, letter->name);
    if (will_answer) return;
    free(yield);
    app_mailbox_put_waiting(&broker->bridge->in, answer);
}

void app_broker_release_all(AppBroker *broker) {
    for (size_t i = 0; i < broker->owned_count; i++) natsSubscription_Destroy(broker->owned[i].subscription);
    free(broker->owned);
    broker->owned = NULL;
    broker->owned_count = broker->owned_capacity = 0;
}

void app_broker_on_request(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                           void *closure) {
    (void)connection;
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    const char *key = strstr(natsMsg_GetSubject(message), ".character."), *reply = natsMsg_GetReply(message);
    AppLetter *letter = app_letter_create(APP_LETTER_REQUEST, natsMsg_GetData(message),
                                          (size_t)natsMsg_GetDataLength(message));
    if (letter) {
        if (key) app_bridge_unescape(key + strlen(".character."), letter->name, sizeof letter->name);
        snprintf(letter->reply, sizeof letter->reply, "%s", reply ? reply : "");
    }
    app_mailbox_put_waiting(&bridge->in, letter);
    natsMsg_Destroy(message);
}

// A claim that timed out, or that an earlier process of this node made, names the node already: it is
// renewed. A name whose owner is gone is taken over.
static AppLetterOutcome store_claim(AppBroker *broker, const AppLetter *letter, uint64_t *out_revision,
                                    bool *out_taken_over) {
    char key[APP_SUBJECT_SIZE], owner[APP_NODE_BYTES + 1];
    uint64_t revision;
    kvStore *bucket = broker->buckets[APP_CHARACTERS];
    if (!bucket) return APP_LETTER_UNAVAILABLE;
    app_bridge_escape(letter->name, key);
    if (letter->revision > 0) return replace(broker, letter, key, out_revision);
    if (kvStore_Create(out_revision, bucket, key, letter->body, (int)letter->length) == NATS_OK)
        return APP_LETTER_DONE;
    if (!read_owner(broker, key, owner, &revision)) return APP_LETTER_UNAVAILABLE;
    const bool is_own = strcmp(owner, broker->bridge->def.node) == 0;
    const AppLetterOutcome outcome = is_own ? APP_LETTER_DONE : judge(broker, owner);
    *out_taken_over = true;
    if (outcome != APP_LETTER_DONE) return outcome;
    return kvStore_Update(out_revision, bucket, key, letter->body, (int)letter->length, revision) == NATS_OK
               ? APP_LETTER_DONE
               : APP_LETTER_UNAVAILABLE;
}

// Takes the place of one revision, whose owner has agreed. An update that timed out may have been stored.
static AppLetterOutcome replace(AppBroker *broker, const AppLetter *letter, const char *key,
                                uint64_t *out_revision) {
    char owner[APP_NODE_BYTES + 1];
    if (kvStore_Update(out_revision, broker->buckets[APP_CHARACTERS], key, letter->body, (int)letter->length,
                       letter->revision) == NATS_OK)
        return APP_LETTER_DONE;
    if (!read_owner(broker, key, owner, out_revision)) return APP_LETTER_UNAVAILABLE;
    const bool is_own = strcmp(owner, broker->bridge->def.node) == 0;
    return is_own && *out_revision > letter->revision ? APP_LETTER_DONE : APP_LETTER_TAKEN;
}

// False: the broker does not say.
static bool read_owner(AppBroker *broker, const char *key, char out_owner[APP_NODE_BYTES + 1],
                       uint64_t *out_revision) {
    kvEntry *entry = NULL;
    out_owner[0] = '\0';
    if (kvStore_Get(&entry, broker->buckets[APP_CHARACTERS], key) != NATS_OK) return false;
    *out_revision = kvEntry_Revision(entry);
    const char *value = kvEntry_ValueString(entry);
    if (value) sscanf(value, "{\"node\":\"%32[A-Za-z0-9_-]\"", out_owner);
    kvEntry_Destroy(entry);
    return true;
}

// Whether a node is gone. Its entry may also be missing because the broker has started anew: then this node's
// own was missing, too.
static AppLetterOutcome judge(AppBroker *broker, const char *node) {
    kvEntry *entry = NULL;
    const natsStatus status = kvStore_Get(&entry, broker->buckets[APP_NODES], node);
    kvEntry_Destroy(entry);
    if (status == NATS_OK) return APP_LETTER_TAKEN;
    if (status != NATS_NOT_FOUND) return APP_LETTER_UNAVAILABLE;
    const bool is_sure = broker->beating_ns > 0 && uv_hrtime() - broker->beating_ns > APP_STEADY_NS;
    return is_sure ? APP_LETTER_DONE : APP_LETTER_LATER;
}

static bool own(AppBroker *broker, const char *name) {
    disown(broker, name);
    if (broker->owned_count == broker->owned_capacity) {
        const size_t capacity = 2 * broker->owned_capacity + 16;
        AppOwned *grown = realloc(broker->owned, capacity * sizeof *grown);
        if (!grown) return false;
        broker->owned = grown;
        broker->owned_capacity = capacity;
    }
    AppOwned *owned = &broker->owned[broker->owned_count];
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    app_bridge_escape(name, key);
    snprintf(subject, sizeof subject, "tweed.%s.character.%s", broker->bridge->def.cluster, key);
    snprintf(owned->name, sizeof owned->name, "%s", name);
    if (natsConnection_Subscribe(&owned->subscription, broker->connection, subject, app_broker_on_request,
                                 broker) != NATS_OK)
        return false;
    broker->owned_count++;
    return true;
}

static void disown(AppBroker *broker, const char *name) {
    AppOwned *owned = find_owned(broker, name);
    if (!owned) return;
    natsSubscription_Destroy(owned->subscription);
    *owned = broker->owned[--broker->owned_count];
}

static AppOwned *find_owned(const AppBroker *broker, const char *name) {
    for (size_t i = 0; i < broker->owned_count; i++)
        if (strcmp(broker->owned[i].name, name) == 0) return &broker->owned[i];
    return NULL;
}

// By the thread of nats.c, after the subscription's last message.
static void on_yielded(void *closure) {
    AppYield *yield = closure;
    app_mailbox_put_waiting(&yield->bridge->in, yield->answer);
    free(yield);
}
