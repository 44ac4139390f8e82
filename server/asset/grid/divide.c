// Divides a surface evenly into rows and columns: rows are level lines of the harmonic function that is 0
// along the top and 1 along the bottom, columns divide each line by its length.
#include "asset/grid.h"
#include "data.h"
#include "grid/welded_surface.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 100000
#define CORNER      2.6f  // rad: a side of a sheet turns less than by the rest to pi
#define MOST_STEPS  2000  // of the solver
#define TOLERANCE   1e-9  // of the squared residual to that at the beginning
#define EDGE_LEVEL  1e-4f // row 0 lies so near the top, where lines are well-defined
enum { BINS = 64, COARSE = 256, FINER = 16 };

typedef enum Side { SIDE_FREE, SIDE_TOP, SIDE_BOTTOM } Side;

// A point of an edge between two places.
typedef struct Crossing {
    int from, to;
    float share; // of the way
} Crossing;

// The level line through the surface.
typedef struct Line {
    float (*points)[3]; // [count]; a closed one ends where it begins
    Crossing *edges;    // [count] where each lies
    float *ways;        // [count] m, from the first point
    int count;
} Line;

typedef struct Divider {
    const AssetGridDef *def;
    GridSurface surface;
    int (*beside)[2]; // [place_count]
    int *loop;        // [place_count]
    int *across;      // [3 * triangle_count] 3 * triangle + side of the neighbour; -1: none
    Side *sides;      // [place_count]
    float *angles;    // [place_count] rad, of the surface at each place
    double *weights;  // [3 * triangle_count] of each edge, at the first of its run
    double *levels;   // [place_count]
    double *solver;   // [4 * place_count]
    bool closed;
    Line line;
} Divider;

static bool allocate(Divider *divider, AssetError *out_error);
static void set_up(Divider *divider);
static bool find_sides(Divider *divider, AssetError *out_error);
static bool mark_rings(Divider *divider, int upper, AssetError *out_error);
static bool mark_sheet(Divider *divider, int count, AssetError *out_error);
static void solve(Divider *divider);
static void multiply(const Divider *divider, const double *x, double *out_y);
static void find_rows(const Divider *divider, int rows, float *out_levels);
static int bin_of(float level);
static bool trace(Divider *divider, float level, AssetError *out_error);
static bool is_whole(const Divider *divider, float level, AssetError *out_error);
static int entry_of(const Divider *divider, float level);
static int exit_of(const Divider *divider, int triangle, float level);
static void add_point(Divider *divider, int half_edge, float level);
static void lay_row(const Divider *divider, int row, AssetGrid *grid);
static float find_on_line(const Divider *divider, float start, int column, const AssetGrid *grid, int *part);
static void set_on_line(const Divider *divider, int part, float share, float out_point[3]);
static float back_of(const Divider *divider);
static float start_below(const Divider *divider, int first, const AssetGrid *grid);
static void finish(Divider *divider);

bool asset_grid_divide(const AssetGridDef *def, int rows, int columns, AssetGrid *grid,
                       AssetError *out_error) {
    Divider divider = {.def = def};
    float levels[ASSET_MOST_GRID_ROWS];
    const size_t particles = (size_t)rows * (size_t)columns;
    *grid = (AssetGrid){.rows = rows, .columns = columns};
    bool done = grid_surface_find(&divider.surface, def, MOST_PLACES, out_error) &&
                allocate(&divider, out_error) && find_sides(&divider, out_error);
    grid->closed = divider.closed;
    grid->positions = malloc(particles * sizeof *grid->positions);
    grid->sources = malloc(particles * sizeof *grid->sources);
    grid->place_count = divider.surface.place_count;
    if (done && (!grid->positions || !grid->sources)) done = asset_fail(out_error, "out of memory");
    if (done) {
        solve(&divider);
        find_rows(&divider, rows, levels);
    }
    for (int row = 0; done && row < rows; row++) {
        done = trace(&divider, levels[row], out_error);
        if (done) lay_row(&divider, row, grid);
    }
    if (done) {
        grid->place_of = divider.surface.place_of;
        divider.surface.place_of = NULL;
    }
    finish(&divider);
    return done;
}

static void finish(Divider *divider) {
    grid_surface_finish(&divider->surface);
    free(divider->beside);
    free(divider->loop);
    free(divider->across);
    free(divider->sides);
    free(divider->angles);
    free(divider->weights);
    free(divider->levels);
    free(divider->solver);
    free(divider->line.points);
    free(divider->line.edges);
    free(divider->line.ways);
}

