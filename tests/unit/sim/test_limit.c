// The benchmarks' limit does the same work as the kernel: the same links in the same order give the same
// cloth, within rounding. Only then is the ratio of their times meaningful.
#include "kernel_grid.h"
#include "limit_grid.h"
#include "sim_fixture.h"

enum { ROWS = 12, COLUMNS = 16, SHEET_ROWS = 9, SHEET_COLUMNS = 64 };

static float fabric_number(const KernelGrid *grid, size_t number) {
    return ((const float *)(const void *)grid->jobs[0].fabric)[number * (size_t)grid->kernel->width];
}

// The kernel's links as runs of one kind; their order stays.
static int runs_of(const KernelGrid *grid, LimitLink *links, LimitRun *runs,
                   float softness[SIM_LINK_KINDS][LIMIT_LANES]) {
    const SimLinks *from = &grid->topology->links;
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        links[i] = (LimitLink){from->ends[i][0], from->ends[i][1], from->length[i], from->factor[i]};
        if (i == 0 || from->kind[i] != from->kind[i - 1])
            runs[count++] = (LimitRun){&links[i], 0, false, softness[from->kind[i]]};
        runs[count - 1].count++;
    }
    return count;
}

static void fill_fabric(const KernelGrid *grid, float softness[SIM_LINK_KINDS][LIMIT_LANES],
                        float inverse_density[LIMIT_LANES]) {
    for (int lane = 0; lane < LIMIT_LANES; lane++) {
        inverse_density[lane] = fabric_number(grid, SIM_NUMBER(SimLaneFabric, inverse_density));
        for (size_t kind = 0; kind < SIM_LINK_KINDS; kind++)
            softness[kind][lane] = fabric_number(grid, SIM_NUMBER(SimLaneFabric, softness) + kind);
    }
}

static void compare(const LimitLoop *loop) {
    static _Alignas(64) float positions[3 * ROWS * COLUMNS * LIMIT_LANES];
    static _Alignas(64) float softness[SIM_LINK_KINDS][LIMIT_LANES], inverse_density[LIMIT_LANES];
    static LimitLink links[6 * ROWS * COLUMNS];
    static LimitRun runs[6 * ROWS * COLUMNS];
    const KernelGridSetting setting = {ROWS, COLUMNS, loop->width, loop->name};
    KernelGrid *grid = kernel_grid_create(&setting);
    if (!grid) return; // not on this processor
    assert_int_equal(grid->topology->links.count, 985);
    assert_int_equal(grid->kernel->width, loop->width);
    kernel_grid_steps(grid, 20); // so that links pull and push
    fill_fabric(grid, softness, inverse_density);
    kernel_grid_run(grid, "integrate");
    float *kernel = (float *)(void *)grid->jobs[0].state->position;
    size_t numbers = (size_t)(3 * ROWS * COLUMNS * loop->width);
    memcpy(positions, kernel, numbers * sizeof *positions);
    float before = positions[numbers - (size_t)loop->width * 2]; // y of the last particle

    kernel_grid_run(grid, "links");
    const LimitCloth cloth = {positions, grid->topology->inverse_area, inverse_density};
    int run_count = runs_of(grid, links, runs, softness);
    float moved = 0.0f, apart = 0.0f;
    for (int sweep = 0; sweep < GRID_ITERATIONS; sweep++)
        for (int i = 0; i < run_count; i++) loop->sweep(&cloth, &runs[i]);
    for (size_t i = 0; i < numbers; i++) apart = fmaxf(apart, fabsf(positions[i] - kernel[i]));
    moved = fabsf(positions[numbers - (size_t)loop->width * 2] - before);
    assert_at_least(moved, 1e-5);
    assert_at_most(apart, 2e-7);
    kernel_grid_destroy(grid);
}

static void test_the_limit_solves_the_kernels_links(void **state) {
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i < 3; i++)
        if (limit_loop(names[i])) compare(limit_loop(names[i]));
}

// One link by the formula, in double precision.
static void solve(double (*x)[3], const LimitLink *link, int a, int b, double wa, double wb,
                  double softness) {
    double d[3], length = 0.0;
    for (int k = 0; k < 3; k++) d[k] = x[b][k] - x[a][k], length += d[k] * d[k];
    length = sqrt(length);
    double s = (length - (double)link->length) / (length * (wa + wb + (double)link->compliance * softness));
    for (int k = 0; k < 3; k++) x[a][k] += wa * s * d[k], x[b][k] -= wb * s * d[k];
}

// A sheet in strips: across a seam a link leads to the next lane's particle; in the last lane to none.
static void compare_strips(const LimitLoop *loop) {
    static double x[SHEET_ROWS * SHEET_COLUMNS][3];
    const LimitSetting setting = {SHEET_ROWS, SHEET_COLUMNS, true, loop};
    LimitGrid *limit = limit_grid_create(&setting);
    assert_non_null(limit);
    const Grid whole = {.rows = SHEET_ROWS, .columns = SHEET_COLUMNS};
    int width = SHEET_COLUMNS / loop->width;
    for (int p = 0; p < SHEET_ROWS * SHEET_COLUMNS; p++) {
        float start[3];
        grid_position(&whole, p, start);
        for (int k = 0; k < 3; k++) x[p][k] = (double)start[k];
    }
    for (int r = 0; r < limit->run_count; r++)
        for (int i = 0; i < limit->runs[r].count; i++)
            for (int lane = 0; lane < loop->width - limit->runs[r].seam; lane++) {
                const LimitRun *run = &limit->runs[r];
                const LimitLink *link = &run->links[i];
                int a = link->a / width * SHEET_COLUMNS + lane * width + link->a % width;
                int b = link->b / width * SHEET_COLUMNS + (lane + run->seam) * width + link->b % width;
                double density = (double)limit->cloth.inverse_density[lane];
                solve(x, link, a, b, density * (double)limit->cloth.inverse_area[link->a],
                      density * (double)limit->cloth.inverse_area[link->b], (double)run->softness[lane]);
            }
    limit_grid_steps(limit, 1);
    double apart = 0.0;
    for (int p = 0; p < SHEET_ROWS * width; p++)
        for (int k = 0; k < 3; k++)
            for (int lane = 0; lane < loop->width; lane++) {
                double there = x[p / width * SHEET_COLUMNS + lane * width + p % width][k];
                double here = (double)limit->cloth.position[(3 * p + k) * loop->width + lane];
                apart = fmax(apart, fabs(here - there));
            }
    assert_at_most(apart, 1e-6);
    limit_grid_destroy(limit);
}

static void test_strips_of_a_sheet_are_joined(void **state) {
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i < 3; i++)
        if (sim_kernel_named(names[i]) && limit_loop(names[i])) compare_strips(limit_loop(names[i]));
}

// 96,773 links of a sheet of 128 x 128, counted over all strips.
static void test_strips_have_all_links(void **state) {
    (void)state;
    const LimitSetting setting = {128, 128, true, limit_loop("baseline")};
    LimitGrid *limit = limit_grid_create(&setting);
    Grid grid;
    assert_non_null(limit);
    assert_true(grid_init(&grid, 128, 128));
    assert_int_equal(limit->link_solves, 96773);
    assert_int_equal(grid.link_count, 96773);
    grid_finish(&grid);
    limit_grid_destroy(limit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_limit_solves_the_kernels_links),
        cmocka_unit_test(test_strips_of_a_sheet_are_joined),
        cmocka_unit_test(test_strips_have_all_links),
    };
    return cmocka_run_group_tests_name("sim limit", tests, NULL, NULL);
}
