// The states, and what becomes of them.
#include "cluster/adopt.h"

#include "base/json.h"
#include "characters/fabrics.h"
#include "cluster/forward.h"
#include "cluster/node/claims.h"
#include "session/events.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define STATES_AT_ONCE   20                    // seven times a second
#define REFRESH_NS       UINT64_C(10000000000) // a state is put again although it is the same
#define CLAIM_ANY_NS     UINT64_C(600000000) // until any node claims a character that another should have claimed
#define REFUSED_NS       UINT64_C(5000000000) // until a node tries again to take a character that it could not
#define CLAIM_DRAINED_NS UINT64_C(3000000000) // until a drained node claims what no other node has
#define MOST_AT_ONCE     64
#define SAVE_NS          UINT64_C(1000000000) // between two calls of a character's on_save
#define MOST_SAVED       ((size_t)16 << 10)   // bytes of what it gives, as JSON

static const AppCharacter *with_state(const AppCluster *cluster, const AppClaim *claim);
static AppMessage *state_of(AppCluster *cluster, AppClaim *claim, const AppCharacter *character);
static cJSON *write_state(const AppCluster *cluster, AppJson *json, AppClaim *claim,
                          const AppCharacter *character);
static void write_clip(const AppCluster *cluster, AppJson *json, const AppCharacter *character, cJSON *state);
static void write_garments(const AppCluster *cluster, AppJson *json, const AppCharacter *character,
                           cJSON *state);
static void write_pose(const AppCluster *cluster, AppJson *json, const AppCharacter *character, cJSON *state);
static void renew_saved(AppClaim *claim, const AppCharacter *character);
static bool has_room(AppCluster *cluster, AppDirectoryCharacter *entry);
static void refuse(AppCluster *cluster, AppDirectoryCharacter *entry, const char *why);
static bool is_mine(const AppCluster *cluster, const AppDirectoryCharacter *entry, uint64_t now_ns);
static AppRequest *spawn_request(AppCluster *cluster, const AppClaim *claim, const char *script,
                                 const cJSON *state);
static void copy(cJSON *into, const cJSON *from, const char *key);
static void restore(AppCluster *cluster, AppCharacter *character, const cJSON *state);
static void restore_script(const AppCharacter *character, const cJSON *saved);
static void restore_garments(AppCluster *cluster, AppCharacter *character, const cJSON *state);
static void restore_pose(AppCluster *cluster, const AppCharacter *character, const cJSON *state);
static void restore_bone(AppCluster *cluster, const AppCharacter *character, const cJSON *posed,
                         uint64_t owner);
static void play_on(AppCluster *cluster, const AppCharacter *character, const cJSON *state);

void app_adopt_put_last_states(AppCluster *cluster) {
    for (size_t i = 0; i < cluster->claims.capacity && cluster->is_connected; i++) {
        AppClaim *claim = cluster->claims.slots[i].owner;
        const AppCharacter *character = claim ? with_state(cluster, claim) : NULL;
        if (!character) continue;
        claim->saved_ns = 0; // on_save is called, however short ago it was
        app_mailbox_put(&cluster->bridge.out, state_of(cluster, claim, character));
    }
}

void app_adopt_put_states(AppCluster *cluster) {
    const size_t capacity = cluster->claims.capacity;
    int count = 0;
    for (size_t i = 0; i < capacity && count < STATES_AT_ONCE && cluster->is_connected; i++) {
        AppClaim *claim = cluster->claims.slots[cluster->next_state++ % capacity].owner;
        const AppCharacter *character = claim ? with_state(cluster, claim) : NULL;
        if (!character) continue;
        AppMessage *message = state_of(cluster, claim, character);
        if (message && !app_mailbox_put(&cluster->bridge.out, message))
            claim->state_hash = 0; // the next time
        count++;
    }
}

