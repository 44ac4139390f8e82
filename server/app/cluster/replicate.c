// Changes become entries, and entries become requests.
#include "cluster/replicate.h"

#include "cluster/forward.h"
#include "cluster/node/stamps.h"
#include "session/events.h"

#include <math.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_KEY   "world"
#define TORNADO_KEY "tornado."
#define FABRIC_KEY  "fabric."
#define TORNADO     "tornado" // its only part
#define MOST_EARLY  2         // s that a node waits for the tick of an entry
#define SAME_PLACE  0.01      // m that a tornado may be from where it was to be

// Is called with each value of a fabric; a member of a group is the part GROUP.MEMBER.
typedef void FabricVisitor(AppCluster *cluster, const char *key, const char *part, const cJSON *value);

static const char *const parts[] = {"gravity", "wind", "ground", NULL};

static bool is_early(const AppCluster *cluster, const cJSON *entry);
static void apply(AppCluster *cluster, const char *key, const cJSON *entry);
static void apply_newer(AppCluster *cluster, const char *key, const cJSON *stamps);
static cJSON *read_world(const AppCluster *cluster);
static void note_parts(AppCluster *cluster, const cJSON *world);
static void add_wind(const AppCluster *cluster, cJSON *stamped);
static void note_replica(AppCluster *cluster, const cJSON *params);
static void restore_own(AppCluster *cluster, const char *key, const char *part, const cJSON *given);
static void repeat_wind(AppCluster *cluster);
static void repeat_tornado(AppCluster *cluster, const char *key, cJSON *known);
static uint64_t ticks_since(const AppCluster *cluster, const cJSON *entry);
static void note_tornados(AppCluster *cluster, const cJSON *tornados);
static void store_tornado(AppCluster *cluster, const char *key, const cJSON *tornado);
static void note_fabric(AppCluster *cluster, const char *fabric, const cJSON *values, FabricVisitor *visit);
static void add_stamp(AppCluster *cluster, const char *key, const char *part, const cJSON *value);
static bool is_same_tornado(const AppCluster *cluster, const cJSON *known, const cJSON *now);
static void set_known(AppCluster *cluster, const char *key, cJSON *value);
static void apply_parts(AppCluster *cluster, const cJSON *stamps);
static void apply_fabric(AppCluster *cluster, const char *fabric, const cJSON *stamps);
static void apply_tornado(AppCluster *cluster, const char *key, const cJSON *stamp);
static void request(AppCluster *cluster, ProtocolMethodId method, cJSON *params);

void app_replicas_init(AppCluster *cluster) {
    AppReplicas *replicas = &cluster->replicas;
    replicas->known = cJSON_CreateObject();
    replicas->early = cJSON_CreateObject();
    replicas->repeats = cJSON_CreateObject();
    app_stamps_init(cluster);
    cJSON *world = read_world(cluster);
    for (const char *const *part = parts; *part; part++)
        set_known(cluster, *part, cJSON_DetachItemFromObjectCaseSensitive(world, *part));
    cJSON_Delete(world);
}

void app_replicas_finish(AppCluster *cluster) {
    cJSON_Delete(cluster->replicas.known);
    app_stamps_finish(cluster);
    cJSON_Delete(cluster->replicas.early);
    cJSON_Delete(cluster->replicas.repeats);
}

void app_replicas_update(AppCluster *cluster) {
    const cJSON *next;
    app_stamps_update(cluster);
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
        const cJSON *values =
            cJSON_GetObjectItemCaseSensitive(replica ? replica->request.params : params, "values");
        note_fabric(cluster, fabric->valuestring, values, replica ? restore_own : add_stamp);
    }
}

void app_replicas_apply(AppCluster *cluster, const AppMessage *message) {
    char key[APP_SUBJECT_SIZE];
    app_bridge_unescape(message->subject, key, sizeof key);
    app_stamps_note_revision(cluster, key, message->revision);
    cJSON *entry = message->length > 0 ? cJSON_Parse(message->body) : NULL;
    if (entry && is_early(cluster, entry)) {
        app_json_set(cluster->replicas.early, key, entry);
    } else {
        apply(cluster, key, entry);
        cJSON_Delete(entry);
    }
}

// Whether the entry is of a tick that this node reaches within MOST_EARLY. One that is further ahead is of
// another count, as before this node has taken over the cluster's.
static bool is_early(const AppCluster *cluster, const cJSON *entry) {
    const double ahead =
        app_json_get_number(entry, "tick", 0) - (double)sim_world_tick(cluster->def.characters->world);
    return ahead > 0 && ahead < MOST_EARLY * cluster->def.ticks->rate;
}

