// The entry: {"tick":T, "holds":{NODE:[PROCESS,LOCKS]}, "unowned":BOOL, "step":{"node","process", "number"},
// "run":RUN, "by":PROCESS, "number":N}. While there is a lock or a step, T is the last tick. Each change is
// stored with the revision that it is made from, so of two at once one is made again.
#include "cluster/node/cluster_pause.h"

#include "cluster/node/publish.h"
#include "cluster/node/status.h"
#include "cluster/node/timing.h"
#include "session/events.h"

#include <inttypes.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY    "hold"
#define HALTED "#halted "
#define LEAD_S 0.05 // from a request to pause to the last tick, where other nodes have to hear of it
#define STORE_RETRY_NS                                                                                       \
    UINT64_C(300000000) // after which a change that the watch has not shown is stored again
#define REPORT_RETRY_NS UINT64_C(150000000)

typedef enum WaiterKind { WAITS_FOR_PAUSE, WAITS_FOR_RESUME, WAITS_FOR_STEP } WaiterKind;

// A request that waits.
struct AppPauseWaiter {
    struct AppPauseWaiter *next;
    AppRequest *request;
    WaiterKind kind;
    uint64_t number; // of the change that it waits for
    bool had_lock;   // before a pause or resume, which its connection has again if that fails
};

static void wait_for(AppCluster *cluster, AppCall *call, WaiterKind kind, bool had_lock);
static void fail_waiting(AppCluster *cluster);
static void cancel(void *context, AppRequest *request);
static void complete_waiting(AppCluster *cluster);
static void complete(AppCluster *cluster, struct AppPauseWaiter *wait);
static bool is_at_last(const AppCluster *cluster);
static cJSON *change(AppCluster *cluster);
static bool change_own(AppCluster *cluster, cJSON *entry);
static bool remove_gone(const AppCluster *cluster, cJSON *entry);
static bool change_step(AppCluster *cluster, cJSON *entry);
static bool is_node_there(const AppCluster *cluster, const char *node);
static void store(AppCluster *cluster, cJSON *entry);
static void take_over(AppCluster *cluster);
static void report_halted(AppCluster *cluster);
static bool steps_elsewhere(const AppCluster *cluster);
static void change_unowned(AppCluster *cluster, AppUnownedChange change);

void app_cluster_pause_init(AppCluster *cluster) {
    cluster->pause.entry = cJSON_CreateObject();
}

// A node that joins others takes their state, whatever its own --paused says.
void app_cluster_pause_begin(AppCluster *cluster) {
    AppPauseLocks *locks = &cluster->def.ticks->pause_locks;
    if (locks->unowned && cluster->directory.node_count <= 1)
        change_unowned(cluster, APP_UNOWNED_SET);
    else
        locks->unowned = app_json_get_bool(cluster->pause.entry, "unowned");
    app_cluster_pause_update(cluster);
}

void app_cluster_pause_finish(AppCluster *cluster) {
    cJSON_Delete(cluster->pause.entry);
    while (cluster->pause.waiting) { // their requests are gone
        struct AppPauseWaiter *wait = cluster->pause.waiting;
        cluster->pause.waiting = wait->next;
        free(wait);
    }
}

void app_cluster_pause(AppCluster *cluster, AppCall *call) {
    AppPauseLocks *locks = &cluster->def.ticks->pause_locks;
    if (!call->client) {
        change_unowned(cluster, APP_UNOWNED_SET);
        app_cluster_pause_update(cluster);
        app_call_answer_pause(call);
    } else if (!cluster->is_connected) {
        app_cluster_set_unreachable(&call->error);
    } else {
        const size_t before = locks->count;
        if (app_pause_locks_add(locks, call->client->id))
            wait_for(cluster, call, WAITS_FOR_PAUSE, locks->count == before);
        else
            app_call_fail_memory(call);
    }
}

void app_cluster_resume(AppCluster *cluster, AppCall *call) {
    if (call->client && !cluster->is_connected) {
        app_cluster_set_unreachable(&call->error);
        return;
    }
    const bool had_lock =
        call->client && app_pause_locks_remove(&cluster->def.ticks->pause_locks, call->client->id);
    change_unowned(cluster, APP_UNOWNED_CLEAR);
    if (call->client) {
        wait_for(cluster, call, WAITS_FOR_RESUME, had_lock);
    } else {
        app_cluster_pause_update(cluster);
        app_call_answer_pause(call);
    }
}

