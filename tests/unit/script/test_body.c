// The bodies of the shipped humans: closed, bound smoothly, within the colliders where cloth lies on them,
// and of the same volume when elbows and knees bend.
#include "script/motion.h"
#include "unit_test.h"

#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>

#define MOST_VERTICES 20000

typedef struct Body {
    Motion motion;
    const SimRigInfo *rig;
    const SimRenderMesh *mesh;
} Body;

static Body body;

static void load(const char *script) {
    assert_true(motion_start(&body.motion, script, 60, (float[3]){0.0f, -9.81f, 0.0f}));
    body.rig = body.motion.rig;
    body.mesh = NULL;
    for (int i = 0; i < body.rig->mesh_count; i++)
        if (strcmp(body.rig->meshes[i].name, "body") == 0) body.mesh = &body.rig->meshes[i];
    assert_non_null(body.mesh);
    assert_true(body.mesh->vertex_count <= MOST_VERTICES);
}

static int find_bone(const char *name) {
    for (int i = 0; i < body.rig->bone_count; i++)
        if (strcmp(body.rig->bones[i].name, name) == 0) return i;
    fail_msg("no bone %s", name);
    return -1;
}

static bool is_below(int bone, int above) {
    while (bone >= 0 && bone != above) bone = body.rig->bones[bone].parent;
    return bone >= 0;
}

// The share of a vertex that a bone and those below it have.
static double weight_below(int vertex, int above) {
    double sum = 0.0;
    for (int k = 0; k < SIM_MESH_JOINTS; k++)
        if (is_below(body.mesh->joints[vertex][k], above)) sum += (double)body.mesh->weights[vertex][k];
    return sum;
}

static double volume(const float (*positions)[3]) {
    double sum = 0.0;
    for (int i = 0; i < body.mesh->triangle_count; i++) {
        const uint32_t *triangle = body.mesh->triangles[i];
        vec3 normal;
        glm_vec3_cross((float *)positions[triangle[0]], (float *)positions[triangle[1]], normal);
        sum += (double)glm_vec3_dot(normal, (float *)positions[triangle[2]]) / 6.0;
    }
    return sum;
}

