// The node's entry in the bucket of the nodes: its name, which one process has, and its status.
#include "cluster/broker/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERATED_FAILURES 4 // heartbeats: a broker that has just started does not answer at once
#define NAME_WAIT_NS       (APP_NODE_TIMEOUT_NS + 300000000) // for the name that a node has left a moment ago

static char *fresh_status(AppBridge *bridge);
static natsStatus put(AppBroker *broker, const char *status);
static bool is_of_this_process(const AppBroker *broker, kvEntry *entry);

bool app_broker_take_name(AppBroker *broker) {
    AppBridge *bridge = broker->bridge;
    const uint64_t deadline_ns = uv_hrtime() + NAME_WAIT_NS;
    while (kvStore_CreateString(&bridge->joined, broker->buckets[APP_NODES], bridge->def.node,
                                bridge->status) != NATS_OK) {
        if (uv_hrtime() > deadline_ns) return false;
        nats_Sleep(100);
    }
    broker->status_revision = bridge->joined;
    return true;
}

void app_broker_put_heartbeat(AppBroker *broker) {
    AppBridge *bridge = broker->bridge;
    if (broker->is_replaced || !broker->buckets[APP_NODES] ||
        natsConnection_Status(broker->connection) != NATS_CONN_STATUS_CONNECTED)
        return;
    char *status = fresh_status(bridge);
    if (!status) return;
    const uint64_t begun_ns = uv_hrtime();
    const natsStatus stored = put(broker, status);
    free(status);
    if (stored != NATS_OK)
        broker->heartbeats_since_ns = 0;
    else if (broker->heartbeats_since_ns == 0)
        broker->heartbeats_since_ns = begun_ns;
    if (stored == NATS_OK || broker->is_replaced) {
        AppMessage *message =
            app_message_create(broker->is_replaced ? APP_MESSAGE_REPLACED : APP_MESSAGE_HEARTBEAT, NULL, 0);
        if (message) message->time_ns = begun_ns;
        app_mailbox_put(&bridge->in, message);
    }
    broker->failures = stored == NATS_OK ? 0 : broker->failures + 1;
    if (broker->failures == TOLERATED_FAILURES)
        app_broker_warn(bridge, "the broker does not answer: %s", natsStatus_GetText(stored));
}

// NULL: the loop has not renewed the status, or memory ran out.
static char *fresh_status(AppBridge *bridge) {
    uv_mutex_lock(&bridge->status_mutex);
    const bool is_fresh = uv_hrtime() - bridge->status_ns < APP_STANDSTILL_NS;
    char *status = is_fresh ? strdup(bridge->status) : NULL;
    uv_mutex_unlock(&bridge->status_mutex);
    return status;
}

// Stores the status in place of this process's newest one. That may have expired, or be gone with the
// broker's storage, or a request that timed out may have stored another.
static natsStatus put(AppBroker *broker, const char *status) {
    kvStore *nodes = broker->buckets[APP_NODES];
    const char *node = broker->bridge->def.node;
    const int length = (int)strlen(status);
    uint64_t revision;
    natsStatus stored = kvStore_Update(&revision, nodes, node, status, length, broker->status_revision);
    if (stored == NATS_ERR) { // another revision
        kvEntry *entry = NULL;
        stored = kvStore_Get(&entry, nodes, node);
        broker->is_replaced = stored == NATS_OK && !is_of_this_process(broker, entry);
        if (stored == NATS_NOT_FOUND)
            stored = kvStore_Create(&revision, nodes, node, status, length);
        else if (stored == NATS_OK)
            stored = broker->is_replaced
                         ? NATS_ERR
                         : kvStore_Update(&revision, nodes, node, status, length, kvEntry_Revision(entry));
        kvEntry_Destroy(entry);
    }
    if (stored == NATS_OK) broker->status_revision = revision;
    return stored;
}

// `joined`, the revision of the first status, tells processes of one name apart.
static bool is_of_this_process(const AppBroker *broker, kvEntry *entry) {
    const uint64_t joined = broker->bridge->joined;
    const char *status = kvEntry_ValueString(entry);
    char member[40];
    snprintf(member, sizeof member, "\"joined\":%llu,", (unsigned long long)joined);
    return kvEntry_Revision(entry) == joined || (status && strstr(status, member));
}
