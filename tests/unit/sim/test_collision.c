// Contact, judged by an independent exact distance in double precision: cloth that is pressed against
// colliders of every shape is never inside, nor nearer than it is thick.
#include "depth.h"

static void test_the_judge(void **state) {
    Fixture *fixture = *state;
    fixture_init(fixture);
    SimColliderDef *ellipsoid = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
    ellipsoid->radii[0] = 0.3f, ellipsoid->radii[1] = 0.2f, ellipsoid->radii[2] = 0.1f;
    assert_near(collider_depth(ellipsoid, (Vector){0, 0, 0}), 0.1f, 1e-8);
    assert_near(collider_depth(ellipsoid, (Vector){0, 0, 0.04}), (double)0.1f - 0.04, 1e-8);
    assert_near(collider_depth(ellipsoid, (Vector){0.35, 0, 0}), (double)0.3f - 0.35, 1e-8);
    ellipsoid->rotation[2] = ellipsoid->rotation[3] = (float)sqrt(0.5); // x becomes y
    assert_near(collider_depth(ellipsoid, (Vector){0, 0.35, 0}), (double)0.3f - 0.35, 1e-7);
    // Off the axes: 2 cm from a point of the surface along its normal there.
    ellipsoid->rotation[2] = 0.0f, ellipsoid->rotation[3] = 1.0f;
    Vector at = {(double)0.3f * 0.48, (double)0.2f * 0.6, (double)0.1f * 0.64},
           normal = {0.48 / 0.3, 3.0, 6.4};
    double length = sqrt(dot(normal, normal));
    assert_near(collider_depth(ellipsoid, blend(at, normal, -0.02 / length)), 0.02, 1e-8);
    assert_near(collider_depth(ellipsoid, blend(at, normal, 0.02 / length)), -0.02, 1e-8);
    SimColliderDef *capsule = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, 0);
    capsule->to[1] = 1.0f, capsule->radius = 0.5f, capsule->radius_end = 0.2f;
    assert_near(collider_depth(capsule, (Vector){0, -0.4, 0}), 0.1, 1e-9);
    // The cone's wall stands where its normal has the sine 0.3 along the axis; there its radius is 0.35.
    Vector wall = {sqrt(0.91), 0.3, 0};
    assert_near(collider_depth(capsule, blend((Vector){0, 0.5, 0}, wall, 0.3)), 0.05, 1e-7);
}

// A sheet of three columns that gravity pulls down and blows against what is behind it, at -z.
static void press_against(Fixture *fixture) {
    fixture_sheet(fixture, 9, 3, 0.05f);
    fixture->def.environment.gravity_world[0] = 1.5f;
    fixture->def.environment.gravity_world[2] = -8.0f;
}

// Presses for two seconds and checks every tick.
static void assert_outside(Fixture *fixture, bool must_touch) {
    fixture_start(fixture, 60);
    const double thickness = (double)fixture->garment.fabric.thickness;
    double worst = -HUGE_VAL;
    for (int tick = 0; tick < 120; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        worst = fmax(worst, deepest(fixture, (float[3]){0}));
        assert_at_most(worst, DEPTH - thickness);
    }
    if (must_touch) assert_at_least(worst, -8e-3 - thickness); // what lies between particles touches first
    assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
    fixture_finish(fixture);
}

static void set3(float out[3], float x, float y, float z) {
    out[0] = x, out[1] = y, out[2] = z;
}

static void turn(versor out, float angle) { // about an axis that is nobody's
    set3(out, 0.48f * sinf(angle / 2.0f), 0.6f * sinf(angle / 2.0f), 0.64f * sinf(angle / 2.0f));
    out[3] = cosf(angle / 2.0f);
}

// Moves a collider back until it just touches the sheet at rest.
static void put_behind(SimColliderDef *collider) {
    for (double y = -0.4; y < 0.0; y += 0.01)
        for (double x = 0.0; x < 0.1; x += 0.01)
            while (collider_depth(collider, (Vector){x, y, 0.0}) > -0.005) {
                collider->center[2] -= 0.002f;
                collider->from[2] = collider->to[2] = collider->center[2];
            }
}

