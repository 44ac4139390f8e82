// The examples of scripts/README.md are complete files, and correct.
#include "script/check.h"
#include "script/fixture.h"

#define README PROJECT_DIRECTORY "/scripts/README.md"

// Writes each example to the file named in its first line. Gives at most `most` paths.
static int write_examples(char paths[][128], int most) {
    char line[1024], *text = calloc(1, 65536);
    FILE *file = fopen(README, "r");
    assert_non_null(file);
    assert_non_null(text);
    int count = 0;
    bool inside = false;
    while (fgets(line, sizeof line, file)) {
        if (!inside && strcmp(line, "```lua\n") == 0) {
            inside = true;
            assert_true(count < most);
            assert_non_null(fgets(line, sizeof line, file));
            assert_int_equal(sscanf(line, "-- %127s", paths[count]), 1);
            snprintf(text, 65536, "%s", line);
        } else if (inside && strcmp(line, "```\n") == 0) {
            inside = false;
            write_file(paths[count++], text);
        } else if (inside) {
            append(text, 65536, "%s", line);
        }
    }
    fclose(file);
    free(text);
    return count;
}

static void test_examples_are_right(void **state) {
    Fixture *fixture = *state;
    char paths[16][128];
    const int count = write_examples(paths, 16);
    assert_int_equal(count, 13);
    static const char *const directories[] = {"scripts", PROJECT_DIRECTORY "/scripts"};
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    def.script_directory_count = 2;
    for (int i = 0; i < count; i++) {
        const char *path = paths[i];
        if (strstr(path, "/garments/")) continue; // a helper
        script_check(&def, path, &fixture->findings);
        assert_findings(&fixture->findings, "");
    }
}

static void test_examples_do_what_they_say(void **state) {
    Fixture *fixture = *state;
    char paths[16][128];
    write_examples(paths, 16);
    ScriptScene *scene =
        script_scene_load(fixture_host(fixture), "scripts/scenes/posts.lua", &fixture->findings);
    assert_non_null(scene);
    const ScriptSceneInfo *info = script_scene_info(scene);
    assert_string_equal(info->spawns[1].name, "post");
    ScriptCharacter *character = fixture_load(fixture, info->spawns[0].script, NULL);
    const SimCharacterId id = fixture_place(fixture, character, &info->spawns[0].root_world);
    ScriptInstance *instance = fixture_spawn(character, id, "left", info->spawns[0].params);
    ScriptError error;
    assert_true(script_scene_start(scene, &error));
    ScriptValue arguments = script_value_table(), name, result;
    script_value_string(&name, "sailor", 6);
    script_value_set(&arguments, "name", name);
    assert_int_equal(script_instance_call(instance, "greet", &arguments, &result, &error), SCRIPT_CALL_DONE);
    assert_string_equal(result.string, "greeted");
    for (int i = 1; i <= 61; i++) {
        fixture_tick(fixture, instance, i);
        sim_world_step(fixture->world);
    }
    assert_string_equal(fixture->log, "info characters/post left: ahoy\tsailor\n"
                                      "info characters/post left: ahoy\tagain\n");
    assert_string_equal(fixture->spawned, "characters/post named 1 0 -2 0\ncharacters/post named 2 0 -2 0\n"
                                          "characters/post named 3 0 -2 0\n");
    assert_int_equal(sim_character_clip(fixture->world, id, &(float){0}), 0);
    script_value_finish(&result);
    script_value_finish(&arguments);
    script_instance_destroy(instance);
    script_scene_destroy(scene);
}

// The head looks at the place from a root that stands elsewhere, and is released after two seconds.
static void test_the_example_of_poses_looks_there(void **state) {
    Fixture *fixture = *state;
    char paths[16][128];
    write_examples(paths, 16);
    ScriptCharacter *character = fixture_load(fixture, "characters/nodding", NULL);
    const SimTransform root = {{0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const SimCharacterId id = fixture_place(fixture, character, &root);
    ScriptInstance *instance = fixture_spawn(character, id, "nodding", NULL);
    ScriptError error;
    ScriptValue place = script_value_list(), result;
    const double at[] = {3.0, 1.5, 1.0}; // straight to the left of the head
    for (int i = 0; i < 3; i++) script_value_append(&place, script_value_number(at[i]));
    assert_int_equal(script_instance_call(instance, "look", &place, &result, &error), SCRIPT_CALL_DONE);
    for (int i = 1; i <= 140; i++) {
        fixture_tick(fixture, instance, i);
        sim_world_step(fixture->world);
        const vec4 *head = sim_character_bones_model(fixture->world, id)[1];
        if (i < 120) assert_float_equal(head[2][0], 1.0f, 1e-5);
        if (i == 140) assert_float_equal(head[2][2], 1.0f, 1e-5);
    }
    script_value_finish(&place);
    script_value_finish(&result);
    script_instance_destroy(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_examples_are_right),
        FIXTURE_TEST(test_examples_do_what_they_say),
        FIXTURE_TEST(test_the_example_of_poses_looks_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
