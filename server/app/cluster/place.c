// Where a character is spawned, and under which name.
#include "cluster/place.h"

#include "cluster/adopt.h"
#include "cluster/entries.h"
#include "cluster/forward.h"
#include "cluster/move.h"
#include "cluster/node/claims.h"
#include "cluster/node/publish.h"
#include "cluster/node/status.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_COST 0.02 // of a character, as a part of a tick, where there is none to measure
#define FULL       0.95 // of a tick
#define MOVE_MOST  4    // characters at a time that a drained node moves

static bool find_more(AppCluster *cluster);
static void begin_draining(AppCluster *cluster, AppCall *call);
static void stop_draining(AppCluster *cluster, AppCall *call);
static void cancel_drain(void *context, AppRequest *request);
static bool is_being_claimed(const AppCluster *cluster, const char *character);
static void move_away(AppCluster *cluster, const char *character);
static void on_moved(void *context, const char *character, const ProtocolError *error, uint64_t tick);
static void add_left(AppCluster *cluster, const char *character, const char *reason);
static void end_draining(AppCluster *cluster);
static void put_result(AppCall *call, cJSON *moved, cJSON *left);
static const char *choose(AppCluster *cluster, AppCall *call);
static double mean_cost(const AppCluster *cluster);
static AppDirectoryNode *emptiest(const AppCluster *cluster, const char *but, const cJSON *tried);
static AppDirectoryNode *with_room(AppCluster *cluster, const char *but, const cJSON *tried,
                                   ProtocolError *out_error);
static void claim_name(AppCluster *cluster, AppCall *call);
static void make_name_up(AppCluster *cluster, const char *stem, char out_name[TEXT_NAME_BYTES + 1]);
static void cancel(void *context, AppRequest *request);
static AppClaim *claim_of(const AppCluster *cluster, const AppRequest *request);
static void name_request(AppRequest *request, const char *name);
static void fail_name(AppCall *call, const char *name);

void app_place_spawn(AppCluster *cluster, AppCall *call) {
    const char *node = choose(cluster, call);
    if (!node) return;
    if (strcmp(node, cluster->node) == 0)
        claim_name(cluster, call);
    else
        app_forward_to_node(cluster, call, node);
}

void app_place_drain(AppCluster *cluster, AppCall *call) {
    const char *node = protocol_param_string(call->params, "node");
    if (!app_directory_find_node(&cluster->directory, node))
        app_directory_set_unknown(&cluster->directory, node, &call->error);
    else if (strcmp(node, cluster->node) != 0)
        app_forward_to_node(cluster, call, node);
    else if (protocol_param_bool(call->params, "off"))
        stop_draining(cluster, call);
    else if (cluster->drain.waiting)
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.node", "node %s is being drained already",
                           node);
    else
        begin_draining(cluster, call);
}

void app_place_update(AppCluster *cluster) {
    AppDrain *drain = &cluster->drain;
    cJSON *next;
    for (cJSON *name = drain->waiting ? drain->waiting->child : NULL; name && drain->moving < MOVE_MOST;
         name = next) {
        next = name->next;
        if (is_being_claimed(cluster, name->valuestring)) continue;
        cJSON_DetachItemViaPointer(drain->waiting, name);
        if (app_characters_find(cluster->def.characters, name->valuestring))
            move_away(cluster, name->valuestring);
        cJSON_Delete(name);
    }
    if (drain->waiting && !drain->waiting->child && drain->moving == 0 && !find_more(cluster))
        end_draining(cluster);
}

void app_place_finish(AppCluster *cluster) {
    AppDrain *drain = &cluster->drain;
    if (drain->request) app_request_destroy(drain->request);
    cJSON_Delete(drain->waiting);
    cJSON_Delete(drain->tried);
    cJSON_Delete(drain->moved);
    cJSON_Delete(drain->left);
    *drain = (AppDrain){0};
}

void app_place_serve(AppCluster *cluster, const AppMessage *message) {
    AppRequest *request = app_forward_receive(cluster, message);
    if (!request) return;
    const bool is_spawn = request->method == &protocol_methods[PROTOCOL_CHARACTER_SPAWN];
    AppCall call = app_call(request);
    if (is_spawn && cluster->drain.is_on) {
        app_directory_set_drained(cluster->node, &call.error);
    } else if (is_spawn && !request->loads_only) {
        claim_name(cluster, &call);
    } else {
        app_forward_serve_here(cluster, request);
        return;
    }
    if (!call.deferred) app_request_complete(request, &call);
}

