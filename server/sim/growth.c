// Numbers of a rig on the way from those of the rig before.
#include "growth.h"

#include "fabric_ramp.h"
#include "rotation.h"

#include <string.h>

#define NOTHING 1e-3f // the share of its size that a new collider begins with

enum { FROM, TO, ENDS };

typedef struct GarmentGrowth {
    SimKernelCollider *shapes[ENDS], *virtual_shapes[ENDS]; // [collider_count]
    float *distances[ENDS];                                 // [2 * particle_count] fixed, then scaled
} GarmentGrowth;

struct SimGrowth {
    float left;                // s
    SimTransform *place[ENDS]; // [collider_count]
    GarmentGrowth *garments;   // [garment_count]
};

static void *copy(SimArena *arena, const void *items, int count, size_t size) {
    void *copied = sim_arena_take(arena, (size_t)count, size);
    if (copied && count > 0) memcpy(copied, items, (size_t)count * size);
    return copied;
}

static void take_places(SimGrowth *growth, SimRig *rig, const SimRig *from) {
    const int count = rig->info.collider_count;
    for (int end = FROM; end < ENDS; end++)
        growth->place[end] = copy(&rig->arena, rig->collider_local, count, sizeof(SimTransform));
    for (int i = 0; i < count && !rig->arena.failed; i++) {
        int before = sim_rig_collider_named(from, rig->info.colliders[i].name);
        if (before >= 0) growth->place[FROM][i] = from->collider_local[before];
    }
}

static void take_shapes(SimRig *rig, const SimRig *from, const SimKernelCollider *shapes, int count,
                        const SimKernelCollider *old_shapes, int old_count, SimKernelCollider *out[ENDS]) {
    for (int end = FROM; end < ENDS; end++) out[end] = copy(&rig->arena, shapes, count, sizeof *shapes);
    for (int i = 0; i < count && !rig->arena.failed; i++) {
        if (shapes[i].pose == rig->info.collider_count) continue; // the ground
        const int before = sim_rig_collider_named(from, rig->info.colliders[shapes[i].pose].name);
        const SimKernelCollider nothing = {.shape = shapes[i].shape};
        float share = NOTHING;
        const SimKernelCollider *old = &nothing;
        for (int k = 0; k < old_count; k++)
            if (old_shapes[k].pose == before && old_shapes[k].shape == shapes[i].shape)
                old = &old_shapes[k], share = 0.0f;
        sim_collider_mix(old, &shapes[i], share, &out[FROM][i]);
    }
}

static void take_distances(SimRig *rig, const SimTopology *topology, const SimTopology *before,
                           float *out[ENDS]) {
    const int count = topology->particle_count;
    for (int end = FROM; end < ENDS; end++) {
        const SimTopology *of = end == FROM ? before : topology;
        out[end] = sim_arena_take(&rig->arena, 2 * (size_t)count, sizeof(float));
        if (!out[end]) return;
        memcpy(out[end], of->max_distance_fixed, (size_t)count * sizeof(float));
        memcpy(out[end] + count, of->max_distance_scaled, (size_t)count * sizeof(float));
    }
}

static void take_garment(SimRig *rig, const SimRig *from, int garment, GarmentGrowth *out) {
    const SimGarmentType *type = &rig->garments[garment];
    const int before = sim_rig_garment_like(from, type);
    if (before < 0) return; // it begins anew
    const SimTopology *topology = &type->topology, *old = &from->garments[before].topology;
    take_shapes(rig, from, topology->colliders, topology->collider_count, old->colliders, old->collider_count,
                out->shapes);
    take_shapes(rig, from, topology->virtual_colliders, topology->collider_count, old->virtual_colliders,
                old->collider_count, out->virtual_shapes);
    if (!type->strips) take_distances(rig, topology, old, out->distances);
}

static bool differs(void *const ends[ENDS], size_t bytes) {
    return ends[FROM] && memcmp(ends[FROM], ends[TO], bytes) != 0;
}

static bool any_differs(const SimGrowth *growth, const SimRig *rig) {
    bool any = differs((void *const *)growth->place, (size_t)rig->info.collider_count * sizeof(SimTransform));
    for (int i = 0; i < rig->info.garment_count; i++) {
        const GarmentGrowth *garment = &growth->garments[i];
        const SimTopology *topology = &rig->garments[i].topology;
        size_t shapes = (size_t)topology->collider_count * sizeof(SimKernelCollider);
        any =
            any || differs((void *const *)garment->shapes, shapes) ||
            differs((void *const *)garment->distances, 2 * (size_t)topology->particle_count * sizeof(float));
    }
    return any;
}

void sim_growth_begin(SimRig *rig, const SimRig *from) {
    if (rig->adopted) return;
    rig->adopted = true;
    SimGrowth *growth = sim_arena_take(&rig->arena, 1, sizeof *growth);
    if (!growth) return;
    growth->left = SIM_RAMP_SECONDS;
    growth->garments = sim_arena_take(&rig->arena, (size_t)rig->info.garment_count, sizeof *growth->garments);
    take_places(growth, rig, from);
    for (int i = 0; i < rig->info.garment_count && !rig->arena.failed; i++)
        take_garment(rig, from, i, &growth->garments[i]);
    if (!rig->arena.failed && any_differs(growth, rig)) rig->growth = growth;
}

static void mix_garment(const GarmentGrowth *garment, float share, SimTopology *topology) {
    for (int i = 0; garment->shapes[TO] && i < topology->collider_count; i++) {
        sim_collider_mix(&garment->shapes[FROM][i], &garment->shapes[TO][i], share, &topology->colliders[i]);
        sim_collider_mix(&garment->virtual_shapes[FROM][i], &garment->virtual_shapes[TO][i], share,
                         &topology->virtual_colliders[i]);
    }
    const float *from = garment->distances[FROM], *to = garment->distances[TO];
    const int count = topology->particle_count;
    for (int p = 0; to && p < count; p++) {
        topology->max_distance_fixed[p] = glm_lerp(from[p], to[p], share);
        topology->max_distance_scaled[p] = glm_lerp(from[count + p], to[count + p], share);
    }
}

void sim_growth_advance(SimRig *rig, float dt) {
    SimGrowth *growth = rig->growth;
    if (!growth) return;
    growth->left -= dt;
    bool over = growth->left < 0.5f * dt;
    float share = over ? 1.0f : 1.0f - growth->left / SIM_RAMP_SECONDS;
    for (int i = 0; i < rig->info.collider_count; i++) {
        const SimTransform *from = &growth->place[FROM][i], *to = &growth->place[TO][i];
        if (over || memcmp(from, to, sizeof *to) == 0)
            rig->collider_local[i] = *to;
        else
            sim_transform_mix(from, to, share, &rig->collider_local[i]);
    }
    for (int i = 0; i < rig->info.garment_count; i++)
        mix_garment(&growth->garments[i], share, &rig->garments[i].topology);
    if (over) rig->growth = NULL;
}
