// The order in which a garment alone is worked on by all lanes: its particles, quads and the waves of the
// fused pass, in batches.
#include "topology/topology.h"

typedef struct Order {
    SimArena *arena, *scratch;
    const SimTopology *topology;
    int lanes;
} Order;

static bool fits(const SimTopology *topology);
static void build(Order order, SimAloneOrder *out);
static void batch_particles(const Order *order, SimBatches *out);
static void batch_quads(const Order *order, SimAloneOrder *out);
static void batch_points(const Order *order, SimAloneOrder *out);
static void batch_links(const Order *order, SimAloneOrder *out);
static int links_together(const Order *order, int first);
static bool shares(const SimLinks *links, int first, int link);
static void batch_bends(const Order *order, SimAloneOrder *out);
static int bends_together(const Order *order, int first);
static bool waits(const SimBends *bends, int first, int element);
static void batch_waves(const Order *order, SimAloneOrder *out);
static int inner_neighbour(const SimTopology *topology, int particle);
static void allocate(const Order *order, int most, SimBatches *out);
static void add(const Order *order, const int *operations, int count, SimBatches *out);
static bool failed(const Order *order);
static int row_links(const SimTopology *topology);

bool sim_alone_order_build(SimArena *arena, SimTopology *topology) {
    static const int lanes[3] = {4, 8, 16};
    if (!fits(topology)) return true;
    SimAloneOrder *orders = sim_arena_alloc(arena, 3, sizeof *orders);
    for (int i = 0; i < 3 && !arena->failed; i++) {
        SimArena scratch = {0};
        build((Order){arena, &scratch, topology, lanes[i]}, &orders[i]);
        arena->failed |= scratch.failed;
        sim_arena_free(&scratch);
    }
    topology->alone = orders;
    return !arena->failed;
}

// Grids whose lines the kernel has room for.
static bool fits(const SimTopology *topology) {
    return topology->face_count == 0 && !topology->mass_spring && topology->columns > 1 &&
           topology->columns <= SIM_ALONE_LONGEST && topology->rows <= SIM_ALONE_LONGEST;
}

static void build(Order order, SimAloneOrder *out) {
    const SimTopology *topology = order.topology;
    out->edges = sim_arena_alloc(order.arena, (size_t)topology->particle_count, sizeof *out->edges);
    if (order.arena->failed) return;
    for (int p = 0; p < topology->particle_count; p++) out->edges[p] = topology->edge[p] ? -1 : 0;
    if (order.lanes == 4) {
        batch_bends(&order, out); // all that is done in fours
        return;
    }
    out->has_bones = topology->bone_count > 0;
    for (int i = 0; i < topology->bone_count; i++)
        out->has_bones &= topology->bones[i].left != topology->bones[i].right;
    batch_particles(&order, &out->particles);
    batch_quads(&order, out);
    batch_points(&order, out);
    batch_links(&order, out);
    batch_waves(&order, out);
}

static void batch_particles(const Order *order, SimBatches *out) {
    const SimTopology *topology = order->topology;
    int *kind = sim_arena_alloc(order->scratch, (size_t)topology->particle_count, sizeof *kind);
    allocate(order, topology->particle_count, out);
    for (int pinned = 0; pinned < 2 && !failed(order); pinned++) {
        int count = 0;
        for (int p = 0; p < topology->particle_count; p++)
            if (topology->pinned[p] == pinned) kind[count++] = p;
        add(order, kind, count, out);
    }
}

static void batch_quads(const Order *order, SimAloneOrder *out) {
    const SimTopology *topology = order->topology;
    const int links = row_links(topology), columns = topology->columns, count = topology->particle_count;
    int *corners[4], *quads[4], *found = sim_arena_alloc(order->scratch, (size_t)count, sizeof *found);
    out->quad_count = (topology->rows - 1) * links;
    for (int k = 0; k < 4; k++) {
        corners[k] = sim_arena_alloc(order->scratch, (size_t)out->quad_count, sizeof *corners[k]);
        quads[k] = sim_arena_alloc(order->scratch, (size_t)count, sizeof *quads[k]);
        allocate(order, out->quad_count, &out->corners[k]);
        allocate(order, count, &out->particle_quads[k]);
    }
    if (failed(order)) return;
    for (int i = 0; i < 4 * count; i++) quads[i / count][i % count] = out->quad_count;
    for (int i = 0; i < 4 * out->quad_count; i++) {
        const int quad = i / 4, k = i % 4;
        const int p = (quad / links + k / 2) * columns + (quad % links + k % 2) % columns;
        corners[k][quad] = p;
        quads[found[p]++][p] = quad;
    }
    for (int k = 0; k < 4; k++) {
        add(order, corners[k], out->quad_count, &out->corners[k]);
        add(order, quads[k], count, &out->particle_quads[k]);
    }
}

static void batch_points(const Order *order, SimAloneOrder *out) {
    const SimTopology *topology = order->topology;
    int *indices = sim_arena_alloc(order->scratch, (size_t)topology->virtual_count, sizeof *indices);
    for (int kind = 0; kind < 2; kind++)
        for (int k = -1; k < (kind ? 4 : 2); k++) {
            SimBatches *batches = k < 0 ? &out->points[kind] : &out->point_particles[kind][k];
            allocate(order, topology->virtual_count, batches);
            if (failed(order)) return;
            int count = 0;
            for (int i = 0; i < topology->virtual_count; i++)
                if (topology->virtuals[i].count == (kind ? 4 : 2))
                    indices[count++] = k < 0 ? i : topology->virtuals[i].particles[k];
            add(order, indices, count, batches);
        }
}

