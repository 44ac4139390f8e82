// The rig, world and character of a test, and measurements of its cloth.
#include "sim_fixture.h"

void fixture_assert_near(double found, double expected, double tolerance, const char *what, const char *file,
                         int line) {
    if (fabs(found - expected) <= tolerance) return; // not for NaN
    print_error("%s is %.9g, expected %.9g within %.3g\n", what, found, expected, tolerance);
    _fail(file, line);
}

void fixture_assert_between(double found, double least, double most, const char *what, const char *file,
                            int line) {
    if (found >= least && found <= most) return;
    print_error("%s is %.9g, expected %.9g to %.9g\n", what, found, least, most);
    _fail(file, line);
}

int fixture_begin(void **state) {
    static Fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    *state = &fixture;
    return 0;
}

int fixture_end(void **state) {
    fixture_finish(*state);
    return 0;
}

void fixture_init(Fixture *fixture) {
    memset(fixture, 0, sizeof *fixture);
    fixture->def = sim_default_world_def();
    fixture->bones[0] = sim_default_bone_def();
    fixture->bones[0].name = "root";
    fixture->rig = (SimRigDef){.name = "fixture",
                               .bones = fixture->bones,
                               .bone_count = 1,
                               .colliders = fixture->colliders,
                               .garments = &fixture->garment,
                               .clips = &fixture->clip};
}

void fixture_sheet(Fixture *fixture, int rows, int columns, float cell) {
    fixture_init(fixture);
    fixture->garment = sim_default_garment_def();
    fixture->garment.name = "cloth";
    fixture->garment.kind = columns > 1 ? SIM_GARMENT_CLOTH
                            : rows == 2 ? SIM_GARMENT_PENDULUM
                                        : SIM_GARMENT_CHAIN;
    fixture->garment.rows = rows;
    fixture->garment.columns = columns;
    fixture->garment.bone_prefix = columns == 1 && rows == 2 ? "bob" : "cloth_";
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = 10.0f;
    for (int p = 0; p < rows * columns; p++) {
        fixture->positions[p][0] = cell * (float)(p % columns);
        fixture->positions[p][1] = -cell * (float)(p / columns);
        fixture->pinned[p] = p < columns;
    }
    for (int column = 0; column < columns; column++) fixture->attach[column].weights[0] = 1.0f;
    fixture->garment.positions = (const float(*)[3])fixture->positions;
    fixture->garment.pinned = fixture->pinned;
    fixture->garment.attach = fixture->attach;
    fixture->garment.references = SIM_REFERENCES_ATTACH;
    fixture->garment.fabric.thickness = 0.0f; // tests of contact know where the colliders' surfaces are
    fixture->rig.garment_count = 1;
}

void fixture_add_bob(Fixture *fixture, SimGarmentDef garments[2], const float positions[2][3]) {
    garments[0] = garments[1] = fixture->garment;
    SimGarmentDef *bob = &garments[1];
    bob->name = bob->bone_prefix = "bob";
    bob->kind = SIM_GARMENT_PENDULUM;
    bob->rows = 2;
    bob->columns = 1;
    bob->pinned = NULL;
    bob->positions = positions;
    bob->collider_count = 0;
    fixture->rig.garments = garments;
    fixture->rig.garment_count = 2;
}

void fixture_lay_flat(Fixture *fixture) {
    for (int p = 0; p < FIXTURE_PARTICLES; p++) {
        fixture->positions[p][2] = -fixture->positions[p][1];
        fixture->positions[p][1] = 0.0f;
    }
}

void fixture_unpin(Fixture *fixture) {
    memset(fixture->pinned, 0, sizeof fixture->pinned);
}

void fixture_vacuum(Fixture *fixture) {
    SimFabric *fabric = &fixture->garment.fabric;
    fabric->wind = fabric->damping = fabric->contact_damping = 0.0f;
    fabric->edge = (SimFabricEdge){1.0f, 1.0f, 1.0f, 1.0f};
}

SimColliderDef *fixture_add_collider(Fixture *fixture, SimColliderShape shape, int bone) {
    static const char *const names[FIXTURE_COLLIDERS] = {"one",  "two", "three", "four",
                                                         "five", "six", "seven", "eight"};
    assert_true(fixture->rig.collider_count < FIXTURE_COLLIDERS);
    SimColliderDef *collider = &fixture->colliders[fixture->rig.collider_count];
    *collider = sim_default_collider_def();
    collider->name = names[fixture->rig.collider_count++];
    collider->shape = shape;
    collider->bone = bone;
    return collider;
}

