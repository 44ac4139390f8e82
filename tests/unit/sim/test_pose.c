// Bones posed from outside: spaces, owners, the return to the clip, and cloth that follows a teleport.
#include "sim_fixture.h"

enum { HIPS, ARM, HAND, RATE = 60 };

static const float QUARTER = 0.70710678f; // sine and cosine of half a right angle

// Hips that turn about z by 90 degrees a second and rise by 0.5 m/s, an arm of 0.3 m along x, a hand at its
// end.
static void arm(Fixture *fixture) {
    fixture_init(fixture);
    fixture_add_bone(fixture, "arm", HIPS, 0.3f, 0.0f, 0.0f);
    fixture_add_bone(fixture, "hand", ARM, 0.25f, 0.0f, 0.0f);
    fixture_add_clip(fixture, 60.0f, 121, false);
    for (int frame = 0; frame < 121; frame++) {
        const float half = (float)(FIXTURE_PI / 4.0 * frame / 60.0);
        fixture->clip_rotations[3 * frame][2] = sinf(half),
                                    fixture->clip_rotations[3 * frame][3] = cosf(half);
        fixture_clip_position(fixture, frame, HIPS)[1] = 0.5f * (float)frame / 60.0f;
    }
    fixture_start(fixture, RATE);
}

static SimPoseBone turned(int bone, float x, float y, float z, float w) {
    return (SimPoseBone){.bone = bone, .has_rotation = true, .rotation = {x, y, z, w}};
}

static SimPoseBone placed(int bone, float x, float y, float z) {
    return (SimPoseBone){.bone = bone, .has_position = true, .position = {x, y, z}};
}

static void pose_by(Fixture *fixture, uint64_t driver, SimPoseSpace space, SimPoseBone bone) {
    const SimPoseDef def = {.bones = &bone, .bone_count = 1, .space = space, .owner = driver};
    sim_character_set_pose(fixture->world, fixture->character, &def);
}

static void pose(Fixture *fixture, SimPoseSpace space, SimPoseBone bone) {
    pose_by(fixture, 0, space, bone);
}

static void release(Fixture *fixture, int bone) {
    sim_character_release_pose(fixture->world, fixture->character, &bone, 1);
}

static const vec4 *bone_at(Fixture *fixture, int bone) {
    return (const vec4 *)sim_character_bones_model(fixture->world, fixture->character)[bone];
}

// The angle of the bone's x axis about z, degrees.
static double angle(Fixture *fixture, int bone) {
    const vec4 *at = bone_at(fixture, bone);
    return atan2((double)at[0][1], (double)at[0][0]) * 180.0 / FIXTURE_PI;
}

static void assert_bone_at(Fixture *fixture, int bone, double x, double y, double z) {
    const vec4 *at = bone_at(fixture, bone);
    assert_near(at[3][0], x, 1e-6);
    assert_near(at[3][1], y, 1e-6);
    assert_near(at[3][2], z, 1e-6);
}

static void test_in_the_parents_space(void **state) {
    Fixture *fixture = *state;
    arm(fixture);
    fixture_play(fixture, false);
    pose(fixture, SIM_POSE_PARENT, turned(ARM, 0.0f, 0.0f, 2.0f * QUARTER, 2.0f * QUARTER)); // not unit
    for (int tick = 1; tick <= 30; tick++) {
        sim_world_step(fixture->world);
        const double turn = 90.0 * tick / RATE, radians = turn * FIXTURE_PI / 180.0, rise = 0.5 * tick / RATE;
        assert_near(angle(fixture, HIPS), turn, 1e-3); // the clip's
        assert_near(angle(fixture, ARM), turn + 90.0, 1e-3);
        assert_near(angle(fixture, HAND), turn + 90.0, 1e-3); // goes along
        assert_bone_at(fixture, ARM, 0.3 * cos(radians), rise + 0.3 * sin(radians),
                       0.0); // as the clip has it
    }
    pose(fixture, SIM_POSE_PARENT, placed(ARM, 0.0f, 0.1f, 0.0f)); // its turn stays
    sim_world_step(fixture->world);
    const double turn = 90.0 * 31 / RATE, radians = turn * FIXTURE_PI / 180.0, rise = 0.5 * 31 / RATE;
    assert_near(angle(fixture, ARM), turn + 90.0, 1e-3);
    assert_bone_at(fixture, ARM, -0.1 * sin(radians), rise + 0.1 * cos(radians), 0.0);
}

