// The tables of nodes and characters.
#include "cluster/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_epoch(const void *a, const void *b);

void app_directory_finish(AppDirectory *directory) {
    for (size_t i = 0; i < directory->member_count; i++) cJSON_Delete(directory->members[i].status);
    free(directory->members);
    for (size_t i = 0; i < directory->residents.capacity; i++) {
        AppResident *resident = directory->residents.slots[i].owner;
        if (!resident) continue;
        free(resident->script);
        free(resident);
    }
    script_name_table_finish(&directory->residents);
    *directory = (AppDirectory){0};
}

AppMember *app_directory_put_member(AppDirectory *directory, const char *name, const char *status,
                                    uint64_t seen_ns) {
    AppMember *member = app_directory_find_member(directory, name);
    cJSON *read = cJSON_Parse(status);
    if (cJSON_IsObject(read) && !member) {
        AppMember *grown = realloc(directory->members, (directory->member_count + 1) * sizeof *grown);
        if (grown) {
            directory->members = grown;
            member = &grown[directory->member_count++];
            *member = (AppMember){.halted_tick = UINT64_MAX};
            snprintf(member->name, sizeof member->name, "%s", name);
        }
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

void app_directory_remove_member(AppDirectory *directory, const char *name) {
    AppMember *member = app_directory_find_member(directory, name);
    if (!member) return;
    cJSON_Delete(member->status);
    *member = directory->members[--directory->member_count];
}

bool app_member_is_drained(const AppMember *member) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(member->status, "drained"));
}

void app_directory_set_unknown(const AppDirectory *directory, const char *name, ProtocolError *out_error) {
    const char **names = calloc(directory->member_count + 1, sizeof *names);
    for (size_t i = 0; names && i < directory->member_count; i++) names[i] = directory->members[i].name;
    protocol_error_not_found(out_error, "params.node", "node", name, names,
                             names ? directory->member_count : 0);
    free(names);
}

void app_directory_set_drained(const char *name, ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params.node",
                       "node %s is drained: cluster.drain with \"off\":true ends that", name);
}

AppMember *app_directory_find_member(const AppDirectory *directory, const char *name) {
    for (size_t i = 0; i < directory->member_count; i++)
        if (strcmp(directory->members[i].name, name) == 0) return &directory->members[i];
    return NULL;
}

AppResident *app_directory_put(AppDirectory *directory, const char *name, const char *node,
                               const char *script, uint64_t epoch) {
    AppResident *resident = app_directory_find(directory, name);
    if (resident && resident->generation == directory->generation && epoch < resident->epoch) return NULL;
    char *copy = strdup(script);
    if (!copy) return NULL;
    if (!resident) {
        resident = calloc(1, sizeof *resident);
        if (resident) snprintf(resident->name, sizeof resident->name, "%s", name);
        if (!resident || !script_name_table_put(&directory->residents, resident->name, resident)) {
            free(resident);
            free(copy);
            return NULL;
        }
    }
    if (resident->epoch != epoch || strcmp(resident->node, node) != 0) { // as after its spawn
        resident->revision = 1;
        resident->level = SIM_LEVEL_FULL;
    }
    free(resident->script);
    resident->script = copy;
    snprintf(resident->node, sizeof resident->node, "%s", node);
    resident->epoch = epoch;
    resident->orphaned_ns = 0;
    resident->is_inherited = false;
    resident->generation = directory->generation;
    return resident;
}

void app_directory_remove(AppDirectory *directory, AppResident *resident) {
    script_name_table_remove(&directory->residents, resident->name);
    free(resident->script);
    free(resident);
}

AppResident *app_directory_find(const AppDirectory *directory, const char *name) {
    return script_name_table_owner(&directory->residents, name);
}

AppResident **app_directory_list(const AppDirectory *directory, size_t *out_count) {
    AppResident **list = malloc((directory->residents.count + 1) * sizeof(AppResident *));
    *out_count = 0;
    if (!list) return NULL;
    for (size_t i = 0; i < directory->residents.capacity; i++)
        if (directory->residents.slots[i].owner) list[(*out_count)++] = directory->residents.slots[i].owner;
    qsort(list, *out_count, sizeof(AppResident *), by_epoch);
    return list;
}

static int by_epoch(const void *a, const void *b) {
    const uint64_t first = (*(AppResident *const *)a)->epoch, second = (*(AppResident *const *)b)->epoch;
    return first < second ? -1 : first > second;
}
