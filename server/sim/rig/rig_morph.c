// Morphs a rig's numbers from those of the rig that it replaces.
#include "rig/rig_morph.h"

#include "core/rotation.h"

#include <string.h>

#define NOTHING 1e-3f // the share of its size that a new collider begins with

enum { FROM, TO, ENDS };

// An array of a topology: a number for each particle, link or bend.
typedef struct Numbers {
    float *now; // the topology's own
    float *end[ENDS];
    size_t count;
} Numbers;

enum { MOST_ARRAYS = 23, CUTS = 2 }; // as a whole, and in strips

typedef struct GarmentMorph {
    SimKernelCollider *shapes[ENDS], *virtual_shapes[ENDS]; // [collider_count]
    Numbers numbers[CUTS * MOST_ARRAYS];                    // [number_count] those that differ
    int number_count;
} GarmentMorph;

struct SimRigMorph {
    float left;                // s
    SimTransform *place[ENDS]; // [collider_count]
    GarmentMorph *garments;    // [garment_count]
};

static void take_places(SimRigMorph *morph, SimRig *rig, const SimRig *from);
static void *copy(SimArena *arena, const void *items, int count, size_t size);
static void take_garment(SimRig *rig, const SimRig *from, int garment, GarmentMorph *out);
static void take_shapes(SimRig *rig, const SimRig *from, const SimKernelCollider *shapes, int count,
                        const SimKernelCollider *old_shapes, int old_count, SimKernelCollider *out[ENDS]);
static void take_numbers(SimRig *rig, const SimTopology *topology, const SimRig *from,
                         const SimTopology *before, size_t width, GarmentMorph *out);
static bool is_cut_alike(const SimTopology *a, const SimTopology *b);
static bool same(const void *a, const void *b, int count, size_t size);
static int list_numbers(const SimTopology *topology, size_t width, Numbers out[MOST_ARRAYS]);
static void take_weights(const SimRig *rig, const SimTopology *topology, const SimRig *from,
                         const SimTopology *before, float *out);
static float weight_before(const SimRig *from, const SimTopology *before, int particle, const char *bone);
static bool any_differs(const SimRigMorph *morph, const SimRig *rig);
static bool differs(void *const ends[ENDS], size_t bytes);
static void mix_garment(const GarmentMorph *garment, float share, SimTopology *topology);

void sim_rig_morph_begin(SimRig *rig, const SimRig *from) {
    if (rig->adopted) return;
    rig->adopted = true;
    SimRigMorph *morph = sim_arena_alloc(&rig->arena, 1, sizeof *morph);
    if (!morph) return;
    morph->left = SIM_RAMP_SECONDS;
    morph->garments = sim_arena_alloc(&rig->arena, (size_t)rig->info.garment_count, sizeof *morph->garments);
    take_places(morph, rig, from);
    for (int i = 0; i < rig->info.garment_count && !rig->arena.failed; i++)
        take_garment(rig, from, i, &morph->garments[i]);
    if (!rig->arena.failed && any_differs(morph, rig)) rig->morph = morph;
}

void sim_rig_morph_advance(SimRig *rig, float dt) {
    SimRigMorph *morph = rig->morph;
    if (!morph) return;
    morph->left -= dt;
    bool over = morph->left < 0.5f * dt;
    float share = over ? 1.0f : 1.0f - morph->left / SIM_RAMP_SECONDS;
    for (int i = 0; i < rig->info.collider_count; i++) {
        const SimTransform *from = &morph->place[FROM][i], *to = &morph->place[TO][i];
        if (over || memcmp(from, to, sizeof *to) == 0)
            rig->collider_local[i] = *to;
        else
            sim_transform_mix(from, to, share, &rig->collider_local[i]);
    }
    for (int i = 0; i < rig->info.garment_count; i++)
        mix_garment(&morph->garments[i], share, &rig->garments[i].topology);
    if (over) rig->morph = NULL;
}

const float *sim_rig_morph_target(const SimRig *rig, int garment, const float *numbers) {
    const GarmentMorph *morph = rig->morph ? &rig->morph->garments[garment] : NULL;
    for (int i = 0; morph && i < morph->number_count; i++)
        if (morph->numbers[i].now == numbers) return morph->numbers[i].end[TO];
    return numbers;
}

static void take_places(SimRigMorph *morph, SimRig *rig, const SimRig *from) {
    const int count = rig->info.collider_count;
    for (int end = FROM; end < ENDS; end++)
        morph->place[end] = copy(&rig->arena, rig->collider_local, count, sizeof(SimTransform));
    for (int i = 0; i < count && !rig->arena.failed; i++) {
        int before = sim_rig_collider_named(from, rig->info.colliders[i].name);
        if (before >= 0) morph->place[FROM][i] = from->collider_local[before];
    }
}

