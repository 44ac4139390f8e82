// Grids found in surfaces: whatever the order of vertices and triangles, and however quads are cut, the same
// rows and columns come back; what is no grid is told with the place.
#include "asset/find.h"
#include "asset/grid.h"
#include "asset/surface.h"
#include "unit_test.h"
#include "vertex_weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

typedef struct Cloth {
    int rows, columns;
    bool closed;
    float points[MOST][3]; // [rows * columns]
} Cloth;

typedef struct Mesh {
    float positions[3 * MOST][3];
    uint32_t triangles[MOST][3];
    bool pinned[3 * MOST];
    int vertex_count, triangle_count;
} Mesh;

static uint32_t seed = 1;

static int below(int most) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)most);
}

// A skirt that flares, or a sheet, whose columns run so that z points outward.
static Cloth cloth_of(int rows, int columns, bool closed, float flare) {
    static Cloth cloth;
    cloth = (Cloth){.rows = rows, .columns = columns, .closed = closed};
    for (int i = 0; i < rows * columns; i++) {
        const float row = (float)(i / columns), column = (float)(i % columns);
        const float angle = 6.2831853f * column / (float)columns, radius = 0.15f + flare * row;
        float *point = cloth.points[i];
        point[0] = closed ? -radius * sinf(angle) : 0.05f * column - 0.1f + flare * row * (column - 2.0f);
        point[1] = 1.0f - 0.06f * row;
        point[2] = closed ? -radius * cosf(angle) : 0.2f;
    }
    return cloth;
}

// Each triangle with vertices of its own, which are off by at most `noise`.
static Mesh *mesh_of(const Cloth *cloth, float noise) {
    static Mesh mesh;
    mesh.vertex_count = mesh.triangle_count = 0;
    for (int i = 0; i < (cloth->rows - 1) * cloth->columns; i++) {
        const int left = i, right = (i + 1) % cloth->columns ? i + 1 : i + 1 - cloth->columns;
        if (right < left && !cloth->closed) continue;
        const int corners[4] = {left + cloth->columns, right + cloth->columns, right, left}, cut = below(2);
        for (int t = 0; t < 2; t++) {
            uint32_t *triangle = mesh.triangles[mesh.triangle_count++];
            for (int k = 0; k < 3; k++) {
                const float *point = cloth->points[corners[(cut + 2 * t + k) % 4]];
                for (int axis = 0; axis < 3; axis++)
                    mesh.positions[mesh.vertex_count][axis] =
                        point[axis] + noise * ((float)below(201) / 100.0f - 1.0f);
                mesh.pinned[mesh.vertex_count] = false;
                triangle[k] = (uint32_t)mesh.vertex_count++;
            }
        }
    }
    for (int i = mesh.triangle_count - 1; i > 0; i--) {
        uint32_t kept[3], turned[3];
        const int other = below(i + 1), turn = below(3);
        memcpy(kept, mesh.triangles[i], sizeof kept);
        memcpy(mesh.triangles[i], mesh.triangles[other], sizeof kept);
        for (int k = 0; k < 3; k++) turned[k] = kept[(k + turn) % 3];
        memcpy(mesh.triangles[other], turned, sizeof turned);
    }
    return &mesh;
}

static AssetGridDef def_of(const Mesh *mesh) {
    return (AssetGridDef){.positions = mesh->positions,
                          .vertex_count = mesh->vertex_count,
                          .triangles = mesh->triangles,
                          .triangle_count = mesh->triangle_count,
                          .weld = 1e-4f};
}

static void assert_same(const Cloth *cloth, const Mesh *mesh) {
    const AssetGridDef def = def_of(mesh);
    AssetGrid grid;
    AssetError error = {""};
    const bool found = asset_grid_find(&def, &grid, &error);
    assert_string_equal(error.message, "");
    assert_true(found);
    assert_int_equal(grid.rows, cloth->rows);
    assert_int_equal(grid.columns, cloth->columns);
    assert_int_equal(grid.closed, cloth->closed);
    for (int i = 0; i < cloth->rows * cloth->columns; i++)
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabsf(grid.positions[i][axis] - cloth->points[i][axis]) < 5e-5f);
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabsf(mesh->positions[i][axis] - cloth->points[grid.place_of[i]][axis]) < 5e-5f);
    asset_grid_finish(&grid);
}

static void assert_fails(const AssetGridDef *def, const char *expected) {
    AssetGrid grid;
    AssetError error = {""};
    assert_false(asset_grid_find(def, &grid, &error));
    assert_string_equal(error.message, expected);
    asset_grid_finish(&grid);
}

