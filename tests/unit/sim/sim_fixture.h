// Small rigs for tests of the simulation, and measurements of their cloth.
#pragma once

#include "presets.h"
#include "sim/world.h"
#include "unit_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A test whose *state is an empty fixture, which is finished behind it.
#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_begin, fixture_end)

#define FIXTURE_PARTICLES 4096
#define FIXTURE_COLUMNS   128
#define FIXTURE_BONES     8
#define FIXTURE_COLLIDERS 8
#define FIXTURE_FRAMES    1024
#define FIXTURE_PI        3.14159265358979323846
#define FIXTURE_HASH      0xcbf29ce484222325u // of no bytes

// One world with one character of one garment. A test adds more of them before or after fixture_start.
typedef struct Fixture {
    SimWorldDef def;
    SimRigDef rig;
    SimBoneDef bones[FIXTURE_BONES];
    SimColliderDef colliders[FIXTURE_COLLIDERS];
    SimGarmentDef garment;
    SimClipDef clip;
    SimSkin attach[FIXTURE_COLUMNS];
    SimSkin skins[FIXTURE_BONES];
    float positions[FIXTURE_PARTICLES][3];
    bool pinned[FIXTURE_PARTICLES];
    versor clip_rotations[FIXTURE_FRAMES * FIXTURE_BONES];
    float clip_positions[FIXTURE_FRAMES * FIXTURE_BONES][3];
    float clip_root[FIXTURE_FRAMES][3];
    SimWorld *world;
    SimRigId rig_id;
    SimCharacterId character;
    float particles[FIXTURE_PARTICLES][3]; // as fixture_particles last read them
    float references[FIXTURE_PARTICLES][3];
    float max_distances[FIXTURE_PARTICLES];
} Fixture;

// Assertions in double precision. The message shows the value found.
#define assert_near(found, expected, tolerance)                                                              \
    fixture_assert_near((double)(found), (double)(expected), (double)(tolerance), #found, __FILE__, __LINE__)
#define assert_at_most(found, limit)                                                                         \
    fixture_assert_between((double)(found), -HUGE_VAL, (double)(limit), #found, __FILE__, __LINE__)
#define assert_at_least(found, limit)                                                                        \
    fixture_assert_between((double)(found), (double)(limit), HUGE_VAL, #found, __FILE__, __LINE__)

void fixture_assert_near(double found, double expected, double tolerance, const char *what, const char *file,
                         int line);
void fixture_assert_between(double found, double least, double most, const char *what, const char *file,
                            int line);

int fixture_begin(void **state);
int fixture_end(void **state);

// A skeleton of one bone at the origin.
void fixture_init(Fixture *fixture);

// A sheet that hangs in the x-y plane from its first row, which is pinned to the root: columns along +x,
// rows along -y, from the origin. Its max distance is too large to matter. With one column it is a pendulum
// or a chain.
void fixture_sheet(Fixture *fixture, int rows, int columns, float cell);

// Adds a second garment: a bob of the same fabric on the root that meets no collider. garments and positions
// live as long as the rig's definition.
void fixture_add_bob(Fixture *fixture, SimGarmentDef garments[2], const float positions[2][3]);

// The sheet lies in the x-z plane, its rows along +z.
void fixture_lay_flat(Fixture *fixture);
void fixture_unpin(Fixture *fixture);

// Without air, damping and friction, and with edges like the middle: closed forms of mechanics hold.
void fixture_vacuum(Fixture *fixture);
SimColliderDef *fixture_add_collider(Fixture *fixture, SimColliderShape shape, int bone);
int fixture_add_bone(Fixture *fixture, const char *name, int parent, float x, float y, float z);

// Adds a clip in which all bones rest, for the test to change. Call it after the last bone is added.
void fixture_add_clip(Fixture *fixture, float rate, int frame_count, bool with_root);

// A sheet of at most 7 particles, each driven by its own bone: bone 1 + particle.
void fixture_marionette(Fixture *fixture, int rows, int columns, float cell);

// Where a bone is in one frame of the clip, in its parent's space.
float *fixture_clip_position(Fixture *fixture, int frame, int bone);

// A sheet with a clip in which its root walks and turns and a bone sways, in front of a ball, in wind.
void fixture_walking_sheet(Fixture *fixture, int rows, int columns);

// World, rig and a character at the origin, placed.
void fixture_start(Fixture *fixture, int tick_rate);

// The clip from its first frame, with no fade.
void fixture_play(Fixture *fixture, bool loop);
SimCharacterId fixture_another(Fixture *fixture);
// Replaces the character by one that is as it was at its creation.
void fixture_reset(Fixture *fixture, SimCharacterId *character);

// Replaces the first character by one of the present definition.
void fixture_adopt(Fixture *fixture);
void fixture_finish(Fixture *fixture);

// The instruction sets that the processor runs, from "scalar" on; NULL behind the last.
const char *fixture_instruction_set(int index);
// Asserts that `steps` from the start give the same by a list of a number a particle as by rows (`each`
// NULL), within 1e-5 m, and with each instruction set the same bits. `hang` defines what is simulated. Leaves
// the particles in fixture->particles.
void fixture_same_by_list_and_in_lanes(Fixture *fixture, void (*hang)(Fixture *fixture, const float *each),
                                       const float *each, int steps);
void fixture_steps(Fixture *fixture, int ticks);
void fixture_move_to(Fixture *fixture, float x, float y, float z);
const float (*fixture_particles(Fixture *fixture))[3];
int fixture_particle_count(const Fixture *fixture);
double fixture_distance(const float a[3], const float b[3]);

// Continues `hash` with these bytes; begins with FIXTURE_HASH.
uint64_t fixture_hash(uint64_t hash, const void *bytes, size_t count);

// The largest distance between positions of the same particle, m.
#define fixture_farthest(a, b, count)                                                                        \
    fixture_farthest_of((const float(*)[3])(a), (const float(*)[3])(b), count)
double fixture_farthest_of(const float (*a)[3], const float (*b)[3], int count);

// Steps, and returns the largest distance that a particle moves, m.
double fixture_way_of_a_tick(Fixture *fixture);

// The largest relative error of a vertical link's length, of the particles read last.
double fixture_stretch(const Fixture *fixture);

// How far the worst particle is beyond its max distance, m, of the particles read last.
double fixture_beyond_max_distance(Fixture *fixture);
