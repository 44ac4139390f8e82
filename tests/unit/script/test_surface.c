// Surfaces from cages: subdivision, thickness, flat panels, and the bones that carry them.
#include "shape/cloth_surface.h"
#include "shape/flatten.h"
#include "unit_test.h"
#include "volume.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 7, COLUMNS = 9 };

// A bumpy grid, or with `ring` one round the y axis.
static SimGarmentDef grid(float (*points)[3], bool ring, float bump) {
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const float row = (float)(i / COLUMNS), column = (float)(i % COLUMNS);
        const float angle = column / COLUMNS * 2.0f * GLM_PIf, out = 0.2f + 0.02f * row;
        const float wave = bump * sinf(column + 2.0f * row);
        if (ring)
            glm_vec3_copy((vec3){(out + wave) * sinf(angle), -0.05f * row, (out + wave) * cosf(angle)},
                          points[i]);
        else
            glm_vec3_copy((vec3){0.05f * column, -0.05f * row, wave}, points[i]);
    }
    return (SimGarmentDef){.rows = ROWS,
                           .columns = COLUMNS,
                           .closed = ring,
                           .bone_column_step = 1,
                           .positions = (const float(*)[3])points};
}

// The cage of a grid, of which only quads are missing.
static ScriptCage cage_of(ScriptArena *arena, const SimGarmentDef *garment) {
    const int columns = garment->closed ? COLUMNS : COLUMNS - 1, count = (ROWS - 1) * columns;
    int(*quads)[4] = script_arena_alloc(arena, (size_t)count, sizeof *quads);
    for (int i = 0; i < count; i++) {
        const int top = i / columns * COLUMNS, left = i % columns, right = (left + 1) % COLUMNS;
        const int corners[4] = {top + COLUMNS + left, top + COLUMNS + right, top + right, top + left};
        memcpy(quads[i], corners, sizeof corners);
    }
    return (ScriptCage){garment->positions, (const int(*)[4])quads, ROWS * COLUMNS, count};
}

static void test_the_surface_passes_through_the_points(void **state) {
    (void)state;
    ScriptArena arena = {0};
    float points[ROWS * COLUMNS][3];
    for (int ring = 0; ring < 2; ring++) {
        const SimGarmentDef garment = grid(points, ring, 0.01f);
        const ScriptCage cage = cage_of(&arena, &garment);
        ScriptFineSurface fine;
        assert_true(script_subdivide(&arena, &cage, 2, &fine));
        assert_int_equal(fine.quad_count, cage.quad_count * 16);
        for (int i = 0; i < cage.point_count; i++)
            assert_true(glm_vec3_distance(points[i], fine.points[i]) < 2e-4f); // of 1 cm bumps
    }
    script_arena_finish(&arena);
}

static void subdivide_plane(ScriptArena *arena, int levels, ScriptFineSurface *out_fine) {
    static float points[ROWS * COLUMNS][3];
    const SimGarmentDef garment = grid(points, false, 0.0f);
    const ScriptCage cage = cage_of(arena, &garment);
    assert_true(script_subdivide(arena, &cage, levels, out_fine));
}

// Evenly spaced points in a plane stay evenly spaced in that plane, up to the corners.
static void test_a_plane_stays_a_plane(void **state) {
    (void)state;
    ScriptArena arena = {0};
    ScriptFineSurface fine;
    subdivide_plane(&arena, 3, &fine);
    for (int i = 0; i < fine.quad_count * 4; i++) {
        const ScriptPlace *place = &fine.places[i / 4][i % 4];
        const float *point = fine.points[fine.quads[i / 4][i % 4]];
        const float column = (float)(place->quad % (COLUMNS - 1)) + place->u,
                    row = (float)(place->quad / (COLUMNS - 1)) + 1.0f - place->v;
        assert_true(fabsf(point[0] - 0.05f * column) < 1e-5f && fabsf(point[1] + 0.05f * row) < 1e-5f);
        assert_true(fabsf(fine.normals[fine.quads[i / 4][i % 4]][2] - 1.0f) < 1e-6f);
    }
    assert_int_equal(fine.border_count, 8 * 2 * (ROWS + COLUMNS - 2));
    script_arena_finish(&arena);
}

