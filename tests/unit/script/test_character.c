// Characters: the rig that a script's definition compiles to.
#include "asset/find.h"
#include "script/fixture.h"

#include <math.h>

#define WOOL "return tweed.fabric { name = 'wool', density = .3 }\n"

static const SimRigInfo *load(Fixture *fixture, const char *text) {
    write_file("scripts/fabrics/wool.lua", WOOL);
    ScriptCharacter *character = fixture_load(fixture, "characters/x", text);
    assert_int_equal(script_character_info(character)->revision, 1);
    const SimRigInfo *rig = sim_rig_info(fixture->world, script_character_info(character)->rig);
    assert_non_null(rig);
    return rig;
}

static void assert_near(const float *found, float x, float y, float z) {
    const float expected[] = {x, y, z};
    for (int i = 0; i < 3; i++)
        if (fabsf(found[i] - expected[i]) > 1e-5f)
            fail_msg("expected %g %g %g, found %g %g %g", (double)x, (double)y, (double)z, (double)found[0],
                     (double)found[1], (double)found[2]);
}

static int bone_named(const SimRigInfo *rig, const char *name) {
    for (int i = 0; i < rig->bone_count; i++)
        if (strcmp(rig->bones[i].name, name) == 0) return i;
    return -1;
}

// Bones are sorted parents first, driven ones behind the skeleton's, whatever the order in the script.
static void test_bones(void **state) {
    const SimRigInfo *rig = load(
        *state, "return tweed.character {\n"
                "  skeleton = tweed.skeleton {\n"
                "    { name = 'Head', parent = 'Hips', position = { 0, .5, 0 } },\n"
                "    { name = 'Hips', position = { 0, 1, 0 }, rotation = { 0, .70710678, 0, .70710678 } },\n"
                "  },\n"
                "  driven = {\n"
                "    tweed.bone { name = 'hang', parent = 'pad', position = { 0, -.1, 0 } },\n"
                "    tweed.aim { bone = 'hang', direction = { 0, -1, 0 } },\n"
                "    tweed.bone { name = 'pad', parent = 'Head', position = { 0, 0, .2 } },\n"
                "  },\n}\n");
    assert_string_equal(rig->name, "characters/x");
    assert_int_equal(rig->bone_count, 4);
    static const char *const names[] = {"Hips", "Head", "pad", "hang"};
    static const int parents[] = {-1, 0, 1, 2};
    static const SimBoneKind kinds[] = {SIM_BONE_SKELETON, SIM_BONE_SKELETON, SIM_BONE_DRIVEN,
                                        SIM_BONE_DRIVEN};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(rig->bones[i].name, names[i]);
        assert_int_equal(rig->bones[i].parent, parents[i]);
        assert_int_equal(rig->bones[i].kind, kinds[i]);
    }
    assert_near(rig->bones[2].rest_model[3], .2f, 1.5f, 0.0f); // a quarter turn about y takes +Z to +X
}

static const char cloths[] =
    "local points = {}\n"
    "for row = 0, 2 do for column = 0, 3 do points[#points + 1] = { column * .1, 1 - row * .1, 0 } end end\n"
    "return tweed.character {\n"
    "  skeleton = tweed.skeleton {\n"
    "    { name = 'Hips', position = { 0, 1, 0 }, rotation = { 0, .70710678, 0, .70710678 } },\n"
    "    { name = 'Head', parent = 'Hips', position = { 0, .5, 0 } },\n"
    "  },\n"
    "  colliders = {\n"
    "    tweed.capsule { name = 'thigh', bone = 'Hips', to = { 0, -.4, 0 }, radius = .08 },\n"
    "    tweed.plane { name = 'wall', normal = { 0, 0, 2 }, offset = -3 },\n"
    "    tweed.ellipsoid { name = 'pelvis', bone = 'Hips', center = { 0, .1, 0 }, radii = { .1, .2, .3 } },\n"
    "  },\n"
    "  garments = {\n"
    "    tweed.cloth { name = 'cape', fabric = 'wool', rows = 3, columns = 4, positions = points, attach = "
    "'Hips',\n"
    "      colliders = { 'pelvis', 'thigh' }, bones = { first_column = 1, every = 2 } },\n"
    "    tweed.pendulum { name = 'hood', bone = 'Head', rest = { 0, -.1, .2 }, fabric = 'wool' },\n"
    "    tweed.chain { name = 'tie', bone = 'Head', fabric = 'wool', bones = { prefix = 't', last_row = "
    "'follow' },\n"
    "      points = { { 0, 0, .1 }, { 0, -.1, .1 }, { 0, -.2, .1 } } },\n"
    "  },\n}\n";

