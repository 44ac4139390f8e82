// What moves a particle before any constraint: gravity, flying out in turns, damping, friction and the air.
#pragma once

#include "kernel/links.h"
#include "kernel/root.h"

// Coefficients of the force of the air across and along a piece of cloth; k = C / 2 rho_air |u| / density is
// the rate at which that part of the cloth's velocity goes over to the air's. A sheet that lies aslant is
// pushed along its normal: that is lift.
#define AIR_NORMAL  2.0f
#define AIR_TANGENT 0.05f

LANES_INLINE lanes3 air_change(lanes3 u, lanes3 across, lanes rate) {
    lanes length;
    lanes3 n = direction3(across, &length);
    lanes3 along_normal = scale3(n, dot3(u, n));
    lanes speed = length3(u);
    lanes normal_share = 1.0f - exp_minus(rate * speed * AIR_NORMAL);
    lanes tangent_share = 1.0f - exp_minus(rate * speed * AIR_TANGENT);
    return mad3(scale3(along_normal, normal_share), sub3(u, along_normal), tangent_share);
}

// Each quad goes over towards the velocity of the air by itself, exactly over the substep, and hands each
// corner the change in the share of the corner's mass that the quad is: a mean of stable steps, so no wind
// overshoots.
LANES_INLINE void blow_quads(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    int columns = topology->columns, quads = topology->closed ? columns : columns - 1;
    for (int p = 0; p < topology->particle_count; p++) state->air[p] = zero3();
    for (int row = 0; row + 1 < topology->rows; row++)
        for (int column = 0; column < quads; column++) {
            int right = column + 1 < columns ? column + 1 : 0;
            const int corner[4] = {row * columns + column, row * columns + right,
                                   (row + 1) * columns + column, (row + 1) * columns + right};
            const lanes3 *x = state->position, *v = state->velocity;
            lanes3 across = cross3(sub3(x[corner[3]], x[corner[0]]), sub3(x[corner[1]], x[corner[2]]));
            lanes3 mean = add3(add3(v[corner[0]], v[corner[1]]), add3(v[corner[2]], v[corner[3]]));
            lanes3 u = mad3(*substep->air, mean, splat(-0.25f));
            float edge = topology->quad_edge[row * quads + column];
            lanes rate = (job->fabric->wind[0] * (1.0f - edge) + job->fabric->wind[1] * edge) * job->h;
            lanes3 change = air_change(u, across, rate);
            float quarter = 0.25f * topology->quad_area[row * quads + column];
            for (int i = 0; i < 4; i++)
                state->air[corner[i]] =
                    mad3(state->air[corner[i]], change, splat(quarter * topology->inverse_area[corner[i]]));
        }
}

// A chain has no quads: the air takes hold across its links.
LANES_INLINE void blow_chain(const SimKernelJob *job, const SimSubstep *substep) {
    SimGarmentState *state = job->state;
    state->air[0] = zero3();
    for (int p = 1; p < job->topology->particle_count; p++) {
        lanes3 u = sub3(*substep->air, state->velocity[p]);
        lanes length;
        lanes3 t = direction3(sub3(state->position[p], state->position[p - 1]), &length);
        lanes3 across = mad3(u, t, -dot3(u, t));
        state->air[p] = air_change(u, across, job->fabric->wind[job->topology->edge[p]] * job->h);
    }
}

// v' = v e^(-c h) + a (1 - e^(-c h)) / c, with friction as damping towards the touched surface; x += h v'.
static void integrate(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    const SimLaneFabric *fabric = job->fabric;
    SimGarmentState *state = job->state;
    if (topology->columns > 1)
        blow_quads(job, substep);
    else
        blow_chain(job, substep);
    lanes decay[2][2], gain[2][2];
    for (int edge = 0; edge < 2; edge++)
        for (int touching = 0; touching < 2; touching++) {
            lanes rate = touching ? fabric->damping[edge] + fabric->contact_damping : fabric->damping[edge];
            decay[edge][touching] = exp_minus(rate * job->h);
            lanes exact = (1.0f - decay[edge][touching]) / maximum(rate, splat(1e-6f));
            gain[edge][touching] =
                select_lanes(more(rate, splat(1e-2f)), exact, job->h * (1.0f - 0.5f * job->h * rate));
        }
    bool turns = any(nonzero(substep->felt->centrifugal[0]) | nonzero(substep->felt->centrifugal[1]));
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        mask touches = more(state->contact[p], splat(0.5f));
        lanes3 friction = scale3(state->surface[p], fabric->contact_damping);
        lanes3 a = add3(*substep->gravity, select3(touches, friction, zero3()));
        if (turns) {
            lanes k = by_edge(topology, p, substep->felt->centrifugal[0], substep->felt->centrifugal[1]);
            a = fly_out(substep->felt, a, state->position[p], k);
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
