// How the cloth feels the root's motion: trail angles, the world that it is simulated in, teleports, and the
// shares of motion along, turns and flying out, with their clamps and changes.
#include "sim_fixture.h"

#include <cglm/cglm.h>

#define LENGTH 0.3 // m, of the pendulum
#define ARM    0.2 // m, from the root's axis to where it hangs

static SimTransform turn_about(double heading) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.rotation[1] = (float)sin(heading / 2.0), root.rotation[3] = (float)cos(heading / 2.0);
    return root;
}

// The root at a steady speed along +z, across the sheet, for so many seconds.
static void run_steadily(Fixture *fixture, int tick_rate, float speed, int seconds) {
    for (int tick = 1; tick <= seconds * tick_rate; tick++) {
        fixture_move_to(fixture, 0.0f, 0.0f, speed * (float)tick / (float)tick_rate);
        sim_world_step(fixture->world);
    }
}

// In steady motion damping c a v stands against g: every link trails by atan(c a v / g).
static void test_trail_angle(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 120, 240};
    static const float shares[] = {0.0f, 0.3f, 1.0f};
    const float speed = 2.0f;
    for (int i = 0; i < 24; i++) {
        int rate = rates[i % 4], rows = i < 12 ? 2 : 9, columns = i < 12 ? 1 : 4;
        float share = shares[i / 4 % 3];
        fixture_sheet(fixture, rows, columns, 0.08f);
        fixture_vacuum(fixture);
        fixture->garment.fabric.damping = 3.0f;
        fixture->garment.fabric.world_motion = share;
        fixture_start(fixture, rate);
        run_steadily(fixture, rate, speed, 6);
        const float(*x)[3] = fixture_particles(fixture);
        double expected = atan(3.0 * (double)(share * speed) / 9.81) * 180.0 / FIXTURE_PI;
        for (int p = columns; p < rows * columns; p++) {
            const float *upper = x[p - columns];
            double angle = atan2((double)(upper[2] - x[p][2]), (double)(upper[1] - x[p][1]));
            assert_near(angle * 180.0 / FIXTURE_PI, expected, 0.3);
        }
        fixture_finish(fixture);
    }
}

// Standing in a wind is running through still air, of which the cloth feels its share: a sheet across it
// hangs at tan = (k u^2 + c u) / g, where the damping c does not act on the standing one.
static void test_headwind_of_running(void **state) {
    Fixture *fixture = *state;
    const double k = 1.225 / 0.40, speed = 3.0;
    for (int running = 0; running < 2; running++) {
        fixture_sheet(fixture, 7, 5, 0.06f);
        fixture_vacuum(fixture);
        fixture->garment.fabric.wind = 1.0f;
        fixture->garment.fabric.damping = 2.0f;
        fixture->garment.fabric.world_motion = 0.5f;
        if (!running) fixture->def.environment.wind.velocity_world[2] = (float)-speed / 2.0f;
        fixture_start(fixture, 60);
        run_steadily(fixture, 60, running ? (float)speed : 0.0f, 8);
        double u = speed / 2.0, expected = atan((k * u * u + (running ? 2.0 * u : 0.0)) / 9.81);
        const float(*x)[3] = fixture_particles(fixture);
        double angle = atan2((double)-x[32][2], (double)-x[32][1]);
        assert_near(angle / expected, 1.0, 0.02);
        fixture_finish(fixture);
    }
}

// Damping is relative to the frame of the state: a free cloth without weight stays where it is in that frame.
static void test_damping_is_relative_to_the_frame_of_the_state(void **state) {
    Fixture *fixture = *state;
    const float shares[] = {0.0f, 0.25f, 0.7f, 1.0f};
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, 4, 4, 0.06f);
        fixture_unpin(fixture);
        fixture_vacuum(fixture);
        fixture->def.environment.gravity_world[1] = 0.0f;
        fixture->garment.fabric.damping = 20.0f;
        fixture->garment.fabric.world_motion = shares[i];
        fixture_start(fixture, 60);
        run_steadily(fixture, 60, 1.5f, 2);
        const float(*x)[3] = fixture_particles(fixture);
        for (int p = 0; p < 16; p++) {
            assert_near(x[p][2] - fixture->positions[p][2], -3.0f * shares[i], 1e-4);
            assert_near(x[p][1], fixture->positions[p][1], 1e-4);
        }
        fixture_finish(fixture);
    }
}

