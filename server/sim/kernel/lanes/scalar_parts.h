// What the kernel of a garment alone takes over from that of a single lane: parts that seldom run, and those
// whose operations wait for each other.
#pragma once

#include "core/kernel.h"

// Their names in the kernel, and in what the kernel of a single lane shows of them.
#define SCALAR_PARTS(EACH)                                                                                   \
    EACH(find_normals)                                                                                       \
    EACH(recover)                                                                                            \
    EACH(open_slowly)                                                                                        \
    EACH(sweep_bends)                                                                                        \
    EACH(solve_rubbing_columns)                                                                              \
    EACH(settle)                                                                                             \
    EACH(part_slits)                                                                                         \
    EACH(hold_in_strong_wind)                                                                                \
    EACH(fused_pass)                                                                                         \
    EACH(rub)

#define DECLARE_PART(part) void sim_scalar_##part(const SimKernelJob *job, int substep);
SCALAR_PARTS(DECLARE_PART)

// Bending of a garment alone in four lanes.
void sim_four_sweep_bends(const SimKernelJob *job, int substep);
// Collides the points between particles of which touching[i] is set, and those whose particles that moves.
void sim_scalar_collide_touching(const SimKernelJob *job, int substep, const uint8_t *touching);
// See kernel/passive.h.
float sim_scalar_step_share(const SimKernelJob *job, int substep);
float sim_scalar_mends(const SimKernelJob *job); // 1 or 0
void sim_scalar_skin(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state);
void sim_scalar_bones(const SimKernelJob *job, float dt);
void sim_scalar_sew(const SimKernelSeam *seam, int substep);
void sim_scalar_air(const SimKernelAir *air, const SimLaneAir *lanes, const SimLanes3 *point,
                    SimLanes3 *out_velocity);
void sim_scalar_place(const SimKernelJob *job);
void sim_scalar_relax(const SimKernelJob *job);
void sim_scalar_come_to_rest(const SimKernelJob *job);
