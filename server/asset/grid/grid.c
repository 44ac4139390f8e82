// Orders quads into rows and columns: from the side on top, row by row down.
#include "asset/grid.h"

#include "data.h"
#include "grid/quads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct GridFinder {
    const AssetGridDef *def;
    GridSurface surface;
    int (*quads)[4]; // [quad_count]
    int quad_count;
    GridEdge *edges;  // [4 * quad_count] sorted
    int *faces;       // [place_count] how many quads meet at each place
    int (*beside)[2]; // [place_count] the neighbours along the open edge; -1: none
    int *loop;        // [loop_count] places of the open edge on top, in order
    int loop_count;
    int first, last; // of the top row in `loop`
    bool closed;
    float height;   // its mean, m
    bool *traced;   // [place_count]
    bool *used;     // [quad_count]
    int *particles; // [place_count] the places row by row
    int rows, columns;
    int turned; // quads that are seen from inside, less those seen from outside
} GridFinder;

static bool find_quads(GridFinder *finder, AssetError *out_error);
static bool find(GridFinder *finder, AssetError *out_error);
static bool allocate(GridFinder *finder, AssetError *out_error);
static bool list_open_edges(GridFinder *finder, AssetError *out_error);
static bool is_regular(const GridFinder *finder, AssetError *out_error);
static bool choose_top(GridFinder *finder, AssetError *out_error);
static int try_loop(GridFinder *finder, int from);
static int list_corners(const GridFinder *finder, const int *loop, int count, int out_corners[5]);
static bool lay_rows(GridFinder *finder, AssetError *out_error);
static bool lay_row(GridFinder *finder, const int *row, int *below);
static const GridEdge *unused_quad(const GridFinder *finder, int from, int to);
static void order_columns(GridFinder *finder);

bool asset_grid_find(const AssetGridDef *def, AssetGrid *grid, AssetError *out_error) {
    GridFinder finder = {.def = def};
    *grid = (AssetGrid){0};
    bool done = grid_surface_find(&finder.surface, def, ASSET_MOST_GRID_PARTICLES, out_error) &&
                find_quads(&finder, out_error) && allocate(&finder, out_error) && find(&finder, out_error);
    if (done) {
        const size_t particle_count = (size_t)finder.rows * (size_t)finder.columns;
        int *particle_at = calloc((size_t)finder.surface.place_count, sizeof *particle_at);
        grid->rows = finder.rows;
        grid->columns = finder.columns;
        grid->closed = finder.closed;
        grid->positions = malloc(particle_count * sizeof *grid->positions);
        grid->place_count = finder.rows * finder.columns;
        grid->place_of = malloc((size_t)def->vertex_count * sizeof *grid->place_of);
        done = particle_at && grid->positions && grid->place_of;
        for (size_t i = 0; done && i < particle_count; i++) {
            memcpy(grid->positions[i], grid_place(&finder.surface, finder.particles[i]),
                   sizeof *grid->positions);
            particle_at[finder.particles[i]] = (int)i;
        }
        for (int i = 0; done && i < def->vertex_count; i++)
            grid->place_of[i] = particle_at[finder.surface.place_of[i]];
        if (!done) asset_fail(out_error, "out of memory");
        free(particle_at);
    }
    grid_surface_finish(&finder.surface);
    free(finder.quads);
    free(finder.edges);
    free(finder.faces);
    free(finder.beside);
    free(finder.loop);
    free(finder.traced);
    free(finder.used);
    free(finder.particles);
    return done;
}

void asset_grid_finish(AssetGrid *grid) {
    free(grid->positions);
    free(grid->place_of);
    free(grid->sources);
    *grid = (AssetGrid){0};
}

static bool find_quads(GridFinder *finder, AssetError *out_error) {
    finder->quads = malloc((size_t)finder->surface.triangle_count * sizeof *finder->quads);
    if (!finder->quads) return asset_fail(out_error, "out of memory");
    finder->quad_count = grid_quads_find(&finder->surface, finder->quads, out_error);
    return finder->quad_count >= 0;
}

