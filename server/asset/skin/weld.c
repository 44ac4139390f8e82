#include "skin/weld.h"

#include <stdlib.h>
#include <string.h>

typedef struct Edge {
    int from, to; // places; from < to
} Edge;

static bool find_places(SkinWeld *weld, const AssetBindDef *def);
static uint32_t hash_position(const float position[3]);
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

// By a hash table with open addressing.
static bool find_places(SkinWeld *weld, const AssetBindDef *def) {
    size_t capacity = 16;
    while (capacity < 2 * (size_t)def->vertex_count) capacity *= 2;
    int *table = malloc(capacity * sizeof *table);
    weld->place_of = malloc((size_t)def->vertex_count * sizeof *weld->place_of);
    weld->vertices = malloc((size_t)def->vertex_count * sizeof *weld->vertices);
    const bool done = table && weld->place_of && weld->vertices;
    if (done) memset(table, -1, capacity * sizeof *table);
    for (int i = 0; done && i < def->vertex_count; i++) {
        const float *position = def->positions[i];
        size_t slot = hash_position(position) & (capacity - 1);
        while (table[slot] >= 0 &&
               memcmp(def->positions[weld->vertices[table[slot]]], position, sizeof(float[3])) != 0)
            slot = (slot + 1) & (capacity - 1);
        if (table[slot] < 0) {
            table[slot] = weld->place_count++;
            weld->vertices[table[slot]] = i;
        }
        weld->place_of[i] = table[slot];
    }
    free(table);
    return done;
}

static uint32_t hash_position(const float position[3]) {
    uint32_t words[3], hash = 0;
    memcpy(words, position, sizeof words);
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ words[k]) * UINT32_C(0x9E3779B1);
        hash ^= hash >> 15;
    }
    return hash;
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
