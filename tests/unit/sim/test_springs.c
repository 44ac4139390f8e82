// Mass-spring cloth against closed forms and Provot's hanging sheet.
#include "garment/kernel_inputs.h"
#include "sim_fixture.h"
#include "topology/springs.h"
#include "world/world.h"

#include <cglm/cglm.h>

#define DENSITY   0.36f // kg/m^2: 1.296 g on a cell of 6 cm
#define TOLERANCE 2e-5  // of a spring's length, to which its limit is kept

// A sheet of springs in a vacuum that its limit does not meet.
static void spring_sheet(Fixture *fixture, int rows, int columns) {
    fixture_sheet(fixture, rows, columns, 0.06f);
    fixture_vacuum(fixture);
    fixture->garment.solver = SIM_SOLVER_MASS_SPRING;
    fixture->garment.fabric.density = DENSITY;
    fixture->garment.fabric.spring = (SimFabricSpring){200.0f, 20.0f, 5.0f, 0.0f, 1.0f};
}

static const SimLinks *springs_of(const Fixture *fixture) {
    return &sim_world_character(fixture->world, fixture->character)->rig->garments[0].topology.springs;
}

// The largest elongation of a structural or shear spring, as a share of its length.
static double worst_elongation(Fixture *fixture) {
    const SimLinks *springs = springs_of(fixture);
    const float(*x)[3] = fixture_particles(fixture);
    double most = -1.0;
    for (int i = 0; i < springs->count; i++) {
        if (springs->kind[i] == SIM_LINK_BEND) continue;
        double length = fixture_distance(x[springs->ends[i][0]], x[springs->ends[i][1]]);
        most = fmax(most, length / (double)springs->length[i] - 1.0);
    }
    return most;
}

// Provot's case: 12 rows of 32 columns that hang by two corners.
static void hang_by_two_corners(Fixture *fixture, float limit, int sweeps) {
    spring_sheet(fixture, 12, 32);
    memset(fixture->pinned, 0, sizeof fixture->pinned);
    fixture->pinned[0] = fixture->pinned[31] = true;
    fixture->garment.fabric.damping = 2.0f;
    fixture->garment.fabric.spring.damping = 0.02f;
    fixture->garment.fabric.spring.limit = limit;
    fixture->garment.limit_sweeps = sweeps;
    fixture_start(fixture, 60);
}

// State and mass of a particle, in the kernel's memory.
static SimGroup *group_of(const Fixture *fixture) {
    return sim_world_character(fixture->world, fixture->character)->group;
}

static float *vector_of(SimLanes3 *vectors, int particle) {
    return (float *)(void *)vectors + 3 * particle; // groups of one character have one lane
}

static double mass_of(const Fixture *fixture, int particle) {
    const SimTopology *topology = &group_of(fixture)->rig->garments[0].topology;
    return (double)fixture->garment.fabric.density / (double)topology->inverse_area[particle];
}

// Gives each particle a random velocity of up to `speed` along each axis, and all of them `drift` on top.
static void shake(Fixture *fixture, float speed, const float drift[3]) {
    SimGarmentState *state = &group_of(fixture)->garments[0].state;
    uint32_t seed = 7;
    for (int p = 0; p < fixture_particle_count(fixture); p++)
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            vector_of(state->velocity, p)[k] = drift[k] + speed * ((float)(seed >> 8) / 8388608.0f - 1.0f);
        }
}

static void start_in_space(Fixture *fixture) {
    fixture_unpin(fixture);
    fixture->def.environment.gravity_world[1] = 0.0f;
    fixture_start(fixture, 60);
}

static double energy(Fixture *fixture) {
    SimGarmentState *state = &group_of(fixture)->garments[0].state;
    const SimLinks *springs = springs_of(fixture);
    const float(*x)[3] = fixture_particles(fixture);
    const SimFabricSpring *spring = &fixture->garment.fabric.spring;
    const double stiffness[] = {(double)spring->structural, (double)spring->shear, (double)spring->flexion};
    double sum = 0.0;
    for (int i = 0; i < springs->count; i++) {
        double e =
            fixture_distance(x[springs->ends[i][0]], x[springs->ends[i][1]]) - (double)springs->length[i];
        sum += 0.5 * stiffness[springs->kind[i]] * e * e;
    }
    for (int p = 0; p < fixture_particle_count(fixture); p++)
        for (int k = 0; k < 3; k++) {
            double v = (double)vector_of(state->velocity, p)[k];
            sum += 0.5 * mass_of(fixture, p) * v * v;
        }
    return sum;
}

