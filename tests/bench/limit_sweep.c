// The bare loop; compiled once per instruction set and as wide as its registers, as the solver's kernel is.
#include "limit.h"

#include <math.h>
#include <stdint.h>

#define JOIN(a, b) a##b
#define LOOP(name) JOIN(limit_loop_, name)
#define TEXT(name) #name
#define NAME(name) TEXT(name)

typedef float lanes __attribute__((vector_size(LIMIT_WIDTH * sizeof(float))));
typedef int32_t places __attribute__((vector_size(LIMIT_WIDTH * sizeof(int32_t))));

#define INLINE static inline __attribute__((always_inline))

INLINE lanes square_root(lanes value) {
    lanes root;
    for (int lane = 0; lane < LIMIT_WIDTH; lane++) root[lane] = sqrtf(value[lane]);
    return root;
}

// Lane i gets what lane i + by has.
INLINE lanes rotate(lanes value, int by) {
    places from;
    for (int lane = 0; lane < LIMIT_WIDTH; lane++) from[lane] = (lane + by) & (LIMIT_WIDTH - 1);
    return __builtin_shuffle(value, from);
}

INLINE void sweep(const LimitCloth *cloth, const LimitRun *run, bool seam) {
    const lanes density = *(const lanes *)cloth->inverse_density, softness = *(const lanes *)run->softness;
    lanes open = 1.0f - (lanes){0};
    open[LIMIT_WIDTH - 1] = 0.0f;
    for (int i = 0; i < run->count; i++) {
        const LimitLink *link = &run->links[i];
        lanes *a = (lanes *)cloth->position + 3 * link->a, *b = (lanes *)cloth->position + 3 * link->b;
        float wa = cloth->inverse_area[link->a], wb = cloth->inverse_area[link->b];
        lanes d[3];
        for (int k = 0; k < 3; k++) d[k] = (seam ? rotate(b[k], 1) : b[k]) - a[k];
        lanes length = square_root(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        lanes s = density * (length - link->length) /
                  (length * (density * (wa + wb) + link->compliance * softness));
        if (seam) s *= open;
        for (int k = 0; k < 3; k++) {
            a[k] += wa * s * d[k];
            b[k] -= seam ? rotate(wb * s * d[k], -1) : wb * s * d[k];
        }
    }
}

static void sweep_run(const LimitCloth *cloth, const LimitRun *run) {
    if (run->seam)
        sweep(cloth, run, true);
    else
        sweep(cloth, run, false);
}

extern const LimitLoop LOOP(LIMIT_NAME);
const LimitLoop LOOP(LIMIT_NAME) = {NAME(LIMIT_NAME), LIMIT_WIDTH, sweep_run};