// A walk that sways, bobs and turns.
static SimTransform path(double time, bool turns) {
    SimTransform at = SIM_TRANSFORM_IDENTITY;
    at.position[0] = (float)(0.8 * time + 0.1 * sin(9.0 * time));
    at.position[1] = (float)(0.05 * sin(17.0 * time));
    at.position[2] = (float)(0.2 * sin(4.0 * time));
    double heading = turns ? 0.9 * sin(2.5 * time) : 0.0;
    at.rotation[1] = (float)sin(heading / 2.0), at.rotation[3] = (float)cos(heading / 2.0);
    return at;
}

// Largest difference, in world space, between cloth whose root walks with a share of its motion and cloth
// whose root stands while its skeleton walks the same way.
static double difference_from_world_space(int tick_rate, float share, float wind, bool turns) {
    static Fixture walks, stands;
    Fixture *const both[] = {&walks, &stands};
    for (int i = 0; i < 2; i++) {
        fixture_sheet(both[i], 7, 5, 0.06f);
        fixture_vacuum(both[i]);
        both[i]->garment.fabric.damping = 3.0f;
        both[i]->garment.fabric.wind = wind;
        both[i]->garment.fabric.world_motion = share;
        fixture_add_clip(both[i], (float)tick_rate, tick_rate + 1, false);
        for (int frame = 0; i == 1 && frame <= tick_rate; frame++) {
            SimTransform at = path(frame / (double)tick_rate, turns);
            memcpy(both[i]->clip_positions[frame], at.position, sizeof at.position);
            memcpy(both[i]->clip_rotations[frame], at.rotation, sizeof at.rotation);
        }
        fixture_start(both[i], tick_rate);
        fixture_play(both[i], false);
    }
    double worst = 0.0;
    for (int tick = 1; tick <= tick_rate; tick++) {
        SimTransform root = path(tick / (double)tick_rate, turns);
        sim_character_move(walks.world, walks.character, &root, false);
        for (int i = 0; i < 2; i++) {
            sim_world_step(both[i]->world);
            fixture_particles(both[i]);
        }
        for (int p = 0; p < 35; p++) {
            vec3 world;
            glm_quat_rotatev(root.rotation, walks.particles[p], world);
            glm_vec3_add(world, root.position, world);
            worst = fmax(worst, fixture_distance(world, stands.particles[p]));
        }
    }
    fixture_finish(&walks);
    fixture_finish(&stands);
    return worst;
}

static void test_whole_share_is_a_simulation_in_world_space(void **state) {
    (void)state;
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 4; i++)
        assert_at_most(difference_from_world_space(rates[i], 1.0f, 0.0f, false), 3e-4);
    // In turns the pins follow arcs in one fixture and chords in the other, which differ slightly.
    assert_at_most(difference_from_world_space(240, 1.0f, 0.0f, true), 1e-3);
    assert_at_most(difference_from_world_space(60, 1.0f, 0.0f, true), 1e-3);
    assert_at_least(difference_from_world_space(60, 0.9f, 0.0f, false), 5e-3);
}

// The same with the drag of still air, which acts on pinned corners of quads by the speed that they share.
static void test_whole_share_in_air_is_a_simulation_in_world_space(void **state) {
    (void)state;
    assert_at_most(difference_from_world_space(60, 1.0f, 1.0f, false), 1e-4);
    assert_at_most(difference_from_world_space(240, 1.0f, 1.0f, true), 1e-3);
    assert_at_least(difference_from_world_space(60, 0.9f, 1.0f, false), 5e-3);
}

typedef enum Jump { NO_JUMP, TELEPORT, TOO_FAR, TOO_FAST_A_TURN, FAR_BUT_FELT } Jump;