// Linear momentum, then angular momentum about the origin.
static void momentum(Fixture *fixture, double out[6]) {
    SimGarmentState *state = &group_of(fixture)->garments[0].state;
    memset(out, 0, 6 * sizeof *out);
    for (int p = 0; p < fixture_particle_count(fixture); p++) {
        const float *x = vector_of(state->position, p), *v = vector_of(state->velocity, p);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            out[k] += mass_of(fixture, p) * (double)v[k];
            out[3 + k] += mass_of(fixture, p) * ((double)x[i] * (double)v[j] - (double)x[j] * (double)v[i]);
        }
    }
}

static SimSpringPlan plan_of(const Fixture *fixture, const SimFabric *fabric) {
    const SimGarmentType *type = &group_of(fixture)->rig->garments[0];
    return sim_spring_plan(&type->spring_modes, fabric, 1.0f / 240.0f);
}

// Whether small motions at the rest shape stay small in the kernel's steps of length h.
static bool is_stable(Fixture *fixture, float h) {
    SimGroup *group = group_of(fixture);
    const SimGroupTick tick = sim_world_group_tick(fixture->world, group);
    SimKernelJob job = sim_kernel_job(group, &tick, 0, 0);
    group->garments[0].fabrics[SIM_NUMBER(SimLaneFabric, spring_steps)] = 1.0f;
    job.h = h;
    job.substep_count = 1;
    for (int p = 0; p < fixture_particle_count(fixture); p++)
        memcpy(vector_of(job.state->position, p), fixture->positions[p], sizeof(vec3));
    shake(fixture, 1e-3f, (float[3]){0.0f, 0.0f, 0.0f});
    double before = energy(fixture), after = before;
    for (int i = 0; i < 2000 && after < 100.0 * before; i++) {
        group->garments[0].kernel->solvers[true][SIM_PHASE_SOFT].parts[1].run(&job, 0);
        if (i % 50 == 49) after = energy(fixture);
    }
    return after < 100.0 * before;
}

static void test_stability_bound(void **state) {
    Fixture *fixture = *state;
    static const SimFabricSpring springs[] = {
        {200.0f, 60.0f, 20.0f, 0.0f, 1.0f}, {200.0f, 60.0f, 300.0f, 0.0f, 1.0f},
        {200.0f, 200.0f, 0.0f, 0.0f, 1.0f}, {200.0f, 2.0f, 50.0f, 0.0f, 1.0f},
        {60.0f, 200.0f, 80.0f, 0.0f, 1.0f}, {50.0f, 10.0f, 5.0f, 0.02f, 1.0f}};
    for (int i = 0; i < 6; i++) {
        spring_sheet(fixture, 12, 16);
        fixture->garment.fabric.spring = springs[i];
        start_in_space(fixture);
        const SimSpringPlan plan = plan_of(fixture, &fixture->garment.fabric);
        assert_near(plan.share, 1.0, 0.0);
        assert_int_equal(plan.steps, (int)ceilf(1.0f / 240.0f / (0.8f * plan.stable_step)));
        float low = 0.0f, high = 4.0f * plan.stable_step;
        for (int k = 0; k < 8; k++) {
            float middle = 0.5f * (low + high);
            bool stable = is_stable(fixture, middle);
            low = stable ? middle : low, high = stable ? high : middle;
        }
        assert_at_least(low / plan.stable_step, 0.98);
        assert_at_most(low / plan.stable_step, 1.25);
        fixture_finish(fixture);
    }
}

