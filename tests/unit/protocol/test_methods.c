// The method table: every message of validation verbatim, defaults, getters, nearest names.
#include "protocol/methods.h"
#include "protocol/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const ProtocolMethod *find(const char *name) {
    ProtocolError error;
    const ProtocolMethod *method = protocol_find_method(name, &error);
    assert_non_null(method);
    return method;
}

static void assert_refused(const char *method, const char *json, const char *path, const char *message) {
    cJSON *params = cJSON_Parse(json);
    assert_non_null(params);
    ProtocolError error = {0};
    if (protocol_validate_params(find(method), params, &error)) fail_msg("%s took %s", method, json);
    assert_string_equal(error.message, message);
    assert_string_equal(error.path, path);
    assert_int_equal(error.code, PROTOCOL_INVALID_PARAMS);
    cJSON_Delete(params);
}

static void assert_taken(const char *method, const char *json) {
    cJSON *params = json == NULL ? NULL : cJSON_Parse(json);
    ProtocolError error = {0};
    if (!protocol_validate_params(find(method), params, &error)) fail_msg("%s: %s", json, error.message);
    cJSON_Delete(params);
}

static void test_finds_methods(void **state) {
    (void)state;
    for (size_t i = 0; i < PROTOCOL_METHOD_COUNT; i++)
        assert_ptr_equal(find(protocol_methods[i].name), &protocol_methods[i]);
    assert_int_equal(find("stream.subscribe")->role, PROTOCOL_ROLE_OBSERVER);
    assert_int_equal(find("stream.subscribe")->timing, PROTOCOL_AT_ONCE);
    assert_int_equal(find("fabric.set")->role, PROTOCOL_ROLE_OPERATOR);
    assert_int_equal(find("fabric.set")->timing, PROTOCOL_COMMAND);

    static const char *const cases[][2] = {
        {"stream.subscrib", "no method \"stream.subscrib\"; did you mean \"stream.subscribe\"?"},
        {"Stream.Subscribe", "no method \"Stream.Subscribe\"; did you mean \"stream.subscribe\"?"},
        {"caracter.mvoe", "no method \"caracter.mvoe\"; did you mean \"character.move\"?"},
        {"rpc.discover", "no method \"rpc.discover\""},
        {"", "no method \"\""},
        {"0123456789012345678901234567890123456789012345678901234567890123456789",
         "no method \"0123456789012345678901234567890123456789012345678901234567890123\xE2\x80\xA6\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ProtocolError error;
        assert_null(protocol_find_method(cases[i][0], &error));
        assert_string_equal(error.message, cases[i][1]);
        assert_string_equal(error.path, "method");
        assert_int_equal(error.code, PROTOCOL_UNKNOWN_METHOD);
    }
}

static void test_observers_only_look(void **state) {
    (void)state;
    static const char *const operators[] = {
        "character.spawn", "character.remove", "character.reset", "character.move",    "character.play",
        "character.stop",  "character.call",   "character.pose",  "character.release", "fabric.set",
        "world.set",       "world.tornado",    "world.calm",      "simulation.pause",  "simulation.resume",
        "simulation.step", "script.reload"};
    size_t found = 0;
    for (size_t i = 0; i < PROTOCOL_METHOD_COUNT; i++) {
        bool is_operators = false;
        for (size_t k = 0; k < sizeof operators / sizeof *operators; ++k) {
            is_operators = is_operators || strcmp(operators[k], protocol_methods[i].name) == 0;
        }
        assert_int_equal(protocol_methods[i].role == PROTOCOL_ROLE_OPERATOR, is_operators);
        assert_int_equal(protocol_methods[i].timing == PROTOCOL_COMMAND, is_operators);
        found += is_operators;
    }
    assert_int_equal(found, sizeof operators / sizeof *operators);
}

static void test_params_go_by_name(void **state) {
    (void)state;
    static const char message[] = "params must be an object: parameters go by name, not by position";
    assert_refused("session.ping", "[]", "params", message);
    assert_refused("simulation.step", "[5]", "params", message);
    assert_refused("simulation.step", "5", "params", message);
    assert_refused("session.ping", "null", "params", message);
    assert_taken("session.ping", NULL);
    assert_taken("session.ping", "{}");
}

static void test_unknown_and_missing(void **state) {
    (void)state;
    assert_refused("session.ping", "{\"x\":1}", "params.x",
                   "session.ping has no parameter \"x\"; it takes none");
    assert_refused("stream.subscribe", "{\"axis\":\"gltf\"}", "params.axis",
                   "stream.subscribe has no parameter \"axis\"; did you mean \"axes\"?");
    assert_refused("character.play", "{\"character\":\"alan\",\"clip\":\"walk\",\"Loop\":true}",
                   "params.Loop", "character.play has no parameter \"Loop\"; did you mean \"loop\"?");
    assert_refused("character.describe", "{\"charakter\":\"alan\"}", "params.charakter",
                   "character.describe has no parameter \"charakter\"; did you mean \"character\"?");
    assert_refused("character.stop", "{\"when\":1}", "params.when",
                   "character.stop has no parameter \"when\"; it takes character, clip and fade");
    assert_refused("world.set", "{\"tornados\":[]}", "params.tornados",
                   "world.set has no parameter \"tornados\"; it takes gravity, wind and ground");
    assert_refused("world.set", "{\"wind\":{\"velocty\":[0,0,0]}}", "params.wind.velocty",
                   "params.wind has no parameter \"velocty\"; did you mean \"velocity\"?");
    assert_refused("simulation.step", "{}", "params.ticks",
                   "params.ticks is missing: it must be an integer from 1 to 100000");
    assert_refused("character.play", "{\"character\":\"alan\"}", "params.clip",
                   "params.clip is missing: it must be a name (a string of 1 to 64 bytes without * ? [)");
    assert_refused("simulation.step", "{\"ticks\":1,\"ticks\":2}", "params.ticks",
                   "params.ticks is given twice");
    ProtocolError error;
    assert_false(protocol_validate_params(find("simulation.step"), NULL, &error));
    assert_string_equal(error.path, "params.ticks");
    assert_refused(
        "session.ping", "{\"0123456789012345678901234567890123456789012345678901234567890123456789\":1}",
        "params.0123456789012345678901234567890123456789012345678901234567890123",
        "session.ping has no parameter \"0123456789012345678901234567890123456789012345678901234567890123"
        "\xE2\x80\xA6\"; it takes none");
}

static void test_names_and_strings(void **state) {
    (void)state;
    static const char name[] =
        "params.character must be a name (a string of 1 to 64 bytes without * ? [), not ";
    static const struct {
        const char *value, *found;
    } cases[] = {
        {"7", "7"},
        {"null", "null"},
        {"\"\"", "\"\""},
        {"\"al*n\"", "\"al*n\""},
        {"\"a?\"", "\"a?\""},
        {"\"a[b\"", "\"a[b\""},
        {"true", "true"},
        {"[]", "an array of 0"},
        {"{}", "an object"},
        {"\"0123456789012345678901234567890123456789012345678901234567890123x\"",
         "\"0123456789012345678901234567890123456789012345678901234567890123\xE2\x80\xA6\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char json[256], message[512];
        snprintf(json, sizeof json, "{\"character\":%s}", cases[i].value);
        snprintf(message, sizeof message, "%s%s", name, cases[i].found);
        assert_refused("character.reset", json, "params.character", message);
    }
    assert_taken("character.reset",
                 "{\"character\":\"0123456789012345678901234567890123456789012345678901234567890123\"}");
    assert_refused("session.open", "{\"client\":\"\"}", "params.client",
                   "params.client must be a string from 1 to 128 bytes, not \"\"");
}

static void test_numbers(void **state) {
    (void)state;
    assert_refused("stream.subscribe", "{\"precision\":9}", "params.precision",
                   "params.precision must be an integer from 2 to 7 decimals, not 9");
    assert_refused("stream.subscribe", "{\"precision\":2.5}", "params.precision",
                   "params.precision must be an integer from 2 to 7 decimals, not 2.5");
    assert_refused("stream.subscribe", "{\"rate\":0}", "params.rate",
                   "params.rate must be a number from 0.01 to 1000 Hz, not 0");
    assert_refused("simulation.step", "{\"ticks\":100001}", "params.ticks",
                   "params.ticks must be an integer from 1 to 100000, not 100001");
    assert_refused("simulation.step", "{\"ticks\":\"5\"}", "params.ticks",
                   "params.ticks must be an integer from 1 to 100000, not \"5\"");
    assert_refused("character.play", "{\"character\":\"a\",\"clip\":\"b\",\"speed\":1e999}", "params.speed",
                   "params.speed must be a number from -10 to 10, not a number beyond all doubles");
    assert_refused("character.play", "{\"character\":\"a\",\"clip\":\"b\",\"fade\":-0.1}", "params.fade",
                   "params.fade must be a number from 0 to 10 s, not -0.1");
    assert_refused("character.play", "{\"character\":\"a\",\"clip\":\"b\",\"loop\":1}", "params.loop",
                   "params.loop must be true or false, not 1");
    assert_refused("world.set", "{\"ground\":true}", "params.ground",
                   "params.ground must be a number from -1000000 to 1000000 m, or false, not true");
    assert_taken("world.set", "{\"ground\":false}");
    assert_taken("simulation.step", "{\"ticks\":1e5}");
}

static void test_vectors(void **state) {
    (void)state;
    assert_refused("world.set", "{\"gravity\":[0,-9.81]}", "params.gravity",
                   "params.gravity must be [x,y,z], each a number from -300 to 300 m/s^2, not an array of 2");
    assert_refused("world.set", "{\"gravity\":-9.81}", "params.gravity",
                   "params.gravity must be [x,y,z], each a number from -300 to 300 m/s^2, not -9.81");
    assert_refused("world.set", "{\"wind\":{\"velocity\":[0,400,0]}}", "params.wind.velocity[1]",
                   "params.wind.velocity[1] must be a number from -300 to 300 m/s, not 400");
    assert_refused("world.tornado",
                   "{\"name\":\"a\",\"position\":[0,0,0],\"radius\":0,\"strength\":9,\"lift\":3}",
                   "params.radius", "params.radius must be a number from 0.05 to 1000 m, not 0");
    assert_refused("world.tornado", "{\"name\":\"a\",\"position\":[0,0,0],\"radius\":1,\"strength\":9}",
                   "params.lift", "params.lift is missing: it must be a number from -150 to 150 m/s");
    assert_taken("world.tornado",
                 "{\"name\":\"a\",\"position\":[0,0,0],\"radius\":1,\"strength\":-9,\"lift\":0}");
    assert_refused("world.set", "{\"wind\":[2,0,1]}", "params.wind",
                   "params.wind must be an object, not an array of 3");
    assert_refused("character.move", "{\"character\":\"a\",\"rotation\":[0,0,\"x\",1]}", "params.rotation[2]",
                   "params.rotation[2] must be a number from -1000000 to 1000000, not \"x\"");
    assert_refused(
        "character.move", "{\"character\":\"a\",\"rotation\":[0,0,1]}", "params.rotation",
        "params.rotation must be a quaternion [x,y,z,w], each a number from -1000000 to 1000000, its length "
        "at least 0.001, not an array of 3");
    assert_refused(
        "character.move", "{\"character\":\"a\",\"rotation\":[0,0.0005,0,0]}", "params.rotation",
        "params.rotation must be a quaternion of length at least 0.001: this one is too short to be a "
        "rotation");
}

static void test_choices_and_lists(void **state) {
    (void)state;
    assert_refused(
        "stream.subscribe", "{\"axes\":\"unrael\"}", "params.axes",
        "params.axes must be \"gltf\", \"blender\", \"unreal\", \"unity\" or \"maya\", not \"unrael\"; did "
        "you mean \"unreal\"?");
    assert_refused("stream.subscribe", "{\"layout\":\"Matrix\"}", "params.layout",
                   "params.layout must be \"matrix\" or \"trs\", not \"Matrix\"; did you mean \"matrix\"?");
    assert_refused("stream.subscribe", "{\"space\":3}", "params.space",
                   "params.space must be \"world\", \"model\" or \"parent\", not 3");
    assert_refused(
        "stream.subscribe", "{\"kinds\":\"cloth\"}", "params.kinds",
        "params.kinds must be an array, each entry \"skeleton\", \"driven\", \"cloth\", \"pendulum\" or "
        "\"chain\", not \"cloth\"");
    assert_refused(
        "stream.subscribe", "{\"kinds\":[\"cloth\",\"clothes\"]}", "params.kinds[1]",
        "params.kinds[1] must be \"skeleton\", \"driven\", \"cloth\", \"pendulum\" or \"chain\", not "
        "\"clothes\"; did you mean \"cloth\"?");
    assert_refused("stream.subscribe", "{\"bones\":[\"*\",\"a[\"]}", "params.bones[1]",
                   "params.bones[1] must be a name or pattern (a string of 1 to 64 bytes, each [ with its "
                   "]), not \"a[\"");
    assert_refused("stream.subscribe", "{\"characters\":[\"\"]}", "params.characters[0]",
                   "params.characters[0] must be a name or pattern (a string of 1 to 64 bytes, each [ with "
                   "its ]), not \"\"");
    assert_refused("stream.subscribe", "{\"characters\":\"*\"}", "params.characters",
                   "params.characters must be an array of at most 256 names or patterns, not \"*\"");
    char json[3000] = "{\"bones\":[\"a\"";
    for (int i = 1; i < PROTOCOL_MAX_PATTERNS; ++i) strcat(json, ",\"a\"");
    size_t length = strlen(json);
    strcpy(json + length, "]}");
    assert_taken("stream.subscribe", json);
    strcpy(json + length, ",\"a\"]}");
    assert_refused("stream.subscribe", json, "params.bones",
                   "params.bones must be an array of at most 256 names or patterns, not an array of 257");
    assert_taken("stream.subscribe", "{\"characters\":[],\"kinds\":[],\"bones\":[\"jacket_[0-9]*\"]}");
}

static void test_fabric_targets_and_values(void **state) {
    (void)state;
    static const char missing[] = " is missing: give either fabric, or character and garment";
    char message[128];
    static const char *const cases[][2] = {{"{}", "params.fabric"},
                                           {"{\"character\":\"a\"}", "params.garment"},
                                           {"{\"garment\":\"a\"}", "params.character"}};
    for (size_t i = 0; i < 3; ++i) {
        snprintf(message, sizeof message, "%s%s", cases[i][1], missing);
        assert_refused("fabric.get", cases[i][0], cases[i][1], message);
    }
    assert_refused(
        "fabric.get", "{\"fabric\":\"tweed\",\"character\":\"a\",\"garment\":\"b\"}", "params.character",
        "params.character cannot stand beside fabric: give either fabric, or character and garment");
    assert_refused("fabric.get", "{\"fabric\":\"tweed\",\"garment\":\"b\"}", "params.garment",
                   "params.garment cannot stand beside fabric: give either fabric, or character and garment");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\"}", "params.values",
                   "params.values is missing: it must be an object of numbers, or of objects of numbers");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\",\"values\":[1]}", "params.values",
                   "params.values must be an object of numbers, or of objects of numbers, not an array of 1");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\",\"values\":{\"damping\":\"2\"}}",
                   "params.values.damping", "params.values.damping must be a finite number, not \"2\"");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\",\"values\":{\"edge\":{\"wind\":1e999}}}",
                   "params.values.edge.wind",
                   "params.values.edge.wind must be a finite number, not a number beyond all doubles");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\",\"values\":{\"edge\":{\"wind\":{}}}}",
                   "params.values.edge.wind",
                   "params.values.edge.wind must be a finite number, not an object");
    assert_taken(
        "fabric.set",
        "{\"character\":\"a\",\"garment\":\"b\",\"values\":{\"damping\":2,\"edge\":{\"wind\":1.5}}}");
    assert_taken("fabric.get", "{\"fabric\":\"tweed\"}");
}