// Cloth swings, the root jumps at half time, and both continue. Gives the particles at the end.
static void swing_and_jump(Jump jump, float out[35][3]) {
    static Fixture fixture;
    fixture_sheet(&fixture, 7, 5, 0.06f);
    fixture.garment.fabric.world_motion = 1.0f;
    fixture_start(&fixture, 60);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int tick = 0; tick < 60; tick++) {
        if (tick < 20) root.position[2] += 0.02f * sinf((float)tick);
        if (tick == 30 && (jump == TELEPORT || jump == FAR_BUT_FELT)) root.position[2] += 0.4f; // 24 m/s
        if (tick == 30 && jump == TOO_FAR) root.position[2] -= 0.6f;                            // 36 m/s
        if (tick == 30 && jump == TOO_FAST_A_TURN) root.rotation[1] = 1.0f, root.rotation[3] = 0.0f;
        sim_character_move(fixture.world, fixture.character, &root,
                           tick == 30 && jump == TELEPORT ? SIM_TELEPORT_KEEP : SIM_TELEPORT_NONE);
        sim_world_step(fixture.world);
    }
    memcpy(out, fixture_particles(&fixture), 35 * sizeof *out);
    fixture_finish(&fixture);
}

static void test_a_teleport_moves_nothing_in_model_space(void **state) {
    (void)state;
    static float expected[35][3], found[35][3];
    swing_and_jump(NO_JUMP, expected);
    swing_and_jump(TELEPORT, found);
    assert_memory_equal(expected, found, sizeof expected);
    swing_and_jump(TOO_FAR, found);
    assert_memory_equal(expected, found, sizeof expected);
    swing_and_jump(TOO_FAST_A_TURN, found);
    assert_at_most(fixture_farthest(expected, found, 35), 1e-5);
    swing_and_jump(FAR_BUT_FELT, found);
    assert_at_least(fixture_farthest(expected, found, 35), 0.05);
}

// Cloth lies on the ground or on a plane before and after the jump: no friction drags it.
static void test_a_teleport_drags_nothing_over_the_ground(void **state) {
    Fixture *fixture = *state;
    static float before[35][3];
    for (int plane = 0; plane < 2; plane++) {
        fixture_sheet(fixture, 7, 5, 0.06f);
        fixture->def.environment.has_ground = !plane;
        fixture->def.environment.ground = -0.25f;
        if (plane) fixture_add_collider(fixture, SIM_COLLIDER_PLANE, -1)->offset = -0.25f;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 240);
        memcpy(before, fixture_particles(fixture), sizeof before);
        SimTransform root = SIM_TRANSFORM_IDENTITY;
        root.position[0] = 5.0f;
        sim_character_move(fixture->world, fixture->character, &root, true);
        for (int tick = 0; tick < 5; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            assert_at_most(fixture_farthest(before, fixture->particles, 35), 2e-3);
        }
        fixture_finish(fixture);
    }
}

// A teleport during a run keeps the velocity in model space: the cloth trails as before. Cloth of a root
// that is teleported in every tick hangs as on one that stands.
static void test_a_teleport_keeps_velocity_in_model_space(void **state) {
    Fixture *fixture = *state;
    static float before[35][3];
    fixture_sheet(fixture, 7, 5, 0.06f);
    fixture->garment.fabric.world_motion = 0.5f;
    fixture_start(fixture, 60);
    run_steadily(fixture, 60, 3.0f, 6);
    memcpy(before, fixture_particles(fixture), sizeof before);
    SimTransform root = turn_about(2.0);
    for (int tick = 0; tick < 20; tick++) { // on in another place, another way round
        root.position[0] = 40.0f + 0.05f * sinf(2.0f) * (float)tick;
        root.position[2] = 0.05f * cosf(2.0f) * (float)tick;
        sim_character_move(fixture->world, fixture->character, &root,
                           tick ? SIM_TELEPORT_NONE : SIM_TELEPORT_KEEP);
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(fixture_farthest(before, fixture->particles, 35), 2e-3);
    }
    for (int tick = 0; tick < 600; tick++) {
        root.position[0] += 0.3f;
        sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_KEEP);
        sim_world_step(fixture->world);
    }
    fixture_particles(fixture);
    assert_at_most(fixture_farthest(fixture->positions, fixture->particles, 35), 5e-3);
}

// A reset teleport puts the cloth at its references, at rest.
static void test_a_teleport_can_start_anew(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 7, 5, 0.06f);
    fixture->garment.fabric.world_motion = 1.0f;
    fixture_start(fixture, 60);
    run_steadily(fixture, 60, 4.0f, 2);
    assert_at_least(fixture_farthest(fixture->positions, fixture_particles(fixture), 35), 0.1);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.position[0] = 0.01f;
    sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_RESET);
    sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_KEEP); // the weaker one
    for (int tick = 0; tick < 60; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(fixture_farthest(fixture->positions, fixture->particles, 35), tick ? 1e-4 : 1e-6);
    }
}