static void test_in_model_space_it_stays_however_its_parents_move(void **state) {
    Fixture *fixture = *state;
    arm(fixture);
    fixture_play(fixture, false);
    // The child is listed before its parent; it still goes by the parent's pose.
    const SimPoseBone bones[] = {
        {HAND, true, true, {0.0f, 0.0f, 0.0f, 1.0f}, {0.1f, 0.9f, 0.4f}},
        turned(ARM, 0.0f, QUARTER, 0.0f, QUARTER),
    };
    const SimPoseDef def = {.bones = bones, .bone_count = 2, .space = SIM_POSE_MODEL};
    sim_character_set_pose(fixture->world, fixture->character, &def);
    for (int tick = 1; tick <= 60; tick++) {
        sim_world_step(fixture->world);
        assert_bone_at(fixture, HAND, 0.1, 0.9, 0.4);
        assert_near(bone_at(fixture, HAND)[0][0], 1.0, 1e-6);
        assert_near(bone_at(fixture, ARM)[0][2], -1.0, 1e-6); // x looks along -z
        const double radians = FIXTURE_PI / 2.0 * tick / RATE;
        assert_bone_at(fixture, ARM, 0.3 * cos(radians), 0.5 * tick / RATE + 0.3 * sin(radians), 0.0);
    }
}

static double smooth(double t) {
    return t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : (3.0 - 2.0 * t) * t * t;
}

static void test_released_it_goes_back_in_a_fifth_of_a_second(void **state) {
    Fixture *fixture = *state;
    arm(fixture);
    pose(fixture, SIM_POSE_PARENT, turned(ARM, 0.0f, 0.0f, QUARTER, QUARTER));
    pose(fixture, SIM_POSE_MODEL, placed(HAND, 0.3f, 0.25f, 0.2f));
    fixture_steps(fixture, 3);
    release(fixture, ARM);
    for (int tick = 1; tick <= 15; tick++) {
        sim_world_step(fixture->world);
        const double share = smooth(1.0 - tick / 12.0);
        assert_near(angle(fixture, ARM), 90.0 * share, 1e-3);
        assert_bone_at(fixture, HAND, 0.3, 0.25, 0.2); // still posed
    }
    sim_character_release_pose(fixture->world, fixture->character, NULL, 0);
    for (int tick = 1; tick <= 12; tick++) {
        sim_world_step(fixture->world);
        const double share = smooth(1.0 - tick / 12.0);
        assert_bone_at(fixture, HAND, 0.55 + share * (0.3 - 0.55), share * 0.25, share * 0.2);
    }
    release(fixture, HAND); // again: nothing happens
    sim_world_step(fixture->world);
    assert_bone_at(fixture, HAND, 0.55, 0.0, 0.0);
}

// A bone posed again while it is being released is posed at once.
static void test_posed_again_while_released(void **state) {
    Fixture *fixture = *state;
    arm(fixture);
    pose(fixture, SIM_POSE_PARENT,
         (SimPoseBone){ARM, true, true, {0, 0, QUARTER, QUARTER}, {1.0f, 0.0f, 0.0f}});
    sim_world_step(fixture->world);
    release(fixture, ARM);
    fixture_steps(fixture, 6);
    pose(fixture, SIM_POSE_PARENT, turned(ARM, 0.0f, 0.0f, QUARTER, QUARTER));
    sim_world_step(fixture->world);
    assert_near(angle(fixture, ARM), 90.0, 1e-3);
    assert_bone_at(fixture, ARM, 0.3, 0.0, 0.0);
    fixture_steps(fixture, 30);
    assert_near(angle(fixture, ARM), 90.0, 1e-3);
}

