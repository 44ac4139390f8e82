// Changes become entries, and entries become requests.
#include "cluster/replicate.h"

#include "session/events.h"

#include <math.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARTS_KEY  "world"
#define LATER      1e-3 // s
#define MOST_EARLY 2    // s that a node waits for the tick of an entry
#define SAME_PLACE 0.01 // m that a tornado may be from where it was to be

static const char *const parts[] = {"gravity", "wind", "ground", NULL};

static bool is_early(const AppCluster *cluster, const cJSON *entry);
static double tick_of(const cJSON *entry);
static void apply(AppCluster *cluster, const char *key, const cJSON *entry);
static cJSON *read_world(const AppCluster *cluster);
static void note_parts(AppCluster *cluster, const cJSON *world);
static cJSON *stamp(AppCluster *cluster, const cJSON *value);
static void add_wind(const AppCluster *cluster, cJSON *stamped);
static void note_replica(AppCluster *cluster, const cJSON *params);
static void repeat_wind(AppCluster *cluster);
static void repeat_tornado(AppCluster *cluster, const char *key, cJSON *known);
static uint64_t ticks_since(const AppCluster *cluster, const cJSON *entry);
static void note_tornados(AppCluster *cluster, const cJSON *tornados);
static void note_fabric(AppCluster *cluster, const char *fabric, const cJSON *values);
static bool is_same_tornado(const AppCluster *cluster, const cJSON *known, const cJSON *now);
static void set_known(AppCluster *cluster, const char *key, cJSON *value);
static void set_item(cJSON *object, const char *key, cJSON *value);
static void store(AppCluster *cluster, const char *key, const cJSON *value);
static void merge(cJSON *into, const cJSON *values);
static bool is_news(AppCluster *cluster, const char *key, const cJSON *entry);
static void apply_parts(AppCluster *cluster, const cJSON *stamped);
static bool is_newer(const cJSON *stamped, const cJSON *than);
static void apply_fabric(AppCluster *cluster, const char *fabric, const cJSON *values);
static void apply_tornado(AppCluster *cluster, const char *key, const cJSON *entry);
static void request(AppCluster *cluster, ProtocolMethodId method, cJSON *params);
static void write_process(const AppCluster *cluster, char text[32]);
static double wall_clock(void);

void app_replicas_init(AppCluster *cluster) {
    AppReplicas *replicas = &cluster->replicas;
    replicas->known = cJSON_CreateObject();
    replicas->overridden = cJSON_CreateObject();
    replicas->stamped = cJSON_CreateObject();
    replicas->early = cJSON_CreateObject();
    replicas->repeats = cJSON_CreateObject();
    cJSON *world = read_world(cluster);
    for (const char *const *part = parts; *part; part++)
        set_known(cluster, *part, cJSON_DetachItemFromObjectCaseSensitive(world, *part));
    cJSON_Delete(world);
}

void app_replicas_finish(AppCluster *cluster) {
    cJSON_Delete(cluster->replicas.known);
    cJSON_Delete(cluster->replicas.overridden);
    cJSON_Delete(cluster->replicas.stamped);
    cJSON_Delete(cluster->replicas.early);
    cJSON_Delete(cluster->replicas.repeats);
}

void app_replicas_update(AppCluster *cluster) {
    const cJSON *next;
    for (const cJSON *entry = cluster->replicas.early->child; entry; entry = next) {
        next = entry->next;
        if (is_early(cluster, entry)) continue;
        cJSON *due = cJSON_DetachItemViaPointer(cluster->replicas.early, (cJSON *)(uintptr_t)entry);
        apply(cluster, due->string, due);
        cJSON_Delete(due);
    }
}

void app_replicas_delete(AppCluster *cluster, const AppMessage *entry) {
    AppMessage *message = entry->length > 0 ? app_message_create(APP_MESSAGE_STORE, NULL, 0) : NULL;
    if (!message) return;
    memcpy(message->subject, entry->subject, sizeof message->subject);
    app_mailbox_put(&cluster->bridge.out, message);
}

