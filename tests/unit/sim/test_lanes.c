// The kernel's results for a lane are the same to the bit, whatever the other lanes need.
#define SIM_WIDTH       4
#define SIM_KERNEL_NAME test

#include "kernel/kernel.c"
#include "sim_fixture.h"

static float random_number(void) { // -1..1
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

static lanes3 random_direction(void) {
    lanes length;
    const lanes3 way = {splat(random_number()), splat(random_number()), splat(random_number())};
    return direction3(way, &length);
}

// A lane beside one whose weft limit is reached: its own limit is missed by next to nothing, near the centre
// of the sphere, where the cap is least exact.
static void test_weft_limits_of_lanes_are_independent(void **state) {
    (void)state;
    int near = 0;
    for (int i = 0; i < 200000; i++) {
        LinkSphere sphere = {.centre = scale3(random_direction(), splat(1.0f)), .radius = splat(0.05f)};
        const lanes3 p = mad3(sphere.centre, random_direction(), sphere.radius);
        sphere.weft_limit.end = mad3(sphere.centre, random_direction(), splat(0.002f));
        sphere.has_weft_limit = true;
        const lanes3 way = sub3(p, sphere.weft_limit.end);
        sphere.weft_limit.length = length3(way) * (1.0f + 1e-7f);
        if (any(more(dot3(way, way), sphere.weft_limit.length * sphere.weft_limit.length))) continue;
        sphere.weft_limit.length[0] *= 0.99f;
        CapPair pair = {.count = (lanes){0}};
        pair.cap[0] = pair.cap[1] = (Cap){zero3(), (lanes){0}};
        const lanes3 after = into_weft_limit(&sphere, p, &pair);
        assert_true(pair.count[0] > 0.0f);
        assert_true(pair.count[1] <= 0.0f);
        assert_true(after.x[1] == p.x[1] && after.y[1] == p.y[1] && after.z[1] == p.z[1]);
        near++;
    }
    assert_true(near > 10000);
}

// A lane that does not settle beside one that does, with values that arithmetic would change: -0 and
// infinity.
static void test_settling_lanes_are_independent(void **state) {
    (void)state;
    uint8_t pinned[1] = {0};
    lanes contact = splat(1.0f);
    lanes3 position = {{-0.0f, -0.0f, 1.0f, 1.0f}, splat(HUGE_VALF), splat(0.1f)};
    lanes3 predicted = {splat(0.2f), splat(0.2f), splat(0.2f)}, velocity = zero3();
    position.y[0] = 0.0f;
    const lanes3 before = position;
    const SimTopology topology = {.particle_count = 1, .pinned = pinned};
    const SimLaneFabric fabric = {.settling = {5.0f, 0.0f, 0.0f, 0.0f}};
    SimGarmentState garment = {
        .position = &position, .predicted = &predicted, .velocity = &velocity, .contact = &contact};
    const SimKernelJob job = {
        .topology = &topology, .fabric = &fabric, .state = &garment, .substep_count = 4, .h = 1.0f / 240.0f};
    settle(&job, 0);
    assert_true(position.x[0] != before.x[0]);
    for (int lane = 1; lane < SIM_WIDTH; lane++) {
        assert_memory_equal(&((float *)&position.x)[lane], &((const float *)&before.x)[lane], sizeof(float));
        assert_memory_equal(&((float *)&position.y)[lane], &((const float *)&before.y)[lane], sizeof(float));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weft_limits_of_lanes_are_independent),
        cmocka_unit_test(test_settling_lanes_are_independent),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
