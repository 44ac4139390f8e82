// Jackets live in the walk: the back swings with the steps, edges are livelier than the middle, the vent
// opens, and eight fabrics are eight fabrics to whoever measures them: swing, lag, folds.
#include "sanitized.h"
#include "script/motion.h"
#include "unit_test.h"

#include <cglm/mat4.h>
#include <math.h>
#include <string.h>

#define FABRICS    8
#define SETTLED    3.0f // s of the clip before it is measured
#define STRIDES    4
#define MOST_TICKS 1536
#define COLUMNS    40
#define FOLD_MODE  6     // half waves along the hem: what is longer is the jacket's shape, not a fold
#define STILL      0.01f // m/s, mean speed of the hem
#define LONGEST    4     // s, until it is still
#define DIFFERENCE 1.15  // between two values that differ
#define DIFFER_IN  2     // measures, two fabrics

static const float gravity[3] = {0.0f, -9.81f, 0.0f};
static const int rates[] = {60, 30, 120, 240};
// From the finest folds to the widest; rubber, which stretches, is behind.
static const char *const fabrics[FABRICS] = {"veil", "silk",  "cotton",  "tweed",
                                             "down", "denim", "leather", "rubber"};

enum { SWING, SURGE, LAG, TRAIL, EDGES, MIDDLE, FOLDS, DEPTH, KINK, REST, MEASURES };

// The hem of one jacket over some strides, in the pelvis' frame at rest and in model space, and where the
// pelvis would carry it.
typedef struct Hem {
    int columns, ticks;
    float dt, period; // s, of a tick and of a stride
    float rest[COLUMNS][3], outward[COLUMNS][3];
    float pelvis[MOST_TICKS][COLUMNS][3];
    float model[MOST_TICKS][COLUMNS][3], carried[MOST_TICKS][COLUMNS][3];
} Hem;

static SimSlit vent; // the first of the garment that was worn last
static Motion first, wearers[FABRICS];
static Hem hems[FABRICS];

// Out of the jacket, level.
static void read_rest(const Motion *motion, Hem *hem) {
    const int last = motion->garment->particle_count - hem->columns;
    memcpy(hem->rest, motion->garment->rest_model[last], (size_t)hem->columns * sizeof hem->rest[0]);
    for (int c = 0; c < hem->columns; c++) {
        const float *left = hem->rest[c > 0 ? c - 1 : 0];
        const float *right = hem->rest[c + 1 < hem->columns ? c + 1 : c];
        glm_vec3_copy((vec3){left[2] - right[2], 0.0f, right[0] - left[0]}, hem->outward[c]);
        glm_vec3_normalize(hem->outward[c]);
    }
}

static void read_tick(Motion *motion, int hips, Hem *hem) {
    const int last = motion->garment->particle_count - hem->columns, tick = hem->ticks++;
    mat4 carry, back;
    glm_mat4_mul((vec4 *)sim_character_bones_model(motion->world, motion->character)[hips],
                 (vec4 *)motion->rig->bones[hips].inverse_bind, carry);
    glm_mat4_inv(carry, back);
    motion_read(motion);
    for (int c = 0; c < hem->columns; c++) {
        glm_vec3_copy(motion->x[last + c], hem->model[tick][c]);
        glm_mat4_mulv3(back, motion->x[last + c], 1.0f, hem->pelvis[tick][c]);
        glm_mat4_mulv3(carry, hem->rest[c], 1.0f, hem->carried[tick][c]);
    }
}

static double out_of_rest(const Hem *hem, int tick, int c) {
    double out = 0.0;
    for (int i = 0; i < 3; i++)
        out += (double)((hem->pelvis[tick][c][i] - hem->rest[c][i]) * hem->outward[c][i]);
    return out;
}

