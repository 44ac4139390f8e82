#include "cluster/node/standstill.h"

#include "cluster/node/claims.h"
#include "cluster/node/status.h"

#define WITHOUT_BROKER_NS UINT64_C(2000000000) // until a node goes on that no broker answers
#define RESYNC_NS         UINT64_C(2000000000)

static void begin(AppCluster *cluster, uint64_t now_ns);
static void end(AppCluster *cluster);
static bool is_synced(const AppCluster *cluster);
static bool is_confirmed(const AppCluster *cluster);

void app_standstill_update(AppCluster *cluster, uint64_t now_ns) {
    const uint64_t before_ns = cluster->updated_ns;
    cluster->updated_ns = now_ns;
    if (before_ns > 0 && now_ns > before_ns + APP_STANDSTILL_NS) {
        begin(cluster, now_ns);
        return;
    }
    if (cluster->is_connected) app_standstill_ask_again(cluster, now_ns);
    if (cluster->standstill_ns == 0) return;
    if (cluster->is_connected ? is_synced(cluster) && is_confirmed(cluster)
                              : now_ns > cluster->standstill_ns + WITHOUT_BROKER_NS)
        end(cluster);
}

bool app_standstill_is_over(void *context) {
    const AppCluster *cluster = context;
    return cluster->standstill_ns == 0 && !cluster->is_replaced &&
           (cluster->updated_ns == 0 || uv_hrtime() < cluster->updated_ns + APP_STANDSTILL_NS);
}

void app_standstill_ask_again(AppCluster *cluster, uint64_t now_ns) {
    if (!is_synced(cluster) && now_ns > cluster->resync_ns + RESYNC_NS) app_standstill_resync(cluster);
}

void app_standstill_resync(AppCluster *cluster) {
    AppMessage *resync = app_message_create(APP_MESSAGE_RESYNC, NULL, 0);
    cluster->directory.generation++;
    if (resync) resync->number = cluster->directory.generation;
    app_mailbox_put(&cluster->bridge.out, resync); // without room it is put again by app_standstill_update
    cluster->resync_ns = uv_hrtime();
}

// The bridge puts the node's status first: nodes that have not declared this one gone by then do so no more.
// One that has may still take a character over; the claims that follow replace the entries' revisions, so
// either it or this node succeeds.
static void begin(AppCluster *cluster, uint64_t now_ns) {
    cluster->standstill_ns = now_ns;
    app_status_put(cluster);
    app_standstill_resync(cluster);
    app_claims_confirm(cluster);
    app_log(cluster->def.log, TEXT_LOG_WARNING,
            "this node stood still: it asks whether its characters are still its own");
}

static void end(AppCluster *cluster) {
    cluster->standstill_ns = 0;
    app_streams_offer(cluster->def.rpc->streams);
}

static bool is_synced(const AppCluster *cluster) {
    return cluster->has_synced && cluster->synced_generation == cluster->directory.generation;
}

// Claims that were never stored are of spawns.
static bool is_confirmed(const AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        const AppClaim *claim = cluster->claims.slots[i].owner;
        if (claim && claim->revision > 0 && claim->state != APP_CLAIM_OWNED) return false;
    }
    return true;
}
