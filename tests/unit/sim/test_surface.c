// Cloth that is no grid: quads in rows and columns give the grid's links, and an irregular mesh hangs by
// paths of exact length, with steady bones.
#include "sim_fixture.h"
#include "topology/springs.h"
#include "world/world.h"

#include <cglm/vec3.h>

enum { ROWS = 8, COLUMNS = 9, RINGS = 7, AROUND = 16, MOST_FACES = 512, BONES = 12 };

static int faces[MOST_FACES][4];
static int bone_particles[BONES];
static SimSkin on_root[FIXTURE_PARTICLES];

// Takes the garment as faces, with evenly spread bones.
static void take_faces(Fixture *fixture, int particle_count, int face_count) {
    SimGarmentDef *garment = &fixture->garment;
    for (int p = 0; p < particle_count; p++) on_root[p] = (SimSkin){{0}, {1.0f}};
    garment->rows = 1;
    garment->columns = particle_count;
    garment->faces = (const int(*)[4])faces;
    garment->face_count = face_count;
    garment->skins = on_root;
    garment->bone_particles = bone_particles;
    garment->bone_particle_count = sim_garment_spread(garment, BONES, bone_particles);
    assert_int_equal(garment->bone_particle_count, BONES);
}

// The sheet of the fixture as quads, in no order.
static void sheet(Fixture *fixture, SimSolver solver, bool as_faces) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.05f);
    fixture->garment.solver = solver;
    if (!as_faces) return;
    const int count = (ROWS - 1) * (COLUMNS - 1);
    for (int i = 0; i < count; i++) {
        const int cell = 17 * i % count, top = cell / (COLUMNS - 1) * COLUMNS + cell % (COLUMNS - 1);
        const int ring[4] = {top, top + COLUMNS, top + COLUMNS + 1, top + 1};
        for (int k = 0; k < 4; k++) faces[i][k] = ring[(i + k) % 4];
    }
    take_faces(fixture, ROWS * COLUMNS, count);
}

// A disc of triangles whose vertices are off their rings, pinned at its edge, with a hole.
static void disc(Fixture *fixture) {
    fixture_sheet(fixture, 2, 2, 0.05f);
    uint32_t seed = 5;
    int count = 0;
    for (int p = 0; p < RINGS * AROUND; p++) {
        const int ring = p / AROUND;
        float off[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525u + 1013904223u;
            off[k] = ring > 0 && ring + 1 < RINGS ? (float)(seed >> 8) / 16777216.0f - 0.5f : 0.0f;
        }
        const double angle =
            2.0 * FIXTURE_PI * ((double)(p % AROUND) + 0.5 * ring + 0.5 * (double)off[0]) / AROUND;
        const double radius = 0.35 - 0.045 * ((double)ring + 0.5 * (double)off[1]);
        fixture->positions[p][0] = (float)(radius * sin(angle));
        fixture->positions[p][1] = 0.0f;
        fixture->positions[p][2] = (float)(radius * cos(angle));
        fixture->pinned[p] = ring == 0;
        if (ring + 1 == RINGS) continue;
        const int next = ring * AROUND + (p + 1) % AROUND, in = p + AROUND,
                  before = in - 1 + (p % AROUND ? 0 : AROUND);
        const int triangles[2][4] = {{p, next, in, -1}, {p, in, before, -1}};
        memcpy(faces[count], triangles, sizeof triangles);
        count += 2;
    }
    take_faces(fixture, RINGS * AROUND, count);
}

static const SimGarmentType *type_of(const Fixture *fixture) {
    return &sim_world_character(fixture->world, fixture->character)->rig->garments[0];
}

// The link of a kind between two particles; -1: there is none.
static int find(const SimLinks *links, int kind, const int ends[2]) {
    for (int i = 0; i < links->count; i++)
        for (int k = 0; k < 2; k++)
            if (links->kind[i] == kind && links->ends[i][k] == ends[0] && links->ends[i][1 - k] == ends[1])
                return i;
    return -1;
}

static void assert_same_links(const SimLinks *one, const SimLinks *other) {
    assert_int_equal(one->count, other->count);
    for (int i = 0; i < one->count; i++) {
        const int found = find(other, one->kind[i], one->ends[i]);
        assert_true(found >= 0);
        assert_near(other->length[found], one->length[i], 1e-7);
        assert_near(other->factor[found], one->factor[i], 1e-4 * fabs((double)one->factor[i]));
    }
}

