// Weights by geodesic distances: parallel tubes, symmetry, translation, a bent capsule's volume, and errors.
#include "asset/skin.h"
#include "unit_test.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 48
#define ALONG 96
#define TUBE  (ROUND * (ALONG - 1) + 2) // vertices of a capsule

typedef struct Body {
    float positions[2 * TUBE][3];
    uint32_t triangles[4 * ROUND * (ALONG - 1)][3];
    uint16_t joints[2 * TUBE][SIM_INFLUENCES];
    float weights[2 * TUBE][SIM_INFLUENCES];
    AssetBoneSegment segments[4];
    AssetBindDef def;
} Body;

static const char *const names[] = {"upper", "lower", "left", "right"};

static Body *new_body(void) {
    Body *body = calloc(1, sizeof *body);
    body->def = (AssetBindDef){
        .positions = (const float(*)[3])body->positions,
        .triangles = (const uint32_t(*)[3])body->triangles,
        .segments = body->segments,
        .bone_names = names,
        .resolution = ASSET_DEFAULT_RESOLUTION,
        .sharpness = ASSET_DEFAULT_SHARPNESS,
    };
    return body;
}

// Adds a capsule along y, its ends half spheres, from one pole to the other.
static void add_capsule(Body *body, vec3 low, float length, float radius) {
    AssetBindDef *def = &body->def;
    const uint32_t first = (uint32_t)def->vertex_count;
    for (int i = 0; i <= ALONG; i++) { // by the length along the outline
        const float quarter = radius * GLM_PI_2f;
        const float along = (length + 2 * quarter) * (float)i / ALONG;
        const float beyond = along - quarter - length;
        const float angle = along < quarter ? along / radius - GLM_PI_2f : fmaxf(0.0f, beyond / radius);
        const float y = glm_clamp(along - quarter, 0.0f, length) + radius * sinf(angle);
        for (int k = 0; k < (i % ALONG ? ROUND : 1); k++) {
            const float turn = 2.0f * GLM_PIf * ((float)k + 0.5f) / ROUND;
            const float out = i % ALONG ? radius * cosf(angle) : 0.0f;
            float *position = body->positions[def->vertex_count++];
            glm_vec3_add(low, (vec3){out * cosf(turn), y, out * sinf(turn)}, position);
        }
    }
    for (int i = 0; i < ALONG; i++) {
        for (uint32_t k = 0; k < ROUND; k++) {
            const uint32_t ring = first + 1 + (uint32_t)(i - 1) * ROUND, next = (k + 1) % ROUND;
            const uint32_t a = i ? ring + k : first, b = i ? ring + next : first;
            const uint32_t c = i < ALONG - 1 ? ring + ROUND + k : first + TUBE - 1;
            const uint32_t d = i < ALONG - 1 ? ring + ROUND + next : first + TUBE - 1;
            uint32_t(*triangles)[3] = body->triangles;
            if (i) memcpy(triangles[def->triangle_count++], (uint32_t[]){a, c, b}, sizeof *triangles);
            if (i < ALONG - 1)
                memcpy(triangles[def->triangle_count++], (uint32_t[]){b, c, d}, sizeof *triangles);
        }
    }
}

static void add_bone(Body *body, vec3 from, vec3 to) {
    AssetBoneSegment *segment = &body->segments[body->def.segment_count++];
    segment->bone = body->def.bone_count++;
    glm_vec3_copy(from, segment->from);
    glm_vec3_copy(to, segment->to);
}

// A capsule of 60 cm and two bones that meet in its middle.
static Body *new_arm(vec3 low) {
    Body *body = new_body();
    vec3 middle, high;
    add_capsule(body, low, 0.6f, 0.05f);
    glm_vec3_add(low, (vec3){0.0f, 0.3f, 0.0f}, middle);
    glm_vec3_add(low, (vec3){0.0f, 0.6f, 0.0f}, high);
    add_bone(body, low, middle);
    add_bone(body, middle, high);
    return body;
}

static void bind(Body *body) {
    AssetError error = {""};
    if (!asset_bind(&body->def, NULL, body->joints, body->weights, &error)) fail_msg("%s", error.message);
}

static float weight_of(const Body *body, int vertex, int bone) {
    for (int k = 0; k < SIM_INFLUENCES; k++)
        if (body->joints[vertex][k] == bone) return body->weights[vertex][k];
    return 0.0f;
}

static double volume(const Body *body) {
    double sum = 0.0;
    for (int i = 0; i < body->def.triangle_count; i++) {
        const uint32_t *triangle = body->triangles[i];
        vec3 normal;
        glm_vec3_cross((float *)body->positions[triangle[0]], (float *)body->positions[triangle[1]], normal);
        sum += (double)glm_vec3_dot(normal, (float *)body->positions[triangle[2]]) / 6.0;
    }
    return sum;
}

static void test_parallel_tubes_take_nothing_from_each_other(void **state) {
    (void)state;
    Body *body = new_body(); // 2 cm apart, which is 4 voxels
    add_capsule(body, (vec3){0.0f, 0.0f, 0.0f}, 0.6f, 0.05f);
    add_capsule(body, (vec3){0.12f, 0.0f, 0.0f}, 0.6f, 0.05f);
    add_bone(body, (vec3){0.0f, 0.0f, 0.0f}, (vec3){0.0f, 0.6f, 0.0f});
    add_bone(body, (vec3){0.12f, 0.0f, 0.0f}, (vec3){0.12f, 0.6f, 0.0f});
    bind(body);
    for (int i = 0; i < 2 * TUBE; i++) {
        assert_int_equal(body->joints[i][0], i / TUBE);
        assert_true(body->weights[i][0] == 1.0f);
    }
    free(body);
}