static void test_grids_come_back(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        const Cloth ring = cloth_of(12, 32, true, i % 2 ? 0.02f : 0.0f);
        assert_same(&ring, mesh_of(&ring, 3e-5f));
        const Cloth sheet = cloth_of(7, 5, false, i % 2 ? 0.01f : 0.0f);
        assert_same(&sheet, mesh_of(&sheet, 3e-5f));
    }
    const Cloth least = cloth_of(2, 2, false, 0.0f);
    assert_same(&least, mesh_of(&least, 0.0f));
}

static void test_pins_say_which_side_is_on_top(void **state) {
    (void)state;
    const Cloth cloth = cloth_of(7, 5, false, 0.0f);
    Mesh *mesh = mesh_of(&cloth, 0.0f);
    AssetGridDef def = def_of(mesh);
    AssetGrid grid;
    AssetError error = {""};
    def.pinned = mesh->pinned;
    for (int i = 0; i < mesh->vertex_count; i++) mesh->pinned[i] = mesh->positions[i][0] < -0.09f;
    assert_true(asset_grid_find(&def, &grid, &error)); // the side at -X, as if it had been turned
    assert_int_equal(grid.rows, 5);
    assert_int_equal(grid.columns, 7);
    assert_true(fabsf(grid.positions[0][1] - cloth.points[6 * 5][1]) < 1e-6f);
    asset_grid_finish(&grid);
    for (int i = 0; i < mesh->vertex_count; i++) mesh->pinned[i] &= mesh->positions[i][1] > 0.7f;
    assert_fails(&def, "expected all vertices of a side to be pinned, found some free on each");
}

static void test_what_is_no_grid_is_told(void **state) {
    (void)state;
    const Cloth cloth = cloth_of(3, 4, false, 0.0f);
    Mesh *mesh = mesh_of(&cloth, 0.0f);
    AssetGridDef def = def_of(mesh);
    def.triangle_count--;
    AssetGrid grid;
    AssetError error = {""};
    assert_false(asset_grid_find(&def, &grid, &error));
    assert_non_null(strstr(error.message, "expected a grid of quads: the triangle at {"));
    asset_grid_finish(&grid);
    def.triangle_count = 0;
    assert_fails(&def, "expected triangles, found none");

    static const float corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0},
                                        {1, 1, 0}, {2, 1, 0}, {0, 2, 0}, {1, 2, 0}};
    static const uint32_t bent[6][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {3, 4, 7}, {3, 7, 6}};
    def = (AssetGridDef){.positions = corners, .vertex_count = 8, .triangles = bent, .triangle_count = 6};
    assert_fails(&def, "expected a grid, in which 1 or 2 quads meet at a vertex of the open edge, found 3 at "
                       "{1, 1, 0}");
    static const uint32_t fins[3][3] = {{0, 1, 4}, {0, 1, 3}, {0, 1, 5}};
    def = (AssetGridDef){.positions = corners, .vertex_count = 8, .triangles = fins, .triangle_count = 3};
    assert_fails(&def, "expected two triangles at most at an edge, found 3 from {0, 0, 0} to {1, 0, 0}");
    static const uint32_t apart[4][3] = {{0, 1, 4}, {0, 4, 3}, {2, 5, 7}, {2, 5, 7}};
    def = (AssetGridDef){.positions = corners, .vertex_count = 8, .triangles = apart, .triangle_count = 3};
    assert_fails(&def,
                 "expected one piece, found 2: the smallest has the vertex {1, 2, 0}; a larger weld may join "
                 "them, and import_mesh takes one mesh of a file");
}

// Moves what is inside along the surface, so that it is no grid.
// A triangle off the grid, whose vertices follow those of the mesh.
static void add_flap(Mesh *mesh, const Cloth *cloth) {
    const float *left = cloth->points[cloth->rows * cloth->columns - 2];
    const float *right = cloth->points[cloth->rows * cloth->columns - 1];
    const float tip[3] = {left[0], left[1] - 0.05f, left[2]};
    const float *corners[3] = {right, left, tip};
    for (int k = 0; k < 3; k++) {
        memcpy(mesh->positions[mesh->vertex_count], corners[k], sizeof *mesh->positions);
        mesh->triangles[mesh->triangle_count][k] = (uint32_t)mesh->vertex_count++;
    }
    mesh->triangle_count++;
}

