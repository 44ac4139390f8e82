// What drives the cloth is the same to the bit in one lane, where trigonometry is plain C, and in many.
#include "core/drive.h"
#include "core/lane.h"
#include "sim_fixture.h"

enum {
    CASES = 4000,
    SUBSTEPS = 4,
    ENDS = SIM_NUMBERS(SimLanesTransform),
    POSE = SIM_NUMBERS(SimColliderPose)
};

typedef struct Lanes {
    _Alignas(64) float ends[2][ENDS * SIM_LANES], poses[SUBSTEPS][POSE * SIM_LANES];
} Lanes;

static float random_number(void) { // -1..1
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

static void fill_random(SimTransform *out) {
    for (int i = 0; i < 3; i++) out->position[i] = 3.0f * random_number();
    for (int i = 0; i < 4; i++) out->rotation[i] = random_number();
    glm_quat_normalize(out->rotation);
}

// Far, near, hardly turned, the same, the same as its negative, and turned by half a turn.
static void fill_ends(int number, SimTransform *from, SimTransform *to) {
    static const float turns[] = {1.0f, 0.1f, 1e-3f, 1e-5f, 1e-7f, 0.0f};
    const float turn = turns[number % 6];
    fill_random(from);
    fill_random(to);
    for (int i = 0; i < 4 && turn < 1.0f; i++) to->rotation[i] = from->rotation[i] + turn * random_number();
    if (turn > 0.0f) glm_quat_normalize(to->rotation);
    for (int i = 0; i < 4 && number % 4 == 1; i++) to->rotation[i] = -to->rotation[i];
    if (number % 30 != 29) return;
    glm_quat_copy((versor){0.0f, 0.0f, 0.0f, 1.0f}, from->rotation);
    glm_quat_copy((versor){0.0f, 1.0f, 0.0f, 0.0f}, to->rotation);
}

static void put_ends(Lanes *lanes, int width, int lane, const SimTransform *from, const SimTransform *to) {
    sim_transform_to_lane(from, (SimLane){lanes->ends[0] + lane, width});
    sim_transform_to_lane(to, (SimLane){lanes->ends[1] + lane, width});
}

static void move(Lanes *lanes, int width) {
    SimSubstep substeps[SUBSTEPS];
    for (int s = 0; s < SUBSTEPS; s++) substeps[s].colliders = (SimColliderPose *)(void *)lanes->poses[s];
    sim_drive_of_width(width)->collider((const SimLanesTransform *)(const void *)lanes->ends[0],
                                        (const SimLanesTransform *)(const void *)lanes->ends[1], 0,
                                        1.0f / 240.0f, substeps, SUBSTEPS);
}

static void check_width(int width) {
    static Lanes many, one[SIM_LANES];
    for (int number = 0; number < CASES; number++) {
        for (int lane = 0; lane < width; lane++) {
            SimTransform from, to;
            fill_ends(number + lane, &from, &to);
            put_ends(&many, width, lane, &from, &to);
            put_ends(&one[lane], 1, 0, &from, &to);
            move(&one[lane], 1);
        }
        move(&many, width);
        for (int i = 0; i < width * SUBSTEPS * POSE; i++) {
            const int lane = i % width, s = i / width / POSE, k = i / width % POSE;
            const float found = many.poses[s][k * width + lane], expected = one[lane].poses[s][k];
            if (found != expected)
                fail_msg("%d lanes, case %d, lane %d, substep %d, number %d: %a instead of %a", width, number,
                         lane, s, k, (double)found, (double)expected);
        }
    }
}

static void test_colliders_move_alike_at_every_width(void **state) {
    (void)state;
    check_width(4);
    if (sim_kernel_named("avx2")) check_width(8);
    if (sim_kernel_named("avx512")) check_width(16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_colliders_move_alike_at_every_width)};
    return cmocka_run_group_tests_name("sim drive", tests, NULL, NULL);
}
