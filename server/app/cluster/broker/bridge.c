// The bridge with nats.c 3.4. Everything here runs on its thread, but for the public functions and for the
// callbacks of nats.c, which only put messages into mailboxes.
#include "cluster/broker/broker.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS      1000 // for an answer of the broker
#define CONNECT_MS   2000
#define MOST_SERVERS 16
#define ENDED_NS     UINT64_C(1000000000) // until an ended subscription is freed

static void run(void *context);
static bool join(AppBroker *broker);
static bool connect_broker(AppBroker *broker);
static natsStatus set_servers(natsOptions *options, const char *urls);
static void fail_connect(AppBroker *broker, natsStatus status, bool wants_tls);
static natsStatus open_buckets(AppBroker *broker);
static bool subscribe(AppBroker *broker);
static void fail_start(AppBroker *broker, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void leave(AppBroker *broker);
static bool handle(AppBroker *broker, const AppMessage *message);
static void resync(AppBroker *broker, uint64_t number);
static bool begin_again(AppBroker *broker, uint64_t number);
static void publish(AppBroker *broker, const AppMessage *message);
static void store(AppBroker *broker, const AppMessage *message);
static void update(AppBroker *broker, const AppMessage *message);
static void on_reply(natsConnection *connection, natsSubscription *subscription, natsMsg *msg, void *closure);
static void on_event(natsConnection *connection, natsSubscription *subscription, natsMsg *msg, void *closure);
static void on_disconnected(natsConnection *connection, void *closure);
static void on_reconnected(natsConnection *connection, void *closure);
static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status,
                     void *closure);

bool app_bridge_is_built_in(void) {
    return true;
}

bool app_bridge_open(AppBridge *bridge, const AppBridgeDef *def, char *out_message, size_t capacity) {
    *bridge = (AppBridge){.def = *def};
    snprintf(out_message, capacity, "out of memory");
    AppBroker *broker = bridge->broker = calloc(1, sizeof *broker);
    if (!broker) return false;
    broker->bridge = bridge;
    const bool has_mailboxes = app_mailbox_init(&bridge->out) && app_mailbox_init(&bridge->in) &&
                               app_mailbox_init(&broker->started) &&
                               uv_mutex_init(&bridge->status_mutex) == 0;
    if (!has_mailboxes) return false; // the process ends
    app_bridge_set_status(bridge, def->status);
    if (uv_thread_create(&bridge->thread, run, broker) != 0) return false;
    bridge->is_running = true;
    AppMessage *outcome = app_mailbox_take(&broker->started, UINT64_C(60000000000));
    const bool joined = outcome && outcome->outcome == APP_MESSAGE_DONE;
    if (outcome && !joined) snprintf(out_message, capacity, "%s", outcome->body);
    free(outcome);
    if (!joined) app_bridge_close(bridge);
    return joined;
}

void app_bridge_stop(AppBridge *bridge) {
    if (!bridge->is_running) return;
    bridge->is_running = false;
    app_mailbox_put_waiting(&bridge->out, app_message_create(APP_MESSAGE_STOP, NULL, 0));
    app_mailbox_close(&bridge->in);
}

void app_bridge_close(AppBridge *bridge) {
    app_bridge_stop(bridge);
    if (!bridge->broker) return;
    uv_thread_join(&bridge->thread);
    app_mailbox_finish(&bridge->out);
    app_mailbox_finish(&bridge->in);
    app_mailbox_finish(&bridge->broker->started);
    uv_mutex_destroy(&bridge->status_mutex);
    free(bridge->status);
    free(bridge->broker);
    bridge->broker = NULL;
}

void app_bridge_set_status(AppBridge *bridge, const char *status) {
    char *copy = strdup(status);
    if (!copy) return;
    uv_mutex_lock(&bridge->status_mutex);
    free(bridge->status);
    bridge->status = copy;
    bridge->status_ns = uv_hrtime();
    uv_mutex_unlock(&bridge->status_mutex);
}