// Springs that need more steps than there are take part with a share of their stiffness, and stay stable.
static void test_springs_beyond_the_most_steps(void **state) {
    Fixture *fixture = *state;
    spring_sheet(fixture, 8, 8);
    fixture->garment.fabric.spring = (SimFabricSpring){1e5f, 1e4f, 1e3f, 1.0f, 0.1f};
    fixture_start(fixture, 60);
    const SimSpringPlan plan = plan_of(fixture, &fixture->garment.fabric);
    assert_int_equal(plan.steps, SIM_SPRING_STEPS);
    SimFabric borne = fixture->garment.fabric;
    borne.spring.structural *= plan.share, borne.spring.shear *= plan.share;
    borne.spring.flexion *= plan.share, borne.spring.damping *= plan.share;
    assert_near(plan_of(fixture, &borne).stable_step * 0.8f * SIM_SPRING_STEPS * 240.0f, 1.0, 1e-3);
    for (int tick = 0; tick < 300; tick++) {
        fixture_move_to(fixture, 0.1f * sinf(0.3f * (float)tick), 0.0f, 0.0f);
        sim_world_step(fixture->world);
        assert_at_most(worst_elongation(fixture), 0.1 + TOLERANCE);
    }
    assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
}

static void test_energy_is_kept(void **state) {
    Fixture *fixture = *state;
    spring_sheet(fixture, 10, 12);
    start_in_space(fixture);
    shake(fixture, 0.3f, (float[3]){0.0f, 0.0f, 0.0f});
    double first = energy(fixture), means[6] = {0.0};
    for (int tick = 0; tick < 3600; tick++) {
        sim_world_step(fixture->world);
        double now = energy(fixture);
        assert_near(now / first, 1.0, 0.5); // semi-implicit Euler swings about it
        means[tick / 600] += now / 600.0;
    }
    for (int i = 1; i < 6; i++) assert_near(means[i] / means[0], 1.0, 0.02);
}

// Damping and the limit act between the ends of springs. The limit reaches its tolerance on springs one after
// the other, and the last pass leaves what it finds.
static void test_momentum_is_kept(void **state) {
    Fixture *fixture = *state;
    for (int limited = 0; limited < 2; limited++) {
        spring_sheet(fixture, 10, 12);
        fixture->garment.fabric.spring.damping = 0.02f;
        fixture->garment.fabric.spring.limit = limited ? 0.02f : 1.0f;
        start_in_space(fixture);
        shake(fixture, 1.3f, (float[3]){0.3f, 0.2f, -0.1f});
        double first[6], last[6];
        momentum(fixture, first);
        fixture_steps(fixture, 300);
        momentum(fixture, last);
        for (int k = 0; k < 6; k++) assert_near(last[k], first[k], limited ? 1e-4 : 1e-6);
        fixture_finish(fixture);
    }
}

static void test_provots_sheet(void **state) {
    Fixture *fixture = *state;
    hang_by_two_corners(fixture, 1.0f, 100);
    fixture_steps(fixture, 900);
    assert_near(worst_elongation(fixture), 0.214, 0.005);
    fixture_finish(fixture);
    hang_by_two_corners(fixture, 0.1f, 100); // 400 sweeps a tick
    for (int tick = 0; tick < 900; tick++) {
        sim_world_step(fixture->world);
        assert_at_most(worst_elongation(fixture), 0.1 + TOLERANCE);
    }
    assert_at_least(worst_elongation(fixture), 0.099);
}

// A sheet whose row of particles is pulled about keeps the limit after every tick, whatever the rate.
static void test_limit_in_motion(void **state) {
    Fixture *fixture = *state;
    for (int rate = 30; rate <= 240; rate *= 2) {
        spring_sheet(fixture, 10, 8);
        fixture->garment.fabric.spring.damping = 0.02f;
        fixture->garment.fabric.spring.limit = 0.05f;
        fixture->garment.fabric.world_motion = 1.0f;
        fixture->garment.limit_sweeps = 200;
        fixture_start(fixture, rate);
        for (int tick = 0; tick < 4 * rate; tick++) {
            float time = (float)tick / (float)rate;
            fixture_move_to(fixture, 0.3f * sinf(7.0f * time), 0.1f * sinf(11.0f * time), 0.0f);
            sim_world_step(fixture->world);
            assert_at_most(worst_elongation(fixture), 0.05 + TOLERANCE);
        }
        fixture_finish(fixture);
    }
}