// Shares
// -----------------------------------------------------------------------------------------------------------

// A pendulum on an arm of a root that turns.
static void hang_on_an_arm(Fixture *fixture, int tick_rate, float angular, float centrifugal) {
    fixture_sheet(fixture, 2, 1, (float)LENGTH);
    fixture_vacuum(fixture);
    for (int p = 0; p < 2; p++) fixture->positions[p][0] += (float)ARM;
    fixture->garment.fabric.damping = 3.0f;
    fixture->garment.fabric.world_motion = 0.0f;
    fixture->garment.fabric.world_angular = angular;
    fixture->garment.fabric.world_centrifugal = centrifugal;
    fixture_start(fixture, tick_rate);
}

static void turn_steadily(Fixture *fixture, int tick_rate, double rate, int seconds) {
    for (int tick = 1; tick <= seconds * tick_rate; tick++) {
        SimTransform root = turn_about(rate * tick / tick_rate);
        sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
        sim_world_step(fixture->world);
    }
    fixture_particles(fixture);
}

// The equilibrium: along g + (share_c w)^2 r - c share_a w x r, all of it at the bob.
static void conical_pendulum(double rate, double angular, double centrifugal, double damping, float out[3]) {
    double r = ARM, t = 0.0, y = -LENGTH; // outwards, with the turn, up
    for (int i = 0; i < 2000; i++) {
        double flying = centrifugal * centrifugal * rate * rate, drag = damping * angular * rate;
        double along_r = flying * r + drag * t, along_t = flying * t - drag * r;
        double length = sqrt(along_r * along_r + along_t * along_t + 9.81 * 9.81);
        r += 0.5 * (ARM + LENGTH * along_r / length - r);
        t += 0.5 * (LENGTH * along_t / length - t);
        y += 0.5 * (-LENGTH * 9.81 / length - y);
    }
    out[0] = (float)r, out[1] = (float)y, out[2] = (float)-t; // a turn about +y takes +x towards -z
}

static double angle_between(const float a[3], const float b[3], const float from[3]) {
    double dot = 0.0, aa = 0.0, bb = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = (double)a[i] - (double)from[i], y = (double)b[i] - (double)from[i];
        dot += x * y, aa += x * x, bb += y * y;
    }
    return acos(fmin(dot / sqrt(aa * bb), 1.0)) * 180.0 / FIXTURE_PI;
}

// The error is of the first order in the substep: a turn a second and whole shares would give 2.8 degrees.
static void test_flies_out_like_a_conical_pendulum(void **state) {
    Fixture *fixture = *state;
    static const int tick_rates[] = {30, 60, 120, 240, 50};
    static const struct {
        double rate;
        float angular, centrifugal;
    } cases[] = {{2, 0, 1},          {4, 0, 1},       {6, 0, 1},      {5, 0, 0.5f},   {4, 0.2f, 0.8f},
                 {5, 0.2f, 0.8f},    {6, 0.3f, 0.3f}, {4, 0.8f, 0},   {6, 0.8f, 0},   {2, 1, 1},
                 {-4, 0.12f, 0.12f}, {-4, 0.3f, 1},   {-6, 0, 0.75f}, {-3, 1, 0.25f}, {6, 0, 0}};
    for (int i = 0; i < 15; i++) {
        float expected[3];
        int tick_rate = tick_rates[i % 5];
        hang_on_an_arm(fixture, tick_rate, cases[i].angular, cases[i].centrifugal);
        turn_steadily(fixture, tick_rate, cases[i].rate, 6);
        conical_pendulum(cases[i].rate, (double)cases[i].angular, (double)cases[i].centrifugal, 3.0,
                         expected);
        assert_at_most(angle_between(fixture->particles[1], expected, fixture->particles[0]), 0.3);
        fixture_finish(fixture);
    }
}