void app_cluster_step(AppCluster *cluster, AppCall *call) {
    AppClusterPause *pause = &cluster->pause;
    if (!cluster->is_connected) {
        app_cluster_set_unreachable(&call->error);
    } else if (pause->step_ticks > 0 || cluster->def.ticks->pause_locks.stepper != 0 ||
               steps_elsewhere(cluster)) {
        app_call_fail_stepping(call);
    } else if (!cluster->def.ticks->is_halting) {
        app_call_fail_running(call);
    } else {
        pause->step_ticks = (uint64_t)protocol_param_integer(call->params, "ticks");
        wait_for(cluster, call, WAITS_FOR_STEP, false);
    }
}

bool app_cluster_pause_is_entry(const AppMessage *message) {
    return strcmp(message->subject, KEY) == 0;
}

void app_cluster_pause_apply(AppCluster *cluster, const AppMessage *message) {
    AppClusterPause *pause = &cluster->pause;
    if (message->length == 0 || message->revision <= pause->revision) return;
    cJSON *entry = cJSON_Parse(message->body);
    if (!cJSON_IsObject(entry)) {
        cJSON_Delete(entry);
        return;
    }
    cJSON_Delete(pause->entry);
    pause->entry = entry;
    pause->revision = message->revision;
    pause->stored_ns = 0;
    pause->is_lost = false;
    if (app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(entry, "by"))) {
        const uint64_t number = app_json_get_integer(entry, "number");
        pause->done_number = number;
        if (pause->changed_number <= number) pause->unowned_change = APP_UNOWNED_NO_CHANGE;
    }
    take_over(cluster);
}

bool app_cluster_pause_receive_halted(AppCluster *cluster, const AppMessage *event) {
    char node[APP_NODE_BYTES + 1];
    uint64_t tick;
    if (strncmp(event->body, HALTED, strlen(HALTED)) != 0) return false;
    AppDirectoryNode *member =
        sscanf(event->body + strlen(HALTED), "%" APP_NODE_WIDTH "s %" SCNu64, node, &tick) == 2
            ? app_directory_find_node(&cluster->directory, node)
            : NULL;
    if (member) member->halted_tick = tick;
    if (member && cluster->def.ticks->is_halting) app_cluster_pause_update(cluster);
    return true;
}

void app_cluster_pause_update(AppCluster *cluster) {
    AppClusterPause *pause = &cluster->pause;
    const uint64_t now_ns = uv_hrtime();
    if (!cluster->timing.has_begun) return;
    if (is_at_last(cluster) &&
        (pause->reported_tick != cluster->def.ticks->last || now_ns > pause->reported_ns + REPORT_RETRY_NS))
        report_halted(cluster);
    if (cluster->is_connected && now_ns > pause->stored_ns + STORE_RETRY_NS) {
        cJSON *entry = change(cluster);
        if (entry) store(cluster, entry);
    }
    if (pause->waiting) complete_waiting(cluster);
    if (cluster->def.ticks->pause_locks.stepper != 0 && app_cluster_pause_all_halted(cluster))
        cluster->def.step_completed(cluster->def.context);
}

bool app_cluster_pause_all_halted(const AppCluster *cluster) {
    bool all = is_at_last(cluster);
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        all &= strcmp(member->name, cluster->node) == 0 || member->halted_tick == cluster->def.ticks->last;
    }
    return all;
}

void app_cluster_pause_note_connection(AppCluster *cluster, bool is_connected) {
    cluster->pause.stored_ns = 0;
    cluster->pause.is_lost = is_connected;
    if (is_connected) cluster->pause.revision = 0; // the broker may count anew
    if (is_connected) return;
    fail_waiting(cluster);
    take_over(cluster);
}

