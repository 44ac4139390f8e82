// A node's life in its cluster: joining, what the bridge brings, and leaving.
#include "cluster/cluster.h"

#include "cluster/adopt.h"
#include "cluster/announce.h"
#include "cluster/arrival.h"
#include "cluster/entries.h"
#include "cluster/feeds.h"
#include "cluster/forward.h"
#include "cluster/move.h"
#include "cluster/node/claims.h"
#include "cluster/node/cluster_pause.h"
#include "cluster/node/stamps.h"
#include "cluster/node/standstill.h"
#include "cluster/node/status.h"
#include "cluster/node/timing.h"
#include "cluster/place.h"
#include "cluster/replicate.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_NS       UINT64_C(150000000)
#define JOIN_NS         UINT64_C(5000000000)
#define INBOX_BUDGET_NS UINT64_C(2000000) // of messages, before the loop does something else, such as a tick

static void name_node(AppCluster *cluster);
static bool check_settings(AppCluster *cluster, char *out_message, size_t capacity);
static bool ask_time(AppCluster *cluster, char *out_message, size_t capacity);
static bool claim_all(AppCluster *cluster, char *out_message, size_t capacity);
static void on_inbox(uv_async_t *inbox);
static void dispatch(AppCluster *cluster, const AppMessage *message);
static bool is_of_other(const AppCluster *cluster, const char *character);
static void note_connection(AppCluster *cluster, bool is_connected);
static void note_heartbeat(AppCluster *cluster, uint64_t time_ns);
static void note_node(AppCluster *cluster, const AppMessage *message);
static void note_entry(AppCluster *cluster, const AppMessage *message);
static void note_synced(AppCluster *cluster);
static void note_claimed(AppCluster *cluster, const AppMessage *message);
static void note_replaced(AppCluster *cluster);
static bool has_others(const AppCluster *cluster);
static void drop_lost(AppCluster *cluster);
static void remove_dead(AppCluster *cluster, uint64_t now_ns);
static bool is_elsewhere(void *context, const AppRequest *request);
static bool route(void *context, AppCall *call);
static bool route_to_owner(AppCluster *cluster, AppCall *call);
static void on_event(void *context, const char *method, const cJSON *params, NetBuffer *line);

AppCluster *app_cluster_join(const AppClusterDef *def, char *out_message, size_t capacity) {
    AppCluster *cluster = calloc(1, sizeof *cluster);
    snprintf(out_message, capacity, "out of memory");
    if (!cluster) return NULL;
    cluster->def = *def;
    cluster->first_number = cluster->last_number = uv_hrtime() ^ (uint64_t)getpid() << 40;
    snprintf(cluster->process, sizeof cluster->process, "%llx", (unsigned long long)cluster->first_number);
    name_node(cluster);
    char *status = app_status_write(cluster);
    app_address_hide_users(def->options->cluster, cluster->broker, sizeof cluster->broker);
    const AppBridgeDef bridge = {.url = def->options->cluster,
                                 .shown_url = cluster->broker,
                                 .credentials = def->options->cluster_credentials,
                                 .cluster = cluster->name,
                                 .node = cluster->node,
                                 .status = status};
    cluster->is_connected = status && app_bridge_open(&cluster->bridge, &bridge, out_message, capacity);
    free(status);
    if (!cluster->is_connected) {
        free(cluster);
        return NULL;
    }
    def->sessions->observer = (AppObserver){on_event, cluster};
    def->rpc->streams->source =
        (AppStreamSource){app_feeds_update_view, app_feeds_list, app_feeds_redirect, cluster};
    def->rpc->router = (AppRouter){.may_serve = app_standstill_is_over,
                                   .is_elsewhere = is_elsewhere,
                                   .route = route,
                                   .answer = app_forward_answer,
                                   .ended = app_place_ended,
                                   .amend = app_forward_amend,
                                   .context = cluster};
    const bool has_inbox = uv_async_init(def->loop, &cluster->inbox, on_inbox) == 0;
    cluster->inbox.data = cluster;
    app_replicas_init(cluster);
    app_cluster_pause_init(cluster);
    cluster->has_joined = has_inbox && check_settings(cluster, out_message, capacity) &&
                          ask_time(cluster, out_message, capacity) &&
                          claim_all(cluster, out_message, capacity);
    if (cluster->has_joined) {
        app_mailbox_set_receiver(&cluster->bridge.in, &cluster->inbox);
        def->rpc->streams->may_send = app_standstill_is_over;
        def->rpc->streams->context = cluster;
        app_log(def->log, TEXT_LOG_INFO, "node %s of cluster %s at %s, other nodes: %zu", cluster->node,
                cluster->name, cluster->broker, cluster->directory.node_count - 1);
        return cluster;
    }
    app_cluster_leave(cluster);
    return cluster;
}

