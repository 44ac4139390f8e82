// The states, and what becomes of them.
#include "cluster/adopt.h"

#include "base/json.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define STATES_AT_ONCE 20                    // five times a second
#define REFRESH_NS     UINT64_C(10000000000) // a state is put again although it is the same
#define SURE_NS        UINT64_C(1700000000)  // of own beats, before a node is taken for gone
#define OTHERS_NS      UINT64_C(600000000) // until any node takes a character that another should have taken
#define MOST_AT_ONCE   64

static void put_state(AppCluster *cluster, AppClaim *claim, const AppCharacter *character);
static cJSON *write_state(const AppCluster *cluster, AppJson *json, const AppClaim *claim,
                          const AppCharacter *character);
static bool is_mine(const AppCluster *cluster, const AppResident *resident, uint64_t now_ns);
static AppRequest *spawn_request(AppCluster *cluster, const AppClaim *claim, const char *script,
                                 const cJSON *state);
static void copy(cJSON *into, const cJSON *from, const char *key);
static void play_on(AppCluster *cluster, const AppCharacter *character, const cJSON *state);
static double number_of(const cJSON *object, const char *key, double otherwise);

void app_adopt_put_states(AppCluster *cluster) {
    const size_t capacity = cluster->claims.capacity;
    int count = 0;
    for (size_t i = 0; i < capacity && count < STATES_AT_ONCE && cluster->is_connected; i++) {
        AppClaim *claim = cluster->claims.slots[cluster->next_state++ % capacity].owner;
        const AppCharacter *character =
            claim && claim->state == APP_CLAIM_OWNED && !claim->spawn && !claim->restored
                ? app_characters_find(cluster->def.characters, claim->name)
                : NULL;
        if (!character) continue;
        put_state(cluster, claim, character);
        count++;
    }
}

void app_adopt_orphans(AppCluster *cluster) {
    const uint64_t now_ns = uv_hrtime();
    const bool is_sure = cluster->is_connected && !cluster->is_unsure && cluster->beat_ns > 0 &&
                         cluster->beat_ns > cluster->beating_ns + SURE_NS;
    int count = 0;
    for (size_t i = 0; i < cluster->directory.residents.capacity; i++) {
        AppResident *resident = cluster->directory.residents.slots[i].owner;
        if (!resident) continue;
        const bool is_own = strcmp(resident->node, cluster->node) == 0;
        if (is_own ? !resident->is_inherited
                   : app_directory_find_member(&cluster->directory, resident->node) != NULL) {
            resident->orphaned_ns = 0;
            continue;
        }
        if (resident->orphaned_ns == 0) resident->orphaned_ns = now_ns;
        if (!is_sure || count == MOST_AT_ONCE || app_cluster_find_claim(cluster, resident->name) ||
            !is_mine(cluster, resident, now_ns))
            continue;
        AppClaim *claim = app_cluster_claim(cluster, resident->name, resident->script);
        if (!claim) return;
        claim->adopts = true;
        count++;
    }
}

void app_adopt_claimed(AppCluster *cluster, AppClaim *claim, const AppLetter *letter) {
    const AppResident *resident = app_directory_find(&cluster->directory, claim->name);
    cJSON *state = letter->length > 0 ? cJSON_ParseWithLength(letter->body, letter->length) : NULL;
    claim->adopts = false;
    AppRequest *request = letter->outcome == APP_LETTER_DONE && resident
                              ? spawn_request(cluster, claim, resident->script, state)
                              : NULL;
    if (!request) { // another node was faster, or it is not gone after all
        if (letter->outcome != APP_LETTER_DONE) claim->revision = 0;
        app_cluster_release(cluster, claim);
        cJSON_Delete(state);
        return;
    }
    app_log(cluster->def.log, TEXT_LOG_INFO, "%s goes on here", claim->name);
    script_name_table_remove(&cluster->def.characters->names, claim->name);
    claim->restored = state;
    claim->spawn = request;
    if (!app_rpc_receive_from_node(cluster->def.rpc, request)) app_request_destroy(request); // ends the claim
}

void app_adopt_restore(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const AppCharacter *character = claim && claim->restored && !claim->spawn
                                            ? app_characters_find(cluster->def.characters, claim->name)
                                            : NULL;
        if (!character) continue;
        play_on(cluster, character, claim->restored);
        cJSON_Delete(claim->restored);
        claim->restored = NULL;
    }
}

