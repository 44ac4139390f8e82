// Builds the topology of cloth that is no grid. Edges of faces are stretch links, the diagonals of faces of
// four corners shear links, and where two edges go on from each other at a particle, it bends between them:
// a surface of rows and columns of quads has the links of the grid.
#include "topology/springs.h"
#include "topology/surface.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

// Rounds over the edges that paths have beside them: stretch passes on by a few links in each.
#define EDGE_ROUNDS      4 // at least
#define MOST_EDGE_ROUNDS 12
#define ROUND_LINKS      4 // of the longest path, for a round

#define ONWARD (-0.2f) // cosine below which two edges at a particle go on from each other

// Two neighbours of a particle, one on each side of it.
typedef struct Opposite {
    int before, particle, after;
} Opposite;

static bool allocate(SimArena *arena, const SimSurface *surface, SimTopology *topology);
static void set_particles(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology);
static void set_paths(const SimSurface *surface, SimTopology *topology);
static float edge_width(const SimSurface *surface, const SimSurfaceEdge *edge);
static void set_links(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology);
static void add_link(const SimSurface *surface, SimTopology *topology, SimLinkKind kind, int a, int b,
                     float compliance);
static void add_bends(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology,
                      int particle);
static int go_on(const SimSurface *surface, int particle, int from);
static float cosine_at(const SimSurface *surface, int particle, int a, int b);
static void add_bend(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology,
                     const Opposite *opposite);
static int beside(const SimSurface *surface, const Opposite *opposite, int but);
static void set_virtuals(const SimSurface *surface, SimTopology *topology);

bool sim_surface_topology_build(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type) {
    SimTopology *topology = &type->topology;
    SimSurface *surface = sim_arena_alloc(arena, 1, sizeof *surface);
    if (!surface || !sim_surface_find(arena, def, surface)) return false;
    topology->faces = sim_arena_copy(arena, def->faces, (size_t)def->face_count, sizeof *def->faces);
    topology->face_count = def->face_count;
    if (!allocate(arena, surface, topology)) return false;
    set_particles(surface, def, topology);
    set_paths(surface, topology);
    set_links(surface, def, topology);
    if (!topology->alan_wake_collision) set_virtuals(surface, topology);
    type->surface = surface;
    return true;
}

static bool allocate(SimArena *arena, const SimSurface *surface, SimTopology *topology) {
    const size_t particles = (size_t)surface->particle_count, faces = (size_t)surface->face_count;
    const size_t edges = (size_t)surface->edge_count;
    topology->quad_area = sim_arena_alloc(arena, faces, sizeof(float));
    topology->quad_edge = sim_arena_alloc(arena, faces, sizeof(float));
    topology->paths.first = sim_arena_alloc(arena, particles + 1, sizeof(int));
    topology->paths.particles = sim_arena_alloc(arena, 2 * particles, sizeof(int));
    topology->column_length = sim_arena_alloc(arena, 2 * particles, sizeof(float));
    topology->column_compliance = sim_arena_alloc(arena, 2 * particles, sizeof(float));
    // A particle bends between half as many pairs as it has edges, so these are as many as there are edges.
    sim_links_allocate(arena, 2 * edges + 2 * faces,
                       topology->mass_spring ? &topology->springs : &topology->links);
    sim_bends_allocate(arena, edges, &topology->bends);
    topology->virtuals = sim_arena_alloc(arena, edges + faces, sizeof *topology->virtuals);
    return !arena->failed;
}

static void set_particles(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology) {
    for (int p = 0; p < surface->particle_count; p++) {
        memcpy(topology->rest[p], def->positions[p], sizeof topology->rest[p]);
        topology->pinned[p] = def->pinned[p];
        topology->edge[p] = surface->open[p];
    }
    for (int face = 0; face < surface->face_count; face++) {
        const int *corner = surface->faces[face], corners = sim_face_corners(corner);
        topology->quad_area[face] = sim_surface_area(surface, face);
        for (int i = 0; i < corners; i++) {
            topology->quad_edge[face] += (float)topology->edge[corner[i]] / (float)corners;
        }
    }
    for (int p = 0; p < surface->particle_count; p++)
        topology->inverse_area[p] = topology->pinned[p] ? 0.0f : 1.0f / surface->area[p];
}

// From each particle that does not go on the path of the one above it, down. Those that hang from pinned
// particles, or lead on farther, come first, so every path begins at a particle that is placed.
static void set_paths(const SimSurface *surface, SimTopology *topology) {
    SimPaths *paths = &topology->paths;
    int count = 0;
    for (int i = 0; i < surface->particle_count; i++) {
        const int head = surface->order[i], from = surface->above[head];
        if (from < 0 || (surface->above[from] >= 0 && surface->below[from] == head)) continue;
        paths->first[paths->count++] = count;
        paths->particles[count++] = from;
        for (int p = head; p >= 0; p = surface->below[p]) paths->particles[count++] = p;
        for (int k = paths->first[paths->count - 1]; k + 1 < count; k++) {
            const int a = paths->particles[k], b = paths->particles[k + 1];
            topology->column_length[k] = sim_surface_length(surface, a, b);
            topology->column_compliance[k] =
                topology->column_length[k] / edge_width(surface, sim_surface_edge(surface, a, b));
        }
    }
    paths->first[paths->count] = count;
    topology->edge_rounds = EDGE_ROUNDS;
    for (int i = 0; i < paths->count; i++) {
        const int rounds = (paths->first[i + 1] - paths->first[i]) / ROUND_LINKS;
        if (rounds > topology->edge_rounds) topology->edge_rounds = rounds;
    }
    if (topology->edge_rounds > MOST_EDGE_ROUNDS) topology->edge_rounds = MOST_EDGE_ROUNDS;
}

