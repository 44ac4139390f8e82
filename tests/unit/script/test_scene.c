// Scenes: environment, spawn list, names, and the folders that are searched.
#include "script/fixture.h"
#include "script/name_table.h"

#define NOBODY "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }} }\n"

static ScriptScene *load(Fixture *fixture, const char *path) {
    return script_scene_load(fixture_host(fixture), path, &fixture->findings);
}

static void test_environment(void **state) {
    Fixture *fixture = *state;
    write_file("moon.lua",
               "return tweed.scene {\n  ground = -.5, gravity = { 0, -1.62, 0 },\n"
               "  wind = tweed.wind { velocity = { 2, 0, 1 }, turbulence = .3, gust = .5 },\n}\n");
    ScriptScene *scene = load(fixture, "moon.lua");
    assert_findings(&fixture->findings, "");
    const ScriptSceneInfo *info = script_scene_info(scene);
    assert_string_equal(info->name, "moon");
    assert_string_equal(info->script, "moon");
    assert_true(info->environment.gravity_world[1] == -1.62f);
    assert_true(info->environment.has_ground && info->environment.ground == -.5f);
    assert_true(info->environment.wind.velocity_world[0] == 2.0f &&
                info->environment.wind.velocity_world[2] == 1.0f);
    assert_true(info->environment.wind.turbulence == .3f && info->environment.wind.gust == .5f);
    assert_int_equal(info->spawn_count, 0);
    assert_false(info->has_camera);
    script_scene_destroy(scene);
}

static void test_spawns_have_names(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/wake.lua", NOBODY);
    write_file("scripts/scenes/wake.lua",
               "return tweed.scene {\n  spawn = {\n    { script = 'characters/wake' },\n"
               "    { script = 'characters/wake', name = 'wake_2', position = { 1, 2, 3 } },\n"
               "    { script = 'characters/wake', params = { size = 2, colours = { 'red' } } },\n"
               "    { script = 'characters/wake', name = 'wake', rotation = { 0, .001, 0, 0 } },\n  },\n"
               "  camera = { target = 'wake_3', distance = 3 },\n}\n");
    ScriptScene *scene = load(fixture, "scripts/scenes/wake.lua");
    assert_findings(&fixture->findings, "");
    const ScriptSceneInfo *info = script_scene_info(scene);
    assert_string_equal(info->script, "scenes/wake");
    assert_int_equal(info->spawn_count, 4);
    static const char *const names[] = {"wake_3", "wake_2", "wake_4", "wake"}; // those given come first
    for (int i = 0; i < 4; i++) assert_string_equal(info->spawns[i].name, names[i]);
    assert_true(info->spawns[1].root_world.position[1] == 2.0f);
    assert_true(info->spawns[0].root_world.rotation[3] == 1.0f &&
                info->spawns[3].root_world.rotation[1] == 1.0f);
    assert_int_equal(script_params_value(info->spawns[0].params)->kind, SCRIPT_VALUE_TABLE);
    assert_int_equal(script_params_value(info->spawns[0].params)->count, 0);
    assert_true(value_get(script_params_value(info->spawns[2].params), "size")->number == 2.0);
    assert_string_equal(value_get(script_params_value(info->spawns[2].params), "colours")->items[0].string,
                        "red");
    assert_true(info->has_camera && info->camera.distance == 3.0f && info->camera.height == 0.0f);
    assert_string_equal(info->camera.target, "wake_3");
    script_scene_destroy(scene);
}

// A name is cut to 64 bytes at a whole character.
static void test_a_long_file_name_is_cut(void **state) {
    Fixture *fixture = *state;
    char path[200] = "scripts/characters/", name[SCRIPT_NAME_SIZE] = "";
    for (int i = 0; i < 63; i++) append(name, sizeof name, "x");
    append(path, sizeof path, "%sé.lua", name);
    write_file(path, NOBODY);
    ScriptScene *scene = load(fixture, path);
    assert_findings(&fixture->findings, "");
    assert_string_equal(script_scene_info(scene)->spawns[0].name, name);
    script_scene_destroy(scene);
}