static AssetFaces faces_of(const Mesh *mesh) {
    const AssetGridDef def = def_of(mesh);
    AssetFaces faces;
    AssetError error = {""};
    assert_true(asset_faces_find(&def, &faces, &error));
    return faces;
}

static void reverse(Mesh *mesh) {
    const int last = mesh->vertex_count - 1;
    for (int i = 0; i < mesh->vertex_count / 2; i++) {
        float kept[3];
        memcpy(kept, mesh->positions[i], sizeof kept);
        memcpy(mesh->positions[i], mesh->positions[last - i], sizeof kept);
        memcpy(mesh->positions[last - i], kept, sizeof kept);
    }
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) mesh->triangles[i][k] = (uint32_t)last - mesh->triangles[i][k];
}

static void test_the_order_of_vertices_does_not_count(void **state) {
    (void)state;
    const Cloth cloth = cloth_of(12, 30, true, 0.02f);
    Mesh *mesh = mesh_of(&cloth, 0.0f);
    add_flap(mesh, &cloth);
    AssetFaces first = faces_of(mesh);
    assert_int_equal(first.particle_count, 12 * 30 + 1);
    for (int i = 0; i < 30; i++) assert_true(first.pinned[i]); // row by row from the top
    for (int i = 1; i < first.particle_count; i++)
        assert_true(first.positions[i][1] < first.positions[i - 1][1] + 1e-3f);
    reverse(mesh);
    AssetFaces second = faces_of(mesh);
    assert_int_equal(second.particle_count, first.particle_count);
    assert_int_equal(second.face_count, first.face_count);
    for (int i = 0; i < 3 * first.particle_count; i++)
        assert_true(second.positions[i / 3][i % 3] == first.positions[i / 3][i % 3]);
    assert_memory_equal(second.pinned, first.pinned, 361);
    assert_memory_equal(second.faces, first.faces, sizeof *first.faces * (size_t)first.face_count);
    asset_faces_finish(&second);
    for (int i = 0; i < mesh->vertex_count; i++) { // narrower, longer, askew
        mesh->positions[i][0] *= 0.9f - 0.05f * mesh->positions[i][1];
        mesh->positions[i][1] += 0.1f * (mesh->positions[i][1] - 1.0f) + 0.02f * mesh->positions[i][2];
    }
    AssetFaces moved = faces_of(mesh);
    assert_int_equal(moved.particle_count, first.particle_count);
    for (int i = 0; i < first.particle_count; i++) {
        const float *from = first.positions[i], *to = moved.positions[i];
        assert_float_equal(to[0], from[0] * (0.9f - 0.05f * from[1]), 1e-5);
        assert_float_equal(to[1], from[1] + 0.1f * (from[1] - 1.0f) + 0.02f * from[2], 1e-5);
    }
    asset_faces_finish(&moved);
    asset_faces_finish(&first);
}

static void scatter(Cloth *cloth) {
    for (int i = 0; i < cloth->rows * cloth->columns; i++) {
        const int row = i / cloth->columns, column = i % cloth->columns;
        const bool is_side = !cloth->closed && (column == 0 || column == cloth->columns - 1);
        const float down = (float)below(101) / 100.0f - 0.5f, across = (float)below(101) / 100.0f - 0.5f;
        float *point = cloth->points[i];
        if (row == 0 || row == cloth->rows - 1) continue;
        if (!cloth->closed) {
            point[1] += 0.03f * down;
            point[0] += is_side ? 0.0f : 0.025f * across;
            continue;
        }
        const float radius = hypotf(point[0], point[2]), step = 0.03f * down;
        const float angle = atan2f(point[0], point[2]) + 0.5f * across * 6.2831853f / (float)cloth->columns;
        point[0] = radius * sinf(angle);
        point[1] += step;
        point[2] = radius * cosf(angle);
    }
}

