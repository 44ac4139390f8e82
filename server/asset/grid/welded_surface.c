// Welds vertices and checks that the triangles are one surface.
#include "grid/welded_surface.h"

#include "asset/surface.h"
#include "data.h"
#include "vertex_weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SIZE 0.005f // m, of the longest side
#define MOST_SIZE  20.0f

static bool has_size(const AssetGridDef *def, AssetError *out_error);
static bool weld(GridSurface *surface, int most_places, AssetError *out_error);
static int *sort_vertices(const AssetGridDef *def);
static int compare_places(const void *left, const void *right);
static void list_triangles(GridSurface *surface);
static int compare_faces(const void *left, const void *right);
static bool is_one_piece(const GridSurface *surface, AssetError *out_error);
static int root_of(int *parents, int of);
static bool is_manifold(const GridSurface *surface, AssetError *out_error);

bool grid_surface_find(GridSurface *surface, const AssetGridDef *def, int most_places,
                       AssetError *out_error) {
    *surface = (GridSurface){.def = def};
    if (def->triangle_count == 0) return asset_fail(out_error, "expected triangles, found none");
    if (!has_size(def, out_error) || !weld(surface, most_places, out_error)) return false;
    surface->triangles = malloc((size_t)def->triangle_count * sizeof *surface->triangles);
    surface->edges = malloc(3 * (size_t)def->triangle_count * sizeof *surface->edges);
    if (!surface->triangles || !surface->edges) return asset_fail(out_error, "out of memory");
    list_triangles(surface);
    if (!is_one_piece(surface, out_error)) return false;
    grid_edges_list(surface->edges, surface->triangles[0], surface->triangle_count, 3);
    return is_manifold(surface, out_error);
}

void grid_surface_finish(GridSurface *surface) {
    free(surface->place_of);
    free(surface->vertices);
    free(surface->pinned);
    free(surface->triangles);
    free(surface->edges);
    *surface = (GridSurface){0};
}

const float *grid_place(const GridSurface *surface, int place) {
    return surface->def->positions[surface->vertices[place]];
}

void grid_faces_order(int *faces, int face_count, int corners) {
    int turned[4];
    for (int face = 0; face < face_count; face++) {
        int *corner = &faces[face * corners], count = corners, lowest = 0;
        if (corner[corners - 1] < 0) count--;
        for (int k = 1; k < count; k++)
            if (corner[k] < corner[lowest]) lowest = k;
        for (int k = 0; k < count; k++) turned[k] = corner[(lowest + k) % count];
        memcpy(corner, turned, (size_t)count * sizeof *corner);
    }
    qsort(faces, (size_t)face_count, (size_t)corners * sizeof *faces, compare_faces);
}

void grid_edges_list(GridEdge *out_edges, const int *faces, int face_count, int corners) {
    for (int face = 0; face < face_count; face++) {
        for (int side = 0; side < corners; side++) {
            const int a = faces[face * corners + side], b = faces[face * corners + (side + 1) % corners];
            *out_edges++ = a < b ? (GridEdge){a, b, face, side} : (GridEdge){b, a, face, side};
        }
    }
    qsort(out_edges - face_count * corners, (size_t)face_count * (size_t)corners, sizeof *out_edges,
          grid_edges_compare);
}