int fixture_add_bone(Fixture *fixture, const char *name, int parent, float x, float y, float z) {
    assert_true(fixture->rig.bone_count < FIXTURE_BONES);
    SimBoneDef *bone = &fixture->bones[fixture->rig.bone_count];
    *bone = sim_default_bone_def();
    bone->name = name;
    bone->parent = parent;
    bone->position[0] = x, bone->position[1] = y, bone->position[2] = z;
    return fixture->rig.bone_count++;
}

void fixture_add_clip(Fixture *fixture, float rate, int frame_count, bool with_root) {
    assert_true(frame_count <= FIXTURE_FRAMES);
    int bones = fixture->rig.bone_count;
    for (int key = 0; key < frame_count * bones; key++) {
        memcpy(fixture->clip_rotations[key], fixture->bones[key % bones].rotation, sizeof(versor));
        memcpy(fixture->clip_positions[key], fixture->bones[key % bones].position, sizeof(vec3));
    }
    fixture->clip = sim_default_clip_def();
    fixture->clip.name = "clip";
    fixture->clip.rate = rate;
    fixture->clip.frame_count = frame_count;
    fixture->clip.rotations = (const versor *)fixture->clip_rotations;
    fixture->clip.positions = (const float(*)[3])fixture->clip_positions;
    fixture->clip.root = with_root ? (const float(*)[3])fixture->clip_root : NULL;
    fixture->rig.clip_count = 1;
}

void fixture_marionette(Fixture *fixture, int rows, int columns, float cell) {
    static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6"};
    fixture_sheet(fixture, rows, columns, cell);
    memset(fixture->skins, 0, sizeof fixture->skins);
    for (int p = 0; p < rows * columns; p++) {
        const float *x = fixture->positions[p];
        fixture->skins[p].bones[0] = fixture_add_bone(fixture, names[p], 0, x[0], x[1], x[2]);
        fixture->skins[p].weights[0] = 1.0f;
        fixture->pinned[p] = true;
    }
    fixture->garment.skins = fixture->skins;
    fixture->garment.bone_column_step = 1;
}

float *fixture_clip_position(Fixture *fixture, int frame, int bone) {
    return fixture->clip_positions[frame * fixture->rig.bone_count + bone];
}

void fixture_walking_sheet(Fixture *fixture, int rows, int columns) {
    fixture_sheet(fixture, rows, columns, 0.07f);
    fixture_add_bone(fixture, "sway", 0, 0.2f, -0.2f, 0.05f);
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 1);
    ball->radius = 0.15f;
    fixture_add_clip(fixture, 30.0f, 90, true);
    for (int frame = 0; frame < 90; frame++) {
        fixture_clip_position(fixture, frame, 1)[2] = 0.05f + 0.1f * sinf(0.2f * (float)frame);
        fixture->clip_root[frame][0] = 0.04f * (float)frame;
        fixture->clip_root[frame][2] = 0.5f * sinf(0.1f * (float)frame);
    }
    fixture->def.environment.wind.velocity_world[2] = 3.0f;
    fixture->def.environment.wind.gust = 0.5f;
}

void fixture_start(Fixture *fixture, int tick_rate) {
    SimIssue issue;
    fixture->def.tick_rate = tick_rate;
    fixture->world = sim_world_create(&fixture->def, &issue);
    assert_non_null(fixture->world);
    fixture->rig_id = sim_rig_create(fixture->world, &fixture->rig, &issue);
    if (!fixture->rig_id.index) fail_msg("%s: %s", issue.path, issue.message);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    fixture->character = sim_character_create(fixture->world, fixture->rig_id, &root, &issue);
    sim_world_place(fixture->world);
}

void fixture_play(Fixture *fixture, bool loop) {
    SimPlay play = {.loop = loop, .speed = 1.0f};
    sim_character_play(fixture->world, fixture->character, 0, &play);
}

SimCharacterId fixture_another(Fixture *fixture) {
    SimIssue issue;
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    SimCharacterId character = sim_character_create(fixture->world, fixture->rig_id, &root, &issue);
    assert_true(sim_character_exists(fixture->world, character));
    return character;
}

void fixture_reset(Fixture *fixture, SimCharacterId *character) {
    SimIssue issue;
    const SimCharacterId fresh = sim_character_create_like(fixture->world, *character, &issue);
    assert_true(sim_character_exists(fixture->world, fresh));
    sim_character_destroy(fixture->world, *character);
    *character = fresh;
}