static void test_of_two_owners_the_last_one_has_the_bone(void **state) {
    Fixture *fixture = *state;
    arm(fixture);
    pose_by(fixture, 7, SIM_POSE_PARENT, turned(ARM, 0.0f, 0.0f, QUARTER, QUARTER));
    pose_by(fixture, 7, SIM_POSE_PARENT, turned(HAND, 0.0f, 0.0f, QUARTER, QUARTER));
    pose_by(fixture, 9, SIM_POSE_PARENT, turned(HAND, 0.0f, 0.0f, -QUARTER, QUARTER));
    sim_world_step(fixture->world);
    assert_near(angle(fixture, ARM), 90.0, 1e-3);
    assert_near(angle(fixture, HAND), 0.0, 1e-3);
    sim_world_release_pose_owner(fixture->world, 7); // the arm alone is still that driver's
    fixture_steps(fixture, 20);
    assert_near(angle(fixture, ARM), 0.0, 1e-3);
    assert_near(angle(fixture, HAND), -90.0, 1e-3);
    sim_world_release_pose_owner(fixture->world, 9);
    fixture_steps(fixture, 20);
    assert_near(angle(fixture, HAND), 0.0, 1e-3);
}

static void test_sequence_is_that_of_the_last_tick(void **state) {
    Fixture *fixture = *state;
    int64_t sequence;
    arm(fixture);
    const SimPoseBone bone = turned(ARM, 0.0f, 0.0f, QUARTER, QUARTER);
    SimPoseDef def = {.bones = &bone, .bone_count = 1, .has_sequence = true, .sequence = 41};
    sim_character_set_pose(fixture->world, fixture->character, &def);
    assert_false(sim_character_sequence(fixture->world, fixture->character, &sequence)); // not in a tick yet
    sim_world_step(fixture->world);
    assert_true(sim_character_sequence(fixture->world, fixture->character, &sequence));
    assert_int_equal(sequence, 41);
    def.sequence = 42;
    sim_character_set_pose(fixture->world, fixture->character, &def);
    assert_true(sim_character_sequence(fixture->world, fixture->character, &sequence));
    assert_int_equal(sequence, 41);
    def.has_sequence = false;
    sim_character_set_pose(fixture->world, fixture->character, &def); // leaves the last
    sim_world_step(fixture->world);
    assert_true(sim_character_sequence(fixture->world, fixture->character, &sequence));
    assert_int_equal(sequence, 42);
    sim_character_release_pose(fixture->world, fixture->character, NULL, 0);
    fixture_steps(fixture, 12);
    assert_true(sim_character_sequence(fixture->world, fixture->character, &sequence)); // on its way back
    sim_world_step(fixture->world);
    assert_false(sim_character_sequence(fixture->world, fixture->character, &sequence));
}

static void test_reset_forgets_it(void **state) {
    Fixture *fixture = *state;
    int64_t sequence;
    arm(fixture);
    const SimPoseBone bone = turned(ARM, 0.0f, 0.0f, QUARTER, QUARTER);
    const SimPoseDef def = {.bones = &bone, .bone_count = 1, .has_sequence = true};
    sim_character_set_pose(fixture->world, fixture->character, &def);
    sim_world_step(fixture->world);
    fixture_reset(fixture, &fixture->character);
    sim_world_place(fixture->world);
    assert_near(angle(fixture, ARM), 0.0, 1e-6);
    assert_false(sim_character_sequence(fixture->world, fixture->character, &sequence));
}

// Constraints are solved after the pose: the hand keeps looking at the spot from where it is posed.
static void test_constraints_come_after(void **state) {
    Fixture *fixture = *state;
    fixture_init(fixture);
    fixture_add_bone(fixture, "pad", 0, 0.3f, 0.0f, 0.0f);
    fixture->bones[1].kind = SIM_BONE_DRIVEN;
    SimConstraintDef aim = sim_default_constraint_def();
    aim.kind = SIM_CONSTRAINT_AIM;
    aim.bone = 1, aim.other = -1;
    aim.direction[1] = 1.0f, aim.axis[0] = 1.0f, aim.axis[1] = aim.axis[2] = 0.0f;
    fixture->rig.constraints = &aim;
    fixture->rig.constraint_count = 1;
    fixture_start(fixture, RATE);
    pose(fixture, SIM_POSE_MODEL, placed(1, 0.1f, 0.2f, 0.3f));
    pose(fixture, SIM_POSE_MODEL, turned(1, 0.0f, QUARTER, 0.0f, QUARTER));
    sim_world_step(fixture->world);
    assert_bone_at(fixture, 1, 0.1, 0.2, 0.3);
    assert_near(bone_at(fixture, 1)[0][1], 1.0, 1e-5);
    assert_near(bone_at(fixture, 1)[2][0], 1.0, 1e-5); // the pose's turn, and the aim's on top
}

