// The half-space of every shape, as the kernel of one lane computes it, against the depth of the point in
// double precision: deep inside, at the centre, on planes of symmetry and axes, for aspects from 1 to 50 and
// sizes from 0.1 mm to 100 m.
#define SIM_WIDTH 1

#include "core/rotation.h"
#include "depth.h"
#include "kernel/collide/broadphase.h"
#include "rig/rig.h"

// One collider as a rig holds it.
typedef struct Shape {
    Fixture fixture;
    SimColliderDef *def;
    SimRig *rig;
    const SimKernelCollider *kernel;
    SimLanesPose pose;
} Shape;

static SimColliderDef *shape_init(Shape *shape, SimColliderShape kind) {
    fixture_sheet(&shape->fixture, 2, 2, 1.0f);
    shape->def = fixture_add_collider(&shape->fixture, kind, kind == SIM_COLLIDER_PLANE ? -1 : 0);
    return shape->def;
}

static void shape_compile(Shape *shape) {
    SimIssue issue;
    mat4 matrix;
    shape->rig = sim_rig_compile(&shape->fixture.rig, &issue);
    if (!shape->rig) fail_msg("%s: %s", issue.path, issue.message);
    shape->kernel = &shape->rig->garments[0].topology.colliders[0];
    sim_transform_to_matrix(&shape->rig->collider_local[0], matrix);
    for (int i = 0; i < 4; i++) shape->pose.column[i] = (SimLanes3){matrix[i][0], matrix[i][1], matrix[i][2]};
}

static void shape_finish(Shape *shape) {
    sim_rig_destroy(shape->rig);
}

// A point at the share s of the way from the centre to the surface of an ellipsoid, as float and in model
// space.
static void point_of(const Shape *shape, Vector way, double s, float out[3]) {
    const SimTransform *local = &shape->rig->collider_local[0];
    const float *e = shape->def->radii;
    double length = sqrt(dot(way, way));
    vec3 own = {(float)(way.x / length * s) * e[0], (float)(way.y / length * s) * e[1],
                (float)(way.z / length * s) * e[2]};
    if (length == 0.0) glm_vec3_zero(own);
    sim_quat_rotate(local->rotation, own, out);
    glm_vec3_add(out, (float *)local->position, out);
}

// The half-space at a point: the push is the depth and the thickness, to `slack` metres; no point of the body
// is nearer than the thickness to the plane that the push leads to.
static void assert_exact_of(const Shape *shape, const float at[3], float thickness, double slack) {
    SimLanes3 point = {at[0], at[1], at[2]};
    HalfSpace half;
    double depth = collider_depth(shape->def, vector(at));
    bool inside = half_space(shape->kernel, &shape->pose, &point, thickness, false, &half);
    if (!inside) {
        assert_at_most(depth + (double)thickness, slack);
        return;
    }
    Vector n = {(double)half.normal.x, (double)half.normal.y, (double)half.normal.z};
    Vector origin = {(double)shape->pose.column[3].x, (double)shape->pose.column[3].y,
                     (double)shape->pose.column[3].z};
    double push = (double)half.offset - dot(blend(vector(at), origin, -1.0), n);
    assert_near(dot(n, n), 1.0, 1e-6);
    assert_near(push, depth + (double)thickness, slack);
    assert_near(collider_depth(shape->def, blend(vector(at), n, push)), -(double)thickness, slack);
}

static void assert_exact(const Shape *shape, const float at[3], double slack) {
    static const float thicknesses[] = {0.0f, 0.0005f, 0.015f};
    for (int i = 0; i < 3; i++) assert_exact_of(shape, at, thicknesses[i], slack);
}

static const double shares[] = {0.0,  1e-6, 1e-3, 0.05, 0.2,   0.5,  0.7,
                                0.78, 0.9,  0.95, 0.99, 0.999, 1.01, 1.1};
static const double turns[] = {0.0, 1.1};

// All combinations of lying on planes of symmetry and axes, and off them.
static Vector way(int i) {
    double y = 0.95 - 1.9 * fmod(0.618034 * i, 1.0), r = sqrt(1.0 - y * y);
    Vector v = {i & 1 ? r * cos(2.4 * i) : 0.0, i & 2 ? y : 0.0, i & 4 ? r * sin(2.4 * i) : 0.0};
    return v;
}

