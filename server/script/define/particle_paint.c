#include "define/particle_paint.h"

#include "define/mesh.h"

#include <math.h>
#include <string.h>

#define NEARLY_HALF 0.49f // shares that differ by no more than rounding count as alike

typedef struct Paint {
    bool is_pinned;
    float distance;  // m; NAN: none
    float thickness; // m; negative: none
    int fabric;      // of the mesh's; -1: none
} Paint;

static const Paint bare = {.distance = NAN, .thickness = -1.0f, .fabric = -1};

static void add(const ScriptMesh *mesh, int vertex, Paint *paint);
static bool is_before(const ScriptMesh *mesh, int fabric, int other);
static Paint mix(const ScriptMesh *mesh, const Paint *places, const AssetGridSource *source);
static int mix_fabrics(const ScriptMesh *mesh, const Paint *places, const AssetGridSource *source);
static bool store(ScriptReader *reader, ScriptGarmentDef *cloth, const Paint *paints);
static bool has_distances(ScriptReader *reader, const ScriptGarmentDef *cloth, const float *distances);

bool script_cloth_paint(ScriptReader *reader, ScriptGarmentDef *cloth, int place_count, const int *place_of,
                        const AssetGridSource *sources) {
    const ScriptMesh *mesh = cloth->mesh;
    const int count = cloth->positions.count;
    Paint *places = script_reader_alloc(reader, place_count, sizeof *places);
    Paint *paints = script_reader_alloc(reader, count, sizeof *paints);
    if (!places || !paints) return false;
    for (int i = 0; i < place_count; i++) places[i] = bare;
    for (int i = 0; i < mesh->surface.vertex_count; i++)
        if (place_of[i] >= 0) add(mesh, i, &places[place_of[i]]);
    for (int i = 0; i < count; i++) {
        paints[i] = sources ? mix(mesh, places, &sources[i]) : places[i];
        paints[i].is_pinned =
            cloth->pinned ? cloth->pinned[i] : mesh->pins && (paints[i].is_pinned || i < cloth->columns);
    }
    return store(reader, cloth, paints);
}

// Where vertices of several parts meet, the smallest max distance, the greatest thickness and the first
// fabric in the alphabet count: whatever the order of the vertices.
static void add(const ScriptMesh *mesh, int vertex, Paint *paint) {
    if (mesh->pins) paint->is_pinned |= mesh->pins[vertex];
    if (mesh->max_distances) paint->distance = fminf(paint->distance, mesh->max_distances[vertex]);
    if (mesh->thicknesses) paint->thickness = fmaxf(paint->thickness, mesh->thicknesses[vertex]);
    if (mesh->fabrics && is_before(mesh, mesh->fabrics[vertex], paint->fabric))
        paint->fabric = mesh->fabrics[vertex];
}

static bool is_before(const ScriptMesh *mesh, int fabric, int other) {
    if (fabric < 0 || other < 0) return fabric > other;
    return strcmp(mesh->fabric_names[fabric], mesh->fabric_names[other]) < 0;
}

// Numbers are interpolated; what is yes or no, and the fabric, is that of half of the place at least.
static Paint mix(const ScriptMesh *mesh, const Paint *places, const AssetGridSource *source) {
    Paint paint = {.distance = 0.0f};
    float pinned = 0.0f, thick = 0.0f;
    for (int k = 0; k < 4; k++) {
        const Paint *place = &places[source->places[k]];
        const float share = source->shares[k];
        if (share <= 0.0f) continue;
        paint.distance += share * (place->is_pinned && isnan(place->distance) ? 0.0f : place->distance);
        if (place->is_pinned) pinned += share;
        if (place->thickness < 0.0f) continue;
        thick += share;
        paint.thickness += share * place->thickness;
    }
    paint.is_pinned = pinned > NEARLY_HALF;
    paint.thickness = thick > NEARLY_HALF ? paint.thickness / thick : -1.0f;
    paint.fabric = mesh->fabrics ? mix_fabrics(mesh, places, source) : -1;
    return paint;
}

static int mix_fabrics(const ScriptMesh *mesh, const Paint *places, const AssetGridSource *source) {
    int best = -1;
    float most = 0.0f;
    for (int k = 0; k < 4; k++) {
        const int fabric = places[source->places[k]].fabric;
        float share = 0.0f;
        for (int i = 0; i < 4; i++)
            if (places[source->places[i]].fabric == fabric) share += source->shares[i];
        const float ahead = share - most, alike = 1.0f - 2.0f * NEARLY_HALF;
        if (ahead > alike || (ahead > -alike && is_before(mesh, fabric, best))) most = share, best = fabric;
    }
    return best;
}

static bool store(ScriptReader *reader, ScriptGarmentDef *cloth, const Paint *paints) {
    const ScriptMesh *mesh = cloth->mesh;
    const int count = cloth->positions.count;
    bool *pinned = script_reader_alloc(reader, count, sizeof *pinned);
    int *fabrics = script_reader_alloc(reader, count, sizeof *fabrics);
    float *thicknesses = script_reader_alloc(reader, count, sizeof *thicknesses);
    float *distances = script_reader_alloc(reader, count, sizeof *distances);
    if (!pinned || !fabrics || !thicknesses || !distances) return false;
    for (int i = 0; i < count; i++) {
        pinned[i] = paints[i].is_pinned;
        fabrics[i] = paints[i].fabric;
        thicknesses[i] = paints[i].thickness;
        distances[i] = pinned[i] && isnan(paints[i].distance) ? 0.0f : paints[i].distance;
    }
    if (mesh->pins && !cloth->pinned) cloth->pinned = pinned;
    if (mesh->fabrics) cloth->painted_fabrics = fabrics;
    if (mesh->thicknesses) cloth->painted_thicknesses = thicknesses;
    if (!mesh->max_distances || cloth->max_distance.each.items) return true;
    cloth->max_distance.each = (ScriptList){.items = distances, .count = count};
    return has_distances(reader, cloth, distances);
}

static bool has_distances(ScriptReader *reader, const ScriptGarmentDef *cloth, const float *distances) {
    for (int i = 0; i < cloth->positions.count; i++) {
        const float *at = (const float *)cloth->positions.items + 3 * i;
        if (!isnan(distances[i])) continue;
        script_reader_error_at(
            reader, "mesh",
            "expected a max_distance painted at all vertices or none, found none at {%g, %g, %g}",
            (double)at[0], (double)at[1], (double)at[2]);
        return false;
    }
    return true;
}