void app_bridge_set_time(AppBridge *bridge, const char *text) {
    uv_mutex_lock(&bridge->status_mutex);
    snprintf(bridge->time, sizeof bridge->time, "%s", text);
    uv_mutex_unlock(&bridge->status_mutex);
}

static void run(void *context) {
    AppBroker *broker = context;
    AppBridge *bridge = broker->bridge;
    bool goes_on = join(broker);
    if (goes_on) app_mailbox_put(&broker->started, app_message_create(APP_MESSAGE_CONNECTED, NULL, 0));
    uint64_t next_ns = uv_hrtime();
    while (goes_on) {
        const uint64_t now_ns = uv_hrtime();
        if (now_ns >= next_ns) {
            app_broker_put_heartbeat(broker);
            app_broker_free_ended(broker, ENDED_NS);
            next_ns = uv_hrtime() +
                      APP_HEARTBEAT_NS; // messages are taken also while the broker is slow to take heartbeats
            continue;
        }
        AppMessage *message = app_mailbox_take(&bridge->out, next_ns - now_ns);
        if (message) goes_on = handle(broker, message);
        free(message);
    }
    leave(broker);
    nats_ReleaseThreadMemory();
    nats_CloseAndWait(WAIT_MS); // no callback runs from here on
}

static bool join(AppBroker *broker) {
    if (!connect_broker(broker)) return false;
    const natsStatus status = open_buckets(broker);
    if (status != NATS_OK) {
        fail_start(broker,
                   "cannot open the buckets of cluster %s at %s: %s; JetStream must be on (nats-server -js)",
                   broker->bridge->def.cluster, broker->bridge->def.shown_url, natsStatus_GetText(status));
        return false;
    }
    if (!app_broker_take_name(broker)) {
        fail_start(broker, "cluster %s has a node %s already: give each its own --node",
                   broker->bridge->def.cluster, broker->bridge->def.node);
        return false;
    }
    if (!subscribe(broker)) return false;
    if (app_broker_watch(broker, 0)) return true;
    fail_start(broker, "cannot watch the buckets of cluster %s", broker->bridge->def.cluster);
    return false;
}

static bool connect_broker(AppBroker *broker) {
    const AppBridgeDef *def = &broker->bridge->def;
    if (def->credentials && access(def->credentials, R_OK) != 0) {
        fail_start(broker, "cannot read --cluster-credentials %s: %s", def->credentials, strerror(errno));
        return false;
    }
    natsOptions *options = NULL;
    char name[64];
    snprintf(name, sizeof name, "tweed %s", def->node);
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK) status = set_servers(options, def->url);
    const bool wants_tls = strstr(def->url, "tls://") != NULL; // of all brokers, where there are several
    if (status == NATS_OK && wants_tls) status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK && def->credentials)
        status = natsOptions_SetUserCredentialsFromFiles(options, def->credentials, NULL);
    if (status == NATS_OK) {
        natsOptions_SetName(options, name);
        natsOptions_SetTimeout(options, CONNECT_MS);
        natsOptions_SetSendAsap(options, true);
        natsOptions_SetReconnectBufSize(options, 1); // what is published without a connection is lost at once
        natsOptions_SetFailRequestsOnDisconnect(options, true);
        natsOptions_SetMaxReconnect(options, -1);
        natsOptions_SetReconnectWait(options, 100);
        natsOptions_SetReconnectJitter(options, 50, 50);
        natsOptions_SetPingInterval(options, 1000);
        natsOptions_SetMaxPingsOut(options, 2);
        natsOptions_SetNoEcho(options, true);
        natsOptions_UseGlobalMessageDelivery(options, true); // else each subscription has a thread
        natsOptions_SetErrorHandler(options, on_error, broker);
        natsOptions_SetDisconnectedCB(options, on_disconnected, broker);
        natsOptions_SetReconnectedCB(options, on_reconnected, broker);
        status = natsConnection_Connect(&broker->connection, options);
    }
    natsOptions_Destroy(options);
    if (status == NATS_OK) return true;
    fail_connect(broker, status, wants_tls);
    return false;
}