static void test_garments(void **state) {
    Fixture *fixture = *state;
    const SimRigInfo *rig = load(fixture, cloths);
    assert_int_equal(rig->garment_count, 3);
    const SimGarmentInfo *cape = &rig->garments[0], *hood = &rig->garments[1], *tie = &rig->garments[2];
    assert_int_equal(cape->kind, SIM_GARMENT_CLOTH);
    assert_int_equal(cape->rows * 100 + cape->columns, 304);
    assert_near(cape->rest_model[7], .3f, .9f, 0.0f);
    assert_int_equal(cape->collider_count, 2);
    assert_int_equal(cape->colliders[0], 2);
    assert_int_equal(cape->colliders[1], 0);
    assert_true(bone_named(rig, "cape_0_1") >= 0 && bone_named(rig, "cape_1_3") >= 0);
    assert_int_equal(bone_named(rig, "cape_0_0"), -1);
    assert_int_equal(bone_named(rig, "cape_2_1"), -1); // none on the last row unless asked for

    assert_int_equal(hood->kind, SIM_GARMENT_PENDULUM);
    assert_near(hood->rest_model[0], 0.0f, 1.5f, 0.0f);
    assert_near(hood->rest_model[1], .2f, 1.4f, 0.0f); // in the bone's space, which is turned
    assert_int_equal(hood->collider_count, 3);
    assert_true(bone_named(rig, "hood") >= 0);

    assert_int_equal(tie->kind, SIM_GARMENT_CHAIN);
    assert_int_equal(tie->rows * 100 + tie->columns, 301);
    assert_near(tie->rest_model[2], .1f, 1.3f, 0.0f);
    assert_true(bone_named(rig, "t0_0") >= 0 && bone_named(rig, "t2_0") >= 0);

    ScriptCharacter *character = fixture_load(fixture, "characters/x", NULL);
    const ScriptCharacterInfo *info = script_character_info(character);
    assert_int_equal(info->garment_count, 3);
    assert_string_equal(info->garments[2].fabric, "wool");
    assert_string_equal(info->garments[0].solver, "verlet");
    assert_true(script_character_memory(character) > 1000);
    assert_int_equal(script_host_memory(fixture->host), script_character_memory(character));
}

static void test_colliders(void **state) {
    const SimRigInfo *rig = load(*state, cloths);
    assert_int_equal(rig->collider_count, 3);
    const SimColliderDef *thigh = &rig->colliders[0], *wall = &rig->colliders[1],
                         *pelvis = &rig->colliders[2];
    assert_string_equal(thigh->name, "thigh");
    assert_int_equal(thigh->shape, SIM_COLLIDER_CAPSULE);
    assert_near(thigh->to, 0.0f, -.4f, 0.0f);
    assert_true(thigh->radius == .08f && thigh->radius_end == .08f);
    assert_int_equal(wall->shape, SIM_COLLIDER_PLANE);
    assert_near(wall->normal, 0.0f, 0.0f, 1.0f); // made unit
    assert_true(wall->offset == -3.0f);
    assert_int_equal(pelvis->shape, SIM_COLLIDER_ELLIPSOID);
    assert_int_equal(pelvis->bone, bone_named(rig, "Hips"));
    assert_near(pelvis->radii, .1f, .2f, .3f);
}

// The fabric's own numbers arrive in the garment, and those of script_fabric_set in characters loaded later.
static void test_fabric(void **state) {
    Fixture *fixture = *state;
    load(fixture, cloths);
    const SimCharacterId id = fixture_place(fixture, fixture_load(fixture, "characters/x", NULL), NULL);
    assert_true(sim_garment_fabric(fixture->world, id, 0)->density == .3f);
    sim_character_destroy(fixture->world, id);
}