void app_replicas_note(AppCluster *cluster, const char *method, const cJSON *params) {
    const AppRequest *replica = cluster->def.rpc->replica;
    const cJSON *fabric = cJSON_GetObjectItemCaseSensitive(params, "fabric");
    if (strcmp(method, "world.changed") == 0 && replica) {
        note_replica(cluster, replica->request.params);
    } else if (strcmp(method, "world.changed") == 0) {
        cJSON *world = read_world(cluster);
        note_parts(cluster, world);
        note_tornados(cluster, cJSON_GetObjectItemCaseSensitive(world, "tornados"));
        cJSON_Delete(world);
    } else if (strcmp(method, "fabric.changed") == 0 && cJSON_IsString(fabric)) {
        note_fabric(cluster, fabric->valuestring, cJSON_GetObjectItemCaseSensitive(params, "values"));
    }
}

void app_replicas_apply(AppCluster *cluster, const AppMessage *message) {
    char key[APP_SUBJECT_SIZE];
    app_bridge_unescape(message->subject, key, sizeof key);
    cJSON *entry = message->length > 0 ? cJSON_Parse(message->body) : NULL;
    if (entry && is_early(cluster, entry)) {
        set_item(cluster->replicas.early, key, entry);
    } else {
        apply(cluster, key, entry);
        cJSON_Delete(entry);
    }
}

// Whether the entry is of a tick that this node reaches within MOST_EARLY. One that is further ahead is of
// another count, as before this node has taken over the cluster's.
static bool is_early(const AppCluster *cluster, const cJSON *entry) {
    const double ahead = tick_of(entry) - (double)sim_world_tick(cluster->def.characters->world);
    return ahead > 0 && ahead < MOST_EARLY * cluster->def.ticks->rate;
}

static double tick_of(const cJSON *entry) {
    const cJSON *tick = cJSON_GetObjectItemCaseSensitive(entry, "tick");
    return cJSON_IsNumber(tick) ? tick->valuedouble : 0;
}

static void apply(AppCluster *cluster, const char *key, const cJSON *entry) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, "value");
    if (value && strcmp(key, PARTS_KEY) == 0)
        apply_parts(cluster, value);
    else if (value && is_news(cluster, key, entry) && strncmp(key, "tornado.", 8) == 0)
        apply_tornado(cluster, key, entry);
    else if (value && is_news(cluster, key, entry) && strncmp(key, "fabric.", 7) == 0)
        apply_fabric(cluster, key + 7, value);
}

static cJSON *read_world(const AppCluster *cluster) {
    AppJson json = {0};
    cJSON *world = app_json_root_object(&json);
    app_put_world(&json, world, cluster->def.characters->world);
    return world;
}

// All parts are one entry, so that the other nodes' clients see one change as one.
static void note_parts(AppCluster *cluster, const cJSON *world) {
    bool has_changed = false;
    for (const char *const *part = parts; *part; part++) {
        const cJSON *now = cJSON_GetObjectItemCaseSensitive(world, *part);
        if (cJSON_Compare(now, cJSON_GetObjectItemCaseSensitive(cluster->replicas.known, *part), 1)) continue;
        set_known(cluster, *part, cJSON_Duplicate(now, 1));
        set_item(cluster->replicas.stamped, *part, stamp(cluster, now));
        if (strcmp(*part, "wind") == 0)
            add_wind(cluster, cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, *part));
        has_changed = true;
    }
    if (has_changed) store(cluster, PARTS_KEY, cluster->replicas.stamped);
}

// The time of a change is later than that of any known one, whatever the clocks of the nodes say.
static cJSON *stamp(AppCluster *cluster, const cJSON *value) {
    char process[32];
    double time = wall_clock();
    for (const cJSON *item = cluster->replicas.stamped->child; item; item = item->next)
        time = fmax(time, cJSON_GetObjectItemCaseSensitive(item, "time")->valuedouble + LATER);
    write_process(cluster, process);
    cJSON *stamped = cJSON_CreateObject();
    cJSON_AddStringToObject(stamped, "process", process);
    cJSON_AddNumberToObject(stamped, "time", time);
    cJSON_AddItemToObject(stamped, "value", cJSON_Duplicate(value, 1));
    return stamped;
}

// What the air does from this tick on: the other nodes repeat it from there.
static void add_wind(const AppCluster *cluster, cJSON *stamped) {
    const SimWorld *world = cluster->def.characters->world;
    const SimWindState state = sim_world_wind_state(world);
    AppJson json = {0};
    app_json_integer(&json, stamped, "tick", sim_world_tick(world));
    cJSON *described = app_json_list(&json, stamped, "state");
    for (int i = 0; i < 3; i++) app_json_number(&json, described, NULL, state.drift_world[i]);
    for (int i = 0; i < 3; i++) app_json_number(&json, described, NULL, (double)state.wind.velocity_world[i]);
    app_json_number(&json, described, NULL, (double)state.wind.turbulence);
    app_json_number(&json, described, NULL, (double)state.wind.gust);
    app_json_number(&json, described, NULL, (double)state.left);
}