void app_adopt_orphans(AppCluster *cluster) {
    const uint64_t now_ns = uv_hrtime();
    const bool is_sure = cluster->is_connected && cluster->standstill_ns == 0 && cluster->heartbeat_ns > 0 &&
                         cluster->heartbeat_ns > cluster->heartbeats_since_ns + APP_STEADY_NS;
    int count = 0;
    for (size_t i = 0; i < cluster->directory.characters.capacity; i++) {
        AppDirectoryCharacter *entry = cluster->directory.characters.slots[i].owner;
        if (!entry) continue;
        const bool is_own = strcmp(entry->node, cluster->node) == 0;
        if (is_own ? !entry->is_inherited : !app_directory_is_orphan(&cluster->directory, entry)) {
            entry->orphaned_ns = 0;
            continue;
        }
        if (entry->orphaned_ns == 0) entry->orphaned_ns = now_ns;
        if (!is_sure || count == MOST_AT_ONCE || app_claims_find(cluster, entry->name) ||
            !is_mine(cluster, entry, now_ns) || !has_room(cluster, entry))
            continue;
        AppClaim *claim = app_claims_create(cluster, entry->name, entry->script);
        if (!claim) return;
        if (claim->state != APP_CLAIM_REQUESTED) { // the outbox has no room
            app_claims_release(cluster, claim);
            return;
        }
        claim->adopts = true;
        count++;
    }
}

void app_adopt_claimed(AppCluster *cluster, AppClaim *claim, const AppMessage *message) {
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, claim->name);
    cJSON *state = message->length > 0 ? cJSON_ParseWithLength(message->body, message->length) : NULL;
    claim->adopts = false;
    AppRequest *request = message->outcome == APP_MESSAGE_DONE && entry
                              ? spawn_request(cluster, claim, entry->script, state)
                              : NULL;
    if (!request) { // another node was faster, or it is not gone after all
        if (message->outcome != APP_MESSAGE_DONE) claim->revision = 0;
        app_claims_release(cluster, claim);
        cJSON_Delete(state);
        return;
    }
    script_name_table_remove(&cluster->def.characters->names, claim->name);
    claim->restored = state;
    claim->spawn = request;
    app_forward_serve_here(cluster, request);
}

void app_adopt_ended(AppCluster *cluster, AppClaim *claim, const char *script, const ProtocolError *error) {
    AppCharacter *character = app_characters_find(cluster->def.characters, claim->name);
    AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, claim->name);
    if (character) {
        const bool is_again = entry && entry->is_inherited;
        app_log(cluster->def.log, TEXT_LOG_INFO, "%s goes on here%s", claim->name,
                is_again ? " again" : ": its node has gone");
        if (claim->restored) restore(cluster, character, claim->restored);
        cJSON_Delete(claim->restored);
        claim->restored = NULL;
        return;
    }
    if (entry) refuse(cluster, entry, error ? error->message : "out of memory");
    app_claims_leave_to(cluster, claim, "", script);
}

// NULL: there is none to put.
static const AppCharacter *with_state(const AppCluster *cluster, const AppClaim *claim) {
    const bool has_state = claim->state == APP_CLAIM_OWNED && !claim->spawn && !claim->restored;
    return has_state ? app_characters_find(cluster->def.characters, claim->name) : NULL;
}

// NULL: it is as it was put last.
static AppMessage *state_of(AppCluster *cluster, AppClaim *claim, const AppCharacter *character) {
    AppJson json = {0};
    cJSON *state = write_state(cluster, &json, claim, character);
    TextBuffer text = {0};
    if (!json.failed) protocol_write_json(&text, state);
    cJSON_Delete(state);
    const uint64_t now_ns = uv_hrtime(), hash = text_hash(TEXT_HASH_BEGIN, text.bytes, text.length);
    const bool is_new = hash != claim->state_hash || now_ns > claim->state_ns + REFRESH_NS;
    AppMessage *message = !json.failed && !text.failed && is_new
                              ? app_message_create(APP_MESSAGE_STATE, text.bytes, text.length)
                              : NULL;
    text_buffer_finish(&text);
    if (!message) return NULL;
    memcpy(message->name, claim->name, sizeof message->name);
    claim->state_hash = hash;
    claim->state_ns = now_ns;
    return message;
}

