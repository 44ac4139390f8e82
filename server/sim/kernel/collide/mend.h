// Rows of garments that fold. In a deep crouch the waist and the references below it are in the thighs. There
// max distances and bodies can leave neighbours in a row only places on different sides of a limb, and the
// row tears. So torn rows are mended: some places of each particle on the sphere of its link are joined to
// the row that costs least (Viterbi's algorithm), again and again ever closer to the best so far; first
// within the max distances and outside of the bodies, then also beyond them and pressed into bodies. Lengths
// stay exact, the row stops, and what gives way is counted. Large grids that are cut into strips, and those
// of more than MEND_COLUMNS columns, are not mended.
#pragma once

#include "kernel/collide/fused_particle.h"

#define WEFT_MOST   1.5f // of its length: the limit of weft links
#define FOLDED_MOST 1.3f // where garments fold

LANES_INLINE int row_links(const SimTopology *topology) {
    return topology->closed ? topology->columns : topology->columns - 1;
}

// Lanes in which the garment folds (find_folds).
LANES_INLINE mask folded_lanes(const SimKernelJob *job) {
    return more(in_lanes(*job->state->folded), splat(0.5f));
}

// The limit of a link of a row to the neighbour at one end. Closed seams are exempt.
LANES_INLINE WeftLimit weft_limit(const SimKernelJob *job, places neighbour, places link) {
    const mask folded = folded_lanes(job);
    lanes length = wide_there(job->topology->row_length, link);
    lanes most = length * (select_lanes(folded, splat(FOLDED_MOST), splat(WEFT_MOST)) + job->fabric->limit);
    mask holds = more(length, (lanes){0}) & less(in_lanes(*job->state->sewn), splat(0.5f));
    return (WeftLimit){at3(job->state->position, neighbour), select_lanes(holds, most, splat(1e6f))};
}

#ifndef SIM_STRIPS

#define FOLD_ROWS    3      // from the top, whose references tell whether the garment folds:
#define FOLD_DEPTH   35e-3f // m that one is in a body then
#define MEND_COLUMNS 64

// Finds the lanes in which the garment folds at the end of the tick.
static void find_folds(const SimKernelJob *job) {
    static const NearColliders all = {.count = -1};
    const SimTopology *topology = job->topology;
    const SimSubstep *last = &job->substeps[job->substep_count - 1];
    const int rows = topology->rows < FOLD_ROWS ? topology->rows : FOLD_ROWS;
    const int count = rows * topology->columns;
    lanes deep = {0};
    if (topology->columns < 2 || topology->columns > MEND_COLUMNS || topology->face_count > 0) return;
    for (int i = 0; i < batches_of(count); i++) {
        const places p = batch_among(count, i);
        deep = maximum(deep, deepest(job, last, &all, own3(job->state->reference1, p)));
    }
    *job->state->folded =
        once(select_lanes(more(greatest(deep), splat(FOLD_DEPTH)), splat(1.0f), (lanes){0}));
}

#endif

#if !defined(SIM_STRIPS) && !defined(SIM_ALONE)

#define PRESSED   4.5e-3f // m that cloth may be pressed into bodies
#define WEFT_SURE 1.001f  // of the limit: surely beyond

enum { MEND_PLACES = 16 };

// Where places are looked for. Later stages are for rows that are still torn.
typedef struct MendStage {
    float spread; // of the places about the present one, in lengths of the link
    int pressed;  // of this many places, one is pressed into bodies
    bool within;  // the max distance holds
} MendStage;

static const MendStage mend_stages[] = {{0.25f, MEND_PLACES, true}, {0.12f, 2, false}, {1.5f, 1, false},
                                        {0.7f, 1, false},           {0.3f, 2, false},  {0.12f, 2, false},
                                        {1.0f, 1, false},           {0.5f, 1, false},  {0.2f, 2, false}};
#define MEND_OFTEN 2 // so many stages in every substep, the others in the last of a tick

// From the middle of a cube to its faces and corners.
static const float mend_ways[MEND_PLACES - 2][3] = {
    {1.0f, 0.0f, 0.0f},      {-1.0f, 0.0f, 0.0f},     {0.0f, 1.0f, 0.0f},     {0.0f, -1.0f, 0.0f},
    {0.0f, 0.0f, 1.0f},      {0.0f, 0.0f, -1.0f},     {0.58f, 0.58f, 0.58f},  {-0.58f, 0.58f, 0.58f},
    {0.58f, -0.58f, 0.58f},  {-0.58f, -0.58f, 0.58f}, {0.58f, 0.58f, -0.58f}, {-0.58f, 0.58f, -0.58f},
    {0.58f, -0.58f, -0.58f}, {-0.58f, -0.58f, -0.58f}};

// Costs. Each outweighs those below it in a whole row.
#define COST_DEEP 1e4f // deeper than pressed
#define COST_TORN 1e3f
#define COST_WAY  1.0f // pressed, and beyond the max distance, each