static bool allocate(Divider *divider, AssetError *out_error) {
    const size_t places = (size_t)divider->surface.place_count;
    const size_t edges = 3 * (size_t)divider->surface.triangle_count;
    divider->beside = malloc(places * sizeof *divider->beside);
    divider->loop = malloc(places * sizeof *divider->loop);
    divider->across = malloc(edges * sizeof *divider->across);
    divider->sides = calloc(places, sizeof *divider->sides);
    divider->angles = calloc(places, sizeof *divider->angles);
    divider->weights = calloc(edges, sizeof *divider->weights);
    divider->levels = calloc(places, sizeof *divider->levels);
    divider->solver = calloc(4 * places, sizeof *divider->solver);
    divider->line.points = malloc((edges + 1) * sizeof *divider->line.points);
    divider->line.edges = malloc((edges + 1) * sizeof *divider->line.edges);
    divider->line.ways = malloc((edges + 1) * sizeof *divider->line.ways);
    if (!divider->beside || !divider->loop || !divider->across || !divider->sides || !divider->angles ||
        !divider->weights || !divider->levels || !divider->solver || !divider->line.points ||
        !divider->line.edges || !divider->line.ways)
        return asset_fail(out_error, "out of memory");
    set_up(divider);
    return true;
}

// Neighbours, angles, and the cotangent weights of edges.
static void set_up(Divider *divider) {
    const GridSurface *surface = &divider->surface;
    const int edge_count = 3 * surface->triangle_count;
    memset(divider->across, -1, (size_t)edge_count * sizeof *divider->across);
    for (int i = 0, alike; i < edge_count; i += alike) {
        const GridEdge *edges = &surface->edges[i];
        alike = grid_edges_alike(edges, edge_count - i);
        for (int k = 0; k < alike; k++) {
            const int *corners = surface->triangles[edges[k].face];
            const int opposite = corners[(edges[k].side + 2) % 3];
            vec3 a, b;
            glm_vec3_sub((float *)grid_place(surface, edges[k].from), (float *)grid_place(surface, opposite),
                         a);
            glm_vec3_sub((float *)grid_place(surface, edges[k].to), (float *)grid_place(surface, opposite),
                         b);
            const float angle = glm_vec3_angle(a, b);
            divider->angles[opposite] += angle;
            divider->weights[i] += 0.5 / tan(fmax((double)angle, 1e-3));
        }
        if (alike < 2) continue;
        const int halves[2] = {3 * edges[0].face + edges[0].side, 3 * edges[1].face + edges[1].side};
        divider->across[halves[0]] = halves[1];
        divider->across[halves[1]] = halves[0];
    }
}

// A ring has two loops, and a sheet one with four corners; neither has holes or handles.
static bool find_sides(Divider *divider, AssetError *out_error) {
    const GridSurface *surface = &divider->surface;
    const int edge_count = 3 * surface->triangle_count;
    int loops = 0, upper = -1, count = 0, edges = 0, places = 0;
    float highest = -INFINITY;
    bool *traced = calloc((size_t)surface->place_count, sizeof *traced);
    if (!traced) return asset_fail(out_error, "out of memory");
    bool done = grid_edges_open(surface, surface->edges, edge_count, divider->beside, out_error);
    for (int i = 0; i < edge_count; i += grid_edges_alike(&surface->edges[i], edge_count - i)) edges++;
    for (int i = 0; done && i < surface->place_count; i++) {
        places += divider->angles[i] > 0.0f;
        if (divider->beside[i][0] < 0 || traced[i]) continue;
        count = grid_loop_trace((const int(*)[2])divider->beside, i, divider->loop);
        for (int k = 0; k < count; k++) traced[divider->loop[k]] = true;
        loops++;
        const float height = grid_side_height(&divider->surface, divider->loop, count, 0, count - 1);
        if (height <= highest) continue;
        highest = height;
        upper = i;
    }
    free(traced);
    if (!done) return false;
    const int handles = (2 - loops - (places - edges + surface->triangle_count)) / 2; // after Euler
    if (loops == 0) return asset_fail(out_error, "expected an open edge to attach, found a closed surface");
    if (loops > 2 || handles > 0)
        return asset_fail(
            out_error,
            "expected a sheet, with one open edge, or a ring, with two; found %d open edges and %d handles",
            loops, handles);
    return loops == 2 ? mark_rings(divider, upper, out_error) : mark_sheet(divider, count, out_error);
}