// Of several brokers, the status is that of the one that was tried last.
static void fail_connect(AppBroker *broker, natsStatus status, bool wants_tls) {
    const char *shown_url = broker->bridge->def.shown_url;
    const bool has_no_tls = status == NATS_SECURE_CONNECTION_WANTED;
    if (has_no_tls && !strchr(shown_url, ','))
        fail_start(broker, "the broker of the cluster at %s offers no TLS, which tls:// asks for", shown_url);
    else
        fail_start(broker, "cannot reach the broker of the cluster at %s: %s", shown_url,
                   !has_no_tls && status != NATS_NO_SERVER && status != NATS_TIMEOUT
                       ? natsStatus_GetText(status)
                   : wants_tls ? "no NATS server answers there with TLS"
                               : "no NATS server answers there");
}

// A password may have commas in it: one that separates URLs is followed by a scheme.
static natsStatus set_servers(natsOptions *options, const char *urls) {
    char *copy = strdup(urls);
    const char *servers[MOST_SERVERS];
    int count = 0;
    for (char *url = copy; url && count < MOST_SERVERS;) {
        servers[count++] = url;
        while (*url && strncmp(url, ",nats://", 8) != 0 && strncmp(url, ",tls://", 7) != 0) url++;
        if (*url == '\0') break;
        *url++ = '\0';
    }
    const natsStatus status = copy ? natsOptions_SetServers(options, servers, count) : NATS_NO_MEMORY;
    free(copy);
    return status;
}

static natsStatus open_buckets(AppBroker *broker) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    natsStatus status = NATS_OK;
    if (!broker->stream) status = natsConnection_JetStream(&broker->stream, broker->connection, &options);
    for (int i = 0; i < APP_BUCKET_COUNT && status == NATS_OK; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s_%s", broker->bridge->def.cluster, app_bucket_names[i]);
        status = js_KeyValue(&broker->buckets[i], broker->stream, name);
        if (status != NATS_NOT_FOUND) continue;
        kvConfig config;
        kvConfig_Init(&config);
        config.Bucket = name;
        config.History = 1;
        config.TTL = i == APP_NODES ? (int64_t)APP_NODE_TIMEOUT_NS : 0;
        config.StorageType = i == APP_NODES ? js_MemoryStorage : js_FileStorage;
        status = js_CreateKeyValue(&broker->buckets[i], broker->stream, &config);
        if (status != NATS_OK) // another node was faster
            status = js_KeyValue(&broker->buckets[i], broker->stream, name);
    }
    return status;
}

static void close_buckets(AppBroker *broker) {
    for (int i = 0; i < APP_BUCKET_COUNT; i++) {
        kvStore_Destroy(broker->buckets[i]);
        broker->buckets[i] = NULL;
    }
}

static bool subscribe(AppBroker *broker) {
    const AppBridgeDef *def = &broker->bridge->def;
    char subject[APP_SUBJECT_SIZE];
    snprintf(subject, sizeof subject, "tweed.%s.node.%s", def->cluster, def->node);
    natsStatus status = natsConnection_Subscribe(&broker->requests, broker->connection, subject,
                                                 app_broker_on_request, broker);
    snprintf(subject, sizeof subject, "tweed.%s.reply.%s.*", def->cluster, def->node);
    if (status == NATS_OK)
        status = natsConnection_Subscribe(&broker->replies, broker->connection, subject, on_reply, broker);
    snprintf(subject, sizeof subject, "tweed.%s.events", def->cluster);
    if (status == NATS_OK)
        status = natsConnection_Subscribe(&broker->events, broker->connection, subject, on_event, broker);
    snprintf(subject, sizeof subject, "tweed.%s.clock.%s", def->cluster, def->node);
    if (status == NATS_OK)
        status = natsConnection_Subscribe(&broker->probes, broker->connection, subject, app_broker_on_probe,
                                          broker);
    snprintf(subject, sizeof subject, "tweed.%s.time.%s", def->cluster, def->node);
    if (status == NATS_OK)
        status =
            natsConnection_Subscribe(&broker->times, broker->connection, subject, app_broker_on_time, broker);
    if (status == NATS_OK) return true;
    fail_start(broker, "cannot subscribe at %s: %s", def->shown_url, natsStatus_GetText(status));
    return false;
}

