// The colliders of a garment in the kernel's form, with all values that can be precomputed.
#include "core/rotation.h"
#include "rig/rig.h"

#include <string.h>

#define VIRTUAL_MARGIN                                                                                       \
    0.003f // m; cloth between its particles keeps off by that, for what later steps take back
#define MINIMUM_RADIUS 1e-4f // m; colliders thinner than that are left out, and no radius is smaller

static void finish_ellipsoid(SimKernelCollider *out);
static void finish_cone(SimKernelCollider *out);
static bool kernel_collider(const SimColliderDef *def, int index, float margin, SimKernelCollider *out);

void sim_collider_mix(const SimKernelCollider *from, const SimKernelCollider *to, float share,
                      SimKernelCollider *out) {
    *out = *to;
    if (share >= 1.0f || memcmp(from, to, sizeof *to) == 0) return;
    for (int i = 0; i < 3; i++) out->radii[i] = glm_lerp(from->radii[i], to->radii[i], share);
    out->radius = glm_lerp(from->radius, to->radius, share);
    out->radius_end = glm_lerp(from->radius_end, to->radius_end, share);
    out->length = glm_lerp(from->length, to->length, share);
    if (to->shape == SIM_KERNEL_ELLIPSOID) finish_ellipsoid(out);
    if (to->shape == SIM_KERNEL_CONE) finish_cone(out);
}

// The last collider is the world's ground; its pose comes after those of the rig.
bool sim_colliders_build(SimRig *rig, const SimGarmentDef *def, SimGarmentType *garment) {
    SimTopology *topology = &garment->topology;
    int listed = def->collider_count < 0 ? rig->info.collider_count : def->collider_count;
    size_t most = (size_t)listed + 1;
    int *indices = sim_arena_alloc(&rig->arena, (size_t)listed, sizeof *indices);
    topology->colliders = sim_arena_alloc(&rig->arena, most, sizeof *topology->colliders);
    topology->virtual_colliders = sim_arena_alloc(&rig->arena, most, sizeof *topology->virtual_colliders);
    if (rig->arena.failed) return false;
    int met = 0;
    for (int i = 0; i < listed; i++) {
        int index = def->collider_count < 0 ? i : def->colliders[i];
        if (!sim_rig_meets_collider(rig, (int)(garment - rig->garments), index)) continue;
        indices[met++] = index;
        const SimColliderDef *collider = &rig->info.colliders[index];
        int count = topology->collider_count;
        if (!kernel_collider(collider, index, 0.0f, &topology->colliders[count])) continue;
        kernel_collider(collider, index, VIRTUAL_MARGIN, &topology->virtual_colliders[count]);
        topology->collider_count++;
    }
    const SimKernelCollider ground = {.shape = SIM_KERNEL_PLANE, .pose = rig->info.collider_count};
    topology->colliders[topology->collider_count] = ground;
    topology->virtual_colliders[topology->collider_count++] = ground;
    garment->info.colliders = indices;
    garment->info.collider_count = met;
    return true;
}

static void finish_ellipsoid(SimKernelCollider *out) {
    float least = glm_vec3_min(out->radii);
    out->least_square = least * least;
    out->most_inverse = 1.0f / least;
    for (int i = 0; i < 3; i++) {
        out->inverse[i] = 1.0f / out->radii[i];
        out->excess[i] = (out->radii[i] - least) * (out->radii[i] + least);
    }
}

static void finish_cone(SimKernelCollider *out) {
    out->sine = out->length > 0.0f ? (out->radius - out->radius_end) / out->length : 0.0f;
    out->cosine = sqrtf(1.0f - out->sine * out->sine);
    out->tangent = out->sine / out->cosine;
    out->thread = 4e-6f * (1.0f + out->radius + out->length);
}

static bool kernel_collider(const SimColliderDef *def, int index, float margin, SimKernelCollider *out) {
    *out = (SimKernelCollider){.pose = index};
    switch (def->shape) {
    case SIM_COLLIDER_ELLIPSOID:
        out->shape = SIM_KERNEL_ELLIPSOID;
        for (int i = 0; i < 3; i++) out->radii[i] = glm_max(def->radii[i], MINIMUM_RADIUS) + margin;
        finish_ellipsoid(out);
        return glm_vec3_max((float *)def->radii) >= MINIMUM_RADIUS;
    case SIM_COLLIDER_SPHERE:
        out->shape = SIM_KERNEL_CONE;
        out->radius = out->radius_end = def->radius + margin;
        finish_cone(out);
        return def->radius >= MINIMUM_RADIUS;
    case SIM_COLLIDER_CAPSULE:
        out->shape = SIM_KERNEL_CONE;
        out->radius = glm_max(def->radius, def->radius_end) + margin;
        out->radius_end = glm_min(def->radius, def->radius_end) + margin;
        out->length = glm_vec3_distance((float *)def->from, (float *)def->to);
        if (out->radius - out->radius_end >= 0.999f * out->length) {
            // The larger sphere holds the smaller one: there is no cone.
            out->length = 0.0f;
            out->radius_end = out->radius;
        }
        finish_cone(out);
        return out->radius - margin >= MINIMUM_RADIUS;
    case SIM_COLLIDER_PLANE:
        out->shape = SIM_KERNEL_PLANE;
        return true;
    }
    return false;
}