static void test_a_character_is_a_scene_of_one(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/alan.lua", NOBODY);
    ScriptScene *scene = load(fixture, "scripts/characters/alan.lua");
    assert_findings(&fixture->findings, "");
    const ScriptSceneInfo *info = script_scene_info(scene);
    assert_string_equal(info->name, "alan");
    assert_int_equal(info->spawn_count, 1);
    assert_string_equal(info->spawns[0].script, "characters/alan");
    assert_string_equal(info->spawns[0].name, "alan");
    assert_true(info->environment.gravity_world[1] == -9.81f);
    ScriptCharacter *character = fixture_load(fixture, "characters/alan", NULL);
    assert_ptr_equal(script_character_load(fixture->host, "characters/alan.lua", &fixture->findings),
                     character);
    ScriptError error;
    assert_true(script_scene_start(scene, &error));
    script_scene_destroy(scene);
}

// A scene may lie anywhere: its own folder comes before the script folders.
static void test_own_folder_comes_first(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/wake.lua", "error 'the wrong one'\n");
    write_file("scripts/shared.lua", "return 'of scripts/'\n");
    write_file("game/characters/wake.lua",
               "assert(require 'size' == 3 and require 'shared' == 'of scripts/')\n" NOBODY);
    write_file("game/size.lua", "return 3\n");
    write_file("game/fabrics/felt.lua", "return tweed.fabric { name = 'felt' }\n");
    write_file("game/scene.lua", "return tweed.scene { spawn = { { script = 'characters/wake' } } }\n");
    ScriptScene *scene = load(fixture, "game/scene.lua");
    assert_findings(&fixture->findings, "");
    assert_non_null(script_fabric_find(fixture->host, "felt"));
    script_scene_destroy(scene);
}

// A file in a folder scenes/ or characters/ also finds the folders beside that one, as in scripts/.
static void test_folders_beside_the_scenes(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/garments/coat.lua", "error 'the wrong one'\n");
    write_file("show/characters/extras/post.lua",
               "assert(require 'garments.coat' == 3 and require 'near' == 4)\n" NOBODY);
    write_file("show/garments/coat.lua", "return 3\n");
    write_file("show/scenes/near.lua", "return 4\n");
    write_file("show/characters/extras/near.lua", "return 4\n");
    write_file("show/fabrics/felt.lua", "return tweed.fabric { name = 'felt' }\n");
    write_file("show/scenes/park.lua",
               "return tweed.scene { spawn = { { script = 'characters/extras/post' } } }\n");
    static const char *const files[] = {"show/scenes/park.lua", "show/characters/extras/post.lua"};
    for (size_t i = 0; i < 2; i++) {
        ScriptScene *scene = load(fixture, files[i]);
        assert_findings(&fixture->findings, "");
        assert_non_null(script_fabric_find(fixture->host, "felt"));
        script_scene_destroy(scene);
        script_host_destroy(fixture->host);
        fixture->host = NULL;
    }
}