// Shares that are not given equal world_motion. The edge's factor applies to each.
static void test_shares_that_are_not_given(void **state) {
    Fixture *fixture = *state;
    static float found[3][4][3];
    for (int i = 0; i < 3; i++) {
        fixture_sheet(fixture, 2, 2, (float)LENGTH);
        for (int p = 0; p < 4; p++) fixture->positions[p][0] += (float)ARM;
        SimFabric *fabric = &fixture->garment.fabric;
        fabric->world_motion = 0.4f;
        if (i == 1) fabric->world_angular = fabric->world_centrifugal = 0.4f;
        fabric->edge.world_motion = 1.5f; // all of so small a sheet is edge
        if (i == 2) fabric->world_motion = 0.6f, fabric->edge.world_motion = 1.0f;
        fixture_start(fixture, 60);
        turn_steadily(fixture, 60, 5.0, 2);
        memcpy(found[i], fixture->particles, sizeof found[i]);
        fixture_finish(fixture);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_at_most(fixture_distance(found[0][2], found[2][2]), 1e-5);
    float expected[3];
    hang_on_an_arm(fixture, 60, 0.4f, -1.0f); // centrifugal follows angular
    turn_steadily(fixture, 60, 5.0, 6);
    conical_pendulum(5.0, 0.4, 0.4, 3.0, expected);
    assert_at_most(angle_between(fixture->particles[1], expected, fixture->particles[0]), 0.3);
}

// Cloth that feels only turns trails on the arm, and not behind a straight run.
static void test_shares_are_separate(void **state) {
    Fixture *fixture = *state;
    hang_on_an_arm(fixture, 60, 1.0f, 0.0f);
    run_steadily(fixture, 60, 3.0f, 2);
    fixture_particles(fixture);
    assert_near(fixture->particles[1][2], 0.0, 1e-6);
    turn_steadily(fixture, 60, 3.0, 4);
    assert_at_least(fabs((double)fixture->particles[1][2]), 0.03);
}

// Clamps
// -----------------------------------------------------------------------------------------------------------

static double trail_angle(float speed, float fastest) {
    static Fixture fixture;
    fixture_sheet(&fixture, 5, 3, 0.08f);
    fixture_vacuum(&fixture);
    fixture.garment.fabric.damping = 3.0f;
    fixture.garment.fabric.world_motion = 0.5f;
    fixture.garment.fabric.world_speed = fastest;
    fixture_start(&fixture, 60);
    run_steadily(&fixture, 60, speed, 6);
    const float(*x)[3] = fixture_particles(&fixture);
    double angle = atan2((double)-x[13][2], (double)-x[13][1]) * 180.0 / FIXTURE_PI;
    fixture_finish(&fixture);
    return angle;
}

static void test_fastest_motion(void **state) {
    (void)state;
    assert_near(trail_angle(8.0f, 2.0f), atan(3.0 * 0.5 * 2.0 / 9.81) * 180.0 / FIXTURE_PI, 0.3);
    assert_near(trail_angle(1.5f, 2.0f), atan(3.0 * 0.5 * 1.5 / 9.81) * 180.0 / FIXTURE_PI, 0.3);
    assert_near(trail_angle(8.0f, 0.0f), 0.0, 1e-3);
}

static void test_fastest_turn(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 2; i++) {
        float expected[3];
        hang_on_an_arm(fixture, 60, 0.5f, 1.0f);
        SimFabric fabric = fixture->garment.fabric;
        fabric.world_spin = 2.5f;
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, false);
        turn_steadily(fixture, 60, i ? -9.0 : 2.0, 6);
        conical_pendulum(i ? -2.5 : 2.0, 0.5, 1.0, 3.0, expected);
        assert_at_most(angle_between(fixture->particles[1], expected, fixture->particles[0]), 0.3);
        fixture_finish(fixture);
    }
}

// A free cloth without weight stays behind by the share of what is felt: after a start from rest to V at the
// felt acceleration a, by share (V t - V^2 / 2 a).
static void test_felt_acceleration(void **state) {
    Fixture *fixture = *state;
    static const int tick_rates[] = {30, 60, 240};
    for (int i = 0; i < 3; i++) {
        fixture_sheet(fixture, 4, 4, 0.06f);
        fixture_unpin(fixture);
        fixture_vacuum(fixture);
        fixture->def.environment.gravity_world[1] = 0.0f;
        fixture->garment.fabric.world_motion = 0.5f;
        fixture->garment.fabric.world_acceleration = 4.0f;
        fixture_start(fixture, tick_rates[i]);
        run_steadily(fixture, tick_rates[i], 3.0f, 2);
        const float(*x)[3] = fixture_particles(fixture);
        double felt = 3.0 * 2.0 - 3.0 * 3.0 / (2.0 * 4.0);
        for (int p = 0; p < 16; p++) assert_near(x[p][2], -0.5 * felt, 0.01);
        fixture_finish(fixture);
    }
}