static bool mark_rings(Divider *divider, int upper, AssetError *out_error) {
    if (upper < 0)
        return asset_fail(out_error, "expected all vertices of a side to be pinned, found some free on each");
    for (int i = 0; i < divider->surface.place_count; i++)
        if (divider->beside[i][0] >= 0) divider->sides[i] = SIDE_BOTTOM;
    const int count = grid_loop_trace((const int(*)[2])divider->beside, upper, divider->loop);
    for (int k = 0; k < count; k++) divider->sides[divider->loop[k]] = SIDE_TOP;
    divider->closed = true;
    return true;
}

// At its four sharpest corners; the loop is traced.
static bool mark_sheet(Divider *divider, int count, AssetError *out_error) {
    int corners[4] = {-1, -1, -1, -1}, top = -1;
    float highest = -INFINITY;
    for (int n = 0; n < 4; n++) {
        float least = CORNER;
        for (int k = 0; k < count; k++) {
            const bool is_taken = k == corners[0] || k == corners[1] || k == corners[2];
            if (is_taken || divider->angles[divider->loop[k]] >= least) continue;
            least = divider->angles[divider->loop[k]];
            corners[n] = k;
        }
        if (corners[n] < 0)
            return asset_fail(out_error, "expected a sheet with four corners, found %d that are sharp", n);
    }
    for (int n = 1; n < 4; n++) // in the order of the loop
        for (int m = n; m > 0 && corners[m - 1] > corners[m]; m--) {
            const int kept = corners[m];
            corners[m] = corners[m - 1];
            corners[m - 1] = kept;
        }
    for (int n = 0; n < 4; n++) {
        const int last = n < 3 ? corners[n + 1] : corners[0] + count;
        const float height = grid_side_height(&divider->surface, divider->loop, count, corners[n], last);
        if (height <= highest) continue;
        highest = height;
        top = n;
    }
    if (top < 0)
        return asset_fail(out_error, "expected all vertices of a side to be pinned, found some free on each");
    for (int n = 0; n < 4; n++) {
        const int last = n < 3 ? corners[n + 1] : corners[0] + count;
        for (int k = corners[n]; k <= last && (n - top) % 2 == 0; k++)
            divider->sides[divider->loop[k % count]] = n == top ? SIDE_TOP : SIDE_BOTTOM;
    }
    return true;
}

// Conjugate gradients with the diagonal for a preconditioner.
static void solve(Divider *divider) {
    const size_t count = (size_t)divider->surface.place_count;
    double *residual = divider->solver, *way = residual + count, *product = way + count;
    double *diagonal = product + count, *x = divider->levels, before = 0.0, first = 0.0;
    for (size_t i = 0; i < count; i++) x[i] = divider->sides[i] == SIDE_BOTTOM ? 1.0 : 0.0;
    for (int i = 0; i < 3 * divider->surface.triangle_count; i++) {
        diagonal[divider->surface.edges[i].from] += divider->weights[i];
        diagonal[divider->surface.edges[i].to] += divider->weights[i];
    }
    multiply(divider, x, product);
    for (size_t i = 0; i < count; i++) {
        residual[i] = divider->sides[i] == SIDE_FREE ? -product[i] : 0.0;
        way[i] = diagonal[i] > 0.0 ? residual[i] / diagonal[i] : 0.0;
        before += residual[i] * way[i];
    }
    first = before;
    for (int step = 0; step < MOST_STEPS && before > TOLERANCE * first; step++) {
        double along = 0.0, after = 0.0;
        multiply(divider, way, product);
        for (size_t i = 0; i < count; i++) along += way[i] * product[i];
        for (size_t i = 0; i < count; i++) {
            if (divider->sides[i] != SIDE_FREE || !(diagonal[i] > 0.0)) continue;
            x[i] += before / along * way[i];
            residual[i] -= before / along * product[i];
            after += residual[i] * residual[i] / diagonal[i];
        }
        for (size_t i = 0; i < count; i++)
            if (divider->sides[i] == SIDE_FREE && diagonal[i] > 0.0)
                way[i] = residual[i] / diagonal[i] + after / before * way[i];
        before = after;
    }
}

