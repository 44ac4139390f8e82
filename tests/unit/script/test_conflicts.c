// The jacket in poses without room for it: knees to the chin, a thigh along the chest, on two bodies and at
// four rates. Constraints yield in order: lengths never, depth only where no point of a link's sphere is free
// and the row does not tear, or by a little, and max distance before both; each case is counted. With room
// again, all constraints hold soon, and the cloth rests as before.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#define TOLERANCE  1e-5 // m, and of a length
#define MARGIN     2e-3 // m, by which a point is surely free or its row surely holds
#define PRESSED    5e-3 // m that cloth may be in a body so that its row holds
#define FOLDED     1.3  // of its length: the most that a weft link may be long
#define DIRECTIONS 500  // on a link's sphere that are tried
#define FADE       0.3f // s into a pose and out of it

typedef struct Pose {
    const char *script, *clip;
} Pose;

static const Pose poses[] = {{"athlete", "tuck"}, {"athlete", "kick"}, {"boxer", "tuck"}, {"boxer", "kick"}};

static const int rates[] = {60, 30, 120, 240};

// The worst values so far.
typedef struct Watch {
    Motion *motion;
    const Pose *pose;
    uint64_t conflicts;          // counted so far
    int gave_way;                // particles, in the last tick
    double depth, beyond, speed; // m, m, m/s: worst
    float before[MOTION_PARTICLES][3];
} Watch;

static void complain(const Watch *watch, int particle, const char *what, double value) {
    const int columns = watch->motion->garment->columns;
    fail_msg("%s %s at %d Hz, row %d, column %d: %s %.3g", watch->pose->script, watch->pose->clip,
             watch->motion->rate, particle / columns, particle % columns, what, value);
}

// Whether a point is outside of all colliders made MARGIN thicker.
static bool is_free(const Motion *motion, const double point[3]) {
    const mat4 *bones = sim_character_bones_model(motion->world, motion->character);
    for (int i = 0; i < motion->garment->collider_count; i++) {
        const SimColliderDef *collider = &motion->rig->colliders[motion->garment->colliders[i]];
        double y[3], unit = 0.0;
        motion_in_axes(collider, bones[collider->bone], point, y);
        for (int k = 0; k < 3; k++) unit += pow(y[k] / ((double)collider->radii[k] + MARGIN), 2.0);
        if (unit < 1.0) return false;
    }
    return true;
}

// Whether a point is near enough to the particle's neighbours in the row that this would not tear.
static bool holds_row(const Motion *motion, int particle, const float point[3]) {
    const int columns = motion->garment->columns, column = particle % columns;
    for (int side = -1; side <= 1; side += 2) {
        if (column + side < 0 || column + side >= columns) continue;
        const float(*rest)[3] = motion->garment->rest_model;
        const double most = FOLDED * motion_distance(rest[particle], rest[particle + side]) - MARGIN;
        if (motion_distance(motion->x[particle + side], point) > most) return false;
    }
    return true;
}

// Whether some point of the sphere of the link above a particle is free where its row holds. Directions along
// a spiral from pole to pole, by the golden angle.
static bool has_room(const Motion *motion, int particle) {
    const int upper = particle - motion->garment->columns;
    const float *q = motion->x[upper];
    double length =
        motion_distance(motion->garment->rest_model[upper], motion->garment->rest_model[particle]);
    for (int i = 0; i < DIRECTIONS; i++) {
        double y = 1.0 - 2.0 * (i + 0.5) / DIRECTIONS, ring = sqrt(1.0 - y * y), turn = 2.399963229728653 * i;
        const double point[3] = {(double)q[0] + length * ring * cos(turn), (double)q[1] + length * y,
                                 (double)q[2] + length * ring * sin(turn)};
        const float rounded[3] = {(float)point[0], (float)point[1], (float)point[2]};
        if (holds_row(motion, particle, rounded) && is_free(motion, point)) return true;
    }
    return false;
}