static cJSON *write_state(const AppCluster *cluster, AppJson *json, AppClaim *claim,
                          const AppCharacter *character) {
    const SimTransform root = sim_character_root(cluster->def.characters->world, character->id);
    cJSON *state = app_json_root_object(json);
    app_json_integer(json, state, "epoch", claim->revision);
    app_json_vector(json, state, "position", root.position, 3);
    app_json_vector(json, state, "rotation", root.rotation, 4);
    const ScriptParams *params = script_instance_params(character->instance);
    if (params) app_json_item(json, state, "params", app_value_to_json(script_params_value(params)));
    write_clip(cluster, json, character, state);
    write_garments(cluster, json, character, state);
    write_pose(cluster, json, character, state);
    renew_saved(claim, character);
    if (claim->saved) app_json_item(json, state, "saved", cJSON_Duplicate(claim->saved, 1));
    return state;
}

static void write_clip(const AppCluster *cluster, AppJson *json, const AppCharacter *character,
                       cJSON *state) {
    SimPlay play;
    const int clip = sim_character_playing(cluster->def.characters->world, character->id, &play);
    if (clip < 0) return;
    cJSON *playing = app_json_object(json, state, "clip");
    app_json_string(json, playing, "name",
                    app_character_rig(cluster->def.characters, character)->clip_names[clip]);
    app_json_float(json, playing, "at", play.at);
    app_json_float(json, playing, "speed", play.speed);
    app_json_bool(json, playing, "loop", play.loop);
    app_json_bool(json, playing, "in_place", play.in_place);
}

// Seams that are not as the script has them, and values that were set on garments.
static void write_garments(const AppCluster *cluster, AppJson *json, const AppCharacter *character,
                           cJSON *state) {
    const AppCharacters *characters = cluster->def.characters;
    const SimRigInfo *rig = app_character_rig(characters, character);
    cJSON *seams = app_json_object(json, state, "seams");
    for (int i = 0; i < rig->seam_count; i++) {
        const bool closed = sim_seam_closed(characters->world, character->id, i);
        if (closed != rig->seams[i].closed) app_json_bool(json, seams, rig->seams[i].name, closed);
    }
    app_fabrics_put_overrides(json, state, characters, character);
}

// {bone, owner, rotation, position, model_rotation, model_position}: in model space where the name says so.
static void write_pose(const AppCluster *cluster, AppJson *json, const AppCharacter *character,
                       cJSON *state) {
    const SimWorld *world = cluster->def.characters->world;
    const SimRigInfo *rig = app_character_rig(cluster->def.characters, character);
    SimPosed *posed = calloc((size_t)rig->bone_count + 1, sizeof *posed);
    const int count = posed ? sim_character_posed(world, character->id, posed) : 0;
    cJSON *bones = count > 0 ? app_json_list(json, state, "pose") : NULL;
    for (int i = 0; i < count; i++) {
        const SimPoseBone *value = &posed[i].value;
        cJSON *bone = app_json_object(json, bones, NULL);
        char owner[24];
        snprintf(owner, sizeof owner, "%llx", (unsigned long long)posed[i].owner);
        app_json_string(json, bone, "bone", rig->bones[value->bone].name);
        app_json_string(json, bone, "owner", owner);
        if (value->has_rotation)
            app_json_vector(json, bone,
                            posed[i].rotation_space == SIM_POSE_MODEL ? "model_rotation" : "rotation",
                            value->rotation, 4);
        if (value->has_position)
            app_json_vector(json, bone,
                            posed[i].position_space == SIM_POSE_MODEL ? "model_position" : "position",
                            value->position, 3);
    }
    free(posed);
}

