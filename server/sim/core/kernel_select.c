// Chooses the kernel for this processor.
#include "core/drive.h"
#include "core/kernel.h"
#include "core/self_collision.h"

#include <stddef.h>
#include <string.h>

extern const SimKernel sim_kernel_baseline, sim_kernel_strips_baseline;
extern const SimDrive sim_drive_1, sim_drive_4;
extern const SimSelfCollisionKernel sim_self_collision_1, sim_self_collision_4;
#ifdef SIM_KERNEL_X86
extern const SimKernel sim_kernel_avx2, sim_kernel_strips_avx2;
extern const SimKernel sim_kernel_avx512, sim_kernel_strips_avx512;
extern const SimKernel sim_kernel_alone_avx2, sim_kernel_alone_avx512;

extern const SimDrive sim_drive_8, sim_drive_16;
extern const SimSelfCollisionKernel sim_self_collision_8, sim_self_collision_16;

static bool runs_avx512(void);
#endif

const SimKernel *sim_kernel_best(void) {
#ifdef SIM_KERNEL_X86
    __builtin_cpu_init();
    if (runs_avx512()) return &sim_kernel_avx512;
    if (__builtin_cpu_supports("avx2")) return &sim_kernel_avx2;
#endif
    return &sim_kernel_baseline;
}

const SimKernel *sim_kernel_named(const char *name) {
    if (strcmp(name, "scalar") == 0) return &sim_kernel_scalar;
    if (strcmp(name, "baseline") == 0) return &sim_kernel_baseline;
#ifdef SIM_KERNEL_X86
    __builtin_cpu_init();
    if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return &sim_kernel_avx2;
    if (strcmp(name, "avx512") == 0 && runs_avx512()) return &sim_kernel_avx512;
    if (strcmp(name, "alone_avx2") == 0 && __builtin_cpu_supports("avx2")) return &sim_kernel_alone_avx2;
    if (strcmp(name, "alone_avx512") == 0 && runs_avx512()) return &sim_kernel_alone_avx512;
#endif
    return NULL;
}

// The kernels' names have that of their instruction set in them.
const SimKernel *sim_kernel_alone(const char *name) {
#ifdef SIM_KERNEL_X86
    if (strstr(name, "avx512")) return &sim_kernel_alone_avx512;
    if (strstr(name, "avx2")) return &sim_kernel_alone_avx2;
#endif
    (void)name;
    return &sim_kernel_scalar;
}

const SimKernel *sim_kernel_strips(const char *name) {
#ifdef SIM_KERNEL_X86
    if (strstr(name, "avx2")) return &sim_kernel_strips_avx2;
    if (strstr(name, "avx512")) return &sim_kernel_strips_avx512;
#endif
    (void)name;
    return &sim_kernel_strips_baseline;
}

// A kernel of that width runs here, so this does, too.
const SimDrive *sim_drive_of_width(int width) {
#ifdef SIM_KERNEL_X86
    if (width == 16) return &sim_drive_16;
    if (width == 8) return &sim_drive_8;
#endif
    return width == 4 ? &sim_drive_4 : &sim_drive_1;
}

const SimSelfCollisionKernel *sim_self_collision_of_width(int width) {
#ifdef SIM_KERNEL_X86
    if (width == 16) return &sim_self_collision_16;
    if (width == 8) return &sim_self_collision_8;
#endif
    return width == 4 ? &sim_self_collision_4 : &sim_self_collision_1;
}

#ifdef SIM_KERNEL_X86
static bool runs_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#endif