static void judge_ellipsoid(float a, float b, float c, double slack) {
    static Shape shape;
    for (int turned = 0; turned < 2; turned++) {
        SimColliderDef *def = shape_init(&shape, SIM_COLLIDER_ELLIPSOID);
        memcpy(def->radii, (float[3]){a, b, c}, sizeof def->radii);
        def->rotation[0] = 0.6f * sinf((float)turns[turned]);
        def->rotation[1] = 0.8f * sinf((float)turns[turned]);
        def->rotation[3] = cosf((float)turns[turned]);
        def->center[1] = turned ? 0.3f : 0.0f;
        shape_compile(&shape);
        for (int i = 0; i < 64; i++)
            for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
                float at[3];
                point_of(&shape, way(i), shares[s], at);
                assert_exact(&shape, at, slack);
            }
        shape_finish(&shape);
    }
}

static void test_ellipsoids(void **state) {
    (void)state;
    static const float aspects[] = {1.0f, 1.5f, 2.0f, 3.0f, 5.0f, 10.0f, 20.0f, 50.0f};
    for (size_t i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
        float long_one = 0.2f, short_one = 0.2f / aspects[i];
        judge_ellipsoid(long_one, long_one, short_one, 1e-6);  // a disc
        judge_ellipsoid(short_one, long_one, short_one, 1e-6); // a needle
        judge_ellipsoid(long_one, sqrtf(long_one * short_one), short_one, 1e-6);
    }
}

static void test_extreme_sizes(void **state) {
    (void)state;
    judge_ellipsoid(1e-4f, 1e-4f, 1e-4f, 1e-6);
    judge_ellipsoid(1e-4f, 2e-4f, 0.3f, 1e-6);
    judge_ellipsoid(100.0f, 100.0f, 100.0f, 1e-6 * 100.0);
    judge_ellipsoid(100.0f, 50.0f, 2.0f, 1e-6 * 100.0);
    judge_ellipsoid(100.0f, 1e-4f, 1e-4f, 1e-6 * 100.0);
}

// The reference depth against the nearest of many points of the surface.
static void test_the_judge_by_sampling(void **state) {
    (void)state;
    static Shape shape;
    SimColliderDef *def = shape_init(&shape, SIM_COLLIDER_ELLIPSOID);
    memcpy(def->radii, (float[3]){0.2f, 0.11f, 0.04f}, sizeof def->radii);
    shape_compile(&shape);
    for (int i = 1; i < 16; i++) {
        float at[3];
        point_of(&shape, way(i), 0.1 * (i % 10), at);
        double nearest = HUGE_VAL;
        for (int u = 0; u < 600; u++)
            for (int v = 0; v < 600; v++) {
                double latitude = FIXTURE_PI * u / 599.0, longitude = 2.0 * FIXTURE_PI * v / 600.0;
                Vector p = {(double)def->radii[0] * sin(latitude) * cos(longitude),
                            (double)def->radii[1] * sin(latitude) * sin(longitude),
                            (double)def->radii[2] * cos(latitude)};
                Vector r = blend(p, vector(at), -1.0);
                nearest = fmin(nearest, dot(r, r));
            }
        assert_near(collider_depth(def, vector(at)), sqrt(nearest), 2e-5);
    }
    shape_finish(&shape);
}

static void judge_capsule(float from, float to, float length, bool turned, double slack) {
    static Shape shape;
    SimColliderDef *def = shape_init(&shape, SIM_COLLIDER_CAPSULE);
    Vector axis = turned ? (Vector){0.48, 0.6, 0.64} : (Vector){0.0, 1.0, 0.0};
    Vector aside = turned ? (Vector){0.8, 0.0, -0.6} : (Vector){1.0, 0.0, 0.0};
    def->radius = from, def->radius_end = to;
    def->to[0] = (float)axis.x * length, def->to[1] = (float)axis.y * length;
    def->to[2] = (float)axis.z * length;
    shape_compile(&shape);
    double reach = (double)length + (double)from + (double)to;
    for (int i = 0; i <= 40; i++) // from beyond the one end to beyond the other
        for (int k = 0; k <= 12; k++) {
            double along = reach * (i / 40.0 - 0.25) * 1.5, across = k * k / 144.0 * reach;
            Vector p = blend(blend((Vector){0, 0, 0}, axis, along), aside, k % 2 ? across : -across);
            assert_exact(&shape, (float[3]){(float)p.x, (float)p.y, (float)p.z}, slack);
        }
    shape_finish(&shape);
}

