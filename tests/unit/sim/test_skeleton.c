// The driven layer: twist, aim, position and slide constraints, and the order in which they are solved.
#include "sim_fixture.h"

#include <cglm/cglm.h>

// Poses all bones by a clip of one frame.
static const mat4 *solve(Fixture *fixture) {
    fixture->garment.name = NULL;
    fixture->rig.garment_count = 0;
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    fixture_steps(fixture, 1);
    return sim_character_bones_model(fixture->world, fixture->character);
}

static SimConstraintDef *constrain(Fixture *fixture, SimConstraintDef *list, SimConstraintKind kind, int bone,
                                   int other) {
    SimConstraintDef *constraint = &list[fixture->rig.constraint_count++];
    fixture->rig.constraints = list;
    *constraint = sim_default_constraint_def();
    constraint->kind = kind;
    constraint->bone = bone;
    constraint->other = other;
    return constraint;
}

static void rotation(float x, float y, float z, float degrees, versor out) {
    glm_quatv(out, glm_rad(degrees), (vec3){x, y, z});
}

static double angle_between(const float a[3], const float b[3]) {
    vec3 cross;
    glm_vec3_cross((float *)a, (float *)b, cross);
    return atan2((double)glm_vec3_norm(cross), (double)glm_vec3_dot((float *)a, (float *)b)) * 180.0 /
           FIXTURE_PI;
}

// A shoulder pad that hangs at the chest and looks at a spot on the arm, which is raised.
static void shoulder(Fixture *fixture) {
    fixture_init(fixture);
    int chest = fixture_add_bone(fixture, "chest", 0, 0.0f, 1.4f, 0.0f);
    int arm = fixture_add_bone(fixture, "arm", chest, 0.2f, 0.1f, 0.0f);
    int pad = fixture_add_bone(fixture, "pad", chest, 0.05f, 0.15f, -0.02f);
    fixture->bones[pad].kind = SIM_BONE_DRIVEN;
    rotation(0.6f, 0.0f, 0.8f, 40.0f, fixture->bones[pad].rotation);
    fixture_add_clip(fixture, 60.0f, 2, false);
    for (int frame = 0; frame < 2; frame++) {
        rotation(0.0f, 0.6f, 0.8f, 75.0f, fixture->clip_rotations[4 * frame + arm]);
        rotation(0.0f, 1.0f, 0.0f, 30.0f, fixture->clip_rotations[4 * frame + chest]);
    }
}

static void test_aim_looks_at_the_spot(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    double off[3];
    for (int i = 0; i < 3; i++) {
        shoulder(fixture);
        SimConstraintDef *aim = constrain(fixture, list, SIM_CONSTRAINT_AIM, 3, 2);
        glm_vec3_copy((vec3){0.1f, 0.02f, -0.03f}, aim->offset);
        glm_vec3_copy((vec3){0.0f, 3.0f, 0.0f}, aim->axis); // need not be of unit length
        aim->weight = 0.5f * (float)i;
        const mat4 *bones = solve(fixture);
        vec3 spot, way;
        glm_mat4_mulv3((vec4 *)bones[2], aim->offset, 1.0f, spot);
        glm_vec3_sub(spot, (float *)bones[3][3], way);
        off[i] = angle_between(bones[3][1], way);
        for (int axis = 0; axis < 3; axis++) assert_near(glm_vec3_norm((float *)bones[3][axis]), 1.0, 1e-5);
        fixture_finish(fixture);
    }
    assert_at_least(off[0], 20.0);
    assert_near(off[1], off[0] / 2.0, 0.01);
    assert_near(off[2], 0.0, 0.01);
}

// Aim is the smallest turn that brings the axis to the direction.
static void test_aim_does_not_twist(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    shoulder(fixture);
    SimConstraintDef *aim = constrain(fixture, list, SIM_CONSTRAINT_AIM, 3, -1);
    glm_vec3_copy((vec3){-2.0f, -3.0f, 1.0f}, aim->direction);
    const mat4 *bones = solve(fixture);
    mat4 before, chest, pad;
    glm_quat_mat4(fixture->clip_rotations[1], chest);
    glm_quat_mat4(fixture->bones[3].rotation, pad);
    glm_mat4_mul(chest, pad, before);
    assert_near(angle_between(bones[3][0], aim->direction), 0.0, 0.01);
    vec3 axis, turned;
    glm_vec3_cross(before[0], aim->direction, axis);
    glm_vec3_normalize(axis);
    float angle = glm_rad((float)angle_between(before[0], aim->direction));
    for (int i = 0; i < 3; i++) {
        glm_vec3_copy(before[i], turned);
        glm_vec3_rotate(turned, angle, axis);
        assert_near(angle_between(turned, bones[3][i]), 0.0, 0.02);
    }
}