int grid_edges_compare(const void *left, const void *right) {
    const GridEdge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

int grid_edges_alike(const GridEdge *edges, int count) {
    int alike = 1;
    while (alike < count && grid_edges_compare(&edges[0], &edges[alike]) == 0) alike++;
    return alike;
}

bool grid_edges_open(const GridSurface *surface, const GridEdge *edges, int count, int (*out_beside)[2],
                     AssetError *out_error) {
    memset(out_beside, -1, (size_t)surface->place_count * sizeof *out_beside);
    for (int i = 0, alike; i < count; i += alike) {
        alike = grid_edges_alike(&edges[i], count - i);
        if (alike != 1) continue;
        const int ends[2] = {edges[i].from, edges[i].to};
        for (int k = 0; k < 2; k++) {
            int *beside = out_beside[ends[k]];
            if (beside[1] >= 0)
                return grid_fail_at(surface, ends[k], "two open edges at most at a vertex", 3, out_error);
            beside[beside[0] >= 0] = ends[1 - k];
        }
    }
    return true;
}

int grid_loop_trace(const int (*beside)[2], int from, int *out_loop) {
    int count = 0, before = -1;
    for (int at = from; count == 0 || at != from;) {
        const int next = beside[at][0] != before || count == 0 ? beside[at][0] : beside[at][1];
        out_loop[count++] = at;
        before = at;
        at = next;
    }
    return count;
}

float grid_side_height(const GridSurface *surface, const int *loop, int count, int first, int last) {
    float sum = 0.0f;
    for (int i = first; i <= last; i++) {
        const int place = loop[i % count];
        if (surface->pinned && !surface->pinned[place]) return -INFINITY;
        sum += grid_place(surface, place)[1];
    }
    return sum / (float)(last - first + 1);
}

bool grid_fail_at(const GridSurface *surface, int place, const char *expected, int found,
                  AssetError *out_error) {
    const float *at = grid_place(surface, place);
    return asset_fail(out_error, "expected %s, found %d at {%g, %g, %g}", expected, found, (double)at[0],
                      (double)at[1], (double)at[2]);
}

static bool has_size(const AssetGridDef *def, AssetError *out_error) {
    float longest = 0.0f;
    for (int k = 0; k < 3; k++) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < def->vertex_count; i++) {
            least = fminf(least, def->positions[i][k]);
            most = fmaxf(most, def->positions[i][k]);
        }
        longest = fmaxf(longest, most - least);
    }
    if (longest >= LEAST_SIZE && longest <= MOST_SIZE) return true;
    const float scale = asset_surface_scale_for(longest);
    if (scale > 0.0f)
        return asset_fail(out_error,
                          "expected metres, found a longest side of %g: a scale of %g would make it %g m",
                          (double)longest, (double)scale, (double)(longest * scale));
    return asset_fail(out_error, "expected a longest side of %g to %g m, found %g", (double)LEAST_SIZE,
                      (double)MOST_SIZE, (double)longest);
}

// Places are numbered by where they are, so that nothing depends on the order of the vertices.
static bool weld(GridSurface *surface, int most_places, AssetError *out_error) {
    const AssetGridDef *def = surface->def;
    const size_t count = (size_t)def->vertex_count;
    surface->place_of = malloc(count * sizeof *surface->place_of);
    surface->vertices = malloc(count * sizeof *surface->vertices);
    surface->pinned = def->pinned ? calloc(count, sizeof *surface->pinned) : NULL;
    int *order = sort_vertices(def), *places = malloc(count * sizeof *places);
    float(*sorted)[3] = malloc(count * sizeof *sorted);
    const bool done = surface->place_of && surface->vertices && order && places && sorted;
    for (size_t i = 0; done && i < count; i++) memcpy(sorted[i], def->positions[order[i]], sizeof *sorted);
    surface->place_count =
        done ? asset_weld((const float(*)[3])sorted, def->vertex_count, def->weld, places, surface->vertices)
             : -1;
    for (int i = 0; i < surface->place_count; i++) surface->vertices[i] = order[surface->vertices[i]];
    for (size_t i = 0; surface->place_count >= 0 && i < count; i++) surface->place_of[order[i]] = places[i];
    free(order);
    free(places);
    free(sorted);
    if (surface->place_count < 0 || (def->pinned && !surface->pinned))
        return asset_fail(out_error, "out of memory");
    for (size_t i = 0; def->pinned && i < count; i++) surface->pinned[surface->place_of[i]] |= def->pinned[i];
    return surface->place_count <= most_places ||
           asset_fail(out_error, "expected %d vertices at most, after those at one place are one, found %d",
                      most_places, surface->place_count);
}

typedef struct Placed {
    const float *at;
    int vertex;
} Placed;

