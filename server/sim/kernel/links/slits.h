// Slits: where the two sides of one lie over each other, one stays outside the other, as on a tailored vent.
// Each particle of a side is held off the links between the columns of the other side, row by row.
#pragma once

#include "kernel/lanes/strips.h"

#ifndef SIM_ALONE

#define PART_SPEED 0.5f // m/s at which what is on the wrong side moves apart
#define FLAP_RAMP  0.2f // share of a cell over which a side rises as it slides over the edge of the other

// A link of a row of one side, from its edge inwards, and the normal there, to the outside.
typedef struct FlapLink {
    int ends[2];
    lanes3 along, down, normal;
    lanes3 inwards; // at the edge: away from the slit as the cloth beside it lies, since edges tilt
    bool at_edge;
} FlapLink;

// side: 0 the left one, seen from outside. Its links run away from the slit.
LANES_INLINE FlapLink flap_link(const SimKernelJob *job, const SimFlaps *flaps, int side, int row, int link) {
    const SimLanes3 *x = job->state->position;
    const int columns = job->topology->columns, first = row * columns;
    FlapLink at = {.ends = {first + flaps->columns[side][link], first + flaps->columns[side][link + 1]},
                   .at_edge = link == 0};
    lanes length;
    at.along = sub3(x[at.ends[1]], x[at.ends[0]]);
    const int from = first + flaps->beside[!side], to = first + flaps->beside[side];
    if (at.at_edge) at.inwards = direction3(sub3(x[to], x[from]), &length);
    at.down = sub3(x[at.ends[0]], x[at.ends[0] - columns]);
    at.normal = direction3(side ? cross3(at.down, at.along) : cross3(at.along, at.down), &length);
    return at;
}

// The share of the distance between the sides that a particle has reached, which is `way` from the link's
// outer end.
LANES_INLINE lanes rise_over(const FlapLink *link, lanes3 way) {
    if (!link->at_edge) return splat(1.0f);
    const lanes over = dot3(way, link->inwards) / maximum(dot3(link->along, link->inwards), splat(1e-6f));
    return minimum(over * (1.0f / FLAP_RAMP), splat(1.0f));
}

// Moves a particle and a link apart, in the lanes of `over` in which they face each other: at most as far as
// they have come nearer in the substep and PART_SPEED allows.
LANES_INLINE void part(const SimKernelJob *job, int particle, const FlapLink *link, float outwards,
                       mask over) {
    SimLanes3 *x = job->state->position, *v = job->state->velocity;
    const int a = link->ends[0], b = link->ends[1];
    const lanes3 way = sub3(x[particle], x[a]);
    const lanes along = dot3(way, link->along) / maximum(dot3(link->along, link->along), splat(1e-12f));
    const lanes3 off = mad3(way, link->along, -along);
    const lanes down = dot3(off, link->down), row = dot3(link->down, link->down);
    const lanes height = outwards * dot3(off, link->normal);
    const lanes apart = thickness_at(job, particle) + thickness_at(job, a);
    const lanes missing = apart * rise_over(link, way) - height;
    mask faces = over & more(along, (lanes){0}) & ~more(along, splat(1.0f)) & less(down * down, row * row) &
                 more(missing, (lanes){0}) &
                 less(height * height, dot3(link->along, link->along)); // else it is elsewhere
    if (job->keeps_order) // else self-collision and this would pull in turns, and feed a swing
        faces &= more(height, (lanes){0}) | more(in_lanes(*job->state->body_speed), splat(SIM_HOLDING_SPEED));
    if (!any(faces)) return;
    const lanes sb = along, sa = 1.0f - along;
    const lanes3 slip = sub3(v[particle], mad3(scale3(v[a], sa), v[b], sb));
    const lanes nearer = maximum(-outwards * dot3(slip, link->normal), (lanes){0});
    const lanes step = minimum(missing, (nearer + PART_SPEED) * job->h);
    const lanes w = inverse_mass(job, particle), wa = inverse_mass(job, a), wb = inverse_mass(job, b);
    const lanes sum = w + wa * sa * sa + wb * sb * sb;
    const mask moves = faces & more(sum, (lanes){0});
    const lanes share = outwards * select_lanes(moves, step / sum, (lanes){0});
    x[particle] = select3(moves, mad3(x[particle], link->normal, w * share), x[particle]);
    x[a] = select3(moves, mad3(x[a], link->normal, -wa * sa * share), x[a]);
    x[b] = select3(moves, mad3(x[b], link->normal, -wb * sb * share), x[b]);
}

// Lanes in which the edge of a side lies over or under the other side.
LANES_INLINE mask overlap(const SimKernelJob *job, const SimFlaps *flaps, int row) {
    const SimLanes3 *x = job->state->position;
    const int first = row * job->topology->columns;
    const lanes3 gap = sub3(x[first + flaps->columns[1][0]], x[first + flaps->columns[0][0]]);
    mask over = {0};
    for (int side = 0; side < 2; side++) {
        const int *columns = flaps->columns[side];
        const lanes way = dot3(gap, sub3(x[first + columns[1]], x[first + columns[0]]));
        over |= side ? less(way, (lanes){0}) : more(way, (lanes){0});
    }
    return over;
}

static void part_slits(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    for (int i = 0; i < topology->flaps_count; i++) {
        const SimFlaps *flaps = &topology->flaps[i];
        for (int row = flaps->row; row < topology->rows; row++) {
            const mask over = overlap(job, flaps, row);
            if (!any(over)) continue;
            for (int side = 0; side < 2; side++)
                for (int link = 0; link + 1 < flaps->counts[side]; link++) {
                    const FlapLink at = flap_link(job, flaps, side, row, link);
                    for (int k = 0; k < flaps->counts[!side]; k++)
                        part(job, row * topology->columns + flaps->columns[!side][k], &at,
                             side == flaps->over ? -1.0f : 1.0f, over);
                }
        }
    }
}

#endif
