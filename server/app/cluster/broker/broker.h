// What the bridge's thread has of nats.c. For the files of the bridge only.
#pragma once

#include "cluster/broker/bridge.h"
#include "cluster/broker/timeouts.h"

#include <nats/nats.h>
#include <stdarg.h>

enum { APP_NODES, APP_CHARACTERS, APP_WORLD, APP_STATES, APP_BUCKET_COUNT };
extern const char *const app_bucket_names[APP_BUCKET_COUNT];

// The subscription of a character that the node owns.
typedef struct AppOwnedCharacter {
    char name[TEXT_NAME_BYTES + 1];
    natsSubscription *subscription;
} AppOwnedCharacter;

typedef struct AppEndedSubscription {
    natsSubscription *subscription;
    uint64_t time_ns; // of its end
} AppEndedSubscription;

struct AppBroker {
    AppBridge *bridge;
    natsConnection *connection;
    jsCtx *stream;
    kvStore *buckets[APP_BUCKET_COUNT];
    natsSubscription *watches[APP_BUCKET_COUNT];
    uint64_t watch_number; // of the newest APP_MESSAGE_RESYNC; 0: of the start
    int watched;           // the bucket whose entries come, after those of the buckets before it
    natsSubscription *requests, *replies, *events, *probes, *times;
    AppOwnedCharacter *characters; // [character_count]
    size_t character_count, character_capacity;
    AppEndedSubscription *ended; // [ended_count]
    size_t ended_count, ended_capacity;
    uint64_t heartbeats_since_ns; // since when its status has been put without a gap; 0: it is not
    uint64_t status_revision;     // of the newest status that this process has put
    bool is_replaced;             // another process has the node's name
    unsigned failures;            // to put the status, one after the other
    // Of the start, between the two threads.
    AppMailbox started;
};

// Takes the node's name by its first status. False: another process has it.
bool app_broker_take_name(AppBroker *broker);
// Puts the node's newest status where the loop has renewed it, and says so by APP_MESSAGE_HEARTBEAT; or by
// APP_MESSAGE_REPLACED where another process has put one under the same name.
void app_broker_put_heartbeat(AppBroker *broker);

// Watches all buckets but the states, which are only read when a character is taken over; each once all
// entries of the one before it have been given, which the message APP_MESSAGE_READ says.
// APP_MESSAGE_SYNCED follows the last entry. False: the broker does not answer.
bool app_broker_watch(AppBroker *broker, uint64_t number);
bool app_broker_note_read(AppBroker *broker, const AppMessage *message);
void app_broker_end_watches(AppBroker *broker);
// Ends a subscription, or NULL, that messages may still come for.
void app_broker_end(AppBroker *broker, natsSubscription *subscription);
// Frees the subscriptions that ended age_ns ago.
void app_broker_free_ended(AppBroker *broker, uint64_t age_ns);

// An APP_MESSAGE_WARNING; NULL: out of memory.
AppMessage *app_broker_warning(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
// Puts one.
void app_broker_warn(AppBridge *bridge, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The messages APP_MESSAGE_CLAIM, APP_MESSAGE_YIELD, APP_MESSAGE_STATE, APP_MESSAGE_RELEASE and
// APP_MESSAGE_LEAVE.
void app_broker_claim(AppBroker *broker, const AppMessage *message);
void app_broker_yield(AppBroker *broker, const AppMessage *message);
void app_broker_put_state(AppBroker *broker, const AppMessage *message);
void app_broker_release(AppBroker *broker, const AppMessage *message);
void app_broker_leave_to(AppBroker *broker, const AppMessage *message);
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