static void test_ellipsoids(void **state) {
    Fixture *fixture = *state;
    static const float radii[][3] = {{.10f, .12f, .14f}, {.06f, .20f, .09f}, {.15f, .15f, .03f},
                                     {.04f, .10f, .80f}, {.01f, .20f, .01f}, {.20f, .01f, .01f},
                                     {.05f, .05f, .05f}, {.03f, .60f, .30f}};
    for (int i = 0; i < 24; i++) {
        press_against(fixture);
        SimColliderDef *ellipsoid = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        memcpy(ellipsoid->radii, radii[i % 8], sizeof radii[0]);
        turn(ellipsoid->rotation, 0.9f * (float)(i / 8));
        fixture->garment.fabric.thickness = 0.0075f * (float)(i / 8);
        set3(ellipsoid->center, 0.05f, -0.22f, 0.0f);
        put_behind(ellipsoid);
        assert_outside(fixture, i % 8 < 4 || i % 8 > 5); // cloth lets needles through between particles
    }
}

// Cloth may not get off a disc that is thinner than its links. It then counts conflicts, its links stay
// exact, and it is no deeper than the disc is thick.
static void test_discs_thinner_than_a_link(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        press_against(fixture);
        SimColliderDef *disc = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        set3(disc->radii, 0.2f, 0.02f, 0.2f);
        turn(disc->rotation, 0.9f * (float)i);
        set3(disc->center, 0.05f, -0.22f, 0.0f);
        put_behind(disc);
        fixture_start(fixture, 60);
        uint64_t conflicts = 0;
        for (int tick = 0; tick < 120; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            uint64_t before = conflicts;
            conflicts = sim_world_stats(fixture->world).constraint_conflicts;
            assert_at_most(fixture_stretch(fixture), 1e-5);
            assert_at_most(deepest(fixture, (float[3]){0}), conflicts > before ? 0.02 : 2.0 * DEPTH);
        }
        fixture_finish(fixture);
    }
}

static void test_spheres_and_capsules(void **state) {
    Fixture *fixture = *state;
    static const float ends[][2] = {{.10f, .10f}, {.14f, .05f}, {.05f, .14f}, {.08f, .0f}, {.30f, .05f}};
    for (int i = 0; i < 15; i++) {
        press_against(fixture);
        SimColliderShape shape = i < 5 ? SIM_COLLIDER_SPHERE : SIM_COLLIDER_CAPSULE;
        SimColliderDef *collider = fixture_add_collider(fixture, shape, 0);
        collider->radius = ends[i % 5][0], collider->radius_end = ends[i % 5][1];
        fixture->garment.fabric.thickness = i % 2 ? 0.015f : 0.0f;
        bool along = i >= 10;
        set3(collider->from, along ? 0.05f : -0.1f, along ? -0.1f : -0.2f, 0.0f);
        set3(collider->to, along ? 0.08f : 0.2f, along ? -0.35f : -0.25f, 0.0f);
        set3(collider->center, 0.05f, -0.2f, 0.0f);
        put_behind(collider);
        assert_outside(fixture, true);
    }
}

static void test_planes_and_ground(void **state) {
    Fixture *fixture = *state;
    static const float normals[][3] = {{0, 1, 0}, {0, 0, 1}, {0, .6f, .8f}, {-.48f, .6f, .64f}};
    for (int i = 0; i < 4; i++) {
        press_against(fixture);
        SimColliderDef *plane = fixture_add_collider(fixture, SIM_COLLIDER_PLANE, -1);
        memcpy(plane->normal, normals[i], sizeof normals[0]);
        fixture->garment.fabric.thickness = i % 2 ? 0.015f : 0.0f;
        plane->offset = (float)dot(vector(plane->normal), (Vector){0.05, -0.25, -0.02});
        assert_outside(fixture, true);
    }
    press_against(fixture);
    SimColliderDef *same_as_ground = fixture_add_collider(fixture, SIM_COLLIDER_PLANE, -1);
    same_as_ground->offset = -0.3f; // for the judge; the cloth does not know it
    fixture->garment.collider_count = 0;
    fixture->def.environment.has_ground = true;
    fixture->def.environment.ground = -0.3f;
    assert_outside(fixture, true);
}

