// A link-solve, side by side: 16 garments in lanes, and one large sheet in strips.
#include "bench.h"
#include "bullet_grid.h"
#include "kernel_grid.h"
#include "limit_grid.h"
#include "scalar.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>

enum { CROWD_ROWS = 12, CROWD_COLUMNS = 16, CROWD = 16, SHEET = 128, MOST = 16, SETS = 3, NONE = -1 };

static const char *const sets[SETS] = {"baseline", "avx2", "avx512"};

// A row: what is stepped, and what one step holds.
typedef struct Row {
    BenchEntry entry;
    char name[64];
    double link_solves, particle_steps;
    int limit; // the row that it is measured by: the bare loop on the same instruction set
} Row;

typedef struct Rows {
    Row rows[MOST];
    double seconds[MOST];
    int count;
    int limits[SETS], kernels[SETS]; // rows; NONE: not on this processor
    int bullet;                      // the first of them
    LimitSetting limit_settings[SETS];
    KernelGridSetting kernel_settings[SETS + 2];
    int kernel_count;
    ScalarSetting scalar_setting;
    BulletSetting bullet_settings[2];
} Rows;

// What all contenders solve.
typedef struct Task {
    const char *title;
    int rows, columns;
    int garments;        // 1: a sheet that is cut into strips
    double least_bullet; // times the kernel: the target
    double links;        // of a garment
} Task;

static int add(Rows *rows, const char *name, const char *set, BenchEntry entry, double link_solves,
               double particle_steps) {
    Row *row = &rows->rows[rows->count];
    *row = (Row){entry, "", link_solves, particle_steps, NONE};
    snprintf(row->name, sizeof row->name, name, set);
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

static void print_row(const Rows *rows, int i) {
    const Row *row = &rows->rows[i];
    double ns = ns_a_link(rows, i);
    printf("  %-38s ", row->name);
    if (isnan(ns)) {
        printf("%15s\n", i >= rows->bullet ? "Bullet not installed" : "not on this processor");
        return;
    }
    printf("%15.2f ", ns);
    if (row->particle_steps > 0)
        printf("%18.1f", 1e9 * rows->seconds[i] / row->particle_steps);
    else
        printf("%18s", "");
    if (row->limit != NONE)
        printf(" %16.2f", ns / ns_a_link(rows, row->limit));
    else
        printf(" %16s", "");
    if (isnan(rows->seconds[rows->bullet]))
        printf("\n");
    else
        printf(" %16.1f\n", ns_a_link(rows, rows->bullet) / ns);
}

static void print_rows(const Rows *rows, const Task *task) {
    bench_heading(task->title);
    printf("  %-38s %15s %18s %16s %16s\n", "", "ns a link-solve", "ns a particle-step", "times the limit",
           "Bullet / this");
    for (int i = 0; i < rows->count; i++) print_row(rows, i);
    const char *where = task->garments > 1 ? "crowd" : "sheet";
    for (int i = 1; i < SETS; i++) {
        char what[64];
        int kernel = rows->kernels[i];
        if (kernel == NONE || isnan(rows->seconds[kernel])) continue;
        snprintf(what, sizeof what, "kernel / limit, the %s, %s", where, sets[i]);
        bench_target_at_most(what, 1.5, ns_a_link(rows, kernel) / ns_a_link(rows, rows->limits[i]));
        snprintf(what, sizeof what, "Bullet / kernel, the %s, %s", where, sets[i]);
        bench_target_at_least(what, task->least_bullet,
                              ns_a_link(rows, rows->bullet) / ns_a_link(rows, kernel));
    }
}

static int link_count(int rows, int columns) {
    Grid grid;
    int count = grid_init(&grid, rows, columns) ? grid.link_count : 0;
    grid_finish(&grid);
    return count;
}

static void add_limits(Rows *rows, const Task *task) {
    const bool strips = task->garments == 1;
    for (int i = 0; i < SETS; i++) {
        const LimitLoop *loop = sim_kernel_named(sets[i]) ? limit_loop(sets[i]) : NULL;
        rows->limits[i] = NONE;
        if (!loop) continue;
        rows->limit_settings[i] = (LimitSetting){task->rows, task->columns, strips, loop};
        rows->limits[i] = add(rows, strips ? "the limit, %s, strips" : "the limit, %s, all lanes", sets[i],
                              (BenchEntry){"", &rows->limit_settings[i], limit_grid_create, limit_grid_steps,
                                           limit_grid_destroy, 0},
                              strips ? task->links : task->links * loop->width, 0);
        rows->rows[rows->limits[i]].limit = rows->limits[i];
    }
}

static int add_kernel(Rows *rows, const Task *task, const char *name, const char *set, int garments) {
    KernelGridSetting *setting = &rows->kernel_settings[rows->kernel_count++];
    *setting = (KernelGridSetting){task->rows, task->columns, garments, set};
    return add(rows, name, set,
               (BenchEntry){"", setting, kernel_grid_create, kernel_grid_steps, kernel_grid_destroy, 0},
               GRID_ITERATIONS * task->links * garments, (double)task->rows * task->columns * garments);
}

static void add_kernels(Rows *rows, const Task *task) {
    if (task->garments > 1) {
        add_kernel(rows, task, "kernel, %s, one garment", "scalar", 1);
        add_kernel(rows, task, "kernel, %s, one lane used", sim_kernel_best()->name, 1);
    }
    for (int i = 0; i < SETS; i++) {
        rows->kernels[i] =
            add_kernel(rows, task, task->garments > 1 ? "kernel, %s, sixteen garments" : "kernel, %s, strips",
                       sets[i], task->garments);
        rows->rows[rows->kernels[i]].limit = rows->limits[i];
    }
}

static void add_others(Rows *rows, const Task *task) {
    const double solves = GRID_ITERATIONS * task->links, particles = (double)task->rows * task->columns;
    rows->scalar_setting = (ScalarSetting){task->rows, task->columns, 1};
    add(rows, "scalar reference, one garment%s", "",
        (BenchEntry){"", &rows->scalar_setting, scalar_create, scalar_steps, scalar_destroy, 0}, solves,
        particles);
    rows->bullet = rows->count;
    for (int i = 0; i < 2; i++) {
        rows->bullet_settings[i] =
            (BulletSetting){task->rows, task->columns, task->garments, GRID_ITERATIONS, i == 1};
        add(rows, i == 1 ? "Bullet, links in its helper's order%s" : "Bullet, links row by row%s", "",
            (BenchEntry){"", &rows->bullet_settings[i], bullet_grid_create, bullet_grid_steps,
                         bullet_grid_destroy, 0},
            solves * task->garments, particles * task->garments);
    }
}

static void print_task(Task task) {
    Rows rows = {0};
    task.links = link_count(task.rows, task.columns);
    add_limits(&rows, &task);
    add_kernels(&rows, &task);
    add_others(&rows, &task);
    time_rows(&rows);
    print_rows(&rows, &task);
}

void table_links(void) {
    print_task((Task){"the crowd: 16 x 12 particles hung by the top row, 985 links, 10 sweeps a step",
                      CROWD_ROWS, CROWD_COLUMNS, CROWD, 14.0, 0});
    print_task((Task){"the sheet: 128 x 128 particles hung by the top row, 96,773 links, 10 sweeps a step",
                      SHEET, SHEET, 1, 25.0, 0});
}
