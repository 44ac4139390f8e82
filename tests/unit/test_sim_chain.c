// Pendulums and chains against closed forms: swings, pose stiffness, angle limits, colliders.
#include "sim_fixture.h"

static const int rates[] = {30, 60, 120, 240};

// One column that leaves its first point along a direction in the x-y plane, 0 down, counter-clockwise.
static void straight(Fixture *fixture, int rows, double link, double angle) {
    fixture_sheet(fixture, rows, 1, 1.0f);
    for (int row = 0; row < rows; row++) {
        fixture->positions[row][0] = (float)(link * row * sin(angle));
        fixture->positions[row][1] = (float)(-link * row * cos(angle));
    }
    fixture_vacuum(fixture);
    fixture->garment.fabric.drape = 0.0f;
}

static void weightless(Fixture *fixture) {
    fixture->def.environment.gravity_world[1] = 0.0f;
}

// The bone that the chain hangs from goes to a pose within a millisecond, and stays there.
static void hang_on_turning_bone(Fixture *fixture, int axis, double degrees) {
    int bone = fixture_add_bone(fixture, "turning", 0, 0.0f, 0.0f, 0.0f);
    fixture->attach[0].bones[0] = bone;
    fixture_add_clip(fixture, 1000.0f, 3, false);
    float half = (float)(degrees * FIXTURE_PI / 360.0);
    versor turn = {0.0f, 0.0f, 0.0f, cosf(half)};
    turn[axis] = sinf(half);
    for (int frame = 1; frame < 3; frame++)
        memcpy(fixture->clip_rotations[frame * fixture->rig.bone_count + bone], turn, sizeof turn);
}

// Mechanical energy over the fabric's density, m^2 m^2/s^2, from where particles are and were a tick ago: at
// the middle of the tick. Each carries the square of the mean length of its links.
static double energy(const Fixture *fixture, const float (*before)[3], int rate) {
    double sum = 0.0;
    int count = fixture_particle_count(fixture);
    for (int p = 1; p < count; p++) {
        double link = fixture_distance(fixture->positions[p - 1], fixture->positions[p]);
        double width = p + 1 < count ? link : 0.5 * link;
        double speed = rate * fixture_distance(before[p], fixture->particles[p]);
        double height = 0.5 * ((double)before[p][1] + (double)fixture->particles[p][1]);
        sum += width * width * (0.5 * speed * speed + 9.81 * height);
    }
    return sum;
}

// Times at which a signal falls through 0, by linear interpolation.
typedef struct Crossings {
    double first, last, before;
    int count;
} Crossings;

static void watch(Crossings *crossings, double value, int tick, int rate) {
    double before = crossings->before;
    crossings->before = value;
    if (tick == 0 || !(before > 0.0 && value <= 0.0)) return;
    crossings->last = (tick - 1 + before / (before - value)) / rate;
    if (crossings->count++ == 0) crossings->first = crossings->last;
}

static double period_of(const Crossings *crossings) {
    assert_true(crossings->count > 2);
    return (crossings->last - crossings->first) / (crossings->count - 1);
}

// 2 pi sqrt(L / g) / agm(1, cos(A / 2)), the complete elliptic integral by the arithmetic-geometric mean.
static double elliptic_period(double length, double amplitude) {
    double a = 1.0, b = cos(amplitude / 2.0);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * FIXTURE_PI * sqrt(length / 9.81) / a;
}

static void check_swing(double length, double degrees, int rate) {
    static Fixture fixture;
    double amplitude = degrees * FIXTURE_PI / 180.0;
    straight(&fixture, 2, length, amplitude);
    fixture_start(&fixture, rate);
    Crossings crossings = {.before = 0.0};
    double highest = -length, most = -length;
    for (int tick = 0; tick <= 6 * rate; tick++) {
        if (tick) sim_world_step(fixture.world);
        const float(*x)[3] = fixture_particles(&fixture);
        watch(&crossings, (double)x[1][0], tick, rate);
        assert_near(fixture_distance(x[0], x[1]), length, 1e-5 * length);
        most = fmax(most, (double)x[1][1]);
        highest = tick == 4 * rate ? -length : fmax(highest, (double)x[1][1]);
    }
    assert_near(period_of(&crossings) / elliptic_period(length, amplitude), 1.0, 0.003);
    assert_near(acos(-highest / length) / amplitude, 1.0, 0.015); // of the last 2 s
    assert_at_most(acos(-most / length) / amplitude, 1.001);
    fixture_finish(&fixture);
}

