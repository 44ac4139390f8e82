// Bones of cloth that is no grid. A bone's axes are measured between particles that lie about half a bone's
// distance from it, so that they are as steady on a fine mesh as on a coarse one.
#include "topology/surface.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#define ALIGNED 0.5f // weight of how far a particle is off a bone's side against how far it lies on it

#define SOFTNESS   0.2f // of the reach: how far about a bone it outweighs all others
#define NEAR_BONES (SIM_INFLUENCES + 1)

// The nearest bones of a particle, by distance.
typedef struct Near {
    int bones[NEAR_BONES];
    float distances[NEAR_BONES];
} Near;

static void take_near(Near *near, int bone, float distance);
static void set_weights(const Near *near, float softness, SimSkin *out_skin);
static int farthest(const float *distances, int count);
static int follow(const SimSurface *surface, const int *next, int from, float reach);
static int lowest_beside(const SimSurface *surface, int particle);
static void set_sides(const SimSurface *surface, float reach, const float *distances, SimClothBone *bone);

int sim_garment_spread(const SimGarmentDef *garment, int count, int *out_particles) {
    SimArena scratch = {0};
    SimSurface surface;
    const int particles = garment->columns;
    if (count > particles) count = particles;
    float *distances = sim_arena_alloc(&scratch, (size_t)particles, sizeof *distances);
    bool *chosen = sim_arena_alloc(&scratch, (size_t)particles, sizeof *chosen);
    bool done = distances && chosen && sim_surface_find(&scratch, garment, &surface);
    for (int p = 0; done && p < particles; p++) distances[p] = INFINITY;
    for (int i = 0, next = done ? surface.order[0] : 0; done && i < count; i++) {
        chosen[next] = true;
        distances[next] = 0.0f;
        done = sim_surface_measure(&surface, distances, NULL);
        next = farthest(distances, particles);
    }
    int listed = 0;
    for (int i = 0; done && i < particles; i++)
        if (chosen[surface.order[i]]) out_particles[listed++] = surface.order[i];
    sim_arena_free(&scratch);
    return listed;
}

bool sim_garment_faces_skin(const SimGarmentDef *garment, SimSkin *out_skins) {
    SimArena scratch = {0};
    SimSurface surface;
    const size_t particles = (size_t)garment->columns;
    float *distances = sim_arena_alloc(&scratch, particles, sizeof *distances);
    Near *near = sim_arena_alloc(&scratch, particles, sizeof *near);
    bool done = distances && near && sim_surface_find(&scratch, garment, &surface);
    for (size_t p = 0; done && p < particles; p++)
        for (int k = 0; k < NEAR_BONES; k++) near[p].distances[k] = INFINITY;
    for (int bone = 0; done && bone < garment->bone_particle_count; bone++) {
        for (size_t p = 0; p < particles; p++) distances[p] = INFINITY;
        distances[garment->bone_particles[bone]] = 0.0f;
        done = sim_surface_measure(&surface, distances, NULL);
        for (size_t p = 0; done && p < particles; p++) take_near(&near[p], bone, distances[p]);
    }
    const float softness = done ? SOFTNESS * sim_surface_reach(&surface, garment->bone_particle_count) : 0.0f;
    for (size_t p = 0; done && p < particles; p++) set_weights(&near[p], softness, &out_skins[p]);
    sim_arena_free(&scratch);
    return done;
}

float sim_surface_reach(const SimSurface *surface, int bone_count) {
    float area = 0.0f;
    for (int face = 0; face < surface->face_count; face++) area += sim_surface_area(surface, face);
    return 0.5f * sqrtf(area / (float)bone_count);
}

void sim_surface_bone_place(const SimSurface *surface, float reach, float *distances, SimClothBone *bone) {
    const int pivot = bone->pivot;
    const int below = follow(surface, surface->below, pivot, reach);
    const int above = follow(surface, surface->above, pivot, reach);
    bone->from = below == pivot ? above : pivot;
    bone->to = below != pivot ? below : above != pivot ? pivot : lowest_beside(surface, pivot);
    bone->length = sim_surface_length(surface, bone->from, bone->to);
    bone->warp = (SimFold){.before = above, .after = below};
    for (int p = 0; p < surface->particle_count; p++) distances[p] = reach;
    distances[pivot] = 0.0f;
    sim_surface_measure(surface, distances, NULL);
    set_sides(surface, reach, distances, bone);
}