// The phase of the side's first harmonic in the middle of the back, in periods.
static double phase(const Hem *hem, const float (*points)[COLUMNS][3]) {
    const int middle = hem->columns / 2;
    double cosine = 0.0, sine = 0.0;
    for (int t = 0; t < hem->ticks; t++) {
        const double turn = 2.0 * GLM_PI * (double)((float)t * hem->dt / hem->period);
        for (int c = middle - 1; c <= middle + 1; c++) {
            cosine += (double)points[t][c][0] * cos(turn);
            sine += (double)points[t][c][0] * sin(turn);
        }
    }
    return atan2(sine, cosine) / (2.0 * GLM_PI);
}

// The middle of the back from peak to peak along an axis, m.
static double swing(const Hem *hem, int axis) {
    const int middle = hem->columns / 2;
    float least = HUGE_VALF, most = -HUGE_VALF;
    for (int t = 0; t < hem->ticks; t++) {
        const float(*x)[3] = hem->pelvis[t];
        const float mean = (x[middle - 1][axis] + x[middle][axis] + x[middle + 1][axis]) / 3.0f;
        least = fminf(least, mean), most = fmaxf(most, mean);
    }
    return (double)(most - least);
}

// m/s, relative to the pelvis.
static double mean_speed(const Hem *hem, int c) {
    double way = 0.0;
    for (int t = 1; t < hem->ticks; t++) way += motion_distance(hem->pelvis[t - 1][c], hem->pelvis[t][c]);
    return way / (double)hem->dt / (hem->ticks - 1);
}

// Root mean square of the turns from link to link of the hem as seen from above, radians, beyond those at
// rest.
static double kinks(const Hem *hem) {
    double sum = 0.0;
    for (int t = 0; t < hem->ticks; t++)
        for (int c = 1; c + 1 < hem->columns; c++) {
            double turn[2];
            for (int i = 0; i < 2; i++) {
                const float(*x)[3] = i ? hem->pelvis[t] : hem->rest;
                const double a[2] = {(double)(x[c][0] - x[c - 1][0]), (double)(x[c][2] - x[c - 1][2])};
                const double b[2] = {(double)(x[c + 1][0] - x[c][0]), (double)(x[c + 1][2] - x[c][2])};
                turn[i] = atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
            }
            sum += pow(turn[1] - turn[0], 2.0);
        }
    return sqrt(sum / hem->ticks / (hem->columns - 2));
}

// By the cosine transform of the way out along the hem: the mean number of waves, by energy, and the folds'
// root mean square.
static void measure_folds(const Hem *hem, double *out) {
    double energy = 0.0, waves = 0.0;
    for (int t = 0; t < hem->ticks; t++)
        for (int mode = FOLD_MODE; mode < hem->columns; mode++) {
            double sum = 0.0;
            for (int c = 0; c < hem->columns; c++)
                sum += out_of_rest(hem, t, c) * cos(GLM_PI * mode * (c + 0.5) / hem->columns);
            sum *= sqrt(2.0) / hem->columns;
            energy += sum * sum, waves += 0.5 * mode * sum * sum;
        }
    out[FOLDS] = waves / energy;
    out[DEPTH] = sqrt(energy / hem->ticks);
    out[KINK] = kinks(hem);
}

static void measure_hem(const Hem *hem, double *out) {
    const int middle = hem->columns / 2, last = hem->columns - 1;
    const double late = phase(hem, hem->model) - phase(hem, hem->carried);
    out[SWING] = swing(hem, 0);
    out[SURGE] = swing(hem, 2);
    out[LAG] = (late - round(late)) * (double)hem->period;
    measure_folds(hem, out);
    out[EDGES] = (mean_speed(hem, 0) + mean_speed(hem, last)) / 2.0;
    out[MIDDLE] = (mean_speed(hem, middle - 1) + mean_speed(hem, middle) + mean_speed(hem, middle + 1)) / 3.0;
    out[TRAIL] = 0.0;
    for (int t = 0; t < hem->ticks; t++)
        for (int c = 0; c < hem->columns; c++)
            out[TRAIL] += (double)(hem->rest[c][2] - hem->pelvis[t][c][2]) / hem->columns / hem->ticks;
}

