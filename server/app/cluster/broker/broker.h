// What the bridge's thread has of nats.c. For the bridge's two files only.
#pragma once

#include "cluster/broker/bridge.h"
#include "cluster/broker/timeouts.h"

#include <nats/nats.h>

enum { APP_NODES, APP_CHARACTERS, APP_WORLD, APP_STATES, APP_BUCKET_COUNT };
extern const char *const app_bucket_names[APP_BUCKET_COUNT];

// The subscription of a character that the node owns.
typedef struct AppOwned {
    char name[TEXT_NAME_BYTES + 1];
    natsSubscription *subscription;
} AppOwned;

struct AppBroker {
    AppBridge *bridge;
    natsConnection *connection;
    jsCtx *stream;
    kvStore *buckets[APP_BUCKET_COUNT];
    natsSubscription *watches[APP_BUCKET_COUNT];
    natsSubscription *requests, *replies, *events, *probes, *times;
    AppOwned *owned; // [owned_count]
    size_t owned_count, owned_capacity;
    uint64_t beating_ns; // since when its status has been put without a gap; 0: it is not
    bool warned;         // that the status could not be put
    // Of the start, between the two threads.
    AppMailbox started;
};

// The letters APP_LETTER_CLAIM, APP_LETTER_YIELD, APP_LETTER_STATE and APP_LETTER_RELEASE.
void app_broker_claim(AppBroker *broker, const AppLetter *letter);
void app_broker_yield(AppBroker *broker, const AppLetter *letter);
void app_broker_put_state(AppBroker *broker, const AppLetter *letter);
void app_broker_release(AppBroker *broker, const AppLetter *letter);
// The letter APP_LETTER_PROBE.
void app_broker_probe(AppBroker *broker, const AppLetter *letter);
// The callbacks of subjects tweed.CLUSTER.clock.NODE and tweed.CLUSTER.time.NODE; closure is the AppBroker.
void app_broker_on_probe(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                         void *closure);
void app_broker_on_time(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                        void *closure);

// Ends the subscriptions of all characters.
void app_broker_release_all(AppBroker *broker);

// The callback of subjects tweed.CLUSTER.node.NODE and tweed.CLUSTER.character.KEY; closure is the AppBroker.
void app_broker_on_request(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                           void *closure);