static void test_quads_have_the_springs_of_the_grid(void **state) {
    (void)state;
    static Fixture grid, surface;
    sheet(&grid, SIM_SOLVER_MASS_SPRING, false);
    sheet(&surface, SIM_SOLVER_MASS_SPRING, true);
    fixture_start(&grid, 60), fixture_start(&surface, 60);
    const SimGarmentType *one = type_of(&grid), *other = type_of(&surface);
    assert_true(one->topology.springs.count > 300);
    assert_same_links(&one->topology.springs, &other->topology.springs);
    assert_near(other->info.springs.stable_step, one->info.springs.stable_step,
                1e-3 * (double)one->info.springs.stable_step);
    for (int p = 0; p < ROWS * COLUMNS; p++) {
        assert_near(other->topology.inverse_area[p], one->topology.inverse_area[p], 0.02);
        assert_int_equal(other->topology.edge[p], one->topology.edge[p]);
    }
    assert_int_equal(other->info.rows, 0);
    assert_int_equal(other->info.triangle_count, one->info.triangle_count);
    fixture_finish(&grid), fixture_finish(&surface);
}

// Columns are the paths; rows, which the grid solves directly, are links.
static void test_quads_have_the_links_of_the_grid(void **state) {
    (void)state;
    static Fixture grid, surface;
    sheet(&grid, SIM_SOLVER_VERLET, false);
    sheet(&surface, SIM_SOLVER_VERLET, true);
    fixture_start(&grid, 60), fixture_start(&surface, 60);
    const SimTopology *one = &type_of(&grid)->topology, *other = &type_of(&surface)->topology;
    assert_int_equal(other->paths.count, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < ROWS; k++) {
            const int at = other->paths.first[i] + k, p = other->paths.particles[at];
            assert_int_equal(p, other->paths.particles[other->paths.first[i]] + k * COLUMNS);
            if (k + 1 == ROWS) continue;
            assert_near(other->column_length[at], one->column_length[p], 1e-7);
            assert_near(other->column_compliance[at], one->column_compliance[p], 1e-5);
        }
    int shears = 0, rows = 0;
    for (int i = 0; i < other->links.count; i++) {
        const int *ends = other->links.ends[i], low = ends[0] < ends[1] ? ends[0] : ends[1];
        if (other->links.kind[i] == SIM_LINK_SHEAR) {
            shears++;
            assert_true(find(&one->links, SIM_LINK_SHEAR, ends) >= 0);
            continue;
        }
        const int link = low / COLUMNS * (COLUMNS - 1) + low % COLUMNS;
        assert_near(other->links.factor[i], one->row_compliance[link], 1e-5);
        rows++;
    }
    assert_int_equal(rows, (ROWS - 1) * (COLUMNS - 1)); // the first one is pinned
    assert_int_equal(shears, 2 * (ROWS - 1) * (COLUMNS - 1));
    assert_int_equal(one->bends.count, other->bends.count);
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < one->bends.count; i++)
        sums[0] += (double)one->bends.compliance[i], sums[1] += (double)other->bends.compliance[i];
    assert_near(sums[1], sums[0], 1e-4 * sums[0]);
    fixture_finish(&grid), fixture_finish(&surface);
}

// The worst relative error of a path's link, of the particles read last.
static double path_stretch(const Fixture *fixture) {
    const SimTopology *topology = &type_of(fixture)->topology;
    const SimPaths *paths = &topology->paths;
    double worst = 0.0;
    for (int i = 0; i < paths->count; i++)
        for (int k = paths->first[i]; k + 1 < paths->first[i + 1]; k++) {
            const double length = fixture_distance(fixture->particles[paths->particles[k]],
                                                   fixture->particles[paths->particles[k + 1]]);
            worst = fmax(worst, fabs(length / (double)topology->column_length[k] - 1.0));
        }
    return worst;
}

// Every particle is once in a path, after particles that were placed before it.
static void assert_paths_are_whole(const SimTopology *topology) {
    static bool placed[FIXTURE_PARTICLES];
    const SimPaths *paths = &topology->paths;
    for (int p = 0; p < topology->particle_count; p++) placed[p] = topology->pinned[p];
    for (int i = 0; i < paths->count; i++) {
        assert_true(placed[paths->particles[paths->first[i]]]);
        for (int k = paths->first[i] + 1; k < paths->first[i + 1]; k++) {
            assert_false(placed[paths->particles[k]]);
            placed[paths->particles[k]] = true;
        }
    }
    for (int p = 0; p < topology->particle_count; p++) assert_true(placed[p]);
}