static void test_capsules(void **state) {
    (void)state;
    static const float ends[][3] = {{0.1f, 0.1f, 0.4f},  {0.14f, 0.05f, 0.3f}, {0.05f, 0.14f, 0.3f},
                                    {0.08f, 0.0f, 0.2f}, {0.3f, 0.05f, 0.2f},  {0.1f, 0.0f, 0.1f},
                                    {0.02f, 0.02f, 1.0f}};
    for (int turned = 0; turned < 2; turned++)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
            judge_capsule(ends[i][0], ends[i][1], ends[i][2], turned, 2e-6);
}

// The smaller end on the larger one's surface, coincident ends, tiny ones, and the size of a building.
static void test_odd_capsules(void **state) {
    (void)state;
    judge_capsule(0.2f, 0.1f, 0.1001f, true, 1.2e-4); // 0.999: next to no cone
    judge_capsule(0.1f, 0.1f, 0.0f, false, 1e-6);
    judge_capsule(0.1f, 0.1f, 1e-7f, false, 2e-6);
    judge_capsule(1e-4f, 1e-4f, 0.5f, true, 1e-6);
    judge_capsule(100.0f, 100.0f, 50.0f, true, 1.5e-3);
    judge_capsule(100.0f, 20.0f, 100.0f, false, 2e-3);
}

static void test_spheres_and_planes(void **state) {
    (void)state;
    static Shape shape;
    for (int i = 0; i < 3; i++) {
        static const float radii[] = {1e-4f, 0.1f, 100.0f};
        SimColliderDef *def = shape_init(&shape, SIM_COLLIDER_SPHERE);
        def->radius = radii[i];
        for (int axis = 0; axis < 3; axis++) def->radii[axis] = radii[i];
        def->center[2] = 0.1f;
        shape_compile(&shape);
        for (int k = 0; k < 64; k++)
            for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
                float at[3];
                point_of(&shape, way(k), shares[s], at);
                assert_exact(&shape, at, 1e-5 * (1.0 + (double)radii[i]));
            }
        shape_finish(&shape);
    }
    SimColliderDef *def = shape_init(&shape, SIM_COLLIDER_PLANE);
    memcpy(def->normal, (float[3]){-0.48f, 0.6f, 0.64f}, sizeof def->normal);
    def->offset = -0.7f;
    shape_compile(&shape);
    for (int k = 0; k < 64; k++) {
        Vector at = way(k);
        assert_exact(&shape, (float[3]){(float)at.x, (float)at.y, (float)at.z}, 1e-6);
    }
    shape_finish(&shape);
}

// NearColliders
// -----------------------------------------------------------------------------------------------------------

static float spread(int *seed, float reach) { // -reach..reach
    *seed = (int)((uint32_t)*seed * 1664525u + 1013904223u);
    return reach * (float)*seed / 2147483648.0f;
}

// A stretch of two rows of three, somewhere, and what it may touch among colliders of all shapes.
typedef struct Patch {
    SimTopology topology;
    SimKernelCollider colliders[NEAR_MOST + 8];
    SimColliderPose poses[NEAR_MOST + 8];
    SimLanes3 position[6];
    SimNearBall near[2];
    SimLanes moves[NEAR_KEPT];
    SimGarmentState state;
    SimSubstep substep;
    SimLaneFabric fabric;
    SimKernelJob job;
} Patch;

static void patch_init(Patch *patch, int colliders) {
    *patch = (Patch){.topology = {.rows = 2, .columns = 3, .particle_count = 6}};
    patch->topology.colliders = patch->topology.virtual_colliders = patch->colliders;
    patch->topology.collider_count = colliders;
    patch->state.position = patch->position;
    patch->state.near = patch->near;
    patch->substep.colliders = patch->poses;
    patch->job =
        (SimKernelJob){.topology = &patch->topology, .state = &patch->state, .fabric = &patch->fabric};
}