// Stands all still, and notes when the hems are.
static void measure_rest(int count, int rate, double found[FABRICS][MEASURES]) {
    for (int i = 0; i < count; i++) assert_true(motion_play(&wearers[i], "stand", 0.3f));
    for (int t = 0; t < LONGEST * rate; t++) {
        sim_world_step(first.world);
        for (int i = 0; i < count; i++) {
            Motion *motion = &wearers[i];
            const int last = motion->garment->particle_count - hems[i].columns;
            double way = 0.0;
            memcpy(motion->before[0], motion->x, sizeof motion->x);
            motion_read(motion);
            for (int p = last; p < motion->garment->particle_count; p++)
                way += motion_distance(motion->before[0][p], motion->x[p]);
            if (way / hems[i].columns * rate > (double)STILL || t == 0) found[i][REST] = (t + 1.0) / rate;
        }
    }
}

// The first garment of that character, in each of the fabrics, in a clip.
static void wear(const char *script, const char *clip, int rate, int count, const char *const *of,
                 double found[FABRICS][MEASURES]) {
    assert_true(motion_start(&first, script, rate, gravity));
    int hips = 0, playing = 0;
    while (strcmp(first.rig->bones[hips].name, "Hips") != 0) assert_true(++hips < first.rig->bone_count);
    while (strcmp(first.rig->clip_names[playing], clip) != 0) assert_true(++playing < first.rig->clip_count);
    for (int i = 0; i < count; i++) {
        motion_another(&first, &wearers[i]);
        assert_true(motion_fabric(&wearers[i], of[i]) && motion_play(&wearers[i], clip, 0.0f));
    }
    for (int t = 0; t < (int)(SETTLED * (float)rate); t++) sim_world_step(first.world);
    const float period = first.rig->clip_durations[playing];
    const int ticks = (int)lroundf((float)STRIDES * period * (float)rate);
    assert_true(first.garment->columns <= COLUMNS && ticks <= MOST_TICKS);
    for (int i = 0; i < count; i++) {
        hems[i].columns = first.garment->columns, hems[i].ticks = 0;
        hems[i].dt = 1.0f / (float)rate, hems[i].period = period;
        read_rest(&first, &hems[i]);
    }
    for (int t = 0; t < ticks; t++) {
        sim_world_step(first.world);
        for (int i = 0; i < count; i++) read_tick(&wearers[i], hips, &hems[i]);
    }
    for (int i = 0; i < count; i++) measure_hem(&hems[i], found[i]);
    measure_rest(count, rate, found);
    vent = first.garment->slit_count ? first.garment->slits[0] : (SimSlit){0};
    motion_finish(&first);
}

static void assert_least(const char *what, const char *fabric, int rate, double found, double least) {
    if (!(found >= least)) fail_msg("%s, %s, %d Hz: %.4g, at least %.4g", what, fabric, rate, found, least);
}

static void assert_pairs_differ(const char *clip, int rate, double found[FABRICS][MEASURES]) {
    for (int i = 0; i < FABRICS; i++)
        for (int k = i + 1; k < FABRICS; k++) {
            int differ = 0;
            for (int m = 0; m < MEASURES; m++) {
                if (m == MIDDLE) continue; // much the same as the swing
                const double a = found[i][m], b = found[k][m];
                differ += a * b < 0.0 || fmax(fabs(a), fabs(b)) > DIFFERENCE * fmin(fabs(a), fabs(b));
            }
            if (differ < DIFFER_IN)
                fail_msg("%s, %d Hz: %s and %s differ in %d measures only", clip, rate, fabrics[i],
                         fabrics[k], differ);
        }
}