void app_cluster_begin(AppCluster *cluster, AppTickClock *clock) {
    app_timing_begin(cluster, clock);
    app_cluster_pause_begin(cluster);
    app_status_put(cluster);
}

void app_cluster_leave(AppCluster *cluster) {
    if (!cluster || !cluster->bridge.is_running) return;
    cluster->def.sessions->observer = (AppObserver){0};
    cluster->def.rpc->router.route = NULL;
    cluster->def.rpc->router.may_serve = NULL;
    cluster->def.rpc->router.is_elsewhere = NULL;
    cluster->def.rpc->router.amend = NULL;
    cluster->def.rpc->streams->source = (AppStreamSource){0};
    cluster->def.rpc->streams->may_send = NULL;
    app_feeds_close(cluster);
    const bool has_name = !cluster->is_replaced; // else its characters are the other process's
    if (has_name && has_others(cluster))         // they take its characters over, as soon as its name is gone
        app_adopt_put_last_states(cluster);
    else if (has_name)
        app_claims_give_back(cluster);
    app_bridge_stop(&cluster->bridge);
}

void app_cluster_destroy(AppCluster *cluster) {
    if (!cluster) return;
    app_cluster_leave(cluster);
    app_bridge_close(&cluster->bridge);
    app_place_finish(cluster);
    app_moves_finish(cluster);
    app_arrivals_finish(cluster);
    app_forward_finish(cluster);
    app_replicas_finish(cluster);
    app_cluster_pause_finish(cluster);
    cJSON_Delete(cluster->untold);
    app_directory_finish(&cluster->directory);
    app_claims_finish(cluster);
    free(cluster);
}

void app_cluster_update(AppCluster *cluster) {
    const uint64_t now_ns = uv_hrtime();
    drop_lost(cluster);
    app_standstill_update(cluster, now_ns);
    app_replicas_update(cluster);
    app_cluster_pause_update(cluster);
    app_arrivals_update(cluster, now_ns);
    app_moves_update(cluster, now_ns);
    app_place_update(cluster);
    if (cluster->seen_changes != cluster->def.characters->changes || cluster->must_reconcile)
        app_claims_reconcile(cluster);
    if (now_ns < cluster->status_ns + STATUS_NS) return;
    cluster->status_ns = now_ns;
    app_timing_update(cluster);
    app_status_put(cluster);
    app_claims_request_due(cluster);
    remove_dead(cluster, now_ns);
    app_forward_expire(cluster, now_ns);
    app_adopt_orphans(cluster);
    app_adopt_put_states(cluster);
    app_announce_characters(cluster);
    app_announce_untold(cluster);
    app_feeds_reconcile(cluster);
}

// Sets the cluster's name, the node's (HOST-PORT where none is given) and its address, with the bound port.
static void name_node(AppCluster *cluster) {
    const AppOptions *options = cluster->def.options;
    char host[256] = "node";
    gethostname(host, sizeof host - 1);
    snprintf(cluster->name, sizeof cluster->name, "%s",
             options->cluster_name ? options->cluster_name : "tweed");
    snprintf(cluster->node, sizeof cluster->node, "%.24s-%u", host, cluster->def.port);
    for (char *c = cluster->node; *c; c++)
        if (!strchr(APP_NODE_CHARACTERS, *c)) *c = '-';
    if (options->node) snprintf(cluster->node, sizeof cluster->node, "%s", options->node);
    const AppAddress *given = &options->advertise;
    const char *listen = options->listen.host;
    const bool is_any = strcmp(listen, "0.0.0.0") == 0 || strcmp(listen, "::") == 0;
    const char *name = given->host[0] ? given->host : is_any ? host : listen;
    snprintf(cluster->address, sizeof cluster->address, strchr(name, ':') ? "[%s]:%d" : "%s:%d", name,
             given->host[0] ? (int)given->port : (int)cluster->def.port);
}