// Gives the patch colliders of all shapes, at random positions.
static void patch_scatter(Patch *patch, int *seed) {
    static Fixture fixture;
    SimIssue issue;
    for (int i = 0; i < patch->topology.collider_count; i++) {
        mat4 matrix;
        fixture_sheet(&fixture, 2, 2, 1.0f);
        static const SimColliderShape kinds[] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_CAPSULE,
                                                 SIM_COLLIDER_PLANE, SIM_COLLIDER_ELLIPSOID};
        SimColliderDef *def = fixture_add_collider(&fixture, kinds[i % 4], i % 4 == 2 ? -1 : 0);
        for (int k = 0; k < 3; k++) {
            def->radii[k] = i % 8 < 4 ? 0.05f + fabsf(spread(seed, 0.2f)) : fabsf(spread(seed, 0.3f));
            def->center[k] = spread(seed, 0.5f);
            def->from[k] = spread(seed, 0.5f);
            def->to[k] = spread(seed, 0.5f);
            def->rotation[k] = spread(seed, 1.0f);
        }
        glm_quat_normalize(def->rotation);
        def->radius = fabsf(spread(seed, 0.2f)), def->radius_end = fabsf(spread(seed, 0.2f));
        def->offset = spread(seed, 0.5f);
        SimRig *rig = sim_rig_compile(&fixture.rig, &issue);
        patch->colliders[i] = rig->garments[0].topology.colliders[0];
        patch->colliders[i].pose = i;
        sim_transform_to_matrix(&rig->collider_local[0], matrix);
        for (int k = 0; k < 4; k++)
            patch->poses[i].pose.column[k] = (SimLanes3){matrix[k][0], matrix[k][1], matrix[k][2]};
        sim_rig_destroy(rig);
    }
}

static SimLanes3 spread3(int *seed, float reach) {
    return (SimLanes3){spread(seed, reach), spread(seed, reach), spread(seed, reach)};
}

static void patch_place(Patch *patch, int *seed) {
    const SimLanes3 at = spread3(seed, 0.5f);
    for (int p = 0; p < 6; p++) patch->position[p] = add3(at, spread3(seed, 0.1f));
}

// Moves colliders to where they are in a later substep.
static void move_colliders(const Patch *patch, int *seed, SimColliderPose *poses) {
    for (int i = 0; i < patch->topology.collider_count; i++) {
        const SimLanes3 shift = spread3(seed, 0.05f), turn = spread3(seed, 0.2f);
        SimLanes3 *column = poses[i].pose.column;
        versor rotation;
        sim_quat_exp((vec3){turn.x, turn.y, turn.z}, rotation);
        for (int k = 0; k < 3; k++) {
            vec3 axis = {column[k].x, column[k].y, column[k].z};
            sim_quat_rotate(rotation, axis, axis);
            column[k] = (SimLanes3){axis[0], axis[1], axis[2]};
        }
        column[3] = add3(column[3], shift);
        poses[i].velocity = scale3(shift, 1.0f / patch->job.h);
        poses[i].spin = scale3(turn, 1.0f / patch->job.h);
    }
}

static bool is_listed(const NearColliders *near, int collider) {
    for (int k = 0; k < near->count; k++)
        if (near->colliders[k] == collider) return true;
    return false;
}

// Which of 16 colliders some points of the ball touch.
static void touch_in_ball(const Patch *patch, const SimColliderPose *poses, const NearColliders *near,
                          int *seed, bool out_touched[16]) {
    for (int i = 0; i < 16; i++) out_touched[i] = false;
    for (int k = 0; k < 400; k++) {
        const lanes3 r = spread3(seed, 1.0f);
        const float length = length3(r), share = k % 2 ? 1.0f : 0.5f; // half of them on its surface
        const lanes3 point = mad3(near->centre, r, 0.9999f * share * sqrtf(near->radius_square) / length);
        HalfSpace half;
        for (int i = 0; i < 16; i++)
            out_touched[i] = out_touched[i] || half_space(&patch->colliders[i], &poses[i].pose, &point,
                                                          patch->fabric.thickness, false, &half);
    }
}

// No point of the ball is in a collider that was left out, and most of those far away are.
static void test_nothing_near_is_left_out(void **state) {
    (void)state;
    static Patch patch;
    int seed = 5, left_out = 0, apart = 0;
    for (int round = 0; round < 200; round++) {
        NearColliders near = {.moves = patch.moves};
        patch_init(&patch, 16);
        patch_scatter(&patch, &seed);
        patch.fabric.thickness = round % 2 ? 0.05f : 0.0f;
        patch_place(&patch, &seed);
        find_near(&patch.job, &patch.substep, patch.colliders, 0, 3, true, &near);
        for (int p = 0; p < 6; p++) assert_true(is_in_ball(&near, patch.position[p]));
        bool touched[16];
        touch_in_ball(&patch, patch.poses, &near, &seed, touched);
        for (int i = 0; i < 16; i++) {
            assert_true(!touched[i] || is_listed(&near, i));
            apart += !touched[i];
            left_out += !is_listed(&near, i);
        }
    }
    assert_at_least((double)left_out / apart, 0.9);
}