#define POSE(bones) "{\"character\":\"a\",\"space\":\"model\",\"bones\":" bones "}"

static void test_poses(void **state) {
    (void)state;
    assert_taken("character.pose", POSE("{}"));
    assert_taken("character.pose",
                 POSE("{\"hips\":{\"rotation\":[0,0,0,2],\"position\":[0,1,0]},\"arm\":{}}"));
    assert_refused("character.pose", POSE("[]"), "params.bones",
                   "params.bones must be an object of objects, each under a name, not an array of 0");
    assert_refused("character.pose", POSE("{\"hips\":[0,0,0,1]}"), "params.bones.hips",
                   "params.bones.hips must be an object, not an array of 4");
    assert_refused("character.pose", POSE("{\"h*\":{}}"), "params.bones.h*",
                   "params.bones.h* is under no name: names are 1 to 64 bytes without * ? [");
    assert_refused("character.pose", POSE("{\"hips\":{\"rot\":1}}"), "params.bones.hips.rot",
                   "params.bones.hips has no parameter \"rot\"; it takes rotation and position");
    assert_refused("character.pose", POSE("{\"hips\":{\"rotation\":[0,0,1e999,1]}}"),
                   "params.bones.hips.rotation[2]",
                   "params.bones.hips.rotation[2] must be a number from -1000000 to 1000000, not a number "
                   "beyond all doubles");
    assert_refused(
        "character.pose", POSE("{\"hips\":{\"rotation\":[0,0,0,0]}}"), "params.bones.hips.rotation",
        "params.bones.hips.rotation must be a quaternion of length at least 0.001: this one is too "
        "short to be a rotation");
    assert_refused("character.pose", POSE("{\"hips\":{\"position\":[0,2e6,0]}}"),
                   "params.bones.hips.position[1]",
                   "params.bones.hips.position[1] must be a number from -1000000 to 1000000 m, not 2000000");
    assert_refused("character.pose", "{\"character\":\"a\",\"bones\":{}}", "params.space",
                   "params.space is missing: it must be \"parent\" or \"model\"");
    assert_taken("character.release", "{\"character\":\"a\",\"bones\":[\"hips\"]}");
    assert_refused("character.release", "{\"character\":\"a\",\"bones\":\"hips\"}", "params.bones",
                   "params.bones must be an array of at most 256 names, not \"hips\"");
    assert_refused("character.release", "{\"character\":\"a\",\"bones\":[\"hips\",\"a?\"]}",
                   "params.bones[1]",
                   "params.bones[1] must be a name (a string of 1 to 64 bytes without * ? [), not \"a?\"");
}