// Of each particle of a row: its places, the least cost of the row up to there, and the place of the particle
// before at which that comes.
typedef struct Mending {
    const SimKernelJob *job;
    const SimSubstep *substep;
    int row;                       // its first particle
    int first;                     // column where it begins: in a ring, the middle one
    lanes3 *start;                 // where the particles were at the start of the substep
    lanes3 torn_row[MEND_COLUMNS]; // where they are before mending
    mask torn;                     // lanes
    lanes3 place[MEND_COLUMNS][MEND_PLACES];
    lanes cost[MEND_COLUMNS][MEND_PLACES], from[MEND_COLUMNS][MEND_PLACES];
} Mending;

// Keeps where the particles of a row were at the start of the substep.
LANES_INLINE void keep_starts(const SimKernelJob *job, int row) {
    const SimGarmentState *state = job->state;
    lanes3 *start = (lanes3 *)state->line; // rows and columns are solved
    for (int k = 0; k < job->topology->columns; k++)
        start[k] = mad3(state->predicted[row + k], state->velocity[row + k], splat(-job->h));
}

LANES_INLINE WeftLimit limit_from(const SimKernelJob *job, int row, int column) {
    const SimTopology *topology = job->topology;
    return weft_limit(job, row + column, row / topology->columns * row_links(topology) + column);
}

// Lanes in which the link of a row on the right of a column is longer than its limit, at those positions.
LANES_INLINE mask torn_link(const SimKernelJob *job, const lanes3 *x, int row, int column) {
    const lanes most = limit_from(job, row, column).length * WEFT_SURE;
    const lanes3 way = sub3(x[row + (column + 1) % job->topology->columns], x[row + column]);
    return more(dot3(way, way), most * most);
}

LANES_INLINE mask torn_lanes(const SimKernelJob *job, int row) {
    mask torn = {0};
    for (int k = 0; k < row_links(job->topology); k++) torn |= torn_link(job, job->state->position, row, k);
    return torn & folded_lanes(job) & ~calm_mask(job);
}

// The colliders that reach into the sphere of a link.
LANES_INLINE void find_near_link(const SimKernelJob *job, const SimSubstep *substep, const LinkSphere *sphere,
                                 NearColliders *near) {
    near->count = 0;
    near->centre = sphere->centre;
    set_radius(job, sphere->radius * sphere->radius, near);
    list_near(job, substep, job->topology->colliders, UINT32_MAX, near);
}

LANES_INLINE lanes place_cost(const Mending *mending, const NearColliders *near, int column, lanes length,
                              lanes3 p) {
    const SimKernelJob *job = mending->job;
    const lanes inverse = 1.0f / length, depth = deepest(job, mending->substep, near, p);
    const lanes beyond = maximum(beyond_distance(job, mending->row + column, p), (lanes){0});
    const lanes3 moved = scale3(sub3(p, mending->start[column]), inverse);
    return select_lanes(more(depth, splat(PRESSED + CONFLICT_TOLERANCE)), splat(COST_DEEP), (lanes){0}) +
           select_lanes(more(depth, splat(CONFLICT_TOLERANCE)), splat(COST_WAY), (lanes){0}) +
           select_lanes(more(beyond, splat(CONFLICT_TOLERANCE)), splat(COST_WAY), (lanes){0}) +
           (depth + 0.1f * beyond) * inverse + 0.1f * dot3(moved, moved);
}

// Finds places of a particle: the present one, that at the start of the substep, and places about the present
// one.
static void find_places(Mending *mending, int column, const MendStage *stage) {
    const SimKernelJob *job = mending->job;
    const int particle = mending->row + column;
    const lanes3 x = job->state->position[particle];
    LinkSphere sphere = link_sphere(job, particle, particle - job->topology->columns);
    NearColliders near;
    find_near_link(job, mending->substep, &sphere, &near);
    sphere.active = mending->torn;
    for (int i = 0; i < MEND_PLACES; i++) {
        lanes3 p = i == 1 ? mending->start[column] : x;
        for (int axis = 0; i > 1 && axis < 3; axis++)
            ((lanes *)&p)[axis] += sphere.radius * (stage->spread * mend_ways[i - 2][axis]);
        p = onto_sphere(&sphere, p);
        sphere.thickness = splat(i % stage->pressed == 0 ? -PRESSED : 0.0f);
        solve_caps(job, mending->substep, &near, &sphere, particle, stage->within, &p);
        mending->place[column][i] = p;
        mending->cost[column][i] = place_cost(mending, &near, column, sphere.radius, p);
    }
}

// The cost of a weft link between two places.
LANES_INLINE lanes link_cost(lanes most, lanes3 a, lanes3 b) {
    const lanes3 way = sub3(b, a);
    const lanes share = dot3(way, way) / (most * most);
    return select_lanes(more(share, splat(1.0f)), COST_TORN * share, 0.01f * share);
}