static void multiply(const Divider *divider, const double *x, double *out_y) {
    memset(out_y, 0, (size_t)divider->surface.place_count * sizeof *out_y);
    for (int i = 0; i < 3 * divider->surface.triangle_count; i++) {
        const GridEdge *edge = &divider->surface.edges[i];
        const double pull = divider->weights[i] * (x[edge->from] - x[edge->to]);
        out_y[edge->from] += pull;
        out_y[edge->to] -= pull;
    }
}

// Levels at even distances: where the function is steep they are farther apart.
static void find_rows(const Divider *divider, int rows, float *out_levels) {
    double areas[BINS] = {0}, rises[BINS] = {0}, sums[BINS + 1] = {0};
    for (int t = 0; t < divider->surface.triangle_count; t++) {
        const int *corners = divider->surface.triangles[t];
        vec3 sides[3], normal, slope = {0.0f, 0.0f, 0.0f}, turned;
        float level[3];
        for (int k = 0; k < 3; k++) {
            glm_vec3_sub((float *)grid_place(&divider->surface, corners[(k + 2) % 3]),
                         (float *)grid_place(&divider->surface, corners[(k + 1) % 3]), sides[k]);
            level[k] = (float)divider->levels[corners[k]];
        }
        glm_vec3_cross(sides[0], sides[1], normal);
        const float area = glm_vec3_norm(normal); // twice it
        for (int k = 0; k < 3 && area > 0.0f; k++) {
            glm_vec3_cross(normal, sides[k], turned);
            glm_vec3_muladds(turned, level[k] / (area * area), slope);
        }
        const float steepness = glm_vec3_norm(slope);
        const float low = fminf(level[0], fminf(level[1], level[2]));
        const float high = fmaxf(level[0], fmaxf(level[1], level[2]));
        for (int b = bin_of(low); b <= bin_of(high) && steepness > 1e-6f; b++) {
            areas[b] += (double)area;
            rises[b] += (double)(area * steepness);
        }
    }
    for (int b = 0; b < BINS; b++) sums[b + 1] = sums[b] + (rises[b] > 0.0 ? areas[b] / rises[b] : 0.0);
    for (int row = 0, bin = 0; row < rows; row++) {
        const double wanted = sums[BINS] * row / (rows - 1);
        while (bin < BINS - 1 && sums[bin + 1] < wanted) bin++;
        const double width = sums[bin + 1] - sums[bin];
        const double level = (bin + (width > 0.0 ? (wanted - sums[bin]) / width : 0.0)) / BINS;
        out_levels[row] = fminf(fmaxf((float)level, EDGE_LEVEL), 1.0f - EDGE_LEVEL);
    }
}

static int bin_of(float level) {
    return (int)fminf(fmaxf(level * BINS, 0.0f), BINS - 1);
}

// From triangle to triangle, with lower levels on the left as seen from outside.
static bool trace(Divider *divider, float level, AssetError *out_error) {
    Line *line = &divider->line;
    const int most = 3 * divider->surface.triangle_count;
    const int first = entry_of(divider, level);
    int half_edge = first;
    line->count = 0;
    if (first >= 0) add_point(divider, half_edge, level);
    while (half_edge >= 0 && line->count < most) {
        const int left = exit_of(divider, half_edge / 3, level);
        if (left < 0) break;
        add_point(divider, left, level);
        half_edge = divider->across[left];
        if (half_edge == first || half_edge < 0) return is_whole(divider, level, out_error);
        if (divider->levels[divider->surface.triangles[half_edge / 3][half_edge % 3]] >= (double)level) break;
    }
    const int at = first < 0 ? 0 : divider->surface.triangles[half_edge < 0 ? first / 3 : half_edge / 3][0];
    const float *place = grid_place(&divider->surface, at);
    return asset_fail(out_error,
                      "expected triangles that face the same way, found one turned round near {%g, %g, %g}",
                      (double)place[0], (double)place[1], (double)place[2]);
}

// Long, thin triangles may bend the function so much that a level has several lines.
static bool is_whole(const Divider *divider, float level, AssetError *out_error) {
    int crossed = 0;
    for (int i = 0; i < divider->surface.triangle_count; i++) crossed += exit_of(divider, i, level) >= 0;
    return crossed == divider->line.count - 1 ||
           asset_fail(out_error,
                      "expected rows in one line, found one in parts: its triangles are too uneven");
}

