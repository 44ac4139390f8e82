// Builds a garment's topology from its grid as it is cut: links with rest lengths and the geometric part
// of their compliance, bending elements with their rest curvature, masses as areas, chains' pose stiffness
// and angle limits.
#include "core/rotation.h"
#include "topology/regions.h"
#include "topology/springs.h"
#include "topology/surface.h"

#include <string.h>

// A grid with one index a particle; columns wrap in a closed garment.
typedef struct Grid {
    int rows, columns;
    bool closed;
    const float (*x)[3];
    const SimSlit *slits;
    int slit_count;
} Grid;

#define CUT_COMPLIANCE 1e20f // of a row's link in a slit: it exerts no force

static bool allocate_particles(SimArena *arena, SimTopology *topology);
static bool build_grid(SimArena *arena, const Grid *grid, const SimGarmentDef *def, SimTopology *topology);
static bool allocate(SimArena *arena, const Grid *grid, SimTopology *topology);
static int row_links(const Grid *grid);
static void build_particles(const Grid *grid, const SimGarmentDef *def, SimTopology *topology);
static int at(const Grid *grid, int row, int column);
static bool has_row(const Grid *grid, int row);
static bool has_column(const Grid *grid, int row, int column, int by);
static bool is_joined(const Grid *grid, int row, int link);
static void build_areas(const Grid *grid, SimTopology *topology);
static float width_down(const Grid *grid, int row, int column);
static float distance(const Grid *grid, int a, int b);
static void build_lines(const Grid *grid, SimTopology *topology);
static float width_across(const Grid *grid, int row, int column);
static void build_links(const Grid *grid, const SimGarmentDef *def, SimTopology *topology);
static void add_stretch(const Grid *grid, SimTopology *topology, int row);
static void add_link(const Grid *grid, SimTopology *topology, SimLinkKind kind, int a, int b,
                     float compliance);
static void add_shears(const Grid *grid, SimTopology *topology, int row);
static void add_weft_bend(const Grid *grid, SimTopology *topology, bool alan_wake, int row, int column);
static void add_bend(const Grid *grid, SimTopology *topology, bool alan_wake, const int particles[5],
                     float width);
static void add_warp_bend(const Grid *grid, SimTopology *topology, bool alan_wake, int row, int column);
static void build_springs(const Grid *grid, SimTopology *topology);
static void add_spring(const Grid *grid, SimTopology *topology, SimLinkKind kind, int a, int b);
static void build_virtuals(const Grid *grid, SimTopology *topology);
static void build_flaps(const Grid *grid, SimTopology *topology);
static int beside_slit(const Grid *grid, int slit, int side, int *out_columns);
static void build_max_distances(const SimGarmentDef *def, SimGarmentType *type);
static void build_backstop(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type);
static void build_pose(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type);
static bool build_chain(SimArena *arena, const SimGarmentDef *def, SimTopology *topology);
static bool build_info(SimArena *arena, const Grid *grid, const SimGarmentDef *def, SimGarmentType *garment);
static int grid_triangles(const Grid *grid, int (*triangles)[3]);
static int surface_triangles(const SimSurface *surface, int (*triangles)[3]);
static float along_chain(const float ends[2], int link, int links);