void app_place_claimed(AppCluster *cluster, AppClaim *claim, AppMessageOutcome outcome) {
    AppRequest *request = claim->spawn;
    script_name_table_remove(&cluster->def.characters->names, claim->name);
    if (outcome == APP_MESSAGE_DONE) {
        name_request(request, claim->name);
        app_request_serve_here(request);
        return;
    }
    AppCall call = app_call(request);
    const bool is_made_up = claim->is_made_up;
    char name[TEXT_NAME_BYTES + 1];
    memcpy(name, claim->name, sizeof name);
    app_claims_release(cluster, claim);
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    if (entry) app_entries_reserve(cluster, entry);
    const bool is_taken = outcome == APP_MESSAGE_TAKEN || outcome == APP_MESSAGE_LATER;
    if (is_taken && is_made_up) { // by a node whose entry has not arrived yet
        if (!entry) script_name_table_put(&cluster->def.characters->names, name, NULL);
        claim_name(cluster, &call);
        if (!entry) script_name_table_remove(&cluster->def.characters->names, name);
        if (call.deferred) return;
    } else if (is_taken) {
        fail_name(&call, name);
    } else {
        app_cluster_set_unreachable(&call.error);
    }
    app_request_complete(request, &call);
}

void app_place_ended(void *context, const AppRequest *request, const ProtocolError *error) {
    AppCluster *cluster = context;
    AppClaim *claim = claim_of(cluster, request);
    if (!claim) return;
    const cJSON *script = cJSON_GetObjectItemCaseSensitive(request->request.params, "script");
    claim->spawn = NULL;
    if (request->is_adoption)
        app_adopt_ended(cluster, claim, cJSON_GetStringValue(script), error);
    else if (!app_characters_find(cluster->def.characters, claim->name))
        app_claims_release(cluster, claim);
}

// Adds the characters that have not been tried: all of them at first, then those whose spawn was under way.
// False: there are no more, and none is being spawned.
static bool find_more(AppCluster *cluster) {
    const AppCharacters *characters = cluster->def.characters;
    AppDrain *drain = &cluster->drain;
    bool any = false;
    for (size_t i = 0; i < cluster->claims.capacity && drain->is_on; i++) {
        const AppClaim *claim = cluster->claims.slots[i].owner;
        any = any || (claim && claim->spawn);
    }
    for (size_t i = 0; i < characters->count && drain->is_on; i++) {
        const char *name = characters->items[i]->name;
        if (cJSON_GetObjectItemCaseSensitive(drain->tried, name)) continue;
        any |= cJSON_AddItemToArray(drain->waiting, cJSON_CreateString(name));
    }
    return any;
}

static void begin_draining(AppCluster *cluster, AppCall *call) {
    AppDrain *drain = &cluster->drain;
    drain->is_on = true;
    app_status_put(cluster);
    drain->waiting = cJSON_CreateArray();
    drain->tried = cJSON_CreateObject();
    drain->moved = cJSON_CreateArray();
    drain->left = cJSON_CreateArray();
    app_event_log(cluster->def.sessions, TEXT_LOG_INFO, "this node is drained: its characters go elsewhere");
    drain->request = app_call_defer(call, cancel_drain, cluster);
    app_place_update(cluster);
}

// The node accepts characters again. Characters that are not being moved yet stay.
static void stop_draining(AppCluster *cluster, AppCall *call) {
    AppDrain *drain = &cluster->drain;
    if (drain->is_on)
        app_event_log(cluster->def.sessions, TEXT_LOG_INFO, "this node accepts characters again");
    drain->is_on = false;
    app_status_put(cluster);
    const cJSON *name;
    cJSON_ArrayForEach(name, drain->waiting)
        add_left(cluster, name->valuestring, "the node is drained no longer");
    while (drain->waiting && drain->waiting->child) cJSON_DeleteItemFromArray(drain->waiting, 0);
    put_result(call, cJSON_CreateArray(), cJSON_CreateArray());
}

// The connection has ended. The drain goes on.
static void cancel_drain(void *context, AppRequest *request) {
    (void)request;
    ((AppCluster *)context)->drain.request = NULL;
}