static void test_arguments_of_commands(void **state) {
    (void)state;
    assert_taken("character.call", "{\"character\":\"a\",\"command\":\"dodge\"}");
    assert_taken("character.call", "{\"character\":\"a\",\"command\":\"dodge\",\"arguments\":{\"side\":"
                                   "\"left\",\"path\":[[1,2],null,true]}}");
    assert_refused("character.call", "{\"character\":\"a\",\"command\":\"dodge\",\"arguments\":3}",
                   "params.arguments", "params.arguments must be an object or an array, not 3");
    assert_refused("character.call",
                   "{\"character\":\"a\",\"command\":\"dodge\",\"arguments\":{\"path\":[[1,-1e999]]}}",
                   "params.arguments.path[0][1]",
                   "params.arguments.path[0][1] must be a finite number, not a number beyond all doubles");
}

static void test_reads_what_was_given(void **state) {
    (void)state;
    cJSON *json = cJSON_Parse("{\"character\":\"alan\",\"position\":[1,2.5,-3],\"rotation\":[0,3,0,4]}");
    ProtocolParams params = protocol_params(find("character.move"), json);
    float position[3], rotation[4];
    assert_string_equal(protocol_param_string(params, "character"), "alan");
    assert_true(protocol_param_vec3(params, "position", position));
    assert_true(position[0] == 1.0f && position[1] == 2.5f && position[2] == -3.0f);
    assert_true(protocol_param_quaternion(params, "rotation", rotation));
    assert_true(rotation[0] == 0.0f && rotation[1] == 0.6f && rotation[2] == 0.0f && rotation[3] == 0.8f);
    assert_false(protocol_param_given(params, "teleport"));
    assert_false(protocol_param_bool(params, "teleport"));
    cJSON_Delete(json);

    json = cJSON_Parse("{\"ground\":-0.5,\"wind\":{\"gust\":0.25}}");
    params = protocol_params(find("world.set"), json);
    double ground;
    assert_true(protocol_param_number_or_false(params, "ground", &ground));
    assert_true(ground == -0.5);
    ProtocolParams wind = protocol_param_fields(params, "wind");
    assert_true(protocol_param_number(wind, "gust") == 0.25);
    assert_false(protocol_param_given(wind, "turbulence"));
    assert_false(protocol_param_vec3(wind, "velocity", position));
    cJSON_Delete(json);

    json = cJSON_Parse("{\"ground\":false}");
    params = protocol_params(find("world.set"), json);
    assert_true(protocol_param_given(params, "ground"));
    assert_false(protocol_param_number_or_false(params, "ground", &ground));
    assert_false(protocol_param_given(params, "wind"));
    assert_false(protocol_param_given(protocol_param_fields(params, "wind"), "gust"));
    cJSON_Delete(json);

    json = cJSON_Parse("{\"ticks\":600}");
    assert_int_equal(protocol_param_integer(protocol_params(find("simulation.step"), json), "ticks"), 600);
    cJSON_Delete(json);
}

