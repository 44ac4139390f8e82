// Every mistake in a definition, world or environment: its path and its message, one case for each check.
#include "sim_fixture.h"

#define NAME_RULE "expected 1 to 64 bytes without * ? ["

// A valid rig to change: three bones, two colliders of each kind with a validator of its own, a garment, a
// clip.
typedef struct Spoilt {
    Fixture fixture;
    SimConstraintDef constraints[4];
    SimGarmentDef garments[2];
    SimClipDef clips[2];
    SimSkin skins[20];
    float max_distances[20];
    int colliders[2];
    SimRenderMesh meshes[2];
    float points[3][3], uvs[3][2], weights[3][SIM_MESH_JOINTS]; // of both
    uint32_t triangles[1][3];
    uint16_t joints[3][SIM_MESH_JOINTS];
} Spoilt;

static void start_right(Spoilt *s) {
    Fixture *fixture = &s->fixture;
    memset(s, 0, sizeof *s);
    fixture_sheet(fixture, 4, 5, 0.06f);
    fixture_add_bone(fixture, "upper", 0, 0.0f, 1.0f, 0.0f);
    fixture_add_bone(fixture, "lower", 1, 0.0f, 1.0f, 0.0f);
    static const SimColliderShape shapes[] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_SPHERE,
                                              SIM_COLLIDER_CAPSULE, SIM_COLLIDER_PLANE};
    for (int i = 0; i < 4; i++) fixture_add_collider(fixture, shapes[i], 0);
    fixture_add_clip(fixture, 30.0f, 3, true);
    for (int i = 0; i < 4; i++) {
        static const SimConstraintKind kinds[] = {SIM_CONSTRAINT_AIM, SIM_CONSTRAINT_TWIST,
                                                  SIM_CONSTRAINT_POSITION, SIM_CONSTRAINT_SLIDE};
        s->constraints[i] = sim_default_constraint_def();
        s->constraints[i].kind = kinds[i];
        s->constraints[i].bone = 2;
        s->constraints[i].other = 1;
        s->constraints[i].base = 0;
    }
    s->garments[0] = s->garments[1] = fixture->garment;
    s->garments[1].name = "second";
    s->clips[0] = s->clips[1] = fixture->clip;
    s->clips[1].name = "other";
    for (int p = 0; p < 20; p++) s->skins[p].weights[0] = 1.0f;
    fixture->rig.constraints = s->constraints;
    fixture->rig.constraint_count = 4;
    fixture->rig.garments = s->garments;
    fixture->rig.garment_count = 2;
    fixture->rig.clips = s->clips;
    fixture->rig.clip_count = 2;
    for (int v = 0; v < 3; v++) s->triangles[0][v] = (uint32_t)v, s->weights[v][0] = 1.0f;
    for (int i = 0; i < 2; i++)
        s->meshes[i] = (SimRenderMesh){.name = i ? "shirt" : "body",
                                       .garment = -1,
                                       .vertex_count = 3,
                                       .triangle_count = 1,
                                       .positions = (const float(*)[3])s->points,
                                       .normals = (const float(*)[3])s->points,
                                       .uvs = (const float(*)[2])s->uvs,
                                       .triangles = (const uint32_t(*)[3])s->triangles,
                                       .joints = (const uint16_t(*)[SIM_MESH_JOINTS])s->joints,
                                       .weights = (const float(*)[SIM_MESH_JOINTS])s->weights,
                                       .material = sim_default_material()};
    fixture->rig.meshes = s->meshes;
    fixture->rig.mesh_count = 2;
}

static Spoilt spoilt; // one at a time; start_right puts it right

static void assert_issue(const char *path, const char *message) {
    SimIssue issue;
    assert_false(sim_validate_rig_def(&spoilt.fixture.rig, &issue));
    assert_string_equal(issue.path, path);
    assert_string_equal(issue.message, message);
    // Creation makes the same checks, and creates nothing.
    SimIssue again;
    SimWorld *world = sim_world_create(&spoilt.fixture.def, &again);
    assert_int_equal(sim_rig_create(world, &spoilt.fixture.rig, &again).index, 0);
    assert_string_equal(again.path, path);
    assert_string_equal(again.message, message);
    sim_world_destroy(world);
    start_right(&spoilt);
}