// A ball pushes it up while the root moves about; then it hangs still.
static void test_an_irregular_disc_hangs_from_its_edge(void **state) {
    Fixture *fixture = *state;
    static const SimSolver solvers[] = {SIM_SOLVER_VERLET, SIM_SOLVER_MASS_SPRING};
    for (int i = 0; i < 2; i++) {
        disc(fixture);
        fixture->garment.solver = solvers[i];
        fixture->garment.fabric = fixture_preset(0);
        fixture->garment.fabric.thickness = 0.0f;
        SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
        ball->radius = 0.1f, ball->center[1] = -0.09f, ball->center[0] = 0.15f;
        fixture_start(fixture, 60);
        assert_paths_are_whole(&type_of(fixture)->topology);
        for (int tick = 0; tick < 480; tick++) {
            fixture_move_to(fixture, 0.1f * (float)sin(0.15 * (tick < 120 ? tick : 120)), 0.0f, 0.0f);
            fixture_steps(fixture, 1);
            fixture_particles(fixture);
            if (i == 0) assert_at_most(path_stretch(fixture), 1e-5);
            for (int p = AROUND; p < RINGS * AROUND; p++)
                assert_at_least(fixture_distance(fixture->particles[p], ball->center), 0.1 - 1e-5);
        }
        assert_at_most(sim_world_spring_excess(fixture->world), 1e-3);
        assert_at_most(fixture_way_of_a_tick(fixture), 1e-5);
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

// z of the bones at rest points up, as the triangles do, and no frame jumps.
static void test_bones_of_a_disc_are_steady(void **state) {
    Fixture *fixture = *state;
    static mat4 before[BONES];
    disc(fixture);
    fixture->garment.fabric = fixture_preset(0);
    fixture_start(fixture, 60);
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    assert_int_equal(info->bone_count, 1 + BONES);
    for (int i = 1; i <= BONES; i++) {
        assert_true(info->bones[i].parent < i);
        assert_near(info->bones[i].rest_model[2][1], 1.0, 1e-5);
        char name[SIM_GARMENT_BONE_NAME_SIZE];
        snprintf(name, sizeof name, "cloth_%d", bone_particles[i - 1]);
        assert_string_equal(info->bones[i].name, name);
    }
    for (int tick = 0; tick < 120; tick++) {
        fixture_move_to(fixture, 0.1f * (float)sin(0.15 * tick), 0.0f, 0.0f);
        fixture_steps(fixture, 1);
        const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character) + 1;
        for (int i = 0; i < BONES; i++)
            for (int axis = 0; axis < 3; axis++) {
                const float *now = bones[i][axis];
                assert_near(glm_vec3_norm((float *)now), 1.0, 1e-5);
                assert_near(glm_vec3_dot((float *)now, (float *)bones[i][(axis + 1) % 3]), 0.0, 1e-5);
                if (tick > 0) assert_at_least(glm_vec3_dot((float *)now, before[i][axis]), 0.8);
            }
        memcpy(before, bones, sizeof before);
    }
}

// A reload with the same faces goes on; weights of the mesh's skin add up to 1.
static void test_faces_are_adopted_and_skinned(void **state) {
    Fixture *fixture = *state;
    static float hung[FIXTURE_PARTICLES][3];
    static SimSkin skins[RINGS * AROUND];
    disc(fixture);
    assert_true(sim_garment_faces_skin(&fixture->garment, skins));
    for (int p = 0; p < RINGS * AROUND; p++) {
        double sum = 0.0;
        for (int k = 0; k < SIM_INFLUENCES; k++) sum += (double)skins[p].weights[k];
        assert_near(sum, 1.0, 1e-5);
    }
    for (int i = 0; i < BONES; i++) {
        assert_int_equal(skins[bone_particles[i]].bones[0], i);
        assert_at_least(skins[bone_particles[i]].weights[0], 0.9);
    }
    fixture_start(fixture, 60);
    fixture_steps(fixture, 30);
    memcpy(hung, fixture_particles(fixture), sizeof hung);
    fixture_adopt(fixture);
    assert_at_most(fixture_farthest(hung, fixture_particles(fixture), RINGS * AROUND), 1e-6);
    memcpy(faces[0], (int[4]){faces[0][1], faces[0][2], faces[0][0], -1}, sizeof faces[0]);
    fixture_adopt(fixture); // the same, from another corner on
    assert_at_most(fixture_farthest(hung, fixture_particles(fixture), RINGS * AROUND), 1e-6);
    fixture->garment.face_count--;
    fixture_adopt(fixture); // other faces: it begins anew
    assert_at_most(fixture_farthest(fixture->positions, fixture_particles(fixture), RINGS * AROUND), 1e-6);
}

// A sheet whose triangles are paired to other quads when a vertex has moved.
static void test_faces_paired_otherwise_are_adopted(void **state) {
    Fixture *fixture = *state;
    static float hung[FIXTURE_PARTICLES][3];
    sheet(fixture, SIM_SOLVER_MASS_SPRING, true);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 30);
    memcpy(hung, fixture_particles(fixture), sizeof hung);
    assert_at_least(fixture_farthest(fixture->positions, hung, ROWS * COLUMNS), 5e-4);
    const int last = fixture->garment.face_count++,
              quad[4] = {faces[3][0], faces[3][1], faces[3][2], faces[3][3]};
    memcpy(faces[3], (int[4]){quad[0], quad[1], quad[2], -1}, sizeof quad);
    memcpy(faces[last], (int[4]){quad[0], quad[2], quad[3], -1}, sizeof quad);
    fixture->positions[5 * COLUMNS + 4][0] += 2e-5f;
    fixture_adopt(fixture);
    assert_at_most(fixture_farthest(hung, fixture_particles(fixture), ROWS * COLUMNS), 1e-6);
}