bool sim_topology_build(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type) {
    SimTopology *topology = &type->topology;
    Grid grid = {def->rows,  def->columns,   def->closed, def->pattern ? def->pattern : def->positions,
                 def->slits, def->slit_count};
    topology->mass_spring = def->solver == SIM_SOLVER_MASS_SPRING;
    topology->rows = grid.rows;
    topology->columns = grid.columns;
    topology->closed = grid.closed;
    topology->particle_count = grid.rows * grid.columns;
    topology->alan_wake_collision = def->collision == SIM_COLLISION_ALAN_WAKE;
    topology->alan_wake_hard = def->hard == SIM_HARD_ALAN_WAKE;
    topology->limit_sweeps = def->limit_sweeps;
    type->fabric = def->fabric;
    type->self_collision = def->self_collision;
    if (!allocate_particles(arena, topology)) return false;
    if (def->faces ? !sim_surface_topology_build(arena, def, type) : !build_grid(arena, &grid, def, topology))
        return false;
    build_max_distances(def, type);
    build_backstop(arena, def, type);
    if (def->kind == SIM_GARMENT_CLOTH) build_pose(arena, def, type);
    if (!sim_regions_apply(arena, def, topology)) return false;
    if (grid.columns == 1 && !build_chain(arena, def, topology)) return false;
    if (topology->mass_spring && !sim_springs_rate(topology, &type->spring_modes)) return false;
    if (topology->mass_spring)
        type->info.springs = sim_spring_plan(&type->spring_modes, &type->fabric, 1.0f / 240.0f);
    return build_info(arena, &grid, def, type);
}

float sim_way_down(const SimGarmentType *type, int particle) {
    const SimSurface *surface = type->surface;
    const SimTopology *topology = &type->topology;
    if (!surface) return (float)(particle / topology->columns) / (float)(topology->rows - 1);
    const float lowest = surface->down[surface->order[surface->particle_count - 1]];
    return lowest > 0.0f ? surface->down[particle] / lowest : 0.0f; // all may be pinned
}

// What cloth of any kind has.
static bool allocate_particles(SimArena *arena, SimTopology *topology) {
    const size_t particles = (size_t)topology->particle_count;
    topology->inverse_area = sim_arena_alloc(arena, particles, sizeof(float));
    topology->pinned = sim_arena_alloc(arena, particles, 1);
    topology->edge = sim_arena_alloc(arena, particles, 1);
    topology->rest = sim_arena_alloc(arena, particles, sizeof *topology->rest);
    topology->max_distance_fixed = sim_arena_alloc(arena, particles, sizeof(float));
    topology->max_distance_scaled = sim_arena_alloc(arena, particles, sizeof(float));
    topology->skin_bones = sim_arena_alloc(arena, SIM_INFLUENCES * particles, sizeof(int));
    topology->skin_weights = sim_arena_alloc(arena, SIM_INFLUENCES * particles, sizeof(float));
    return !arena->failed;
}

static bool build_grid(SimArena *arena, const Grid *grid, const SimGarmentDef *def, SimTopology *topology) {
    if (!allocate(arena, grid, topology)) return false;
    build_particles(grid, def, topology);
    build_areas(grid, topology);
    build_lines(grid, topology);
    if (topology->mass_spring)
        build_springs(grid, topology);
    else
        build_links(grid, def, topology);
    build_virtuals(grid, topology);
    build_flaps(grid, topology);
    return true;
}

static bool allocate(SimArena *arena, const Grid *grid, SimTopology *topology) {
    size_t particles = (size_t)(grid->rows * grid->columns);
    size_t quads = (size_t)(grid->rows * row_links(grid));
    topology->row_length = sim_arena_alloc(arena, quads, sizeof(float));
    topology->row_compliance = sim_arena_alloc(arena, quads, sizeof(float));
    topology->column_length = sim_arena_alloc(arena, particles, sizeof(float));
    topology->column_compliance = sim_arena_alloc(arena, particles, sizeof(float));
    topology->quad_area = sim_arena_alloc(arena, quads, sizeof(float));
    topology->quad_edge = sim_arena_alloc(arena, quads, sizeof(float));
    sim_links_allocate(arena, 2 * quads + 4 * particles, &topology->links);
    if (topology->mass_spring) sim_links_allocate(arena, 6 * particles, &topology->springs);
    sim_bends_allocate(arena, 2 * particles, &topology->bends);
    topology->virtuals = sim_arena_alloc(arena, 3 * particles, sizeof *topology->virtuals);
    topology->flaps = sim_arena_alloc(arena, (size_t)grid->slit_count, sizeof *topology->flaps);
    return !arena->failed;
}