// From the top down, then from back to front. Returns NULL when memory runs out.
static int *sort_vertices(const AssetGridDef *def) {
    const size_t count = (size_t)def->vertex_count;
    Placed *placed = malloc(count * sizeof *placed);
    int *order = malloc(count * sizeof *order);
    for (size_t i = 0; placed && i < count; i++) placed[i] = (Placed){def->positions[i], (int)i};
    if (placed) qsort(placed, count, sizeof *placed, compare_places);
    for (size_t i = 0; placed && order && i < count; i++) order[i] = placed[i].vertex;
    if (!placed) free(order), order = NULL;
    free(placed);
    return order;
}

// Rounded first: formats differ in their last digits.
static int compare_places(const void *left, const void *right) {
    static const int axes[3] = {1, 2, 0};
    const Placed *a = left, *b = right;
    for (int k = 0; k < 6; k++) {
        const int axis = axes[k % 3];
        float one = a->at[axis], other = b->at[axis];
        if (k < 3) one = roundf(one / ASSET_DEFAULT_WELD), other = roundf(other / ASSET_DEFAULT_WELD);
        if (one != other) return (axis == 1) == (one > other) ? -1 : 1;
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

// Those that have two corners at one place have no area and are left out.
static void list_triangles(GridSurface *surface) {
    for (int i = 0; i < surface->def->triangle_count; i++) {
        int *corners = surface->triangles[surface->triangle_count];
        for (int k = 0; k < 3; k++) corners[k] = surface->place_of[surface->def->triangles[i][k]];
        surface->triangle_count +=
            corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
    }
    grid_faces_order(surface->triangles[0], surface->triangle_count, 3);
}

static int compare_faces(const void *left, const void *right) {
    const int *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static bool is_one_piece(const GridSurface *surface, AssetError *out_error) {
    const size_t places = (size_t)surface->place_count;
    int *parents = malloc(places * sizeof *parents), *sizes = calloc(places, sizeof *sizes);
    int pieces = 0, smallest = -1;
    for (int i = 0; parents && i < surface->place_count; i++) parents[i] = -1; // of no triangle
    for (int i = 0; parents && i < surface->triangle_count; i++) {
        const int *corners = surface->triangles[i];
        for (int k = 0; k < 3; k++)
            if (parents[corners[k]] < 0) parents[corners[k]] = corners[k];
        for (int k = 1; k < 3; k++) parents[root_of(parents, corners[k])] = root_of(parents, corners[0]);
    }
    for (int i = 0; parents && sizes && i < surface->place_count; i++)
        if (parents[i] >= 0) sizes[root_of(parents, i)]++;
    for (int i = 0; parents && sizes && i < surface->place_count; i++) {
        if (parents[i] != i) continue;
        pieces++;
        if (smallest < 0 || sizes[i] < sizes[smallest]) smallest = i;
    }
    const bool done = parents && sizes;
    free(parents);
    free(sizes);
    if (!done) return asset_fail(out_error, "out of memory");
    if (pieces == 1) return true;
    if (pieces == 0) return asset_fail(out_error, "expected triangles with an area, found none");
    const float *at = grid_place(surface, smallest);
    return asset_fail(out_error,
                      "expected one piece, found %d: the smallest has the vertex {%g, %g, %g}; a larger weld "
                      "may join them, and import_mesh takes one mesh of a file",
                      pieces, (double)at[0], (double)at[1], (double)at[2]);
}

static int root_of(int *parents, int of) {
    while (parents[of] != of) of = parents[of] = parents[parents[of]];
    return of;
}

static bool is_manifold(const GridSurface *surface, AssetError *out_error) {
    const int edge_count = 3 * surface->triangle_count;
    for (int i = 0, alike; i < edge_count; i += alike) {
        const GridEdge *edge = &surface->edges[i];
        alike = grid_edges_alike(edge, edge_count - i);
        if (alike <= 2) continue;
        const float *from = grid_place(surface, edge->from), *to = grid_place(surface, edge->to);
        return asset_fail(
            out_error,
            "expected two triangles at most at an edge, found %d from {%g, %g, %g} to {%g, %g, %g}", alike,
            (double)from[0], (double)from[1], (double)from[2], (double)to[0], (double)to[1], (double)to[2]);
    }
    return true;
}