// Takes back what the requests that wait have changed here.
static void fail_waiting(AppCluster *cluster) {
    AppClusterPause *pause = &cluster->pause;
    AppPauseLocks *locks = &cluster->def.ticks->pause_locks;
    while (pause->waiting) {
        struct AppPauseWaiter *wait = pause->waiting;
        AppCall call = app_call(wait->request);
        if (wait->kind == WAITS_FOR_PAUSE && !wait->had_lock)
            app_pause_locks_remove(locks, wait->request->client->id);
        if (wait->kind == WAITS_FOR_STEP) pause->step_ticks = 0;
        if (wait->kind == WAITS_FOR_RESUME) {
            pause->unowned_change = APP_UNOWNED_NO_CHANGE;
            if (wait->had_lock) app_pause_locks_add(locks, wait->request->client->id);
        }
        protocol_error_set(&call.error, PROTOCOL_NOT_NOW, "method", "the broker of the cluster went away");
        pause->waiting = wait->next;
        free(wait);
        app_request_complete(call.request, &call);
    }
}

static void wait_for(AppCluster *cluster, AppCall *call, WaiterKind kind, bool had_lock) {
    struct AppPauseWaiter *wait = calloc(1, sizeof *wait);
    if (!wait) {
        app_call_fail_memory(call);
        return;
    }
    *wait = (struct AppPauseWaiter){cluster->pause.waiting, app_call_defer(call, cancel, cluster), kind, 0,
                                    had_lock};
    cluster->pause.waiting = wait;
    cluster->pause.stored_ns = 0; // a change that is on its way does not contain this one
    wait->number = ++cluster->pause.changed_number;
    app_cluster_pause_update(cluster);
}

// The connection has ended, and its pause lock with it. A step that is stored already is taken by all nodes.
static void cancel(void *context, AppRequest *request) {
    AppCluster *cluster = context;
    for (struct AppPauseWaiter **place = &cluster->pause.waiting; *place; place = &(*place)->next) {
        struct AppPauseWaiter *wait = *place;
        if (wait->request != request) continue;
        if (wait->kind == WAITS_FOR_STEP) cluster->pause.step_ticks = 0;
        *place = wait->next;
        free(wait);
        return;
    }
}

static void complete_waiting(AppCluster *cluster) {
    AppClusterPause *pause = &cluster->pause;
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(pause->entry, "step");
    const bool steps =
        app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(step, "process"));
    const uint64_t number = steps ? app_json_get_integer(step, "number") : 0;
    struct AppPauseWaiter **place = &pause->waiting;
    while (*place) {
        struct AppPauseWaiter *wait = *place;
        const bool is_stored = pause->done_number >= wait->number;
        const bool is_done = wait->kind == WAITS_FOR_PAUSE
                                 ? is_stored && app_cluster_pause_all_halted(cluster)
                             : wait->kind == WAITS_FOR_RESUME ? is_stored
                                                              : steps && number >= wait->number;
        if (!is_done) {
            place = &wait->next;
            continue;
        }
        *place = wait->next;
        complete(cluster, wait);
        place = &pause->waiting; // it may have changed
    }
}

static void complete(AppCluster *cluster, struct AppPauseWaiter *wait) {
    const AppTicks *ticks = cluster->def.ticks;
    AppRequest *request = wait->request;
    const WaiterKind kind = wait->kind;
    free(wait);
    if (kind == WAITS_FOR_STEP) {
        cluster->pause.step_ticks = 0;
        cluster->def.step(cluster->def.context, request, ticks->last - ticks->newest);
        return;
    }
    AppCall call = app_call(request);
    app_call_answer_pause(&call);
    app_request_complete(request, &call);
}

static bool is_at_last(const AppCluster *cluster) {
    const AppTicks *ticks = cluster->def.ticks;
    return ticks->is_halting && ticks->newest == ticks->last && ticks->phase != APP_TICK_IN_FLIGHT;
}

static cJSON *holds_of(const cJSON *entry) {
    return cJSON_GetObjectItemCaseSensitive(entry, "holds");
}

static bool steps_elsewhere(const AppCluster *cluster) {
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(cluster->pause.entry, "step");
    return step && !app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(step, "process"));
}

static void change_unowned(AppCluster *cluster, AppUnownedChange change) {
    cluster->pause.unowned_change = change;
    cluster->pause.changed_number++;
}

static void add_number(cJSON *object, const char *key, double number) {
    app_json_set(object, key, cJSON_CreateNumber(number));
}

// The pause locks of all nodes.
static int total_of(const cJSON *entry) {
    int total = app_json_get_bool(entry, "unowned") ? 1 : 0;
    const cJSON *holds = holds_of(entry), *of_node;
    cJSON_ArrayForEach(of_node, holds) {
        const cJSON *locks = cJSON_GetArrayItem(of_node, 1);
        total += cJSON_IsNumber(locks) ? locks->valueint : 0;
    }
    return total + (cJSON_HasObjectItem(entry, "step") ? 1 : 0);
}

