// What it costs a jacket to keep out of itself, in a light wind and in a storm.
#include "bench.h"
#include "jacket.h"
#include "tables.h"

#include <stdio.h>

#define THICKNESS 0.02f // m

enum { ROWS = 4 };

static const JacketSetting settings[ROWS] = {
    {.characters = 1},
    {.characters = 1, .self_collision = THICKNESS},
    {.characters = 1, .storm = true},
    {.characters = 1, .storm = true, .self_collision = THICKNESS},
};

void table_self_collision(void) {
    BenchEntry entries[ROWS];
    double seconds[ROWS];
    for (int i = 0; i < ROWS; i++)
        entries[i] =
            (BenchEntry){"", &settings[i], jacket_create, jacket_ticks, jacket_destroy, JACKET_STRIDE};
    bench_time(entries, ROWS, seconds);
    bench_heading(
        "a tick of the jacket with and without self-collision, one jacket on a striding body at 60 Hz");
    printf("  %-22s %16s %16s %8s\n", "wind", "without, us", "with, us", "times");
    for (int i = 0; i < ROWS; i += 2)
        printf("  %-22s %16.1f %16.1f %8.2f\n", settings[i].storm ? "20 m/s, gusts" : "1.1 m/s",
               1e6 * seconds[i], 1e6 * seconds[i + 1], seconds[i + 1] / seconds[i]);
}