static void fail_start(AppBroker *broker, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    AppMessage *message = app_broker_warning(format, arguments);
    va_end(arguments);
    if (message) message->outcome = APP_MESSAGE_UNAVAILABLE;
    app_mailbox_put(&broker->started, message);
}

// The name is given back, so that others need not wait for its end.
static void leave(AppBroker *broker) {
    if (broker->events) natsConnection_FlushTimeout(broker->connection, WAIT_MS); // last states come first
    if (broker->events && !broker->is_replaced)
        kvStore_Delete(broker->buckets[APP_NODES], broker->bridge->def.node);
    if (broker->connection) natsConnection_FlushTimeout(broker->connection, WAIT_MS / 2);
    app_broker_release_all(broker);
    app_broker_end_watches(broker);
    if (broker->connection) natsConnection_Close(broker->connection); // no message comes from here on
    natsSubscription_Destroy(broker->requests);
    natsSubscription_Destroy(broker->replies);
    natsSubscription_Destroy(broker->events);
    natsSubscription_Destroy(broker->probes);
    natsSubscription_Destroy(broker->times);
    app_broker_free_ended(broker, 0);
    close_buckets(broker);
    jsCtx_Destroy(broker->stream);
    natsConnection_Destroy(broker->connection);
}

// False: it was the last one.
static bool handle(AppBroker *broker, const AppMessage *message) {
    if (broker->is_replaced) return message->kind != APP_MESSAGE_STOP;
    switch (message->kind) {
    case APP_MESSAGE_PUBLISH:
        publish(broker, message);
        break;
    case APP_MESSAGE_CLAIM:
        app_broker_claim(broker, message);
        break;
    case APP_MESSAGE_YIELD:
        app_broker_yield(broker, message);
        break;
    case APP_MESSAGE_RELEASE:
        app_broker_release(broker, message);
        break;
    case APP_MESSAGE_LEAVE:
        app_broker_leave_to(broker, message);
        break;
    case APP_MESSAGE_STATE:
        app_broker_put_state(broker, message);
        break;
    case APP_MESSAGE_STORE:
        store(broker, message);
        break;
    case APP_MESSAGE_PROBE:
        app_broker_probe(broker, message);
        break;
    case APP_MESSAGE_UPDATE:
        update(broker, message);
        break;
    case APP_MESSAGE_RESYNC:
        resync(broker, message->number);
        break;
    case APP_MESSAGE_READ:
        if (!app_broker_note_read(broker, message)) resync(broker, message->number);
        break;
    default:
        return message->kind != APP_MESSAGE_STOP;
    }
    return true;
}

// A watch that was cut off may stay silent for ever. Where the buckets do not answer, the broker may have
// lost what it kept in memory.
static void resync(AppBroker *broker, uint64_t number) {
    broker->heartbeats_since_ns = 0;
    if (broker->buckets[APP_NODES] && begin_again(broker, number)) return;
    close_buckets(broker);
    if (open_buckets(broker) == NATS_OK && begin_again(broker, number)) return;
    close_buckets(broker);
    nats_Sleep(50);
    AppMessage *again = app_message_create(APP_MESSAGE_RESYNC, NULL, 0);
    if (again) again->number = number;
    app_mailbox_put(&broker->bridge->out, again);
}

// The heartbeat comes first: from then on no node declares this one gone.
static bool begin_again(AppBroker *broker, uint64_t number) {
    app_broker_put_heartbeat(broker);
    return broker->is_replaced || app_broker_watch(broker, number);
}