// A side of a triangle by which the line comes in: on the open edge, or any in a ring; -1: none.
static int entry_of(const Divider *divider, float level) {
    for (int i = 0; i < 3 * divider->surface.triangle_count; i++) {
        const int *corners = divider->surface.triangles[i / 3];
        if (divider->levels[corners[i % 3]] < (double)level &&
            divider->levels[corners[(i % 3 + 1) % 3]] >= (double)level &&
            (divider->closed || divider->across[i] < 0))
            return i;
    }
    return -1;
}

static int exit_of(const Divider *divider, int triangle, float level) {
    const int *corners = divider->surface.triangles[triangle];
    for (int k = 0; k < 3; k++)
        if (divider->levels[corners[k]] >= (double)level &&
            divider->levels[corners[(k + 1) % 3]] < (double)level)
            return 3 * triangle + k;
    return -1;
}

static void add_point(Divider *divider, int half_edge, float level) {
    Line *line = &divider->line;
    const int *corners = divider->surface.triangles[half_edge / 3];
    const int from = corners[half_edge % 3], to = corners[(half_edge % 3 + 1) % 3];
    const double span = divider->levels[to] - divider->levels[from];
    const float share = (float)(((double)level - divider->levels[from]) / span);
    float *point = line->points[line->count];
    glm_vec3_lerp((float *)grid_place(&divider->surface, from), (float *)grid_place(&divider->surface, to),
                  share, point);
    line->edges[line->count] = (Crossing){from, to, share};
    line->ways[line->count] =
        line->count ? line->ways[line->count - 1] + glm_vec3_distance(line->points[line->count - 1], point)
                    : 0.0f;
    line->count++;
}

static void lay_row(const Divider *divider, int row, AssetGrid *grid) {
    const int first = row * grid->columns;
    const float start = !grid->closed ? 0.0f
                        : row == 0    ? back_of(divider)
                                      : start_below(divider, first, grid);
    for (int column = 0, part = 0; column < grid->columns; column++) {
        const float share = find_on_line(divider, start, column, grid, &part);
        set_on_line(divider, part, share, grid->positions[first + column]);
        const Crossing *left = &divider->line.edges[part], *right = left + 1;
        grid->sources[first + column] =
            (AssetGridSource){.places = {left->from, left->to, right->from, right->to},
                              .shares = {(1.0f - share) * (1.0f - left->share), (1.0f - share) * left->share,
                                         share * (1.0f - right->share), share * right->share}};
    }
}

// Where a column is on the line: its part, sought from the last one on, and the share of it.
static float find_on_line(const Divider *divider, float start, int column, const AssetGrid *grid, int *part) {
    const Line *line = &divider->line;
    const float length = line->ways[line->count - 1];
    float way = start + length * (float)column / (float)(grid->closed ? grid->columns : grid->columns - 1);
    if (grid->closed) way -= length * floorf(way / length);
    if (way < line->ways[*part]) *part = 0;
    while (*part < line->count - 2 && line->ways[*part + 1] < way) ++*part;
    const float span = line->ways[*part + 1] - line->ways[*part];
    return span > 0.0f ? fminf(fmaxf((way - line->ways[*part]) / span, 0.0f), 1.0f) : 0.0f;
}

static void set_on_line(const Divider *divider, int part, float share, float out_point[3]) {
    glm_vec3_lerp(divider->line.points[part], divider->line.points[part + 1], share, out_point);
}

// Where the line is farthest back: least z.
static float back_of(const Divider *divider) {
    int back = 0;
    for (int i = 1; i < divider->line.count; i++)
        if (divider->line.points[i][2] < divider->line.points[back][2]) back = i;
    return divider->line.ways[back];
}

// So that the columns are as near as they can be to those of the row above: searched ever more finely.
static float start_below(const Divider *divider, int first, const AssetGrid *grid) {
    const float length = divider->line.ways[divider->line.count - 1];
    float best = INFINITY, start = 0.0f, step = length / (float)COARSE;
    for (int round = 0; round < 3; round++, step /= FINER) {
        const float middle = start;
        const int most = round == 0 ? COARSE / 2 : FINER;
        for (int n = -most; n <= most; n++) {
            float cost = 0.0f;
            for (int column = 0, part = 0; column < grid->columns; column++) {
                vec3 at;
                const float share = find_on_line(divider, middle + step * (float)n, column, grid, &part);
                set_on_line(divider, part, share, at);
                cost += glm_vec3_distance2(at, grid->positions[first - grid->columns + column]);
            }
            if (cost >= best) continue;
            best = cost;
            start = middle + step * (float)n;
        }
    }
    return start;
}