// Each edge of a closed surface has two triangles, of opposite directions.
static int compare(const void *a, const void *b) {
    return memcmp(a, b, 6 * sizeof(int));
}

static void assert_closed(const ScriptSurface *surface) {
    const int count = surface->triangle_count * 3;
    int(*sides)[7] = calloc((size_t)count, sizeof *sides); // both places in 10 um, and the direction
    for (int i = 0; i < count; i++) {
        const uint32_t *triangle = surface->triangles[i / 3];
        int ends[2][3];
        for (int k = 0; k < 6; k++)
            ends[k / 3][k % 3] = (int)lroundf(surface->positions[triangle[(i + k / 3) % 3]][k % 3] * 1e5f);
        const bool turned = memcmp(ends[0], ends[1], sizeof ends[0]) > 0;
        memcpy(sides[i], ends[turned], sizeof ends[0]);
        memcpy(sides[i] + 3, ends[!turned], sizeof ends[0]);
        sides[i][6] = turned ? -1 : 1;
    }
    qsort(sides, (size_t)count, sizeof *sides, compare);
    for (int i = 0; i < count; i += 2) {
        assert_memory_equal(sides[i], sides[i + 1], 6 * sizeof(int));
        assert_int_equal(sides[i][6] + sides[i + 1][6], 0);
        assert_true(i + 2 == count || compare(sides[i], sides[i + 2]) != 0);
    }
    free(sides);
}

// Closed, right side out: the volume of a plane's is its area times thickness, with half a round rod as its
// rim.
static void test_thickness_closes_the_surface(void **state) {
    (void)state;
    ScriptArena arena = {0};
    float points[ROWS * COLUMNS][3];
    for (int ring = 0; ring < 2; ring++) {
        const SimGarmentDef garment = grid(points, ring, 0.01f);
        ScriptClothSurface made;
        assert_true(script_cloth_surface(&arena, &garment, 0.004f, &made));
        assert_closed(&made.surface);
    }
    const SimGarmentDef flat = grid(points, false, 0.0f);
    ScriptClothSurface made;
    assert_true(script_cloth_surface(&arena, &flat, 0.004f, &made));
    const double area = 0.4 * 0.3, rim = 1.4 * 0.25 * 2.8284 * 0.002 * 0.002 * 2.0; // half an octagon
    assert_true(
        fabs(volume_inside(made.surface.positions, made.surface.triangles, made.surface.triangle_count) /
                 (area * 0.004 + rim) -
             1.0) < 0.01);
    script_arena_finish(&arena);
}

// Uvs have the lengths of the surface, on a cone as well: it is cut open and laid flat.
static void test_uvs_are_metres(void **state) {
    (void)state;
    ScriptArena arena = {0};
    float points[ROWS * COLUMNS][3];
    for (int ring = 0; ring < 2; ring++) {
        const SimGarmentDef garment = grid(points, ring, 0.0f);
        ScriptClothSurface made;
        assert_true(script_cloth_surface(&arena, &garment, 0.0f, &made));
        const ScriptSurface surface = made.surface;
        for (int i = 0; i < surface.triangle_count * 3; i++) {
            const uint32_t a = surface.triangles[i / 3][i % 3], b = surface.triangles[i / 3][(i + 1) % 3];
            const float length = glm_vec3_distance(surface.positions[a], surface.positions[b]);
            const float flat = glm_vec2_distance(surface.uvs[a], surface.uvs[b]);
            assert_true(fabsf(flat / length - 1.0f) < (ring ? 0.05f : 1e-3f));
        }
    }
    script_arena_finish(&arena);
}