static void test_what_is_pinned_all_over_stays(void **state) {
    Fixture *fixture = *state;
    disc(fixture);
    for (int p = 0; p < RINGS * AROUND; p++) fixture->pinned[p] = true;
    fixture->garment.max_distance_bottom = -1.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 10);
    assert_at_most(fixture_farthest(fixture->positions, fixture_particles(fixture), RINGS * AROUND), 1e-6);
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    assert_near(fixture->max_distances[RINGS * AROUND - 1],
                10.0 * (double)fixture->garment.fabric.edge.max_distance, 1e-4);
}

// What is given for each particle is what it has, at edges too; the cloth keeps to it.
static void test_given_max_distances_are_kept(void **state) {
    Fixture *fixture = *state;
    static float given[FIXTURE_PARTICLES];
    fixture_sheet(fixture, ROWS, COLUMNS, 0.05f);
    for (int p = 0; p < ROWS * COLUMNS; p++) given[p] = 0.002f * (float)(p / COLUMNS);
    fixture->garment.max_distances = given;
    fixture->garment.fabric.edge.max_distance = 2.0f;
    fixture->garment.fabric.world_motion = 1.0f;
    fixture_start(fixture, 60);
    for (int tick = 0; tick < 60; tick++) {
        fixture_move_to(fixture, 0.2f * sinf(0.2f * (float)tick), 0.0f, 0.0f);
        sim_world_step(fixture->world);
        sim_garment_references_model(fixture->world, fixture->character, 0, fixture->positions);
        for (int p = 0; p < ROWS * COLUMNS; p++)
            assert_at_most(glm_vec3_distance(fixture->positions[p], (float *)fixture_particles(fixture)[p]),
                           (double)given[p] + 1e-5);
    }
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    for (int p = 0; p < ROWS * COLUMNS; p++) assert_near(fixture->max_distances[p], given[p], 1e-6);
}

static void test_what_faces_cannot_be(void **state) {
    (void)state;
    static const struct {
        const char *path, *message;
        int face, corner, value;
    } cases[] = {
        {"garments[0].faces[3][2]", "expected the index of a particle", 3, 2, RINGS * AROUND},
        {"garments[0].faces[3][1]", "lies on another corner: links need a length", 3, 1, -1},
        {"garments[0].faces[5]", "is the third face at an edge, expected two at most", 5, 2, -1},
    };
    for (int i = 0; i < 3; i++) {
        static Fixture fixture;
        SimIssue issue;
        disc(&fixture);
        int *corner = &faces[cases[i].face][cases[i].corner];
        *corner = cases[i].value >= 0 ? cases[i].value : i == 1 ? faces[3][0] : *corner;
        if (i == 2) memcpy(faces[5], faces[4], sizeof faces[5]), memcpy(faces[3], faces[4], sizeof faces[3]);
        assert_false(sim_validate_rig_def(&fixture.rig, &issue));
        assert_string_equal(issue.path, cases[i].path);
        assert_string_equal(issue.message, cases[i].message);
    }
    static Fixture loose;
    SimIssue issue;
    disc(&loose);
    memset(loose.pinned, 0, sizeof loose.pinned);
    assert_false(sim_validate_rig_def(&loose.rig, &issue));
    assert_string_equal(issue.path, "garments[0].positions[0]");
    assert_string_equal(issue.message, "hangs from no pinned particle");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quads_have_the_springs_of_the_grid),
        cmocka_unit_test(test_quads_have_the_links_of_the_grid),
        FIXTURE_TEST(test_an_irregular_disc_hangs_from_its_edge),
        FIXTURE_TEST(test_bones_of_a_disc_are_steady),
        FIXTURE_TEST(test_faces_are_adopted_and_skinned),
        FIXTURE_TEST(test_faces_paired_otherwise_are_adopted),
        FIXTURE_TEST(test_what_is_pinned_all_over_stays),
        FIXTURE_TEST(test_given_max_distances_are_kept),
        cmocka_unit_test(test_what_faces_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
