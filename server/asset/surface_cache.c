#include "surface_cache.h"

#include "cache.h"

#include <stdlib.h>
#include <string.h>

// Counts, then the lists: positions, uvs and colors if there are any, triangles, parts.
typedef struct Counts {
    int32_t vertices, triangles, parts, has_uvs, has_colors;
} Counts;

static size_t content_size(const Counts *counts);
static bool is_whole(const char *content, size_t size, Counts *out_counts);
static void *take(const char **from, size_t size);
static void put(char **to, const void *list, size_t size);

void asset_surface_finish(AssetSurface *surface) {
    free(surface->positions);
    free(surface->uvs);
    free(surface->colors);
    free(surface->triangles);
    free(surface->parts);
    *surface = (AssetSurface){0};
}

float asset_surface_scale_for(float longest) {
    static const float factors[] = {0.01f, 0.001f, 0.0254f, 1000.0f, 100.0f};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (longest * factors[i] >= 0.1f && longest * factors[i] <= 3.0f) return factors[i];
    return 0.0f;
}

bool asset_surface_read(AssetSurface *surface, const char *cache, uint64_t key) {
    size_t size = 0;
    char *content = asset_cache_read(cache, key, &size);
    Counts counts;
    bool done = content && is_whole(content, size, &counts);
    if (done) {
        const size_t vertices = (size_t)counts.vertices;
        const char *from = content + sizeof counts;
        surface->vertex_count = counts.vertices;
        surface->triangle_count = counts.triangles;
        surface->part_count = counts.parts;
        surface->positions = take(&from, vertices * sizeof *surface->positions);
        if (counts.has_uvs) surface->uvs = take(&from, vertices * sizeof *surface->uvs);
        if (counts.has_colors) surface->colors = take(&from, vertices * sizeof *surface->colors);
        surface->triangles = take(&from, (size_t)counts.triangles * sizeof *surface->triangles);
        if (counts.parts > 0) surface->parts = take(&from, (size_t)counts.parts * sizeof *surface->parts);
        done = surface->positions && (surface->uvs || !counts.has_uvs) &&
               (surface->colors || !counts.has_colors) && surface->triangles &&
               (surface->parts || counts.parts == 0);
        if (!done) asset_surface_finish(surface);
    }
    free(content);
    return done;
}

void asset_surface_write(const AssetSurface *surface, const char *cache, uint64_t key) {
    const Counts counts = {surface->vertex_count, surface->triangle_count, surface->part_count,
                           surface->uvs != NULL, surface->colors != NULL};
    const size_t size = content_size(&counts), vertices = (size_t)counts.vertices;
    char *content = cache && cache[0] != '\0' ? malloc(size) : NULL;
    if (!content) return;
    char *to = content;
    put(&to, &counts, sizeof counts);
    put(&to, surface->positions, vertices * sizeof *surface->positions);
    if (surface->uvs) put(&to, surface->uvs, vertices * sizeof *surface->uvs);
    if (surface->colors) put(&to, surface->colors, vertices * sizeof *surface->colors);
    put(&to, surface->triangles, (size_t)counts.triangles * sizeof *surface->triangles);
    if (surface->parts) put(&to, surface->parts, (size_t)counts.parts * sizeof *surface->parts);
    asset_cache_write(cache, key, content, size);
    free(content);
}

static size_t content_size(const Counts *counts) {
    const size_t of_vertex = sizeof(float[3]) + (counts->has_uvs ? sizeof(float[2]) : 0) +
                             (counts->has_colors ? sizeof(float[4]) : 0);
    return sizeof *counts + (size_t)counts->vertices * of_vertex +
           (size_t)counts->triangles * sizeof(uint32_t[3]) + (size_t)counts->parts * sizeof(AssetSurfacePart);
}

// What is read has the right hash; this only tells another file of the same key.
static bool is_whole(const char *content, size_t size, Counts *out_counts) {
    if (size < sizeof *out_counts) return false;
    memcpy(out_counts, content, sizeof *out_counts);
    return out_counts->vertices > 0 && out_counts->triangles > 0 && out_counts->parts >= 0 &&
           size == content_size(out_counts);
}

// Returns NULL when memory runs out.
static void *take(const char **from, size_t size) {
    void *list = malloc(size);
    if (list) memcpy(list, *from, size);
    *from += size;
    return list;
}

static void put(char **to, const void *list, size_t size) {
    memcpy(*to, list, size);
    *to += size;
}