// Returns the entry as it has to become, or NULL where it stays.
static cJSON *change(AppCluster *cluster) {
    const AppTicks *ticks = cluster->def.ticks;
    const bool was_paused = total_of(cluster->pause.entry) > 0;
    cJSON *entry = cJSON_Duplicate(cluster->pause.entry, 1);
    bool has_changed = change_own(cluster, entry);
    has_changed |= remove_gone(cluster, entry);
    has_changed |= change_step(cluster, entry);
    const bool is_paused = total_of(entry) > 0;
    const uint64_t running = ticks->begun;
    double last = app_json_get_number(entry, "tick", 0);
    if (is_paused && !was_paused)
        last = (double)running + (cluster->directory.node_count > 1 ? LEAD_S * ticks->rate : 0);
    // A node that learns of the pause too late is past that tick: the other nodes go on to its tick.
    if (is_paused && last < (double)running && cluster->def.characters->count > 0) last = (double)running;
    if (was_paused && !is_paused) add_number(entry, "run", app_json_get_number(entry, "run", 0) + 1);
    const bool has_moved = is_paused && last > app_json_get_number(entry, "tick", 0);
    if (has_moved) add_number(entry, "tick", (double)(uint64_t)last);
    // The broker may have lost it.
    if (has_changed || has_moved || (cluster->pause.is_lost && is_paused)) return entry;
    cJSON_Delete(entry);
    return NULL;
}

// Puts this node's count of pause locks into the entry, and the lock that no connection has.
static bool change_own(AppCluster *cluster, cJSON *entry) {
    AppClusterPause *pause = &cluster->pause;
    const int own = (int)cluster->def.ticks->pause_locks.count;
    cJSON *holds = holds_of(entry);
    const cJSON *stored = cJSON_GetObjectItemCaseSensitive(holds, cluster->node);
    const bool is_own = app_status_is_of_this_process(cluster, cJSON_GetArrayItem(stored, 0));
    const int count = stored ? (int)cJSON_GetNumberValue(cJSON_GetArrayItem(stored, 1)) : 0;
    bool has_changed = count != own || (stored && !is_own);
    if (has_changed) {
        if (!holds) holds = cJSON_AddObjectToObject(entry, "holds");
        cJSON_DeleteItemFromObjectCaseSensitive(holds, cluster->node);
        cJSON *of_node = own > 0 ? cJSON_AddArrayToObject(holds, cluster->node) : NULL;
        if (of_node) cJSON_AddItemToArray(of_node, cJSON_CreateString(cluster->process));
        if (of_node) cJSON_AddItemToArray(of_node, cJSON_CreateNumber(own));
    }
    const bool is_unowned = app_json_get_bool(entry, "unowned");
    if (pause->unowned_change != APP_UNOWNED_NO_CHANGE &&
        is_unowned != (pause->unowned_change == APP_UNOWNED_SET)) {
        cJSON_DeleteItemFromObjectCaseSensitive(entry, "unowned");
        cJSON_AddBoolToObject(entry, "unowned", !is_unowned);
        has_changed = true;
    }
    return has_changed || pause->changed_number > pause->done_number;
}

// Locks of nodes that are gone: the reference removes them.
static bool remove_gone(const AppCluster *cluster, cJSON *entry) {
    bool has_changed = false;
    if (strcmp(cluster->timing.reference, cluster->node) != 0) return false;
    cJSON *holds = holds_of(entry), *next;
    for (cJSON *of_node = holds ? holds->child : NULL; of_node; of_node = next) {
        next = of_node->next;
        if (is_node_there(cluster, of_node->string)) continue;
        cJSON_Delete(cJSON_DetachItemViaPointer(holds, of_node));
        has_changed = true;
    }
    return has_changed;
}