static bool find(GridFinder *finder, AssetError *out_error) {
    if (!list_open_edges(finder, out_error) || !is_regular(finder, out_error) ||
        !choose_top(finder, out_error) || !lay_rows(finder, out_error))
        return false;
    order_columns(finder);
    return true;
}

static bool allocate(GridFinder *finder, AssetError *out_error) {
    const size_t places = (size_t)finder->surface.place_count, quads = (size_t)finder->quad_count;
    finder->edges = malloc(4 * quads * sizeof *finder->edges);
    finder->faces = calloc(places, sizeof *finder->faces);
    finder->beside = malloc(places * sizeof *finder->beside);
    finder->loop = malloc(places * sizeof *finder->loop);
    finder->traced = calloc(places, sizeof *finder->traced);
    finder->used = calloc(quads, sizeof *finder->used);
    finder->particles = malloc(places * sizeof *finder->particles);
    if (!finder->edges || !finder->faces || !finder->beside || !finder->loop || !finder->traced ||
        !finder->used || !finder->particles)
        return asset_fail(out_error, "out of memory");
    return true;
}

static bool list_open_edges(GridFinder *finder, AssetError *out_error) {
    const int count = 4 * finder->quad_count;
    grid_edges_list(finder->edges, finder->quads[0], finder->quad_count, 4);
    for (int i = 0; i < count; i++) finder->faces[finder->quads[i / 4][i % 4]]++;
    return grid_edges_open(&finder->surface, finder->edges, count, finder->beside, out_error);
}

// Inside a grid four quads meet; along its sides two, at its corners one.
static bool is_regular(const GridFinder *finder, AssetError *out_error) {
    for (int i = 0; i < finder->surface.place_count; i++) {
        const int count = finder->faces[i];
        const bool is_open = finder->beside[i][0] >= 0;
        if (count == 0) continue; // of no triangle
        if (!is_open && count != 4)
            return grid_fail_at(&finder->surface, i, "a grid, in which 4 quads meet at a vertex", count,
                                out_error);
        if (is_open && count > 2)
            return grid_fail_at(&finder->surface, i,
                                "a grid, in which 1 or 2 quads meet at a vertex of the open edge", count,
                                out_error);
    }
    return true;
}

// A sheet has one loop with four corners, a ring two loops without.
static bool choose_top(GridFinder *finder, AssetError *out_error) {
    int loops = 0, corners = 0;
    finder->height = -INFINITY;
    for (int i = 0; i < finder->surface.place_count; i++) {
        if (finder->beside[i][0] < 0 || finder->traced[i]) continue;
        corners += try_loop(finder, i);
        loops++;
    }
    finder->closed = corners == 0;
    if (loops == 0) return asset_fail(out_error, "expected an open edge to attach, found a closed surface");
    if (!(loops == 1 && corners == 4) && !(loops == 2 && corners == 0))
        return asset_fail(out_error,
                          "expected a grid: one open edge with 4 corners, or a ring, which has two without; "
                          "found %d with %d corners",
                          loops, corners);
    return finder->height > -INFINITY ||
           asset_fail(out_error, "expected all vertices of a side to be pinned, found some free on each");
}

// Takes the highest side of the loop, if it is higher than those before. Returns how many corners it has;
// more than 4 count as 5.
static int try_loop(GridFinder *finder, int from) {
    int *loop = finder->particles; // its memory, until rows are laid
    int corners[5], count = grid_loop_trace((const int(*)[2])finder->beside, from, loop);
    const int corner_count = list_corners(finder, loop, count, corners);
    for (int k = 0; k < count; k++) finder->traced[loop[k]] = true;
    for (int k = 0; k < (corner_count ? corner_count : 1); k++) {
        const int next = k + 1 < corner_count ? k + 1 : 0;
        const int first = corner_count ? corners[k] : 0;
        const int last = corner_count ? corners[next] + (next ? 0 : count) : count - 1;
        const float height = grid_side_height(&finder->surface, loop, count, first, last);
        if (height <= finder->height) continue;
        finder->height = height;
        memcpy(finder->loop, loop, (size_t)count * sizeof *loop);
        finder->loop_count = count;
        finder->first = first;
        finder->last = last;
    }
    return corner_count;
}

