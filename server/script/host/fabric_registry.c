// The registry of the fabrics that scripts have defined, sorted by name.
#include "host/fabric_registry.h"

#include "host/host.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/nearest.h>

static void free_entry(ScriptFabricRegistry *registry, int index);

void script_fabric_registry_finish(ScriptFabricRegistry *registry) {
    for (int i = 0; i < registry->count; i++) free_entry(registry, i);
    free(registry->items);
    free(registry->files);
    script_string_list_finish(&registry->read);
    *registry = (ScriptFabricRegistry){0};
}

const ScriptFabric *script_fabrics(const ScriptHost *host, int *out_count) {
    *out_count = host->fabrics.count;
    return host->fabrics.items;
}

const ScriptFabric *script_fabric_find(const ScriptHost *host, const char *name) {
    return script_fabric_registry_find(&host->fabrics, name);
}

const char *script_fabric_file(const ScriptHost *host, const ScriptFabric *fabric) {
    return host->fabrics.files[fabric - host->fabrics.items];
}

TextNearest script_fabric_nearest(const ScriptHost *host, const char *name) {
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < host->fabrics.count; i++) text_nearest_offer(&nearest, host->fabrics.items[i].name);
    return nearest;
}

bool script_fabric_set(ScriptHost *host, const char *name, const SimFabric *values) {
    ScriptFabric *fabric = script_fabric_registry_find(&host->fabrics, name);
    if (fabric) fabric->values = *values;
    return fabric;
}

bool script_fabric_registry_copy(ScriptFabricRegistry *out_registry, const ScriptFabricRegistry *registry) {
    *out_registry = (ScriptFabricRegistry){0};
    for (int i = 0; i < registry->count; i++) {
        if (script_fabric_registry_add(out_registry, &registry->items[i], registry->files[i])) continue;
        script_fabric_registry_finish(out_registry);
        return false;
    }
    return true;
}

ScriptFabric *script_fabric_registry_find(const ScriptFabricRegistry *registry, const char *name) {
    for (int i = 0; i < registry->count; i++)
        if (strcmp(registry->items[i].name, name) == 0) return &registry->items[i];
    return NULL;
}

bool script_fabric_registry_add(ScriptFabricRegistry *registry, const ScriptFabric *fabric,
                                const char *path) {
    ScriptFabric entry = *fabric;
    entry.name = strdup(fabric->name);
    entry.base = fabric->base ? strdup(fabric->base) : NULL;
    entry.script = strdup(fabric->script);
    char *file = strdup(path);
    if (!TEXT_ARRAY_EXTEND(registry->items, registry->count) ||
        !TEXT_ARRAY_EXTEND(registry->files, registry->count) || !file || !entry.name || !entry.script ||
        (fabric->base && !entry.base)) {
        free((char *)entry.name);
        free((char *)entry.base);
        free((char *)entry.script);
        free(file);
        return false;
    }
    ScriptFabric *items = registry->items;
    char **files = registry->files;
    int index = registry->count++;
    for (; index > 0 && strcmp(items[index - 1].name, entry.name) > 0; index--) {
        items[index] = items[index - 1];
        files[index] = files[index - 1];
    }
    items[index] = entry;
    files[index] = file;
    return true;
}

void script_fabric_registry_remove_file(ScriptFabricRegistry *registry, const char *file) {
    for (int i = 0; i < registry->count; i++) {
        if (strcmp(registry->files[i], file) != 0) continue;
        free_entry(registry, i);
        memmove(&registry->items[i], &registry->items[i + 1],
                (size_t)(registry->count - 1 - i) * sizeof *registry->items);
        memmove(&registry->files[i], &registry->files[i + 1],
                (size_t)(registry->count - 1 - i) * sizeof *registry->files);
        registry->count--;
        return;
    }
}

static void free_entry(ScriptFabricRegistry *registry, int index) {
    free((char *)registry->items[index].name);
    free((char *)registry->items[index].base);
    free((char *)registry->items[index].script);
    free(registry->files[index]);
}