static void test_pendulum_period_and_amplitude(void **state) {
    (void)state;
    static const double lengths[] = {0.08, 0.25, 1.0}, amplitudes[] = {10.0, 30.0, 60.0};
    for (int i = 0; i < 9; i++)
        for (int rate = 0; rate < 4; rate++) check_swing(lengths[i % 3], amplitudes[i / 3], rates[rate]);
}

// Its first mode, x = A J0(j sqrt(1 - s / L)), at w = j / 2 sqrt(g / L); a straight chain that is moved aside
// by A (1 - s / L) contains little else.
static void test_first_mode_of_a_chain(void **state) {
    (void)state;
    const double j = 2.404825557695773, length = 0.5;
    for (int rows = 9; rows <= 17; rows += 4) {
        static Fixture fixture;
        straight(&fixture, rows, length / (rows - 1), 0.05);
        fixture_start(&fixture, 60);
        Crossings crossings = {.before = 0.0};
        for (int tick = 0; tick <= 480; tick++) {
            if (tick) sim_world_step(fixture.world);
            watch(&crossings, (double)fixture_particles(&fixture)[rows / 3][0], tick, 60);
        }
        assert_near(period_of(&crossings) * j * sqrt(9.81 / length) / (4.0 * FIXTURE_PI), 1.0, 0.015);
        fixture_finish(&fixture);
    }
}

// Dropped from the horizontal without any damping, a chain whips about, and never has more than it began
// with.
static void test_chains_gain_no_energy(void **state) {
    (void)state;
    static const float limits[] = {180.0f, 60.0f, 20.0f, 5.0f};
    static float before[FIXTURE_PARTICLES][3];
    for (int i = 0; i < 12; i++) {
        static Fixture fixture;
        int rows = (const int[]){3, 9, 21}[i / 4];
        straight(&fixture, rows, 0.03, FIXTURE_PI / 2.0);
        fixture.garment.angle_limit[0] = fixture.garment.angle_limit[1] = limits[i % 4];
        fixture_start(&fixture, 240);
        double whole = 0.0, most = 0.0, highest = 0.0;                  // energy is 0 at the start
        for (int p = 1; p < rows; p++) whole += 9e-4 * 9.81 * 0.03 * p; // about that of hanging down
        memcpy(before, fixture_particles(&fixture), sizeof before);
        for (int tick = 1; tick <= 960; tick++) {
            sim_world_step(fixture.world);
            fixture_particles(&fixture);
            most = fmax(most, energy(&fixture, (const float(*)[3])before, 240));
            assert_at_most(fixture_stretch(&fixture), 1e-5);
            memcpy(before, fixture.particles, sizeof before);
            double height = 0.0;
            for (int p = 1; p < rows; p++) height += (double)before[p][1] * (p + 1 < rows ? 1.0 : 0.25);
            highest = fmax(highest, height / (rows - 1));
        }
        // Narrow cones turn the lower links of a long chain at once, which shows as speed for a few ticks.
        assert_at_most(most / whole, limits[i % 4] > 100.0f ? 0.002 : limits[i % 4] > 50.0f ? 0.02 : 3.0);
        assert_at_most(highest, 0.01 * 0.03 * rows);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
        fixture_finish(&fixture);
    }
}

// Weightless and turned aside as a whole, a chain swings about its references at its pose stiffness, however
// many links it has, at every rate.
static void test_pose_stiffness_is_a_frequency(void **state) {
    (void)state;
    static const float frequencies[] = {1.0f, 4.0f, 12.0f};
    for (int i = 0; i < 36; i++) {
        static Fixture fixture;
        int rows = (const int[]){2, 5, 13}[i % 3], rate = rates[i / 9];
        double frequency = (double)frequencies[i / 3 % 3];
        straight(&fixture, rows, 0.03, 0.0);
        weightless(&fixture);
        fixture.garment.pose_stiffness[0] = fixture.garment.pose_stiffness[1] = (float)frequency;
        hang_on_turning_bone(&fixture, 2, 5.0); // the chain stays behind: -5 degrees from its references
        fixture_start(&fixture, rate);
        fixture_play(&fixture, false);
        Crossings crossings = {.before = 0.0};
        for (int tick = 0; tick <= 4 * rate; tick++) {
            if (tick) sim_world_step(fixture.world);
            const float *tip = fixture_particles(&fixture)[rows - 1];
            watch(&crossings, sin(5.0 / 180.0 * FIXTURE_PI) * 0.03 * (rows - 1) - (double)tip[0], tick, rate);
        }
        assert_near(period_of(&crossings) * frequency, 1.0, 0.005);
        fixture_finish(&fixture);
    }
}

