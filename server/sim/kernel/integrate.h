// Integrates the forces that act before any constraint: gravity, centrifugal force, damping, friction and
// air.
#pragma once

#include "kernel/air.h"
#include "kernel/lanes/strips.h"
#include "kernel/root.h"

// Damping over a time: v' = v decay + a gain. Each is [interior or edge][free or touching].
typedef struct Damping {
    lanes decay[2][2], gain[2][2];
    lanes h;    // s
    bool turns; // centrifugal force acts in some lane
} Damping;

LANES_INLINE void damp(lanes rate, lanes h, lanes *out_decay, lanes *out_gain) {
    *out_decay = exp_minus(rate * h);
    lanes exact = (1.0f - *out_decay) / maximum(rate, splat(1e-6f));
    *out_gain = select_lanes(more(rate, splat(1e-2f)), exact, h * (1.0f - 0.5f * h * rate));
}

LANES_INLINE Damping damping_over(const SimKernelJob *job, const SimSubstep *substep, lanes h) {
    const SimLaneFabric *fabric = job->fabric;
    Damping damping = {.h = h};
    for (int edge = 0; edge < 2; edge++)
        for (int touching = 0; touching < 2; touching++) {
            lanes rate =
                in_lanes(touching ? fabric->damping[edge] + fabric->contact_damping : fabric->damping[edge]);
            damp(rate, h, &damping.decay[edge][touching], &damping.gain[edge][touching]);
        }
    damping.turns = any(nonzero(in_lanes(substep->inertia->centrifugal[0])) |
                        nonzero(in_lanes(substep->inertia->centrifugal[1])));
    return damping;
}

// v' = v e^(-c h) + a (1 - e^(-c h)) / c. Cloth that touches something is damped towards
// state->damped_to.
LANES_INLINE lanes3 driven_velocity(const SimKernelJob *job, const SimSubstep *substep,
                                    const Damping *damping, places p, lanes3 v) {
    const SimTopology *topology = job->topology;
    const SimGarmentState *state = job->state;
    mask touches = more(own(state->contact, p), splat(0.5f));
    lanes3 friction = scale3(own3(state->damped_to, p), in_lanes(job->fabric->contact_damping));
    lanes3 a = add3(in_lanes3(*substep->gravity), select3(touches, friction, zero3()));
    if (damping->turns) {
        const SimLanes *centrifugal = substep->inertia->centrifugal;
        lanes k = by_edge(topology, p, in_lanes(centrifugal[0]), in_lanes(centrifugal[1]));
        a = fly_out(substep->inertia, a, own3(state->position, p), k);
    }
    lanes decays = select_lanes(touches, by_edge(topology, p, damping->decay[0][1], damping->decay[1][1]),
                                by_edge(topology, p, damping->decay[0][0], damping->decay[1][0]));
    lanes gains = select_lanes(touches, by_edge(topology, p, damping->gain[0][1], damping->gain[1][1]),
                               by_edge(topology, p, damping->gain[0][0], damping->gain[1][0]));
    if (topology->damping_scaled) {
        lanes rate =
            by_edge(topology, p, in_lanes(job->fabric->damping[0]), in_lanes(job->fabric->damping[1]));
        rate *= shared_at(topology->damping_scaled, p);
        damp(rate + select_lanes(touches, in_lanes(job->fabric->contact_damping), (lanes){0}), damping->h,
             &decays, &gains);
    }
    return mad3(scale3(v, decays), a, gains);
}

// x += h v'.
static void integrate(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    blow(job, substep);
    const Damping damping = damping_over(job, substep, splat(job->h));
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        if (are_pinned(topology, p)) continue;
        const lanes3 start = own3(state->position, p);
        lanes3 v = add3(own3(state->velocity, p), own3(state->air, p));
        v = driven_velocity(job, substep, &damping, p, v);
        lanes3 x = mad3(start, v, splat(job->h));
        set3(state->start, p, start);
        set3(state->velocity, p, v);
        set3(state->position, p, x);
        set3(state->predicted, p, x);
        set(state->contact, p, (lanes){0});
    }
}
