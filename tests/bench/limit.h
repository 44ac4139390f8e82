// The limit: a bare loop that does nothing but solve links, as many lanes at a time as a register has, in the
// layout of the solver's state: position[particle][xyz][lane]. A lane is a garment, or a vertical strip of
// one large sheet; then a link may go over a seam, from a particle of one strip to one of the next. No other
// constraint, no force, no guard. What a solver of these links costs beyond this is its own.
#pragma once

#include <stdbool.h>

enum { LIMIT_LANES = 16 }; // the most lanes there are

typedef struct LimitLink {
    int a, b;         // particles of a lane; over a seam b is of the next lane
    float length;     // m
    float compliance; // times the lane's softness of the run
} LimitLink;

// Links of one kind. The last lane has no next one: there a link over the seam does nothing.
typedef struct LimitRun {
    const LimitLink *links;
    int count;
    bool seam;
    const float *softness; // [LIMIT_LANES] 1 / (stiffness h^2)
} LimitRun;

typedef struct LimitCloth {
    float *position;              // [particle][3][width] m, 64-byte aligned
    const float *inverse_area;    // [particle] 1/m^2; 0: pinned
    const float *inverse_density; // [LIMIT_LANES] m^2/kg
} LimitCloth;

typedef struct LimitLoop {
    const char *name; // "baseline", "avx2" or "avx512"
    int width;        // lanes
    // One sweep over a run:
    // d = x_b - x_a, l = |d|, s = (l - L) / (l (w_a + w_b + alpha / h^2)); x_a += w_a s d; x_b -= w_b s d.
    void (*sweep)(const LimitCloth *cloth, const LimitRun *run);
} LimitLoop;

// The caller knows that the processor has it. NULL: not built for it.
const LimitLoop *limit_loop(const char *instruction_set);