static void take_near(Near *near, int bone, float distance) {
    int at = NEAR_BONES;
    while (at > 0 && distance < near->distances[at - 1]) at--;
    for (int k = NEAR_BONES - 1; k > at; k--) {
        near->bones[k] = near->bones[k - 1];
        near->distances[k] = near->distances[k - 1];
    }
    if (at == NEAR_BONES) return;
    near->bones[at] = bone;
    near->distances[at] = distance;
}

// By the inverse square of the distance, down to 0 where the next bone would come in.
static void set_weights(const Near *near, float softness, SimSkin *out_skin) {
    const float last = near->distances[SIM_INFLUENCES];
    float sum = 0.0f;
    *out_skin = (SimSkin){0};
    for (int k = 0; k < SIM_INFLUENCES && isfinite(near->distances[k]); k++) {
        const float distance = near->distances[k], left = isfinite(last) ? 1.0f - distance / last : 1.0f;
        out_skin->bones[k] = near->bones[k];
        out_skin->weights[k] = fmaxf(left * left, 1e-6f) / (distance * distance + softness * softness);
        sum += out_skin->weights[k];
    }
    for (int k = 0; k < SIM_INFLUENCES && sum > 0.0f; k++) out_skin->weights[k] /= sum;
}

static int farthest(const float *distances, int count) {
    int best = 0;
    for (int p = 1; p < count; p++)
        if (distances[p] > distances[best]) best = p;
    return best;
}

// One step along a path at least, and on while they stay within reach.
static int follow(const SimSurface *surface, const int *next, int from, float reach) {
    int at = from;
    for (float way = 0.0f; next[at] >= 0; at = next[at]) {
        way += sim_surface_length(surface, at, next[at]);
        if (at != from && way > reach) break;
    }
    return at;
}

// Of a pinned particle from which nothing hangs.
static int lowest_beside(const SimSurface *surface, int particle) {
    int best = surface->neighbours[surface->first_neighbour[particle]];
    for (int i = surface->first_neighbour[particle]; i < surface->first_neighbour[particle + 1]; i++)
        if (surface->down[surface->neighbours[i]] > surface->down[best]) best = surface->neighbours[i];
    return best;
}

// x along its link; y across it in the cloth, so that z = x cross y points outward.
static void axes_at(const SimSurface *surface, const SimClothBone *bone, vec3 out_x, vec3 out_y) {
    vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int face = 0; face < surface->face_count; face++)
        for (int i = 0, corners = sim_face_corners(surface->faces[face]); i < corners; i++) {
            vec3 normal;
            if (surface->faces[face][i] != bone->pivot) continue;
            sim_surface_normal(surface, face, normal);
            glm_vec3_add(sum, normal, sum);
        }
    glm_vec3_sub((float *)surface->positions[bone->to], (float *)surface->positions[bone->from], out_x);
    glm_vec3_normalize(out_x);
    glm_vec3_cross(sum, out_x, out_y);
    glm_vec3_normalize(out_y);
}

// The particles farthest to the left and right among the neighbours and those within reach (distances:
// below it); the pivot where there is none.
static void set_sides(const SimSurface *surface, float reach, const float *distances, SimClothBone *bone) {
    const int pivot = bone->pivot;
    const int *neighbours = surface->neighbours + surface->first_neighbour[pivot];
    const int neighbour_count = surface->first_neighbour[pivot + 1] - surface->first_neighbour[pivot];
    int best[2] = {pivot, pivot};
    float most[2] = {0.0f, 0.0f};
    vec3 x, y;
    axes_at(surface, bone, x, y);
    for (int i = 0; i < surface->particle_count + neighbour_count; i++) {
        const int p = i < neighbour_count ? neighbours[i] : i - neighbour_count;
        vec3 way;
        if (i >= neighbour_count && !(distances[p] < reach)) continue;
        glm_vec3_sub((float *)surface->positions[p], (float *)surface->positions[pivot], way);
        const float across = glm_vec3_dot(way, y), off = ALIGNED * fabsf(glm_vec3_dot(way, x));
        for (int side = 0; side < 2; side++) {
            const float score = (side == 0 ? -across : across) - off;
            if (score > most[side]) most[side] = score, best[side] = p;
        }
    }
    bone->left = bone->far_left = best[0];
    bone->right = bone->far_right = best[1];
}