// Adds to the cost of each place of a column that of the best way to it.
static void join_places(Mending *mending, int before, int column, bool closes) {
    const lanes most = limit_from(mending->job, mending->row, before).length;
    const lanes closing = limit_from(mending->job, mending->row, column).length;
    for (int i = 0; i < MEND_PLACES; i++) {
        const lanes3 place = mending->place[column][i];
        lanes best = splat(HUGE_VALF), from = {0};
        for (int k = 0; k < MEND_PLACES; k++) {
            lanes cost = mending->cost[before][k] + link_cost(most, mending->place[before][k], place);
            from = select_lanes(less(cost, best), splat((float)k), from);
            best = minimum(best, cost);
        }
        if (closes) best += link_cost(closing, place, mending->place[mending->first][0]);
        mending->cost[column][i] += best;
        mending->from[column][i] = from;
    }
}

// Moves the particles to the places of the row that costs least. Returns lanes in which it is still torn.
static mask take_places(const Mending *mending) {
    const int columns = mending->job->topology->columns;
    lanes3 *x = mending->job->state->position + mending->row;
    lanes best = splat(HUGE_VALF), taken = {0};
    for (int i = columns - 1; i >= 0; i--) {
        const int column = (mending->first + i) % columns;
        lanes from = {0};
        for (int k = 0; i == columns - 1 && k < MEND_PLACES; k++) {
            taken = select_lanes(less(mending->cost[column][k], best), splat((float)k), taken);
            best = minimum(best, mending->cost[column][k]);
        }
        for (int k = 0; k < MEND_PLACES; k++) {
            const mask here = mending->torn & less(absolute(taken - (float)k), splat(0.5f));
            x[column] = select3(here, mending->place[column][k], x[column]);
            from = select_lanes(here, mending->from[column][k], from);
        }
        taken = from;
    }
    return mending->torn & more(best, splat(COST_TORN));
}

// Stops the row where it is mended, and counts its particles for which not everything holds. torn: lanes in
// which it was; conflicts: counted before the row.
LANES_INLINE void stop_row(const Mending *mending, mask torn, lanes conflicts) {
    static const NearColliders all = {.count = -1};
    const SimKernelJob *job = mending->job;
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const mask mended = torn & ~mending->torn;
    for (int k = 0; k < topology->columns; k++) {
        const int p = mending->row + k;
        if (topology->pinned[p]) continue;
        const LinkSphere sphere = link_sphere(job, p, p - topology->columns);
        mask conflict = unsolved(job, mending->substep, &all, &sphere, p, state->position[p]);
        if (k < row_links(topology)) conflict |= torn_link(job, state->position, mending->row, k);
        conflicts += select_lanes(conflict, splat(1.0f), (lanes){0});
        state->velocity[p] = select3(mended, zero3(), state->velocity[p]);
        state->predicted[p] = select3(mended, state->position[p], state->predicted[p]);
    }
    *state->conflicts = select_lanes(torn, conflicts, *state->conflicts);
}

// Mends a row in lanes in which it is torn. A ring keeps its place in the middle column. A row that is still
// torn at the end of a tick is left as it was.
static __attribute__((noinline)) void mend_row(const SimKernelJob *job, const SimSubstep *substep, int row,
                                               lanes conflicts) {
    const SimTopology *topology = job->topology;
    const int columns = topology->columns;
    const mask torn = torn_lanes(job, row);
    if (!any(torn)) return;
    Mending mending;
    mending.job = job, mending.substep = substep, mending.row = row, mending.torn = torn;
    mending.first = topology->closed ? columns / 2 : 0;
    mending.start = (lanes3 *)job->state->line;
    for (int k = 0; k < columns; k++) mending.torn_row[k] = job->state->position[row + k];
    const bool last = substep == &job->substeps[job->substep_count - 1];
    const int stages = last ? (int)(sizeof mend_stages / sizeof mend_stages[0]) : MEND_OFTEN;
    for (int stage = 0; stage < stages && any(mending.torn); stage++) {
        for (int i = 0; i < columns; i++) {
            const int column = (mending.first + i) % columns;
            const bool stays = topology->pinned[row + column] || (topology->closed && i == 0);
            for (int k = 0; stays && k < MEND_PLACES; k++) {
                mending.place[column][k] = job->state->position[row + column];
                mending.cost[column][k] = (lanes){0};
            }
            if (!stays) find_places(&mending, column, &mend_stages[stage]);
            if (i > 0)
                join_places(&mending, (column + columns - 1) % columns, column,
                            topology->closed && i == columns - 1);
        }
        mending.torn = take_places(&mending);
    }
    if (!last) mending.torn = (mask){0};
    for (int k = 0; k < columns; k++) {
        lanes3 *x = &job->state->position[row + k];
        *x = select3(mending.torn | stays_mask(job, row + k), mending.torn_row[k], *x);
    }
    stop_row(&mending, torn, conflicts);
}

#endif