// 16,384 particles whose root is shaken at up to 5 m/s.
static void test_a_large_net_in_fast_motion(void **state) {
    Fixture *fixture = *state;
    enum { SIDE = 128, TICKS = 120 };
    static float positions[SIDE * SIDE][3];
    static bool pinned[SIDE * SIDE];
    spring_sheet(fixture, 2, SIDE);
    for (int p = 0; p < SIDE * SIDE; p++) {
        positions[p][0] = 0.015f * (float)(p % SIDE), positions[p][1] = -0.015f * (float)(p / SIDE);
        pinned[p] = p < SIDE;
    }
    fixture->garment.rows = SIDE;
    fixture->garment.positions = (const float(*)[3])(const void *)positions;
    fixture->garment.pinned = pinned;
    fixture->garment.fabric = sim_default_fabric();
    fixture->garment.fabric.world_motion = 1.0f;
    fixture->garment.limit_sweeps = 10;
    fixture_start(fixture, 60);
    for (int tick = 0; tick < TICKS; tick++) {
        const float time = (float)tick / 60.0f;
        fixture_move_to(fixture, 0.25f * sinf(20.0f * time), 0.0f, 0.1f * sinf(13.0f * time));
        sim_world_step(fixture->world);
    }
    assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
    sim_garment_particles_model(fixture->world, fixture->character, 0, positions);
    for (int p = 0; p < SIDE * SIDE; p++)
        for (int k = 0; k < 3; k++) assert_near(positions[p][k], 0.0, 4.0);
}

// A hanging sheet's springs change: no particle jumps, and the bound follows, also while values are on their
// way.
static void test_fabric_changes_without_a_jump(void **state) {
    Fixture *fixture = *state;
    static float before[FIXTURE_PARTICLES][3];
    spring_sheet(fixture, 10, 8);
    fixture->garment.fabric.damping = 3.0f;
    fixture->garment.fabric.spring.damping = 0.02f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    const SimFabricSpring changes[] = {{5000.0f, 900.0f, 300.0f, 0.1f, 0.02f},
                                       {15.0f, 4.0f, 2.0f, 0.0f, 1.0f},
                                       {200.0f, 60.0f, 20.0f, 0.02f, 0.01f}};
    for (int i = 0; i < 3; i++) {
        SimFabric fabric = fixture->garment.fabric;
        fabric.spring = changes[i];
        if (i == 1) fabric.density = 0.1f;
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
        const SimSpringPlan plan = plan_of(fixture, &fabric);
        assert_near(sim_garment_springs(fixture->world, fixture->character, 0).stable_step / plan.stable_step,
                    1.0, 1e-6);
        for (int tick = 0; tick < 120; tick++) {
            memcpy(before, fixture_particles(fixture), sizeof before);
            sim_world_step(fixture->world);
            assert_at_most(fixture_farthest(before, fixture_particles(fixture), 80), 0.01);
        }
        assert_at_most(sim_world_spring_excess(fixture->world), TOLERANCE);
        const float *lane = group_of(fixture)->garments[0].fabrics;
        assert_near(lane[SIM_NUMBER(SimLaneFabric, spring_steps)], plan.steps, 0.0);
    }
    assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
}

// Flare
// -----------------------------------------------------------------------------------------------------------

enum { RISE = 20, TURNS = 10, RATE = 60, LINKS = 12 }; // s, s, Hz
#define WAIST 0.15                                     // m, radius
#define LINK  0.05                                     // m

static double angle_from_plumb(double out, double down) {
    return atan2(out, down) * 180.0 / FIXTURE_PI;
}

