// Jackets' ticks: each kernel with one lane used and with sixteen jackets, and as the world chooses, at each
// level.
#include "bench.h"
#include "jacket.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SUBSTEPS = 4, CROWD = 16, ROWS = 14 };

static const JacketSetting settings[ROWS] = {
    {.instruction_set = "scalar", .characters = 1},
    {.characters = 1},
    {.instruction_set = "alone_avx2", .characters = 1},
    {.instruction_set = "alone_avx512", .characters = 1},
    {.instruction_set = "baseline", .characters = 1},
    {.instruction_set = "avx2", .characters = 1},
    {.instruction_set = "avx512", .characters = 1},
    {.instruction_set = "scalar", .characters = CROWD},
    {.instruction_set = "baseline", .characters = CROWD},
    {.instruction_set = "avx2", .characters = CROWD},
    {.instruction_set = "avx512", .characters = CROWD},
    {.characters = CROWD},
    {.characters = CROWD, .level = SIM_LEVEL_REDUCED},
    {.characters = CROWD, .level = SIM_LEVEL_SKINNED},
};

static void print_row(const JacketSetting *setting, double seconds, double scalar) {
    const char *kernel = setting->instruction_set ? setting->instruction_set : "as the world chooses";
    if (setting->level) kernel = sim_level_names[setting->level];
    double each = seconds / setting->characters;
    printf("  %-22s %8d ", kernel, setting->characters);
    if (isnan(seconds))
        printf("not on this processor\n");
    else
        printf("%10.1f %10.1f %22.1f %16.2f\n", 1e6 * seconds, 1e6 * each,
               1e9 * each / (SUBSTEPS * JACKET_PARTICLES), scalar / each);
}

void table_ticks(void) {
    BenchEntry entries[ROWS];
    double seconds[ROWS];
    for (int i = 0; i < ROWS; i++)
        entries[i] =
            (BenchEntry){"", &settings[i], jacket_create, jacket_ticks, jacket_destroy, JACKET_STRIDE};
    bench_time(entries, ROWS, seconds);
    bench_heading("a tick of the full-quality jacket: 17 x 9 particles, 8 ellipsoids, 4 substeps at 60 Hz");
    printf("  %-22s %8s %10s %10s %22s %16s\n", "kernel", "jackets", "us", "us each", "ns a particle-substep",
           "times as fast");
    for (int i = 0; i < ROWS; i++) print_row(&settings[i], seconds[i], seconds[0]);
    bench_target_at_most("one jacket alone / the scalar kernel", 0.45, seconds[1] / seconds[0]);
}
