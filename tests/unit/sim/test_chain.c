// Chains: angle limits, colliders, references that give no direction, the twist of their bones.
#include "chain_fixture.h"

static const int rates[] = {30, 60, 120, 240};

static void test_angle_limits_hold_in_a_shaking(void **state) {
    Fixture *fixture = *state;
    static const float limits[] = {0.0f, 10.0f, 45.0f, 120.0f};
    for (int i = 0; i < 16; i++) {
        int rate = rates[i % 4];
        straight(fixture, 9, 0.04, 0.3);
        for (int p = 4; p < 9; p++) fixture->positions[p][2] = 0.02f * (float)(p - 3); // bent at rest
        fixture->garment.angle_limit[0] = fixture->garment.angle_limit[1] = limits[i / 4];
        fixture->garment.fabric.world_motion = 1.0f;
        fixture_start(fixture, rate);
        for (int tick = 0; tick < 2 * rate; tick++) {
            float t = (float)tick / (float)rate;
            fixture_move_to(fixture, 0.3f * sinf(20.0f * t), 0.2f * sinf(29.0f * t), 0.3f * cosf(17.0f * t));
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            assert_at_most(widest_joint(fixture, 1), (double)limits[i / 4] + 0.1);
            assert_at_most(fixture_stretch(fixture), 1e-5);
        }
        SimWorldStats stats = sim_world_stats(fixture->world);
        assert_int_equal(stats.unstable, 0);
        assert_int_equal(stats.constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

// A rigid hook on a free joint hangs with its centre of mass below the joint, since the joint's cone acts on
// both sides. The corner carries the square of a link's length, the end the square of half of it.
static void test_stiff_joint_turns_the_link_above(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 3, 1, 0.1f);
    fixture_vacuum(fixture);
    fixture->garment.fabric.drape = 0.0f;
    fixture->garment.fabric.damping = 3.0f;
    fixture->positions[2][0] = 0.1f, fixture->positions[2][1] = -0.1f;
    fixture->garment.angle_limit[0] = 180.0f, fixture->garment.angle_limit[1] = 0.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 600);
    const float(*x)[3] = fixture_particles(fixture);
    double angle = atan2(-(double)x[1][0], -(double)x[1][1]);
    assert_near(angle * 180.0 / FIXTURE_PI, atan(0.25 / 1.25) * 180.0 / FIXTURE_PI, 0.5);
    double cosine = 0.0; // the hook keeps its right angle
    for (int i = 0; i < 3; i++)
        cosine += ((double)x[1][i] - (double)x[0][i]) * ((double)x[2][i] - (double)x[1][i]) / 0.01;
    assert_near(cosine, 0.0, 1e-3);
}

// A chain that falls over a sphere rests on it, with a cone limit, a pose stiffness or neither.
static void test_chain_lies_over_a_sphere(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 8; i++) {
        straight(fixture, 13, 0.03, FIXTURE_PI / 2.0);
        SimColliderDef *sphere = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
        sphere->center[0] = 0.12f, sphere->center[1] = -0.11f, sphere->radius = 0.1f;
        fixture->garment.fabric.damping = 2.0f;
        if (i >= 4) {
            fixture->garment.angle_limit[0] = fixture->garment.angle_limit[1] = 40.0f;
            fixture->garment.pose_stiffness[0] = 1.5f;
        }
        fixture_start(fixture, rates[i % 4]);
        for (int tick = 0; tick < 8 * rates[i % 4]; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            assert_at_most(fixture_stretch(fixture), 1e-5);
            for (int p = 1; p < 13; p++)
                assert_at_least(fixture_distance(fixture->particles[p], sphere->center), 0.1 - 1e-5);
            if (i >= 4) assert_at_most(widest_joint(fixture, 1), 40.1);
        }
        double nearest = 1.0;
        for (int p = 1; p < 13; p++)
            nearest = fmin(nearest, fixture_distance(fixture->particles[p], sphere->center));
        assert_at_most(nearest, 0.105); // the middles of links keep 3 mm off
        static float before[FIXTURE_PARTICLES][3];
        memcpy(before, fixture->particles, sizeof before);
        fixture_steps(fixture, rates[i % 4]);
        fixture_particles(fixture);
        for (int p = 0; p < 13; p++) assert_at_most(fixture_distance(before[p], fixture->particles[p]), 1e-3);
        assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
        fixture_finish(fixture);
    }
}