// Notes the values that another node has changed; all others stay as they are known.
static void note_replica(AppCluster *cluster, const cJSON *params) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(params, "name");
    char key[APP_SUBJECT_SIZE];
    for (const char *const *part = parts; *part; part++) {
        const cJSON *given = cJSON_GetObjectItemCaseSensitive(params, *part);
        if (given) set_known(cluster, *part, cJSON_Duplicate(given, 1));
        if (given && strcmp(*part, "wind") == 0) repeat_wind(cluster);
    }
    if (!cJSON_IsString(name)) return;
    snprintf(key, sizeof key, "tornado.%s", name->valuestring);
    cJSON *tornado =
        cJSON_GetObjectItemCaseSensitive(params, "radius") ? cJSON_Duplicate(params, 1) : cJSON_CreateFalse();
    if (cJSON_IsObject(tornado)) repeat_tornado(cluster, key, tornado);
    set_known(cluster, key, tornado);
}

// Sets the wind as if it had been set here in the tick in which it was set on the other node.
static void repeat_wind(AppCluster *cluster) {
    SimWorld *world = cluster->def.characters->world;
    cJSON *repeat = cJSON_DetachItemFromObjectCaseSensitive(cluster->replicas.repeats, "wind");
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(repeat, "state");
    double numbers[9];
    for (int i = 0; i < 9; i++) numbers[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(values, i));
    if (cJSON_GetArraySize(values) == 9) {
        const SimWindState state = {
            .drift_world = {numbers[0], numbers[1], numbers[2]},
            .wind = {.velocity_world = {(float)numbers[3], (float)numbers[4], (float)numbers[5]},
                     .turbulence = (float)numbers[6],
                     .gust = (float)numbers[7]},
            .left = (float)numbers[8]};
        sim_world_repeat_wind(world, &state, ticks_since(cluster, repeat));
    }
    cJSON_Delete(repeat);
}

static void repeat_tornado(AppCluster *cluster, const char *key, cJSON *known) {
    SimWorld *world = cluster->def.characters->world;
    SimTornado tornado;
    cJSON *repeat = cJSON_DetachItemFromObjectCaseSensitive(cluster->replicas.repeats, key);
    if (repeat) sim_world_repeat_tornado(world, key + strlen("tornado."), ticks_since(cluster, repeat));
    cJSON_Delete(repeat);
    if (sim_world_tornado(world, key + strlen("tornado."), &tornado))
        for (int i = 0; i < 3; i++)
            cJSON_SetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(known, "position"), i),
                                 (double)tornado.position_world[i]);
    cJSON_AddNumberToObject(known, "tick", (double)app_ticks_effective(cluster->def.ticks));
}

static uint64_t ticks_since(const AppCluster *cluster, const cJSON *entry) {
    const double ticks = (double)sim_world_tick(cluster->def.characters->world) - tick_of(entry);
    return ticks > 0 ? (uint64_t)ticks : 0;
}

// A tornado that is gone leaves `false`.
static void note_tornados(AppCluster *cluster, const cJSON *tornados) {
    const cJSON *tornado;
    char key[APP_SUBJECT_SIZE];
    cJSON_ArrayForEach(tornado, tornados) {
        snprintf(key, sizeof key, "tornado.%s",
                 cJSON_GetObjectItemCaseSensitive(tornado, "name")->valuestring);
        if (is_same_tornado(cluster, cJSON_GetObjectItemCaseSensitive(cluster->replicas.known, key), tornado))
            continue;
        store(cluster, key, tornado);
        cJSON *known = cJSON_Duplicate(tornado, 1);
        cJSON_AddNumberToObject(known, "tick", (double)app_ticks_effective(cluster->def.ticks));
        set_known(cluster, key, known);
    }
    const cJSON *next;
    for (const cJSON *known = cluster->replicas.known->child; known; known = next) {
        next = known->next;
        if (!cJSON_IsObject(known) || strncmp(known->string, "tornado.", 8) != 0) continue;
        bool is_there = false;
        cJSON_ArrayForEach(tornado, tornados) is_there |=
            strcmp(known->string + 8, cJSON_GetObjectItemCaseSensitive(tornado, "name")->valuestring) == 0;
        if (is_there) continue;
        snprintf(key, sizeof key, "%s", known->string);
        cJSON *gone = cJSON_CreateFalse();
        store(cluster, key, gone);
        set_known(cluster, key, gone);
    }
}

