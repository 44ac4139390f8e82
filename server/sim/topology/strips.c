// Cuts the topology of a whole grid into strips, looking up every number for each strip. Elements across a
// border belong to the strip on its left; in an open garment those on the right of the last strip are
// infinitely soft, or have no area.
#include "topology/strips.h"

#include "sim/rig.h"

#include <math.h>
#include <string.h>

#define LEAST_PARTICLES  4096
#define LEAST_OF_SPRINGS 1024 // particles of a net of springs, which takes many steps in a substep
#define LEAST_WIDTH      3    // columns: a bending element then meets each column of the strips once

typedef struct Cut {
    SimArena *arena;
    const SimTopology *whole;
    SimTopology *strips;
    int width; // columns of a strip
} Cut;

// Links of one particle follow one another closely: first[p] is the first link whose leftmost end is p.
typedef struct Ends {
    int *first; // [particle_count + 1]
    int *links; // [link_count]
} Ends;

static bool divides(bool mass_spring, int rows, int columns);
static void cut_particles(const Cut *cut);
static float *cut_numbers(const Cut *cut, const float *numbers, int rows);
static float *take(const Cut *cut, size_t count);
static void cut_lines(const Cut *cut);
static float *cut_between(const Cut *cut, const float *numbers, int rows, float none);
static void cut_links(const Cut *cut, const SimLinks *whole, float none, SimLinks *strips);
static Ends sort_links(const Cut *cut, const SimLinks *links);
static int leftmost(const SimTopology *whole, int a, int b);
static bool is_in_strip_1(const Cut *cut, int particle);
static int name_of(const Cut *cut, int particle);
static int find_link(const Cut *cut, const SimLinks *links, const Ends *ends, int a, int b);
static int in_strip(const Cut *cut, int particle, int strip);
static void cut_bends(const Cut *cut);
static int find_bend(const Cut *cut, const int *of_middle, int x0, int x1);
static void cut_virtuals(const Cut *cut);

bool sim_strips_fit(const SimTopology *whole) {
    if (whole->face_count > 0 || whole->backstop || !divides(whole->mass_spring, whole->rows, whole->columns))
        return false;
    for (int p = 0; p < whole->particle_count; p++)
        if (whole->pinned[p] != whole->pinned[p - p % whole->columns]) return false;
    const int links = whole->closed ? whole->columns : whole->columns - 1;
    for (int link = 0; link < whole->rows * links; link++)
        if (whole->row_length[link] <= 0.0f) return false; // a slit
    return true;
}

bool sim_garment_is_divisible(const SimGarmentDef *garment, int columns) {
    return garment->kind == SIM_GARMENT_CLOTH && !garment->faces && garment->slit_count == 0 &&
           garment->self_collision <= 0.0f &&
           divides(garment->solver == SIM_SOLVER_MASS_SPRING, garment->rows, columns);
}

bool sim_strips_build(SimArena *arena, const SimTopology *whole, SimTopology *out_strips) {
    *out_strips = (SimTopology){.rows = whole->rows,
                                .columns = whole->columns / SIM_LANES,
                                .particle_count = whole->particle_count / SIM_LANES,
                                .closed = whole->closed,
                                .alan_wake_collision = whole->alan_wake_collision,
                                .alan_wake_hard = whole->alan_wake_hard,
                                .has_max_distance = whole->has_max_distance,
                                .max_distances_given = whole->max_distances_given,
                                .has_pose = whole->has_pose,
                                .pose_damping = whole->pose_damping,
                                .mass_spring = whole->mass_spring,
                                .sweeps = whole->sweeps,
                                .limit_sweeps = whole->limit_sweeps,
                                .most_thickness_fixed = whole->most_thickness_fixed,
                                .most_thickness_scaled = whole->most_thickness_scaled,
                                .colliders = whole->colliders,
                                .virtual_colliders = whole->virtual_colliders,
                                .collider_count = whole->collider_count};
    const Cut cut = {arena, whole, out_strips, out_strips->columns};
    cut_particles(&cut);
    cut_lines(&cut);
    cut_links(&cut, &whole->links, INFINITY, &out_strips->links);
    cut_links(&cut, &whole->springs, 0.0f, &out_strips->springs);
    cut_bends(&cut);
    cut_virtuals(&cut);
    return !arena->failed;
}