static void put_state(AppCluster *cluster, AppClaim *claim, const AppCharacter *character) {
    AppJson json = {0};
    cJSON *state = write_state(cluster, &json, claim, character);
    TextBuffer text;
    text_buffer_init(&text);
    if (!json.failed) protocol_write_json(&text, state);
    cJSON_Delete(state);
    const uint64_t now_ns = uv_hrtime(), hash = text_hash(TEXT_HASH_BEGIN, text.bytes, text.length);
    const bool is_new = hash != claim->state_hash || now_ns > claim->state_ns + REFRESH_NS;
    AppLetter *letter = !json.failed && !text.failed && is_new
                            ? app_letter_create(APP_LETTER_STATE, text.bytes, text.length)
                            : NULL;
    text_buffer_finish(&text);
    if (!letter) return;
    memcpy(letter->name, claim->name, sizeof letter->name);
    if (!app_mailbox_put(&cluster->bridge.out, letter)) return;
    claim->state_hash = hash;
    claim->state_ns = now_ns;
}

static cJSON *write_state(const AppCluster *cluster, AppJson *json, const AppClaim *claim,
                          const AppCharacter *character) {
    const SimWorld *world = cluster->def.characters->world;
    const SimTransform root = sim_character_root(world, character->id);
    SimPlay play;
    const int clip = sim_character_playing(world, character->id, &play);
    cJSON *state = app_json_root_object(json);
    app_json_integer(json, state, "epoch", claim->revision);
    app_json_vector(json, state, "position", root.position, 3);
    app_json_vector(json, state, "rotation", root.rotation, 4);
    const ScriptParams *params = script_instance_params(character->instance);
    if (params) app_json_item(json, state, "params", app_value_to_json(script_params_value(params)));
    if (clip < 0) return state;
    cJSON *playing = app_json_object(json, state, "clip");
    app_json_string(json, playing, "name",
                    app_character_rig(cluster->def.characters, character)->clip_names[clip]);
    app_json_float(json, playing, "at", play.at);
    app_json_float(json, playing, "speed", play.speed);
    app_json_bool(json, playing, "loop", play.loop);
    app_json_bool(json, playing, "in_place", play.in_place);
    return state;
}

// Each orphan has one node that takes it first, so that they are shared out.
static bool is_mine(const AppCluster *cluster, const AppResident *resident, uint64_t now_ns) {
    size_t rank = 0, count = 0;
    for (size_t i = 0; i < cluster->directory.member_count; i++) {
        const AppMember *member = &cluster->directory.members[i];
        if (app_member_is_drained(member)) continue;
        rank += strcmp(member->name, cluster->node) < 0;
        count++;
    }
    const uint64_t hash = text_hash(TEXT_HASH_BEGIN, resident->name, strlen(resident->name));
    if (strcmp(resident->node, cluster->node) == 0 || count == 0) return true;
    return !cluster->drain.is_on && (now_ns > resident->orphaned_ns + OTHERS_NS || hash % count == rank);
}

// Served as one of another node's that nobody waits for. NULL: out of memory.
static AppRequest *spawn_request(AppCluster *cluster, const AppClaim *claim, const char *script,
                                 const cJSON *state) {
    AppRequest *request = calloc(1, sizeof *request);
    char *nobody = strdup("");
    cJSON *object = cJSON_CreateObject(), *params = cJSON_AddObjectToObject(object, "params");
    if (!request || !nobody || !params) {
        free(request);
        free(nobody);
        cJSON_Delete(object);
        return NULL;
    }
    cJSON_AddStringToObject(params, "script", script);
    cJSON_AddStringToObject(params, "name", claim->name);
    copy(params, state, "position");
    copy(params, state, "rotation");
    copy(params, state, "params");
    *request = (AppRequest){.rpc = cluster->def.rpc,
                            .method = &protocol_methods[PROTOCOL_CHARACTER_SPAWN],
                            .reply_to = nobody,
                            .is_local = true,
                            .request = {.object = object, .params = params, .notification = true}};
    return request;
}

static void copy(cJSON *into, const cJSON *from, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (item) cJSON_AddItemToObject(into, key, cJSON_Duplicate(item, 1));
}

static void play_on(AppCluster *cluster, const AppCharacter *character, const cJSON *state) {
    const cJSON *clip = cJSON_GetObjectItemCaseSensitive(state, "clip"),
                *name = cJSON_GetObjectItemCaseSensitive(clip, "name");
    const SimRigInfo *rig = app_character_rig(cluster->def.characters, character);
    for (int i = 0; i < rig->clip_count && cJSON_IsString(name); i++) {
        if (strcmp(rig->clip_names[i], name->valuestring) != 0) continue;
        SimPlay play = sim_default_play();
        play.at = (float)number_of(clip, "at", 0);
        play.speed = (float)number_of(clip, "speed", 1);
        play.loop = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(clip, "loop"));
        play.in_place = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(clip, "in_place"));
        play.fade = 0.0f;
        sim_character_play(cluster->def.characters->world, character->id, i, &play);
        return;
    }
}

static double number_of(const cJSON *object, const char *key, double otherwise) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}