// Errors about missing files list the folders that were searched.
static void test_the_folders_are_told(void **state) {
    Fixture *fixture = *state;
    write_file("show/scenes/park.lua",
               "return tweed.scene {\n  spawn = { { script = 'characters/post' } } }\n");
    write_file("show/scenes/street.lua", "return require 'garments.coat'\n");
    write_file("show/characters/dog.lua", NOBODY);
    write_file("show/scenes/yard.lua", "return tweed.scene { spawn = { { script = 'dog' } } }\n");
    write_file("show/characters/kite.lua",
               "return tweed.character { skeleton = tweed.skeleton {{ name = 'top' }}, garments = {\n"
               "  tweed.pendulum { name = 'tail', bone = 'top', rest = {0, -.1, 0}, fabric = 'felt' } } }\n");
    write_file("show/fabrics/silk.lua", "return tweed.fabric { name = 'silk' }\n");
    assert_int_equal(mkdir("scripts", 0755), 0);
    assert_null(load(fixture, "show/scenes/park.lua"));
    assert_null(load(fixture, "show/scenes/street.lua"));
    assert_null(load(fixture, "show/scenes/yard.lua"));
    assert_null(load(fixture, "show/characters/kite.lua"));
    assert_findings(
        &fixture->findings,
        "show/scenes/park.lua:2: error: spawn[1].script: no script \"characters/post\": no file "
        "characters/post.lua below show/scenes, show or scripts; --scripts FOLDER adds a folder\n"
        "show/scenes/street.lua:1: error: no module \"garments.coat\": no file "
        "garments/coat.lua below show/scenes, show or scripts; --scripts FOLDER adds a folder\n"
        "show/scenes/yard.lua:1: error: spawn[1].script: no script \"dog\"; did you mean "
        "\"characters/dog\"?\n"
        "show/characters/kite.lua:2: error: garments[1].fabric: no fabric \"felt\" in fabrics/ below "
        "show/characters, show, show/scenes or scripts (--scripts FOLDER adds a folder); there is silk\n");
}

static void test_links_do_not_lead_out(void **state) {
    Fixture *fixture = *state;
    write_file("outside/secret.lua", "return 'secret'\n");
    write_file("scripts/x.lua", "return require 'inside'\n");
    assert_int_equal(symlink("../outside/secret.lua", "scripts/inside.lua"), 0);
    assert_null(load(fixture, "scripts/x.lua"));
    assert_findings(&fixture->findings,
                    "scripts/x.lua:1: error: no module \"inside\": no file inside.lua below scripts; "
                    "--scripts FOLDER adds a folder\n");
}

static void test_mistakes_of_all_files(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/a.lua", "return tweed.character {\n  skeleton = 5,\n}\n");
    write_file("scene.lua", "return tweed.scene {\n  spawn = {\n    { script = 'characters/a' },\n"
                            "    { script = 'characters/b' },\n    { script = 'characters/a' },\n  },\n}\n");
    assert_null(load(fixture, "scene.lua"));
    assert_findings(
        &fixture->findings,
        "scripts/characters/a.lua:2: error: skeleton: expected tweed.import(file) or tweed.skeleton{...}, "
        "found 5\n"
        "scene.lua:4: error: spawn[2].script: no script \"characters/b\"; did you mean \"characters/a\"?\n");
}

static void test_on_start(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/characters/extra.lua", NOBODY);
    write_file(
        "scene.lua",
        "return tweed.scene {\n  on_start = function(scene)\n    print(scene.name, scene.script)\n"
        "    for i = 1, 2 do\n"
        "      tweed.spawn { script = 'characters/extra', name = 'extra_' .. i, position = { i, 0, 0 }, "
        "params = { i = i } }\n    end\n"
        "    tweed.log('warning', tweed.spawn { script = 'characters/extra' })\n"
        "    tweed.remove('extra_1')\n"
        "    print(pcall(tweed.spawn, { script = 'characters/extra', nmae = 'x' }))\n"
        "    error 'after all'\n  end,\n}\n");
    ScriptScene *scene = load(fixture, "scene.lua");
    assert_findings(&fixture->findings, "");
    ScriptError error;
    assert_false(script_scene_start(scene, &error));
    assert_string_equal(error.message, "scene: on_start: scene.lua:10: after all");
    assert_string_equal(error.traceback, "scene.lua:10: in a function");
    assert_string_equal(fixture->spawned, "characters/extra extra_1 1 0 0 1\n"
                                          "characters/extra extra_2 2 0 0 1\n"
                                          "characters/extra named 0 0 0 0\n"
                                          "extra_1 goes\n");
    assert_string_equal(fixture->log,
                        "info scene -: scene\tscene\n"
                        "warning scene -: named\n"
                        "info scene -: false\tspawn.nmae: unknown key; did you mean \"name\"?\n");
    script_error_finish(&error);
    script_scene_destroy(scene);
}