static void test_aim_opposite_and_at_its_own_pivot(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    for (int at_pivot = 0; at_pivot < 2; at_pivot++) {
        fixture_init(fixture);
        int bone = fixture_add_bone(fixture, "bone", 0, 0.0f, 1.0f, 0.0f);
        fixture_add_clip(fixture, 60.0f, 2, false);
        SimConstraintDef *aim = constrain(fixture, list, SIM_CONSTRAINT_AIM, bone, at_pivot ? 0 : -1);
        aim->direction[0] = -1.0f; // the bone looks along +x
        aim->offset[1] = 1.0f;
        const mat4 *bones = solve(fixture);
        assert_near(bones[bone][0][0], at_pivot ? 1.0 : -1.0, 1e-5);
        for (int axis = 0; axis < 3; axis++)
            assert_near(glm_vec3_norm((float *)bones[bone][axis]), 1.0, 1e-5);
        fixture_finish(fixture);
    }
}

static void test_position_keeps_the_rest_distance(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    for (int i = 0; i < 3; i++) {
        fixture_init(fixture);
        int left = fixture_add_bone(fixture, "left", 0, 0.1f, 1.0f, 0.0f);
        int right = fixture_add_bone(fixture, "right", 0, -0.1f, 1.0f, 0.0f);
        int below = fixture_add_bone(fixture, "below", right, 0.0f, -0.3f, 0.0f);
        fixture_add_clip(fixture, 60.0f, 2, false);
        for (int frame = 0; frame < 2; frame++) fixture->clip_positions[4 * frame + left][0] += 0.12f;
        constrain(fixture, list, SIM_CONSTRAINT_POSITION, left, right)->weight = 0.5f * (float)i;
        const mat4 *bones = solve(fixture);
        float half = 0.06f * 0.5f * (float)i;
        assert_near(bones[left][3][0], 0.22f - half, 1e-6);
        assert_near(bones[right][3][0], -0.1f + half, 1e-6);
        assert_near(bones[below][3][0], -0.1f + half, 1e-6); // its child comes along
        assert_near(bones[below][3][1], 0.7f, 1e-6);
        fixture_finish(fixture);
    }
}

// Twist takes only the part of the other bone's rotation that is about the axis, and none of its swing.
static void test_twist_takes_its_share(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    static const float twists[] = {0.0f, 70.0f, -70.0f, 160.0f}, swings[] = {0.0f, 50.0f};
    for (int i = 0; i < 16; i++) {
        float twist = twists[i % 4], swing = swings[i / 4 % 2], share = i < 8 ? 1.0f : 0.5f;
        fixture_init(fixture);
        int elbow = fixture_add_bone(fixture, "elbow", 0, 0.2f, 1.4f, 0.0f);
        rotation(0.0f, 0.6f, 0.8f, 25.0f, fixture->bones[elbow].rotation);
        int hand = fixture_add_bone(fixture, "hand", elbow, 0.25f, 0.0f, 0.0f);
        int sleeve = fixture_add_bone(fixture, "sleeve", elbow, 0.12f, 0.0f, 0.0f);
        rotation(1.0f, 0.0f, 0.0f, 30.0f, fixture->bones[hand].rotation); // a rest that is no identity
        fixture->bones[sleeve].kind = SIM_BONE_DRIVEN;
        fixture_add_clip(fixture, 60.0f, 2, false);
        for (int frame = 0; frame < 2; frame++) {
            versor about, aside, both;
            rotation(1.0f, 0.0f, 0.0f, twist, about);
            rotation(0.0f, 0.8f, -0.6f, swing, aside);
            glm_quat_mul(aside, about, both);
            glm_quat_mul(both, fixture->bones[hand].rotation, fixture->clip_rotations[4 * frame + hand]);
        }
        SimConstraintDef *constraint = constrain(fixture, list, SIM_CONSTRAINT_TWIST, sleeve, hand);
        constraint->weight = share;
        const mat4 *bones = solve(fixture);
        assert_near(angle_between(bones[sleeve][0], bones[elbow][0]), 0.0, 0.02);
        vec3 expected;
        glm_vec3_copy((float *)bones[elbow][1], expected);
        glm_vec3_rotate(expected, glm_rad(twist * share), (float *)bones[elbow][0]);
        assert_near(angle_between(bones[sleeve][1], expected), 0.0, 0.05);
        fixture_finish(fixture);
    }
}