// on_save is called once a second at most.
static void renew_saved(AppClaim *claim, const AppCharacter *character) {
    ScriptValue value;
    ScriptError error;
    const uint64_t now_ns = uv_hrtime();
    if (claim->saved_ns > 0 && now_ns < claim->saved_ns + SAVE_NS) return;
    claim->saved_ns = now_ns;
    const bool is_saved = script_instance_save(character->instance, &value, &error);
    script_error_finish(&error);
    if (!is_saved) return; // the value of its last call stays
    cJSON_Delete(claim->saved);
    const bool is_kept = value.kind != SCRIPT_VALUE_NULL && script_value_bytes(&value) <= MOST_SAVED;
    claim->saved = is_kept ? app_value_to_json(&value) : NULL;
    script_value_finish(&value);
}

static bool has_room(AppCluster *cluster, AppDirectoryCharacter *entry) {
    const AppCharacters *characters = cluster->def.characters;
    char why[96];
    if (characters->count < characters->most) return true;
    snprintf(why, sizeof why, APP_CHARACTERS_FULL, characters->most);
    refuse(cluster, entry, why);
    return false;
}

// It is said once, however often this node tries again.
static void refuse(AppCluster *cluster, AppDirectoryCharacter *entry, const char *why) {
    char text[640];
    snprintf(text, sizeof text, "%s cannot go on here, and is left to the other nodes: %s", entry->name, why);
    if (entry->refused_ns == 0) app_event_log(cluster->def.sessions, TEXT_LOG_ERROR, text);
    entry->refused_ns = uv_hrtime();
}

// Each orphan has one node that takes it first, so that they are shared out.
static bool is_mine(const AppCluster *cluster, const AppDirectoryCharacter *entry, uint64_t now_ns) {
    size_t rank = 0, count = 0;
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        if (app_directory_node_is_drained(member)) continue;
        rank += strcmp(member->name, cluster->node) < 0;
        count++;
    }
    const uint64_t hash = text_hash(TEXT_HASH_BEGIN, entry->name, strlen(entry->name));
    if (entry->refused_ns > 0 && now_ns < entry->refused_ns + REFUSED_NS) return false;
    if (strcmp(entry->node, cluster->node) == 0 || count == 0) return true;
    if (cluster->drain.is_on) return now_ns > entry->orphaned_ns + CLAIM_DRAINED_NS;
    return now_ns > entry->orphaned_ns + CLAIM_ANY_NS || hash % count == rank;
}

// Builds the character.spawn of an adopted character, as a request of a node that awaits no answer. Returns
// NULL when memory runs out.
static AppRequest *spawn_request(AppCluster *cluster, const AppClaim *claim, const char *script,
                                 const cJSON *state) {
    cJSON *params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "script", script);
    cJSON_AddStringToObject(params, "name", claim->name);
    copy(params, state, "position");
    copy(params, state, "rotation");
    copy(params, state, "params");
    AppRequest *request = app_forward_create(cluster, PROTOCOL_CHARACTER_SPAWN, params);
    if (request) request->is_local = request->is_adoption = true;
    return request;
}

static void copy(cJSON *into, const cJSON *from, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (item) cJSON_AddItemToObject(into, key, cJSON_Duplicate(item, 1));
}

static void restore(AppCluster *cluster, AppCharacter *character, const cJSON *state) {
    restore_script(character, cJSON_GetObjectItemCaseSensitive(state, "saved"));
    restore_garments(cluster, character, state);
    play_on(cluster, character, state);
    restore_pose(cluster, character, state);
}

static void restore_script(const AppCharacter *character, const cJSON *saved) {
    ScriptValue value;
    ScriptError error = {0};
    if (!saved || !app_value_from_json(&value, saved)) return;
    script_instance_restore(character->instance, &value,
                            &error); // without it the script is as after on_spawn
    script_error_finish(&error);
    script_value_finish(&value);
}