// The references turn by 180 degrees within a tick: links that point exactly the other way still return.
static void test_opposite_to_the_references(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 8; i++) {
        straight(fixture, 6, 0.04, 0.0);
        weightless(fixture);
        fixture->garment.pose_stiffness[0] = fixture->garment.pose_stiffness[1] = 3.0f;
        fixture->garment.pose_damping = 0.5f;
        if (i >= 4) fixture->garment.angle_limit[0] = fixture->garment.angle_limit[1] = 30.0f;
        hang_on_turning_bone(fixture, 2, 180.0);
        fixture_start(fixture, rates[i % 4]);
        fixture_play(fixture, false);
        for (int tick = 0; tick < 6 * rates[i % 4]; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            assert_at_most(fixture_stretch(fixture), 1e-5);
            if (i >= 4) assert_at_most(widest_joint(fixture, 1), 30.1);
        }
        if (i >= 4) assert_near(fixture->particles[5][1], 0.2, 1e-3);
        assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
        fixture_finish(fixture);
    }
}

// A first link without a limit may stay nearly opposite to its reference. A hook held to it keeps its shape,
// since its cone follows the link and not the reference.
static void test_frame_of_an_opposite_link(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 4; i++) {
        static const double turns[] = {170.0, 178.0};
        straight(fixture, 3, 0.04, 0.0);
        weightless(fixture);
        int axis = i < 2 ? 2 : 0;
        fixture->positions[2][1] = -0.04f, fixture->positions[2][axis] = 0.03f; // turns in its place
        fixture->garment.angle_limit[0] = 180.0f, fixture->garment.angle_limit[1] = 0.0f;
        hang_on_turning_bone(fixture, axis, turns[i % 2]);
        fixture_start(fixture, 60);
        fixture_play(fixture, false);
        for (int tick = 0; tick < 10; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            if (tick == 0) assert_at_least(widest_joint(fixture, 1), 165.0);
            for (int p = 0; p < 3; p++) // turned wrongly, it would be off by up to 60 mm
                assert_near(fixture_distance(fixture->particles[p], fixture->positions[p]), 0.0, 4e-3);
        }
        fixture_finish(fixture);
    }
}

// References at the same place give no direction: the links below keep hanging, and all numbers stay finite.
static void test_references_without_length(void **state) {
    Fixture *fixture = *state;
    static SimSkin skins[4];
    straight(fixture, 4, 0.1, 0.0);
    fixture->garment.fabric.damping = 5.0f;
    fixture->garment.pose_stiffness[0] = fixture->garment.pose_stiffness[1] = 5.0f;
    fixture->garment.angle_limit[0] = fixture->garment.angle_limit[1] = 20.0f;
    hang_on_turning_bone(fixture, 0, 0.0);
    for (int p = 0; p < 4; p++) skins[p] = (SimSkin){.bones = {p == 2}, .weights = {1.0f}};
    for (int frame = 1; frame < 3; frame++) fixture->clip_positions[2 * frame + 1][1] = 0.1f;
    fixture->garment.skins = skins;
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    for (int tick = 0; tick < 180; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(fixture_stretch(fixture), 1e-5);
    }
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    assert_near(fixture_distance(fixture->references[1], fixture->references[2]), 0.0, 1e-6);
    for (int p = 1; p < 4; p++) assert_near(fixture->particles[p][1], -0.1 * p, 1e-3);
    assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
}