// A damping ratio z takes e^(-2 pi z / sqrt(1 - z^2)) from one swing to the next.
static void test_pose_damping_is_a_ratio(void **state) {
    (void)state;
    const double ratio = 0.1, turn = 5.0 / 180.0 * FIXTURE_PI, length = 0.24;
    for (int i = 0; i < 4; i++) {
        static Fixture fixture;
        straight(&fixture, 9, length / 8.0, 0.0);
        weightless(&fixture);
        fixture.garment.pose_stiffness[0] = fixture.garment.pose_stiffness[1] = 2.0f;
        fixture.garment.pose_damping = (float)ratio;
        hang_on_turning_bone(&fixture, 2, 5.0);
        fixture_start(&fixture, rates[i]);
        fixture_play(&fixture, false);
        double peaks[2] = {0.0, 0.0}; // beyond the references, in the first swing and in the second
        for (int tick = 1; tick <= rates[i]; tick++) {
            sim_world_step(fixture.world);
            double aside = (double)fixture_particles(&fixture)[8][0] / length - sin(turn);
            double *peak = &peaks[2 * tick > rates[i]];
            *peak = fmax(*peak, aside);
        }
        double expected = exp(-2.0 * FIXTURE_PI * ratio / sqrt(1.0 - ratio * ratio));
        assert_near(peaks[1] / peaks[0] / expected, 1.0, 0.04);
        fixture_finish(&fixture);
    }
}

// The directions of links in the references, and how far a chain's are from them, degrees, each seen from the
// link above: as the angle limit has it, in double precision.
static void turned(const double a[3], const double b[3], double v[3]) {
    double c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double along = (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]) / (1.0 + c);
    double across[3] = {n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]};
    for (int i = 0; i < 3; i++) v[i] = v[i] * c + across[i] + n[i] * along;
}

static double widest_joint(Fixture *fixture) {
    double frame[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, widest = 0.0;
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    for (int p = 1; p < fixture_particle_count(fixture); p++) {
        const float *r0 = fixture->references[p - 1], *r1 = fixture->references[p];
        const float *x0 = fixture->particles[p - 1], *x1 = fixture->particles[p];
        double axis[3] = {0.0, 0.0, 0.0}, u[3], far = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                axis[k] += frame[i][k] * ((double)r1[i] - (double)r0[i]) / fixture_distance(r0, r1);
            u[i] = ((double)x1[i] - (double)x0[i]) / fixture_distance(x0, x1);
        }
        for (int i = 0; i < 3; i++) far += (u[i] - axis[i]) * (u[i] - axis[i]);
        widest = fmax(widest, 2.0 * asin(fmin(sqrt(far) / 2.0, 1.0)) * 180.0 / FIXTURE_PI);
        for (int i = 0; i < 3; i++) turned(axis, u, frame[i]);
    }
    return widest;
}

static void test_angle_limits_hold_in_a_shaking(void **state) {
    (void)state;
    static const float limits[] = {0.0f, 10.0f, 45.0f, 120.0f};
    for (int i = 0; i < 16; i++) {
        static Fixture fixture;
        int rate = rates[i % 4];
        straight(&fixture, 9, 0.04, 0.3);
        for (int p = 4; p < 9; p++) fixture.positions[p][2] = 0.02f * (float)(p - 3); // bent at rest
        fixture.garment.angle_limit[0] = fixture.garment.angle_limit[1] = limits[i / 4];
        fixture.garment.fabric.world_motion = 1.0f;
        fixture_start(&fixture, rate);
        for (int tick = 0; tick < 2 * rate; tick++) {
            float t = (float)tick / (float)rate;
            fixture_move_to(&fixture, 0.3f * sinf(20.0f * t), 0.2f * sinf(29.0f * t), 0.3f * cosf(17.0f * t));
            sim_world_step(fixture.world);
            fixture_particles(&fixture);
            assert_at_most(widest_joint(&fixture), (double)limits[i / 4] + 0.1);
            assert_at_most(fixture_stretch(&fixture), 1e-5);
        }
        SimWorldStats stats = sim_world_stats(fixture.world);
        assert_int_equal(stats.unstable, 0);
        assert_int_equal(stats.constraint_conflicts, 0);
        fixture_finish(&fixture);
    }
}

