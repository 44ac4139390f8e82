#include "topology/surface.h"

#include "core/issue.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST_EDGE 1e-5f // m

// A side of a face.
typedef struct Side {
    int ends[2], face;
} Side;

static int list_sides(const SimGarmentDef *def, Side *sides);
static int compare_sides(const void *left, const void *right);
static int compare_edges(const void *left, const void *right);
static int compare_ends(const int a[2], const int b[2]);
static void list_edges(const Side *sides, int side_count, SimSurface *out);
static void list_neighbours(SimSurface *out);
static void share_areas(SimSurface *out);
static bool measure_down(SimArena *arena, const SimGarmentDef *def, SimSurface *out);
static void choose_below(SimSurface *out, float *hanging);
static bool sort_down(SimSurface *out);
static int compare_down(const void *left, const void *right);
static bool validate_face(const SimGarmentDef *def, int garment, int face, SimIssue *issue);
static bool validate_sides(const SimGarmentDef *def, int garment, SimIssue *issue);
static bool validate_held(const SimGarmentDef *def, int garment, SimIssue *issue);

bool sim_surface_find(SimArena *arena, const SimGarmentDef *def, SimSurface *out_surface) {
    const size_t particles = (size_t)def->columns, sides = 4 * (size_t)def->face_count;
    *out_surface = (SimSurface){.particle_count = def->columns,
                                .face_count = def->face_count,
                                .positions = def->positions,
                                .faces = def->faces};
    Side *listed = malloc(sides * sizeof *listed);
    out_surface->edges = sim_arena_alloc(arena, sides, sizeof *out_surface->edges);
    out_surface->first_neighbour = sim_arena_alloc(arena, particles + 1, sizeof(int));
    out_surface->neighbours = sim_arena_alloc(arena, 2 * sides, sizeof(int));
    out_surface->open = sim_arena_alloc(arena, particles, sizeof *out_surface->open);
    out_surface->area = sim_arena_alloc(arena, particles, sizeof *out_surface->area);
    out_surface->down = sim_arena_alloc(arena, particles, sizeof *out_surface->down);
    out_surface->above = sim_arena_alloc(arena, particles, sizeof(int));
    out_surface->below = sim_arena_alloc(arena, particles, sizeof(int));
    out_surface->order = sim_arena_alloc(arena, particles, sizeof(int));
    bool done = listed && !arena->failed;
    if (done) {
        list_edges(listed, list_sides(def, listed), out_surface);
        list_neighbours(out_surface);
        share_areas(out_surface);
        done = measure_down(arena, def, out_surface);
    }
    free(listed);
    return done;
}

int sim_face_corners(const int face[4]) {
    return face[3] < 0 ? 3 : 4;
}

const SimSurfaceEdge *sim_surface_edge(const SimSurface *surface, int a, int b) {
    const SimSurfaceEdge sought = {.ends = {a < b ? a : b, a < b ? b : a}};
    return bsearch(&sought, surface->edges, (size_t)surface->edge_count, sizeof sought, compare_edges);
}

float sim_surface_length(const SimSurface *surface, int a, int b) {
    return glm_vec3_distance((float *)surface->positions[a], (float *)surface->positions[b]);
}

float sim_surface_area(const SimSurface *surface, int face) {
    vec3 normal;
    sim_surface_normal(surface, face, normal);
    return fmaxf(0.5f * glm_vec3_norm(normal), 1e-8f);
}

void sim_surface_normal(const SimSurface *surface, int face, float out_normal[3]) {
    const int *corner = surface->faces[face], last = sim_face_corners(corner) - 1;
    vec3 one, other;
    glm_vec3_sub((float *)surface->positions[corner[2]], (float *)surface->positions[corner[0]], one);
    glm_vec3_sub((float *)surface->positions[corner[last]], (float *)surface->positions[corner[1]], other);
    glm_vec3_cross(one, other, out_normal);
}