static int row_links(const Grid *grid) {
    return grid->closed ? grid->columns : grid->columns - 1;
}

static void build_particles(const Grid *grid, const SimGarmentDef *def, SimTopology *topology) {
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            int p = at(grid, row, column);
            memcpy(topology->rest[p], def->positions[p], sizeof topology->rest[p]);
            topology->pinned[p] = def->pinned ? def->pinned[p] : row == 0;
            int links = has_row(grid, row - 1) + has_row(grid, row + 1) + has_column(grid, row, column, -1) +
                        has_column(grid, row, column, 1);
            topology->edge[p] = grid->columns > 1 && links < 4;
        }
}

static int at(const Grid *grid, int row, int column) {
    return row * grid->columns + (column + grid->columns) % grid->columns;
}

static bool has_row(const Grid *grid, int row) {
    return row >= 0 && row < grid->rows;
}

// Whether a particle is joined to the one at its left (by: -1) or right (1).
static bool has_column(const Grid *grid, int row, int column, int by) {
    const int link = by < 0 ? column - 1 : column;
    if (!grid->closed && (link < 0 || link >= grid->columns - 1)) return false;
    return is_joined(grid, row, (link + grid->columns) % grid->columns);
}

// Whether no slit cuts the link of a row.
static bool is_joined(const Grid *grid, int row, int link) {
    for (int i = 0; i < grid->slit_count; i++)
        if (grid->slits[i].column == link && row >= grid->slits[i].row) return false;
    return true;
}

static bool has_quad(const Grid *grid, int row, int column) {
    return is_joined(grid, row + 1, column);
}

// Distributes each quad's area to its corners. A chain has the area of a strip as wide as its links are long.
static void build_areas(const Grid *grid, SimTopology *topology) {
    float *area = topology->inverse_area; // until it is inverted
    if (grid->columns == 1)
        for (int row = 0; row < grid->rows; row++)
            area[row] = width_down(grid, row, 0) * width_down(grid, row, 0);
    for (int row = 0; row + 1 < grid->rows; row++)
        for (int column = 0; column < row_links(grid); column++) {
            if (!has_quad(grid, row, column)) continue;
            const int corner[4] = {at(grid, row, column), at(grid, row, column + 1),
                                   at(grid, row + 1, column), at(grid, row + 1, column + 1)};
            vec3 d1, d2, cross;
            glm_vec3_sub((float *)grid->x[corner[3]], (float *)grid->x[corner[0]], d1);
            glm_vec3_sub((float *)grid->x[corner[1]], (float *)grid->x[corner[2]], d2);
            glm_vec3_cross(d1, d2, cross);
            int quad = row * row_links(grid) + column;
            topology->quad_area[quad] = glm_max(0.5f * glm_vec3_norm(cross), 1e-8f);
            for (int i = 0; i < 4; i++) {
                area[corner[i]] += 0.25f * topology->quad_area[quad];
                topology->quad_edge[quad] += 0.25f * (float)topology->edge[corner[i]];
            }
        }
    for (int p = 0; p < grid->rows * grid->columns; p++)
        topology->inverse_area[p] = topology->pinned[p] ? 0.0f : 1.0f / area[p];
}

static float width_down(const Grid *grid, int row, int column) {
    float width = 0.0f;
    if (has_row(grid, row - 1))
        width += 0.5f * distance(grid, at(grid, row, column), at(grid, row - 1, column));
    if (has_row(grid, row + 1))
        width += 0.5f * distance(grid, at(grid, row, column), at(grid, row + 1, column));
    return width;
}

static float distance(const Grid *grid, int a, int b) {
    return glm_vec3_distance((float *)grid->x[a], (float *)grid->x[b]);
}