// A rigid hook on a free joint hangs with its centre of mass below the joint: the joint's cone works both
// ways. The corner carries a link's length squared, the end the square of half of it.
static void test_stiff_joint_turns_the_link_above(void **state) {
    (void)state;
    static Fixture fixture;
    fixture_sheet(&fixture, 3, 1, 0.1f);
    fixture_vacuum(&fixture);
    fixture.garment.fabric.drape = 0.0f;
    fixture.garment.fabric.damping = 3.0f;
    fixture.positions[2][0] = 0.1f, fixture.positions[2][1] = -0.1f;
    fixture.garment.angle_limit[0] = 180.0f, fixture.garment.angle_limit[1] = 0.0f;
    fixture_start(&fixture, 60);
    fixture_steps(&fixture, 600);
    const float(*x)[3] = fixture_particles(&fixture);
    double angle = atan2(-(double)x[1][0], -(double)x[1][1]);
    assert_near(angle * 180.0 / FIXTURE_PI, atan(0.25 / 1.25) * 180.0 / FIXTURE_PI, 0.5);
    double cosine = 0.0; // the hook keeps its right angle
    for (int i = 0; i < 3; i++)
        cosine += ((double)x[1][i] - (double)x[0][i]) * ((double)x[2][i] - (double)x[1][i]) / 0.01;
    assert_near(cosine, 0.0, 1e-3);
    fixture_finish(&fixture);
}

// A chain that falls over a sphere lies on it, within a cone and drawn to its pose or not.
static void test_chain_lies_over_a_sphere(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        static Fixture fixture;
        straight(&fixture, 13, 0.03, FIXTURE_PI / 2.0);
        SimColliderDef *sphere = fixture_add_collider(&fixture, SIM_COLLIDER_SPHERE, 0);
        sphere->center[0] = 0.12f, sphere->center[1] = -0.11f, sphere->radius = 0.1f;
        fixture.garment.fabric.damping = 2.0f;
        if (i >= 4) {
            fixture.garment.angle_limit[0] = fixture.garment.angle_limit[1] = 40.0f;
            fixture.garment.pose_stiffness[0] = 1.5f;
        }
        fixture_start(&fixture, rates[i % 4]);
        for (int tick = 0; tick < 8 * rates[i % 4]; tick++) {
            sim_world_step(fixture.world);
            fixture_particles(&fixture);
            assert_at_most(fixture_stretch(&fixture), 1e-5);
            for (int p = 1; p < 13; p++)
                assert_at_least(fixture_distance(fixture.particles[p], sphere->center), 0.1 - 1e-5);
            if (i >= 4) assert_at_most(widest_joint(&fixture), 40.1);
        }
        double nearest = 1.0;
        for (int p = 1; p < 13; p++)
            nearest = fmin(nearest, fixture_distance(fixture.particles[p], sphere->center));
        assert_at_most(nearest, 0.105); // the middles of links keep 3 mm off
        static float before[FIXTURE_PARTICLES][3];
        memcpy(before, fixture.particles, sizeof before);
        fixture_steps(&fixture, rates[i % 4]);
        fixture_particles(&fixture);
        for (int p = 0; p < 13; p++) assert_at_most(fixture_distance(before[p], fixture.particles[p]), 1e-3);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
        fixture_finish(&fixture);
    }
}

