// Dry friction inside the cloth: what it leaves alone (momentum, angular momentum, rigid motion), and how
// long a bend takes to stop, at every rate.
#include "core/lane.h"
#include "garment/kernel_inputs.h"
#include "sim_fixture.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define PARTICLES 25
#define CELL      0.06f
#define FRICTION  0.3f // m/s^2

static const int rates[] = {30, 60, 120, 240};

typedef struct Momentum {
    double linear[3], angular[3], energy;
} Momentum;

static void free_sheet(Fixture *fixture, int rows, int columns) {
    fixture_sheet(fixture, rows, columns, CELL);
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->def.environment.gravity_world[1] = 0.0f;
    fixture->garment.fabric.internal_friction = FRICTION;
    fixture->garment.fabric.drape = 0.0f;
}

static SimGroup *group_of(Fixture *fixture) {
    return sim_world_character(fixture->world, fixture->character)->group;
}

static float *number(Fixture *fixture, void *vectors, int particle, int axis) {
    return sim_lane_at(sim_group_lane(group_of(fixture), vectors, 0), (size_t)(3 * particle + axis)).first;
}

static float *position(Fixture *fixture, int particle, int axis) {
    return number(fixture, group_of(fixture)->garments[0].state.position, particle, axis);
}

static float *velocity(Fixture *fixture, int particle, int axis) {
    return number(fixture, group_of(fixture)->garments[0].state.velocity, particle, axis);
}

static void add_cross(double out[3], const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i++) out[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static Momentum momentum_of(Fixture *fixture, int count) {
    const float *inverse_area = group_of(fixture)->rig->garments[0].topology.inverse_area;
    Momentum sum = {0};
    for (int p = 0; p < count; p++) {
        double x[3], impulse[3];
        for (int i = 0; i < 3; i++) {
            const double v = (double)*velocity(fixture, p, i);
            x[i] = (double)*position(fixture, p, i);
            impulse[i] = v / (double)inverse_area[p];
            sum.linear[i] += impulse[i];
            sum.energy += v * impulse[i];
        }
        add_cross(sum.angular, x, impulse);
    }
    return sum;
}

static void rub_once(Fixture *fixture) {
    SimGroup *group = group_of(fixture);
    const SimGroupTick tick = sim_world_group_tick(fixture->world, group);
    const SimKernelJob job = sim_kernel_job(group, &tick, 0, 0);
    const SimKernelParts *parts = &group->kernel->solvers[false][SIM_PHASE_HARD];
    const SimKernelPart *last = &parts->parts[parts->count - 1];
    assert_string_equal(last->name, "internal friction");
    last->run(&job, 0);
}

static float noise(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static void crumple(Fixture *fixture) {
    uint32_t seed = 7;
    for (int p = 0; p < PARTICLES; p++)
        for (int i = 0; i < 3; i++) {
            *position(fixture, p, i) += 0.02f * noise(&seed);
            *velocity(fixture, p, i) = 0.2f * noise(&seed);
        }
}

static void test_it_keeps_both_momenta_and_takes_energy(void **state) {
    Fixture *fixture = *state;
    free_sheet(fixture, 5, 5);
    fixture_start(fixture, 240);
    fixture_steps(fixture, 1);
    crumple(fixture);
    const Momentum before = momentum_of(fixture, PARTICLES);
    Momentum after = before;
    for (int i = 0; i < 100; i++) {
        rub_once(fixture);
        const double energy = after.energy;
        after = momentum_of(fixture, PARTICLES);
        assert_true(after.energy < energy);
    }
    assert_at_most(after.energy / before.energy, 0.9);
    for (int i = 0; i < 3; i++) {
        assert_near(after.linear[i], before.linear[i], 1e-7);
        assert_near(after.angular[i], before.angular[i], 1e-7);
    }
}

static void test_a_rigid_motion_is_not_slowed(void **state) {
    Fixture *fixture = *state;
    const float v[3] = {1.0f, -2.0f, 0.5f}, w[3] = {3.0f, 1.0f, -2.0f};
    free_sheet(fixture, 5, 5);
    fixture_start(fixture, 240);
    fixture_steps(fixture, 1);
    crumple(fixture);
    for (int p = 0; p < PARTICLES; p++)
        for (int i = 0; i < 3; i++)
            *velocity(fixture, p, i) = v[i] + w[(i + 1) % 3] * *position(fixture, p, (i + 2) % 3) -
                                       w[(i + 2) % 3] * *position(fixture, p, (i + 1) % 3);
    const Momentum before = momentum_of(fixture, PARTICLES);
    for (int i = 0; i < 100; i++) rub_once(fixture);
    assert_near(momentum_of(fixture, PARTICLES).energy / before.energy, 1.0, 1e-5);
}

// How fast three particles in a row bend over the last tick, m/s.
static double bending_rate(Fixture *fixture, int rate) {
    double before = 0.0, after = 0.0;
    static const double factors[] = {1.0, -2.0, 1.0};
    for (int p = 0; p < 3; p++) before += factors[p] * (double)fixture_particles(fixture)[p][2];
    sim_world_step(fixture->world);
    for (int p = 0; p < 3; p++) after += factors[p] * (double)fixture_particles(fixture)[p][2];
    return fabs(after - before) * rate;
}

// Two links that bend at v stop after v / A.
static void test_a_bend_stops_after_v_over_a(void **state) {
    Fixture *fixture = *state;
    const float speed = 0.03f; // of the middle: the links bend at twice that
    const double lasts = 2.0 * (double)speed / (double)FRICTION;
    for (int i = 0; i < 4; i++) {
        free_sheet(fixture, 3, 1);
        fixture_start(fixture, rates[i]);
        fixture_steps(fixture, 1);
        *velocity(fixture, 1, 2) = speed;
        const int half = (int)round(0.5 * lasts * rates[i]);
        fixture_steps(fixture, half - 1);
        // Mean over the last tick before the half.
        const double expected = (double)FRICTION * (0.5 * lasts + 0.5 / rates[i]);
        assert_near(bending_rate(fixture, rates[i]), expected, 0.05 * expected);
        fixture_steps(fixture, half + 1);
        assert_at_most(bending_rate(fixture, rates[i]), 0.01 * 2.0 * (double)speed);
        fixture_finish(fixture);
    }
}

// Without friction the same strip goes on, and a fabric with some in another lane changes no bit of it.
static void test_none_is_none(void **state) {
    (void)state;
    static Fixture alone, crowd;
    for (int k = 0; k < 2; k++) {
        Fixture *fixture = k ? &crowd : &alone;
        free_sheet(fixture, 5, 5);
        fixture->garment.fabric.internal_friction = 0.0f;
        fixture_start(fixture, 60);
        if (k) {
            SimFabric fabric = fixture->garment.fabric;
            const SimCharacterId other = fixture_another(fixture);
            fabric.internal_friction = FRICTION;
            sim_garment_set_fabric(fixture->world, other, 0, &fabric, false);
        }
        fixture_steps(fixture, 1);
        crumple(fixture);
        fixture_steps(fixture, 60);
    }
    assert_memory_equal(fixture_particles(&alone), fixture_particles(&crowd), PARTICLES * sizeof(float[3]));
    fixture_finish(&alone);
    fixture_finish(&crowd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_it_keeps_both_momenta_and_takes_energy),
        FIXTURE_TEST(test_a_rigid_motion_is_not_slowed),
        FIXTURE_TEST(test_a_bend_stops_after_v_over_a),
        cmocka_unit_test(test_none_is_none),
    };
    return cmocka_run_group_tests_name("sim internal friction", tests, NULL, NULL);
}