static void *copy(SimArena *arena, const void *items, int count, size_t size) {
    void *copied = sim_arena_alloc(arena, (size_t)count, size);
    if (copied && count > 0) memcpy(copied, items, (size_t)count * size);
    return copied;
}

static void take_garment(SimRig *rig, const SimRig *from, int garment, GarmentMorph *out) {
    const SimGarmentType *type = &rig->garments[garment];
    const int before = sim_rig_garment_like(from, type);
    if (before < 0) return; // it begins anew
    const SimTopology *topology = &type->topology, *old = &from->garments[before].topology;
    take_shapes(rig, from, topology->colliders, topology->collider_count, old->colliders, old->collider_count,
                out->shapes);
    take_shapes(rig, from, topology->virtual_colliders, topology->collider_count, old->virtual_colliders,
                old->collider_count, out->virtual_shapes);
    take_numbers(rig, topology, from, old, 1, out);
    const SimTopology *old_strips = from->garments[before].strips;
    if (type->strips && old_strips) take_numbers(rig, type->strips, from, old_strips, SIM_LANES, out);
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

static void take_numbers(SimRig *rig, const SimTopology *topology, const SimRig *from,
                         const SimTopology *before, size_t width, GarmentMorph *out) {
    if (!is_cut_alike(topology, before)) return;
    Numbers now[MOST_ARRAYS], old[MOST_ARRAYS];
    const int count = list_numbers(topology, width, now);
    list_numbers(before, width, old);
    for (int i = 0; i < count; i++) {
        Numbers *numbers = &now[i];
        if (!old[i].now) continue; // regions that are new take effect at once
        if (same(numbers->now, old[i].now, (int)numbers->count, sizeof(float))) continue;
        const float *const ends[ENDS] = {old[i].now, numbers->now};
        for (int end = FROM; end < ENDS; end++)
            numbers->end[end] = copy(&rig->arena, ends[end], (int)numbers->count, sizeof(float));
        if (rig->arena.failed) return;
        if (numbers->now == topology->skin_weights)
            take_weights(rig, topology, from, before, numbers->end[FROM]);
        out->numbers[out->number_count++] = *numbers;
    }
}

// The links of paths, and a number for the end of each.
static int path_link_count(const SimTopology *topology) {
    return topology->face_count > 0 ? topology->paths.first[topology->paths.count] : 0;
}

static bool is_linked_alike(const SimLinks *a, const SimLinks *b) {
    return a->count == b->count && same(a->ends, b->ends, a->count, sizeof *a->ends) &&
           same(a->kind, b->kind, a->count, 1);
}

// Whether the numbers of both belong to the same particles and links.
static bool is_cut_alike(const SimTopology *a, const SimTopology *b) {
    const int path_links = path_link_count(a);
    return path_links == path_link_count(b) && a->face_count == b->face_count &&
           same(a->faces, b->faces, a->face_count, sizeof *a->faces) &&
           same(a->paths.particles, b->paths.particles, path_links, sizeof(int)) &&
           is_linked_alike(&a->links, &b->links) && is_linked_alike(&a->springs, &b->springs) &&
           a->bends.count == b->bends.count && !a->pose_frequency == !b->pose_frequency &&
           same(a->pinned, b->pinned, a->particle_count, 1) &&
           same(a->bends.particles, b->bends.particles, a->bends.count, sizeof *a->bends.particles);
}

static bool same(const void *a, const void *b, int count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

// Lists the arrays that follow from the rest shape and the max distances; width is the number of strips,
// or 1. Returns their count.
static int list_numbers(const SimTopology *topology, size_t width, Numbers out[MOST_ARRAYS]) {
    const SimLinks *links = &topology->links, *springs = &topology->springs;
    const SimBends *bends = &topology->bends;
    const size_t particles = (size_t)topology->particle_count, rows = (size_t)topology->rows;
    const size_t columns = (size_t)topology->columns;
    const bool is_grid = topology->face_count == 0;
    const size_t across = topology->closed || width > 1 ? columns : columns - 1; // links of a row
    const size_t down = is_grid ? (rows - 1) * columns : (size_t)path_link_count(topology);
    const size_t faces = is_grid ? (rows - 1) * across : (size_t)topology->face_count;
    const Numbers arrays[] = {
        {.now = topology->inverse_area, .count = particles},
        {.now = topology->row_length, .count = rows * across},
        {.now = topology->row_compliance, .count = rows * across},
        {.now = topology->column_length, .count = down},
        {.now = topology->column_compliance, .count = down},
        {.now = topology->quad_area, .count = faces},
        {.now = links->length, .count = (size_t)links->count},
        {.now = links->factor, .count = (size_t)links->count},
        {.now = springs->length, .count = (size_t)springs->count},
        {.now = springs->factor, .count = (size_t)springs->count},
        {.now = bends->compliance, .count = (size_t)bends->count},
        {.now = (float *)bends->curvature, .count = 3 * (size_t)bends->count},
        {.now = topology->max_distance_fixed, .count = particles},
        {.now = topology->max_distance_scaled, .count = particles},
        {.now = topology->backstop, .count = particles},
        {.now = topology->pose_frequency, .count = particles},
        {.now = topology->pose_inertia, .count = particles},
        {.now = topology->quad_wind, .count = faces},
        {.now = topology->damping_scaled, .count = particles},
        {.now = topology->thickness_fixed, .count = particles},
        {.now = topology->thickness_scaled, .count = particles},
        {.now = (float *)topology->rest, .count = 3 * particles},
        {.now = topology->skin_weights, .count = SIM_INFLUENCES * particles},
    };
    const int count = sizeof arrays / sizeof *arrays;
    for (int i = 0; i < count; i++) {
        out[i] = arrays[i];
        out[i].count = out[i].now ? out[i].count * width : 0;
    }
    return count;
}

// Weights start at their previous values for bones that the particle followed before.
static void take_weights(const SimRig *rig, const SimTopology *topology, const SimRig *from,
                         const SimTopology *before, float *out) {
    for (int p = 0; p < topology->particle_count; p++) {
        const int first = SIM_INFLUENCES * p;
        float sum = 0.0f;
        for (int i = first; i < first + SIM_INFLUENCES; i++) {
            const char *bone = rig->info.bones[rig->skin_bones[topology->skin_bones[i]]].name;
            const bool used = topology->skin_weights[i] > 0.0f;
            out[i] = used ? glm_max(weight_before(from, before, p, bone), 0.0f) : 0.0f;
            sum += out[i];
        }
        for (int i = first; i < first + SIM_INFLUENCES; i++)
            out[i] = sum > 0.0f ? out[i] / sum : topology->skin_weights[i];
    }
}

// The bone's previous weight for the particle; -1: none.
static float weight_before(const SimRig *from, const SimTopology *before, int particle, const char *bone) {
    for (int i = SIM_INFLUENCES * particle; i < SIM_INFLUENCES * (particle + 1); i++) {
        const SimBoneInfo *own = &from->info.bones[from->skin_bones[before->skin_bones[i]]];
        if (before->skin_weights[i] > 0.0f && strcmp(own->name, bone) == 0) return before->skin_weights[i];
    }
    return -1.0f;
}

static bool any_differs(const SimRigMorph *morph, const SimRig *rig) {
    bool any = differs((void *const *)morph->place, (size_t)rig->info.collider_count * sizeof(SimTransform));
    for (int i = 0; i < rig->info.garment_count; i++) {
        const GarmentMorph *garment = &morph->garments[i];
        const SimTopology *topology = &rig->garments[i].topology;
        size_t shapes = (size_t)topology->collider_count * sizeof(SimKernelCollider);
        any = any || garment->number_count || differs((void *const *)garment->shapes, shapes);
    }
    return any;
}

static bool differs(void *const ends[ENDS], size_t bytes) {
    return ends[FROM] && memcmp(ends[FROM], ends[TO], bytes) != 0;
}

static void mix_garment(const GarmentMorph *garment, float share, SimTopology *topology) {
    for (int i = 0; garment->shapes[TO] && i < topology->collider_count; i++) {
        sim_collider_mix(&garment->shapes[FROM][i], &garment->shapes[TO][i], share, &topology->colliders[i]);
        sim_collider_mix(&garment->virtual_shapes[FROM][i], &garment->virtual_shapes[TO][i], share,
                         &topology->virtual_colliders[i]);
    }
    for (int i = 0; i < garment->number_count; i++) {
        const Numbers *numbers = &garment->numbers[i];
        for (size_t k = 0; k < numbers->count; k++) {
            const float from = numbers->end[FROM][k], to = numbers->end[TO][k];
            numbers->now[k] = from == to ? to : glm_lerp(from, to, share); // both may be infinite
        }
    }
}