static void note_fabric(AppCluster *cluster, const char *fabric, const cJSON *values) {
    char key[APP_SUBJECT_SIZE];
    snprintf(key, sizeof key, "fabric.%s", fabric);
    cJSON *known = cJSON_GetObjectItemCaseSensitive(cluster->replicas.known, key);
    if (!known) known = cJSON_AddObjectToObject(cluster->replicas.known, key);
    merge(known, values);
    if (!cluster->def.rpc->replica) store(cluster, key, known);
}

// Whether nobody has changed the tornado. It travels by itself, so its position may differ by what it has
// travelled.
static bool is_same_tornado(const AppCluster *cluster, const cJSON *known, const cJSON *now) {
    if (!cJSON_IsObject(known)) return false;
    static const char *const fixed[] = {"radius", "strength", "lift", "velocity", NULL};
    for (const char *const *key = fixed; *key; key++) {
        const cJSON *was = cJSON_GetObjectItemCaseSensitive(known, *key);
        if (was && !cJSON_Compare(was, cJSON_GetObjectItemCaseSensitive(now, *key), 1)) return false;
    }
    const double tick = cJSON_GetObjectItemCaseSensitive(known, "tick")->valuedouble;
    const double seconds =
        ((double)app_ticks_effective(cluster->def.ticks) - tick) / cluster->def.ticks->rate;
    for (int i = 0; i < 3; i++) {
        const cJSON *was = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(known, "position"), i),
                    *is = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(now, "position"), i),
                    *speed = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(now, "velocity"), i);
        const double moved = speed ? speed->valuedouble * seconds : 0,
                     slack =
                         SAME_PLACE + (speed ? fabs(speed->valuedouble) * 2 / cluster->def.ticks->rate : 0);
        if (!was || !is || fabs(was->valuedouble + moved - is->valuedouble) > slack) return false;
    }
    return true;
}

// Takes `value` over.
static void set_known(AppCluster *cluster, const char *key, cJSON *value) {
    set_item(cluster->replicas.known, key, value);
}

// Takes `value` over.
static void set_item(cJSON *object, const char *key, cJSON *value) {
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddItemToObject(object, key, value);
}

static void store(AppCluster *cluster, const char *key, const cJSON *value) {
    char process[32];
    write_process(cluster, process);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "process", process);
    cJSON_AddNumberToObject(entry, "tick", (double)sim_world_tick(cluster->def.characters->world));
    cJSON_AddItemToObject(entry, "value", cJSON_Duplicate(value, 1));
    TextBuffer text;
    text_buffer_init(&text);
    protocol_write_json(&text, entry);
    cJSON_Delete(entry);
    AppMessage *message = text.failed ? NULL : app_message_create(APP_MESSAGE_STORE, text.bytes, text.length);
    text_buffer_finish(&text);
    if (message) app_bridge_escape(key, message->subject);
    cJSON_DeleteItemFromObjectCaseSensitive(cluster->replicas.overridden, key);
    if (!app_mailbox_put(&cluster->bridge.out, message))
        app_log(cluster->def.log, TEXT_LOG_WARNING, "could not publish the change of %s to the other nodes",
                key);
}

// Values may be objects, whose members are merged.
static void merge(cJSON *into, const cJSON *values) {
    for (const cJSON *item = values ? values->child : NULL; item; item = item->next) {
        cJSON *known = cJSON_GetObjectItemCaseSensitive(into, item->string);
        if (cJSON_IsObject(item) && cJSON_IsObject(known)) {
            merge(known, item);
        } else {
            set_item(into, item->string, cJSON_Duplicate(item, 1));
        }
    }
}

