// Nets of 16,384 particles stay stable in fast motion, as a grid and as a general mesh. ./dev soak springs
// runs them for a minute: TWEED_SPRING_SECONDS says how long.
#include "sim_fixture.h"

enum { SIDE = 128, PARTICLES = SIDE * SIDE, BONES = 16 };

#define CELL 0.015f // m

static float positions[PARTICLES][3], now[PARTICLES][3];
static int faces[PARTICLES][4], bone_particles[BONES];
static bool pinned[PARTICLES];
static SimSkin skins[PARTICLES];

static void net(Fixture *fixture, bool as_faces) {
    fixture_sheet(fixture, 2, 2, 0.05f);
    SimGarmentDef *garment = &fixture->garment;
    for (int p = 0; p < PARTICLES; p++) {
        positions[p][0] = CELL * (float)(p % SIDE - SIDE / 2);
        positions[p][1] = -CELL * (float)(p / SIDE);
        pinned[p] = p < SIDE;
        skins[p] = (SimSkin){{0}, {1.0f}};
    }
    garment->rows = garment->columns = SIDE;
    garment->positions = (const float(*)[3])positions;
    garment->pinned = pinned;
    garment->skins = skins;
    garment->bone_column_step = SIDE;
    garment->solver = SIM_SOLVER_MASS_SPRING;
    garment->limit_sweeps = 10;
    garment->fabric.world_motion = 1.0f;
    garment->max_distance_bottom = 10.0f;
    if (!as_faces) return;
    garment->face_count = 0;
    for (int p = 0; p < PARTICLES - SIDE; p++)
        if (p % SIDE + 1 < SIDE)
            memcpy(faces[garment->face_count++], (int[4]){p, p + SIDE, p + SIDE + 1, p + 1}, sizeof *faces);
    garment->rows = 1;
    garment->columns = PARTICLES;
    garment->faces = (const int(*)[4])faces;
    garment->bone_column_step = 1;
    garment->bone_particles = bone_particles;
    garment->bone_particle_count = sim_garment_spread(garment, BONES, bone_particles);
}

// To and fro at 6 m/s, turning once a second.
static void dash(Fixture *fixture, double time) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.position[0] = (float)(0.5 * sin(12.0 * time));
    root.position[2] = (float)(0.5 * sin(9.0 * time));
    root.rotation[1] = (float)sin(FIXTURE_PI * time);
    root.rotation[3] = (float)cos(FIXTURE_PI * time);
    sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
}

static void stays_stable(bool as_faces, double seconds) {
    static Fixture fixture;
    net(&fixture, as_faces);
    fixture_start(&fixture, 60);
    for (int tick = 0; tick < (int)(60.0 * seconds); tick++) {
        dash(&fixture, (double)tick / 60.0);
        fixture_steps(&fixture, 1);
        sim_garment_particles_model(fixture.world, fixture.character, 0, now);
        const float *farthest = now[0];
        for (int p = 0; p < PARTICLES; p++) {
            assert_true(isfinite(now[p][0] + now[p][1] + now[p][2]));
            if (fixture_distance(now[p], (float[3]){0}) > fixture_distance(farthest, (float[3]){0}))
                farthest = now[p];
        }
        assert_at_most(fixture_distance(farthest, (float[3]){0}), 5.0);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
    }
    fixture_finish(&fixture);
}

static double seconds_or(double otherwise) {
    const char *text = getenv("TWEED_SPRING_SECONDS");
    return text ? atof(text) : otherwise;
}

static void test_a_grid_of_springs(void **state) {
    (void)state;
    stays_stable(false, seconds_or(0.5));
}

static void test_a_general_mesh_of_springs(void **state) {
    (void)state;
    stays_stable(true, seconds_or(0.1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_grid_of_springs),
        cmocka_unit_test(test_a_general_mesh_of_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
