// The springs of mass-spring cloth, and the longest step in which semi-implicit Euler integrates them.
#pragma once

#include "core/lane.h"
#include "topology/topology.h"

// Call when all springs are added: computes the modes that bounds are computed from. Returns false when
// memory runs out.
bool sim_springs_rate(const SimTopology *topology, SimSpringModes *out_modes);

// The largest elongation of a structural or shear spring of one lane, as a share of its length; at least 0.
float sim_springs_elongation(const SimTopology *topology, SimLane positions);

// How springs take part in a substep of length h. Its cost does not depend on their number.
SimSpringPlan sim_spring_plan(const SimSpringModes *modes, const SimFabric *fabric, float h);