void fixture_adopt(Fixture *fixture) {
    SimIssue issue;
    SimWorld *meanwhile = sim_world_create(&fixture->def, &issue);
    SimRigId rig = sim_rig_create(meanwhile, &fixture->rig, &issue);
    if (!rig.index) fail_msg("%s: %s", issue.path, issue.message);
    rig = sim_rig_move(fixture->world, meanwhile, rig);
    sim_world_destroy(meanwhile);
    const SimTransform elsewhere = {.position = {9.0f, 9.0f, 9.0f}, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    const SimCharacterId character = sim_character_create(fixture->world, rig, &elsewhere, &issue);
    assert_true(character.index != 0);
    sim_rig_release(fixture->world, rig);
    if (fixture->rig.clip_count)
        sim_character_play(fixture->world, character, 0, &(SimPlay){.loop = true, .speed = 1.0f});
    sim_character_adopt(fixture->world, character, fixture->character);
    sim_character_destroy(fixture->world, fixture->character);
    fixture->character = character;
}

void fixture_finish(Fixture *fixture) {
    sim_world_destroy(fixture->world);
    fixture->world = NULL;
}

const char *fixture_instruction_set(int index) {
    static const char *const names[] = {"scalar", "alone_avx2", "alone_avx512", "baseline", "avx2", "avx512"};
    const SimWorldDef def = sim_default_world_def();
    SimIssue issue;
    SimWorld *world = sim_world_create(&def, &issue);
    const char *found = NULL;
    for (int i = 0; i < 6 && !found; i++)
        if (sim_world_use_instruction_set(world, names[i]) && index-- == 0) found = names[i];
    sim_world_destroy(world);
    return found;
}

static void run_with(Fixture *fixture, const char *instruction_set, int steps) {
    fixture_start(fixture, 60);
    assert_true(sim_world_use_instruction_set(fixture->world, instruction_set));
    fixture->character = fixture_another(fixture);
    fixture_steps(fixture, steps);
    fixture_particles(fixture);
    fixture_finish(fixture);
}

void fixture_same_by_list_and_in_lanes(Fixture *fixture, void (*hang)(Fixture *fixture, const float *each),
                                       const float *each, int steps) {
    static float by_rows[FIXTURE_PARTICLES][3];
    hang(fixture, NULL);
    const int count = fixture->garment.rows * fixture->garment.columns;
    run_with(fixture, "scalar", steps);
    memcpy(by_rows, fixture->particles, sizeof by_rows);
    hang(fixture, each);
    run_with(fixture, "scalar", steps);
    for (int p = 0; p < count; p++)
        for (int k = 0; k < 3; k++) assert_near(fixture->particles[p][k], by_rows[p][k], 1e-5);
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++) {
        hang(fixture, NULL);
        run_with(fixture, set, steps);
        assert_memory_equal(fixture->particles, by_rows, (size_t)count * sizeof by_rows[0]);
    }
}

void fixture_steps(Fixture *fixture, int ticks) {
    for (int i = 0; i < ticks; i++) sim_world_step(fixture->world);
}

void fixture_move_to(Fixture *fixture, float x, float y, float z) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.position[0] = x, root.position[1] = y, root.position[2] = z;
    sim_character_move(fixture->world, fixture->character, &root, false);
}

const float (*fixture_particles(Fixture *fixture))[3] {
    sim_garment_particles_model(fixture->world, fixture->character, 0, fixture->particles);
    return (const float(*)[3])fixture->particles;
}

int fixture_particle_count(const Fixture *fixture) {
    return fixture->garment.rows * fixture->garment.columns;
}

double fixture_distance(const float a[3], const float b[3]) {
    double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1], z = (double)b[2] - (double)a[2];
    return sqrt(x * x + y * y + z * z);
}

uint64_t fixture_hash(uint64_t hash, const void *bytes, size_t count) { // FNV-1a
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

double fixture_farthest_of(const float (*a)[3], const float (*b)[3], int count) {
    double most = 0.0;
    for (int p = 0; p < count; p++) most = fmax(most, fixture_distance(a[p], b[p]));
    return most;
}

double fixture_way_of_a_tick(Fixture *fixture) {
    static float before[FIXTURE_PARTICLES][3];
    memcpy(before, fixture_particles(fixture), sizeof before);
    fixture_steps(fixture, 1);
    return fixture_farthest(fixture_particles(fixture), before, fixture_particle_count(fixture));
}

double fixture_stretch(const Fixture *fixture) {
    int columns = fixture->garment.columns;
    double worst = 0.0;
    for (int p = columns; p < fixture_particle_count(fixture); p++) {
        double rest = fixture_distance(fixture->positions[p - columns], fixture->positions[p]);
        double length = fixture_distance(fixture->particles[p - columns], fixture->particles[p]);
        worst = fmax(worst, fabs(length / rest - 1.0));
    }
    return worst;
}

double fixture_beyond_max_distance(Fixture *fixture) {
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    double worst = -HUGE_VAL;
    for (int p = 0; p < fixture_particle_count(fixture); p++) {
        if (fixture->pinned[p]) continue;
        double distance = fixture_distance(fixture->references[p], fixture->particles[p]);
        worst = fmax(worst, distance - (double)fixture->max_distances[p]);
    }
    return worst;
}
