// The fabrics that scripts have defined, sorted by name.
#include "host/fabric_set.h"

#include "host/host.h"

#include <stdlib.h>
#include <string.h>
#include <text/nearest.h>

static void free_entry(ScriptFabricSet *set, int index);

void script_fabric_set_finish(ScriptFabricSet *set) {
    for (int i = 0; i < set->count; i++) free_entry(set, i);
    free(set->items);
    free(set->files);
    script_string_list_finish(&set->read);
    *set = (ScriptFabricSet){0};
}

const ScriptFabric *script_fabrics(const ScriptHost *host, int *out_count) {
    *out_count = host->fabrics.count;
    return host->fabrics.items;
}

const ScriptFabric *script_fabric_find(const ScriptHost *host, const char *name) {
    return script_fabric_set_find(&host->fabrics, name);
}

const char *script_fabric_nearest(const ScriptHost *host, const char *name) {
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < host->fabrics.count; i++) text_nearest_offer(&nearest, host->fabrics.items[i].name);
    return nearest.best;
}

bool script_fabric_set(ScriptHost *host, const char *name, const SimFabric *values) {
    ScriptFabric *fabric = script_fabric_set_find(&host->fabrics, name);
    if (fabric) fabric->values = *values;
    return fabric;
}

bool script_fabric_set_copy(ScriptFabricSet *out_set, const ScriptFabricSet *set) {
    *out_set = (ScriptFabricSet){0};
    for (int i = 0; i < set->count; i++) {
        if (script_fabric_set_add(out_set, &set->items[i], set->files[i])) continue;
        script_fabric_set_finish(out_set);
        return false;
    }
    return true;
}

ScriptFabric *script_fabric_set_find(const ScriptFabricSet *set, const char *name) {
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0) return &set->items[i];
    return NULL;
}

bool script_fabric_set_add(ScriptFabricSet *set, const ScriptFabric *fabric, const char *path) {
    ScriptFabric entry = *fabric;
    entry.name = script_copy_text(fabric->name);
    entry.base = fabric->base ? script_copy_text(fabric->base) : NULL;
    entry.script = script_copy_text(fabric->script);
    char *file = script_copy_text(path);
    ScriptFabric *items = realloc(set->items, ((size_t)set->count + 1) * sizeof *items);
    if (items) set->items = items;
    char **files = realloc(set->files, ((size_t)set->count + 1) * sizeof *files);
    if (files) set->files = files;
    if (!items || !files || !file || !entry.name || !entry.script || (fabric->base && !entry.base)) {
        free((char *)entry.name);
        free((char *)entry.base);
        free((char *)entry.script);
        free(file);
        return false;
    }
    int index = set->count++;
    for (; index > 0 && strcmp(items[index - 1].name, entry.name) > 0; index--) {
        items[index] = items[index - 1];
        files[index] = files[index - 1];
    }
    items[index] = entry;
    files[index] = file;
    return true;
}

void script_fabric_set_remove_file(ScriptFabricSet *set, const char *file) {
    for (int i = 0; i < set->count; i++) {
        if (strcmp(set->files[i], file) != 0) continue;
        free_entry(set, i);
        memmove(&set->items[i], &set->items[i + 1], (size_t)(set->count - 1 - i) * sizeof *set->items);
        memmove(&set->files[i], &set->files[i + 1], (size_t)(set->count - 1 - i) * sizeof *set->files);
        set->count--;
        return;
    }
}

static void free_entry(ScriptFabricSet *set, int index) {
    free((char *)set->items[index].name);
    free((char *)set->items[index].base);
    free((char *)set->items[index].script);
    free(set->files[index]);
}