static void test_the_predicted_skeleton_comes(void **state) {
    Fixture *fixture = *state;
    mat4 bones[3];
    SimTransform root;
    arm(fixture);
    for (int tick = 0; tick < 40; tick++) {
        if (tick == 3) fixture_play(fixture, false);
        if (tick == 8) pose(fixture, SIM_POSE_MODEL, placed(HAND, 0.3f, 0.25f, 0.2f));
        if (tick == 12) release(fixture, HAND);
        if (tick == 20) sim_character_stop(fixture->world, fixture->character, -1, 0.2f);
        sim_character_next_bones_model(fixture->world, fixture->character, bones, &root);
        sim_world_step(fixture->world);
        assert_memory_equal(bones, sim_character_bones_model(fixture->world, fixture->character),
                            sizeof bones);
        const SimTransform then = sim_character_root(fixture->world, fixture->character);
        assert_memory_equal(&root, &then, sizeof root);
    }
}

// Cloth
// ------------------------------------------------------------------------------------------------------------

enum { ROWS = 12, COLUMNS = 9, PARTICLES = ROWS * COLUMNS, CHEST = 1, BODY = 2 };

// A cape from the shoulders of a body that stands in it, each row following two bones by its height.
static void cape(Fixture *fixture) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    fixture_add_bone(fixture, "chest", 0, 0.24f, 0.0f, -0.2f);
    fixture_add_bone(fixture, "legs", CHEST, 0.0f, -0.4f, 0.0f);
    SimColliderDef *chest = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, CHEST);
    chest->radius = 0.19f;
    SimColliderDef *legs = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, BODY);
    legs->from[1] = 0.2f, legs->to[1] = -0.6f, legs->radius = legs->radius_end = 0.17f;
    static SimSkin skins[PARTICLES];
    for (int p = 0; p < PARTICLES; p++) {
        const float share = (float)(p / COLUMNS) / (float)(ROWS - 1);
        skins[p] = (SimSkin){{CHEST, BODY}, {1.0f - share, share}};
    }
    fixture->garment.skins = skins;
    fixture->garment.max_distance_bottom = 0.25f;
    fixture->garment.max_distance_top = 0.0f;
}

// The chest half a metre off and turned by 80 degrees, the legs bent by 40 more or going along stiffly.
static void jump(Fixture *fixture, SimCharacterId character, bool teleport, bool bent) {
    const SimPoseBone bones[] = {
        {CHEST, true, true, {0.0f, 0.6427876f, 0.0f, 0.7660444f}, {0.8f, 0.3f, 0.1f}},
        turned(BODY, 0.3420201f, 0.0f, 0.0f, 0.9396926f),
    };
    const SimPoseDef def = {.bones = bones, .bone_count = bent ? 2 : 1, .teleport = teleport};
    sim_character_set_pose(fixture->world, character, &def);
}

typedef struct Jump {
    double settled; // m, the farthest that a particle is from its reference before
    double arrived; // m, from what it then was, seen from its reference
    double speed;   // m/s, the fastest of the second that follows
} Jump;

static Jump look_at_jump(bool teleport, bool bent) {
    static Fixture fixture;
    static float before[PARTICLES][3], ways[PARTICLES];
    Jump found = {0};
    cape(&fixture);
    fixture.def.environment.gravity_world[2] = 2.0f; // it hangs off its references
    fixture_start(&fixture, RATE);
    fixture_steps(&fixture, 240);
    fixture_particles(&fixture);
    sim_garment_references_model(fixture.world, fixture.character, 0, fixture.references);
    for (int p = 0; p < PARTICLES; p++) {
        ways[p] = (float)fixture_distance(fixture.particles[p], fixture.references[p]);
        found.settled = fmax(found.settled, (double)ways[p]);
    }
    jump(&fixture, fixture.character, teleport, bent);
    for (int tick = 0; tick < 60; tick++) {
        memcpy(before, fixture.particles, sizeof before);
        sim_world_step(fixture.world);
        fixture_particles(&fixture);
        sim_garment_references_model(fixture.world, fixture.character, 0, fixture.references);
        assert_at_most(fixture_stretch(&fixture), 1e-5);
        if (tick > 0)
            found.speed = fmax(found.speed, RATE * fixture_farthest(before, fixture.particles, PARTICLES));
        for (int p = 0; p < PARTICLES && tick == 0; p++) {
            const double way = fixture_distance(fixture.particles[p], fixture.references[p]);
            found.arrived = fmax(found.arrived, fabs(way - (double)ways[p]));
        }
    }
    int unstable;
    sim_world_unstable(fixture.world, &unstable);
    assert_int_equal(unstable, 0);
    fixture_finish(&fixture);
    return found;
}