static void publish(AppBroker *broker, const AppMessage *message) {
    const natsStatus status =
        message->reply[0] ? natsConnection_PublishRequest(broker->connection, message->subject,
                                                          message->reply, message->body, (int)message->length)
                          : natsConnection_Publish(broker->connection, message->subject, message->body,
                                                   (int)message->length);
    if (status == NATS_OK || message->number == 0) return;
    AppMessage *answer = app_message_create(APP_MESSAGE_REPLY, NULL, 0);
    if (!answer) return;
    answer->number = message->number;
    answer->outcome = APP_MESSAGE_UNAVAILABLE;
    app_mailbox_put_waiting(&broker->bridge->in, answer);
}

static void store(AppBroker *broker, const AppMessage *message) {
    const natsStatus status = message->length == 0
                                  ? kvStore_Delete(broker->buckets[APP_WORLD], message->subject)
                                  : kvStore_Put(NULL, broker->buckets[APP_WORLD], message->subject,
                                                message->body, (int)message->length);
    if (status == NATS_OK) return;
    char name[APP_SUBJECT_SIZE];
    app_bridge_unescape(message->subject, name, sizeof name);
    app_broker_warn(broker->bridge,
                    "the broker has not taken the change of %s (%s): it is put again when the broker is back",
                    name, natsStatus_GetText(status));
}

// An update fails where another node has just changed the entry; the watch brings that change. Where there is
// no entry at all, the broker has lost it, and it is created anew.
static void update(AppBroker *broker, const AppMessage *message) {
    kvStore *bucket = broker->buckets[APP_WORLD];
    kvEntry *entry = NULL;
    if (message->revision > 0 && kvStore_Update(NULL, bucket, message->subject, message->body,
                                                (int)message->length, message->revision) == NATS_OK)
        return;
    const natsStatus found =
        message->revision > 0 ? kvStore_Get(&entry, bucket, message->subject) : NATS_NOT_FOUND;
    kvEntry_Destroy(entry);
    if (found == NATS_NOT_FOUND)
        kvStore_Create(NULL, bucket, message->subject, message->body, (int)message->length);
}

static void deliver(AppBridge *bridge, AppMessageKind kind, const char *name, const char *body,
                    size_t length) {
    AppMessage *message = app_message_create(kind, body, length);
    if (message && name) snprintf(message->name, sizeof message->name, "%s", name);
    app_mailbox_put_waiting(&bridge->in, message);
}

static void on_reply(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                     void *closure) {
    (void)connection;
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    AppMessage *message =
        app_message_create(APP_MESSAGE_REPLY, natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg));
    if (message) {
        message->number = strtoull(strrchr(natsMsg_GetSubject(msg), '.') + 1, NULL, 10);
        if (natsMsg_IsNoResponders(msg)) message->outcome = APP_MESSAGE_UNSERVED;
    }
    app_mailbox_put_waiting(&bridge->in, message);
    natsMsg_Destroy(msg);
}

static void on_event(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
                     void *closure) {
    (void)connection;
    (void)subscription;
    AppBridge *bridge = ((AppBroker *)closure)->bridge;
    const char *origin = natsMsg_GetReply(msg);
    AppMessage *message =
        app_message_create(APP_MESSAGE_EVENT, natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg));
    if (message) snprintf(message->reply, sizeof message->reply, "%s", origin ? origin : "");
    app_mailbox_put_waiting(&bridge->in, message);
    natsMsg_Destroy(msg);
}

static void on_disconnected(natsConnection *connection, void *closure) {
    (void)connection;
    deliver(((AppBroker *)closure)->bridge, APP_MESSAGE_DISCONNECTED, NULL, NULL, 0);
}

static void on_reconnected(natsConnection *connection, void *closure) {
    (void)connection;
    deliver(((AppBroker *)closure)->bridge, APP_MESSAGE_CONNECTED, NULL, NULL, 0);
}

// Without it nats.c would print errors on stderr. Those that come with an outage are no news.
static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status,
                     void *closure) {
    (void)connection;
    (void)subscription;
    if (status != NATS_CONNECTION_DISCONNECTED && status != NATS_MISSED_HEARTBEAT && status != NATS_ERR)
        app_broker_warn(((AppBroker *)closure)->bridge, "its broker reports: %s", natsStatus_GetText(status));
}