static bool divides(bool mass_spring, int rows, int columns) {
    return rows * columns >= (mass_spring ? LEAST_OF_SPRINGS : LEAST_PARTICLES) && columns % SIM_LANES == 0 &&
           columns / SIM_LANES >= LEAST_WIDTH;
}

static void cut_particles(const Cut *cut) {
    const SimTopology *whole = cut->whole;
    SimTopology *strips = cut->strips;
    strips->pinned = sim_arena_alloc(cut->arena, (size_t)strips->particle_count, 1);
    strips->edge = sim_arena_alloc(cut->arena, (size_t)strips->particle_count, 1);
    strips->inverse_area = cut_numbers(cut, whole->inverse_area, whole->rows);
    strips->max_distance_fixed = cut_numbers(cut, whole->max_distance_fixed, whole->rows);
    strips->max_distance_scaled = cut_numbers(cut, whole->max_distance_scaled, whole->rows);
    strips->pose_frequency = cut_numbers(cut, whole->pose_frequency, whole->rows);
    strips->damping_scaled = cut_numbers(cut, whole->damping_scaled, whole->rows);
    strips->thickness_fixed = cut_numbers(cut, whole->thickness_fixed, whole->rows);
    strips->thickness_scaled = cut_numbers(cut, whole->thickness_scaled, whole->rows);
    for (int p = 0; !cut->arena->failed && p < strips->particle_count; p++) {
        int first = p / cut->width * whole->columns + p % cut->width;
        int last = first + whole->columns - cut->width;
        strips->pinned[p] = whole->pinned[first];
        bool inner = whole->edge[first + cut->width];
        strips->edge[p] = inner                ? SIM_EDGE_YES
                          : whole->edge[first] ? SIM_EDGE_FIRST_STRIP
                          : whole->edge[last]  ? SIM_EDGE_LAST_STRIP
                                               : SIM_EDGE_NO;
    }
}

// A number per particle, or per place of the same shape; NULL stays so.
static float *cut_numbers(const Cut *cut, const float *numbers, int rows) {
    if (!numbers) return NULL;
    float *out = take(cut, (size_t)(rows * cut->width));
    for (int i = 0; out && i < rows * cut->whole->columns; i++) {
        int row = i / cut->whole->columns, column = i % cut->whole->columns;
        out[(row * cut->width + column % cut->width) * SIM_LANES + column / cut->width] = numbers[i];
    }
    return out;
}

static float *take(const Cut *cut, size_t count) {
    return sim_arena_alloc(cut->arena, count, SIM_LANES * sizeof(float));
}

static void cut_lines(const Cut *cut) {
    const SimTopology *whole = cut->whole;
    SimTopology *strips = cut->strips;
    strips->row_length = cut_between(cut, whole->row_length, whole->rows, 0.0f);
    strips->row_compliance = cut_between(cut, whole->row_compliance, whole->rows, INFINITY);
    strips->column_length = cut_numbers(cut, whole->column_length, whole->rows - 1);
    strips->column_compliance = cut_numbers(cut, whole->column_compliance, whole->rows - 1);
    strips->quad_area = cut_between(cut, whole->quad_area, whole->rows - 1, 0.0f);
    strips->quad_edge = cut_between(cut, whole->quad_edge, whole->rows - 1, 0.0f);
    if (whole->quad_wind) strips->quad_wind = cut_between(cut, whole->quad_wind, whole->rows - 1, 0.0f);
}