// A chain with every option, moved violently. Gives its final particles.
static void throw_about(const char *instruction_set, int others, const Fixture *def, float out[16][3]) {
    static Fixture fixture;
    straight(&fixture, 16, 0.03, 0.8);
    memcpy(fixture.garment.pose_stiffness, def->garment.pose_stiffness, sizeof(float[2]));
    memcpy(fixture.garment.angle_limit, def->garment.angle_limit, sizeof(float[2]));
    fixture.garment.pose_damping = def->garment.pose_damping;
    fixture.garment.fabric = def->garment.fabric;
    SimColliderDef *sphere = fixture_add_collider(&fixture, SIM_COLLIDER_SPHERE, 0);
    sphere->center[0] = 0.1f, sphere->center[1] = -0.2f, sphere->radius = 0.1f;
    fixture_start(&fixture, 60);
    if (instruction_set) assert_true(sim_world_use_instruction_set(fixture.world, instruction_set));
    for (int i = 0; i < others; i++) {
        SimCharacterId other = fixture_another(&fixture);
        SimFabric fabric = fixture_preset(i % FIXTURE_PRESETS);
        sim_garment_set_fabric(fixture.world, other, 0, &fabric, false);
    }
    for (int tick = 0; tick < 90; tick++) {
        fixture_move_to(&fixture, 0.2f * sinf(0.3f * (float)tick), 0.0f, 0.2f * cosf(0.4f * (float)tick));
        sim_world_step(fixture.world);
    }
    memcpy(out, fixture_particles(&fixture), 16 * sizeof out[0]);
    fixture_finish(&fixture);
}