// Not yet owned, as after a move whose target has gone without a word: the broker is asked who has the name.
static bool is_being_claimed(const AppCluster *cluster, const char *character) {
    const AppClaim *claim = app_claims_find(cluster, character);
    return claim && cluster->is_connected &&
           (claim->state == APP_CLAIM_REQUESTED || claim->state == APP_CLAIM_DUE);
}

// To the node with the most room, of those that have not been tried.
static void move_away(AppCluster *cluster, const char *character) {
    ProtocolError error;
    cJSON *tried = cJSON_GetObjectItemCaseSensitive(cluster->drain.tried, character);
    if (!tried) tried = cJSON_AddObjectToObject(cluster->drain.tried, character);
    AppDirectoryNode *member = with_room(cluster, cluster->node, tried, &error);
    if (!member || !app_moves_begin(cluster, character, member->name, on_moved, cluster, &error)) {
        const cJSON *reason = cJSON_GetArrayItem(tried, cJSON_GetArraySize(tried) - 1);
        add_left(cluster, character, cJSON_IsString(reason) ? reason->valuestring : error.message);
        return;
    }
    cJSON_AddStringToObject(tried, member->name, "");
    member->placed += mean_cost(cluster);
    cluster->drain.moving++;
}

static void on_moved(void *context, const char *character, const ProtocolError *error, uint64_t tick) {
    AppCluster *cluster = context;
    (void)tick;
    cluster->drain.moving--;
    if (!error) {
        cJSON_AddItemToArray(cluster->drain.moved, cJSON_CreateString(character));
    } else if (!cluster->drain.is_on || !cluster->is_connected) {
        add_left(cluster, character, error->message);
    } else {
        cJSON *tried = cJSON_GetObjectItemCaseSensitive(cluster->drain.tried, character);
        cJSON *newest = cJSON_GetArrayItem(tried, cJSON_GetArraySize(tried) - 1);
        cJSON_SetValuestring(newest, error->message);
        cJSON_AddItemToArray(cluster->drain.waiting, cJSON_CreateString(character));
    }
}

static void add_left(AppCluster *cluster, const char *character, const char *reason) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "character", character);
    cJSON_AddStringToObject(item, "reason", reason);
    cJSON_AddItemToArray(cluster->drain.left, item);
}

static void end_draining(AppCluster *cluster) {
    AppDrain *drain = &cluster->drain;
    AppRequest *request = drain->request;
    cJSON *moved = drain->moved, *left = drain->left;
    char text[128];
    snprintf(text, sizeof text, "drain finished: %d characters moved, %d stayed", cJSON_GetArraySize(moved),
             cJSON_GetArraySize(left));
    app_event_log(cluster->def.sessions, TEXT_LOG_INFO, text);
    cJSON_Delete(drain->waiting);
    cJSON_Delete(drain->tried);
    *drain = (AppDrain){.is_on = drain->is_on};
    if (!request) {
        cJSON_Delete(moved);
        cJSON_Delete(left);
        return;
    }
    AppCall call = app_call(request);
    put_result(&call, moved, left);
    app_request_complete(request, &call);
}

// Takes both arrays over.
static void put_result(AppCall *call, cJSON *moved, cJSON *left) {
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", call->tick);
    app_json_item(&call->json, call->result, "moved", moved);
    app_json_item(&call->json, call->result, "left", left);
}

// NULL with the error.
static const char *choose(AppCluster *cluster, AppCall *call) {
    const char *wanted = protocol_param_string(call->params, "node");
    if (!cluster->is_connected) {
        app_cluster_set_unreachable(&call->error);
        return NULL;
    }
    if (wanted) {
        const AppDirectoryNode *named = app_directory_find_node(&cluster->directory, wanted);
        if (!named) app_directory_set_unknown(&cluster->directory, wanted, &call->error);
        if (named && app_directory_node_is_drained(named)) app_directory_set_drained(wanted, &call->error);
        return call->error.code == 0 ? wanted : NULL;
    }
    if (cluster->directory.node_count == 0) return cluster->node; // its status has not come back yet
    AppDirectoryNode *member = with_room(cluster, "", NULL, &call->error);
    if (!member) return NULL;
    member->placed += mean_cost(cluster);
    return member->name;
}

// The mean load of a character, as a part of a tick.
static double mean_cost(const AppCluster *cluster) {
    double load = 0, count = 0;
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        load += app_directory_node_load(member);
        count += app_json_get_number(member->status, "characters", 0);
    }
    return count > 0 && load / count > LEAST_COST ? load / count : LEAST_COST;
}