static void batch_links(const Order *order, SimAloneOrder *out) {
    const SimLinks *links = &order->topology->links;
    SimBatches *batches[3] = {&out->links, &out->link_ends[0], &out->link_ends[1]};
    int taken[3][SIM_LANES], needed = 0;
    for (int first = 0; first < links->count; first += links_together(order, first)) needed++;
    for (int k = 0; k < 3; k++) allocate(order, needed * order->lanes, batches[k]);
    for (int first = 0, n = 0; first < links->count && !failed(order); first += n) {
        n = links_together(order, first);
        for (int i = 0; i < n; i++) {
            taken[0][i] = first + i;
            for (int end = 0; end < 2; end++) taken[1 + end][i] = links->ends[first + i][end];
        }
        for (int k = 0; k < 3; k++) add(order, taken[k], n, batches[k]);
    }
}

// How many links from the first on share no particle, and are of one kind.
static int links_together(const Order *order, int first) {
    const SimLinks *links = &order->topology->links;
    int n = 1;
    while (n < order->lanes && first + n < links->count && !shares(links, first, first + n)) n++;
    return n;
}

// Whether a link has a particle of those from `first` on, or is of another kind.
static bool shares(const SimLinks *links, int first, int link) {
    const int *ends = links->ends[link];
    for (int i = first; i < link; i++)
        for (int k = 0; k < 4; k++)
            if (links->ends[i][k / 2] == ends[k % 2]) return true;
    return links->kind[link] != links->kind[first];
}

// The elements are sorted: those that follow each other often share no particle.
static void batch_bends(const Order *order, SimAloneOrder *out) {
    const SimBends *bends = &order->topology->bends;
    int taken[6][SIM_LANES], needed = 0;
    for (int i = 0; i < bends->count; i++)
        if (bends->particles[i][3] == bends->particles[i][4]) return; // the kernel of one lane does it
    for (int first = 0; first < bends->count; first += bends_together(order, first)) needed++;
    for (int k = 0; k < 6; k++)
        allocate(order, needed * order->lanes, k < 5 ? &out->bend_particles[k] : &out->bends);
    for (int first = 0, n = 0; first < bends->count && !failed(order); first += n) {
        n = bends_together(order, first);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 5; k++) taken[k][i] = bends->particles[first + i][k];
            taken[5][i] = first + i;
        }
        for (int k = 0; k < 6; k++) add(order, taken[k], n, k < 5 ? &out->bend_particles[k] : &out->bends);
    }
}

// How many elements from the first on do not wait for each other.
static int bends_together(const Order *order, int first) {
    const SimBends *bends = &order->topology->bends;
    int n = 1;
    while (n < order->lanes && first + n < bends->count && !waits(bends, first, first + n)) n++;
    return n;
}

// Whether an element needs a particle that one of those from `first` on moves.
static bool waits(const SimBends *bends, int first, int element) {
    for (int i = first; i < element; i++)
        for (int k = 0; k < 15; k++)
            if (bends->particles[element][k % 5] == bends->particles[i][k / 5]) return true;
    return false;
}

// Particles of one wave are as far from the first row and the middle column.
static void batch_waves(const Order *order, SimAloneOrder *out) {
    const SimTopology *topology = order->topology;
    const int columns = topology->columns, count = topology->particle_count;
    int *wave = sim_arena_alloc(order->scratch, (size_t)count, sizeof *wave);
    int *taken[3];
    for (int i = 0; i < 3; i++) taken[i] = sim_arena_alloc(order->scratch, (size_t)count, sizeof *taken[i]);
    SimBatches *batches[3] = {&out->waves, &out->inner, &out->inner_links};
    for (int i = 0; i < 3; i++)
        allocate(order, count + order->lanes * (topology->rows + columns), batches[i]);
    if (failed(order)) return;
    int last = 0;
    for (int row = 1; row < topology->rows; row++)
        for (int away = 0; away <= columns / 2; away++)
            for (int side = -1; side <= 1; side += 2) {
                const int column = columns / 2 + side * away, p = row * columns + column;
                if (column < 0 || column >= columns) continue;
                const int inner = inner_neighbour(topology, p), above = wave[p - columns];
                wave[p] = 1 + (inner != p && wave[inner] > above ? wave[inner] : above);
                if (wave[p] > last) last = wave[p];
            }
    for (int w = 1; w <= last; w++) {
        int n = 0;
        for (int p = columns; p < count; p++) {
            if (wave[p] != w || topology->pinned[p]) continue;
            const int inner = inner_neighbour(topology, p), left = inner < p ? inner : p;
            taken[0][n] = p;
            taken[1][n] = inner;
            taken[2][n++] = p / columns * row_links(topology) + left % columns % row_links(topology);
        }
        for (int i = 0; i < 3; i++) add(order, taken[i], n, batches[i]);
    }
}

// The neighbour in the row that is nearer to the middle column; there, the particle itself.
static int inner_neighbour(const SimTopology *topology, int particle) {
    const int column = particle % topology->columns, middle = topology->columns / 2;
    if (column == middle) return particle;
    return column < middle ? particle + 1 : particle - 1;
}

static void allocate(const Order *order, int most, SimBatches *out) {
    const size_t batches = (size_t)(most / order->lanes) + 3;
    out->indices = sim_arena_alloc(order->arena, batches * (size_t)order->lanes, sizeof *out->indices);
}

// Adds batches of independent operations.
static void add(const Order *order, const int *operations, int count, SimBatches *out) {
    for (int first = 0; first < count; first += order->lanes, out->count++)
        for (int lane = 0; lane < order->lanes; lane++)
            out->indices[out->count * order->lanes + lane] =
                operations[first + lane < count ? first + lane : count - 1];
}

static bool failed(const Order *order) {
    return order->arena->failed || order->scratch->failed;
}

static int row_links(const SimTopology *topology) {
    return topology->closed ? topology->columns : topology->columns - 1;
}
