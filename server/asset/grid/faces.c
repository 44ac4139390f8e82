// Cloth of any triangles: welded, turned to one side, and paired to quads where they are nearly rectangles.
#include "data.h"
#include "grid/numbering.h"
#include "grid/quads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BEND 0.44f // rad, of a corner of a quad from a right angle

static bool turn_alike(GridSurface *surface, AssetError *out_error);
static void list_beside(const GridSurface *surface, int (*beside)[3]);
static bool is_turned(const GridSurface *surface, int triangle, int other);
static bool pair(const GridSurface *surface, AssetFaces *out, AssetError *out_error);
static bool pin(const GridSurface *surface, bool *pinned, AssetFaces *out, AssetError *out_error);
static bool pin_top(const GridSurface *surface, int (*beside)[2], int *loop, bool *pinned, int *out_loops,
                    AssetError *out_error);
static bool number(const GridSurface *surface, const bool *pinned, AssetFaces *out, AssetError *out_error);

bool asset_faces_find(const AssetGridDef *def, AssetFaces *faces, AssetError *out_error) {
    GridSurface surface;
    *faces = (AssetFaces){0};
    bool done = grid_surface_find(&surface, def, ASSET_MOST_GRID_PARTICLES, out_error);
    bool *pinned = done ? calloc((size_t)surface.place_count, sizeof *pinned) : NULL;
    if (done && !pinned) done = asset_fail(out_error, "out of memory");
    done = done && turn_alike(&surface, out_error) && pair(&surface, faces, out_error) &&
           pin(&surface, pinned, faces, out_error) && number(&surface, pinned, faces, out_error);
    free(pinned);
    grid_surface_finish(&surface);
    return done;
}

void asset_faces_finish(AssetFaces *faces) {
    free(faces->faces);
    free(faces->positions);
    free(faces->particle_of);
    free(faces->pinned);
    *faces = (AssetFaces){0};
}

// Turns triangles to the side of most: neighbours run along their edge in opposite ways.
static bool turn_alike(GridSurface *surface, AssetError *out_error) {
    const size_t count = (size_t)surface->triangle_count;
    int(*beside)[3] = malloc(count * sizeof *beside), *queue = malloc(count * sizeof *queue), turned = 0;
    bool *seen = calloc(count, sizeof *seen);
    const bool done = beside && queue && seen;
    if (done) list_beside(surface, beside);
    if (done) queue[0] = 0, seen[0] = true;
    for (size_t i = 0, waiting = 1; done && i < waiting; i++)
        for (int k = 0; k < 3; k++) {
            const int next = beside[queue[i]][k];
            if (next < 0 || seen[next]) continue;
            int *corners = surface->triangles[next];
            if (is_turned(surface, queue[i], next)) {
                const int corner = corners[1];
                corners[1] = corners[2], corners[2] = corner;
                turned++;
            }
            seen[next] = true;
            queue[waiting++] = next;
        }
    for (int i = 0; done && 2 * turned > surface->triangle_count && i < surface->triangle_count; i++) {
        int *corners = surface->triangles[i], corner = corners[1];
        corners[1] = corners[2], corners[2] = corner;
    }
    if (done) grid_edges_list(surface->edges, surface->triangles[0], surface->triangle_count, 3);
    free(beside);
    free(queue);
    free(seen);
    return done || asset_fail(out_error, "out of memory");
}

// The triangles across each triangle's sides; -1: none.
static void list_beside(const GridSurface *surface, int (*beside)[3]) {
    const int edge_count = 3 * surface->triangle_count;
    memset(beside, -1, (size_t)surface->triangle_count * sizeof *beside);
    for (int i = 0, alike; i < edge_count; i += alike) {
        const GridEdge *edge = &surface->edges[i];
        alike = grid_edges_alike(edge, edge_count - i);
        if (alike != 2) continue;
        beside[edge[0].face][edge[0].side] = edge[1].face;
        beside[edge[1].face][edge[1].side] = edge[0].face;
    }
}

// Whether both run along a common edge the same way.
static bool is_turned(const GridSurface *surface, int triangle, int other) {
    const int *one = surface->triangles[triangle], *two = surface->triangles[other];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (one[i] == two[k] && one[(i + 1) % 3] == two[(k + 1) % 3]) return true;
    return false;
}