// One statement that makes the rig wrong, and the issue.
#define REFUSED(spoil, path, message) (spoil, assert_issue(path, message))

static void test_a_right_one(void **state) {
    (void)state;
    SimIssue issue;
    start_right(&spoilt);
    assert_true(sim_validate_rig_def(&spoilt.fixture.rig, &issue));
}

static void test_bones(void **state) {
    (void)state;
    static char long_name[66];
    memset(long_name, 'a', 65);
    start_right(&spoilt);
    SimBoneDef *b = spoilt.fixture.bones;
    REFUSED(spoilt.fixture.rig.bone_count = 0, "bones", "expected 1 to 4096 bones");
    REFUSED(spoilt.fixture.rig.bone_count = 4097, "bones", "expected 1 to 4096 bones");
    REFUSED(b[1].name = NULL, "bones[1].name", NAME_RULE);
    REFUSED(b[1].name = "", "bones[1].name", NAME_RULE);
    REFUSED(b[1].name = long_name, "bones[1].name", NAME_RULE);
    REFUSED(b[1].name = "arm*", "bones[1].name", NAME_RULE);
    REFUSED(b[1].name = "arm?", "bones[1].name", NAME_RULE);
    REFUSED(b[1].name = "arm[0]", "bones[1].name", NAME_RULE);
    REFUSED(b[2].name = "upper", "bones[2].name", "is the name of another bone, too");
    REFUSED(b[1].parent = 1, "bones[1].parent", "expected -1 or the index of a bone before this one");
    REFUSED(b[1].parent = -2, "bones[1].parent", "expected -1 or the index of a bone before this one");
    REFUSED(b[1].position[2] = NAN, "bones[1].position", "expected finite numbers");
    REFUSED(b[1].rotation[0] = 0.5f, "bones[1].rotation", "expected a unit quaternion");
    REFUSED(b[1].rotation[3] = NAN, "bones[1].rotation", "expected a unit quaternion");
    REFUSED(b[1].kind = SIM_BONE_CLOTH, "bones[1].kind", "expected a skeleton or a driven bone");
    REFUSED((b[1].has_inverse_bind = true, b[1].inverse_bind[3][0] = INFINITY), "bones[1].inverse_bind",
            "expected finite numbers");
    long_name[64] = '\0'; // 64 bytes are allowed
    SimIssue issue;
    b[1].name = long_name;
    assert_true(sim_validate_rig_def(&spoilt.fixture.rig, &issue));
}

static void test_constraints(void **state) {
    (void)state;
    start_right(&spoilt);
    SimConstraintDef *c = spoilt.constraints;
    REFUSED(c[0].bone = -1, "constraints[0].bone", "expected the index of a bone");
    REFUSED(c[0].bone = 3, "constraints[0].bone", "expected the index of a bone");
    REFUSED(c[0].other = 3, "constraints[0].other", "expected the index of another bone");
    REFUSED(c[0].other = -2, "constraints[0].other", "expected the index of another bone");
    REFUSED(c[0].other = 2, "constraints[0].other", "expected the index of another bone");
    REFUSED(c[1].other = -1, "constraints[1].other", "expected the index of another bone");
    REFUSED(c[2].other = -1, "constraints[2].other", "expected the index of another bone");
    REFUSED(c[3].base = -1, "constraints[3].base", "expected the index of another bone");
    REFUSED(c[3].base = 3, "constraints[3].base", "expected the index of another bone");
    REFUSED(c[3].base = 2, "constraints[3].base", "expected the index of another bone");
    REFUSED(c[2].weight = 1.01f, "constraints[2].weight", "expected 0 to 1");
    REFUSED(c[2].weight = -0.1f, "constraints[2].weight", "expected 0 to 1");
    REFUSED(c[2].weight = NAN, "constraints[2].weight", "expected 0 to 1");
    REFUSED(c[0].axis[0] = 0.0f, "constraints[0].axis", "expected a vector that is not zero");
    REFUSED(c[1].axis[1] = NAN, "constraints[1].axis", "expected a vector that is not zero");
    REFUSED(c[0].other = -1, "constraints[0].direction", "expected a vector that is not zero");
    REFUSED((c[0].other = -1, c[0].direction[0] = INFINITY), "constraints[0].direction",
            "expected a vector that is not zero");
    REFUSED(c[0].offset[1] = NAN, "constraints[0].offset", "expected finite numbers");
}

