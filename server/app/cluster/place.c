// Where a character is spawned, and under which name.
#include "cluster/place.h"

#include "cluster/forward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_COST 0.02 // of a character, as a part of a tick, where there is none to measure
#define FULL       0.95 // of a tick

static const char *choose(AppCluster *cluster, AppCall *call);
static double mean_cost(const AppCluster *cluster);
static AppMember *emptiest(const AppCluster *cluster);
static void set_unknown_node(const AppCluster *cluster, AppCall *call, const char *name);
static void claim_name(AppCluster *cluster, AppCall *call);
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

void app_place_receive(AppCluster *cluster, AppRequest *request) {
    AppCall call = app_call(request);
    claim_name(cluster, &call);
    if (!call.deferred) app_request_complete(request, &call);
}

void app_place_claimed(AppCluster *cluster, AppClaim *claim, AppLetterOutcome outcome) {
    AppRequest *request = claim->spawn;
    script_name_table_remove(&cluster->def.characters->names, claim->name);
    if (outcome == APP_LETTER_DONE) {
        name_request(request, claim->name);
        app_request_serve_here(request);
        return;
    }
    AppCall call = app_call(request);
    const bool is_made_up = claim->is_made_up;
    char name[TEXT_NAME_BYTES + 1];
    memcpy(name, claim->name, sizeof name);
    app_cluster_release(cluster, claim);
    const AppResident *resident = app_directory_find(&cluster->directory, name);
    if (resident) script_name_table_put(&cluster->def.characters->names, resident->name, NULL);
    const bool is_taken = outcome == APP_LETTER_TAKEN || outcome == APP_LETTER_LATER;
    if (is_taken && is_made_up) { // by a node whose entry has not arrived yet
        if (!resident) script_name_table_put(&cluster->def.characters->names, name, NULL);
        claim_name(cluster, &call);
        if (!resident) script_name_table_remove(&cluster->def.characters->names, name);
        if (call.deferred) return;
    } else if (is_taken) {
        fail_name(&call, name);
    } else {
        protocol_error_set(&call.error, PROTOCOL_NOT_NOW, "method",
                           "the broker of the cluster cannot be reached");
    }
    app_request_complete(request, &call);
}

void app_place_ended(void *context, const AppRequest *request) {
    AppCluster *cluster = context;
    AppClaim *claim = claim_of(cluster, request);
    if (!claim) return;
    claim->spawn = NULL;
    if (!app_characters_find(cluster->def.characters, claim->name)) app_cluster_release(cluster, claim);
}

// NULL with the error.
static const char *choose(AppCluster *cluster, AppCall *call) {
    const char *wanted = protocol_param_string(call->params, "node");
    if (!cluster->is_connected) {
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method",
                           "the broker of the cluster cannot be reached");
        return NULL;
    }
    if (wanted) {
        if (app_directory_find_member(&cluster->directory, wanted)) return wanted;
        set_unknown_node(cluster, call, wanted);
        return NULL;
    }
    AppMember *member = emptiest(cluster);
    if (!member) return cluster->node; // its own status has not come back yet
    if (app_cluster_load(member) >= FULL) {
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params",
                           "the cluster is full: %s has the most room, and works %.0f %% of its tick",
                           member->name, 100 * app_cluster_load(member));
        return NULL;
    }
    member->placed += mean_cost(cluster);
    return member->name;
}

// Of the characters that there are.
static double mean_cost(const AppCluster *cluster) {
    double load = 0, count = 0;
    for (size_t i = 0; i < cluster->directory.member_count; i++) {
        const AppMember *member = &cluster->directory.members[i];
        const cJSON *characters = cJSON_GetObjectItemCaseSensitive(member->status, "characters");
        load += app_cluster_load(member);
        count += cJSON_IsNumber(characters) ? characters->valuedouble : 0;
    }
    return count > 0 && load / count > LEAST_COST ? load / count : LEAST_COST;
}

static AppMember *emptiest(const AppCluster *cluster) {
    AppMember *best = NULL;
    for (size_t i = 0; i < cluster->directory.member_count; i++) {
        AppMember *member = &cluster->directory.members[i];
        if (!best || app_cluster_load(member) < app_cluster_load(best)) best = member;
    }
    return best;
}

static void set_unknown_node(const AppCluster *cluster, AppCall *call, const char *name) {
    const AppDirectory *directory = &cluster->directory;
    const char **names = calloc(directory->member_count + 1, sizeof *names);
    for (size_t i = 0; names && i < directory->member_count; i++) names[i] = directory->members[i].name;
    protocol_error_not_found(&call->error, "params.node", "node", name, names,
                             names ? directory->member_count : 0);
    free(names);
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
        script_name_table_free_name(names, stem, name);
    const bool is_of_other = app_directory_find(&cluster->directory, name) != NULL;
    if ((script_name_table_has(names, name) && !is_of_other) || app_cluster_find_claim(cluster, name)) {
        fail_name(call, name);
        return;
    }
    AppClaim *claim = app_cluster_claim(cluster, name, script);
    if (!claim || claim->state != APP_CLAIM_REQUESTED || !script_name_table_put(names, claim->name, NULL)) {
        if (claim) app_cluster_release(cluster, claim);
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "too many requests to the broker wait");
        return;
    }
    claim->is_made_up = !wanted;
    claim->spawn = app_call_defer(call, cancel, cluster);
}

// The connection has ended: the claim is released when its outcome is known.
static void cancel(void *context, AppRequest *request) {
    AppCluster *cluster = context;
    AppClaim *claim = claim_of(cluster, request);
    claim->spawn = NULL;
    script_name_table_remove(&cluster->def.characters->names, claim->name);
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