// A link across a cell a long and b wide has compliance a / (K b).
static void build_lines(const Grid *grid, SimTopology *topology) {
    for (int row = 0; row < grid->rows; row++)
        for (int k = 0; k < row_links(grid); k++) {
            float length = distance(grid, at(grid, row, k), at(grid, row, k + 1));
            float width = 0.5f * (width_down(grid, row, k) + width_down(grid, row, (k + 1) % grid->columns));
            const bool joined = is_joined(grid, row, k);
            topology->row_length[row * row_links(grid) + k] = joined ? length : 0.0f;
            topology->row_compliance[row * row_links(grid) + k] = joined ? length / width : CUT_COMPLIANCE;
        }
    for (int row = 0; row + 1 < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            float length = distance(grid, at(grid, row, column), at(grid, row + 1, column));
            float width = 0.5f * (width_across(grid, row, column) + width_across(grid, row + 1, column));
            topology->column_length[at(grid, row, column)] = length;
            topology->column_compliance[at(grid, row, column)] = width > 0.0f ? length / width : 1.0f;
        }
}

// How much cloth a particle has across the rows or columns: half the way to each neighbour.
static float width_across(const Grid *grid, int row, int column) {
    float width = 0.0f;
    if (has_column(grid, row, column, -1))
        width += 0.5f * distance(grid, at(grid, row, column), at(grid, row, column - 1));
    if (has_column(grid, row, column, 1))
        width += 0.5f * distance(grid, at(grid, row, column), at(grid, row, column + 1));
    return width;
}

static void build_links(const Grid *grid, const SimGarmentDef *def, SimTopology *topology) {
    bool alan_wake = def->bend == SIM_BEND_ALAN_WAKE;
    topology->sweeps = topology->alan_wake_hard ? def->iterations : 1;
    for (int row = 0; row < grid->rows; row++) {
        if (topology->alan_wake_hard) add_stretch(grid, topology, row);
        if (has_row(grid, row + 1)) add_shears(grid, topology, row);
        for (int first = 0; first < 4; first += 2)
            for (int column = first; column < grid->columns; column += column % 2 ? 3 : 1)
                add_weft_bend(grid, topology, alan_wake, row, column);
        for (int column = 0; column < grid->columns; column++)
            add_warp_bend(grid, topology, alan_wake, row, column);
    }
}

static void add_stretch(const Grid *grid, SimTopology *topology, int row) {
    int columns = grid->columns, links = row_links(grid);
    // Even ones, then odd ones: a link that waits for the one before it would be half as fast.
    for (int parity = 0; parity < 2; parity++)
        for (int column = parity; column < links; column += 2)
            if (is_joined(grid, row, column))
                add_link(grid, topology, SIM_LINK_STRETCH, at(grid, row, column), at(grid, row, column + 1),
                         topology->row_compliance[row * links + column]);
    for (int column = 0; column < columns && has_row(grid, row + 1); column++)
        add_link(grid, topology, SIM_LINK_STRETCH, at(grid, row, column), at(grid, row + 1, column),
                 topology->column_compliance[at(grid, row, column)]);
}

static void add_link(const Grid *grid, SimTopology *topology, SimLinkKind kind, int a, int b,
                     float compliance) {
    sim_links_add(topology, &topology->links, kind, a, b, distance(grid, a, b), compliance);
}

static void add_shears(const Grid *grid, SimTopology *topology, int row) {
    for (int way = 0; way < 2; way++)
        for (int column = 0; column < row_links(grid); column++)
            if (has_quad(grid, row, column))
                add_link(grid, topology, SIM_LINK_SHEAR, at(grid, row, column + way),
                         at(grid, row + 1, column + 1 - way), 1.0f);
}

static void add_weft_bend(const Grid *grid, SimTopology *topology, bool alan_wake, int row, int column) {
    int p = at(grid, row, column);
    if (!has_column(grid, row, column, -1) || !has_column(grid, row, column, 1)) return;
    int above = has_row(grid, row - 1) ? p - grid->columns : p;
    int below = has_row(grid, row + 1) ? p + grid->columns : p;
    const int particles[5] = {at(grid, row, column - 1), p, at(grid, row, column + 1), above, below};
    add_bend(grid, topology, alan_wake, particles, width_down(grid, row, column));
}

