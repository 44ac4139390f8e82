// Surfaces: a file's, lofted ones, skin pulled into shapes, and what is kept of a binding.
#include "asset/skin.h"
#include "bvh.h"
#include "volume.h"

#include <cglm/vec3.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static AssetShape ball(float x, float radius) {
    return (AssetShape){
        .center = {x, 0.0f, 0.0f}, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .radii = {radius, radius, radius}};
}

static AssetBindDef mesh_of(const AssetSurface *surface, const AssetBoneSegment *segments, int count) {
    static const char *const names[] = {"left", "right"};
    return (AssetBindDef){
        .positions = (const float(*)[3])surface->positions,
        .vertex_count = surface->vertex_count,
        .triangles = (const uint32_t(*)[3])surface->triangles,
        .triangle_count = surface->triangle_count,
        .segments = segments,
        .segment_count = count,
        .bone_names = names,
        .bone_count = 2,
        .resolution = 64,
        .sharpness = ASSET_DEFAULT_SHARPNESS,
    };
}

static void test_a_loft_is_closed_and_smooth(void **state) {
    (void)state;
    AssetError error = {""};
    AssetSurface surface;
    AssetShape shapes[] = {ball(0.0f, 0.1f), ball(0.25f, 0.1f)};
    assert_true(asset_surface_loft(&surface, shapes, 1, 0.01f, 0.01f, NULL, &error));
    for (int i = 0; i < surface.vertex_count; i++)
        assert_true(fabsf(glm_vec3_norm(surface.positions[i]) - 0.1f) < 1e-5f);
    assert_int_equal(surface.triangle_count, 2 * surface.vertex_count - 4); // Euler's number of a sphere
    assert_true(fabs(volume_inside(surface.positions, surface.triangles, surface.triangle_count) /
                         (4.0 / 3.0 * GLM_PI * 1e-3) -
                     1.0) < 0.01);
    asset_surface_finish(&surface);

    assert_true(asset_surface_loft(&surface, shapes, 2, 0.01f, 0.002f, NULL, &error));
    assert_int_equal(surface.triangle_count, 2 * surface.vertex_count - 8); // two, 5 cm apart
    asset_surface_finish(&surface);
    assert_true(asset_surface_loft(&surface, shapes, 2, 0.01f, 0.05f, NULL, &error));
    assert_int_equal(surface.triangle_count, 2 * surface.vertex_count - 4); // one
    asset_surface_finish(&surface);

    assert_false(asset_surface_loft(&surface, shapes, 2, 1e-4f, 0.01f, NULL, &error));
    assert_string_equal(error.message, "cells of 0.0001 m are more than 8000000");
    assert_false(asset_surface_loft(&surface, shapes, 0, 0.01f, 0.01f, NULL, &error));
    assert_string_equal(error.message, "expected one shape at least");
}

static void test_a_capsule_is_far_from_its_surface(void **state) {
    (void)state;
    const AssetShape capsule = {
        .kind = ASSET_SHAPE_CAPSULE, .to = {0.0f, 1.0f, 0.0f}, .radius = 0.2f, .radius_end = 0.1f};
    vec3 outward;
    assert_float_equal(asset_shape_distance(&capsule, (vec3){0.5f, 0.5f, 0.0f}, outward), 0.35f, 1e-6);
    assert_float_equal(outward[0], 1.0f, 1e-6);
    assert_float_equal(asset_shape_distance(&capsule, (vec3){0.0f, 1.5f, 0.0f}, outward), 0.4f, 1e-6);
    assert_float_equal(outward[1], 1.0f, 1e-6);
}

static void test_skin_is_pulled_into_shapes(void **state) {
    (void)state;
    AssetError error = {""};
    AssetSurface surface;
    const AssetShape skin = ball(0.0f, 0.12f), flesh = ball(0.0f, 0.1f);
    assert_true(asset_surface_loft(&surface, &skin, 1, 0.01f, 0.01f, NULL, &error));
    float *shares = malloc((size_t)surface.vertex_count * sizeof *shares);
    for (int i = 0; i < surface.vertex_count; i++) shares[i] = surface.positions[i][0] > 0.0f ? 1.0f : 0.0f;
    const AssetBindDef mesh = mesh_of(&surface, NULL, 0);
    const AssetTuckDef def = {
        .shapes = &flesh, .shape_count = 1, .blend = 0.01f, .margin = 0.002f, .shares = shares};
    assert_true(asset_skin_tuck(&mesh, &def, NULL, surface.positions, &error));
    for (int i = 0; i < surface.vertex_count; i++) {
        const float radius = glm_vec3_norm(surface.positions[i]);
        if (shares[i] > 0.0f)
            assert_true(radius < 0.1022f && radius > 0.09f);
        else
            assert_true(fabsf(radius - 0.12f) < 1e-5f);
    }
    free(shares);
    asset_surface_finish(&surface);
}

