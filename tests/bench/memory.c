// What characters take: memory, and calls of the allocator in a tick. A program of its own, since it stands
// in for the allocator.
#include "allocations.h"
#include "jacket.h"

#include <stdio.h>

enum { TICKS = 100 };

static void print_row(int characters) {
    const JacketSetting setting = {.characters = characters, .hood = true};
    const Allocations *allocations = bench_allocations();
    int64_t before = allocations->bytes;
    void *world = jacket_create(&setting);
    int64_t held = allocations->bytes - before;
    uint64_t requests = allocations->requests;
    jacket_ticks(world, TICKS);
    printf("  %10d %16.1f %20.2f\n", characters, (double)held / (1024.0 * characters),
           (double)(allocations->requests - requests) / TICKS);
    jacket_destroy(world);
}

int main(void) {
    if (!bench_allocations()) {
        printf("  the allocator cannot be counted here\n");
        return 0;
    }
    printf("\nmemory of the simulation, jacket and hood\n");
    printf("  %10s %16s %20s\n", "characters", "KB a character", "allocations a tick");
    print_row(1);
    print_row(16);
    print_row(256);
    return 0;
}