// All nodes need the same tick rate, since they share their ticks, and the same seed, since it makes the
// wind.
static bool check_settings(AppCluster *cluster, char *out_message, size_t capacity) {
    const uint64_t deadline_ns = uv_hrtime() + JOIN_NS;
    while (!cluster->has_seen_nodes && uv_hrtime() < deadline_ns) {
        AppMessage *message = app_mailbox_take(&cluster->bridge.in, UINT64_C(100000000));
        if (message) dispatch(cluster, message);
        free(message);
    }
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        const cJSON *rate = cJSON_GetObjectItemCaseSensitive(member->status, "tick_rate"),
                    *seed = cJSON_GetObjectItemCaseSensitive(member->status, "seed");
        const double own_seed = (double)cluster->def.options->seed;
        if (cJSON_IsNumber(rate) && rate->valueint != cluster->def.ticks->rate) {
            snprintf(out_message, capacity, "cluster %s ticks at %d Hz (node %s), not at %d: give --rate %d",
                     cluster->name, rate->valueint, member->name, cluster->def.ticks->rate, rate->valueint);
            return false;
        }
        if (cJSON_IsNumber(seed) && (seed->valuedouble < own_seed || seed->valuedouble > own_seed)) {
            snprintf(out_message, capacity,
                     "cluster %s has the seed %.0f (node %s), not %.0f: give --seed %.0f", cluster->name,
                     seed->valuedouble, member->name, own_seed, seed->valuedouble);
            return false;
        }
    }
    return true;
}

static bool ask_time(AppCluster *cluster, char *out_message, size_t capacity) {
    const uint64_t deadline_ns = uv_hrtime() + JOIN_NS;
    while (!app_timing_is_known(cluster)) {
        if (uv_hrtime() > deadline_ns) {
            snprintf(out_message, capacity, "node %s of cluster %s does not say what time it has",
                     cluster->timing.reference, cluster->name);
            return false;
        }
        AppMessage *message = app_mailbox_take(&cluster->bridge.in, UINT64_C(20000000));
        if (message) dispatch(cluster, message);
        free(message);
    }
    return true;
}

static bool claim_all(AppCluster *cluster, char *out_message, size_t capacity) {
    const uint64_t deadline_ns = uv_hrtime() + JOIN_NS;
    bool is_done = false;
    cluster->resync_ns = uv_hrtime();
    app_claims_reconcile(cluster);
    while (!is_done && uv_hrtime() < deadline_ns) {
        AppMessage *message = app_mailbox_take(&cluster->bridge.in, UINT64_C(100000000));
        if (message) dispatch(cluster, message);
        if (!message) app_claims_request_due(cluster);
        free(message);
        app_standstill_ask_again(cluster, uv_hrtime());
        is_done = cluster->has_synced;
        for (size_t i = 0; i < cluster->claims.capacity; i++) {
            const AppClaim *claim = cluster->claims.slots[i].owner;
            is_done &= !claim || claim->state == APP_CLAIM_OWNED || claim->state == APP_CLAIM_LOST;
        }
    }
    drop_lost(cluster);
    for (size_t i = 0; i < cluster->directory.characters.capacity; i++) {
        AppDirectoryCharacter *entry = cluster->directory.characters.slots[i].owner;
        if (entry && strcmp(entry->node, cluster->node) == 0)
            entry->is_inherited = !app_claims_find(cluster, entry->name);
    }
    if (!is_done)
        snprintf(out_message, capacity, "cluster %s at %s does not store the names of the characters",
                 cluster->name, cluster->broker);
    return is_done;
}

static void on_inbox(uv_async_t *inbox) {
    AppCluster *cluster = inbox->data;
    AppMessage *message;
    const uint64_t until_ns = uv_hrtime() + INBOX_BUDGET_NS;
    while (uv_hrtime() < until_ns && (message = app_mailbox_take(&cluster->bridge.in, 0))) {
        dispatch(cluster, message);
        free(message);
    }
    if (uv_hrtime() >= until_ns) uv_async_send(inbox);
    if (app_ticks_may_read(cluster->def.ticks)) app_rpc_serve(cluster->def.rpc);
}

