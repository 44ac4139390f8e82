// Boxes about what a mesh takes up, and sets of lanes.
#pragma once

#include "core/self_collision.h"
#include "kernel/lanes/lanes.h"

#define NO_LANES  ((SimLaneSet)0)
#define ALL_LANES ((SimLaneSet)((1ull << LANES) - 1))

#if LANES == 1

// x, y, z, and 0 to fill a register: one lane has its axes compared together.
typedef float Side __attribute__((vector_size(16)));
typedef int64_t Halves __attribute__((vector_size(16)));
typedef struct SimBox {
    Side low, high;
} SimBox;

LANES_INLINE SimLaneSet lanes_where(mask m) {
    return (SimLaneSet)m & 1;
}
LANES_INLINE mask where_lanes(SimLaneSet set) {
    return -(mask)(set & 1);
}
LANES_INLINE mask at_most(lanes a, lanes b) {
    return -(mask)(a <= b);
}
LANES_INLINE SimBox box_from(lanes3 low, lanes3 high) {
    return (SimBox){{low.x, low.y, low.z}, {high.x, high.y, high.z}};
}
LANES_INLINE lanes3 low_of(const SimBox *box) {
    return (lanes3){box->low[0], box->low[1], box->low[2]};
}
LANES_INLINE lanes3 high_of(const SimBox *box) {
    return (lanes3){box->high[0], box->high[1], box->high[2]};
}
LANES_INLINE SimLaneSet boxes_meet(const SimBox *a, const SimBox *b) {
    const Halves meet = (Halves)((a->low <= b->high) & (b->low <= a->high));
    return (meet[0] & meet[1]) == -1;
}
LANES_INLINE void include_box(const SimBox *part, SimBox *box) {
    for (int k = 0; k < 4; k++) {
        box->low[k] = part->low[k] < box->low[k] ? part->low[k] : box->low[k];
        box->high[k] = part->high[k] > box->high[k] ? part->high[k] : box->high[k];
    }
}

#else

typedef struct SimBox {
    lanes3 low, high;
} SimBox;

// Called so often that it uses the processor's own instruction.
LANES_INLINE SimLaneSet lanes_where(mask m) {
#if defined(__AVX512DQ__) && LANES == 16
    return _mm512_movepi32_mask((__m512i)m);
#elif defined(__AVX2__) && LANES == 8
    return (SimLaneSet)_mm256_movemask_ps((__m256)m);
#elif defined(__SSE2__) && LANES == 4
    return (SimLaneSet)_mm_movemask_ps((__m128)m);
#else
    SimLaneSet set = 0;
    for (int lane = 0; lane < LANES; lane++) set |= (SimLaneSet)(m[lane] & 1) << lane;
    return set;
#endif
}
LANES_INLINE mask where_lanes(SimLaneSet set) {
    mask bits;
    for (int lane = 0; lane < LANES; lane++) bits[lane] = 1 << lane;
    return (((mask){0} + (int32_t)set) & bits) != 0;
}
LANES_INLINE mask at_most(lanes a, lanes b) {
    return a <= b;
}
LANES_INLINE SimBox box_from(lanes3 low, lanes3 high) {
    return (SimBox){low, high};
}
LANES_INLINE lanes3 low_of(const SimBox *box) {
    return box->low;
}
LANES_INLINE lanes3 high_of(const SimBox *box) {
    return box->high;
}
LANES_INLINE SimLaneSet boxes_meet(const SimBox *a, const SimBox *b) {
    return lanes_where(at_most(a->low.x, b->high.x) & at_most(b->low.x, a->high.x) &
                       at_most(a->low.y, b->high.y) & at_most(b->low.y, a->high.y) &
                       at_most(a->low.z, b->high.z) & at_most(b->low.z, a->high.z));
}
LANES_INLINE void include_box(const SimBox *part, SimBox *box) {
    box->low = (lanes3){minimum(part->low.x, box->low.x), minimum(part->low.y, box->low.y),
                        minimum(part->low.z, box->low.z)};
    box->high = (lanes3){maximum(part->high.x, box->high.x), maximum(part->high.y, box->high.y),
                         maximum(part->high.z, box->high.z)};
}

#endif

LANES_INLINE lanes between_0_and_1(lanes a) {
    return minimum(maximum(a, splat(0.0f)), splat(1.0f));
}

// a / |a|, or 0.
LANES_INLINE lanes3 unit3(lanes3 a) {
    const lanes length = length3(a);
    return select3(more(length, (lanes){0}), scale3(a, 1.0f / length), zero3());
}

LANES_INLINE SimBox no_box(void) {
    const lanes most = splat(HUGE_VALF), least = splat(-HUGE_VALF);
    return box_from((lanes3){most, most, most}, (lanes3){least, least, least});
}

LANES_INLINE SimBox box_of(const SimBox *boxes, const int *indices, int count) {
    SimBox box = boxes[indices[0]];
    for (int i = 1; i < count; i++) include_box(&boxes[indices[i]], &box);
    return box;
}

// About the way from one point to the other, and a margin of m.
LANES_INLINE SimBox box_about(lanes3 from, lanes3 to, float margin) {
    const lanes3 low = {minimum(from.x, to.x) - margin, minimum(from.y, to.y) - margin,
                        minimum(from.z, to.z) - margin};
    const lanes3 high = {maximum(to.x, from.x) + margin, maximum(to.y, from.y) + margin,
                         maximum(to.z, from.z) + margin};
    return box_from(low, high);
}

// Of particles on their way, wider by a share of the garment's thickness and by `way` of its edges.
static inline void fit_particles(const SimMesh *mesh, const SimLanes3 *from, const SimLanes3 *to, float share,
                                 float way, SimBox *out) {
    for (int s = 0; s < mesh->sheet_count; s++) {
        const SimSheet *sheet = &mesh->sheets[s];
        const float margin = share * sheet->thickness + way * sheet->edge;
        for (int p = sheet->first; p < sheet->end; p++) out[p] = box_about(from[p], to[p], margin);
    }
}