// A clip is sampled at load, up to its duration; playing it gives the function's values.
static void test_computed_clip(void **state) {
    Fixture *fixture = *state;
    const SimRigInfo *rig =
        load(fixture,
             "local times = {}\n"
             "local clip = tweed.clip { duration = .51, rate = 10, loop_blend = 0, sample = function(t)\n"
             "  times[#times + 1] = t\n"
             "  return { Head = { rotation = tweed.quaternion.axis_angle({ 1, 0, 0 }, t) },\n"
             "           Hips = { position = { 0, 1 + t, 0 } }, root = { x = 0, z = 2 * t, heading = 0 } }\n"
             "end }\n"
             "assert(#times == 6 and times[1] == 0 and times[6] == .51)\n"
             "return tweed.character { clips = { nod = clip }, skeleton = tweed.skeleton {\n"
             "  { name = 'Hips', position = { 0, 1, 0 } }, { name = 'Head', parent = 'Hips' } } }\n");
    assert_int_equal(rig->clip_count, 1);
    assert_string_equal(rig->clip_names[0], "nod");
    assert_true(fabsf(rig->clip_durations[0] - .51f) < 1e-6f);

    const SimCharacterId id = fixture_place(fixture, fixture_load(fixture, "characters/x", NULL), NULL);
    SimPlay play = sim_default_play();
    play.fade = 0.0f;
    play.at = .3f;
    sim_character_play(fixture->world, id, 0, &play);
    sim_world_place(fixture->world);
    const mat4 *bones = sim_character_bones_model(fixture->world, id);
    assert_near(bones[1][1], 0.0f, cosf(.3f), sinf(.3f)); // its y, turned about x
    assert_near(bones[0][3], 0.0f, 1.3f, 0.0f);
    for (int i = 0; i < 6; i++) sim_world_step(fixture->world); // 0.1 s
    assert_near(sim_character_root(fixture->world, id).position, 0.0f, 0.0f, .2f);
    sim_character_destroy(fixture->world, id);
}

// Angle limits and pose stiffness are relative to the bone that a chain hangs on, whatever colliders other
// bones have, unless references = 'blend'.
static void test_chains_go_with_their_bone(void **state) {
    Fixture *fixture = *state;
    load(
        fixture,
        "local hang = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.2, 0 } }\n"
        "return tweed.character {\n"
        "  skeleton = tweed.skeleton { { name = 'Hips' }, { name = 'Head', parent = 'Hips' } },\n"
        "  clips = { nod = tweed.clip { duration = 1, sample = function()\n"
        "    return { Head = { rotation = tweed.quaternion.axis_angle({ 1, 0, 0 }, math.pi / 2) } } end } "
        "},\n"
        "  colliders = { tweed.sphere { name = 'hip', bone = 'Hips', center = { 1, 0, 0 }, radius = .1 } },\n"
        "  garments = {\n"
        "    tweed.chain { name = 'tail', bone = 'Head', fabric = 'wool', points = hang },\n"
        "    tweed.pendulum { name = 'bell', bone = 'Head', fabric = 'wool', rest = { 0, -.2, 0 } },\n"
        "    tweed.chain { name = 'hair', bone = 'Head', fabric = 'wool', points = hang,\n"
        "      references = 'blend' } } }\n");
    const SimCharacterId id = fixture_place(fixture, fixture_load(fixture, "characters/x", NULL), NULL);
    SimPlay play = sim_default_play();
    play.fade = 0.0f;
    sim_character_play(fixture->world, id, 0, &play);
    sim_world_step(fixture->world);
    float references[3][3];
    sim_garment_references_model(fixture->world, id, 0, references);
    assert_near(references[2], 0.0f, 0.0f, -.2f);
    sim_garment_references_model(fixture->world, id, 1, references);
    assert_near(references[1], 0.0f, 0.0f, -.2f);
    sim_garment_references_model(fixture->world, id, 2, references);
    assert_near(references[2], 0.0f, -.2f, 0.0f); // with the collider's
    sim_character_destroy(fixture->world, id);
}

static void test_clips_are_sorted(void **state) {
    const SimRigInfo *rig =
        load(*state, "local function clip(t) return tweed.clip { duration = t, sample = function() return {} "
                     "end } end\n"
                     "return tweed.character { clips = { walk = clip(1), jump = clip(2), dodge = clip(3) },\n"
                     "  skeleton = tweed.skeleton {{ name = 'Hips' }} }\n");
    static const char *const names[] = {"dodge", "jump", "walk"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rig->clip_names[i], names[i]);
        assert_true(rig->clip_durations[i] == (float)(3 - i));
    }
}

