// What the bridge's thread has of nats.c. For the bridge's two files only.
#pragma once

#include "cluster/broker/bridge.h"
#include "cluster/broker/timeouts.h"

#include <nats/nats.h>

enum { APP_NODES, APP_CHARACTERS, APP_WORLD, APP_STATES, APP_BUCKET_COUNT };
extern const char *const app_bucket_names[APP_BUCKET_COUNT];

// The subscription of a character that the node owns.
typedef struct AppOwnedCharacter {
    char name[TEXT_NAME_BYTES + 1];
    natsSubscription *subscription;
} AppOwnedCharacter;

struct AppBroker {
    AppBridge *bridge;
    natsConnection *connection;
    jsCtx *stream;
    kvStore *buckets[APP_BUCKET_COUNT];
    natsSubscription *watches[APP_BUCKET_COUNT];
    natsSubscription *requests, *replies, *events, *probes, *times;
    AppOwnedCharacter *characters; // [character_count]
    size_t character_count, character_capacity;
    uint64_t heartbeats_since_ns; // since when its status has been put without a gap; 0: it is not
    bool warned;                  // that the status could not be put
    // Of the start, between the two threads.
    AppMailbox started;
};

// The messages APP_MESSAGE_CLAIM, APP_MESSAGE_YIELD, APP_MESSAGE_STATE and APP_MESSAGE_RELEASE.
void app_broker_claim(AppBroker *broker, const AppMessage *message);
void app_broker_yield(AppBroker *broker, const AppMessage *message);
void app_broker_put_state(AppBroker *broker, const AppMessage *message);
void app_broker_release(AppBroker *broker, const AppMessage *message);
// The message APP_MESSAGE_PROBE.
void app_broker_probe(AppBroker *broker, const AppMessage *message);
// The callbacks of subjects tweed.CLUSTER.clock.NODE and tweed.CLUSTER.time.NODE; closure is the AppBroker.
void app_broker_on_probe(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                         void *closure);
void app_broker_on_time(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                        void *closure);

// Ends the subscriptions of all characters.
void app_broker_release_all(AppBroker *broker);

// The callback of subjects tweed.CLUSTER.node.NODE and tweed.CLUSTER.character.KEY; closure is the AppBroker.
void app_broker_on_request(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                           void *closure);
