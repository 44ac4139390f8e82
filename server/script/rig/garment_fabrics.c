// The fabric of a garment, and its parts that are of another one, or thicker.
#include "define/mesh.h"
#include "host/fabric_registry.h"
#include "host/lookup.h"
#include "rig/build.h"

#include <stdio.h>

typedef struct Parts {
    SimFabric *fabrics; // [fabric_count] those of the mesh's paint, then those of `regions`
    int fabric_count;
    int *regions;       // [rows * columns]
    float *thicknesses; // [rows * columns]
} Parts;

static bool allocate(ScriptRigBuild *build, const ScriptGarmentDef *def, Parts *out_parts);
static void take_painted(ScriptRigBuild *build, const ScriptGarmentDef *def, Parts *parts);
static void add_region(ScriptRigBuild *build, const ScriptGarmentDef *def, const ScriptRegion *region,
                       Parts *parts);
static bool read_span(ScriptRigBuild *build, const char *key, const ScriptList *list, int most, bool wraps,
                      int out_span[2]);
static bool is_in(const int span[2], int at);

const SimFabric *script_build_fabric(ScriptRigBuild *build, const char *key, const char *name) {
    const ScriptFabric *fabric = script_fabric_find(build->host, name);
    if (fabric) return &fabric->values;
    int count;
    const ScriptFabric *fabrics = script_fabrics(build->host, &count);
    const char **names = script_reader_alloc(build->reader, count, sizeof *names);
    for (int i = 0; names && i < count; i++) names[i] = fabrics[i].name;
    script_reader_key(build->reader, key);
    char folders[512], where[600];
    script_list_folders(build->host, folders, sizeof folders);
    snprintf(where, sizeof where, " in fabrics/ below %s (--scripts FOLDER adds a folder)", folders);
    script_reader_unknown_in(build->reader, "fabric", name, where, names, names ? count : 0);
    script_reader_leave(build->reader);
    return NULL;
}

void script_build_regions(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out) {
    const ScriptRegion *regions = def->regions.items;
    Parts parts = {0};
    if (!regions && !def->painted_fabrics && !def->painted_thicknesses) return;
    if (!out->positions || !allocate(build, def, &parts)) return;
    take_painted(build, def, &parts);
    script_reader_key(build->reader, "regions");
    for (int i = 0; regions && !out->faces && i < def->regions.count; i++) {
        script_reader_index(build->reader, i + 1);
        add_region(build, def, &regions[i], &parts);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    out->region_fabrics = parts.fabrics;
    out->region_fabric_count = parts.fabric_count;
    out->regions = parts.fabric_count > 0 ? parts.regions : NULL;
    out->thicknesses = parts.thicknesses;
}

static bool allocate(ScriptRigBuild *build, const ScriptGarmentDef *def, Parts *out_parts) {
    const int count = def->rows * def->columns;
    const int fabrics = def->regions.count + (def->mesh ? def->mesh->fabric_name_count : 0);
    out_parts->fabrics = script_reader_alloc(build->reader, fabrics, sizeof *out_parts->fabrics);
    out_parts->regions = script_reader_alloc(build->reader, count, sizeof *out_parts->regions);
    out_parts->thicknesses = script_reader_alloc(build->reader, count, sizeof *out_parts->thicknesses);
    if (!out_parts->fabrics || !out_parts->regions || !out_parts->thicknesses) return false;
    for (int p = 0; p < count; p++) {
        out_parts->regions[p] = def->painted_fabrics ? def->painted_fabrics[p] : -1;
        out_parts->thicknesses[p] = def->painted_thicknesses ? def->painted_thicknesses[p] : -1.0f;
    }
    return true;
}

static void take_painted(ScriptRigBuild *build, const ScriptGarmentDef *def, Parts *parts) {
    const int count = def->painted_fabrics ? def->mesh->fabric_name_count : 0;
    for (int i = 0; i < count; i++) {
        const SimFabric *fabric = script_build_fabric(build, "mesh", def->mesh->fabric_names[i]);
        parts->fabrics[parts->fabric_count++] = fabric ? *fabric : sim_default_fabric();
    }
}

// A region without a fabric leaves the one that is there.
static void add_region(ScriptRigBuild *build, const ScriptGarmentDef *def, const ScriptRegion *region,
                       Parts *parts) {
    int rows[2], columns[2];
    const bool fits = read_span(build, "rows", &region->rows, def->rows, false, rows) &&
                      read_span(build, "columns", &region->columns, def->columns, def->closed, columns);
    const SimFabric *fabric = region->fabric ? script_build_fabric(build, "fabric", region->fabric) : NULL;
    if (!region->fabric && region->thickness < 0.0f && !script_reader_has_errors_here(build->reader))
        script_reader_error(build->reader, "expected fabric or thickness");
    if (fabric) parts->fabrics[parts->fabric_count++] = *fabric;
    for (int p = 0; fits && p < def->rows * def->columns; p++) {
        if (!is_in(rows, p / def->columns) || !is_in(columns, p % def->columns)) continue;
        if (fabric) parts->regions[p] = parts->fabric_count - 1;
        if (region->thickness >= 0.0f) parts->thicknesses[p] = region->thickness;
    }
}

static bool read_span(ScriptRigBuild *build, const char *key, const ScriptList *list, int most, bool wraps,
                      int out_span[2]) {
    const int *items = list->items;
    out_span[0] = 0, out_span[1] = most - 1;
    if (!items) return true;
    if (list->count == 2 && items[0] < most && items[1] < most && (wraps || items[0] <= items[1])) {
        out_span[0] = items[0], out_span[1] = items[1];
        return true;
    }
    script_reader_error_at(build->reader, key, "expected {first, last} of 0 to %d%s", most - 1,
                           wraps ? "" : ", in order");
    return false;
}

// A span that ends before it begins goes on at 0.
static bool is_in(const int span[2], int at) {
    return span[0] <= span[1] ? at >= span[0] && at <= span[1] : at >= span[0] || at <= span[1];
}