static void test_colliders(void **state) {
    (void)state;
    start_right(&spoilt);
    SimColliderDef *c = spoilt.fixture.colliders;
    REFUSED(c[0].name = "a*", "colliders[0].name", NAME_RULE);
    REFUSED(c[1].name = "one", "colliders[1].name", "is the name of another collider, too");
    REFUSED(c[3].normal[1] = 2.0f, "colliders[3].normal", "expected a unit vector");
    REFUSED(c[3].normal[1] = NAN, "colliders[3].normal", "expected a unit vector");
    REFUSED(c[3].offset = NAN, "colliders[3].offset", "expected a finite number");
    REFUSED(c[0].bone = -1, "colliders[0].bone", "expected the index of a bone");
    REFUSED(c[0].bone = 33, "colliders[0].bone", "expected the index of a bone");
    REFUSED(c[0].center[0] = NAN, "colliders[0].center", "expected finite numbers");
    REFUSED(c[2].from[0] = NAN, "colliders[2].center", "expected finite numbers");
    REFUSED(c[2].to[0] = INFINITY, "colliders[2].center", "expected finite numbers");
    REFUSED(c[0].rotation[1] = 1.0f, "colliders[0].rotation", "expected a unit quaternion");
    REFUSED(c[0].radii[2] = -0.1f, "colliders[0].radii[2]", "expected 0 to 100 m");
    REFUSED(c[0].radii[1] = 101.0f, "colliders[0].radii[1]", "expected 0 to 100 m");
    REFUSED(c[0].radii[0] = NAN, "colliders[0].radii[0]", "expected 0 to 100 m");
    REFUSED(c[1].radius = -0.1f, "colliders[1].radius", "expected 0 to 100 m");
    REFUSED(c[2].radius = NAN, "colliders[2].radius", "expected 0 to 100 m");
    REFUSED(c[2].radius_end = 100.5f, "colliders[2].radius_end", "expected 0 to 100 m");
}

static void test_a_garments_grid(void **state) {
    (void)state;
    start_right(&spoilt);
    SimGarmentDef *g = spoilt.garments;
    float(*x)[3] = spoilt.fixture.positions;
    REFUSED(g[0].name = "", "garments[0].name", NAME_RULE);
    REFUSED(g[1].name = "cloth", "garments[1].name", "is the name of another garment, too");
    REFUSED(g[0].rows = 1, "garments[0].rows", "expected 2 to 128");
    REFUSED(g[0].rows = 129, "garments[0].rows", "expected 2 to 128");
    REFUSED(g[0].columns = 0, "garments[0].columns", "expected 1 to 128");
    REFUSED(g[0].columns = 129, "garments[0].columns", "expected 1 to 128");
    REFUSED((g[0].closed = true, g[0].columns = 2), "garments[0].columns", "expected 3 to 128");
    REFUSED(g[0].kind = SIM_GARMENT_PENDULUM, "garments[0].columns", "expected 1");
    REFUSED(g[0].kind = SIM_GARMENT_CHAIN, "garments[0].columns", "expected 1");
    REFUSED((g[0].kind = SIM_GARMENT_PENDULUM, g[0].columns = 1), "garments[0].rows", "expected 2");
    REFUSED(x[12][1] = NAN, "garments[0].positions[12]", "expected finite numbers");
    REFUSED(memcpy(x[12], x[7], sizeof x[0]), "garments[0].positions[7]",
            "lies on the particle below it: links need a length");
    REFUSED(memcpy(x[12], x[11], sizeof x[0]), "garments[0].positions[11]",
            "lies on the particle beside it: links need a length");
    REFUSED((g[0].closed = true, memcpy(x[9], x[5], sizeof x[0])), "garments[0].positions[9]",
            "lies on the particle beside it: links need a length");
    static const float nowhere[20][3];
    REFUSED(g[0].pattern = nowhere, "garments[0].pattern[0]",
            "lies on the particle below it: links need a length");
    static const SimSlit cuts[] = {{.row = 1}, {3, 1, 0}, {.column = 2}, {2, 4, 0}, {2, 3, 0}, {1, 2, 0}};
    const char *const narrow = "expected a column with two on either side of the cut";
    const char *const no_row = "expected a row below the first";
    REFUSED((g[0].slits = &cuts[0], g[0].slit_count = 1), "garments[0].slits[0].column", narrow);
    REFUSED((g[0].slits = &cuts[1], g[0].slit_count = 1), "garments[0].slits[0].column", narrow);
    REFUSED((g[0].slits = &cuts[2], g[0].slit_count = 1), "garments[0].slits[0].row", no_row);
    REFUSED((g[0].slits = &cuts[3], g[0].slit_count = 1), "garments[0].slits[0].row", no_row);
    REFUSED((g[0].slits = &cuts[4], g[0].slit_count = 2), "garments[0].slits[1].column",
            "expected two columns between it and the next slit");
    REFUSED(g[0].bone_first_column = 5, "garments[0].bone_first_column", "expected the index of a column");
    REFUSED(g[0].bone_first_column = -1, "garments[0].bone_first_column", "expected the index of a column");
    REFUSED(g[0].bone_column_step = 0, "garments[0].bone_column_step", "expected 1 at least");
    REFUSED(g[0].bone_last_row = (SimLastRow)2, "garments[0].bone_last_row", "expected none or follow");
    REFUSED(g[0].bone_prefix = NULL, "garments[0].bone_prefix", "expected 48 bytes at most");
    REFUSED(g[0].bone_prefix = "a_prefix_that_is_longer_than_eight_and_forty_bytes",
            "garments[0].bone_prefix", "expected 48 bytes at most");
}

