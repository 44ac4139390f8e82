// character.pose and character.release.
#include "rpc/handlers.h"

#include <script/unknown_bones.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The bones of a request, looked up.
typedef struct Bones {
    const SimRigInfo *rig;
    int posable;          // that many bones can be posed, the first ones
    int last;             // found; they usually come in order
    bool *found;          // [posable]
    const char **unknown; // [unknown_count]
    size_t unknown_count;
    int looked_up, first_unknown; // in the request's order
    SimPoseBone *poses;           // [pose_count]
    int pose_count;
} Bones;

static bool begin(Bones *bones, AppCall *call, const AppCharacter *character, size_t count);
static void finish(Bones *bones);
static int find(Bones *bones, const char *name);
static bool read_bones(Bones *bones, AppCall *call);
static bool check_unknown(const Bones *bones, AppCall *call, bool in_list);

void app_handle_character_pose(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    const cJSON *given = protocol_param_json(call->params, "bones");
    Bones bones = {0};
    if (!character || !begin(&bones, call, character, (size_t)cJSON_GetArraySize(given))) return;
    const bool ignores = protocol_param_bool(call->params, "ignore_unknown");
    if (read_bones(&bones, call) && (ignores || check_unknown(&bones, call, false))) {
        const SimPoseDef pose = {.bones = bones.poses,
                                 .bone_count = bones.pose_count,
                                 .space = (SimPoseSpace)protocol_param_choice(call->params, "space"),
                                 .teleport = protocol_param_bool(call->params, "teleport"),
                                 .owner = call->client ? call->client->id : call->request->owner,
                                 .has_sequence = protocol_param_given(call->params, "sequence"),
                                 .sequence = protocol_param_integer(call->params, "sequence")};
        sim_character_set_pose(call->rpc->characters->world, character->id, &pose);
        if (call->client) call->client->has_posed = true;
        call->result = app_json_root_object(&call->json);
        app_json_integer(&call->json, call->result, "tick", call->tick);
        cJSON *ignored = app_json_list(&call->json, call->result, "ignored");
        for (size_t i = 0; i < bones.unknown_count; i++)
            app_json_string(&call->json, ignored, NULL, bones.unknown[i]);
    }
    finish(&bones);
}

void app_handle_character_release(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    SimWorld *world = call->rpc->characters->world;
    const cJSON *given = protocol_param_json(call->params, "bones"), *item;
    Bones bones = {0};
    if (!given) {
        sim_character_release_pose(world, character->id, NULL, 0);
        return;
    }
    if (!begin(&bones, call, character, (size_t)cJSON_GetArraySize(given))) return;
    cJSON_ArrayForEach(item, given) {
        const int bone = find(&bones, item->valuestring);
        if (bone >= 0) bones.found[bone] = true;
    }
    if (check_unknown(&bones, call, true))
        for (int bone = 0; bone < bones.posable; bone++)
            if (bones.found[bone]) sim_character_release_pose(world, character->id, &bone, 1);
    finish(&bones);
}

// Returns false and sets the error; nothing to free.
static bool begin(Bones *bones, AppCall *call, const AppCharacter *character, size_t count) {
    bones->rig = app_character_rig(call->rpc->characters, character);
    bones->posable = script_posable_bone_count(bones->rig);
    bones->last = bones->posable - 1;
    bones->found = calloc((size_t)bones->posable + 1, sizeof *bones->found);
    bones->unknown = calloc(count + 1, sizeof *bones->unknown);
    bones->poses = calloc(count + 1, sizeof *bones->poses);
    if (bones->found && bones->unknown && bones->poses) return true;
    finish(bones);
    app_call_fail_memory(call);
    return false;
}

static void finish(Bones *bones) {
    free(bones->found);
    free(bones->unknown);
    free(bones->poses);
}

// Returns -1 and records the name when the bone cannot be posed.
static int find(Bones *bones, const char *name) {
    const int place = bones->looked_up++;
    for (int i = 1; i <= bones->posable; i++) {
        const int bone = (bones->last + i) % bones->posable;
        if (strcmp(bones->rig->bones[bone].name, name) == 0) return bones->last = bone;
    }
    if (bones->unknown_count == 0) bones->first_unknown = place;
    bones->unknown[bones->unknown_count++] = name;
    return -1;
}

static bool read_bones(Bones *bones, AppCall *call) {
    const cJSON *item;
    cJSON_ArrayForEach(item, protocol_param_json(call->params, "bones")) {
        const int bone = find(bones, item->string);
        if (bone < 0) continue;
        if (bones->found[bone]) {
            char path[PROTOCOL_ERROR_PATH_BYTES];
            snprintf(path, sizeof path, "params.bones.%s", item->string);
            protocol_error_set(&call->error, PROTOCOL_INVALID_PARAMS, path, "%s is given twice", path);
            return false;
        }
        bones->found[bone] = true;
        const ProtocolParams fields = protocol_param_entry(call->params, "bones", item);
        SimPoseBone *pose = &bones->poses[bones->pose_count];
        pose->bone = bone;
        pose->has_rotation = protocol_param_quaternion(fields, "rotation", pose->rotation);
        pose->has_position = protocol_param_vec3(fields, "position", pose->position);
        if (pose->has_rotation || pose->has_position) bones->pose_count++;
    }
    return true;
}

// False with the error if there are unknown bones.
static bool check_unknown(const Bones *bones, AppCall *call, bool in_list) {
    if (bones->unknown_count == 0) return true;
    char path[PROTOCOL_ERROR_PATH_BYTES], message[SCRIPT_UNKNOWN_BONES_SIZE];
    script_describe_unknown_bones(bones->rig, bones->unknown, bones->unknown_count, message);
    if (in_list)
        snprintf(path, sizeof path, "params.bones[%d]", bones->first_unknown);
    else
        snprintf(path, sizeof path, "params.bones.%s", bones->unknown[0]);
    protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, path, "%s", message);
    return false;
}