static void dispatch(AppCluster *cluster, const AppMessage *message) {
    switch (message->kind) {
    case APP_MESSAGE_CONNECTED:
    case APP_MESSAGE_DISCONNECTED:
        note_connection(cluster, message->kind == APP_MESSAGE_CONNECTED);
        break;
    case APP_MESSAGE_HEARTBEAT:
        note_heartbeat(cluster, message->time_ns);
        break;
    case APP_MESSAGE_REPLACED:
        note_replaced(cluster);
        break;
    case APP_MESSAGE_NODE:
        note_node(cluster, message);
        break;
    case APP_MESSAGE_CHARACTER:
        note_entry(cluster, message);
        break;
    case APP_MESSAGE_SYNCED:
        if (message->number == cluster->directory.generation) note_synced(cluster);
        break;
    case APP_MESSAGE_CLAIMED:
        note_claimed(cluster, message);
        break;
    case APP_MESSAGE_WORLD:
        if (app_cluster_pause_is_entry(message) && (cluster->timing.has_begun || has_others(cluster)))
            app_cluster_pause_apply(cluster, message);
        else if (has_others(cluster) || cluster->timing.has_begun)
            app_replicas_apply(cluster, message);
        else
            app_replicas_delete(cluster, message); // of an earlier cluster
        break;
    case APP_MESSAGE_REQUEST:
        if (!app_arrivals_receive(cluster, message) && !is_of_other(cluster, message->name))
            app_place_serve(cluster, message);
        break;
    case APP_MESSAGE_YIELDED:
        app_moves_note_yielded(cluster, message->name);
        break;
    case APP_MESSAGE_REPLY:
        if (!app_moves_reply(cluster, message)) app_forward_reply(cluster, message);
        break;
    case APP_MESSAGE_TIME:
        app_timing_receive(cluster, message);
        break;
    case APP_MESSAGE_EVENT:
        app_forward_receive_event(cluster, message);
        break;
    default:
        app_log(cluster->def.log, TEXT_LOG_WARNING, "cluster %s: %s", cluster->name, message->body);
    }
}

// A request that arrives just after another node has got the character of this one reaches that node as well.
// Not so where the character has been removed, and then spawned on another node.
static bool is_of_other(const AppCluster *cluster, const char *character) {
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, character);
    return entry && strcmp(entry->node, cluster->node) != 0 && !app_claims_find(cluster, character) &&
           !app_moves_is_handing_over(cluster, character) &&
           (entry->is_taken || strcmp(entry->from, cluster->node) == 0);
}

static void note_connection(AppCluster *cluster, bool is_connected) {
    if (cluster->is_connected == is_connected) return;
    cluster->is_connected = is_connected;
    cluster->heartbeat_ns = 0;
    app_cluster_pause_note_connection(cluster, is_connected);
    if (is_connected) {
        cluster->connected_ns = uv_hrtime();
        app_announce_again(cluster);
        app_stamps_note_connected(cluster);
        app_standstill_resync(cluster);
        app_event_log(cluster->def.sessions, TEXT_LOG_INFO, "the broker of the cluster is back");
        return;
    }
    app_event_log(cluster->def.sessions, TEXT_LOG_WARNING,
                  "the broker of the cluster is away: this node goes on with its own characters");
    app_moves_note_disconnected(cluster);
    app_forward_fail(cluster, NULL,
                     "the broker of the cluster went away: the request may have taken effect or not");
}

static void note_heartbeat(AppCluster *cluster, uint64_t time_ns) {
    if (cluster->heartbeat_ns == 0 || time_ns > cluster->heartbeat_ns + APP_STANDSTILL_NS)
        cluster->heartbeats_since_ns = time_ns;
    cluster->heartbeat_ns = time_ns;
}

static void note_node(AppCluster *cluster, const AppMessage *message) {
    const bool is_new = !app_directory_find_node(&cluster->directory, message->name);
    const bool is_other = strcmp(message->name, cluster->node) != 0;
    cluster->has_seen_nodes |= message->number == 0;
    if (message->length == 0) {
        if (is_new || !is_other) return;
        app_directory_remove_node(&cluster->directory, message->name);
        app_log(cluster->def.log, TEXT_LOG_INFO, "node %s has left", message->name);
        app_forward_fail(cluster, message->name,
                         "the node has left: the request may have taken effect or not");
    } else if (app_directory_put_node(&cluster->directory, message->name, message->body, message->time_ns) &&
               is_new && is_other) {
        app_announce_again(cluster);
        app_log(cluster->def.log, TEXT_LOG_INFO, "node %s joined", message->name);
    }
}