static void test_what_a_garment_follows(void **state) {
    (void)state;
    start_right(&spoilt);
    SimGarmentDef *g = spoilt.garments;
    static const char *const skin = "expected bones with weights above 0";
    REFUSED(spoilt.fixture.attach[3].weights[0] = 0.0f, "garments[0].attach[3]", skin);
    REFUSED(spoilt.fixture.attach[3].weights[1] = -1.0f, "garments[0].attach[3]", skin);
    REFUSED(spoilt.fixture.attach[3].weights[2] = NAN, "garments[0].attach[3]", skin);
    REFUSED(spoilt.fixture.attach[3].bones[0] = 3, "garments[0].attach[3]", skin);
    REFUSED((g[0].skins = spoilt.skins, spoilt.skins[13].bones[0] = -1), "garments[0].skins[13]", skin);
    REFUSED(g[0].max_distance_top = -0.1f, "garments[0].max_distance_top", "expected 0 to 10 m");
    REFUSED(g[0].max_distance_top = NAN, "garments[0].max_distance_top", "expected 0 to 10 m");
    REFUSED(g[0].max_distance_bottom = 10.1f, "garments[0].max_distance_bottom", "expected 0 to 10 m");
    REFUSED(g[0].max_distance_bottom = NAN, "garments[0].max_distance_bottom", "expected 0 to 10 m");
    REFUSED(g[0].max_distance_curve = 0.05f, "garments[0].max_distance_curve", "expected 0.1 to 1");
    REFUSED(g[0].max_distance_curve = 1.5f, "garments[0].max_distance_curve", "expected 0.1 to 1");
    REFUSED((g[0].max_distances = spoilt.max_distances, spoilt.max_distances[5] = -1.0f),
            "garments[0].max_distances[5]", "expected 0 to 10 m");
    REFUSED((g[0].colliders = spoilt.colliders, g[0].collider_count = 2, spoilt.colliders[1] = 4),
            "garments[0].colliders[1]", "expected the index of a collider");
    REFUSED(g[1].fabric.edge.damping = 12.0f, "garments[1].fabric.edge.damping",
            "expected 0 to 10, found 12");
    g[0].skins = spoilt.skins; // given, it stands above attach, which then may be anything
    spoilt.fixture.attach[3].weights[0] = 0.0f;
    g[1].skins = spoilt.skins;
    SimIssue issue;
    assert_true(sim_validate_rig_def(&spoilt.fixture.rig, &issue));
}