// The node with the most room, of all but one and but those that are members of `tried`. NULL with the error.
static AppDirectoryNode *with_room(AppCluster *cluster, const char *but, const cJSON *tried,
                                   ProtocolError *out_error) {
    AppDirectoryNode *member = emptiest(cluster, but, tried);
    if (member && app_directory_node_load(member) < FULL) return member;
    if (member)
        protocol_error_set(
            out_error, PROTOCOL_NOT_NOW, "params",
            "the cluster is full: node %s has the most room, and its work takes %.0f %% of a tick",
            member->name, 100 * app_directory_node_load(member));
    else
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params", "no %snode of the cluster takes characters",
                           but[0] ? "other " : "");
    return NULL;
}

static AppDirectoryNode *emptiest(const AppCluster *cluster, const char *but, const cJSON *tried) {
    AppDirectoryNode *best = NULL;
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        AppDirectoryNode *member = &cluster->directory.nodes[i];
        if (app_directory_node_is_drained(member) || strcmp(member->name, but) == 0 ||
            cJSON_GetObjectItemCaseSensitive(tried, member->name))
            continue;
        if (!best || app_directory_node_load(member) < app_directory_node_load(best)) best = member;
    }
    return best;
}

// The name is reserved here while the bridge asks the cluster for it. One that another node has may just have
// been given back.
static void claim_name(AppCluster *cluster, AppCall *call) {
    ScriptNameTable *names = &cluster->def.characters->names;
    const char *wanted = protocol_param_string(call->params, "name"),
               *script = protocol_param_string(call->params, "script");
    char name[TEXT_NAME_BYTES + 1], stem[SCRIPT_NAME_SIZE];
    script_stem_of(script, stem);
    if (wanted)
        snprintf(name, sizeof name, "%s", wanted);
    else
        make_name_up(cluster, stem, name);
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    const AppCharacters *characters = cluster->def.characters;
    const bool is_orphan = entry && app_directory_is_orphan(&cluster->directory, entry),
               is_here = app_characters_find(characters, name) ||
                         app_characters_find_spawn_request(characters, name) ||
                         app_claims_find(cluster, name);
    if ((script_name_table_has(names, name) && !entry) || is_orphan || is_here) {
        fail_name(call, name);
        return;
    }
    AppClaim *claim = app_claims_create(cluster, name, script);
    if (!claim || claim->state != APP_CLAIM_REQUESTED || !script_name_table_put(names, claim->name, NULL)) {
        if (claim) app_claims_release(cluster, claim);
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "too many requests to the broker wait");
        return;
    }
    claim->is_made_up = !wanted;
    claim->spawn = app_call_defer(call, cancel, cluster);
}

// A name that the cluster has given to a spawn is in the table of names only once the spawn is served.
static void make_name_up(AppCluster *cluster, const char *stem, char out_name[TEXT_NAME_BYTES + 1]) {
    ScriptNameTable *names = &cluster->def.characters->names;
    AppClaim *claim;
    for (;;) {
        script_name_table_free_name(names, stem, out_name);
        claim = app_claims_find(cluster, out_name);
        if (!claim || !script_name_table_put(names, claim->name, NULL)) break;
        claim->is_passed_over = true;
    }
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        claim = cluster->claims.slots[i].owner;
        if (!claim || !claim->is_passed_over) continue;
        claim->is_passed_over = false;
        script_name_table_remove(names, claim->name);
    }
}

// The connection has ended: the claim is released when its outcome is known.
static void cancel(void *context, AppRequest *request) {
    AppCluster *cluster = context;
    AppClaim *claim = claim_of(cluster, request);
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, claim->name);
    claim->spawn = NULL;
    script_name_table_remove(&cluster->def.characters->names, claim->name);
    if (entry) app_entries_reserve(cluster, entry);
}

static AppClaim *claim_of(const AppCluster *cluster, const AppRequest *request) {
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        if (claim && claim->spawn == request) return claim;
    }
    return NULL;
}

static void name_request(AppRequest *request, const char *name) {
    cJSON *params = cJSON_GetObjectItemCaseSensitive(request->request.object, "params");
    if (!cJSON_GetObjectItemCaseSensitive(params, "name")) cJSON_AddStringToObject(params, "name", name);
}

static void fail_name(AppCall *call, const char *name) {
    protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.name",
                       "there is a character \"%.64s\" already", name);
}
