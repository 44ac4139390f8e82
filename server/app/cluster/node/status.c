// The status of this node, and what it knows of the others.
#include "cluster/node/status.h"

#include "base/version.h"
#include "cluster/node/timing.h"

#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>

void app_status_put(AppCluster *cluster) {
    char *status = app_status_write(cluster);
    if (status) app_bridge_set_status(&cluster->bridge, status);
    free(status);
}

char *app_status_write(const AppCluster *cluster) {
    const AppClusterDef *def = &cluster->def;
    // The median, since a tick in which a script is loaded takes longer without using room.
    const double work_ms = (double)app_samples_percentiles(&def->stats->work_ms).p50;
    AppJson json = {0};
    cJSON *status = app_json_root_object(&json);
    app_json_string(&json, status, "node", cluster->node);
    app_json_string(&json, status, "address", cluster->address);
    app_json_string(&json, status, "version", TWEED_VERSION);
    app_json_string(&json, status, "commit", app_commit);
    app_json_integer(&json, status, "tick_rate", (uint64_t)def->ticks->rate);
    app_json_integer(&json, status, "seed", (uint64_t)def->options->seed);
    if (cluster->bridge.joined > 0) app_json_integer(&json, status, "joined", cluster->bridge.joined);
    if (cluster->timing.has_begun) app_json_string(&json, status, "reference", cluster->timing.reference);
    app_json_number(&json, status, "clock_error_ms",
                    (double)(int64_t)(1000 * app_timing_error_ms(cluster) + 0.5) / 1000);
    app_json_integer(&json, status, "tick", def->ticks->newest);
    app_json_number(&json, status, "ticks_behind", (double)app_timing_ticks_behind(cluster));
    app_json_integer(&json, status, "ticks_skipped", def->clock->skipped);
    app_json_bool(&json, status, "paused", app_ticks_are_held(def->ticks));
    app_json_integer(&json, status, "characters", def->characters->count);
    if (cluster->drain.is_on) app_json_bool(&json, status, "drained", true);
    app_json_number(&json, status, "work_ms", (double)(int)(1000 * work_ms + 0.5) / 1000);
    app_json_number(&json, status, "load", (double)(int)(work_ms * def->ticks->rate + 0.5) / 1000);
    TextBuffer text = {0};
    if (!json.failed) protocol_write_json(&text, status);
    cJSON_Delete(status);
    char *written = json.failed || text.failed ? NULL : strdup(text_buffer_string(&text));
    text_buffer_finish(&text);
    return written;
}

bool app_status_is_of_this_process(const AppCluster *cluster, const cJSON *process) {
    return cJSON_IsString(process) && strcmp(process->valuestring, cluster->process) == 0;
}

void app_status_describe(const AppCluster *cluster, AppJson *json, cJSON *object) {
    cJSON *described = app_json_object(json, object, "cluster");
    app_json_string(json, described, "name", cluster->name);
    app_json_string(json, described, "node", cluster->node);
    app_json_bool(json, described, "connected", cluster->is_connected);
    cJSON *nodes = app_json_list(json, described, "nodes");
    const AppDirectoryNode *last = NULL;
    for (size_t n = 0; n < cluster->directory.node_count; n++) { // by name; there are few
        const AppDirectoryNode *next = NULL;
        for (size_t i = 0; i < cluster->directory.node_count; i++) {
            const AppDirectoryNode *member = &cluster->directory.nodes[i];
            if ((!last || strcmp(member->name, last->name) > 0) &&
                (!next || strcmp(member->name, next->name) < 0))
                next = member;
        }
        app_json_item(json, nodes, NULL, cJSON_Duplicate(next->status, 1));
        last = next;
    }
}

void app_status_list(const AppCluster *cluster, AppCall *call) {
    size_t count;
    AppDirectoryCharacter **entries = app_directory_list(&cluster->directory, &count);
    call->result = app_json_root_list(&call->json);
    for (size_t i = 0; entries && i < count; i++) {
        const AppDirectoryCharacter *entry = entries[i];
        const bool is_own = strcmp(entry->node, cluster->node) == 0;
        const AppCharacter *character =
            is_own ? app_characters_find(cluster->def.characters, entry->name) : NULL;
        if (is_own ? !character : app_directory_is_orphan(&cluster->directory, entry)) continue;
        cJSON *item = app_json_object(&call->json, call->result, NULL);
        app_json_string(&call->json, item, "name", entry->name);
        app_json_string(&call->json, item, "script", entry->script);
        app_json_integer(&call->json, item, "revision", character ? character->revision : entry->revision);
        app_json_string(&call->json, item, "node", entry->node);
        const SimLevel level =
            character ? sim_character_level(cluster->def.characters->world, character->id) : entry->level;
        if (level != SIM_LEVEL_FULL) app_json_string(&call->json, item, "level", sim_level_names[level]);
    }
    if (!entries) app_call_fail_memory(call);
    free(entries);
}