// Limits of grids and of chains.
static void test_what_chains_have(void **state) {
    (void)state;
    SimGarmentDef *g = spoilt.garments;
    start_right(&spoilt);
    REFUSED(g[0].pose_stiffness[1] = 31.0f, "garments[0].pose_stiffness[1]", "expected 0 to 30 Hz");
    REFUSED(g[0].pose_stiffness[0] = NAN, "garments[0].pose_stiffness[0]", "expected 0 to 30 Hz");
    REFUSED(g[0].pose_curve = 0.0f, "garments[0].pose_curve", "expected 0.1 to 1");
    float below_zero[64] = {0};
    below_zero[1] = -1.0f;
    REFUSED(g[0].pose_stiffnesses = below_zero, "garments[0].pose_stiffnesses[1]", "expected 0 to 30 Hz");
    REFUSED(g[0].backstop[0] = 0.1f, "garments[0].backstop[1]", "expected 0 to 10 m at both ends");
    REFUSED((g[0].backstop[0] = 0.0f, g[0].backstop[1] = 11.0f), "garments[0].backstop[1]",
            "expected 0 to 10 m at both ends");
    REFUSED(g[0].backstop_curve = 2.0f, "garments[0].backstop_curve", "expected 0.1 to 1");
    REFUSED(g[0].backstops = below_zero, "garments[0].backstops[1]", "expected 0 to 10 m");
    REFUSED((g[0].columns = 1, g[0].backstops = below_zero), "garments[0].backstop",
            "expected a grid, or none");
    REFUSED(g[0].pose_damping = -1.0f, "garments[0].pose_damping", "expected 0 to 10");
    REFUSED(g[0].angle_limit[0] = -1.0f, "garments[0].angle_limit[0]", "expected 0 to 180 degrees");
    REFUSED(g[0].angle_limit[1] = NAN, "garments[0].angle_limit[1]", "expected 0 to 180 degrees");
    REFUSED(g[0].angle_limit[1] = 90.0f, "garments[0].angle_limit[1]", "expected one column, or 180");
    REFUSED((g[0].columns = 1, g[0].angle_limit[1] = 90.0f, g[0].hard = SIM_HARD_ALAN_WAKE),
            "garments[0].angle_limit[1]", "expected exact lengths (hard), or 180");
    SimIssue issue;
    g[0].columns = 1;
    g[0].pose_stiffness[0] = 30.0f, g[0].pose_damping = 10.0f, g[0].angle_limit[0] = 0.0f;
    assert_true(sim_validate_rig_def(&spoilt.fixture.rig, &issue));
}

static void test_clips(void **state) {
    (void)state;
    start_right(&spoilt);
    SimClipDef *c = spoilt.clips;
    REFUSED(c[0].name = "run[fast]", "clips[0].name", NAME_RULE);
    REFUSED(c[1].name = "clip", "clips[1].name", "is the name of another clip, too");
    REFUSED(c[0].rate = 0.0f, "clips[0].rate", "expected above 0 to 1000 Hz");
    REFUSED(c[0].rate = 1001.0f, "clips[0].rate", "expected above 0 to 1000 Hz");
    REFUSED(c[0].rate = NAN, "clips[0].rate", "expected above 0 to 1000 Hz");
    REFUSED(c[0].frame_count = 0, "clips[0].frame_count", "expected 1 at least");
    REFUSED(c[0].loop_blend = -0.1f, "clips[0].loop_blend", "expected 0 to 10 s");
    REFUSED(c[0].loop_blend = NAN, "clips[0].loop_blend", "expected 0 to 10 s");
    REFUSED(spoilt.fixture.clip_rotations[7][0] = 1.0f, "clips[0].rotations[7]",
            "expected a unit quaternion");
    REFUSED(spoilt.fixture.clip_positions[8][2] = NAN, "clips[0].positions[8]", "expected finite numbers");
    REFUSED(spoilt.fixture.clip_root[2][1] = INFINITY, "clips[0].root[2]", "expected finite numbers");
}

// Mistakes that are found only while the rig is compiled.
static void test_two_bones_of_one_name(void **state) {
    (void)state;
    SimIssue issue;
    start_right(&spoilt);
    spoilt.fixture.rig.constraint_count = 0; // one between parent and child waits for itself
    SimWorld *world = sim_world_create(&spoilt.fixture.def, &issue);
    assert_int_equal(sim_rig_create(world, &spoilt.fixture.rig, &issue).index,
                     0); // both garments say "cloth_"
    assert_string_equal(issue.path, "garments");
    assert_string_equal(issue.message, "two bones would be named \"cloth_0_0\": give another bone prefix");
    spoilt.garments[1].bone_prefix = "second_";
    assert_true(sim_rig_create(world, &spoilt.fixture.rig, &issue).index > 0);
    sim_world_destroy(world);
}