static void judge_particle(Watch *watch, int particle, bool looks_for_room) {
    const Motion *motion = watch->motion;
    const SimGarmentInfo *garment = motion->garment;
    const float *x = motion->x[particle];
    const int upper = particle - garment->columns;
    double rest = motion_distance(garment->rest_model[upper], garment->rest_model[particle]);
    double stretch = fabs(motion_distance(motion->x[upper], x) / rest - 1.0);
    double depth = motion_deepest(motion, (double[3]){(double)x[0], (double)x[1], (double)x[2]});
    double beyond = motion_distance(motion->references[particle], x) - (double)motion->limits[particle];
    if (!(stretch <= TOLERANCE)) complain(watch, particle, "stretched by", stretch);
    watch->depth = fmax(watch->depth, depth);
    watch->beyond = fmax(watch->beyond, beyond);
    watch->speed = fmax(watch->speed, motion_distance(watch->before[particle], x) * motion->rate);
    if (depth <= TOLERANCE && beyond <= TOLERANCE) return;
    watch->gave_way++;
    if (!looks_for_room) return;
    if (depth > PRESSED && has_room(motion, particle))
        complain(watch, particle, "there is room outside, but it is deep by m", depth);
}

// Runs a tick. Looking for room takes long.
static void step(Watch *watch, bool looks_for_room) {
    Motion *motion = watch->motion;
    sim_world_step(motion->world);
    motion_read(motion);
    watch->gave_way = 0;
    for (int p = motion->garment->columns; p < motion->garment->particle_count; p++)
        judge_particle(watch, p, looks_for_room);
    memcpy(watch->before, motion->x, sizeof watch->before);
    uint64_t conflicts = sim_world_stats(motion->world).constraint_conflicts;
    if (conflicts - watch->conflicts < (uint64_t)watch->gave_way)
        complain(watch, 0, "more gave way than were counted:", watch->gave_way);
    watch->conflicts = conflicts;
}

static void steps(Watch *watch, float seconds, int looks_every) {
    watch->depth = watch->beyond = watch->speed = 0.0;
    const int ticks = (int)(seconds * (float)watch->motion->rate);
    for (int tick = 0; tick < ticks; tick++) step(watch, looks_every && tick % looks_every == 0);
}

static void check(Watch *watch, int rate) {
    static float rest[MOTION_PARTICLES][3];
    Motion *motion = watch->motion;
    steps(watch, 2.0f, 0);
    assert_int_equal(watch->conflicts, 0);
    memcpy(rest, motion->x, sizeof rest);

    assert_true(motion_play(motion, watch->pose->clip, FADE));
    steps(watch, 0.8f, rate / 15);
    assert_true(watch->gave_way > 0 && watch->beyond > 1e-3);

    // The cloth opens slowly, and all constraints hold again.
    assert_true(motion_play(motion, "stand", FADE));
    steps(watch, FADE, 0);
    uint64_t conflicts = watch->conflicts;
    steps(watch, 3.0f, 0);
    if (watch->conflicts != conflicts)
        complain(watch, 0, "gives way again, times", (double)(watch->conflicts - conflicts));
    // No faster than the thighs come down (8 m/s at the knees) and the spring that opens folds draws.
    if (!(watch->speed < 15.0)) complain(watch, 0, "speed in m/s afterwards", watch->speed);
    steps(watch, 0.5f, 0);
    if (!(watch->speed < 0.05)) complain(watch, 0, "still moves, at m/s,", watch->speed);
    assert_int_equal(sim_world_stats(motion->world).unstable, 0);
    // A fold moves the hem by 0.1 m; a column that buckles to the other side, by 40 mm.
    for (int p = 0; p < motion->garment->particle_count; p++) {
        double away = motion_distance(rest[p], motion->x[p]);
        if (!(away < 0.05)) complain(watch, p, "lies another way, by m", away);
    }
}

static void test_order_count_and_recovery(void **state) {
    (void)state;
    const size_t rate_count = is_thorough() ? sizeof rates / sizeof *rates : 1;
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++)
        for (size_t k = 0; k < rate_count; k++) {
            static Motion motion;
            static Watch watch;
            assert_true(motion_start(&motion, poses[i].script, rates[k], (float[3]){0.0f, -9.81f, 0.0f}));
            assert_true(motion_play(&motion, "stand", 0.0f));
            watch = (Watch){.motion = &motion, .pose = &poses[i]};
            check(&watch, rates[k]);
            motion_finish(&motion);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_count_and_recovery),
    };
    return cmocka_run_group_tests_name("conflicts", tests, NULL, NULL);
}