static void test_bits_do_not_depend_on_company_or_processor(void **state) {
    (void)state;
    static Fixture def;
    float alone[16][3], found[16][3];
    fixture_sheet(&def, 2, 1, 1.0f);
    def.garment.pose_stiffness[0] = 3.0f, def.garment.pose_stiffness[1] = 1.0f;
    def.garment.pose_damping = 0.3f;
    def.garment.angle_limit[0] = 60.0f, def.garment.angle_limit[1] = 25.0f;
    throw_about(NULL, 0, &def, alone);
    throw_about(NULL, 20, &def, found);
    assert_memory_equal(found, alone, sizeof alone);
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++) {
        throw_about(set, 3, &def, found);
        assert_memory_equal(found, alone, sizeof alone);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void column(const mat4 matrix, int index, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = (double)matrix[index][i];
}

// The angle in degrees from a chain bone's y to where it is at rest, seen from its parent, after the smallest
// turn of x from there.
static double twist_of(const SimRigInfo *info, const mat4 *bones, int bone) {
    const SimBoneInfo *rest = info->bones;
    int parent = rest[bone].parent;
    double held[2][3] = {{0.0}}, x[3], y[3];
    for (int axis = 0; axis < 3; axis++) {
        double there[3], now[3];
        column(rest[parent].rest_model, axis, there);
        column(bones[parent], axis, now);
        for (int of = 0; of < 2; of++) {
            column(rest[bone].rest_model, of, x);
            double share = dot(there, x);
            for (int i = 0; i < 3; i++) held[of][i] += share * now[i];
        }
    }
    column(bones[bone], 0, x);
    column(bones[bone], 1, y);
    turned(held[0], x, held[1]);
    return acos(fmin(dot(held[1], y), 1.0)) * 180.0 / FIXTURE_PI;
}

static const mat4 *drawn_to(Fixture *fixture, double degrees) {
    SimEnvironment environment = *sim_world_environment(fixture->world);
    environment.gravity_world[0] = 9.81f * sinf((float)(degrees * FIXTURE_PI / 180.0));
    environment.gravity_world[1] = -9.81f * cosf((float)(degrees * FIXTURE_PI / 180.0));
    sim_world_set_environment(fixture->world, &environment);
    fixture_steps(fixture, 240);
    return (const mat4 *)sim_character_bones_model(fixture->world, fixture->character);
}

// The bones of a chain keep the twist that they have at rest to the bone that it hangs from, wherever gravity
// draws them, along their own side at rest, too; and a bone that turns about the chain takes it along.
static void test_twist_follows_the_bone_above(void **state) {
    Fixture *fixture = *state;
    straight(fixture, 6, 0.05, 0.0);
    for (int p = 1; p < 6; p++) fixture->positions[p][2] = 0.006f * (float)(p * p); // bent at rest
    fixture->garment.fabric.damping = 12.0f;
    hang_on_turning_bone(fixture, 1, 70.0);
    fixture_start(fixture, 60);
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    for (int angle = 0; angle <= 160; angle += 20) {
        const mat4 *bones = drawn_to(fixture, angle);
        for (int bone = 2; bone < info->bone_count; bone++) {
            double x = (double)bones[bone][0][0], y = (double)bones[bone][0][1];
            assert_near(atan2(x, -y) * 180.0 / FIXTURE_PI, angle, 3.0);
            assert_at_most(twist_of(info, bones, bone), 1.0);
        }
    }
    double before[3], after[3];
    drawn_to(fixture, 0.0);
    column(drawn_to(fixture, 0.0)[2], 1, before);
    fixture_play(fixture, false);
    const mat4 *bones = drawn_to(fixture, 0.0);
    for (int bone = 2; bone < info->bone_count; bone++) assert_at_most(twist_of(info, bones, bone), 1.0);
    column(bones[2], 1, after);
    assert_near(acos(dot(before, after)) * 180.0 / FIXTURE_PI, 70.0, 2.0);
}

// In violent motion no bone twists by 60 degrees or more in a tick.
static void test_twist_is_continuous(void **state) {
    Fixture *fixture = *state;
    static mat4 kept[FIXTURE_BONES + 8];
    const mat4 *before = (const mat4 *)kept;
    straight(fixture, 6, 0.05, 0.0);
    fixture->garment.fabric.world_motion = 1.0f;
    fixture_start(fixture, 60);
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    size_t bytes = (size_t)info->bone_count * sizeof(mat4);
    memcpy(kept, sim_character_bones_model(fixture->world, fixture->character), bytes);
    for (int tick = 0; tick < 300; tick++) {
        float far = 0.25f * sinf(0.35f * (float)tick);
        fixture_move_to(fixture, far, 0.0f, 0.3f * far);
        sim_world_step(fixture->world);
        const mat4 *bones = (const mat4 *)sim_character_bones_model(fixture->world, fixture->character);
        for (int bone = 1; bone < info->bone_count; bone++) {
            double from[3], to[3], carried[3], y[3];
            column(before[bone], 0, from);
            column(bones[bone], 0, to);
            column(before[bone], 1, carried);
            column(bones[bone], 1, y);
            if (dot(from, to) < -0.99) continue; // right round: any turn is a smallest one
            turned(from, to, carried);
            assert_at_least(dot(carried, y), 0.5);
        }
        memcpy(kept, bones, bytes);
    }
}

static void test_off_is_off(void **state) {
    (void)state;
    static Fixture def;
    float without[16][3], found[16][3];
    fixture_sheet(&def, 2, 1, 1.0f);
    throw_about(NULL, 0, &def, without);
    def.garment.pose_damping = 5.0f; // of nothing
    throw_about(NULL, 0, &def, found);
    assert_memory_equal(found, without, sizeof without);
    def.garment.angle_limit[0] = 179.9f; // a cone that is never left, but looked after
    throw_about(NULL, 0, &def, found);
    for (int p = 0; p < 16; p++) assert_near(fixture_distance(found[p], without[p]), 0.0, 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_angle_limits_hold_in_a_shaking),
        FIXTURE_TEST(test_stiff_joint_turns_the_link_above),
        FIXTURE_TEST(test_chain_lies_over_a_sphere),
        FIXTURE_TEST(test_opposite_to_the_references),
        FIXTURE_TEST(test_frame_of_an_opposite_link),
        FIXTURE_TEST(test_references_without_length),
        cmocka_unit_test(test_bits_do_not_depend_on_company_or_processor),
        FIXTURE_TEST(test_twist_follows_the_bone_above),
        FIXTURE_TEST(test_twist_is_continuous),
        cmocka_unit_test(test_off_is_off),
    };
    return cmocka_run_group_tests_name("sim chain", tests, NULL, NULL);
}
