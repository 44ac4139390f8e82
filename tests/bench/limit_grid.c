// Links in an order in which neighbours in the list share no particle: each waits for square root and
// division, and the processor can only fill that time with links that don't wait for it.
#include "limit_grid.h"

#include <stdlib.h>

#define ALL(x)                                                                                               \
    { x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x }
#define SOFTNESS(stiffness) ALL(1.0f / ((stiffness)*GRID_STEP * GRID_STEP))

// Some cloth: stretch, shear and bend.
static const _Alignas(64) float softness[GRID_KINDS][LIMIT_LANES] = {SOFTNESS(15000.0f), SOFTNESS(35.0f),
                                                                     SOFTNESS(5.0f)};
static const _Alignas(64) float inverse_density[LIMIT_LANES] = ALL(1.0f / 0.4f);

enum { BLOCK = 4 }; // rows whose links across take turns

static void place(LimitGrid *limit, const LimitSetting *setting, int width) {
    const Grid whole = {.rows = setting->rows, .columns = setting->columns};
    float *area = (float *)limit->cloth.inverse_area;
    for (int p = 0; p < setting->rows * width; p++) {
        area[p] = p < width ? 0.0f : 1.0f / (GRID_CELL * GRID_CELL);
        for (int lane = 0; lane < limit->loop->width; lane++) {
            float x[3];
            int column = p % width + (setting->strips ? lane * width : 0);
            grid_position(&whole, p / width * setting->columns + column, x);
            for (int k = 0; k < 3; k++) limit->cloth.position[(3 * p + k) * limit->loop->width + lane] = x[k];
        }
    }
}

static int add_link(LimitLink *link, const GridWay *way, int rows, int width, int row, int column,
                    bool seam) {
    int below = row + way->down, right = column + way->right;
    if (below < 0 || below >= rows || (right >= width) != seam || (row == 0 && below == 0)) return 0;
    *link = (LimitLink){row * width + column, below * width + right % width, grid_way_length(way), 1.0f};
    return 1;
}

// Links of a way that goes down or aslant share nothing with their neighbours in a row; those across share
// nothing from row to row.
static int add_links(LimitLink *links, const GridWay *way, int rows, int width, bool seam) {
    int count = 0, block = way->down == 0 ? BLOCK : 1;
    for (int first = 0; first < rows; first += block)
        for (int column = 0; column < width; column++)
            for (int row = first; row < first + block && row < rows; row++)
                count += add_link(&links[count], way, rows, width, row, column, seam);
    return count;
}

static bool allocate(LimitGrid *limit, size_t particles, LimitLink **out_links) {
    size_t positions = 3 * particles * (size_t)limit->loop->width;
    size_t bytes = (positions + particles) * sizeof(float) + particles * GRID_WAYS * sizeof(LimitLink);
    float *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) return false;
    limit->cloth = (LimitCloth){memory, memory + positions, inverse_density};
    *out_links = (LimitLink *)(void *)(memory + positions + particles);
    return true;
}

void *limit_grid_create(const void *setting_) {
    const LimitSetting *setting = setting_;
    LimitGrid *limit = calloc(1, sizeof *limit);
    if (!limit) return NULL;
    limit->loop = setting->loop;
    const int rows = setting->rows, lanes = setting->loop->width;
    const int width = setting->strips ? setting->columns / lanes : setting->columns;
    LimitLink *links;
    if (!allocate(limit, (size_t)(rows * width), &links)) return NULL;
    place(limit, setting, width);
    for (int way = 0; way < GRID_WAYS; way++)
        for (int seam = 0; seam <= (setting->strips ? 1 : 0); seam++) {
            int count = add_links(links, &grid_ways[way], rows, width, seam);
            limit->link_solves += count * (seam ? lanes - 1 : lanes);
            limit->runs[limit->run_count++] = (LimitRun){links, count, seam, softness[grid_ways[way].kind]};
            links += count;
        }
    return limit;
}

void limit_grid_steps(void *grid, int count) {
    const LimitGrid *limit = grid;
    for (int i = 0; i < count; i++)
        for (int run = 0; run < limit->run_count; run++)
            if (limit->runs[run].count > 0) limit->loop->sweep(&limit->cloth, &limit->runs[run]);
}

void limit_grid_destroy(void *grid) {
    LimitGrid *limit = grid;
    free(limit->cloth.position);
    free(limit);
}