static void test_tornadoes_on_start(void **state) {
    Fixture *fixture = *state;
    write_file("scene.lua",
               "return tweed.scene {\n  on_start = function(scene)\n"
               "    tweed.tornado { name = 'twister', position = { -6, 0, .5 }, radius = .6, strength = 14, "
               "lift = 6, velocity = { 1.5, 0, 0 } }\n"
               "    tweed.tornado { name = 'dust devil', position = { 0, 0, 0 }, radius = 1, strength = -3, "
               "lift = 1 }\n"
               "    tweed.calm 'dust devil'\n"
               "    print(pcall(tweed.calm, 'twistr'))\n"
               "    print(pcall(tweed.calm, 'dust devil'))\n"
               "    print(pcall(tweed.calm))\n"
               "    local function try(key, value)\n"
               "      local t = { name = 'x', position = { 0, 0, 0 }, radius = 1, strength = 9, lift = 3 }\n"
               "      t[key] = value\n      print(pcall(tweed.tornado, t))\n    end\n"
               "    try('radius', 0)\n    try('strength', '9')\n    try('position', { 0, 0 })\n"
               "    try('strenght', 9)\n    try('velocity', { 0, 301, 0 })\n    try('name', '*')\n"
               "    print(pcall(tweed.tornado, { name = 'x' }))\n"
               "  end,\n}\n");
    ScriptScene *scene = load(fixture, "scene.lua");
    assert_findings(&fixture->findings, "");
    ScriptError error;
    assert_true(script_scene_start(scene, &error));
    const char *names[SIM_MAX_TORNADOS];
    SimTornado tornado;
    assert_int_equal(sim_world_tornado_names(fixture->world, names), 1);
    assert_true(sim_world_tornado(fixture->world, "twister", &tornado));
    const SimTornado expected = {{-6.0f, 0.0f, 0.5f}, 0.6f, 14.0f, 6.0f, {1.5f, 0.0f, 0.0f}};
    assert_memory_equal(&tornado, &expected, sizeof expected);
    assert_int_equal(fixture->world_changes, 3);
    assert_string_equal(
        fixture->log,
        "info scene -: false\tno tornado \"twistr\"; did you mean \"twister\"?\n"
        "info scene -: false\tno tornado \"dust devil\"\n"
        "info scene -: false\tbad argument #1 to '?' (string expected, got no value)\n"
        "info scene -: false\ttornado.radius: expected a number of 0.05 to 1000 m, found 0\n"
        "info scene -: false\ttornado.strength: expected a number of -150 to 150 m/s, found "
        "the string \"9\"\n"
        "info scene -: false\ttornado.position: expected {x, y, z}, each of -1000000 to "
        "1000000 m, found {0, 0}\n"
        "info scene -: false\ttornado.strenght: unknown key; did you mean \"strength\"?\n"
        "info scene -: false\ttornado.velocity[2]: expected a number of -300 to 300 m/s, found 301\n"
        "info scene -: false\ttornado.name: expected a name of 1 to 64 bytes without * ? [, found the string "
        "\"*\"\n"
        "info scene -: false\ttornado.position: missing; expected {x, y, z}, each of -1000000 to 1000000 "
        "m\n");
    script_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_environment),
        FIXTURE_TEST(test_spawns_have_names),
        FIXTURE_TEST(test_a_long_file_name_is_cut),
        FIXTURE_TEST(test_a_character_is_a_scene_of_one),
        FIXTURE_TEST(test_own_folder_comes_first),
        FIXTURE_TEST(test_folders_beside_the_scenes),
        FIXTURE_TEST(test_the_folders_are_told),
        FIXTURE_TEST(test_links_do_not_lead_out),
        FIXTURE_TEST(test_mistakes_of_all_files),
        FIXTURE_TEST(test_on_start),
        FIXTURE_TEST(test_tornadoes_on_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