static bool pair(const GridSurface *surface, AssetFaces *out, AssetError *out_error) {
    out->faces = malloc((size_t)surface->triangle_count * sizeof *out->faces);
    bool *paired = calloc((size_t)surface->triangle_count, sizeof *paired);
    int count = out->faces && paired ? grid_quads_pair(surface, MOST_BEND, paired, out->faces) : -1;
    for (int i = 0; count >= 0 && i < surface->triangle_count; i++) {
        if (paired[i]) continue;
        memcpy(out->faces[count], surface->triangles[i], sizeof surface->triangles[i]);
        out->faces[count++][3] = -1;
    }
    free(paired);
    out->face_count = count;
    return count >= 0 || asset_fail(out_error, "out of memory");
}

static bool pin(const GridSurface *surface, bool *pinned, AssetFaces *out, AssetError *out_error) {
    int loops = 0;
    const size_t places = (size_t)surface->place_count;
    if (surface->pinned) {
        memcpy(pinned, surface->pinned, places * sizeof *pinned);
        return true;
    }
    int(*beside)[2] = malloc(places * sizeof *beside), *loop = malloc(places * sizeof *loop);
    bool done = beside && loop ? pin_top(surface, beside, loop, pinned, &loops, out_error)
                               : asset_fail(out_error, "out of memory");
    out->hangs_all_round = loops == 1;
    free(beside);
    free(loop);
    return done;
}

// All of the open edge that is highest in the mean.
static bool pin_top(const GridSurface *surface, int (*beside)[2], int *loop, bool *pinned, int *out_loops,
                    AssetError *out_error) {
    float height = -INFINITY;
    int top = -1;
    if (!grid_edges_open(surface, surface->edges, 3 * surface->triangle_count, beside, out_error))
        return false;
    for (int i = 0; i < surface->place_count; i++) { // pinned: traced, at first
        if (beside[i][0] < 0 || pinned[i]) continue;
        const int count = grid_loop_trace((const int(*)[2])beside, i, loop);
        const float mean = grid_side_height(surface, loop, count, 0, count - 1);
        for (int k = 0; k < count; k++) pinned[loop[k]] = true;
        if (mean > height) height = mean, top = i;
        (*out_loops)++;
    }
    for (int i = 0; i < surface->place_count; i++) pinned[i] = false;
    if (top < 0)
        return asset_fail(out_error,
                          "expected an open edge to attach, or painted pins, found a closed surface");
    for (int k = 0, count = grid_loop_trace((const int(*)[2])beside, top, loop); k < count; k++)
        pinned[loop[k]] = true;
    return true;
}

// Particles are the places that have faces.
static bool number(const GridSurface *surface, const bool *pinned, AssetFaces *out, AssetError *out_error) {
    const size_t places = (size_t)surface->place_count, vertices = (size_t)surface->def->vertex_count;
    int *particle_at = malloc(places * sizeof *particle_at);
    out->positions = malloc(places * sizeof *out->positions);
    out->particle_of = malloc(vertices * sizeof *out->particle_of);
    out->pinned = malloc(places * sizeof *out->pinned);
    bool done = particle_at && out->positions && out->particle_of && out->pinned;
    out->particle_count = done ? grid_places_number(surface, pinned, particle_at) : -1;
    done = done && out->particle_count >= 0;
    for (int i = 0; done && i < surface->place_count; i++) {
        if (particle_at[i] < 0) continue;
        memcpy(out->positions[particle_at[i]], grid_place(surface, i), sizeof *out->positions);
        out->pinned[particle_at[i]] = pinned[i];
    }
    for (size_t i = 0; done && i < vertices; i++) out->particle_of[i] = particle_at[surface->place_of[i]];
    for (int face = 0; done && face < out->face_count; face++)
        for (int k = 0; k < 4; k++)
            if (out->faces[face][k] >= 0) out->faces[face][k] = particle_at[out->faces[face][k]];
    // Not in the order of their shapes, which changes with every vertex that moves.
    if (done) grid_faces_order(out->faces[0], out->face_count, 4);
    free(particle_at);
    return done || asset_fail(out_error, "out of memory");
}
