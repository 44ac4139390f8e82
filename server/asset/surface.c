#include "surface.h"

#include "cache.h"

#include <stdlib.h>
#include <string.h>

// Counts, then positions, uvs if there are any, and triangles.
typedef struct Counts {
    int32_t vertices, triangles, has_uvs;
} Counts;

static size_t content_size(const Counts *counts);
static bool is_whole(const char *content, size_t size, Counts *out_counts);

void asset_surface_finish(AssetSurface *surface) {
    free(surface->positions);
    free(surface->uvs);
    free(surface->triangles);
    *surface = (AssetSurface){0};
}

bool asset_surface_read(AssetSurface *surface, const char *cache, uint64_t key) {
    size_t size = 0;
    char *content = asset_cache_read(cache, key, &size);
    Counts counts;
    bool done = content && is_whole(content, size, &counts);
    if (done) {
        const size_t vertices = (size_t)counts.vertices, triangles = (size_t)counts.triangles;
        surface->vertex_count = counts.vertices;
        surface->triangle_count = counts.triangles;
        surface->positions = malloc(vertices * sizeof *surface->positions);
        surface->uvs = counts.has_uvs ? malloc(vertices * sizeof *surface->uvs) : NULL;
        surface->triangles = malloc(triangles * sizeof *surface->triangles);
        done = surface->positions && surface->triangles && (surface->uvs || !counts.has_uvs);
        const char *from = content + sizeof counts;
        if (done) {
            memcpy(surface->positions, from, vertices * sizeof *surface->positions);
            from += vertices * sizeof *surface->positions;
            if (surface->uvs) memcpy(surface->uvs, from, vertices * sizeof *surface->uvs);
            from += surface->uvs ? vertices * sizeof *surface->uvs : 0;
            memcpy(surface->triangles, from, triangles * sizeof *surface->triangles);
        } else {
            asset_surface_finish(surface);
        }
    }
    free(content);
    return done;
}

void asset_surface_write(const AssetSurface *surface, const char *cache, uint64_t key) {
    const Counts counts = {surface->vertex_count, surface->triangle_count, surface->uvs != NULL};
    const size_t size = content_size(&counts);
    const size_t vertices = (size_t)counts.vertices;
    char *content = cache && cache[0] != '\0' ? malloc(size) : NULL;
    if (!content) return;
    char *to = content;
    memcpy(to, &counts, sizeof counts);
    to += sizeof counts;
    memcpy(to, surface->positions, vertices * sizeof *surface->positions);
    to += vertices * sizeof *surface->positions;
    if (surface->uvs) memcpy(to, surface->uvs, vertices * sizeof *surface->uvs);
    to += surface->uvs ? vertices * sizeof *surface->uvs : 0;
    memcpy(to, surface->triangles, (size_t)counts.triangles * sizeof *surface->triangles);
    asset_cache_write(cache, key, content, size);
    free(content);
}

static size_t content_size(const Counts *counts) {
    const size_t of_vertex = sizeof(float[3]) + (counts->has_uvs ? sizeof(float[2]) : 0);
    return sizeof *counts + (size_t)counts->vertices * of_vertex +
           (size_t)counts->triangles * sizeof(uint32_t[3]);
}

// What is read has the right hash; this only tells another file of the same key.
static bool is_whole(const char *content, size_t size, Counts *out_counts) {
    if (size < sizeof *out_counts) return false;
    memcpy(out_counts, content, sizeof *out_counts);
    return out_counts->vertices > 0 && out_counts->triangles > 0 && size == content_size(out_counts);
}