static void apply(AppCluster *cluster, const char *key, const cJSON *entry) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, "value");
    if (!cJSON_IsObject(value)) return;
    cJSON *newer = app_stamps_merge(cluster, key, value);
    apply_newer(cluster, key, newer);
    cJSON_Delete(newer);
}

// Requests the values of the stamps.
static void apply_newer(AppCluster *cluster, const char *key, const cJSON *stamps) {
    if (!stamps->child) return;
    if (strcmp(key, PARTS_KEY) == 0)
        apply_parts(cluster, stamps);
    else if (strncmp(key, TORNADO_KEY, strlen(TORNADO_KEY)) == 0)
        apply_tornado(cluster, key, cJSON_GetObjectItemCaseSensitive(stamps, TORNADO));
    else if (strncmp(key, FABRIC_KEY, strlen(FABRIC_KEY)) == 0)
        apply_fabric(cluster, key + strlen(FABRIC_KEY), stamps);
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
        cJSON *stamped = app_stamps_add(cluster, PARTS_KEY, *part, now);
        if (strcmp(*part, "wind") == 0) add_wind(cluster, stamped);
        has_changed = true;
    }
    if (has_changed) app_stamps_put(cluster, PARTS_KEY);
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
        if (given) restore_own(cluster, PARTS_KEY, *part, given);
    }
    if (!cJSON_IsString(name)) return;
    snprintf(key, sizeof key, TORNADO_KEY "%s", name->valuestring);
    cJSON *tornado =
        cJSON_GetObjectItemCaseSensitive(params, "radius") ? cJSON_Duplicate(params, 1) : cJSON_CreateFalse();
    restore_own(cluster, key, TORNADO, tornado);
    if (cJSON_IsObject(tornado)) repeat_tornado(cluster, key, tornado);
    set_known(cluster, key, tornado);
}

// A request of an entry has waited here while a client of this node has set a newer value: sets that value
// again.
static void restore_own(AppCluster *cluster, const char *key, const char *part, const cJSON *given) {
    const cJSON *stamp = app_stamps_find(cluster, key, part);
    if (!stamp || !app_stamps_is_own(cluster, stamp) ||
        cJSON_Compare(given, cJSON_GetObjectItemCaseSensitive(stamp, "value"), 1))
        return;
    cJSON *stamps = cJSON_CreateObject();
    cJSON_AddItemToObject(stamps, part, cJSON_Duplicate(stamp, 1));
    apply_newer(cluster, key, stamps);
    cJSON_Delete(stamps);
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
    if (repeat) sim_world_repeat_tornado(world, key + strlen(TORNADO_KEY), ticks_since(cluster, repeat));
    cJSON_Delete(repeat);
    if (sim_world_tornado(world, key + strlen(TORNADO_KEY), &tornado))
        for (int i = 0; i < 3; i++)
            cJSON_SetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(known, "position"), i),
                                 (double)tornado.position_world[i]);
    cJSON_AddNumberToObject(known, "tick", (double)app_ticks_effective(cluster->def.ticks));
}

static uint64_t ticks_since(const AppCluster *cluster, const cJSON *entry) {
    const double ticks =
        (double)sim_world_tick(cluster->def.characters->world) - app_json_get_number(entry, "tick", 0);
    return ticks > 0 ? (uint64_t)ticks : 0;
}

// A tornado that is gone leaves `false`.
static void note_tornados(AppCluster *cluster, const cJSON *tornados) {
    const cJSON *tornado;
    char key[APP_SUBJECT_SIZE];
    cJSON_ArrayForEach(tornado, tornados) {
        snprintf(key, sizeof key, TORNADO_KEY "%s",
                 cJSON_GetObjectItemCaseSensitive(tornado, "name")->valuestring);
        if (is_same_tornado(cluster, cJSON_GetObjectItemCaseSensitive(cluster->replicas.known, key), tornado))
            continue;
        store_tornado(cluster, key, tornado);
        cJSON *known = cJSON_Duplicate(tornado, 1);
        cJSON_AddNumberToObject(known, "tick", (double)app_ticks_effective(cluster->def.ticks));
        set_known(cluster, key, known);
    }
    const cJSON *next;
    for (const cJSON *known = cluster->replicas.known->child; known; known = next) {
        next = known->next;
        if (!cJSON_IsObject(known) || strncmp(known->string, TORNADO_KEY, strlen(TORNADO_KEY)) != 0) continue;
        bool is_there = false;
        cJSON_ArrayForEach(tornado, tornados) is_there |=
            strcmp(known->string + strlen(TORNADO_KEY),
                   cJSON_GetObjectItemCaseSensitive(tornado, "name")->valuestring) == 0;
        if (is_there) continue;
        snprintf(key, sizeof key, "%s", known->string);
        cJSON *gone = cJSON_CreateFalse();
        store_tornado(cluster, key, gone);
        set_known(cluster, key, gone);
    }
}