// Their indices in the loop; more than 4 are counted as 5.
static int list_corners(const GridFinder *finder, const int *loop, int count, int out_corners[5]) {
    int corners = 0;
    for (int i = 0; i < count && corners < 5; i++)
        if (finder->faces[loop[i]] == 1) out_corners[corners++] = i;
    return corners;
}

static bool lay_rows(GridFinder *finder, AssetError *out_error) {
    const int columns = finder->last - finder->first + 1, most = ASSET_MOST_GRID_ROWS;
    finder->columns = columns;
    finder->rows = (finder->quad_count / (finder->closed ? columns : columns - 1)) + 1;
    if (columns > most || finder->rows > most)
        return asset_fail(out_error, "expected %d rows and columns at most, found %d rows of %d columns",
                          most, finder->rows, columns);
    for (int i = 0; i < columns; i++)
        finder->particles[i] = finder->loop[(finder->first + i) % finder->loop_count];
    for (int row = 1; row < finder->rows; row++)
        if (!lay_row(finder, finder->particles + (row - 1) * columns, finder->particles + row * columns))
            return asset_fail(out_error, "expected a grid, found none below row %d", row - 1);
    return true;
}

// From a row to the next; false where they do not fit.
static bool lay_row(GridFinder *finder, const int *row, int *below) {
    const int columns = finder->columns, last = finder->closed ? columns : columns - 1;
    for (int i = 0; i < last; i++) {
        const int left = row[i], right = row[(i + 1) % columns];
        const GridEdge *edge = unused_quad(finder, left, right);
        if (!edge) return false;
        const int *corners = finder->quads[edge->face];
        const bool is_forward = corners[edge->side] == left; // as seen from inside
        const int next = corners[(edge->side + 2) % 4], before = corners[(edge->side + 3) % 4];
        const int under_left = is_forward ? before : next, under_right = is_forward ? next : before;
        if (i > 0 && below[i] != under_left) return false;
        if (i + 1 == columns && below[0] != under_right) return false;
        below[i] = under_left;
        below[(i + 1) % columns] = under_right;
        finder->used[edge->face] = true;
        finder->turned += is_forward ? 1 : -1;
    }
    return true;
}

static const GridEdge *unused_quad(const GridFinder *finder, int from, int to) {
    const int count = 4 * finder->quad_count;
    const GridEdge sought = {from < to ? from : to, from < to ? to : from, 0, 0};
    const GridEdge *found = bsearch(&sought, finder->edges, (size_t)count, sizeof sought, grid_edges_compare);
    const GridEdge *end = finder->edges + count;
    while (found && found > finder->edges && grid_edges_compare(found - 1, &sought) == 0) found--;
    for (; found && found < end && grid_edges_compare(found, &sought) == 0; found++)
        if (!finder->used[found->face]) return found;
    return NULL;
}

static void order_columns(GridFinder *finder) {
    const int columns = finder->columns;
    int *row = finder->loop, first = 0; // its memory, as long as any row
    float farthest = INFINITY, beside = INFINITY;
    for (int i = 0; i < columns && finder->closed; i++) {
        const float z = roundf(grid_place(&finder->surface, finder->particles[i])[2] * 1e4f);
        const float x = roundf(grid_place(&finder->surface, finder->particles[i])[0] * 1e4f);
        if (z > farthest || (z == farthest && x >= beside)) continue;
        first = i;
        farthest = z;
        beside = x;
    }
    for (int r = 0; r < finder->rows; r++) {
        int *particles = finder->particles + r * columns;
        memcpy(row, particles, (size_t)columns * sizeof *row);
        for (int i = 0; i < columns; i++) {
            const int from = finder->turned <= 0 ? first + i
                             : finder->closed    ? first + columns - i
                                                 : columns - 1 - i;
            particles[i] = row[from % columns];
        }
    }
}