static void restore_garments(AppCluster *cluster, AppCharacter *character, const cJSON *state) {
    AppCharacters *characters = cluster->def.characters;
    const SimRigInfo *rig = app_character_rig(characters, character);
    const cJSON *seams = cJSON_GetObjectItemCaseSensitive(state, "seams"),
                *garments = cJSON_GetObjectItemCaseSensitive(state, "garments"), *garment;
    for (int i = 0; i < rig->seam_count; i++) {
        const cJSON *closed = cJSON_GetObjectItemCaseSensitive(seams, rig->seams[i].name);
        if (closed) sim_seam_set_closed(characters->world, character->id, i, cJSON_IsTrue(closed));
    }
    cJSON_ArrayForEach(garment, garments) {
        AppOverride values;
        ProtocolError error;
        const int index = app_character_garment(characters, character, garment->string);
        if (index >= 0 && app_fabrics_read(garment, &values, &error))
            app_fabrics_set_garment(characters, character, index, &values);
    }
}

// Clients that pose through a living node keep their bones. The connections of the dead node have ended with
// it: their bones are released after --pose-timeout.
static void restore_pose(AppCluster *cluster, const AppCharacter *character, const cJSON *state) {
    const uint64_t ended = app_forward_pose_owner(character->name, cluster->first_number, 0);
    bool has_ended = false;
    const cJSON *posed;
    cJSON_ArrayForEach(posed, cJSON_GetObjectItemCaseSensitive(state, "pose")) {
        const char *text = app_json_get_text(posed, "owner");
        const uint64_t owner = text ? strtoull(text, NULL, 16) : 0;
        has_ended |= !(owner >> 63);
        restore_bone(cluster, character, posed, owner >> 63 ? owner : ended);
    }
    if (has_ended) app_pose_owners_add(cluster->def.pose_owners, ended, cluster->def.ticks->newest);
}

static void restore_bone(AppCluster *cluster, const AppCharacter *character, const cJSON *posed,
                         uint64_t owner) {
    const SimRigInfo *rig = app_character_rig(cluster->def.characters, character);
    const char *name = app_json_get_text(posed, "bone");
    for (int i = 0; i < rig->bone_count && name; i++) {
        if (rig->bones[i].kind > SIM_BONE_DRIVEN || strcmp(rig->bones[i].name, name) != 0) continue;
        for (int space = SIM_POSE_PARENT; space <= SIM_POSE_MODEL; space++) {
            const bool is_model = space == SIM_POSE_MODEL;
            SimPoseBone bone = {.bone = i};
            const SimPoseDef pose = {
                .bones = &bone, .bone_count = 1, .space = (SimPoseSpace)space, .owner = owner};
            bone.has_rotation =
                app_json_get_vector(posed, is_model ? "model_rotation" : "rotation", bone.rotation, 4);
            bone.has_position =
                app_json_get_vector(posed, is_model ? "model_position" : "position", bone.position, 3);
            if (bone.has_rotation || bone.has_position)
                sim_character_set_pose(cluster->def.characters->world, character->id, &pose);
        }
        return;
    }
}

static void play_on(AppCluster *cluster, const AppCharacter *character, const cJSON *state) {
    const cJSON *clip = cJSON_GetObjectItemCaseSensitive(state, "clip");
    const char *name = app_json_get_text(clip, "name");
    const SimRigInfo *rig = app_character_rig(cluster->def.characters, character);
    const int index = name ? sim_rig_clip_named(rig, name) : -1;
    if (index < 0) return;
    SimPlay play = sim_default_play();
    play.at = (float)app_json_get_number(clip, "at", 0);
    play.speed = (float)app_json_get_number(clip, "speed", 1);
    play.loop = app_json_get_bool(clip, "loop");
    play.in_place = app_json_get_bool(clip, "in_place");
    play.fade = 0.0f;
    sim_character_play(cluster->def.characters->world, character->id, index, &play);
}