static void test_weights_sum_to_one_and_fall_off(void **state) {
    (void)state;
    Body *body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    bind(body);
    float last = 1.0f;
    for (int i = 0; i < TUBE; i++) {
        double sum = 0.0;
        for (int k = 0; k < SIM_INFLUENCES; k++) sum += (double)body->weights[i][k];
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
    for (int i = 1; i < TUBE; i += ROUND) { // along one line: smoothly from one bone to the other
        const float weight = weight_of(body, i, 0);
        assert_true(weight <= last + 1e-3f && weight > last - 0.15f);
        last = weight;
    }
    assert_true(weight_of(body, 0, 0) == 1.0f && weight_of(body, TUBE - 1, 1) == 1.0f);
    free(body);
}

// The vertices k of ring i and of its mirror image in the middle of the capsule.
static void test_symmetric_meshes_have_symmetric_weights(void **state) {
    (void)state;
    Body *body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    bind(body);
    for (int i = 1; i < ALONG; i++) {
        for (int k = 0; k < ROUND; k++) {
            const int vertex = 1 + (i - 1) * ROUND + k;
            const int across = 1 + (i - 1) * ROUND + ROUND - 1 - k;
            const int above = 1 + (ALONG - 1 - i) * ROUND + k;
            assert_float_equal(weight_of(body, vertex, 0), weight_of(body, across, 0), 2e-3);
            assert_float_equal(weight_of(body, vertex, 0), weight_of(body, above, 1), 2e-2);
        }
    }
    free(body);
}

static void test_translation_changes_nothing(void **state) {
    (void)state;
    Body *body = new_arm((vec3){0.0f, 0.0f, 0.0f}), *moved = new_arm((vec3){4.0f, -8.0f, 2.0f});
    bind(body);
    bind(moved);
    for (int i = 0; i < TUBE; i++) assert_float_equal(weight_of(body, i, 0), weight_of(moved, i, 0), 1e-2);
    free(body);
    free(moved);
}

static void test_a_bent_capsule_keeps_its_volume(void **state) {
    (void)state;
    Body *body = new_arm((vec3){0.0f, -0.3f, 0.0f});
    versor turn;
    bind(body);
    const double before = volume(body);
    assert_true(fabs(before / (GLM_PI * 0.0025 * (0.6 + 4.0 / 3.0 * 0.05)) - 1.0) < 0.01);
    glm_quatv(turn, GLM_PI_2f, (vec3){1.0f, 0.0f, 0.0f});
    for (int i = 0; i < TUBE; i++) {
        vec3 turned;
        glm_quat_rotatev(turn, body->positions[i], turned);
        glm_vec3_lerp(body->positions[i], turned, weight_of(body, i, 1), body->positions[i]);
    }
    printf("bent by 90 degrees: %.1f %% of the volume\n", 100.0 * volume(body) / before);
    assert_true(volume(body) > 0.94 * before);
    free(body);
}

static void expect_error(Body *body, const char *message) {
    AssetError error = {""};
    assert_false(asset_bind(&body->def, NULL, body->joints, body->weights, &error));
    assert_string_equal(error.message, message);
    free(body);
}

static void test_errors(void **state) {
    (void)state;
    Body *body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    add_bone(body, (vec3){1.0f, 0.0f, 0.0f}, (vec3){1.0f, 1.0f, 0.0f});
    expect_error(body, "bone \"left\" is outside of the mesh");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    body->def.triangle_count -= 31 * ROUND; // the upper end is missing
    expect_error(body,
                 "bone \"upper\" is outside of the mesh, which is open: 48 of its edges have one triangle");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    body->positions[7][1] = NAN;
    expect_error(body, "vertex 8: expected positions within 10000 m, found nan");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    body->triangles[2][1] = TUBE;
    expect_error(body, "triangle 3: no vertex 4563 among 4562");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    for (int i = 0; i < TUBE; i++) glm_vec3_zero(body->positions[i]);
    expect_error(body, "its 9120 triangles have no area");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    body->def.resolution = 1000;
    expect_error(body, "expected a resolution of 16 to 256 voxels, found 1000");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f});
    body->def.segment_count = 0;
    expect_error(body, "no bone is inside the mesh: expected one at least");

    body = new_arm((vec3){0.0f, 0.0f, 0.0f}); // a cube of 256 voxels a side
    body->positions[0][0] = body->positions[0][2] = 0.9f;
    body->def.resolution = 256;
    AssetError error = {""};
    assert_false(asset_bind(&body->def, NULL, body->joints, body->weights, &error));
    assert_non_null(strstr(error.message, "at a resolution of 256 the mesh takes "));
    free(body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel_tubes_take_nothing_from_each_other),
        cmocka_unit_test(test_weights_sum_to_one_and_fall_off),
        cmocka_unit_test(test_symmetric_meshes_have_symmetric_weights),
        cmocka_unit_test(test_translation_changes_nothing),
        cmocka_unit_test(test_a_bent_capsule_keeps_its_volume),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
