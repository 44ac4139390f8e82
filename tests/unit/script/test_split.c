// split = true: a long ellipsoid becomes two rounder ones that have nearly its shape.
#include "script/fixture.h"

#include <cglm/cglm.h>
#include <math.h>

// Each case has its own file, since a loaded script is not read again.
static ScriptCharacter *load(Fixture *fixture, const char *script, const char *colliders,
                             const char *garment_colliders) {
    static char text[4096];
    char path[64];
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    snprintf(text, sizeof text,
             "return tweed.character {\n"
             "  skeleton = tweed.skeleton { { name = 'Hips' } },\n"
             "  colliders = {\n%s  },\n"
             "  garments = { tweed.pendulum { name = 'bob', bone = 'Hips', rest = { 0, -1, 0 }, "
             "fabric = 'wool', colliders = %s } } }\n",
             colliders, garment_colliders);
    snprintf(path, sizeof path, "scripts/%s.lua", script);
    write_file(path, text);
    return script_character_load(fixture_host(fixture), script, &fixture->findings);
}

static const SimRigInfo *rig_of(Fixture *fixture, ScriptCharacter *character) {
    assert_findings(&fixture->findings, "");
    assert_non_null(character);
    return sim_rig_info(fixture->world, script_character_info(character)->rig);
}

// How far a point is outside an ellipsoid, below 0 inside, both in its own axes: the nearest point of the
// surface is x_i = e_i^2 y_i / (t + e_i^2) where sum (x_i / e_i)^2 = 1, by bisection.
static double distance(const float radii[3], const float point[3]) {
    double e[3], y[3], low = -HUGE_VAL, high = 0.0, square = 0.0, level = 0.0;
    for (int i = 0; i < 3; i++) {
        e[i] = (double)radii[i];
        y[i] = fmax(fabs((double)point[i]), 1e-9);
        low = fmax(low, e[i] * (y[i] - e[i]));
        high += e[i] * y[i];
        level += pow(y[i] / e[i], 2.0);
    }
    for (int round = 0; round < 100; round++) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 3; i++) sum += pow(e[i] * y[i] / (t + e[i] * e[i]), 2.0);
        *(sum > 1.0 ? &low : &high) = t;
    }
    for (int i = 0; i < 3; i++) square += pow(e[i] * e[i] * y[i] / (high + e[i] * e[i]) - y[i], 2.0);
    return level < 1.0 ? -sqrt(square) : sqrt(square);
}

// How deep the union of the halves is inside the whole at most, and how far it stands out.
static void deviation(const SimColliderDef halves[2], const float radii[3], const float center[3],
                      double out[2]) {
    versor back;
    vec3 centers[2];
    out[0] = HUGE_VAL, out[1] = -HUGE_VAL;
    glm_quat_conjugate((float *)halves[0].rotation, back);
    for (int half = 0; half < 2; half++) {
        glm_vec3_sub((float *)halves[half].center, (float *)center, centers[half]);
        glm_quat_rotatev(back, centers[half], centers[half]);
    }
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 120 * 60; i++) {
            float latitude = (float)GLM_PI * (float)(i / 60) / 119.0f,
                  turn = 2.0f * (float)GLM_PI * (float)(i % 60) / 60.0f;
            vec3 point = {sinf(latitude) * cosf(turn), cosf(latitude), sinf(latitude) * sinf(turn)}, other;
            glm_vec3_mul(point, (float *)halves[half].radii, point);
            glm_vec3_add(point, centers[half], point);
            glm_vec3_sub(point, centers[1 - half], other);
            if (distance(halves[1 - half].radii, other) < 0.0) continue;
            double outside = distance(radii, point);
            out[0] = fmin(out[0], outside);
            out[1] = fmax(out[1], outside);
        }
}