// A number per link or quad of a row, of which an open row has one less than columns.
static float *cut_between(const Cut *cut, const float *numbers, int rows, float none) {
    int links = cut->whole->closed ? cut->whole->columns : cut->whole->columns - 1;
    float *out = take(cut, (size_t)(rows * cut->width));
    for (int i = 0; out && i < rows * cut->whole->columns; i++) {
        int row = i / cut->whole->columns, column = i % cut->whole->columns;
        out[(row * cut->width + column % cut->width) * SIM_LANES + column / cut->width] =
            column < links ? numbers[row * links + column] : none;
    }
    return out;
}

// A link that a strip lacks has the factor `none`, with which it exerts no force.
static void cut_links(const Cut *cut, const SimLinks *whole, float none, SimLinks *strips) {
    Ends ends = sort_links(cut, whole);
    size_t most = (size_t)(whole->count / SIM_LANES + 6 * cut->whole->rows);
    *strips = (SimLinks){.ends = sim_arena_alloc(cut->arena, most, sizeof *strips->ends),
                         .kind = sim_arena_alloc(cut->arena, most, 1),
                         .length = take(cut, most),
                         .factor = take(cut, most)};
    for (int i = 0; !cut->arena->failed && i < whole->count; i++) {
        int a = whole->ends[i][0], b = whole->ends[i][1];
        if (!is_in_strip_1(cut, leftmost(cut->whole, a, b))) continue;
        int place = strips->count++;
        // The end in the next strip is the second. Which is which makes no difference to a link.
        int first = name_of(cut, a) & SIM_RIGHT ? b : a, second = first == a ? b : a;
        strips->ends[place][0] = name_of(cut, first);
        strips->ends[place][1] = name_of(cut, second);
        strips->kind[place] = whole->kind[i];
        for (int strip = 0; strip < SIM_LANES; strip++) {
            int found = find_link(cut, whole, &ends, in_strip(cut, a, strip), in_strip(cut, b, strip));
            strips->length[place * SIM_LANES + strip] = found < 0 ? 0.0f : whole->length[found];
            strips->factor[place * SIM_LANES + strip] = found < 0 ? none : whole->factor[found];
        }
    }
}

static Ends sort_links(const Cut *cut, const SimLinks *links) {
    const SimTopology *whole = cut->whole;
    Ends ends = {sim_arena_alloc(cut->arena, (size_t)whole->particle_count + 2, sizeof(int)),
                 sim_arena_alloc(cut->arena, (size_t)links->count + 1, sizeof(int))};
    if (cut->arena->failed) return ends;
    for (int i = 0; i < links->count; i++)
        ends.first[leftmost(whole, links->ends[i][0], links->ends[i][1]) + 2]++;
    for (int p = 2; p <= whole->particle_count + 1; p++) ends.first[p] += ends.first[p - 1];
    for (int i = 0; i < links->count; i++)
        ends.links[ends.first[leftmost(whole, links->ends[i][0], links->ends[i][1]) + 1]++] = i;
    return ends;
}

// The end of a link that lies further left; of a ring, where the columns are near the wrap, further right.
static int leftmost(const SimTopology *whole, int a, int b) {
    int column_a = a % whole->columns, column_b = b % whole->columns;
    bool wraps = column_a - column_b > whole->columns / 2 || column_b - column_a > whole->columns / 2;
    return (column_a <= column_b) != wraps ? a : b;
}

static bool is_in_strip_1(const Cut *cut, int particle) {
    return particle % cut->whole->columns / cut->width == 1;
}

// Its name for the kernel.
static int name_of(const Cut *cut, int particle) {
    int row = particle / cut->whole->columns, column = particle % cut->whole->columns - cut->width;
    int side = column < 0 ? SIM_LEFT : column >= cut->width ? SIM_RIGHT : 0;
    return (row * cut->width + (column + cut->width) % cut->width) | side;
}