// The area of a closed surface's shadow is 0 from every side; m^2.
static double opening(void) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < body.mesh->triangle_count; i++) {
        vec3 corners[3], normal;
        for (int k = 0; k < 3; k++)
            glm_vec3_copy((float *)body.mesh->positions[body.mesh->triangles[i][k]], corners[k]);
        glm_vec3_sub(corners[1], corners[0], corners[1]);
        glm_vec3_sub(corners[2], corners[0], corners[2]);
        glm_vec3_cross(corners[1], corners[2], normal);
        for (int k = 0; k < 3; k++) sum[k] += 0.5 * (double)normal[k];
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

// How far a point is outside of all colliders, to first order, m.
static double outside(const float point[3]) {
    double least = INFINITY;
    for (int i = 0; i < body.rig->collider_count; i++) {
        const SimColliderDef *collider = &body.rig->colliders[i];
        const double place[3] = {(double)point[0], (double)point[1], (double)point[2]};
        double local[3], at = 0.0, steep = 0.0;
        motion_in_axes(collider, body.rig->bones[collider->bone].rest_model, place, local);
        for (int k = 0; k < 3; k++) {
            const double radius = (double)collider->radii[k];
            at += local[k] * local[k] / (radius * radius);
            steep += local[k] * local[k] / (radius * radius * radius * radius);
        }
        least = fmin(least, sqrt(at) * (sqrt(at) - 1.0) / sqrt(steep));
    }
    return least;
}

static void check_weights(void) {
    for (int i = 0; i < body.mesh->vertex_count; i++) {
        double sum = 0.0;
        for (int k = 0; k < SIM_MESH_JOINTS; k++) sum += (double)body.mesh->weights[i][k];
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
}

// Where trunk and legs alone move the skin, it lies in the colliders; only the hollows between them, over
// which cloth is stretched, are filled.
static void check_skin_is_inside(const char *const parts[], double most) {
    long samples = 0, out = 0;
    double farthest = 0.0;
    for (int i = 0; i < body.mesh->vertex_count; i++) {
        double share = 0.0;
        for (int k = 0; k < SIM_MESH_JOINTS; k++)
            for (int part = 0; parts[part]; part++)
                if (body.mesh->joints[i][k] == find_bone(parts[part]))
                    share += (double)body.mesh->weights[i][k];
        if (share < 0.995) continue;
        const double distance = outside(body.mesh->positions[i]);
        farthest = fmax(farthest, distance);
        samples++;
        if (distance > 0.002) out++;
    }
    print_message("%ld vertices, %.1f %% more than 2 mm out, at most %.1f mm\n", samples,
                  100.0 * (double)out / (double)samples, 1e3 * farthest);
    assert_true(samples > 500 && farthest < most && (double)out < 0.15 * (double)samples);
}

// Bends a joint about an axis of model space. Returns how much of the volume of a ball round it is gained.
static double bend(const char *name, const float axis[3], float degrees, float radius) {
    static float bent[MOST_VERTICES][3];
    const int joint = find_bone(name);
    versor turn;
    glm_quatv(turn, glm_rad(degrees), (float *)axis);
    for (int i = 0; i < body.mesh->vertex_count; i++) {
        vec3 turned;
        float *at = (float *)body.rig->bones[joint].rest_model[3];
        glm_vec3_sub((float *)body.mesh->positions[i], at, turned);
        glm_quat_rotatev(turn, turned, turned);
        glm_vec3_add(turned, at, turned);
        glm_vec3_lerp((float *)body.mesh->positions[i], turned, (float)weight_below(i, joint), bent[i]);
    }
    const double ball = 4.0 / 3.0 * GLM_PI * pow((double)radius, 3.0);
    const double gain = (volume((const float(*)[3])bent) - volume(body.mesh->positions)) / ball;
    print_message("%s bent by %.0f degrees: %+.1f %% of a ball of %.0f cm\n", name, (double)degrees,
                  100.0 * gain, 100.0 * (double)radius);
    return gain;
}

static void test_the_human(void **state) {
    (void)state;
    static const char *const parts[] = {"Hips",       "LowerBack", "Spine",    "LeftUpLeg",
                                        "RightUpLeg", "LeftLeg",   "RightLeg", NULL};
    load("undressed"); // skin under clothes is left out
    check_weights();
    check_skin_is_inside(parts, 0.010);
    const int hand = find_bone("LeftHand"), legs[] = {find_bone("LeftUpLeg"), find_bone("RightUpLeg")};
    for (int i = 0; i < body.mesh->vertex_count; i++)
        if (weight_below(i, hand) > 0.0)
            assert_true(weight_below(i, legs[0]) + weight_below(i, legs[1]) == 0.0);
    assert_true(bend("LeftForeArm", (float[]){-1.0f, 0.0f, 0.0f}, 90.0f, 0.06f) > -0.15);
    assert_true(bend("LeftLeg", (float[]){1.0f, 0.0f, 0.0f}, 90.0f, 0.09f) > -0.15);
    motion_finish(&body.motion);
}

static void test_another_skeleton(void **state) {
    (void)state;
    static const char *const parts[] = {"Hips", "Ab", "LeftHip", "RightHip", "RightKnee", "LeftKnee", NULL};
    load("undressed_boxer");
    check_weights();
    check_skin_is_inside(parts, 0.010);
    motion_finish(&body.motion);
}

static void test_the_mannequin(void **state) {
    (void)state;
    static const char *const parts[] = {"Hips",       "LowerBack", "Spine",    "LeftUpLeg",
                                        "RightUpLeg", "LeftLeg",   "RightLeg", NULL};
    load("lofted");
    check_weights();
    check_skin_is_inside(parts, 0.010);
    assert_true(volume(body.mesh->positions) > 0.04 && opening() < 1e-6);
    assert_true(bend("LeftForeArm", (float[]){-1.0f, 0.0f, 0.0f}, 90.0f, 0.06f) > -0.25);
    assert_true(bend("LeftLeg", (float[]){1.0f, 0.0f, 0.0f}, 90.0f, 0.09f) > -0.25);
    motion_finish(&body.motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_human),
        cmocka_unit_test(test_another_skeleton),
        cmocka_unit_test(test_the_mannequin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