// Begins this node's step, and ends a step that all nodes have done: this node's, or that of a node that is
// gone.
static bool change_step(AppCluster *cluster, cJSON *entry) {
    const AppTicks *ticks = cluster->def.ticks;
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(entry, "step");
    const bool is_own =
        app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(step, "process"));
    const char *node = app_json_get_text(step, "node");
    const bool is_lost = step && !is_own && strcmp(cluster->timing.reference, cluster->node) == 0 &&
                         !is_node_there(cluster, node ? node : "");
    const bool is_over = is_own && ticks->pause_locks.stepper == 0, begins = cluster->pause.step_ticks > 0;
    if ((step ? !is_over && !is_lost : !begins) || !app_cluster_pause_all_halted(cluster)) return false;
    cJSON_DeleteItemFromObjectCaseSensitive(entry, "step");
    if (!begins) return true;
    cJSON *begun = cJSON_AddObjectToObject(entry, "step");
    cJSON_AddStringToObject(begun, "node", cluster->node);
    cJSON_AddItemToObject(begun, "process", cJSON_CreateString(cluster->process));
    cJSON_AddNumberToObject(begun, "number", (double)cluster->pause.changed_number);
    add_number(entry, "tick", (double)(ticks->last + cluster->pause.step_ticks));
    return true;
}

static bool is_node_there(const AppCluster *cluster, const char *node) {
    return app_directory_find_node(&cluster->directory, node) != NULL;
}

// Takes `entry` over. A node that pauses halts at once, so that it does not run past the tick that it names.
static void store(AppCluster *cluster, cJSON *entry) {
    AppClusterPause *pause = &cluster->pause;
    cJSON_DeleteItemFromObjectCaseSensitive(entry, "by");
    cJSON_AddItemToObject(entry, "by", cJSON_CreateString(cluster->process));
    add_number(entry, "number", (double)pause->changed_number);
    TextBuffer text = {0};
    protocol_write_json(&text, entry);
    AppMessage *message =
        text.failed ? NULL : app_message_create(APP_MESSAGE_UPDATE, text.bytes, text.length);
    text_buffer_finish(&text);
    if (message) {
        snprintf(message->subject, sizeof message->subject, KEY);
        message->revision = pause->revision;
    }
    pause->stored_ns = uv_hrtime();
    if (app_mailbox_put(&cluster->bridge.out, message) && total_of(entry) > 0 &&
        total_of(pause->entry) == 0) {
        cluster->def.ticks->is_halting = true;
        cluster->def.ticks->last = app_json_get_integer(entry, "tick");
    }
    cJSON_Delete(entry);
}

// Brings this node in line with the entry: its locks, where it halts, and what waits for that.
static void take_over(AppCluster *cluster) {
    AppClusterPause *pause = &cluster->pause;
    AppTicks *ticks = cluster->def.ticks;
    AppPauseLocks *locks = &ticks->pause_locks;
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(pause->entry, "step");
    const bool steps =
        app_status_is_of_this_process(cluster, cJSON_GetObjectItemCaseSensitive(step, "process"));
    const int total = total_of(pause->entry), before = pause->total;
    pause->total = total;
    locks->unowned = app_json_get_bool(pause->entry, "unowned");
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(holds_of(pause->entry), cluster->node);
    locks->elsewhere = total - (locks->unowned ? 1 : 0) - (steps ? 1 : 0) -
                       (own ? (int)cJSON_GetNumberValue(cJSON_GetArrayItem(own, 1)) : 0);
    ticks->is_hurrying = step != NULL;
    ticks->last = app_json_get_integer(pause->entry, "tick");
    const bool was_paused = app_ticks_are_paused(ticks);
    ticks->is_halting = total > 0;
    pause->run = app_json_get_integer(pause->entry, "run");
    if (!cluster->timing.has_begun) return;
    if (total > before && !step) app_event_paused(cluster->def.sessions);
    if (total == 0 && before > 0) app_event_resumed(cluster->def.sessions);
    complete_waiting(cluster); // this node's step takes its ticks for the request
    cluster->def.pause_changed(cluster->def.context, was_paused);
    app_timing_restart(cluster);
}

static void report_halted(AppCluster *cluster) {
    char text[96];
    const int length =
        snprintf(text, sizeof text, HALTED "%s %" PRIu64, cluster->node, cluster->def.ticks->last);
    cluster->pause.reported_ns = uv_hrtime();
    cluster->pause.reported_tick = cluster->def.ticks->last;
    app_cluster_publish_event(cluster, 0, &(TextBuffer){.bytes = text, .length = (size_t)length});
}
