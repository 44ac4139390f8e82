// The method table: look-ups, validation beyond the schemas, getters and defaults.
#include "protocol/methods.h"
#include "protocol/view.h"
#include "unit_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    cJSON *params = json ? cJSON_Parse(json) : NULL;
    ProtocolError error = {0};
    if (!protocol_validate_params(find(method), params, &error)) fail_msg("%s: %s", json, error.message);
    cJSON_Delete(params);
}

static void test_finds_methods(void **state) {
    (void)state;
    for (size_t i = 0; i < PROTOCOL_METHOD_COUNT; i++)
        assert_ptr_equal(find(protocol_methods[i].name), &protocol_methods[i]);

    static const char *const cases[][2] = {
        {"stream.subscrib", "no method \"stream.subscrib\"; did you mean \"stream.subscribe\"?"},
        {"Stream.Subscribe", "no method \"Stream.Subscribe\"; did you mean \"stream.subscribe\"?"},
        {"caracter.mvoe", "no method \"caracter.mvoe\"; did you mean \"character.move\"?"},
        {"rpc.discover", "no method \"rpc.discover\""},
        {"", "no method \"\""},
        {"0123456789012345678901234567890123456789012345678901234567890123456789",
         "no method \"0123456789012345678901234567890123456789012345678901234567890123\xE2\x80\xA6\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ProtocolError error;
        assert_null(protocol_find_method(cases[i][0], &error));
        assert_string_equal(error.message, cases[i][1]);
        assert_string_equal(error.path, "method");
        assert_int_equal(error.code, PROTOCOL_UNKNOWN_METHOD);
    }
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

// Rules that JSON Schema cannot express. tests/integration/wire/test_parameters.py generates the other
// cases, with their messages, from openrpc.json.
static void test_refuses_more_than_the_schemas(void **state) {
    (void)state;
    assert_refused("simulation.step", "{\"ticks\":1,\"ticks\":2}", "params.ticks",
                   "params.ticks is given twice");
    assert_refused("character.stop", "{\"when\":1}", "params.when",
                   "character.stop has no parameter \"when\"; it takes character, clip and fade");
    assert_refused(
        "session.ping", "{\"0123456789012345678901234567890123456789012345678901234567890123456789\":1}",
        "params.0123456789012345678901234567890123456789012345678901234567890123",
        "session.ping has no parameter \"0123456789012345678901234567890123456789012345678901234567890123"
        "\xE2\x80\xA6\"; it takes none");
    assert_refused("character.play", "{\"character\":\"a\",\"clip\":\"b\",\"speed\":1e999}", "params.speed",
                   "params.speed must be a number from -10 to 10, not a number beyond all doubles");
    assert_refused("character.call",
                   "{\"character\":\"a\",\"command\":\"dodge\",\"arguments\":{\"path\":[[1,-1e999]]}}",
                   "params.arguments.path[0][1]",
                   "params.arguments.path[0][1] must be a finite number, not a number beyond all doubles");
    assert_refused(
        "character.move", "{\"character\":\"a\",\"rotation\":[0,0.0005,0,0]}", "params.rotation",
        "params.rotation must be a quaternion of length at least 0.001: this one is too short to be a "
        "rotation");
    assert_refused(
        "character.pose",
        "{\"character\":\"a\",\"space\":\"model\",\"bones\":{\"hips\":{\"rotation\":[0,0,0,0]}}}",
        "params.bones.hips.rotation",
        "params.bones.hips.rotation must be a quaternion of length at least 0.001: this one is too "
        "short to be a rotation");
    ProtocolError error;
    assert_false(protocol_validate_params(find("simulation.step"), NULL, &error));
    assert_string_equal(error.path, "params.ticks");
}

static void test_fabric_targets(void **state) {
    (void)state;
    static const char missing[] = " is missing: give either fabric, or character and garment";
    char message[128];
    static const char *const cases[][2] = {{"{}", "params.fabric"},
                                           {"{\"character\":\"a\"}", "params.garment"},
                                           {"{\"garment\":\"a\"}", "params.character"}};
    for (size_t i = 0; i < 3; i++) {
        snprintf(message, sizeof message, "%s%s", cases[i][1], missing);
        assert_refused("fabric.get", cases[i][0], cases[i][1], message);
    }
    assert_refused(
        "fabric.get", "{\"fabric\":\"tweed\",\"character\":\"a\",\"garment\":\"b\"}", "params.character",
        "params.character cannot be combined with fabric: give either fabric, or character and garment");
    assert_refused(
        "fabric.get", "{\"fabric\":\"tweed\",\"garment\":\"b\"}", "params.garment",
        "params.garment cannot be combined with fabric: give either fabric, or character and garment");
    assert_refused("fabric.set", "{\"fabric\":\"tweed\",\"values\":{\"edge\":{\"wind\":1e999}}}",
                   "params.values.edge.wind",
                   "params.values.edge.wind must be a finite number, not a number beyond all doubles");
    assert_taken(
        "fabric.set",
        "{\"character\":\"a\",\"garment\":\"b\",\"values\":{\"damping\":2,\"edge\":{\"wind\":1.5}}}");
    assert_taken("fabric.get", "{\"fabric\":\"tweed\"}");
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
        cmocka_unit_test(test_params_go_by_name),
        cmocka_unit_test(test_refuses_more_than_the_schemas),
        cmocka_unit_test(test_fabric_targets),
        cmocka_unit_test(test_reads_what_was_given),
        cmocka_unit_test(test_falls_back_to_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