// Of the line from the waist to the rim of an inextensible chain that hangs from a turning ring. In the
// turning frame each piece lies along the weight and the centrifugal force of all that hangs on its middle;
// relaxation.
static double flare_of_a_chain(double spin) {
    enum { PIECES = 240 };
    static double angles[PIECES], radii[PIECES];
    const double piece = LINKS * LINK / PIECES;
    double rim = WAIST, down = 0.0;
    for (int i = 0; i < PIECES; i++) angles[i] = 0.5;
    for (int round = 0; round < 3000; round++) {
        rim = WAIST, down = 0.0;
        for (int i = 0; i < PIECES; i++) {
            radii[i] = rim + 0.5 * piece * sin(angles[i]);
            rim += piece * sin(angles[i]), down += piece * cos(angles[i]);
        }
        double below = 0.0; // sum of the radii
        for (int i = PIECES - 1; i >= 0; i--) {
            const double flying = spin * spin * (below + 0.5 * radii[i]);
            angles[i] += 0.3 * (atan2(flying, 9.81 * (PIECES - i - 0.5)) - angles[i]);
            below += radii[i];
        }
    }
    return angle_from_plumb(rim - WAIST, down);
}

// The same of free columns, one or a narrow band of two, whose root begins to turn gently; a mean over time
// since they swing without drag.
static double flare_of_columns(int columns, SimSolver solver, double spin) {
    static Fixture fixture;
    fixture_sheet(&fixture, LINKS + 1, columns, (float)LINK);
    fixture_vacuum(&fixture);
    for (int p = 0; p < fixture_particle_count(&fixture); p++) {
        fixture.positions[p][0] = (float)WAIST;
        fixture.positions[p][2] = 0.01f * (float)(p % columns);
    }
    fixture.garment.solver = solver;
    fixture.garment.fabric.spring = (SimFabricSpring){2000.0f, 0.0f, 0.0f, 0.02f, 1.0f};
    fixture.garment.fabric.world_motion = 1.0f;
    fixture_start(&fixture, RATE);
    double sum = 0.0, heading = 0.0;
    for (int tick = 0; tick < (RISE + TURNS) * RATE; tick++) {
        const double share = fmin((double)tick / (RISE * RATE), 1.0);
        heading += spin * share * share * (3.0 - 2.0 * share) / RATE;
        const SimTransform root = {{0.0f},
                                   {0.0f, (float)sin(0.5 * heading), 0.0f, (float)cos(0.5 * heading)}};
        sim_character_move(fixture.world, fixture.character, &root, SIM_TELEPORT_NONE);
        sim_world_step(fixture.world);
        const float *rim = fixture_particles(&fixture)[LINKS * columns];
        if (share >= 1.0)
            sum += angle_from_plumb(hypot((double)rim[0], (double)rim[2]) - WAIST, -(double)rim[1]);
    }
    fixture_finish(&fixture);
    return sum / (TURNS * RATE);
}

static void test_skirts_flare_like_turning_chains(void **state) {
    (void)state;
    const double spin = 4.64, expected = flare_of_a_chain(spin);
    assert_near(expected, 45.0, 0.5);
    static const SimSolver solvers[] = {SIM_SOLVER_VERLET, SIM_SOLVER_MASS_SPRING};
    for (int columns = 1; columns <= 2; columns++)
        for (int i = 0; i < 2; i++)
            assert_near(flare_of_columns(columns, solvers[i], spin) / expected, 1.0, 0.02);
}

// The waist's bone
// -----------------------------------------------------------------------------------------------------------

enum { RING_ROWS = 6, RING_COLUMNS = 16, RING = RING_ROWS * RING_COLUMNS, PLACES = 3 * RING, DANCE = 30 };