// Slide follows the movement along the axis, whatever moves the parents of both bones.
static void test_slide_takes_its_share_along_its_axis(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[1];
    for (int i = 0; i < 3; i++) {
        fixture_init(fixture);
        int chest = fixture_add_bone(fixture, "chest", 0, 0.0f, 1.4f, 0.0f);
        int pad = fixture_add_bone(fixture, "pad", chest, 0.2f, 0.1f, 0.05f);
        int waist = fixture_add_bone(fixture, "waist", 0, 0.1f, 1.1f, 0.1f);
        rotation(0.0f, 0.6f, 0.8f, 25.0f, fixture->bones[chest].rotation); // rests that are no identity
        rotation(1.0f, 0.0f, 0.0f, 90.0f, fixture->bones[waist].rotation);
        vec3 moved = {0.01f, 0.05f, -0.03f}, up; // up: the model's +y in the chest's space
        versor back;
        glm_quat_conjugate(fixture->bones[chest].rotation, back);
        glm_quat_rotatev(back, (vec3){0.0f, 1.0f, 0.0f}, up);
        fixture_add_clip(fixture, 60.0f, 2, false);
        for (int frame = 0; frame < 2; frame++) {
            glm_vec3_add(fixture->clip_positions[4 * frame + pad], moved,
                         fixture->clip_positions[4 * frame + pad]);
            rotation(0.0f, 0.0f, 1.0f, 70.0f, fixture->clip_rotations[4 * frame + chest]);
        }
        SimConstraintDef *slide = constrain(fixture, list, SIM_CONSTRAINT_SLIDE, waist, pad);
        glm_vec3_copy((vec3){0.0f, 0.0f, -2.0f}, slide->axis); // at rest the model's +y
        slide->base = chest;
        slide->weight = 0.5f * (float)i;
        const mat4 *bones = solve(fixture);
        assert_near(bones[waist][3][0], 0.1, 1e-6);
        assert_near(bones[waist][3][1], 1.1f + 0.5f * (float)i * glm_vec3_dot(moved, up), 1e-6);
        assert_near(bones[waist][3][2], 0.1, 1e-6);
        fixture_finish(fixture);
    }
}

// A chain of dependencies: b looks at a, c at b, d at c. The result does not depend on the order in the
// definition.
static void test_written_order_does_not_matter(void **state) {
    Fixture *fixture = *state;
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    static float first[5][16];
    for (int i = 0; i < 3; i++) {
        SimConstraintDef list[3];
        fixture_init(fixture);
        for (int bone = 1; bone < 5; bone++) {
            static const char *const names[] = {"a", "b", "c", "d"};
            fixture_add_bone(fixture, names[bone - 1], 0, 0.3f * (float)bone, 0.1f * (float)(bone * bone),
                             0.2f);
        }
        fixture_add_clip(fixture, 60.0f, 2, false);
        for (int frame = 0; frame < 2; frame++) fixture->clip_positions[5 * frame + 1][2] = 0.9f;
        for (int k = 0; k < 3; k++) {
            int bone = 2 + orders[i][k];
            SimConstraintDef *aim = constrain(fixture, list, SIM_CONSTRAINT_AIM, bone, bone - 1);
            aim->offset[0] = 0.4f;
        }
        const mat4 *bones = solve(fixture);
        if (i == 0) memcpy(first, bones, sizeof first);
        assert_memory_equal(first, bones, sizeof first);
        vec3 spot, way;
        glm_mat4_mulv3((vec4 *)bones[3], (vec3){0.4f, 0.0f, 0.0f}, 1.0f, spot);
        glm_vec3_sub(spot, (float *)bones[4][3], way);
        assert_near(angle_between(bones[4][0], way), 0.0, 0.05);
        fixture_finish(fixture);
    }
}

