// Parts of a garment alone in four lanes.
#include "kernel/lanes/scalar_parts.h"
#include "kernel/links/bends.h"

void sim_four_sweep_bends(const SimKernelJob *job, int substep) {
    sweep_bends(job, substep);
}