// Of the cloth that an edge holds, across it. Of a rectangle two edges hold half each; the three edges of a
// triangle hold all of it, as in the lattice of equal triangles, whose stiffness is sqrt(3)/2 of its links'.
static float edge_width(const SimSurface *surface, const SimSurfaceEdge *edge) {
    float area = 0.0f;
    for (int k = 0; k < 2 && edge->faces[k] >= 0; k++)
        area += sim_surface_area(surface, edge->faces[k]) /
                (sim_face_corners(surface->faces[edge->faces[k]]) == 4 ? 2.0f : 1.0f);
    return area / sim_surface_length(surface, edge->ends[0], edge->ends[1]);
}

// Edges along paths are solved with these, unless they are springs.
static void set_links(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology) {
    topology->sweeps = 1;
    for (int i = 0; i < surface->edge_count; i++) {
        const SimSurfaceEdge *edge = &surface->edges[i];
        const int a = edge->ends[0], b = edge->ends[1];
        if (!topology->mass_spring && (surface->above[a] == b || surface->above[b] == a)) continue;
        add_link(surface, topology, SIM_LINK_STRETCH, a, b,
                 sim_surface_length(surface, a, b) / edge_width(surface, edge));
    }
    for (int face = 0; face < surface->face_count; face++) {
        const int *corner = surface->faces[face];
        for (int k = 0; k < 2 && sim_face_corners(corner) == 4; k++)
            add_link(surface, topology, SIM_LINK_SHEAR, corner[k], corner[k + 2], 1.0f);
    }
    for (int p = 0; p < surface->particle_count; p++) add_bends(surface, def, topology, p);
}

static void add_link(const SimSurface *surface, SimTopology *topology, SimLinkKind kind, int a, int b,
                     float compliance) {
    const float length = sim_surface_length(surface, a, b);
    if (topology->mass_spring)
        sim_links_add(topology, &topology->springs, kind, a, b, length, 1.0f);
    else
        sim_links_add(topology, &topology->links, kind, a, b, length, compliance);
}

// Each edge goes on in one other at most, and that one in it.
static void add_bends(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology,
                      int particle) {
    for (int i = surface->first_neighbour[particle]; i < surface->first_neighbour[particle + 1]; i++) {
        const int before = surface->neighbours[i], after = go_on(surface, particle, before);
        if (after <= before || go_on(surface, particle, after) != before) continue;
        const Opposite opposite = {before, particle, after};
        if (topology->mass_spring)
            add_link(surface, topology, SIM_LINK_BEND, before, after, 1.0f);
        else
            add_bend(surface, def, topology, &opposite);
    }
}

// The neighbour that is most opposite to another one; -1: none is.
static int go_on(const SimSurface *surface, int particle, int from) {
    int best = -1;
    float least = ONWARD;
    for (int i = surface->first_neighbour[particle]; i < surface->first_neighbour[particle + 1]; i++) {
        const float cosine = cosine_at(surface, particle, from, surface->neighbours[i]);
        if (cosine < least) least = cosine, best = surface->neighbours[i];
    }
    return best;
}

static float cosine_at(const SimSurface *surface, int particle, int a, int b) {
    vec3 one, other;
    glm_vec3_sub((float *)surface->positions[a], (float *)surface->positions[particle], one);
    glm_vec3_sub((float *)surface->positions[b], (float *)surface->positions[particle], other);
    return glm_vec3_dot(one, other) / (glm_vec3_norm(one) * glm_vec3_norm(other));
}

// The strip of cloth that an element bends is as wide as the particle's area over the element's arm.
static void add_bend(const SimSurface *surface, const SimGarmentDef *def, SimTopology *topology,
                     const Opposite *opposite) {
    const int p = opposite->particle, left = beside(surface, opposite, -1);
    const int right = beside(surface, opposite, left);
    const int particles[5] = {opposite->before, p, opposite->after, left, right};
    const float arm = 0.5f * (sim_surface_length(surface, opposite->before, p) +
                              sim_surface_length(surface, p, opposite->after));
    sim_bends_add(topology, surface->positions, particles, arm, surface->area[p] / arm,
                  def->bend == SIM_BEND_ALAN_WAKE);
}

// The neighbour that is most across the element, on the other side than another one (-1: on any); the
// particle itself where there is none.
static int beside(const SimSurface *surface, const Opposite *opposite, int but) {
    const int p = opposite->particle;
    int best = p;
    float least = 0.7f;
    for (int i = surface->first_neighbour[p]; i < surface->first_neighbour[p + 1]; i++) {
        const int other = surface->neighbours[i];
        if (other == but || (but >= 0 && but != p && cosine_at(surface, p, other, but) > 0.0f)) continue;
        const float along = fabsf(cosine_at(surface, p, other, opposite->after));
        if (along < least) least = along, best = other;
    }
    return best;
}

// Of each face the middles of the edges that no earlier one has, then its own.
static void set_virtuals(const SimSurface *surface, SimTopology *topology) {
    for (int face = 0; face < surface->face_count; face++) {
        const int *corner = surface->faces[face], corners = sim_face_corners(corner);
        for (int i = 0; i < corners; i++) {
            const int ends[2] = {corner[i], corner[(i + 1) % corners]};
            if (sim_surface_edge(surface, ends[0], ends[1])->faces[0] == face)
                sim_virtuals_add(topology, ends, 2);
        }
        sim_virtuals_add(topology, corner, corners);
    }
}