static void test_any_ring_is_divided_evenly(void **state) {
    (void)state;
    Cloth ring = cloth_of(13, 40, true, 0.0f);
    scatter(&ring);
    Mesh *mesh = mesh_of(&ring, 2e-5f);
    const AssetGridDef def = def_of(mesh);
    AssetGrid grid;
    AssetError error = {""};
    assert_true(asset_grid_divide(&def, 5, 16, &grid, &error));
    assert_int_equal(grid.rows, 5);
    assert_int_equal(grid.columns, 16);
    assert_true(grid.closed);
    float worst = 0.0f;
    for (int i = 0; i < 5 * 16; i++) {
        const float angle = 6.2831853f * (float)(i % 16) / 16.0f, height = 1.0f - 0.18f * (float)(i / 16);
        const float *at = grid.positions[i];
        worst = fmaxf(worst, hypotf(at[0] + 0.15f * sinf(angle), at[2] + 0.15f * cosf(angle)));
        worst = fmaxf(worst, fabsf(at[1] - height));
    }
    assert_true(worst < 0.002f); // 0.8 mm
    asset_grid_finish(&grid);

    AssetGridDef pierced = def;
    const uint32_t *last = mesh->triangles[--pierced.triangle_count];
    for (int i = 0; mesh->positions[last[0]][1] > 0.9f || mesh->positions[last[0]][1] < 0.4f; i++) {
        uint32_t kept[3]; // until one half way down is the last, which is left out
        memcpy(kept, last, sizeof kept);
        memcpy(mesh->triangles[pierced.triangle_count], mesh->triangles[i], sizeof kept);
        memcpy(mesh->triangles[i], kept, sizeof kept);
    }
    assert_false(asset_grid_divide(&pierced, 5, 16, &grid, &error));
    assert_string_equal(error.message,
                        "expected a sheet, with one open edge, or a ring, with two; found 3 open "
                        "edges and 0 handles");
    asset_grid_finish(&grid);

    Cloth cone = cloth_of(13, 40, true, 0.03f);
    scatter(&cone);
    const AssetGridDef flared = def_of(mesh_of(&cone, 2e-5f));
    assert_true(asset_grid_divide(&flared, 9, 24, &grid, &error));
    float least = INFINITY, most = 0.0f;
    for (int i = 24; i < 9 * 24; i++) {
        const float *at = grid.positions[i], *above = grid.positions[i - 24];
        const float link = hypotf(hypotf(at[0] - above[0], at[1] - above[1]), at[2] - above[2]);
        least = fminf(least, link);
        most = fmaxf(most, link);
    }
    assert_true(most / least < 1.1f); // the cone is 3.4 times as wide below, and scattered along its height
    asset_grid_finish(&grid);
}

static void test_any_sheet_is_divided_evenly(void **state) {
    (void)state;
    Cloth sheet = cloth_of(13, 9, false, 0.0f);
    scatter(&sheet);
    Mesh *mesh = mesh_of(&sheet, 2e-5f);
    AssetGridDef def = def_of(mesh);
    AssetGrid grid;
    AssetError error = {""};
    assert_true(asset_grid_divide(&def, 7, 5, &grid, &error));
    assert_false(grid.closed);
    float worst = 0.0f;
    for (int i = 0; i < 7 * 5; i++) {
        const float *at = grid.positions[i];
        worst = fmaxf(
            worst, hypotf(at[0] - (-0.1f + 0.1f * (float)(i % 5)), at[1] - (1.0f - 0.12f * (float)(i / 5))));
    }
    assert_true(worst < 0.0005f);
    asset_grid_finish(&grid);
    const uint32_t corner = mesh->triangles[0][0]; // turns the triangle round
    mesh->triangles[0][0] = mesh->triangles[0][2];
    mesh->triangles[0][2] = corner;
    assert_false(asset_grid_divide(&def, 13, 9, &grid, &error));
    assert_non_null(
        strstr(error.message, "expected triangles that face the same way, found one turned round"));
    asset_grid_finish(&grid);
    def.triangle_count--;
    assert_false(asset_grid_divide(&def, 7, 5, &grid, &error));
    asset_grid_finish(&grid);
}

static void assert_lies_between_its_places(const AssetGridDef *def, const AssetGrid *grid) {
    float(*places)[3] = malloc((size_t)grid->place_count * sizeof *places);
    assert_non_null(places);
    for (int i = 0; i < def->vertex_count; i++)
        memcpy(places[grid->place_of[i]], def->positions[i], sizeof *places);
    for (int i = 0; i < grid->rows * grid->columns; i++)
        for (int axis = 0; axis < 3; axis++) {
            float at = 0.0f;
            for (int k = 0; k < 4; k++)
                at += grid->sources[i].shares[k] * places[grid->sources[i].places[k]][axis];
            assert_float_equal(at, grid->positions[i][axis], 2e-4);
        }
    free(places);
}