// A fine surface that is laid out too large, with a bump, gets its true lengths on all its levels.
static void test_a_fine_surface_is_laid_flat(void **state) {
    (void)state;
    ScriptArena arena = {0};
    ScriptFineSurface fine;
    subdivide_plane(&arena, 2, &fine);
    float(*uvs)[2] = script_arena_alloc(&arena, (size_t)fine.point_count, sizeof *uvs);
    for (int i = 0; i < fine.point_count; i++) {
        uvs[i][0] = 1.1f * fine.points[i][0];
        uvs[i][1] = 1.1f * fine.points[i][1] + 0.01f * sinf(8.0f * fine.points[i][0]);
    }
    const ScriptFinePanels panels = {(const int(*)[4])fine.quads, (const float(*)[3])fine.points,
                                     fine.quad_count, fine.point_count, 2};
    assert_true(script_flatten_fine(&arena, &panels, uvs));
    for (int i = 0; i < fine.quad_count * 4; i++) {
        const int a = fine.quads[i / 4][i % 4], b = fine.quads[i / 4][(i + 1) % 4];
        const float length = glm_vec3_distance(fine.points[a], fine.points[b]);
        const float flat = glm_vec2_distance(uvs[a], uvs[b]);
        assert_true(fabsf(flat / length - 1.0f) < 0.01f);
    }
    script_arena_finish(&arena);
}

// A weave goes on round the rim: its uvs have the lengths of the half circle, which quads cut short by 2.6 %.
static void test_uvs_go_round_the_rim(void **state) {
    (void)state;
    ScriptArena arena = {0};
    float points[ROWS * COLUMNS][3];
    const SimGarmentDef garment = grid(points, false, 0.0f);
    ScriptClothSurface made;
    assert_true(script_cloth_surface(&arena, &garment, 0.004f, &made));
    const ScriptSurface surface = made.surface;
    int count = 0;
    for (int i = 0; i < surface.triangle_count * 3; i++) {
        const uint32_t a = surface.triangles[i / 3][i % 3], b = surface.triangles[i / 3][(i + 1) % 3];
        const float cosine = glm_vec3_dot(surface.normals[a], surface.normals[b]);
        if (b != a + 1 || fabsf(cosine - GLM_SQRT1_2f) > 1e-3f) continue;
        count++;
        const float length = glm_vec3_distance(surface.positions[a], surface.positions[b]);
        const float flat = glm_vec2_distance(surface.uvs[a], surface.uvs[b]);
        assert_true(fabsf(flat / length / 1.0262f - 1.0f) < 2e-3f);
    }
    assert_true(count > 4 * 2 * (ROWS + COLUMNS - 2));
    script_arena_finish(&arena);
}

// The links above and below a particle share it; the middle of a link is its own; all shares add up to 1.
static void test_bones_of_the_grid_carry_the_surface(void **state) {
    (void)state;
    float points[ROWS * COLUMNS][3];
    const SimGarmentDef garment = grid(points, true, 0.0f);
    ScriptClothPoint on = script_cloth_skin(&garment, 3.0f, 4.0f);
    assert_int_equal(on.particles[0], 2 * COLUMNS + 4);
    assert_int_equal(on.particles[2], 3 * COLUMNS + 4);
    assert_true(on.weights[0] == 0.5f && on.weights[2] == 0.5f);
    on = script_cloth_skin(&garment, 3.5f, 8.5f); // between the last column and the first
    float of_link[COLUMNS] = {0};
    for (int i = 0; i < 4; i++)
        if (on.particles[i] / COLUMNS == 3) of_link[on.particles[i] % COLUMNS] += on.weights[i];
    assert_true(of_link[8] == 0.5f && of_link[0] == 0.5f);
    for (float row = -1.0f; row < 8.0f; row += 0.37f)
        for (float column = -1.0f; column < 10.0f; column += 0.29f) {
            float sum = 0.0f;
            on = script_cloth_skin(&garment, row, column);
            for (int i = 0; i < 4; i++) {
                assert_in_range(on.particles[i], 0, (ROWS - 1) * COLUMNS - 1); // the last row has no bones
                sum += on.weights[i];
            }
            assert_true(fabsf(sum - 1.0f) < 1e-6f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_surface_passes_through_the_points),
        cmocka_unit_test(test_a_plane_stays_a_plane),
        cmocka_unit_test(test_thickness_closes_the_surface),
        cmocka_unit_test(test_uvs_are_metres),
        cmocka_unit_test(test_a_fine_surface_is_laid_flat),
        cmocka_unit_test(test_uvs_go_round_the_rim),
        cmocka_unit_test(test_bones_of_the_grid_carry_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
