#include "skin/weld.h"

#include "vertex_weld.h"

#include <stdlib.h>

typedef struct Edge {
    int from, to; // places; from < to
} Edge;

static bool find_places(SkinWeld *weld, const AssetBindDef *def);
static bool find_neighbours(SkinWeld *weld, const AssetBindDef *def);
static void list_neighbours(SkinWeld *weld, Edge *edges, int edge_count, int *filled);
static int collect_edges(const SkinWeld *weld, const AssetBindDef *def, Edge *out_edges);
static int compare_edges(const void *left, const void *right);
static int keep_each_once(SkinWeld *weld, Edge *edges, int edge_count);

bool skin_weld_init(SkinWeld *weld, const AssetBindDef *def) {
    *weld = (SkinWeld){0};
    return find_places(weld, def) && find_neighbours(weld, def);
}

void skin_weld_finish(SkinWeld *weld) {
    free(weld->place_of);
    free(weld->vertices);
    free(weld->starts);
    free(weld->neighbours);
    *weld = (SkinWeld){0};
}

static bool find_places(SkinWeld *weld, const AssetBindDef *def) {
    weld->place_of = malloc((size_t)def->vertex_count * sizeof *weld->place_of);
    weld->vertices = malloc((size_t)def->vertex_count * sizeof *weld->vertices);
    weld->place_count = weld->place_of && weld->vertices ? asset_weld(def->positions, def->vertex_count, 0.0f,
                                                                      weld->place_of, weld->vertices)
                                                         : -1;
    return weld->place_count >= 0;
}

static bool find_neighbours(SkinWeld *weld, const AssetBindDef *def) {
    const size_t places = (size_t)weld->place_count;
    Edge *edges = malloc(3 * (size_t)def->triangle_count * sizeof *edges);
    int *filled = calloc(places, sizeof *filled);
    weld->starts = calloc(places + 1, sizeof *weld->starts);
    weld->neighbours = malloc(6 * (size_t)def->triangle_count * sizeof *weld->neighbours);
    const bool done = edges && filled && weld->starts && weld->neighbours;
    if (done) list_neighbours(weld, edges, collect_edges(weld, def, edges), filled);
    free(edges);
    free(filled);
    return done;
}

static void list_neighbours(SkinWeld *weld, Edge *edges, int edge_count, int *filled) {
    qsort(edges, (size_t)edge_count, sizeof *edges, compare_edges);
    edge_count = keep_each_once(weld, edges, edge_count);
    for (int i = 0; i < edge_count; i++) {
        weld->starts[edges[i].from + 1]++;
        weld->starts[edges[i].to + 1]++;
    }
    for (int i = 0; i < weld->place_count; i++) weld->starts[i + 1] += weld->starts[i];
    for (int i = 0; i < edge_count; i++) {
        const int from = edges[i].from, to = edges[i].to;
        weld->neighbours[weld->starts[from] + filled[from]++] = to;
        weld->neighbours[weld->starts[to] + filled[to]++] = from;
    }
}

// Triangles that have two corners at one place have no area and are left out.
static int collect_edges(const SkinWeld *weld, const AssetBindDef *def, Edge *out_edges) {
    int count = 0;
    for (int i = 0; i < def->triangle_count; i++) {
        int places[3];
        for (int k = 0; k < 3; k++) places[k] = weld->place_of[def->triangles[i][k]];
        if (places[0] == places[1] || places[1] == places[2] || places[2] == places[0]) continue;
        for (int k = 0; k < 3; k++) {
            const int a = places[k], b = places[(k + 1) % 3];
            out_edges[count++] = a < b ? (Edge){a, b} : (Edge){b, a};
        }
    }
    return count;
}

static int compare_edges(const void *left, const void *right) {
    const Edge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

// edges: sorted. Returns how many are left.
static int keep_each_once(SkinWeld *weld, Edge *edges, int edge_count) {
    int kept = 0;
    for (int i = 0, same; i < edge_count; i += same) {
        for (same = 1; i + same < edge_count && compare_edges(&edges[i], &edges[i + same]) == 0;) same++;
        if (same == 1) weld->open_edges++;
        edges[kept++] = edges[i];
    }
    return kept;
}
