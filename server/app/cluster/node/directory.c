// The tables of nodes and characters.
#include "cluster/node/directory.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static int by_epoch(const void *a, const void *b);

void app_directory_finish(AppDirectory *directory) {
    for (size_t i = 0; i < directory->node_count; i++) cJSON_Delete(directory->nodes[i].status);
    free(directory->nodes);
    for (size_t i = 0; i < directory->characters.capacity; i++) {
        AppDirectoryCharacter *entry = directory->characters.slots[i].owner;
        if (!entry) continue;
        free(entry->script);
        free(entry);
    }
    script_name_table_finish(&directory->characters);
    *directory = (AppDirectory){0};
}

AppDirectoryNode *app_directory_put_node(AppDirectory *directory, const char *name, const char *status,
                                         uint64_t seen_ns) {
    AppDirectoryNode *member = app_directory_find_node(directory, name);
    cJSON *read = cJSON_Parse(status);
    if (cJSON_IsObject(read) && !member && TEXT_ARRAY_EXTEND(directory->nodes, directory->node_count)) {
        member = &directory->nodes[directory->node_count++];
        *member = (AppDirectoryNode){.halted_tick = UINT64_MAX};
        snprintf(member->name, sizeof member->name, "%s", name);
    }
    if (!cJSON_IsObject(read) || !member) {
        cJSON_Delete(read);
        return NULL;
    }
    cJSON_Delete(member->status);
    member->status = read;
    member->seen_ns = seen_ns;
    member->placed = 0;
    return member;
}

void app_directory_remove_node(AppDirectory *directory, const char *name) {
    AppDirectoryNode *member = app_directory_find_node(directory, name);
    if (!member) return;
    cJSON_Delete(member->status);
    *member = directory->nodes[--directory->node_count];
}

bool app_directory_node_is_drained(const AppDirectoryNode *member) {
    return app_json_get_bool(member->status, "drained");
}

double app_directory_node_load(const AppDirectoryNode *node) {
    return app_json_get_number(node->status, "load", 0) + node->placed;
}

void app_directory_set_unknown(const AppDirectory *directory, const char *name, ProtocolError *out_error) {
    TextNearest nearest = text_nearest_to(name);
    for (size_t i = 0; i < directory->node_count; i++) text_nearest_offer(&nearest, directory->nodes[i].name);
    protocol_error_not_found(out_error, "params.node", "node", &nearest);
}

void app_directory_set_drained(const char *name, ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params.node",
                       "node %s is drained: cluster.drain with \"off\":true ends that", name);
}

AppDirectoryNode *app_directory_find_node(const AppDirectory *directory, const char *name) {
    for (size_t i = 0; i < directory->node_count; i++)
        if (strcmp(directory->nodes[i].name, name) == 0) return &directory->nodes[i];
    return NULL;
}

AppDirectoryCharacter *app_directory_put(AppDirectory *directory, const char *name, const char *node,
                                         const char *script, uint64_t epoch) {
    AppDirectoryCharacter *entry = app_directory_find(directory, name);
    if (entry && entry->generation == directory->generation && epoch < entry->epoch) return NULL;
    char *copy = strdup(script);
    if (!copy) return NULL;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (entry) snprintf(entry->name, sizeof entry->name, "%s", name);
        if (!entry || !script_name_table_put(&directory->characters, entry->name, entry)) {
            free(entry);
            free(copy);
            return NULL;
        }
    }
    if (entry->epoch != epoch || strcmp(entry->node, node) != 0) { // as after its spawn
        entry->revision = 1;
        entry->level = SIM_LEVEL_FULL;
        entry->is_taken = false;
    }
    free(entry->script);
    entry->script = copy;
    snprintf(entry->node, sizeof entry->node, "%s", node);
    entry->epoch = epoch;
    entry->orphaned_ns = 0;
    entry->is_inherited = false;
    entry->generation = directory->generation;
    return entry;
}

bool app_directory_is_orphan(const AppDirectory *directory, const AppDirectoryCharacter *entry) {
    return app_directory_find_node(directory, entry->node) == NULL;
}

void app_directory_remove(AppDirectory *directory, AppDirectoryCharacter *entry) {
    script_name_table_remove(&directory->characters, entry->name);
    free(entry->script);
    free(entry);
}

AppDirectoryCharacter *app_directory_find(const AppDirectory *directory, const char *name) {
    return script_name_table_owner(&directory->characters, name);
}

AppDirectoryCharacter **app_directory_list(const AppDirectory *directory, size_t *out_count) {
    AppDirectoryCharacter **list =
        malloc((directory->characters.count + 1) * sizeof(AppDirectoryCharacter *));
    *out_count = 0;
    if (!list) return NULL;
    for (size_t i = 0; i < directory->characters.capacity; i++)
        if (directory->characters.slots[i].owner) list[(*out_count)++] = directory->characters.slots[i].owner;
    qsort(list, *out_count, sizeof(AppDirectoryCharacter *), by_epoch);
    return list;
}

static int by_epoch(const void *a, const void *b) {
    const uint64_t first = (*(AppDirectoryCharacter *const *)a)->epoch,
                   second = (*(AppDirectoryCharacter *const *)b)->epoch;
    return first < second ? -1 : first > second;
}