// After a teleport the cloth has the same place on the body. The same pose as a motion whips it.
static void test_a_teleport_takes_the_cloth_along(void **state) {
    (void)state;
    for (int bent = 0; bent < 2; bent++) {
        const Jump whipped = look_at_jump(false, bent), carried = look_at_jump(true, bent);
        print_message(
            "hung %.4f m off; carried %.4f m from there, then at %.3f m/s; else %.4f m and %.3f m/s\n",
            carried.settled, carried.arrived, carried.speed, whipped.arrived, whipped.speed);
        assert_at_least(carried.settled, 0.1);
        assert_at_most(carried.arrived, bent ? 0.12 : 0.005); // a bent reference is longer than the cloth
        assert_at_most(carried.speed, 0.25 * whipped.speed);
    }
}

// A teleport changes nothing for other characters of the group, on any number of lanes.
static void test_a_teleport_leaves_other_characters_alone(void **state) {
    (void)state;
    static Fixture alone, crowd;
    static float first[PARTICLES][3];
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++) {
        cape(&alone);
        cape(&crowd);
        fixture_start(&alone, RATE);
        fixture_start(&crowd, RATE);
        assert_true(sim_world_use_instruction_set(crowd.world, set));
        const SimCharacterId jumper = fixture_another(&crowd), bystander = fixture_another(&crowd);
        fixture_steps(&crowd, 30);
        fixture_steps(&alone, 30);
        jump(&crowd, jumper, true, true);
        fixture_steps(&crowd, 30);
        fixture_steps(&alone, 30);
        sim_garment_particles_model(crowd.world, bystander, 0, crowd.particles);
        assert_memory_equal(crowd.particles, fixture_particles(&alone), sizeof first);
        sim_garment_particles_model(crowd.world, jumper, 0, crowd.particles);
        if (i == 0) memcpy(first, crowd.particles, sizeof first);
        assert_memory_equal(crowd.particles, first, sizeof first);
        fixture_finish(&alone);
        fixture_finish(&crowd);
    }
}

static void test_it_wakes_and_may_sleep_posed(void **state) {
    Fixture *fixture = *state;
    cape(fixture);
    fixture->def.sleep = true;
    fixture->garment.fabric.damping = 8.0f;
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 1200);
    assert_int_equal(sim_world_stats(fixture->world).asleep, 1);
    jump(fixture, fixture->character, true, true);
    sim_world_step(fixture->world);
    assert_int_equal(sim_world_stats(fixture->world).asleep, 0);
    assert_near(bone_at(fixture, CHEST)[3][0], 0.8, 1e-6);
    fixture_steps(fixture, 1200);
    assert_int_equal(sim_world_stats(fixture->world).asleep, 1);
    sim_character_release_pose(fixture->world, fixture->character, NULL, 0);
    fixture_steps(fixture, 13);
    assert_near(bone_at(fixture, CHEST)[3][0], 0.24, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_in_the_parents_space),
        FIXTURE_TEST(test_in_model_space_it_stays_however_its_parents_move),
        FIXTURE_TEST(test_released_it_goes_back_in_a_fifth_of_a_second),
        FIXTURE_TEST(test_posed_again_while_released),
        FIXTURE_TEST(test_of_two_owners_the_last_one_has_the_bone),
        FIXTURE_TEST(test_sequence_is_that_of_the_last_tick),
        FIXTURE_TEST(test_reset_forgets_it),
        FIXTURE_TEST(test_constraints_come_after),
        FIXTURE_TEST(test_the_predicted_skeleton_comes),
        cmocka_unit_test(test_a_teleport_takes_the_cloth_along),
        cmocka_unit_test(test_a_teleport_leaves_other_characters_alone),
        FIXTURE_TEST(test_it_wakes_and_may_sleep_posed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