// A character that is below the ground whole hangs as if there were none.
static void test_who_is_below_the_ground(void **state) {
    Fixture *fixture = *state;
    float lowest[3];
    for (int i = 0; i < 3; i++) { // without a ground, below it, above it with the hem
        fixture_sheet(fixture, 6, 4, 0.06f);
        fixture->def.environment.has_ground = i > 0;
        fixture->def.environment.ground = i == 2 ? -0.2f : 3.0f;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 240);
        lowest[i] = fixture_particles(fixture)[6 * 4 - 1][1];
        fixture_finish(fixture);
    }
    assert_true(lowest[0] == lowest[1]);
    assert_true(lowest[2] > lowest[0] + 0.08f);
}

// Two crossing bodies push out of a common edge.
static void test_crossed_colliders(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 6; i++) {
        press_against(fixture);
        SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        SimColliderDef *other =
            fixture_add_collider(fixture, i % 2 ? SIM_COLLIDER_ELLIPSOID : SIM_COLLIDER_CAPSULE, 0);
        set3(thigh->radii, .09f, .22f, .10f);
        set3(thigh->center, 0.0f + 0.02f * (float)i, -0.3f, -0.1f);
        turn(thigh->rotation, 0.3f * (float)i);
        set3(other->radii, .20f, .10f, .12f);
        set3(other->center, 0.12f, -0.2f, -0.12f);
        set3(other->from, 0.15f, -0.1f, -0.1f);
        set3(other->to, 0.1f, -0.4f, -0.12f);
        other->radius = 0.08f, other->radius_end = 0.10f;
        assert_outside(fixture, true);
    }
}

// Colliders of no size or next to none: no crash, all numbers finite, no conflict.
static void test_zero_radii(void **state) {
    Fixture *fixture = *state;
    press_against(fixture);
    for (int i = 0; i < 6; i++) {
        static const SimColliderShape shapes[] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_SPHERE,
                                                  SIM_COLLIDER_CAPSULE};
        SimColliderDef *collider = fixture_add_collider(fixture, shapes[i % 3], 0);
        set3(collider->center, 0.05f, -0.05f * (float)(i + 1), 0.0f); // at a particle of the middle column
        memcpy(collider->from, collider->center, sizeof collider->from);
        set3(collider->to, 0.05f, -0.3f, i < 3 ? 0.0f : -0.1f);
        if (i == 3) set3(collider->radii, 0.0f, 0.1f, 0.1f);
        if (i == 4) collider->radius = 1e-5f;
        if (i == 5) memcpy(collider->to, collider->from, sizeof collider->to);
    }
    assert_outside(fixture, false);
}

// A particle at the centre of the collider, where no direction is nearest.
static void test_collider_at_the_particle(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 5; i++) {
        fixture_sheet(fixture, 9, 3, 0.05f);
        SimColliderShape shape = i < 3   ? SIM_COLLIDER_ELLIPSOID
                                 : i < 4 ? SIM_COLLIDER_SPHERE
                                         : SIM_COLLIDER_CAPSULE;
        SimColliderDef *collider = fixture_add_collider(fixture, shape, 0);
        set3(collider->center, fixture->positions[13][0], fixture->positions[13][1], 0.0f);
        set3(collider->from, 0.05f, -0.15f, 0.0f);
        set3(collider->to, 0.05f, -0.25f, 0.0f);
        set3(collider->radii, 0.1f, 0.1f, i == 1 ? 0.03f : 0.1f);
        if (i == 2) collider->radii[0] = 0.15f;
        collider->radius = 0.08f, collider->radius_end = 0.04f;
        assert_outside(fixture, false);
    }
}

