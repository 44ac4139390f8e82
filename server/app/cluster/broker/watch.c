// The watches of the buckets, one begun after the other, and the end of subscriptions.
#include "cluster/broker/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

#define HEARTBEAT_NS INT64_C(5000000000) // of a consumer; flow control needs one

// A watch of a bucket, for its callback.
typedef struct AppWatch {
    AppBridge *bridge;
    int bucket;
    uint64_t number; // of the APP_MESSAGE_RESYNC that has begun it
    bool is_read;    // all entries that were there have been given
} AppWatch;

const char *const app_bucket_names[APP_BUCKET_COUNT] = {"nodes", "chars", "world", "state"};

static bool watch_next(AppBroker *broker);
static void put_read(const AppWatch *watch);
static void free_watch(void *closure);
static void on_entry(natsConnection *connection, natsSubscription *subscription, natsMsg *msg, void *closure);

// Begins with the nodes: what the other buckets hold is of an earlier cluster where there is no other node.
bool app_broker_watch(AppBroker *broker, uint64_t number) {
    broker->watch_number = number;
    broker->watched = APP_NODES;
    return watch_next(broker);
}

bool app_broker_note_read(AppBroker *broker, const AppMessage *message) {
    if (message->number != broker->watch_number ||
        strcmp(message->name, app_bucket_names[broker->watched]) != 0)
        return true; // of an earlier watch
    if (++broker->watched < APP_STATES) return watch_next(broker);
    AppMessage *synced = app_message_create(APP_MESSAGE_SYNCED, NULL, 0);
    if (synced) synced->number = message->number;
    app_mailbox_put_waiting(&broker->bridge->in, synced);
    return true;
}

void app_broker_end_watches(AppBroker *broker) {
    for (int i = 0; i < APP_BUCKET_COUNT; i++) {
        app_broker_end(broker, broker->watches[i]);
        broker->watches[i] = NULL;
    }
}

// nats.c 3.4 looks a subscription up for each message, and lets go of the lock before it uses it: one that is
// freed meanwhile ends the process (mended in nats.c 3.6 by its pull request 638).
void app_broker_end(AppBroker *broker, natsSubscription *subscription) {
    if (!subscription) return;
    natsSubscription_Unsubscribe(subscription);
    if (TEXT_ARRAY_GROW(broker->ended, broker->ended_count, broker->ended_capacity))
        broker->ended[broker->ended_count++] = (AppEndedSubscription){subscription, uv_hrtime()};
}

void app_broker_free_ended(AppBroker *broker, uint64_t age_ns) {
    const uint64_t now_ns = uv_hrtime();
    size_t kept = 0;
    for (size_t i = 0; i < broker->ended_count; i++) {
        if (now_ns - broker->ended[i].time_ns < age_ns)
            broker->ended[kept++] = broker->ended[i];
        else
            natsSubscription_Destroy(broker->ended[i].subscription);
    }
    broker->ended_count = kept;
    if (age_ns > 0) return;
    free(broker->ended);
    broker->ended = NULL;
    broker->ended_capacity = 0;
}

static bool watch_next(AppBroker *broker) {
    const int bucket = broker->watched;
    const char *cluster = broker->bridge->def.cluster;
    natsSubscription **subscription = &broker->watches[bucket];
    char stream[96], subject[128];
    snprintf(stream, sizeof stream, "KV_%s_%s", cluster, app_bucket_names[bucket]);
    snprintf(subject, sizeof subject, "$KV.%s_%s.>", cluster, app_bucket_names[bucket]);
    app_broker_end(broker, *subscription);
    *subscription = NULL;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    // As an ordered one, but that nats.c does not begin it again by itself after an outage: its thread for
    // that frees the consumer's name while the subscription ends. The bridge begins watches again, too.
    options.Stream = stream;
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    options.Config.AckPolicy = js_AckNone;
    options.Config.MaxDeliver = 1;
    options.Config.MemoryStorage = true;
    options.Config.FlowControl = true;
    options.Config.Heartbeat = HEARTBEAT_NS;
    AppWatch *watch = calloc(1, sizeof *watch);
    if (!watch) return false;
    *watch = (AppWatch){.bridge = broker->bridge, .bucket = bucket, .number = broker->watch_number};
    if (js_Subscribe(subscription, broker->stream, subject, on_entry, watch, NULL, &options, NULL) !=
        NATS_OK) {
        free(watch);
        return false;
    }
    (void)natsSubscription_SetOnCompleteCB(*subscription, free_watch, watch); // it fails for closed ones only
    jsConsumerInfo *info = NULL;
    if (natsSubscription_GetConsumerInfo(&info, *subscription, NULL, NULL) == NATS_OK &&
        info->NumPending == 0 && info->Delivered.Consumer == 0) // no entry will say that it is the last
        put_read(&(AppWatch){.bridge = broker->bridge, .bucket = bucket, .number = broker->watch_number});
    jsConsumerInfo_Destroy(info);
    return true;
}

// To the bridge's own thread: after the entries that there were.
static void put_read(const AppWatch *watch) {
    AppMessage *message = app_message_create(APP_MESSAGE_READ, NULL, 0);
    if (!message) return;
    message->number = watch->number;
    snprintf(message->name, sizeof message->name, "%s", app_bucket_names[watch->bucket]);
    app_mailbox_put(&watch->bridge->out, message); // where it has no room, the entries are asked for again
}

// By a thread of nats.c, after the subscription's last entry.
static void free_watch(void *closure) {
    free(closure);
}

// An entry of one of the buckets: subject $KV.CLUSTER_BUCKET.KEY.
static void on_entry(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                     void *closure) {
    (void)connection;
    (void)subscription;
    static const AppMessageKind kinds[APP_STATES] = {APP_MESSAGE_NODE, APP_MESSAGE_CHARACTER,
                                                     APP_MESSAGE_WORLD};
    AppWatch *watch = closure;
    AppBridge *bridge = watch->bridge;
    const char *subject = natsMsg_GetSubject(msg), *key = strrchr(subject, '.') + 1, *operation = NULL;
    const bool is_gone = natsMsgHeader_Get(msg, "KV-Operation", &operation) == NATS_OK;
    const AppMessageKind kind = kinds[watch->bucket];
    AppMessage *message =
        app_message_create(kind, natsMsg_GetData(msg), is_gone ? 0 : (size_t)natsMsg_GetDataLength(msg));
    jsMsgMetaData *data = NULL;
    bool is_last = false;
    if (message) {
        if (kind == APP_MESSAGE_WORLD)
            snprintf(message->subject, sizeof message->subject, "%s", strstr(subject, "_world.") + 7);
        else
            app_bridge_unescape(key, message->name, sizeof message->name);
        if (natsMsg_GetMetaData(&data, msg) == NATS_OK) {
            message->revision = data->Sequence.Stream;
            is_last = data->NumPending == 0;
            message->number = data->NumPending;
        }
        app_mailbox_put_waiting(&bridge->in, message);
    }
    if (is_last && !watch->is_read) {
        watch->is_read = true;
        put_read(watch);
    }
    jsMsgMetaData_Destroy(data);
    natsMsg_Destroy(msg);
}