static void test_a_binding_is_kept_by_content(void **state) {
    (void)state;
    char root[] = "/tmp/tweed-skin-XXXXXX", folder[80], path[160] = "";
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/cache/tweed", root); // made as needed
    AssetError error = {""};
    AssetSurface surface;
    AssetShape shapes[] = {ball(0.0f, 0.1f), ball(0.1f, 0.1f)};
    assert_true(asset_surface_loft(&surface, shapes, 2, 0.02f, 0.01f, NULL, &error));
    AssetBoneSegment segments[] = {{.bone = 0}, {.bone = 1, .from = {0.1f}, .to = {0.1f}}};
    AssetBindDef def = mesh_of(&surface, segments, 2);
    uint16_t joints[2][1000][SIM_INFLUENCES];
    float weights[2][1000][SIM_INFLUENCES];
    assert_true(surface.vertex_count < 1000);
    const size_t size = (size_t)surface.vertex_count * sizeof *weights[0];
    assert_true(asset_bind(&def, folder, joints[0], weights[0], &error));
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/%.60s", folder, entry->d_name);
    closedir(directory);

    // Read back, unless a single bit is wrong.
    for (int broken = 0; broken < 2; broken++) {
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, -1, SEEK_END);
        const int last = fgetc(file);
        fseek(file, -1, SEEK_END);
        fputc(broken ? last ^ 1 : last, file);
        fclose(file);
        struct stat before, after;
        stat(path, &before);
        memset(weights[1], 0, sizeof weights[1]);
        assert_true(asset_bind(&def, folder, joints[1], weights[1], &error));
        assert_memory_equal(weights[0], weights[1], size);
        stat(path, &after);
        assert_int_equal(before.st_ino != after.st_ino, broken); // computed and written anew
    }
    // Another definition has a file of its own; where none can be, it is computed.
    segments[1].to[0] = 0.12f;
    assert_true(asset_bind(&def, "/proc/none", joints[1], weights[1], &error));
    assert_memory_not_equal(weights[0], weights[1], size);
    assert_true(asset_bind(&def, folder, joints[0], weights[0], &error));
    assert_memory_equal(weights[0], weights[1], size);
    asset_surface_finish(&surface);
    char command[120];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void test_a_file_has_a_surface(void **state) {
    (void)state;
    AssetError error = {""};
    char path[256], expected[400];
    AssetSurface surface;
    if (!asset_can_import(&error) || !asset_find("Collada/human.zae", NULL, 0, path, sizeof path, &error))
        skip();
    assert_true(asset_surface_load(&surface, path, "human-baseMesh", 1.0f, NULL, NULL, &error));
    assert_int_equal(surface.triangle_count, 26756);
    vec3 low = {1.0f, 1.0f, 1.0f}, high = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < surface.vertex_count; i++) {
        glm_vec3_minv(low, surface.positions[i], low);
        glm_vec3_maxv(high, surface.positions[i], high);
    }
    assert_true(fabsf(high[1] - 1.66f) < 0.01f && fabsf(low[1]) < 0.01f &&
                volume_inside(surface.positions, surface.triangles, surface.triangle_count) > 0.05);
    asset_surface_finish(&surface);
    assert_false(asset_surface_load(&surface, path, "human", 1.0f, NULL, NULL, &error));
    snprintf(expected, sizeof expected,
             "%s: no mesh \"human\"; it has \"human-baseMesh\", \"human-highpolyeyesMesh\"", path);
    assert_string_equal(error.message, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loft_is_closed_and_smooth),
        cmocka_unit_test(test_a_capsule_is_far_from_its_surface),
        cmocka_unit_test(test_skin_is_pulled_into_shapes),
        cmocka_unit_test(test_a_binding_is_kept_by_content),
        cmocka_unit_test(test_a_file_has_a_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