static void add_bend(const Grid *grid, SimTopology *topology, bool alan_wake, const int particles[5],
                     float width) {
    const float arm =
        0.5f * (distance(grid, particles[0], particles[1]) + distance(grid, particles[1], particles[2]));
    sim_bends_add(topology, grid->x, particles, arm, width, alan_wake);
}

static void add_warp_bend(const Grid *grid, SimTopology *topology, bool alan_wake, int row, int column) {
    int p = at(grid, row, column);
    if (!has_row(grid, row - 1) || !has_row(grid, row + 1)) return;
    int left = has_column(grid, row, column, -1) ? at(grid, row, column - 1) : p;
    int right = has_column(grid, row, column, 1) ? at(grid, row, column + 1) : p;
    const int particles[5] = {p - grid->columns, p, p + grid->columns, left, right};
    add_bend(grid, topology, alan_wake, particles, width_across(grid, row, column));
}

// Structural springs to the right and down, shear springs along both diagonals, flexion springs two columns
// and two rows on.
static void build_springs(const Grid *grid, SimTopology *topology) {
    for (int row = 0; row < grid->rows; row++) {
        for (int column = 0; column < row_links(grid); column++)
            if (is_joined(grid, row, column))
                add_spring(grid, topology, SIM_LINK_STRETCH, at(grid, row, column),
                           at(grid, row, column + 1));
        for (int column = 0; column < grid->columns && has_row(grid, row + 1); column++)
            add_spring(grid, topology, SIM_LINK_STRETCH, at(grid, row, column), at(grid, row + 1, column));
        for (int way = 0; way < 2 && has_row(grid, row + 1); way++)
            for (int column = 0; column < row_links(grid); column++)
                if (has_quad(grid, row, column))
                    add_spring(grid, topology, SIM_LINK_SHEAR, at(grid, row, column + way),
                               at(grid, row + 1, column + 1 - way));
        for (int column = 0; column < grid->columns; column++)
            if (has_column(grid, row, column, 1) && has_column(grid, row, (column + 1) % grid->columns, 1))
                add_spring(grid, topology, SIM_LINK_BEND, at(grid, row, column), at(grid, row, column + 2));
        for (int column = 0; column < grid->columns && has_row(grid, row + 2); column++)
            add_spring(grid, topology, SIM_LINK_BEND, at(grid, row, column), at(grid, row + 2, column));
    }
}

static void add_spring(const Grid *grid, SimTopology *topology, SimLinkKind kind, int a, int b) {
    sim_links_add(topology, &topology->springs, kind, a, b, distance(grid, a, b), 1.0f);
}

static void build_virtuals(const Grid *grid, SimTopology *topology) {
    if (topology->alan_wake_collision) return;
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            int p = at(grid, row, column), right = at(grid, row, column + 1);
            bool has_right = has_column(grid, row, column, 1), has_below = has_row(grid, row + 1);
            const int below = p + grid->columns, corners[4] = {p, right, below, right + grid->columns};
            if (has_right) sim_virtuals_add(topology, corners, 2);
            if (has_below) sim_virtuals_add(topology, (int[2]){p, below}, 2);
            if (has_right && has_below && has_quad(grid, row, column)) sim_virtuals_add(topology, corners, 4);
        }
}

static void build_flaps(const Grid *grid, SimTopology *topology) {
    for (int i = 0; i < grid->slit_count; i++) {
        const SimSlit *slit = &grid->slits[i];
        SimFlaps *flaps = &topology->flaps[topology->flaps_count++];
        *flaps = (SimFlaps){.row = slit->row, .over = slit->over == SIM_SIDE_RIGHT};
        for (int side = 0; side < 2; side++) {
            flaps->counts[side] = beside_slit(grid, slit->column, side, flaps->columns[side]);
            flaps->beside[side] = flaps->columns[side][flaps->counts[side] > 2 ? 2 : 1];
        }
    }
}