// Particles whose distance shrank wait in a ring until their neighbours are tried from them.
bool sim_surface_measure(const SimSurface *surface, float *distances, int *nearest) {
    const int count = surface->particle_count;
    int *ring = malloc((size_t)count * sizeof *ring), waiting = 0;
    bool *waits = calloc((size_t)count, sizeof *waits);
    const bool done = ring && waits;
    for (int p = 0; done && p < count; p++)
        if (distances[p] == 0.0f) ring[waiting++] = p, waits[p] = true;
    for (int head = 0; done && waiting > 0; head = (head + 1) % count, waiting--) {
        const int at = ring[head];
        waits[at] = false;
        for (int i = surface->first_neighbour[at]; i < surface->first_neighbour[at + 1]; i++) {
            const int next = surface->neighbours[i];
            const float distance = distances[at] + sim_surface_length(surface, at, next);
            if (distance >= distances[next]) continue;
            distances[next] = distance;
            if (nearest) nearest[next] = at;
            if (waits[next]) continue;
            waits[next] = true;
            ring[(head + waiting++) % count] = next; // at leaves a place
        }
    }
    free(ring);
    free(waits);
    return done;
}

bool sim_validate_faces(const SimGarmentDef *def, int garment, SimIssue *out_issue) {
    for (int face = 0; face < def->face_count; face++)
        if (!validate_face(def, garment, face, out_issue)) return false;
    return validate_sides(def, garment, out_issue) && validate_held(def, garment, out_issue);
}

static int list_sides(const SimGarmentDef *def, Side *sides) {
    int count = 0;
    for (int face = 0; face < def->face_count; face++)
        for (int i = 0, corners = sim_face_corners(def->faces[face]); i < corners; i++) {
            const int a = def->faces[face][i], b = def->faces[face][(i + 1) % corners];
            sides[count++] = (Side){{a < b ? a : b, a < b ? b : a}, face};
        }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    return count;
}

static int compare_sides(const void *left, const void *right) {
    const Side *a = left, *b = right;
    const int by_ends = compare_ends(a->ends, b->ends);
    return by_ends != 0 ? by_ends : (a->face > b->face) - (a->face < b->face);
}

static int compare_edges(const void *left, const void *right) {
    return compare_ends(((const SimSurfaceEdge *)left)->ends, ((const SimSurfaceEdge *)right)->ends);
}

static int compare_ends(const int a[2], const int b[2]) {
    const int k = a[0] == b[0];
    return (a[k] > b[k]) - (a[k] < b[k]);
}

static void list_edges(const Side *sides, int side_count, SimSurface *out) {
    for (int i = 0; i < side_count; i++) {
        const Side *side = &sides[i];
        const bool is_second = i > 0 && memcmp(sides[i - 1].ends, side->ends, sizeof side->ends) == 0;
        SimSurfaceEdge *edge = &out->edges[is_second ? out->edge_count - 1 : out->edge_count++];
        if (is_second)
            edge->faces[1] = side->face;
        else
            *edge = (SimSurfaceEdge){{side->ends[0], side->ends[1]}, {side->face, -1}};
    }
    for (int i = 0; i < out->edge_count; i++)
        for (int k = 0; k < 2 && out->edges[i].faces[1] < 0; k++) out->open[out->edges[i].ends[k]] = true;
}

// In the order of the edges.
static void list_neighbours(SimSurface *out) {
    int *first = out->first_neighbour;
    for (int i = 0; i < out->edge_count; i++)
        for (int k = 0; k < 2; k++) first[out->edges[i].ends[k] + 1]++;
    for (int p = 0; p < out->particle_count; p++) first[p + 1] += first[p];
    for (int i = 0; i < out->edge_count; i++)
        for (int k = 0; k < 2; k++)
            out->neighbours[first[out->edges[i].ends[k]]++] = out->edges[i].ends[1 - k];
    for (int p = out->particle_count; p > 0; p--) first[p] = first[p - 1];
    first[0] = 0;
}

static void share_areas(SimSurface *out) {
    for (int face = 0; face < out->face_count; face++)
        for (int i = 0, corners = sim_face_corners(out->faces[face]); i < corners; i++)
            out->area[out->faces[face][i]] += sim_surface_area(out, face) / (float)corners;
}