// At most a tenth of the middle radius off, for any shape and direction of the long axis.
static void test_the_union_is_nearly_the_whole(void **state) {
    Fixture *fixture = *state;
    static const char *const radii_text[] = {"{ .08, .24, .08 }", "{ .5, .1, .05 }", "{ .03, .06, .6 }"};
    static const char *const scripts[] = {"characters/a", "characters/b", "characters/c"};
    static const float radii[][3] = {{.08f, .24f, .08f}, {.5f, .1f, .05f}, {.03f, .06f, .6f}};
    static const float middle[] = {.08f, .1f, .06f}, center[] = {.1f, -.2f, .3f};
    for (int i = 0; i < 3; i++) {
        char text[512];
        double found[2];
        snprintf(text, sizeof text,
                 "tweed.ellipsoid { name = 'thigh', bone = 'Hips', center = { .1, -.2, .3 }, radii = %s,\n"
                 "  rotation = tweed.quaternion.axis_angle({ 1, 2, 3 }, .8), split = true },\n",
                 radii_text[i]);
        const SimRigInfo *rig = rig_of(fixture, load(fixture, scripts[i], text, "nil"));
        assert_int_equal(rig->collider_count, 2);
        assert_string_equal(rig->colliders[0].name, "thigh_a");
        assert_string_equal(rig->colliders[1].name, "thigh_b");
        assert_int_equal(rig->garments[0].collider_count, 2);
        deviation(rig->colliders, radii[i], center, found);
        if (!(found[0] > -0.1 * (double)middle[i] && found[1] < 0.1 * (double)middle[i]))
            fail_msg("%g to %g m off", found[0], found[1]);
        assert_true(found[0] < -0.05 * (double)middle[i] && found[1] > 0.05 * (double)middle[i]);
        // The tips stay in place: a half's centre and radius add up to the whole's.
        vec3 way;
        glm_vec3_sub((float *)rig->colliders[1].center, (float *)center, way);
        float longest = glm_vec3_max((float *)rig->colliders[1].radii);
        assert_true(fabsf(glm_vec3_norm(way) + longest - glm_vec3_max((float *)radii[i])) < 1e-6f);
    }
}

static const char three[] =
    "tweed.sphere { name = 'head', bone = 'Hips', radius = .1 },\n"
    "tweed.ellipsoid { name = 'short', bone = 'Hips', radii = { .1, .24, .05 }, split = true },\n"
    "tweed.ellipsoid { name = 'long', bone = 'Hips', radii = { .1, .26, .05 }, split = true },\n"
    "tweed.ellipsoid { name = 'whole', bone = 'Hips', radii = { .1, .9, .05 } },\n";

// A garment may name the whole or a half. Short ellipsoids, and those without split, stay whole.
static void test_split_colliders_and_their_garments(void **state) {
    Fixture *fixture = *state;
    static const char *const names[] = {"head", "short", "long_a", "long_b", "whole"};
    const SimRigInfo *rig =
        rig_of(fixture, load(fixture, "characters/x", three, "{ 'long', 'head', 'long_b' }"));
    assert_int_equal(rig->collider_count, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(rig->colliders[i].name, names[i]);
    assert_true(rig->colliders[2].center[1] < 0.0f && rig->colliders[3].center[1] > 0.0f);
    static const int met[] = {2, 3, 0, 3};
    assert_int_equal(rig->garments[0].collider_count, 4);
    assert_memory_equal(rig->garments[0].colliders, met, sizeof met);
}

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    load(fixture, "characters/x",
         "tweed.sphere { name = 'arm_b', bone = 'Hips', radius = .1 },\n"
         "tweed.ellipsoid { name = 'arm', bone = 'Hips', radii = { .1, .5, .1 }, split = true },\n",
         "{ 'arm_c' }");
    assert_findings(
        &fixture->findings,
        "scripts/characters/x.lua:5: error: colliders[2].name: there is another collider \"arm_b\"\n"
        "scripts/characters/x.lua:7: error: garments[1].colliders[1]: no collider \"arm_c\"; did you "
        "mean \"arm_b\"?\n");
}

static void test_names_too_long_to_split(void **state) {
    Fixture *fixture = *state;
    load(fixture, "characters/x",
         "tweed.ellipsoid { name = 'a', bone = 'Hips', radii = { .1, .5, .1 }, split = true },\n"
         "tweed.ellipsoid { name = ('x'):rep(63), bone = 'Hips', radii = { .1, .5, .1 }, split = true },\n",
         "nil");
    assert_findings(&fixture->findings,
                    "scripts/characters/x.lua:5: error: colliders[2].name: expected 1 to 64 "
                    "bytes without * ? [\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_the_union_is_nearly_the_whole),
        FIXTURE_TEST(test_split_colliders_and_their_garments),
        FIXTURE_TEST(test_mistakes),
        FIXTURE_TEST(test_names_too_long_to_split),
    };
    return cmocka_run_group_tests_name("script split", tests, NULL, NULL);
}