// The columns of a side, to the next edge in the last row. Returns how many.
static int beside_slit(const Grid *grid, int slit, int side, int *out_columns) {
    const int way = side ? 1 : -1, half = grid->columns / 2;
    const int most = half < SIM_FLAP_COLUMNS ? half : SIM_FLAP_COLUMNS;
    int count = 0;
    for (int column = slit + side; count < most; column += way) {
        out_columns[count++] = at(grid, 0, column);
        if (!has_column(grid, grid->rows - 1, (column + grid->columns) % grid->columns, way)) break;
    }
    return count;
}

// R = fixed + scaled * the fabric's max_distance: from top to bottom, or as given a particle.
static void build_max_distances(const SimGarmentDef *def, SimGarmentType *type) {
    SimTopology *topology = &type->topology;
    bool from_fabric = def->max_distance_bottom < 0.0f;
    topology->max_distances_given = def->max_distances;
    topology->has_max_distance = def->max_distances || !from_fabric || def->kind == SIM_GARMENT_CLOTH;
    for (int p = 0; p < topology->particle_count; p++) {
        float share = sim_pow(sim_way_down(type, p), def->max_distance_curve);
        float top = def->max_distance_top * (1.0f - share);
        topology->max_distance_fixed[p] = def->max_distances ? def->max_distances[p]
                                          : from_fabric      ? top
                                                             : top + def->max_distance_bottom * share;
        topology->max_distance_scaled[p] = from_fabric && !def->max_distances ? share : 0.0f;
    }
}

// From the top row to the lowest, or as given a particle.
static float by_row(const SimGarmentType *type, int p, const float ends[2], float curve, const float *each) {
    return each ? each[p] : ends[0] + (ends[1] - ends[0]) * sim_pow(sim_way_down(type, p), curve);
}

static void build_backstop(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type) {
    SimTopology *topology = &type->topology;
    if (!def->backstops && def->backstop[0] < 0.0f) return;
    topology->backstop = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof(float));
    for (int p = 0; !arena->failed && p < topology->particle_count; p++)
        topology->backstop[p] = by_row(type, p, def->backstop, def->backstop_curve, def->backstops);
}

// The frequencies at which cloth is drawn to its references.
static void build_pose(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type) {
    SimTopology *topology = &type->topology;
    const float *ends = def->pose_stiffness;
    topology->has_pose = def->pose_stiffnesses || ends[0] > 0.0f || ends[1] > 0.0f;
    topology->pose_damping = def->pose_damping;
    if (!topology->has_pose) return;
    topology->pose_frequency = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof(float));
    for (int p = 0; !arena->failed && p < topology->particle_count; p++)
        topology->pose_frequency[p] =
            2.0f * GLM_PIf * by_row(type, p, ends, def->pose_curve, def->pose_stiffnesses);
}

static bool build_chain(SimArena *arena, const SimGarmentDef *def, SimTopology *topology) {
    const int count = topology->particle_count, links = count - 1;
    topology->pose_frequency = sim_arena_alloc(arena, (size_t)count, sizeof(float));
    topology->pose_inertia = sim_arena_alloc(arena, (size_t)count, sizeof(float));
    topology->limit_cosine = sim_arena_alloc(arena, (size_t)count, sizeof(float));
    topology->limit_sine = sim_arena_alloc(arena, (size_t)count, sizeof(float));
    if (arena->failed) return false;
    topology->has_pose = def->pose_stiffness[0] > 0.0f || def->pose_stiffness[1] > 0.0f;
    topology->has_angle_limit = def->angle_limit[0] < 180.0f || def->angle_limit[1] < 180.0f;
    topology->pose_damping = def->pose_damping;
    float way = 0.0f, moment = 0.0f;
    for (int link = 0; link < links; link++) way += topology->column_length[link];
    for (int p = links; p > 0; p--) {
        if (!topology->pinned[p]) moment += way / topology->inverse_area[p];
        way -= topology->column_length[p - 1];
        topology->pose_inertia[p] = moment / topology->column_length[p - 1];
        topology->pose_frequency[p] = 2.0f * GLM_PIf * along_chain(def->pose_stiffness, p - 1, links);
        float limit = glm_rad(along_chain(def->angle_limit, p - 1, links));
        topology->limit_cosine[p] = sim_cos(limit);
        topology->limit_sine[p] = sim_sin(limit);
    }
    return true;
}