// An entry that this node has stored is no news to it, unless another node's entry was applied in between.
static bool is_news(AppCluster *cluster, const char *key, const cJSON *entry) {
    AppReplicas *replicas = &cluster->replicas;
    char own[32];
    const cJSON *process = cJSON_GetObjectItemCaseSensitive(entry, "process");
    if (!cJSON_IsString(process)) return false;
    write_process(cluster, own);
    if (strcmp(process->valuestring, own) == 0) return cJSON_HasObjectItem(replicas->overridden, key);
    if (!cJSON_HasObjectItem(replicas->overridden, key)) cJSON_AddTrueToObject(replicas->overridden, key);
    return true;
}

// Of each part the newer value counts, so all nodes agree in the end, in whatever order the entries of two
// nodes come. An entry that lacks what this node knows is stored again.
static void apply_parts(AppCluster *cluster, const cJSON *stamped) {
    cJSON *params = cJSON_CreateObject();
    bool lacks_one = false;
    for (const char *const *part = parts; *part; part++) {
        const cJSON *theirs = cJSON_GetObjectItemCaseSensitive(stamped, *part),
                    *ours = cJSON_GetObjectItemCaseSensitive(cluster->replicas.stamped, *part);
        lacks_one |= is_newer(ours, theirs);
        if (!is_newer(theirs, ours)) continue;
        cJSON_AddItemToObject(params, *part,
                              cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(theirs, "value"), 1));
        set_item(cluster->replicas.stamped, *part, cJSON_Duplicate(theirs, 1));
        if (strcmp(*part, "wind") == 0)
            set_item(cluster->replicas.repeats, "wind", cJSON_Duplicate(theirs, 1));
    }
    if (params->child)
        request(cluster, PROTOCOL_WORLD_SET, params);
    else
        cJSON_Delete(params);
    if (lacks_one) store(cluster, PARTS_KEY, cluster->replicas.stamped);
}

// than: NULL is older than all.
static bool is_newer(const cJSON *stamped, const cJSON *than) {
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(stamped, "time"),
                *process = cJSON_GetObjectItemCaseSensitive(stamped, "process");
    if (!cJSON_IsNumber(time) || !cJSON_IsString(process)) return false;
    if (!than) return true;
    const double other = cJSON_GetObjectItemCaseSensitive(than, "time")->valuedouble;
    return time->valuedouble > other ||
           (time->valuedouble == other &&
            strcmp(process->valuestring, cJSON_GetObjectItemCaseSensitive(than, "process")->valuestring) > 0);
}

static void apply_fabric(AppCluster *cluster, const char *fabric, const cJSON *values) {
    cJSON *params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "fabric", fabric);
    cJSON_AddItemToObject(params, "values", cJSON_Duplicate(values, 1));
    request(cluster, PROTOCOL_FABRIC_SET, params);
}

static void apply_tornado(AppCluster *cluster, const char *key, const cJSON *entry) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, "value");
    cJSON *params = cJSON_IsObject(value) ? cJSON_Duplicate(value, 1) : cJSON_CreateObject();
    if (!cJSON_IsObject(value)) {
        cJSON_AddStringToObject(params, "name", key + strlen("tornado."));
        request(cluster, PROTOCOL_WORLD_CALM, params);
        return;
    }
    cJSON *repeat = cJSON_CreateObject();
    cJSON_AddNumberToObject(repeat, "tick", tick_of(entry));
    set_item(cluster->replicas.repeats, key, repeat);
    request(cluster, PROTOCOL_WORLD_TORNADO, params);
}

// Takes `params` over.
static void request(AppCluster *cluster, ProtocolMethodId method, cJSON *params) {
    AppRequest *made = calloc(1, sizeof *made);
    char *nobody = strdup("");
    cJSON *object = cJSON_CreateObject();
    ProtocolError error;
    if (!made || !nobody || !object || !cJSON_AddItemToObject(object, "params", params)) {
        free(made);
        free(nobody);
        cJSON_Delete(object);
        return;
    }
    *made = (AppRequest){.rpc = cluster->def.rpc,
                         .method = &protocol_methods[method],
                         .reply_to = nobody,
                         .is_replica = true,
                         .request = {.object = object, .params = params, .notification = true}};
    if (!protocol_validate_params(made->method, params, &error) ||
        !app_rpc_receive_from_node(cluster->def.rpc, made))
        app_request_destroy(made);
}

// A name for this run of the program.
static void write_process(const AppCluster *cluster, char text[32]) {
    snprintf(text, 32, "%llx", (unsigned long long)cluster->first_number);
}

static double wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