static void test_commands(void **state) {
    Fixture *fixture = *state;
    load(fixture,
         "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
         "  commands = { walk = { run = function() end }, dodge = { help = 'aside', run = print } } }\n");
    const ScriptCharacterInfo *info = script_character_info(fixture_load(fixture, "characters/x", NULL));
    assert_int_equal(info->command_count, 2);
    assert_string_equal(info->commands[0].name, "dodge");
    assert_string_equal(info->commands[0].help, "aside");
    assert_string_equal(info->commands[1].help, "");
}

// A real file: its skeleton, a cut of its motion, both found among assimp's models.
static void test_import(void **state) {
    AssetError error;
    if (!asset_can_import(&error) || access(ASSET_TEST_MODELS "/BVH/01_01.bvh", R_OK) != 0) skip();
    const SimRigInfo *rig =
        load(*state, "local skeleton = tweed.import 'BVH/01_01.bvh'\n"
                     "assert(tweed.has_asset 'BVH/01_01.bvh')\n"
                     "assert(skeleton:has 'Hips' and #skeleton.bones == 31)\n"
                     "local head, thigh = skeleton:rest 'Head', skeleton:rest 'LeftUpLeg'\n"
                     "assert(head[2] > thigh[2] and thigh[1] > 0, 'upright, left is +X')\n"
                     "assert(skeleton.height > 1.2 and skeleton.height < 2)\n"
                     "assert(skeleton:tip 'Head')\n"
                     "return tweed.character { skeleton = skeleton, clips = {\n"
                     "  jump = tweed.clip { file = 'BVH/01_01.bvh', from = .5, to = 1.5, loop_blend = .1 },\n"
                     "  turned = tweed.clip { file = 'BVH/01_01.bvh', from = .5, to = 1.5,\n"
                     "    turns = { LeftArm = tweed.quaternion.axis_angle({ 0, .6, .8 }, .5) } },\n"
                     "  whole = tweed.clip { file = 'BVH/01_01.bvh' },\n"
                     "} }\n");
    assert_int_equal(rig->bone_count, 31);
    assert_true(fabsf(rig->clip_durations[0] - 1.0f) < .01f);
    assert_true(rig->clip_durations[2] > 22.0f);

    // Between the arm's rotations of the two clips the angle is that of the turn.
    mat4 arm[2];
    for (int clip = 0; clip < 2; clip++) {
        Fixture *fixture = *state;
        SimIssue issue;
        const SimTransform origin = SIM_TRANSFORM_IDENTITY;
        const ScriptCharacter *character =
            script_character_load(fixture->host, "characters/x", &fixture->findings);
        const SimCharacterId id =
            sim_character_create(fixture->world, script_character_info(character)->rig, &origin, &issue);
        SimPlay play = sim_default_play();
        play.fade = play.speed = 0.0f;
        sim_character_play(fixture->world, id, clip, &play);
        sim_world_step(fixture->world);
        for (int i = 0; i < rig->bone_count; i++)
            if (strcmp(rig->bones[i].name, "LeftArm") == 0)
                memcpy(arm[clip], sim_character_bones_model(fixture->world, id)[i], sizeof arm[clip]);
    }
    float trace = 0.0f;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) trace += arm[0][i][k] * arm[1][i][k];
    assert_true(fabsf(trace - 1.0f - 2.0f * cosf(0.5f)) < 1e-5f);
}

static void test_mistakes_make_no_rig(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/x.lua",
               "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
               "  garment = {} }\n");
    assert_null(script_character_load(fixture_host(fixture), "characters/x", &fixture->findings));
    assert_null(script_character_load(fixture->host, "characters/y", &fixture->findings));
    assert_null(script_character_load(fixture->host, "../x", &fixture->findings));
    assert_findings(
        &fixture->findings,
        "scripts/characters/x.lua:2: error: garment: unknown key; did you mean \"garments\"?\n"
        "characters/y: error: no script \"characters/y\"; did you mean \"characters/x\"?\n"
        "../x: error: expected the name of a script, such as \"characters/wake\", found \"../x\"\n");
    assert_int_equal(script_host_memory(fixture->host), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_bones),
        FIXTURE_TEST(test_garments),
        FIXTURE_TEST(test_colliders),
        FIXTURE_TEST(test_fabric),
        FIXTURE_TEST(test_computed_clip),
        FIXTURE_TEST(test_clips_are_sorted),
        FIXTURE_TEST(test_commands),
        FIXTURE_TEST(test_import),
        FIXTURE_TEST(test_mistakes_make_no_rig),
        FIXTURE_TEST(test_chains_go_with_their_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