static void test_falls_back_to_the_defaults(void **state) {
    (void)state;
    ProtocolParams play = protocol_params(find("character.play"), NULL);
    assert_false(protocol_param_bool(play, "loop"));
    assert_true(protocol_param_number(play, "speed") == 1);
    assert_true(protocol_param_number(play, "fade") == 0.2);
    assert_true(protocol_param_number(play, "at") == 0);
    assert_null(protocol_param_string(play, "clip"));
    ProtocolParams open = protocol_params(find("session.open"), NULL);
    assert_true(protocol_param_bool(open, "events"));
    assert_int_equal(protocol_param_choice(open, "role"), -1);
    cJSON *json = cJSON_Parse("{\"role\":\"operator\"}");
    assert_int_equal(protocol_param_choice(protocol_params(find("session.open"), json), "role"),
                     PROTOCOL_ROLE_OPERATOR);
    cJSON_Delete(json);
    ProtocolParams describe = protocol_params(find("character.describe"), NULL);
    assert_string_equal(protocol_param_string(describe, "axes"), "gltf");
    assert_int_equal(protocol_param_choice(describe, "axes"), PROTOCOL_AXES_GLTF);
    assert_null(protocol_param_json(protocol_params(find("character.call"), NULL), "arguments"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_methods),
        cmocka_unit_test(test_observers_only_look),
        cmocka_unit_test(test_params_go_by_name),
        cmocka_unit_test(test_unknown_and_missing),
        cmocka_unit_test(test_names_and_strings),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_choices_and_lists),
        cmocka_unit_test(test_fabric_targets_and_values),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_arguments_of_commands),
        cmocka_unit_test(test_reads_what_was_given),
        cmocka_unit_test(test_falls_back_to_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
