// Self-collision by spatial hashing (Teschner et al., Optimized Spatial Hashing for Collision Detection of
// Deformable Objects, 2003).
#include "garment/self_collision.h"

#include "garment/kernel_inputs.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define FARTHEST_CELL 1e6f // a garment out there is about to be reset

static bool sort(SimCells *cells, int count, float size);
static int bucket_of(const SimCells *cells, const int cell[3]);
static void push_from_cell(const SimRig *rig, int garment, SimCells *cells, int p, const int cell[3]);
static void push_apart(const SimRig *rig, int garment, SimCells *cells, int p, int q);
static bool near_at_rest(const SimRig *rig, int garment, int p, int q);
static float through_seam(const SimGarmentType *garment, const SimSeam *seam, int p, int q);

SimCells *sim_cells_create(SimArena *arena, const SimRig *rig) {
    int most = 0;
    for (int g = 0; g < rig->info.garment_count; g++) {
        const SimGarmentType *garment = &rig->garments[g];
        if (garment->self_collision > 0.0f && garment->info.particle_count > most)
            most = garment->info.particle_count;
    }
    if (!most) return NULL;
    SimCells *cells = sim_arena_alloc(arena, 1, sizeof *cells);
    if (!cells) return NULL;
    for (cells->buckets = 16; cells->buckets < 2 * most;) cells->buckets *= 2;
    cells->starts = sim_arena_alloc(arena, (size_t)cells->buckets + 1, sizeof(int));
    cells->entries = sim_arena_alloc(arena, (size_t)most, sizeof(int));
    cells->cells = sim_arena_alloc(arena, (size_t)most, sizeof *cells->cells);
    cells->bucket = sim_arena_alloc(arena, (size_t)most, sizeof(int));
    cells->positions = sim_arena_alloc(arena, (size_t)most, sizeof *cells->positions);
    return cells;
}

void sim_self_collide(SimGroup *group, int garment, int lane) {
    const SimRig *rig = group->rig;
    SimCells *cells = group->cells;
    int count = rig->garments[garment].info.particle_count;
    SimLane positions = sim_group_lane(group, group->garments[garment].state.position, lane);
    sim_lane_to_vectors(sim_group_lane(group, group->garments[garment].state.position, lane), count,
                        cells->positions);
    if (!sort(cells, count, rig->garments[garment].self_collision)) return;
    for (int p = 0; p < count; p++)
        for (int i = 0; i < 27; i++) {
            const int *at = cells->cells[p];
            const int cell[3] = {at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1};
            push_from_cell(rig, garment, cells, p, cell);
        }
    for (int i = 0; i < 3 * count; i++)
        *sim_lane_at(positions, (size_t)i).first = cells->positions[i / 3][i % 3];
}

// Returns false when a particle is too far away or not a number.
static bool sort(SimCells *cells, int count, float size) {
    memset(cells->starts, 0, ((size_t)cells->buckets + 1) * sizeof(int));
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < 3; i++) {
            float cell = floorf(cells->positions[p][i] / size);
            if (!(fabsf(cell) < FARTHEST_CELL)) return false;
            cells->cells[p][i] = (int)cell;
        }
        cells->bucket[p] = bucket_of(cells, cells->cells[p]);
        cells->starts[cells->bucket[p] + 1]++;
    }
    for (int b = 0; b < cells->buckets; b++) cells->starts[b + 1] += cells->starts[b];
    // Backwards, so that a bucket's start ends up as its first place, and its particles ascend.
    for (int p = count - 1; p >= 0; p--) cells->entries[--cells->starts[cells->bucket[p] + 1]] = p;
    memmove(cells->starts, cells->starts + 1, (size_t)cells->buckets * sizeof(int));
    cells->starts[cells->buckets] = count;
    return true;
}

static int bucket_of(const SimCells *cells, const int cell[3]) {
    uint32_t hash =
        ((uint32_t)cell[0] * 73856093u) ^ ((uint32_t)cell[1] * 19349663u) ^ ((uint32_t)cell[2] * 83492791u);
    return (int)(hash & (uint32_t)(cells->buckets - 1));
}

static void push_from_cell(const SimRig *rig, int garment, SimCells *cells, int p, const int cell[3]) {
    int bucket = bucket_of(cells, cell);
    for (int k = cells->starts[bucket]; k < cells->starts[bucket + 1]; k++) {
        int q = cells->entries[k];
        if (q > p && memcmp(cells->cells[q], cell, sizeof cells->cells[q]) == 0)
            push_apart(rig, garment, cells, p, q);
    }
}

// x_p -= w_p s d, x_q += w_q s d, s = (thickness - l) / (l (w_p + w_q)).
static void push_apart(const SimRig *rig, int garment, SimCells *cells, int p, int q) {
    const SimGarmentType *type = &rig->garments[garment];
    float *a = cells->positions[p], *b = cells->positions[q];
    float wa = type->topology.inverse_area[p], wb = type->topology.inverse_area[q];
    vec3 d;
    glm_vec3_sub(b, a, d);
    float length = glm_vec3_norm(d);
    if (length >= type->self_collision || wa + wb <= 0.0f || near_at_rest(rig, garment, p, q)) return;
    if (length < 1e-6f) glm_vec3_copy((vec3){0.0f, length = 1e-6f, 0.0f}, d);
    float s = (type->self_collision - length) / (length * (wa + wb));
    glm_vec3_muladds(d, -wa * s, a);
    glm_vec3_muladds(d, wb * s, b);
}

static bool near_at_rest(const SimRig *rig, int garment, int p, int q) {
    const SimGarmentType *type = &rig->garments[garment];
    if (glm_vec3_distance(type->topology.rest[p], type->topology.rest[q]) < type->self_collision) return true;
    for (int i = 0; i < rig->info.seam_count; i++) {
        const SimSeam *seam = &rig->seams[i];
        if (seam->garments[0] == garment && seam->garments[1] == garment &&
            through_seam(type, seam, p, q) < type->self_collision)
            return true;
    }
    return false;
}

// Distance at rest between two particles through a seam of the garment with itself.
static float through_seam(const SimGarmentType *garment, const SimSeam *seam, int p, int q) {
    const float(*rest)[3] = (const float(*)[3])garment->topology.rest;
    float shortest = HUGE_VALF;
    for (int i = 0; i < seam->pair_count; i++) {
        const int *pair = seam->pairs[i];
        for (int way = 0; way < 2; way++) {
            float there = glm_vec3_distance((float *)rest[p], (float *)rest[pair[way]]);
            float on = glm_vec3_distance((float *)rest[pair[1 - way]], (float *)rest[q]);
            shortest = fminf(shortest, there + on);
        }
    }
    return shortest;
}