// A particle inside is moved to the nearest point of the surface: here one that hangs weightless on a long
// soft thread, after one substep.
static void test_the_nearest_point(void **state) {
    Fixture *fixture = *state;
    static const float shares[] = {0.05f, 0.5f, 0.8f, 0.97f}; // of the way out
    for (int i = 0; i < 48; i++) {
        fixture_sheet(fixture, 2, 1, 1.0f);
        fixture_unpin(fixture);
        fixture_vacuum(fixture);
        fixture->garment.fabric.stretch = 1.0f;
        fixture->garment.fabric.limit = 0.5f;
        fixture->def.environment.gravity_world[1] = 0.0f;
        SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        set3(body->radii, 0.12f, i < 24 ? 0.2f : 0.12f, i < 24 ? 0.09f : 0.24f);
        // Directions all round, in the space where the body is a ball.
        double y = 0.9 - 1.8 * (i % 12) / 11.0, r = sqrt(1.0 - y * y), share = (double)shares[i / 12];
        double out[3] = {r * cos(2.4 * i), y, r * sin(2.4 * i)}, way[3], length = 0.0;
        for (int k = 0; k < 3; k++) {
            way[k] = out[k] * (double)body->radii[k];
            fixture->positions[0][k] = (float)(share * way[k]);
            length += way[k] * way[k];
        }
        for (int k = 0; k < 3; k++)
            fixture->positions[1][k] = fixture->positions[0][k] + (float)(way[k] / sqrt(length));
        double depth = collider_depth(body, vector(fixture->positions[0]));
        fixture_start(fixture, 240);
        sim_world_step(fixture->world);
        const float(*x)[3] = fixture_particles(fixture);
        assert_near(fixture_distance(x[0], fixture->positions[0]) / depth, 1.0, 0.02);
        assert_near(collider_depth(body, vector(x[0])), 0.0, 5e-3);
        fixture_finish(fixture);
    }
}

// Cloth between two bodies that are nearer to each other than it is thick on both sides is pressed thin: that
// is no conflict, and it is in neither.
static void test_pressed_thin(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 9, 3, 0.05f);
    fixture->garment.fabric.thickness = 0.015f;
    for (int side = -1; side <= 1; side += 2) {
        SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
        body->radius = 0.1f;
        set3(body->center, 0.05f, -0.22f, (float)side * 0.105f); // a gap of 1 cm
    }
    assert_outside(fixture, false);
}

// It grows and shrinks within 0.2 s.
static void test_thickness_set_live(void **state) {
    Fixture *fixture = *state;
    press_against(fixture);
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    body->radius = 0.1f;
    set3(body->center, 0.05f, -0.2f, 0.0f);
    put_behind(body);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 180);
    for (int thick = 1; thick >= 0; thick--) {
        SimFabric fabric = fixture->garment.fabric;
        fabric.thickness = thick ? 0.02f : 0.0f;
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
        double before = -HUGE_VAL;
        for (int tick = 0; tick < 12; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            double now = deepest(fixture, (float[3]){0});
            if (tick > 0 && thick) assert_at_least(before - now, -1e-3); // no jump
            if (tick > 0 && thick) assert_at_most(before - now, 6e-3);
            before = now;
        }
        fixture_steps(fixture, 120);
        fixture_particles(fixture);
        double depth = deepest(fixture, (float[3]){0});
        assert_at_most(depth, DEPTH - (double)fabric.thickness);
        assert_at_least(depth, -8e-3 - (double)fabric.thickness);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_the_judge),
        FIXTURE_TEST(test_the_nearest_point),
        FIXTURE_TEST(test_ellipsoids),
        FIXTURE_TEST(test_discs_thinner_than_a_link),
        FIXTURE_TEST(test_spheres_and_capsules),
        FIXTURE_TEST(test_planes_and_ground),
        FIXTURE_TEST(test_who_is_below_the_ground),
        FIXTURE_TEST(test_pressed_thin),
        FIXTURE_TEST(test_thickness_set_live),
        FIXTURE_TEST(test_crossed_colliders),
        FIXTURE_TEST(test_zero_radii),
        FIXTURE_TEST(test_collider_at_the_particle),
    };
    return cmocka_run_group_tests_name("sim collision", tests, NULL, NULL);
}