static void test_felt_spin_acceleration(void **state) {
    Fixture *fixture = *state;
    hang_on_an_arm(fixture, 60, 0.0f, 1.0f);
    SimFabric fabric = fixture->garment.fabric;
    fabric.world_spin_acceleration = 1.0f;
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, false);
    float expected[3];
    turn_steadily(fixture, 60, 5.0, 2); // 2 rad/s felt: not far behind its rest for so slow a rise
    conical_pendulum(2.0, 0.0, 1.0, 3.0, expected);
    assert_at_most(angle_between(fixture->particles[1], expected, fixture->particles[0]), 3.0);
    turn_steadily(fixture, 60, 5.0, 8);
    conical_pendulum(5.0, 0.0, 1.0, 3.0, expected);
    assert_at_most(angle_between(fixture->particles[1], expected, fixture->particles[0]), 0.3);
}

// Changes
// ----------------------------------------------------------------------------------------------------------

// Free, undamped cloth continues its motion in model space when a share or a clamp changes.
static void test_a_change_of_share_is_no_motion(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, 4, 4, 0.06f);
        fixture_unpin(fixture);
        fixture_vacuum(fixture);
        fixture->def.environment.gravity_world[1] = 0.0f;
        fixture->garment.fabric.world_motion = 0.2f;
        fixture_start(fixture, 60);
        SimFabric fabric = fixture->garment.fabric;
        if (i < 2)
            fabric.world_motion = 1.0f;
        else
            fabric.world_speed = 1.0f;
        for (int tick = 1; tick <= 120; tick++) {
            fixture_move_to(fixture, 0.0f, 0.0f, 0.05f * (float)tick);
            if (tick == 40)
                sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, i % 2 == 0);
            sim_world_step(fixture->world);
        }
        const float(*x)[3] = fixture_particles(fixture);
        for (int p = 0; p < 16; p++) assert_near(x[p][2], -0.2 * 0.05 * 120, 1e-4);
        fixture_finish(fixture);
    }
}

// On a turning root too: the change of a hanging pendulum starts at rest.
static void test_a_change_of_the_angular_share_is_no_motion(void **state) {
    Fixture *fixture = *state;
    static float before[2][3];
    hang_on_an_arm(fixture, 240, 0.2f, 0.2f);
    turn_steadily(fixture, 240, 4.0, 8);
    memcpy(before, fixture->particles, sizeof before);
    SimFabric fabric = fixture->garment.fabric;
    fabric.world_angular = 1.0f;
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, false);
    SimTransform root = turn_about(4.0 * (8.0 * 240.0 + 1.0) / 240.0);
    sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
    sim_world_step(fixture->world);
    fixture_particles(fixture);
    // c w r h^2 of new drag, and not w r h of speed: 3 mm
    assert_at_most(fixture_distance(before[1], fixture->particles[1]), 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_trail_angle),
        FIXTURE_TEST(test_headwind_of_running),
        FIXTURE_TEST(test_damping_is_relative_to_the_frame_of_the_state),
        cmocka_unit_test(test_whole_share_is_a_simulation_in_world_space),
        cmocka_unit_test(test_whole_share_in_air_is_a_simulation_in_world_space),
        cmocka_unit_test(test_a_teleport_moves_nothing_in_model_space),
        FIXTURE_TEST(test_a_teleport_drags_nothing_over_the_ground),
        FIXTURE_TEST(test_a_teleport_keeps_velocity_in_model_space),
        FIXTURE_TEST(test_a_teleport_can_start_anew),
        FIXTURE_TEST(test_flies_out_like_a_conical_pendulum),
        FIXTURE_TEST(test_shares_that_are_not_given),
        FIXTURE_TEST(test_shares_are_separate),
        cmocka_unit_test(test_fastest_motion),
        FIXTURE_TEST(test_fastest_turn),
        FIXTURE_TEST(test_felt_acceleration),
        FIXTURE_TEST(test_felt_spin_acceleration),
        FIXTURE_TEST(test_a_change_of_share_is_no_motion),
        FIXTURE_TEST(test_a_change_of_the_angular_share_is_no_motion),
    };
    return cmocka_run_group_tests_name("sim root", tests, NULL, NULL);
}