// The link between two particles; -1 where there is none.
static int find_link(const Cut *cut, const SimLinks *links, const Ends *ends, int a, int b) {
    if (a < 0 || b < 0) return -1;
    int p = leftmost(cut->whole, a, b);
    for (int i = ends->first[p]; i < ends->first[p + 1]; i++) {
        const int *found = links->ends[ends->links[i]];
        if (found[0] == a && found[1] == b) return ends->links[i];
    }
    return -1;
}

// A particle of strip 1, seen from strip 1, in strip `strip` of the whole; -1 where there is none.
static int in_strip(const Cut *cut, int particle, int strip) {
    int columns = cut->whole->columns, column = particle % columns + (strip - 1) * cut->width;
    if (!cut->whole->closed && (column < 0 || column >= columns)) return -1;
    return particle - particle % columns + (column + columns) % columns;
}

static void cut_bends(const Cut *cut) {
    const SimBends *whole = &cut->whole->bends;
    SimBends *strips = &cut->strips->bends;
    size_t most = 2 * (size_t)cut->strips->particle_count;
    int *of_middle = sim_arena_alloc(cut->arena, 2 * (size_t)cut->whole->particle_count, sizeof(int));
    *strips = (SimBends){.particles = sim_arena_alloc(cut->arena, most, sizeof *strips->particles),
                         .compliance = take(cut, most),
                         .curvature = sim_arena_alloc(cut->arena, most, 3 * SIM_LANES * sizeof(float))};
    for (int i = 0; !cut->arena->failed && i < whole->count; i++) {
        int *of = &of_middle[2 * whole->particles[i][1]];
        of[of[0] ? 1 : 0] = i + 1;
    }
    for (int i = 0; !cut->arena->failed && i < whole->count; i++) {
        const int *particles = whole->particles[i];
        if (!is_in_strip_1(cut, particles[1])) continue;
        int place = strips->count++;
        for (int k = 0; k < 5; k++) strips->particles[place][k] = name_of(cut, particles[k]);
        float *curvature = (float *)strips->curvature + (size_t)place * 3 * SIM_LANES;
        for (int strip = 0; strip < SIM_LANES; strip++) {
            int found = find_bend(cut, of_middle, in_strip(cut, particles[0], strip),
                                  in_strip(cut, particles[1], strip));
            strips->compliance[place * SIM_LANES + strip] = found < 0 ? INFINITY : whole->compliance[found];
            // At an open edge the way across is measured on one side only, which a strip cannot: there the
            // cloth bends as if it were flat at rest.
            bool one_sided = found >= 0 && (in_strip(cut, particles[3], strip) < 0 ||
                                            in_strip(cut, particles[4], strip) < 0);
            for (int axis = 0; axis < 3 && found >= 0 && !one_sided; axis++)
                curvature[axis * SIM_LANES + strip] = whole->curvature[found][axis];
        }
    }
}

// The bending element about a particle, weft or warp; -1 where there is none. Elements are found by their
// middle and first particle.
static int find_bend(const Cut *cut, const int *of_middle, int x0, int x1) {
    if (x0 < 0 || x1 < 0) return -1;
    for (int i = 0; i < 2; i++) {
        int found = of_middle[2 * x1 + i] - 1;
        if (found >= 0 && cut->whole->bends.particles[found][0] == x0) return found;
    }
    return -1;
}

static void cut_virtuals(const Cut *cut) {
    const SimTopology *whole = cut->whole;
    SimTopology *strips = cut->strips;
    size_t most = (size_t)(whole->virtual_count / SIM_LANES + 3 * whole->rows);
    strips->virtuals = sim_arena_alloc(cut->arena, most, sizeof *strips->virtuals);
    for (int i = 0; !cut->arena->failed && i < whole->virtual_count; i++) {
        const SimVirtual *point = &whole->virtuals[i];
        if (!is_in_strip_1(cut, point->particles[0])) continue;
        SimVirtual *out = &strips->virtuals[strips->virtual_count++];
        *out = *point;
        for (int k = 0; k < point->count; k++) out->particles[k] = name_of(cut, point->particles[k]);
    }
}