static void note_entry(AppCluster *cluster, const AppMessage *message) {
    if (message->length == 0) {
        app_entries_remove(cluster, message->name, message->revision);
        return;
    }
    cJSON *entry = cJSON_Parse(message->body);
    const char *node = app_json_get_text(entry, "node"), *script = app_json_get_text(entry, "script"),
               *from = app_json_get_text(entry, "from");
    if (node && script)
        app_entries_put(cluster, message->name, node, script, from ? from : "", message->revision);
    cJSON_Delete(entry);
}

// An entry that the new watch has not shown is gone: the broker has lost it, or it was removed meanwhile.
static void note_synced(AppCluster *cluster) {
    size_t count;
    AppDirectoryCharacter **entries = app_directory_list(&cluster->directory, &count);
    for (size_t i = 0; entries && i < count; i++)
        if (entries[i]->generation != cluster->directory.generation) app_entries_drop(cluster, entries[i]);
    free(entries);
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        if (claim && claim->state == APP_CLAIM_OWNED && claim->generation != cluster->directory.generation)
            claim->state = APP_CLAIM_DUE;
    }
    cluster->has_synced = true;
    cluster->synced_generation = cluster->directory.generation;
}

static void note_claimed(AppCluster *cluster, const AppMessage *message) {
    AppClaim *claim = app_claims_find(cluster, message->name);
    if (!claim || claim->state != APP_CLAIM_REQUESTED) return;
    cluster->must_reconcile = true;
    if (claim->arrival) {
        app_arrivals_claimed(cluster, claim, message);
        return;
    }
    if (claim->adopts && message->outcome != APP_MESSAGE_DONE) {
        app_adopt_claimed(cluster, claim, message);
        return;
    }
    if (message->outcome == APP_MESSAGE_DONE) {
        app_claims_set_owned(cluster, claim, message->revision);
    } else {
        claim->state = message->outcome == APP_MESSAGE_TAKEN ? APP_CLAIM_LOST : APP_CLAIM_DUE;
    }
    if (claim->adopts)
        app_adopt_claimed(cluster, claim, message);
    else if (claim->spawn)
        app_place_claimed(cluster, claim, message->outcome);
}

// Its characters are the other process's by now, or will be.
static void note_replaced(AppCluster *cluster) {
    if (cluster->is_replaced) return;
    cluster->is_replaced = true;
    char text[160];
    snprintf(text, sizeof text, "another process is node %s of cluster %s now: this one ends", cluster->node,
             cluster->name);
    app_event_log(cluster->def.sessions, TEXT_LOG_ERROR, text);
    cluster->def.end(cluster->def.context);
}

static bool has_others(const AppCluster *cluster) {
    for (size_t i = 0; i < cluster->directory.node_count; i++)
        if (strcmp(cluster->directory.nodes[i].name, cluster->node) != 0) return true;
    return false;
}

static void drop_lost(AppCluster *cluster) {
    AppCharacters *characters = cluster->def.characters;
    for (size_t i = 0; i < cluster->claims.capacity;) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        if (!claim || claim->state != APP_CLAIM_LOST || claim->spawn || claim->arrival) {
            i++;
            continue;
        }
        AppCharacter *character = app_characters_find(characters, claim->name);
        AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, claim->name);
        if (entry) entry->is_taken = true;
        app_log(cluster->def.log, TEXT_LOG_INFO, "%s lives on node %s: removed from this one", claim->name,
                entry ? entry->node : "another");
        char name[TEXT_NAME_BYTES + 1];
        memcpy(name, claim->name, sizeof name);
        claim->revision = 0; // nothing to give back
        app_claims_release(cluster, claim);
        cluster->is_dropping = true;
        if (character) cluster->def.remove(cluster->def.context, character);
        cluster->is_dropping = false;
        if (entry) app_entries_reserve(cluster, entry);
        if (entry) app_feeds_note_gone(cluster, name, entry->node);
        i = 0; // slots have moved
    }
}