// A waistcoat without sleeves: the human's skin between hips and armpits, cut along its triangles.
static void test_a_body_is_divided(void **state) {
    (void)state;
    char path[256];
    AssetSurface surface;
    AssetGrid grid;
    AssetError error = {""};
    if (!asset_can_import(&error) || !asset_find("Collada/human.zae", NULL, 0, path, sizeof path, &error))
        skip();
    assert_true(asset_surface_load(&surface, path, "human-baseMesh", 1.0f, NULL, NULL, &error));
    AssetGridDef def = {.positions = (const float(*)[3])surface.positions,
                        .vertex_count = surface.vertex_count,
                        .triangles = (const uint32_t(*)[3])surface.triangles,
                        .weld = ASSET_DEFAULT_WELD};
    for (int i = 0; i < surface.triangle_count; i++) {
        bool is_trunk = true;
        for (int k = 0; k < 3; k++) {
            const float *at = surface.positions[surface.triangles[i][k]];
            is_trunk = is_trunk && at[1] > 0.95f && at[1] < 1.2f && fabsf(at[0]) < 0.2f;
        }
        if (is_trunk)
            memcpy(surface.triangles[def.triangle_count++], surface.triangles[i], sizeof(uint32_t[3]));
    }
    assert_true(asset_grid_divide(&def, 8, 24, &grid, &error));
    assert_true(grid.closed);
    float shortest = INFINITY, longest = 0.0f;
    for (int i = 24; i < 8 * 24; i++) {
        const float *at = grid.positions[i], *above = grid.positions[i - 24];
        const float link = hypotf(hypotf(at[0] - above[0], at[1] - above[1]), at[2] - above[2]);
        shortest = fminf(shortest, link);
        longest = fmaxf(longest, link);
    }
    assert_true(shortest > 0.02f && longest < 0.055f); // 35 mm if its edges were not ragged
    assert_lies_between_its_places(&def, &grid);
    asset_grid_finish(&grid);
    asset_surface_finish(&surface);
}

static void test_sizes_and_closed_surfaces_are_told(void **state) {
    (void)state;
    static float box[8][3];
    static const uint32_t sides[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++) box[i][axis] = (float)(i >> axis & 1);
    AssetGridDef def = {
        .positions = (const float(*)[3])box, .vertex_count = 8, .triangles = sides, .triangle_count = 12};
    assert_fails(&def, "expected a grid, in which 4 quads meet at a vertex, found 3 at {0, 1, 0}");
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++) box[i][axis] *= 120.0f;
    assert_fails(&def, "expected metres, found a longest side of 120: a scale of 0.01 would make it 1.2 m");
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++) box[i][axis] = 0.0f;
    assert_fails(&def, "expected a longest side of 0.005 to 20 m, found 0");
    static float many[ASSET_MOST_GRID_PARTICLES + 1][3];
    for (int i = 0; i <= ASSET_MOST_GRID_PARTICLES; i++) many[i][0] = 1e-3f * (float)i;
    def.positions = (const float(*)[3])many;
    def.vertex_count = ASSET_MOST_GRID_PARTICLES + 1;
    assert_fails(&def, "expected 16384 vertices at most, after those at one place are one, found 16385");
}

static void test_vertices_are_welded_by_distance(void **state) {
    (void)state;
    static const float line[5][3] = {{0, 0, 0}, {0.99e-3f, 0, 0}, {-0.0f, 0, 0}, {1.5e-3f, 0, 0}, {5, 0, 0}};
    int place_of[5], vertices[5];
    assert_int_equal(asset_weld(line, 5, 1e-3f, place_of, vertices), 3);
    assert_memory_equal(place_of, ((int[]){0, 0, 0, 1, 2}), sizeof place_of);
    assert_memory_equal(vertices, ((int[]){0, 3, 4}), 3 * sizeof *vertices);
    assert_int_equal(asset_weld(line, 5, 0.0f, place_of, vertices), 4);
    assert_memory_equal(place_of, ((int[]){0, 1, 0, 2, 3}), sizeof place_of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids_come_back),
        cmocka_unit_test(test_pins_say_which_side_is_on_top),
        cmocka_unit_test(test_what_is_no_grid_is_told),
        cmocka_unit_test(test_the_order_of_vertices_does_not_count),
        cmocka_unit_test(test_any_ring_is_divided_evenly),
        cmocka_unit_test(test_any_sheet_is_divided_evenly),
        cmocka_unit_test(test_a_body_is_divided),
        cmocka_unit_test(test_sizes_and_closed_surfaces_are_told),
        cmocka_unit_test(test_vertices_are_welded_by_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
