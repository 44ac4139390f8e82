// Allocates and appends links, springs, bending elements with their rest curvature, and points between
// particles, to a topology.
#include "topology/topology.h"

#include <cglm/cglm.h>
#include <string.h>

typedef struct Levels {
    int *written, *read; // [particle] level of the last element that moves it, or only looks at it
    int *level;          // [element]
    int most;
} Levels;

static void find_levels(const SimTopology *topology, Levels *out);
static void rest_curvature(const float (*x)[3], const int *particles, float *out_curvature);

void sim_links_allocate(SimArena *arena, size_t count, SimLinks *links) {
    links->ends = sim_arena_alloc(arena, count, sizeof *links->ends);
    links->kind = sim_arena_alloc(arena, count, 1);
    links->length = sim_arena_alloc(arena, count, sizeof(float));
    links->factor = sim_arena_alloc(arena, count, sizeof(float));
}

void sim_bends_allocate(SimArena *arena, size_t count, SimBends *bends) {
    bends->particles = sim_arena_alloc(arena, count, sizeof *bends->particles);
    bends->compliance = sim_arena_alloc(arena, count, sizeof(float));
    bends->curvature = sim_arena_alloc(arena, count, sizeof *bends->curvature);
}

void sim_links_add(const SimTopology *topology, SimLinks *links, SimLinkKind kind, int a, int b, float length,
                   float factor) {
    if (topology->pinned[a] && topology->pinned[b]) return;
    links->ends[links->count][0] = a;
    links->ends[links->count][1] = b;
    links->kind[links->count] = (uint8_t)kind;
    links->length[links->count] = length;
    links->factor[links->count++] = factor;
}

// At a clamp the element stands for half a cell.
void sim_bends_add(SimTopology *topology, const float (*x)[3], const int particles[5], float arm, float width,
                   bool alan_wake) {
    const float clamp = topology->pinned[particles[1]] ? 0.5f : 1.0f;
    const float compliance = clamp * arm * arm * arm / (width > 0.0f ? width : arm);
    SimBends *bends = &topology->bends;
    if (alan_wake) {
        float *ends[2] = {(float *)x[particles[0]], (float *)x[particles[2]]};
        sim_links_add(topology, &topology->links, SIM_LINK_BEND, particles[0], particles[2],
                      glm_vec3_distance(ends[0], ends[1]), compliance);
        return;
    }
    memcpy(bends->particles[bends->count], particles, sizeof bends->particles[0]);
    rest_curvature(x, particles, bends->curvature[bends->count]);
    bends->compliance[bends->count++] = compliance;
}

bool sim_bends_sort(SimArena *arena, SimTopology *topology) {
    SimBends *bends = &topology->bends, sorted = *bends;
    const size_t particles = (size_t)topology->particle_count, count = (size_t)bends->count;
    SimArena scratch = {0};
    Levels levels = {.written = sim_arena_alloc(&scratch, particles, sizeof(int)),
                     .read = sim_arena_alloc(&scratch, particles, sizeof(int)),
                     .level = sim_arena_alloc(&scratch, count, sizeof(int))};
    sim_bends_allocate(arena, count, &sorted);
    if (arena->failed || scratch.failed) {
        sim_arena_free(&scratch);
        return false;
    }
    find_levels(topology, &levels);
    sorted.count = 0;
    for (int level = 1; level <= levels.most; level++)
        for (int i = 0; i < bends->count; i++) {
            if (levels.level[i] != level) continue;
            memcpy(sorted.particles[sorted.count], bends->particles[i], sizeof bends->particles[i]);
            memcpy(sorted.curvature[sorted.count], bends->curvature[i], sizeof bends->curvature[i]);
            sorted.compliance[sorted.count++] = bends->compliance[i];
        }
    *bends = sorted;
    sim_arena_free(&scratch);
    return true;
}

void sim_virtuals_add(SimTopology *topology, const int *particles, int count) {
    SimVirtual point = {.count = count};
    bool pinned = true;
    for (int i = 0; i < count; i++) {
        point.particles[i] = particles[i];
        pinned = pinned && topology->pinned[particles[i]];
    }
    if (!pinned) topology->virtuals[topology->virtual_count++] = point;
}

// An element is a level after all before it that move a particle which it needs, and not before those that
// need one which it moves.
static void find_levels(const SimTopology *topology, Levels *out) {
    for (int i = 0; i < topology->bends.count; i++) {
        const int *particles = topology->bends.particles[i];
        int level = 1;
        for (int k = 0; k < 5; k++) {
            const int written = out->written[particles[k]] + 1, read = k < 3 ? out->read[particles[k]] : 0;
            if (written > level) level = written;
            if (read > level) level = read;
        }
        for (int k = 0; k < 5; k++) {
            int *last = k < 3 ? &out->written[particles[k]] : &out->read[particles[k]];
            if (level > *last) *last = level;
        }
        out->level[i] = level;
        if (level > out->most) out->most = level;
    }
}

// The rest curvature in the frame of the cloth at the middle particle, as the kernel rebuilds it.
static void rest_curvature(const float (*x)[3], const int *particles, float *out_curvature) {
    if (particles[3] == particles[4]) return;
    vec3 c, tangent, across, normal, side;
    for (int i = 0; i < 3; i++) {
        const float x0 = x[particles[0]][i], x2 = x[particles[2]][i];
        c[i] = x0 - 2.0f * x[particles[1]][i] + x2;
        tangent[i] = x2 - x0;
        across[i] = x[particles[4]][i] - x[particles[3]][i];
    }
    glm_vec3_normalize(tangent);
    glm_vec3_cross(tangent, across, normal);
    glm_vec3_normalize(normal);
    glm_vec3_cross(normal, tangent, side);
    out_curvature[0] = glm_vec3_dot(c, tangent);
    out_curvature[1] = glm_vec3_dot(c, normal);
    out_curvature[2] = glm_vec3_dot(c, side);
}