// The references turn right round within a tick: links that point exactly the other way come back.
static void test_opposite_to_the_references(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        static Fixture fixture;
        straight(&fixture, 6, 0.04, 0.0);
        weightless(&fixture);
        fixture.garment.pose_stiffness[0] = fixture.garment.pose_stiffness[1] = 3.0f;
        fixture.garment.pose_damping = 0.5f;
        if (i >= 4) fixture.garment.angle_limit[0] = fixture.garment.angle_limit[1] = 30.0f;
        hang_on_turning_bone(&fixture, 2, 180.0);
        fixture_start(&fixture, rates[i % 4]);
        fixture_play(&fixture, false);
        for (int tick = 0; tick < 6 * rates[i % 4]; tick++) {
            sim_world_step(fixture.world);
            fixture_particles(&fixture);
            assert_at_most(fixture_stretch(&fixture), 1e-5);
            if (i >= 4) assert_at_most(widest_joint(&fixture), 30.1);
        }
        if (i >= 4) assert_near(fixture.particles[5][1], 0.2, 1e-3);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
        fixture_finish(&fixture);
    }
}

// References that fall together give no direction: what hangs on them hangs on, and no number is lost.
static void test_references_without_length(void **state) {
    (void)state;
    static Fixture fixture;
    static SimSkin skins[4];
    straight(&fixture, 4, 0.1, 0.0);
    fixture.garment.fabric.damping = 5.0f;
    fixture.garment.pose_stiffness[0] = fixture.garment.pose_stiffness[1] = 5.0f;
    fixture.garment.angle_limit[0] = fixture.garment.angle_limit[1] = 20.0f;
    hang_on_turning_bone(&fixture, 0, 0.0);
    for (int p = 0; p < 4; p++) skins[p] = (SimSkin){.bones = {p == 2}, .weights = {1.0f}};
    for (int frame = 1; frame < 3; frame++) fixture.clip_positions[2 * frame + 1][1] = 0.1f;
    fixture.garment.skins = skins;
    fixture_start(&fixture, 60);
    fixture_play(&fixture, false);
    for (int tick = 0; tick < 180; tick++) {
        sim_world_step(fixture.world);
        fixture_particles(&fixture);
        assert_at_most(fixture_stretch(&fixture), 1e-5);
    }
    sim_garment_references_model(fixture.world, fixture.character, 0, fixture.references);
    assert_near(fixture_distance(fixture.references[1], fixture.references[2]), 0.0, 1e-6);
    for (int p = 1; p < 4; p++) assert_near(fixture.particles[p][1], -0.1 * p, 1e-3);
    assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
    fixture_finish(&fixture);
}

// Everything that a chain has, thrown about; where it ends, to the bit.
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
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    static Fixture def;
    float alone[16][3], found[16][3];
    fixture_sheet(&def, 2, 1, 1.0f);
    def.garment.pose_stiffness[0] = 3.0f, def.garment.pose_stiffness[1] = 1.0f;
    def.garment.pose_damping = 0.3f;
    def.garment.angle_limit[0] = 60.0f, def.garment.angle_limit[1] = 25.0f;
    throw_about(NULL, 0, &def, alone);
    throw_about(NULL, 20, &def, found);
    assert_memory_equal(found, alone, sizeof alone);
    SimIssue issue;
    SimWorld *world = sim_world_create(&def.def, &issue);
    for (int i = 0; i < 3; i++) {
        if (!sim_world_use_instruction_set(world, names[i])) continue;
        throw_about(names[i], 3, &def, found);
        assert_memory_equal(found, alone, sizeof alone);
    }
    sim_world_destroy(world);
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
        cmocka_unit_test(test_pendulum_period_and_amplitude),
        cmocka_unit_test(test_first_mode_of_a_chain),
        cmocka_unit_test(test_chains_gain_no_energy),
        cmocka_unit_test(test_pose_stiffness_is_a_frequency),
        cmocka_unit_test(test_pose_damping_is_a_ratio),
        cmocka_unit_test(test_angle_limits_hold_in_a_shaking),
        cmocka_unit_test(test_stiff_joint_turns_the_link_above),
        cmocka_unit_test(test_chain_lies_over_a_sphere),
        cmocka_unit_test(test_opposite_to_the_references),
        cmocka_unit_test(test_references_without_length),
        cmocka_unit_test(test_bits_do_not_depend_on_company_or_processor),
        cmocka_unit_test(test_off_is_off),
    };
    return cmocka_run_group_tests_name("sim chain", tests, NULL, NULL);
}
