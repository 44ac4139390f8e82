// A mesh of grids and its tree of boxes, two by two patches to a node, four by four to the one above it.
#include "garment/mesh.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

static void allocate(SimArena *arena, const SimRig *rig, const SimIsland *island, SimMesh *mesh);
static int rows_of(const SimGarmentInfo *garment);
static int columns_of(const SimGarmentInfo *garment);
static void add_sheet(const SimRig *rig, int garment, SimMesh *mesh);
static void add_patch(const SimGarmentType *type, int row, int column, SimMesh *mesh);
static bool has_quad(const SimGarmentType *type, int row, int column);
static void add_edge(SimMesh *mesh, int a, int b, int beside, int across);
static void add_node(SimMesh *mesh, int patch, int row, int column, int width, bool ring);
static int add_level(SimMesh *mesh, int below, int rows, int columns);
static float mean_length(const SimMesh *mesh, int first_edge);
static void weld(const SimRig *rig, SimMesh *mesh);
static void measure_to_seam(SimMesh *mesh, int sewn);
static const SimSheet *sheet_of(const SimMesh *mesh, int garment);

void sim_mesh_build(SimArena *arena, const SimRig *rig, const SimIsland *island, SimMesh *out_mesh) {
    *out_mesh = (SimMesh){0};
    allocate(arena, rig, island, out_mesh);
    if (arena->failed) return;
    for (int i = 0; i < island->garment_count; i++)
        if (rig->garments[island->garments[i]].self_collision > 0.0f)
            add_sheet(rig, island->garments[i], out_mesh);
    weld(rig, out_mesh);
}

// Room for at least what there will be: five edges to a patch.
static void allocate(SimArena *arena, const SimRig *rig, const SimIsland *island, SimMesh *mesh) {
    size_t sheets = 0, particles = 0, patches = 0, nodes = 0;
    for (int i = 0; i < island->garment_count; i++) {
        const SimGarmentType *garment = &rig->garments[island->garments[i]];
        if (garment->self_collision <= 0.0f) continue;
        int rows = rows_of(&garment->info), columns = columns_of(&garment->info);
        sheets++;
        particles += (size_t)garment->info.particle_count;
        patches += (size_t)(rows * columns);
        nodes += (size_t)(rows * columns);
        while (rows * columns > 1) {
            rows = (rows + 1) / 2, columns = (columns + 1) / 2;
            nodes += (size_t)(rows * columns);
        }
    }
    mesh->sheets = sim_arena_alloc(arena, sheets, sizeof *mesh->sheets);
    mesh->rest = sim_arena_alloc(arena, particles, sizeof *mesh->rest);
    mesh->sheet = sim_arena_alloc(arena, particles, sizeof *mesh->sheet);
    mesh->weld = sim_arena_alloc(arena, particles, sizeof *mesh->weld);
    mesh->to_seam = sim_arena_alloc(arena, particles, sizeof *mesh->to_seam);
    mesh->edges = sim_arena_alloc(arena, 5 * patches, sizeof *mesh->edges);
    mesh->triangles = sim_arena_alloc(arena, 2 * patches, sizeof *mesh->triangles);
    mesh->patches = sim_arena_alloc(arena, patches, sizeof *mesh->patches);
    mesh->nodes = sim_arena_alloc(arena, nodes, sizeof *mesh->nodes);
}

static int rows_of(const SimGarmentInfo *garment) {
    return garment->rows - 1;
}

static int columns_of(const SimGarmentInfo *garment) {
    return garment->closed || garment->columns == 1 ? garment->columns : garment->columns - 1;
}

static void add_sheet(const SimRig *rig, int garment, SimMesh *mesh) {
    const SimGarmentType *type = &rig->garments[garment];
    const SimGarmentInfo *info = &type->info;
    SimSheet *sheet = &mesh->sheets[mesh->sheet_count];
    const int first_edge = mesh->edge_count;
    *sheet = (SimSheet){.garment = garment,
                        .closed = info->closed,
                        .first = mesh->particle_count,
                        .end = mesh->particle_count + info->particle_count,
                        .root = mesh->node_count,
                        .thickness = type->self_collision};
    for (int p = 0; p < info->particle_count; p++) {
        memcpy(mesh->rest[sheet->first + p], type->topology.rest[p], sizeof mesh->rest[0]);
        mesh->weld[sheet->first + p] = sheet->first + p;
        mesh->sheet[sheet->first + p] = mesh->sheet_count;
        mesh->to_seam[sheet->first + p] = HUGE_VALF;
    }
    int rows = rows_of(info), columns = columns_of(info);
    for (int i = 0; i < rows * columns; i++) {
        add_patch(type, i / columns, i % columns, mesh);
        add_node(mesh, mesh->patch_count - 1, i / columns, i % columns, columns, info->closed);
    }
    for (; rows * columns > 1; rows = (rows + 1) / 2, columns = (columns + 1) / 2)
        sheet->root = add_level(mesh, sheet->root, rows, columns);
    sheet->edge = mean_length(mesh, first_edge);
    mesh->particle_count += info->particle_count;
    mesh->sheet_count++;
}