// A skirt on a hip that sways and turns about, with a leg. axes: the hip's own at rest; the leg is told in
// them. Gives the particles, and pivot and direction of the skirt's bones.
static void dance_in_a_ring(SimSolver solver, versor axes, float out[PLACES][3]) {
    static Fixture fixture;
    spring_sheet(&fixture, RING_ROWS, RING_COLUMNS);
    fixture.garment.solver = solver;
    fixture.garment.closed = true;
    fixture.garment.fabric.spring.limit = 0.1f;
    fixture.garment.fabric.damping = 3.0f;
    const int hip = fixture_add_bone(&fixture, "hip", 0, 0.0f, 0.9f, 0.0f);
    memcpy(fixture.bones[hip].rotation, axes, sizeof(versor));
    for (int p = 0; p < RING; p++) {
        const float turn = -2.0f * (float)FIXTURE_PI * (float)(p % RING_COLUMNS) / RING_COLUMNS;
        const float radius = 0.15f + 0.01f * (float)(p / RING_COLUMNS);
        fixture.positions[p][0] = radius * sinf(turn);
        fixture.positions[p][1] = 0.9f - 0.06f * (float)(p / RING_COLUMNS);
        fixture.positions[p][2] = radius * cosf(turn);
    }
    for (int column = 0; column < RING_COLUMNS; column++) fixture.attach[column].bones[0] = hip;
    SimColliderDef *leg = fixture_add_collider(&fixture, SIM_COLLIDER_CAPSULE, hip);
    versor back;
    glm_quat_inv(axes, back);
    glm_quat_rotatev(back, (vec3){0.08f, -0.05f, 0.08f}, leg->from);
    glm_quat_rotatev(back, (vec3){0.10f, -0.40f, 0.12f}, leg->to);
    leg->radius = 0.06f, leg->radius_end = 0.05f;
    fixture_add_clip(&fixture, 60.0f, DANCE + 1, false);
    for (int frame = 0; frame <= DANCE; frame++) {
        versor turn, sway;
        glm_quatv(turn, 0.9f * sinf(0.08f * (float)frame), (vec3){0.0f, 1.0f, 0.0f});
        glm_quatv(sway, 0.3f * sinf(0.13f * (float)frame), (vec3){0.6f, 0.0f, 0.8f});
        glm_quat_mul(turn, sway, turn);
        glm_quat_mul(turn, axes, fixture.clip_rotations[frame * fixture.rig.bone_count + hip]);
    }
    fixture_start(&fixture, 60);
    fixture_play(&fixture, false);
    fixture_steps(&fixture, DANCE);
    memcpy(out, fixture_particles(&fixture), RING * sizeof *out);
    const SimGarmentInfo *skirt = &sim_rig_info(fixture.world, fixture.rig_id)->garments[0];
    const mat4 *bones = sim_character_bones_model(fixture.world, fixture.character);
    for (int i = 0; i < skirt->bone_count; i++)
        for (int k = 0; k < 2; k++)
            memcpy(out[RING + 2 * i + k], bones[skirt->bones[i].bone][k ? 3 : 1], sizeof *out);
    fixture_finish(&fixture);
}

static void test_the_bones_own_axes_do_not_matter(void **state) {
    (void)state;
    static float straight[PLACES][3], turned[PLACES][3];
    versor axes[] = {{0.5f, -0.5f, 0.5f, 0.5f}, {0.1f, 0.7f, -0.3f, 0.2f}, {-0.8f, 0.2f, 0.1f, -0.4f}};
    for (int solver = SIM_SOLVER_VERLET; solver <= SIM_SOLVER_MASS_SPRING; solver++) {
        dance_in_a_ring((SimSolver)solver, (versor)GLM_QUAT_IDENTITY_INIT, straight);
        for (int i = 0; i < 3; i++) {
            glm_quat_normalize(axes[i]);
            dance_in_a_ring((SimSolver)solver, axes[i], turned);
            assert_at_most(fixture_farthest(straight, turned, RING), 1e-4);
            assert_at_most(fixture_farthest(straight, turned, PLACES), 5e-4);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_stability_bound),
        FIXTURE_TEST(test_fabric_changes_without_a_jump),
        FIXTURE_TEST(test_springs_beyond_the_most_steps),
        FIXTURE_TEST(test_energy_is_kept),
        FIXTURE_TEST(test_momentum_is_kept),
        FIXTURE_TEST(test_provots_sheet),
        FIXTURE_TEST(test_limit_in_motion),
        FIXTURE_TEST(test_a_large_net_in_fast_motion),
        cmocka_unit_test(test_skirts_flare_like_turning_chains),
        cmocka_unit_test(test_the_bones_own_axes_do_not_matter),
    };
    return cmocka_run_group_tests_name("sim springs", tests, NULL, NULL);
}