static void test_fabrics_differ(void **state) {
    (void)state;
    for (int i = 0; i < (is_thorough() ? 4 : 1); i++) {
        double walk[FABRICS][MEASURES], run[FABRICS][MEASURES];
        wear("characters/mannequins/tweed", "walk", rates[i], FABRICS, fabrics, walk);
        assert_pairs_differ("walk", rates[i], walk);
        for (int k = 0; k < FABRICS; k++) {
            assert_least("swing of the back, m", fabrics[k], rates[i], walk[k][SWING], 0.025);
            assert_least("edges against the back", fabrics[k], rates[i], walk[k][EDGES],
                         1.5 * walk[k][MIDDLE]);
        }
        for (int k = 2; k + 1 < FABRICS; k++) { // veil and silk are as fine as the grid, and cotton all but
            const int finer = k == 2 ? 0 : k - 1;
            assert_least("kinks, radians", fabrics[finer], rates[i], walk[finer][KINK], walk[k][KINK]);
            if (k == 2)
                assert_least("kinks, radians", fabrics[1], rates[i], walk[1][KINK], 0.97 * walk[k][KINK]);
        }
        for (int k = 0; k < 2; k++) assert_least("kinks, radians", fabrics[k], rates[i], walk[k][KINK], 0.85);
        if (SANITIZED) continue; // the run goes the same paths
        wear("characters/mannequins/tweed", "run", rates[i], FABRICS, fabrics, run);
        assert_pairs_differ("run", rates[i], run);
    }
}

// The man's own jacket in his calm walk.
static void test_the_man_in_tweed(void **state) {
    (void)state;
    for (int i = 0; i < (is_thorough() ? 4 : 1); i++) {
        double found[FABRICS][MEASURES], widest = 0.0;
        wear("characters/wake", "walk", rates[i], 1, &fabrics[3], found);
        assert_int_equal(vent.row, 5); // of eight
        for (int t = 0; t < hems[0].ticks; t++)
            widest = fmax(widest,
                          motion_distance(hems[0].model[t][vent.column], hems[0].model[t][vent.column + 1]));
        assert_least("swing of the back, m", "wake", rates[i], found[0][SWING], 0.025);
        assert_least("edges against the back", "wake", rates[i], found[0][EDGES], 1.2 * found[0][MIDDLE]);
        assert_least("the vent opens by, m", "wake", rates[i], widest, 0.02);
    }
}

// Mean square speed of the walking man's jacket in the frame of the pelvis, m2/s2.
static double liveliness(float contact_damping) {
    static float before[MOTION_PARTICLES][3];
    double sum = 0.0;
    int hips = 0, count = 0;
    assert_true(motion_start(&first, "characters/wake", 60, gravity));
    while (strcmp(first.rig->bones[hips].name, "Hips") != 0) assert_true(++hips < first.rig->bone_count);
    SimFabric fabric = *sim_garment_fabric(first.world, first.character, 0);
    fabric.contact_damping = contact_damping;
    sim_garment_set_fabric(first.world, first.character, 0, &fabric, false);
    assert_true(motion_play(&first, "walk", 0.0f));
    for (int t = 0; t < (int)(2.0f * SETTLED) * 60; t++) {
        mat4 back;
        sim_world_step(first.world);
        motion_read(&first);
        glm_mat4_inv((vec4 *)sim_character_bones_model(first.world, first.character)[hips], back);
        for (int p = first.garment->columns; p < first.garment->particle_count; p++) {
            float now[3];
            glm_mat4_mulv3(back, first.x[p], 1.0f, now);
            if (t > (int)SETTLED * 60) sum += pow(motion_distance(before[p], now) * 60.0, 2.0), count++;
            memcpy(before[p], now, sizeof now);
        }
    }
    motion_finish(&first);
    return sum / count;
}

// The thighs do not drag the jacket along by it.
static void test_contact_damping_makes_no_walk_livelier(void **state) {
    (void)state;
    const double without = liveliness(0.0f), with = liveliness(500.0f);
    if (!(with <= 1.04 * without)) fail_msg("m2/s2: %.4f with, %.4f without", with, without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fabrics_differ),
        cmocka_unit_test(test_the_man_in_tweed),
        cmocka_unit_test(test_contact_damping_makes_no_walk_livelier),
    };
    return cmocka_run_group_tests_name("alive", tests, NULL, NULL);
}
