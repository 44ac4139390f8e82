// How far the edges of a general mesh stretch in motion: a skirt of irregular triangles about two legs that
// walk, on a body that turns and sways.
#include "sim_fixture.h"
#include "world/world.h"

enum {
    AROUND = 40,
    DOWN = 24,
    PARTICLES = AROUND * DOWN,
    MOST_FACES = 2 * PARTICLES,
    MOST_EDGES = 3 * PARTICLES
};
enum { TICKS = 300, TWEED = 0, COTTON = 7 };

static int faces[MOST_FACES][4];
static SimSkin on_root[PARTICLES];
static int bone_particles[24];
static float stretches[MOST_EDGES * TICKS];

static float chance(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f - 0.5f;
}

static void skirt(Fixture *fixture, int preset) {
    fixture_sheet(fixture, 2, 2, 0.05f);
    uint32_t seed = 7;
    int count = 0;
    for (int p = 0; p < PARTICLES; p++) {
        const int row = p / AROUND;
        const float loose = row > 0 && row + 1 < DOWN ? 0.5f : 0.0f;
        const float turn = 2.0f * (float)FIXTURE_PI *
                           ((float)(p % AROUND) + 0.5f * (float)(row % 2) + loose * chance(&seed)) / AROUND;
        const float down = 0.025f * ((float)row + loose * chance(&seed)), radius = 0.16f + 0.35f * down;
        fixture->positions[p][0] = radius * sinf(turn);
        fixture->positions[p][1] = -down;
        fixture->positions[p][2] = radius * cosf(turn);
        fixture->pinned[p] = row == 0;
        on_root[p] = (SimSkin){{0}, {1.0f}};
        if (row + 1 == DOWN) continue;
        const int a = p, b = row * AROUND + (p + 1) % AROUND, c = p + AROUND, d = b + AROUND;
        const int even[2][4] = {{a, c, b, -1}, {b, c, d, -1}}, odd[2][4] = {{a, d, b, -1}, {a, c, d, -1}};
        memcpy(faces[count], row % 2 ? odd : even, sizeof even);
        count += 2;
    }
    SimGarmentDef *garment = &fixture->garment;
    garment->rows = 1;
    garment->columns = PARTICLES;
    garment->positions = (const float(*)[3])fixture->positions;
    garment->pinned = fixture->pinned;
    garment->faces = (const int(*)[4])faces;
    garment->face_count = count;
    garment->skins = on_root;
    garment->fabric = fixture_preset(preset);
    garment->bone_particles = bone_particles;
    garment->bone_particle_count = sim_garment_spread(garment, 24, bone_particles);
    fixture_add_bone(fixture, "left", 0, 0.08f, 0.0f, 0.0f);
    fixture_add_bone(fixture, "right", 0, -0.08f, 0.0f, 0.0f);
    for (int side = 0; side < 2; side++) {
        SimColliderDef *leg = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, 1 + side);
        leg->to[1] = -0.8f;
        leg->radius = 0.075f, leg->radius_end = 0.05f;
    }
    fixture_add_clip(fixture, 60.0f, 61, false);
    for (int frame = 0; frame <= 60; frame++)
        for (int side = 0; side < 2; side++) {
            const double angle = (side ? -0.6 : 0.6) * sin(2.0 * FIXTURE_PI * frame / 60.0);
            versor *turn = &fixture->clip_rotations[frame * 3 + 1 + side];
            (*turn)[0] = (float)sin(0.5 * angle), (*turn)[3] = (float)cos(0.5 * angle);
        }
}

static int ascending(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Fills in the stretch of all edges beside the paths in all ticks of 5 s, ascending; returns their number.
static int walk(Fixture *fixture) {
    const SimTopology *topology =
        &sim_world_character(fixture->world, fixture->character)->rig->garments[0].topology;
    const SimLinks *links = &topology->links;
    int count = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        fixture_move_to(fixture, 0.3f * (float)sin(0.1 * tick), 0.0f, 0.3f * (float)cos(0.07 * tick));
        fixture_steps(fixture, 1);
        fixture_particles(fixture);
        for (int i = 0; i < links->count; i++) {
            const int *ends = links->ends[i];
            const double length = fixture_distance(fixture->particles[ends[0]], fixture->particles[ends[1]]);
            if (links->kind[i] == SIM_LINK_STRETCH)
                stretches[count++] = (float)(length / (double)links->length[i] - 1.0);
        }
    }
    qsort(stretches, (size_t)count, sizeof *stretches, ascending);
    return count;
}

static void test_edges_beside_paths_hold(void **state) {
    Fixture *fixture = *state;
    static const int presets[] = {TWEED, COTTON};
    static const double limits[] = {0.08, 0.07}; // of 99 %
    for (int i = 0; i < 2; i++) {
        skirt(fixture, presets[i]);
        fixture_start(fixture, 60);
        fixture_play(fixture, true);
        const int count = walk(fixture);
        assert_true(count > 1000 * TICKS);
        assert_at_most(fabsf(stretches[count / 2]), 0.005);
        assert_at_most(stretches[count / 100 * 99], limits[i]);
        assert_at_most(stretches[count - 1], 0.6);
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_edges_beside_paths_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