// Constraints of one bone run in the order position, twist, aim, so the aim is exact.
static void test_aim_comes_after_position(void **state) {
    Fixture *fixture = *state;
    for (int order = 0; order < 2; order++) {
        SimConstraintDef list[2];
        fixture_init(fixture);
        int left = fixture_add_bone(fixture, "left", 0, 0.1f, 1.0f, 0.0f);
        int right = fixture_add_bone(fixture, "right", 0, -0.1f, 1.0f, 0.0f);
        int spot = fixture_add_bone(fixture, "spot", 0, 0.0f, 0.0f, 0.3f);
        fixture_add_clip(fixture, 60.0f, 2, false);
        for (int frame = 0; frame < 2; frame++) fixture->clip_positions[4 * frame + left][0] += 0.3f;
        for (int k = 0; k < 2; k++) {
            if (k == order)
                constrain(fixture, list, SIM_CONSTRAINT_AIM, left, spot);
            else
                constrain(fixture, list, SIM_CONSTRAINT_POSITION, left, right);
        }
        const mat4 *bones = solve(fixture);
        vec3 way;
        glm_vec3_sub((float *)bones[spot][3], (float *)bones[left][3], way);
        assert_near(angle_between(bones[left][0], way), 0.0, 0.02);
        assert_near(fixture_distance(bones[left][3], bones[right][3]), 0.2, 1e-5);
        fixture_finish(fixture);
    }
}

static void test_a_cycle_is_refused(void **state) {
    Fixture *fixture = *state;
    SimConstraintDef list[2];
    fixture_init(fixture);
    fixture_add_bone(fixture, "left", 0, 0.1f, 1.0f, 0.0f);
    fixture_add_bone(fixture, "right", 0, -0.1f, 1.0f, 0.0f);
    constrain(fixture, list, SIM_CONSTRAINT_AIM, 1, 2);
    constrain(fixture, list, SIM_CONSTRAINT_AIM, 2, 1);
    SimIssue issue;
    SimWorld *world = sim_world_create(&fixture->def, &issue);
    assert_int_equal(sim_rig_create(world, &fixture->rig, &issue).index, 0);
    assert_string_equal(issue.path, "constraints[0]");
    assert_string_equal(issue.message, "the constraints form a circle: bone \"left\" depends on itself");
    // A bone that aims at its own child is a circle as well.
    fixture->rig.constraint_count = 0;
    fixture->bones[2].parent = 1;
    constrain(fixture, list, SIM_CONSTRAINT_AIM, 1, 2);
    assert_int_equal(sim_rig_create(world, &fixture->rig, &issue).index, 0);
    assert_string_equal(issue.message, "the constraints form a circle: bone \"left\" depends on itself");
    sim_world_destroy(world);
}

// A bind pose is that of a file's meshes; cloth is placed at the rest pose.
static void test_cloth_is_cut_to_the_rest_pose(void **state) {
    (void)state;
    Fixture fixture;
    fixture_sheet(&fixture, 3, 4, 0.1f);
    fixture.bones[0].position[1] = 1.5f;
    fixture.bones[0].has_inverse_bind = true;
    glm_mat4_identity(fixture.bones[0].inverse_bind);
    glm_rotate_x(fixture.bones[0].inverse_bind, 1.0f, fixture.bones[0].inverse_bind);
    fixture_start(&fixture, 60);
    const float(*particles)[3] = fixture_particles(&fixture);
    for (int p = 0; p < 12; p++)
        for (int axis = 0; axis < 3; axis++)
            assert_near(particles[p][axis], fixture.positions[p][axis], 1e-6f);
    fixture_finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_aim_looks_at_the_spot),
        FIXTURE_TEST(test_aim_does_not_twist),
        FIXTURE_TEST(test_aim_opposite_and_at_its_own_pivot),
        FIXTURE_TEST(test_position_keeps_the_rest_distance),
        FIXTURE_TEST(test_twist_takes_its_share),
        FIXTURE_TEST(test_slide_takes_its_share_along_its_axis),
        FIXTURE_TEST(test_written_order_does_not_matter),
        FIXTURE_TEST(test_aim_comes_after_position),
        FIXTURE_TEST(test_a_cycle_is_refused),
        cmocka_unit_test(test_cloth_is_cut_to_the_rest_pose),
    };
    return cmocka_run_group_tests_name("sim skeleton", tests, NULL, NULL);
}
