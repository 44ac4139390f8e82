// Integrates the forces that act before any constraint: gravity, centrifugal force, damping, friction and
// air.
#pragma once

#include "kernel/air.h"
#include "kernel/lanes/links.h"
#include "kernel/root.h"

// v' = v e^(-c h) + a (1 - e^(-c h)) / c, with friction as damping towards the touched surface; x += h v'.
static void integrate(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    const SimLaneFabric *fabric = job->fabric;
    SimGarmentState *state = job->state;
    blow(job, substep);
    lanes decay[2][2], gain[2][2];
    for (int edge = 0; edge < 2; edge++)
        for (int touching = 0; touching < 2; touching++) {
            lanes rate = touching ? fabric->damping[edge] + fabric->contact_damping : fabric->damping[edge];
            decay[edge][touching] = exp_minus(rate * job->h);
            lanes exact = (1.0f - decay[edge][touching]) / maximum(rate, splat(1e-6f));
            gain[edge][touching] =
                select_lanes(more(rate, splat(1e-2f)), exact, job->h * (1.0f - 0.5f * job->h * rate));
        }
    bool turns = any(nonzero(substep->inertia->centrifugal[0]) | nonzero(substep->inertia->centrifugal[1]));
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        mask touches = more(state->contact[p], splat(0.5f));
        lanes3 friction = scale3(state->surface[p], fabric->contact_damping);
        lanes3 a = add3(*substep->gravity, select3(touches, friction, zero3()));
        if (turns) {
            lanes k =
                by_edge(topology, p, substep->inertia->centrifugal[0], substep->inertia->centrifugal[1]);
            a = fly_out(substep->inertia, a, state->position[p], k);
        }
        lanes3 v = add3(state->velocity[p], state->air[p]);
        lanes decays = select_lanes(touches, by_edge(topology, p, decay[0][1], decay[1][1]),
                                    by_edge(topology, p, decay[0][0], decay[1][0]));
        lanes gains = select_lanes(touches, by_edge(topology, p, gain[0][1], gain[1][1]),
                                   by_edge(topology, p, gain[0][0], gain[1][0]));
        v = mad3(scale3(v, decays), a, gains);
        state->velocity[p] = v;
        state->position[p] = mad3(state->position[p], v, splat(job->h));
        state->predicted[p] = state->position[p];
        state->contact[p] = (lanes){0};
    }
}