static void test_environment_and_world(void **state) {
    (void)state;
    SimIssue issue;
    static const struct {
        float gravity, wind, turbulence, gust, ground;
        const char *path, *message;
    } cases[] = {
        {301, 0, 0, 0, 0, "gravity", "expected -300 to 300 m/s^2, found 301"},
        {NAN, 0, 0, 0, 0, "gravity", "expected -300 to 300 m/s^2, found nan"},
        {0, -301, 0, 0, 0, "wind.velocity", "expected -300 to 300 m/s, found -301"},
        {0, 0, 2.5f, 0, 0, "wind.turbulence", "expected 0 to 2, found 2.5"},
        {0, 0, -1, 0, 0, "wind.turbulence", "expected 0 to 2, found -1"},
        {0, 0, 0, 3, 0, "wind.gust", "expected 0 to 2, found 3"},
        {0, 0, 0, 0, 1000002, "ground", "expected -1000000 to 1000000 m, found 1e+06"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SimWorldDef def = sim_default_world_def();
        assert_true(sim_validate_environment(&def.environment, &issue));
        def.environment.gravity_world[i % 3] = cases[i].gravity;
        def.environment.wind = (SimWind){{0, 0, cases[i].wind}, cases[i].turbulence, cases[i].gust};
        def.environment.has_ground = true;
        def.environment.ground = cases[i].ground;
        assert_false(sim_validate_environment(&def.environment, &issue));
        assert_string_equal(issue.path, cases[i].path);
        assert_string_equal(issue.message, cases[i].message);
        assert_null(sim_world_create(&def, &issue));
        assert_string_equal(issue.path, cases[i].path);
        assert_string_equal(issue.message, cases[i].message);
    }
    static const int rates[] = {0, -60, 1001};
    for (int i = 0; i < 3; i++) {
        SimWorldDef def = sim_default_world_def();
        def.tick_rate = rates[i];
        assert_null(sim_world_create(&def, &issue));
        assert_string_equal(issue.path, "tick_rate");
        assert_string_equal(issue.message, "expected 1 to 1000 Hz");
    }
}

static void test_meshes(void **state) {
    (void)state;
    SimRenderMesh *m = spoilt.meshes;
    const char *sum = "expected weights of 0 to 1 that sum to 1";
    start_right(&spoilt);
    REFUSED(m[1].name = "", "meshes[1].name", NAME_RULE);
    REFUSED(m[1].name = "body", "meshes[1].name", "is the name of another mesh, too");
    REFUSED(m[1].garment = 2, "meshes[1].garment", "expected -1 or the index of a garment");
    REFUSED(m[0].vertex_count = 0, "meshes[0].positions", "expected 1 to 1000000 vertices");
    REFUSED(m[0].triangle_count = 2000001, "meshes[0].triangles", "expected 2000000 triangles at most");
    REFUSED(spoilt.points[2][1] = NAN, "meshes[0].positions[2]", "expected finite numbers");
    REFUSED(spoilt.uvs[1][1] = INFINITY, "meshes[0].uvs[1]", "expected finite numbers");
    REFUSED(spoilt.triangles[0][2] = 3, "meshes[0].triangles[0]", "expected indices of vertices");
    REFUSED(spoilt.joints[1][3] = 1000, "meshes[0].joints[1]", "expected indices of bones");
    REFUSED(spoilt.weights[1][1] = 0.5f, "meshes[0].weights[1]", sum);
    REFUSED((spoilt.weights[1][0] = 1.5f, spoilt.weights[1][1] = -0.5f), "meshes[0].weights[1]", sum);
    REFUSED(m[1].material.color[0] = 2.0f, "meshes[1].material", "expected colors and a roughness of 0 to 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_right_one),
        cmocka_unit_test(test_bones),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_colliders),
        cmocka_unit_test(test_a_garments_grid),
        cmocka_unit_test(test_what_a_garment_follows),
        cmocka_unit_test(test_what_chains_have),
        cmocka_unit_test(test_clips),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_two_bones_of_one_name),
        cmocka_unit_test(test_environment_and_world),
    };
    return cmocka_run_group_tests_name("sim rig validation", tests, NULL, NULL);
}
