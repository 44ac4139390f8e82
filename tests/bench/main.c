// Runs the tables that are named, or all.
#include "jacket.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(void);
} tables[] = {{"links", table_links},     {"ticks", table_ticks},         {"parts", table_parts},
              {"order", table_order},     {"self", table_self_collision}, {"springs", table_springs},
              {"numbers", table_numbers}, {"scripts", table_scripts}};

enum { TABLES = sizeof tables / sizeof tables[0] };

// What callgrind counts the instructions of: see run.py, which names this function to it. The same work each
// time.
void callgrind_workload(void *world, int ticks);
__attribute__((noinline)) void callgrind_workload(void *world, int ticks) {
    jacket_ticks(world, ticks);
}

static int run_callgrind_workload(const char *kernel, int jackets, int ticks) {
    const JacketSetting setting = {.instruction_set = kernel, .characters = jackets};
    void *world = jacket_create(&setting);
    if (!world) return 1;
    callgrind_workload(world, ticks);
    jacket_destroy(world);
    return 0;
}

static int usage(void) {
    fprintf(stderr, "usage: tweed_bench [TABLE...] | --callgrind-workload KERNEL JACKETS TICKS\ntables:");
    for (int i = 0; i < TABLES; i++) fprintf(stderr, " %s", tables[i].name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "--callgrind-workload") == 0)
        return run_callgrind_workload(argv[2], atoi(argv[3]), atoi(argv[4]));
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (int t = 0; t < TABLES; t++) known = known || strcmp(argv[i], tables[t].name) == 0;
        if (!known) return usage();
    }
    for (int t = 0; t < TABLES; t++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++) wanted = wanted || strcmp(argv[i], tables[t].name) == 0;
        if (wanted) tables[t].print();
        fflush(stdout);
    }
    return 0;
}