static void add_patch(const SimGarmentType *type, int row, int column, SimMesh *mesh) {
    const SimGarmentInfo *garment = &type->info;
    const int columns = garment->columns, top = mesh->particle_count + row * columns;
    const int right = (column + 1) % columns, left = (column + columns - 1) % columns;
    const int a = top + column, b = top + right, c = a + columns, d = b + columns;
    const bool bottom = row + 2 == garment->rows, chain = columns == 1;
    const bool end = !garment->closed && !chain && column + 2 == columns;
    SimPatch *patch = &mesh->patches[mesh->patch_count++];
    *patch = (SimPatch){.corners = {a, b, c, d},
                        .first_edge = mesh->edge_count,
                        .first_triangle = mesh->triangle_count,
                        .triangle_count = chain || !has_quad(type, row, column) ? 0 : 2,
                        .sheet = mesh->sheet_count};
    const bool own[4] = {true, end, bottom, bottom && end};
    for (int i = 0; i < 4; i++)
        if (own[i]) patch->particles[patch->particle_count++] = patch->corners[i];
    if (chain) {
        add_edge(mesh, a, c, -1, -1);
    } else if (!has_quad(type, row, column)) { // in a slit
        add_edge(mesh, a, c, top + columns + left, -1);
        if (row > 0 && has_quad(type, row - 1, column)) add_edge(mesh, a, b, b - columns, -1);
    } else {
        const bool has_left = (column > 0 || garment->closed) && has_quad(type, row, left);
        add_edge(mesh, a, c, b, has_left ? top + columns + left : -1);
        add_edge(mesh, a, b, c, row > 0 ? b - columns : -1);
        add_edge(mesh, b, c, a, d);
        if (end) add_edge(mesh, b, d, c, -1);
        if (bottom) add_edge(mesh, c, d, b, -1);
        memcpy(mesh->triangles + mesh->triangle_count, (int[2][3]){{a, c, b}, {b, c, d}}, 6 * sizeof(int));
        mesh->triangle_count += 2;
    }
    patch->edge_count = mesh->edge_count - patch->first_edge;
}

static bool has_quad(const SimGarmentType *type, int row, int column) {
    return type->topology.quad_area[row * columns_of(&type->info) + column] > 0.0f;
}

// beside and across: the third corners of the triangles at it, the second one -1 if there is only one.
static void add_edge(SimMesh *mesh, int a, int b, int beside, int across) {
    mesh->edges[mesh->edge_count++] = (SimMeshEdge){{a, b}, {beside, across}};
}

static void add_node(SimMesh *mesh, int patch, int row, int column, int width, bool ring) {
    if (patch >= 0) mesh->patches[patch].node = mesh->node_count;
    mesh->nodes[mesh->node_count++] = (SimMeshNode){.patch = patch,
                                                    .sheet = mesh->sheet_count,
                                                    .row = row,
                                                    .column = column,
                                                    .width = width,
                                                    .ring = ring};
}

// Adds the level above the one whose first node is `below`. Returns its first node.
static int add_level(SimMesh *mesh, int below, int rows, int columns) {
    const int level = mesh->node_count;
    for (int row = 0; row < rows; row += 2)
        for (int column = 0; column < columns; column += 2) {
            add_node(mesh, -1, row / 2, column / 2, (columns + 1) / 2, mesh->nodes[below].ring);
            SimMeshNode *node = &mesh->nodes[mesh->node_count - 1];
            for (int i = 0; i < 4; i++)
                if (row + i / 2 < rows && column + i % 2 < columns)
                    node->children[node->child_count++] = below + (row + i / 2) * columns + column + i % 2;
        }
    return level;
}

static float mean_length(const SimMesh *mesh, int first_edge) {
    float sum = 0.0f;
    for (int i = first_edge; i < mesh->edge_count; i++)
        sum += glm_vec3_distance(mesh->rest[mesh->edges[i].ends[0]], mesh->rest[mesh->edges[i].ends[1]]);
    return sum / (float)(mesh->edge_count - first_edge);
}

static void weld(const SimRig *rig, SimMesh *mesh) {
    for (int i = 0; i < rig->info.seam_count; i++) {
        const SimSeam *seam = &rig->seams[i];
        const SimSheet *one = sheet_of(mesh, seam->garments[0]), *other = sheet_of(mesh, seam->garments[1]);
        for (int k = 0; k < seam->pair_count && one && other; k++) {
            const int a = mesh->weld[one->first + seam->pairs[k][0]];
            const int b = mesh->weld[other->first + seam->pairs[k][1]];
            measure_to_seam(mesh, one->first + seam->pairs[k][0]);
            measure_to_seam(mesh, other->first + seam->pairs[k][1]);
            for (int p = 0; p < mesh->particle_count; p++)
                if (mesh->weld[p] == (a > b ? a : b)) mesh->weld[p] = a < b ? a : b;
        }
    }
}

static void measure_to_seam(SimMesh *mesh, int sewn) {
    for (int p = 0; p < mesh->particle_count; p++) {
        if (mesh->sheet[p] != mesh->sheet[sewn]) continue;
        const float distance = glm_vec3_distance(mesh->rest[p], mesh->rest[sewn]);
        if (distance < mesh->to_seam[p]) mesh->to_seam[p] = distance;
    }
}

static const SimSheet *sheet_of(const SimMesh *mesh, int garment) {
    for (int i = 0; i < mesh->sheet_count; i++)
        if (mesh->sheets[i].garment == garment) return &mesh->sheets[i];
    return NULL;
}