// The other nodes repeat it from this tick on.
static void store_tornado(AppCluster *cluster, const char *key, const cJSON *tornado) {
    cJSON_AddNumberToObject(app_stamps_add(cluster, key, TORNADO, tornado), "tick",
                            (double)sim_world_tick(cluster->def.characters->world));
    app_stamps_put(cluster, key);
}

static void note_fabric(AppCluster *cluster, const char *fabric, const cJSON *values, FabricVisitor *visit) {
    char key[APP_SUBJECT_SIZE], part[2 * TEXT_NAME_BYTES + 2];
    const cJSON *value, *member;
    snprintf(key, sizeof key, FABRIC_KEY "%s", fabric);
    cJSON_ArrayForEach(value, values) {
        if (!cJSON_IsObject(value)) visit(cluster, key, value->string, value);
        if (!cJSON_IsObject(value)) continue;
        cJSON_ArrayForEach(member, value) {
            snprintf(part, sizeof part, "%.*s.%.*s", TEXT_NAME_BYTES, value->string, TEXT_NAME_BYTES,
                     member->string);
            visit(cluster, key, part, member);
        }
    }
    if (!cluster->def.rpc->replica) app_stamps_put(cluster, key);
}

static void add_stamp(AppCluster *cluster, const char *key, const char *part, const cJSON *value) {
    app_stamps_add(cluster, key, part, value);
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
    app_json_set(cluster->replicas.known, key, value);
}

static void apply_parts(AppCluster *cluster, const cJSON *stamps) {
    cJSON *params = cJSON_CreateObject();
    for (const char *const *part = parts; *part; part++) {
        const cJSON *stamp = cJSON_GetObjectItemCaseSensitive(stamps, *part),
                    *value = cJSON_GetObjectItemCaseSensitive(stamp, "value");
        if (value) cJSON_AddItemToObject(params, *part, cJSON_Duplicate(value, 1));
        if (value && strcmp(*part, "wind") == 0)
            app_json_set(cluster->replicas.repeats, "wind", cJSON_Duplicate(stamp, 1));
    }
    request(cluster, PROTOCOL_WORLD_SET, params);
}

static void apply_fabric(AppCluster *cluster, const char *fabric, const cJSON *stamps) {
    cJSON *params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "fabric", fabric);
    cJSON *values = cJSON_AddObjectToObject(params, "values");
    const cJSON *stamp;
    cJSON_ArrayForEach(stamp, stamps) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(stamp, "value");
        const char *point = strchr(stamp->string, '.');
        char group[APP_SUBJECT_SIZE];
        snprintf(group, sizeof group, "%.*s", point ? (int)(point - stamp->string) : 0, stamp->string);
        cJSON *object = point ? cJSON_GetObjectItemCaseSensitive(values, group) : values;
        if (!object) object = cJSON_AddObjectToObject(values, group);
        if (value)
            cJSON_AddItemToObject(object, point ? point + 1 : stamp->string, cJSON_Duplicate(value, 1));
    }
    request(cluster, PROTOCOL_FABRIC_SET, params);
}

static void apply_tornado(AppCluster *cluster, const char *key, const cJSON *stamp) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(stamp, "value");
    cJSON *params = cJSON_IsObject(value) ? cJSON_Duplicate(value, 1) : cJSON_CreateObject();
    if (!cJSON_IsObject(value)) {
        cJSON_AddStringToObject(params, "name", key + strlen(TORNADO_KEY));
        request(cluster, PROTOCOL_WORLD_CALM, params);
        return;
    }
    cJSON *repeat = cJSON_CreateObject();
    cJSON_AddNumberToObject(repeat, "tick", app_json_get_number(stamp, "tick", 0));
    app_json_set(cluster->replicas.repeats, key, repeat);
    request(cluster, PROTOCOL_WORLD_TORNADO, params);
}

// Takes `params` over.
static void request(AppCluster *cluster, ProtocolMethodId method, cJSON *params) {
    AppRequest *made = app_forward_create(cluster, method, params);
    ProtocolError error;
    if (!made) return;
    made->is_replica = true;
    if (!protocol_validate_params(made->method, params, &error) ||
        !app_rpc_receive_from_node(cluster->def.rpc, made))
        app_request_destroy(made);
}
