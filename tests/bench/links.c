// A link-solve, side by side: 16 garments in lanes, and one large sheet in strips.
#include "tables.h"

#include "bench.h"
#include "bullet_grid.h"
#include "kernel_grid.h"
#include "limit_grid.h"
#include "scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CROWD_ROWS = 12, CROWD_COLUMNS = 16, CROWD = 16, SHEET = 128, MOST = 12 };

// A row: what is stepped, and what one step holds.
typedef struct Row {
    BenchEntry entry;
    double link_solves, particle_steps;
} Row;

typedef struct Rows {
    Row rows[MOST];
    double seconds[MOST];
    int count;
} Rows;

static int add(Rows *rows, BenchEntry entry, double link_solves, double particle_steps) {
    rows->rows[rows->count] = (Row){entry, link_solves, particle_steps};
    return rows->count++;
}

static double ns_a_link(const Rows *rows, int row) {
    return 1e9 * rows->seconds[row] / rows->rows[row].link_solves;
}

static void time_rows(Rows *rows) {
    BenchEntry entries[MOST];
    for (int i = 0; i < rows->count; i++) entries[i] = rows->rows[i].entry;
    bench_time(entries, rows->count, rows->seconds);
}

static void print_rows(const Rows *rows, const char *title, int limit, int bullet) {
    bench_heading(title);
    printf("  %-38s %15s %18s %16s %16s\n", "", "ns a link-solve", "ns a particle-step", "times the limit",
           "Bullet / this");
    for (int i = 0; i < rows->count; i++) {
        double ns = ns_a_link(rows, i), steps = rows->rows[i].particle_steps;
        printf("  %-38s ", rows->rows[i].entry.name);
        if (isnan(ns)) {
            printf("%15s\n", i >= bullet ? "Bullet not installed" : "not on this processor");
            continue;
        }
        printf("%15.2f ", ns);
        if (steps > 0)
            printf("%18.1f", 1e9 * rows->seconds[i] / steps);
        else
            printf("%18s", "");
        printf(" %16.2f", ns / ns_a_link(rows, limit));
        if (isnan(rows->seconds[bullet]))
            printf("\n");
        else
            printf(" %16.1f\n", ns_a_link(rows, bullet) / ns);
    }
}

static const char *best_instruction_set(void) {
    return sim_kernel_best()->name;
}

static int link_count(int rows, int columns) {
    Grid grid;
    int count = grid_init(&grid, rows, columns) ? grid.link_count : 0;
    grid_finish(&grid);
    return count;
}

static void print_crowd(void) {
    Rows rows = {0};
    const double links = link_count(CROWD_ROWS, CROWD_COLUMNS), particles = CROWD_ROWS * CROWD_COLUMNS;
    const LimitLoop *loop = limit_loop(best_instruction_set());
    const LimitSetting limit_setting = {CROWD_ROWS, CROWD_COLUMNS, false, loop};
    const ScalarSetting scalar_setting = {CROWD_ROWS, CROWD_COLUMNS, 1};
    static const char *const sets[] = {"scalar", "baseline", "avx2", "avx512"};
    static const char *const names[] = {"kernel, scalar, one garment", "kernel, baseline, sixteen garments",
                                        "kernel, avx2, sixteen garments", "kernel, avx512, sixteen garments"};
    KernelGridSetting kernels[4], one = {CROWD_ROWS, CROWD_COLUMNS, 1, best_instruction_set()};
    const BulletSetting bullets[2] = {{CROWD_ROWS, CROWD_COLUMNS, CROWD, GRID_ITERATIONS, false},
                                      {CROWD_ROWS, CROWD_COLUMNS, CROWD, GRID_ITERATIONS, true}};
    const double solves = GRID_ITERATIONS * links;
    int limit = add(&rows,
                    (BenchEntry){"the limit, all lanes", &limit_setting, limit_grid_create, limit_grid_steps,
                                 limit_grid_destroy},
                    links * loop->width, 0);
    add(&rows,
        (BenchEntry){"scalar reference, one garment", &scalar_setting, scalar_create, scalar_steps,
                     scalar_destroy},
        solves, particles);
    int best = 0;
    for (int i = 0; i < 4; i++) {
        int garments = i == 0 ? 1 : CROWD;
        kernels[i] = (KernelGridSetting){CROWD_ROWS, CROWD_COLUMNS, garments, sets[i]};
        int row = add(
            &rows,
            (BenchEntry){names[i], &kernels[i], kernel_grid_create, kernel_grid_steps, kernel_grid_destroy},
            solves * garments, particles * garments);
        if (strcmp(sets[i], best_instruction_set()) == 0) best = row;
    }
    add(&rows,
        (BenchEntry){"kernel, best, one lane used", &one, kernel_grid_create, kernel_grid_steps,
                     kernel_grid_destroy},
        solves, particles);
    int bullet = add(&rows,
                     (BenchEntry){"Bullet, links row by row", &bullets[0], bullet_grid_create,
                                  bullet_grid_steps, bullet_grid_destroy},
                     solves * CROWD, particles * CROWD);
    add(&rows,
        (BenchEntry){"Bullet, links in its helper's order", &bullets[1], bullet_grid_create,
                     bullet_grid_steps, bullet_grid_destroy},
        solves * CROWD, particles * CROWD);
    time_rows(&rows);
    print_rows(&rows, "the crowd: 16 x 12 particles hung by the top row, 985 links, 10 sweeps a step", limit,
               bullet);
    bench_target_at_most("kernel / limit, the crowd", 1.5, ns_a_link(&rows, best) / ns_a_link(&rows, limit));
    bench_target_at_least("Bullet / kernel, the crowd", 14.0,
                          ns_a_link(&rows, bullet) / ns_a_link(&rows, best));
}

static void print_sheet(void) {
    Rows rows = {0};
    const double links = link_count(SHEET, SHEET), particles = SHEET * SHEET,
                 solves = GRID_ITERATIONS * links;
    const LimitLoop *loop = limit_loop(best_instruction_set());
    const LimitSetting limit_setting = {SHEET, SHEET, true, loop};
    const ScalarSetting scalar_setting = {SHEET, SHEET, 1};
    const BulletSetting bullets[2] = {{SHEET, SHEET, 1, GRID_ITERATIONS, false},
                                      {SHEET, SHEET, 1, GRID_ITERATIONS, true}};
    int limit = add(&rows,
                    (BenchEntry){"the limit, strips", &limit_setting, limit_grid_create, limit_grid_steps,
                                 limit_grid_destroy},
                    links, 0);
    add(&rows, (BenchEntry){"scalar reference", &scalar_setting, scalar_create, scalar_steps, scalar_destroy},
        solves, particles);
    int bullet = add(&rows,
                     (BenchEntry){"Bullet, links row by row", &bullets[0], bullet_grid_create,
                                  bullet_grid_steps, bullet_grid_destroy},
                     solves, particles);
    add(&rows,
        (BenchEntry){"Bullet, links in its helper's order", &bullets[1], bullet_grid_create,
                     bullet_grid_steps, bullet_grid_destroy},
        solves, particles);
    time_rows(&rows);
    print_rows(&rows, "the sheet: 128 x 128 particles hung by the top row, 96,773 links, 10 sweeps a step",
               limit, bullet);
}

void table_links(void) {
    print_crowd();
    print_sheet();
}