static bool measure_down(SimArena *arena, const SimGarmentDef *def, SimSurface *out) {
    float *hanging = sim_arena_alloc(arena, (size_t)out->particle_count, sizeof *hanging);
    for (int p = 0; p < out->particle_count; p++) {
        out->down[p] = def->pinned[p] ? 0.0f : INFINITY;
        out->above[p] = out->below[p] = -1;
    }
    if (!hanging || !sim_surface_measure(out, out->down, out->above) || !sort_down(out)) return false;
    choose_below(out, hanging);
    return true;
}

// hanging: m that the longest way below a particle leads on.
static void choose_below(SimSurface *out, float *hanging) {
    for (int i = out->particle_count - 1; i >= 0; i--) {
        const int p = out->order[i], above = out->above[p];
        if (above < 0) continue;
        const float length = hanging[p] + sim_surface_length(out, p, above);
        if (out->below[above] >= 0 && length <= hanging[above]) continue;
        out->below[above] = p;
        hanging[above] = length;
    }
}

typedef struct Depth {
    float down;
    int particle;
} Depth;

static bool sort_down(SimSurface *out) {
    const size_t count = (size_t)out->particle_count;
    Depth *depths = malloc(count * sizeof *depths);
    if (!depths) return false;
    for (int p = 0; p < out->particle_count; p++) depths[p] = (Depth){out->down[p], p};
    qsort(depths, count, sizeof *depths, compare_down);
    for (size_t i = 0; i < count; i++) out->order[i] = depths[i].particle;
    free(depths);
    return true;
}

static int compare_down(const void *left, const void *right) {
    const Depth *a = left, *b = right;
    if (a->down != b->down) return a->down < b->down ? -1 : 1;
    return (a->particle > b->particle) - (a->particle < b->particle);
}

static bool validate_face(const SimGarmentDef *def, int garment, int face, SimIssue *issue) {
    const int *corner = def->faces[face], corners = sim_face_corners(corner);
    for (int i = 0; i < corners; i++) {
        if (corner[i] < 0 || corner[i] >= def->columns)
            return sim_issue_set(issue, "expected the index of a particle", "garments[%d].faces[%d][%d]",
                                 garment, face, i);
        for (int k = 0; k < i; k++)
            if (glm_vec3_distance((float *)def->positions[corner[i]], (float *)def->positions[corner[k]]) <
                SHORTEST_EDGE)
                return sim_issue_set(issue, "lies on another corner: links need a length",
                                     "garments[%d].faces[%d][%d]", garment, face, i);
    }
    return true;
}

static bool validate_sides(const SimGarmentDef *def, int garment, SimIssue *issue) {
    Side *sides = malloc(4 * (size_t)def->face_count * sizeof *sides);
    if (!sides) return sim_issue_set(issue, "out of memory", "garments[%d].faces", garment);
    const int count = list_sides(def, sides);
    int third = 2;
    while (third < count && memcmp(sides[third].ends, sides[third - 2].ends, sizeof sides->ends) != 0)
        third++;
    const int face = third < count ? sides[third].face : -1;
    free(sides);
    return face < 0 || sim_issue_set(issue, "is the third face at an edge, expected two at most",
                                     "garments[%d].faces[%d]", garment, face);
}

// Every particle hangs from a pinned one.
static bool validate_held(const SimGarmentDef *def, int garment, SimIssue *issue) {
    SimArena scratch = {0};
    SimSurface surface;
    int loose = -1;
    bool done = sim_surface_find(&scratch, def, &surface);
    for (int p = 0; done && p < def->columns && loose < 0; p++)
        if (isinf(surface.down[p])) loose = p;
    sim_arena_free(&scratch);
    if (!done) return sim_issue_set(issue, "out of memory", "garments[%d].faces", garment);
    return loose < 0 || sim_issue_set(issue, "hangs from no pinned particle", "garments[%d].positions[%d]",
                                      garment, loose);
}