// What a stretch keeps from an earlier substep holds all that reach into its ball.
static void test_stretches_keep_enough(void **state) {
    (void)state;
    static Patch patch;
    static SimColliderPose later[NEAR_MOST + 8];
    const SimSubstep substeps[] = {{.colliders = patch.poses}, {.colliders = later}};
    int seed = 7, kept = 0;
    for (int round = 0; round < 400; round++) {
        NearColliders near = {.moves = patch.moves};
        patch_init(&patch, 16);
        patch_scatter(&patch, &seed);
        patch_place(&patch, &seed);
        patch.job.substeps = substeps;
        patch.job.substep_count = 2;
        patch.job.h = 1.0f / 240.0f;
        memcpy(later, patch.poses, sizeof later);
        move_colliders(&patch, &seed, later);
        find_moves(&patch.job, 0, patch.moves);
        find_near(&patch.job, &substeps[0], patch.colliders, 0, 3, true, &near);
        for (int p = 0; p < 6; p++)
            patch.position[p] = add3(patch.position[p], spread3(&seed, round % 2 ? 0.01f : 0.05f));
        find_near(&patch.job, &substeps[1], patch.colliders, 0, 3, false, &near);
        bool touched[16];
        touch_in_ball(&patch, later, &near, &seed, touched);
        for (int i = 0; i < 16; i++) assert_true(!touched[i] || is_listed(&near, i));
        kept += is_in_kept(&patch.near[0], &near);
    }
    assert_in_range(kept, 100, 399);
}

// A point that leaves the ball is checked against all colliders that follow. If more are near than a list
// holds, all are tried.
static void test_a_walk_goes_on_beyond_the_ball(void **state) {
    (void)state;
    static Patch patch;
    NearColliders near = {.moves = patch.moves};
    patch_init(&patch, 8);
    for (int i = 0; i < 8; i++) {
        patch.colliders[i] = (SimKernelCollider){.shape = SIM_KERNEL_CONE, .radius = 0.1f, .pose = i};
        patch.poses[i].pose.column[3].x = i % 3 ? 5.0f : 0.0f; // 0, 3 and 6 are here
    }
    find_near(&patch.job, &patch.substep, patch.colliders, 0, 3, true, &near);
    assert_int_equal(near.count, 3);
    NearIterator iterator = iterate_near(&patch.topology, &near, zero3());
    assert_int_equal(next_near(&iterator), 0);
    widen_if_outside(&iterator, &patch.topology, &near, 0, (lanes3){0.001f, 0.0f, 0.0f}); // still in the ball
    assert_int_equal(next_near(&iterator), 3);
    widen_if_outside(&iterator, &patch.topology, &near, 3, (lanes3){5.0f, 0.0f, 0.0f});
    for (int i = 4; i < 8; i++) assert_int_equal(next_near(&iterator), i);
    assert_int_equal(next_near(&iterator), -1);
    iterator = iterate_near(&patch.topology, &near, (lanes3){0.0f, 1.0f, 0.0f});
    for (int i = 0; i < 8; i++) assert_int_equal(next_near(&iterator), i);
    patch_init(&patch, NEAR_MOST + 8);
    for (int i = 0; i < NEAR_MOST + 8; i++)
        patch.colliders[i] = (SimKernelCollider){.shape = SIM_KERNEL_CONE, .radius = 0.1f, .pose = i};
    find_near(&patch.job, &patch.substep, patch.colliders, 0, 3, true, &near);
    iterator = iterate_near(&patch.topology, &near, zero3());
    for (int i = 0; i < NEAR_MOST + 8; i++) assert_int_equal(next_near(&iterator), i);
    assert_int_equal(next_near(&iterator), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_judge_by_sampling),
        cmocka_unit_test(test_ellipsoids),
        cmocka_unit_test(test_extreme_sizes),
        cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_odd_capsules),
        cmocka_unit_test(test_spheres_and_planes),
        cmocka_unit_test(test_nothing_near_is_left_out),
        cmocka_unit_test(test_stretches_keep_enough),
        cmocka_unit_test(test_a_walk_goes_on_beyond_the_ball),
    };
    return cmocka_run_group_tests_name("sim shapes", tests, NULL, NULL);
}