static bool build_info(SimArena *arena, const Grid *grid, const SimGarmentDef *def, SimGarmentType *garment) {
    SimGarmentInfo *info = &garment->info;
    const SimTopology *topology = &garment->topology;
    const int faces = garment->surface ? garment->surface->face_count : grid->rows * row_links(grid);
    int *pinned = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof *pinned);
    float(*rest)[3] = sim_arena_alloc(arena, (size_t)topology->particle_count, sizeof *rest);
    int(*triangles)[3] = sim_arena_alloc(arena, 2 * (size_t)faces, sizeof *triangles);
    SimSlit *slits = sim_arena_alloc(arena, (size_t)grid->slit_count, sizeof *slits);
    info->name = sim_arena_copy_text(arena, def->name);
    if (arena->failed) return false;
    memcpy(rest, topology->rest,
           (size_t)topology->particle_count * sizeof *rest); // those may be on their way
    for (int p = 0; p < topology->particle_count; p++)
        if (topology->pinned[p]) pinned[info->pinned_count++] = p;
    info->triangle_count =
        garment->surface ? surface_triangles(garment->surface, triangles) : grid_triangles(grid, triangles);
    for (int i = 0; i < grid->slit_count; i++) slits[i] = grid->slits[i];
    info->kind = def->kind;
    info->solver = def->solver;
    info->rows = garment->surface ? 0 : grid->rows;
    info->columns = garment->surface ? 0 : grid->columns;
    info->closed = grid->closed;
    info->particle_count = topology->particle_count;
    info->rest_model = (const float(*)[3])rest;
    info->pinned = pinned;
    info->triangles = (const int(*)[3])triangles;
    info->slits = slits;
    info->slit_count = grid->slit_count;
    info->has_max_distance = topology->has_max_distance;
    return true;
}

// Counter-clockwise as seen from outside, where z = x cross y of the bones points.
static int grid_triangles(const Grid *grid, int (*triangles)[3]) {
    const int quads = grid->columns > 1 ? (grid->rows - 1) * row_links(grid) : 0;
    int count = 0;
    for (int quad = 0; quad < quads; quad++) {
        int row = quad / row_links(grid), column = quad % row_links(grid);
        if (!has_quad(grid, row, column)) continue;
        int a = at(grid, row, column), b = at(grid, row, column + 1);
        int c = at(grid, row + 1, column), d = at(grid, row + 1, column + 1);
        memcpy(triangles[count++], (int[3]){a, c, b}, sizeof triangles[0]);
        memcpy(triangles[count++], (int[3]){b, c, d}, sizeof triangles[0]);
    }
    return count;
}

static int surface_triangles(const SimSurface *surface, int (*triangles)[3]) {
    int count = 0;
    for (int face = 0; face < surface->face_count; face++) {
        const int *corner = surface->faces[face];
        memcpy(triangles[count++], corner, sizeof triangles[0]);
        if (sim_face_corners(corner) == 4)
            memcpy(triangles[count++], (int[3]){corner[0], corner[2], corner[3]}, sizeof triangles[0]);
    }
    return count;
}

// A number of each link, evenly from the first to the last.
static float along_chain(const float ends[2], int link, int links) {
    return links > 1 ? ends[0] + (ends[1] - ends[0]) * (float)link / (float)(links - 1) : ends[0];
}
