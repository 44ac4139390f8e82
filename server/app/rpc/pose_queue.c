#include "rpc/pose_queue.h"

#include <string.h>

#define LOOKED_AT 256 // waiting requests, the newest first

static bool is_pose(const AppRequest *request);
static bool supersedes(const cJSON *newer, const cJSON *older);
static bool same_text(const cJSON *a, const cJSON *b, const char *key);
static bool sets_the_same(const cJSON *newer, const cJSON *older);

AppRequest *app_pose_queue_superseded(const AppRequest *newer) {
    if (!is_pose(newer)) return NULL;
    AppRequest *older = newer->rpc->waiting.last;
    for (int i = 0; older && i < LOOKED_AT; i++, older = older->previous) {
        if (older->client != newer->client) continue;
        if (!is_pose(older)) return NULL;
        if (supersedes(newer->request.params, older->request.params)) return older;
    }
    return NULL;
}

static bool is_pose(const AppRequest *request) {
    return request->method == &protocol_methods[PROTOCOL_CHARACTER_POSE] && request->request.notification &&
           !request->batch && request->request.params;
}

// A jump stays one, and a sequence is not lost.
static bool supersedes(const cJSON *newer, const cJSON *older) {
    const bool keeps_jump = !app_json_get_bool(older, "teleport") || app_json_get_bool(newer, "teleport");
    const bool keeps_sequence = !cJSON_GetObjectItemCaseSensitive(older, "sequence") ||
                                cJSON_GetObjectItemCaseSensitive(newer, "sequence");
    return keeps_jump && keeps_sequence &&
           app_json_get_bool(older, "ignore_unknown") == app_json_get_bool(newer, "ignore_unknown") &&
           same_text(newer, older, "character") && same_text(newer, older, "space") &&
           sets_the_same(cJSON_GetObjectItemCaseSensitive(newer, "bones"),
                         cJSON_GetObjectItemCaseSensitive(older, "bones"));
}

static bool same_text(const cJSON *a, const cJSON *b, const char *key) {
    const char *text = app_json_get_text(a, key), *other = app_json_get_text(b, key);
    return text && other && strcmp(text, other) == 0;
}

// The same bones in the same order, each with the same components, as a client sends them again and again.
static bool sets_the_same(const cJSON *newer, const cJSON *older) {
    if (!cJSON_IsObject(newer) || !cJSON_IsObject(older)) return false;
    const cJSON *bone = newer->child, *other = older->child;
    for (; bone && other; bone = bone->next, other = other->next) {
        if (strcmp(bone->string, other->string) != 0) return false;
        const cJSON *part = bone->child, *other_part = other->child;
        for (; part && other_part; part = part->next, other_part = other_part->next)
            if (!part->string || !other_part->string || strcmp(part->string, other_part->string) != 0)
                return false;
        if (part || other_part) return false;
    }
    return !bone && !other;
}