// The watch does not report that an entry has expired. Another node is declared gone only while this node's
// own heartbeats arrive.
static void remove_dead(AppCluster *cluster, uint64_t now_ns) {
    for (size_t i = cluster->directory.node_count; i-- > 0;) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        const uint64_t since_ns =
            member->seen_ns > cluster->heartbeats_since_ns ? member->seen_ns : cluster->heartbeats_since_ns;
        if (cluster->heartbeat_ns + APP_STANDSTILL_NS < now_ns || now_ns < since_ns + APP_NODE_TIMEOUT_NS ||
            strcmp(member->name, cluster->node) == 0)
            continue;
        char name[APP_NODE_BYTES + 1];
        memcpy(name, member->name, sizeof name);
        app_directory_remove_node(&cluster->directory, name);
        char text[128];
        snprintf(text, sizeof text, "node %s of the cluster has gone: others take its characters over", name);
        app_event_log(cluster->def.sessions, TEXT_LOG_WARNING, text);
        app_forward_fail(cluster, name, "the node has gone: the request may have taken effect or not");
    }
}

// Requests about a character that is not on this node are for the cluster, and so is each spawn: the cluster
// gives its name first.
static bool is_elsewhere(void *context, const AppRequest *request) {
    const AppCluster *cluster = context;
    const ProtocolMethodId method = protocol_method_id(request->method);
    if (method == PROTOCOL_CHARACTER_SPAWN || method == PROTOCOL_CLUSTER_MOVE ||
        method == PROTOCOL_CLUSTER_DRAIN)
        return true;
    const cJSON *params = cJSON_IsObject(request->request.params) ? request->request.params : NULL;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(params, "character");
    const AppCharacters *characters = cluster->def.characters;
    return cJSON_IsString(name) && (app_moves_is_handing_over(cluster, name->valuestring) ||
                                    app_arrivals_is_waiting(cluster, name->valuestring) ||
                                    (!app_characters_find(characters, name->valuestring) &&
                                     !app_characters_find_spawn_request(characters, name->valuestring)));
}

static bool route(void *context, AppCall *call) {
    AppCluster *cluster = context;
    switch (protocol_method_id(call->request->method)) {
    case PROTOCOL_CHARACTER_SPAWN:
        app_place_spawn(cluster, call);
        return true;
    case PROTOCOL_CHARACTER_LIST:
        app_status_list(cluster, call);
        return true;
    case PROTOCOL_CLUSTER_DRAIN:
        app_place_drain(cluster, call);
        return true;
    case PROTOCOL_CLUSTER_MOVE:
        if (app_characters_find(cluster->def.characters, protocol_param_string(call->params, "character")))
            app_moves_request(cluster, call);
        else
            app_forward_to_owner(cluster, call, protocol_param_string(call->params, "character"));
        return true;
    default:
        return route_to_owner(cluster, call);
    }
}

// A request about a character that is being handed over waits until the other node has the character.
static bool route_to_owner(AppCluster *cluster, AppCall *call) {
    if (!is_elsewhere(cluster, call->request)) return false;
    const char *name = protocol_param_string(call->params, "character");
    if (!app_moves_defer(cluster, call, name) && !app_arrivals_defer(cluster, call, name))
        app_forward_to_owner(cluster, call, name);
    return true;
}

// The claim is released before the reply to character.remove goes out, since the client may use the name
// again from then on.
static void on_event(void *context, const char *method, const cJSON *params, NetBuffer *line) {
    AppCluster *cluster = context;
    app_replicas_note(cluster, method, params);
    if (cluster->def.rpc->replica || cluster->is_dropping) return;
    const char *name = app_json_get_text(params, "character");
    AppClaim *claim = name ? app_claims_find(cluster, name) : NULL;
    const uint64_t epoch = claim ? claim->revision : 0;
    const bool is_removed = strcmp(method, "character.removed") == 0;
    if (is_removed && claim && claim->state == APP_CLAIM_OWNED && !claim->spawn)
        app_claims_release(cluster, claim);
    app_announce_note_event(cluster, cluster->node, epoch, method, params);
    app_forward_event(cluster, method, params, epoch, line);
    if (name) app_announce_later(cluster, method, name);
}
