// self:pose, self:release and self:bone: effects and messages.
#include "script/fixture.h"

// A pole whose hips rise by 1 m/s, with an arm, a pad on it and a rope.
static ScriptInstance *make(Fixture *fixture, const char *callbacks, SimCharacterId *out_id) {
    char text[4096];
    snprintf(text, sizeof text,
             "return tweed.character {\n"
             "skeleton = tweed.skeleton {{ name = 'hips' }, { name = 'arm', parent = 'hips', position = {.5, "
             "0, 0} }},\n"
             "driven = { tweed.bone { name = 'pad', parent = 'arm', position = {0, .1, 0} } },\n"
             "garments = { tweed.chain { name = 'rope', bone = 'arm', fabric = 'linen', points = "
             "{{0,0,0},{0,-.2,0},{0,-.4,0}} } },\n"
             "clips = { rise = tweed.clip { duration = 1, sample = function(t) return { hips = { position = "
             "{0, t, 0} } } end } },\n"
             "%s}\n",
             callbacks);
    write_file("scripts/fabrics/linen.lua", "return tweed.fabric { name = 'linen' }\n");
    ScriptCharacter *character = fixture_load(fixture, "characters/x", text);
    const SimTransform root = {{0.0f, 0.0f, 3.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    *out_id = fixture_place(fixture, character, &root);
    return fixture_spawn(character, *out_id, "alan", NULL);
}

static void step(Fixture *fixture, ScriptInstance *instance, int number) {
    fixture_tick(fixture, instance, number);
    sim_world_step(fixture->world);
}

static const float *position(Fixture *fixture, SimCharacterId id, int bone) {
    return sim_character_bones_model(fixture->world, id)[bone][3];
}

static void test_it_is_posed_in_this_tick(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    int64_t sequence;
    ScriptInstance *instance =
        make(fixture,
             "on_tick = function(self, dt, time)\n"
             "  local tick = math.floor(time / dt + .5)\n"
             "  if tick == 1 then\n"
             "    local ignored = self:pose({ arm = { position = {.5, 2, 0} }, tail = {}, rope_1_0 = {} },\n"
             "      { space = 'model', ignore_unknown = true, sequence = 7 })\n"
             "    print(table.concat(ignored, ' '))\n"
             "    self:pose { arm = { rotation = {0, 0, .7071, .7071} } }\n"
             "  elseif tick == 3 then self:release { 'arm' }\n"
             "  elseif tick == 20 then self:pose { arm = { position = {9, 0, 0} } } self:release() end\n"
             "end,\n",
             &id);
    step(fixture, instance, 1);
    assert_string_equal(fixture->log, "info characters/x alan: rope_1_0 tail\n");
    assert_float_equal(position(fixture, id, 1)[1], 2.0, 1e-6);
    assert_float_equal(sim_character_bones_model(fixture->world, id)[1][0][1], 1.0, 1e-6); // x looks up
    assert_true(sim_character_sequence(fixture->world, id, &sequence));
    assert_int_equal(sequence, 7);
    step(fixture, instance, 2);
    step(fixture, instance, 3);
    assert_true(position(fixture, id, 1)[1] > 1.9f && position(fixture, id, 1)[1] < 2.0f);
    for (int tick = 4; tick < 20; tick++) step(fixture, instance, tick);
    assert_float_equal(position(fixture, id, 1)[1], 0.0, 1e-6);
    step(fixture, instance, 20);
    assert_true(position(fixture, id, 1)[0] > 8.0f); // given back, but not there yet
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

// A bone's place at the end of the coming tick, by the clip and by earlier poses, in each space.
static void test_bones_of_the_coming_tick(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance =
        make(fixture,
             "on_spawn = function(self) self:play('rise', { fade = 0 }) end,\n"
             "on_tick = function(self, dt, time)\n"
             "  local function tell(bone, space) local p, q = self:bone(bone, space)\n"
             "    print(('%s %.4f %.4f %.4f, %.4f %.4f'):format(bone, p[1], p[2], p[3], q[3], q[4])) end\n"
             "  tell('hips') tell('arm', 'world') tell('pad', 'parent')\n"
             "  self:pose { arm = { rotation = {0, 0, 1, 0} } }\n"
             "  tell('arm') tell('pad', 'model')\n"
             "end,\n",
             &id);
    fixture_tick(fixture, instance, 1);
    assert_string_equal(fixture->log, "info characters/x alan: hips 0.0000 0.0167 0.0000, 0.0000 1.0000\n"
                                      "info characters/x alan: arm 0.5000 0.0167 3.0000, 0.0000 1.0000\n"
                                      "info characters/x alan: pad 0.0000 0.1000 0.0000, 0.0000 1.0000\n"
                                      "info characters/x alan: arm 0.5000 0.0167 0.0000, 1.0000 0.0000\n"
                                      "info characters/x alan: pad 0.5000 -0.0833 0.0000, 1.0000 0.0000\n");
    sim_world_step(fixture->world);
    assert_float_equal(position(fixture, id, 1)[1], 1.0f / 60.0f, 1e-6);
    assert_float_equal(position(fixture, id, 2)[1], 1.0f / 60.0f - 0.1f, 1e-6);
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

// Before its first tick a garment's bones are at rest.
static void test_bones_before_the_first_tick(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance =
        make(fixture,
             "on_spawn = function(self) for _, space in ipairs { 'model', 'parent' } do\n"
             "  local p, q = self:bone('rope_1_0', space)\n"
             "  print(('%.4f %.4f %.4f, %.4f'):format(p[1], p[2], p[3], q[1]^2 + q[2]^2 + q[3]^2 + q[4]^2))\n"
             "end end,\n",
             &id);
    assert_string_equal(fixture->log, "info characters/x alan: 0.5000 -0.2000 0.0000, 1.0000\n"
                                      "info characters/x alan: 0.2000 0.0000 0.0000, 1.0000\n");
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"self:pose()", "bad argument #1 to 'pose' (table expected, got no value)"},
        {"self:pose { amr = {} }", "no bone \"amr\" (did you mean \"arm\"?)"},
        {"self:pose { amr = {}, tail = {}, rope_1_0 = {}, arm = { position = {0, 5, 0} } }",
         "no bones \"amr\" (did you mean \"arm\"?), \"rope_1_0\" that can be posed (it is of the garment "
         "\"rope\"), \"tail\""},
        {"self:pose { arm = { rotation = {0, 0, 0, 0} } }",
         "bones.arm.rotation: expected a quaternion {x, y, z, w}, its length at least 0.001, found {0, 0, 0, "
         "0}"},
        {"self:pose { arm = { position = {0, 0/0, 0} } }", "bones.arm.position"},
        {"self:pose { arm = { turn = 1 } }", "bones.arm.turn: unknown key; known are rotation, position"},
        {"self:pose { arm = 1 }",
         "bones.arm: expected {rotation = {x, y, z, w}, position = {x, y, z}}, found 1"},
        {"self:pose { {} }", "bones"},
        {"self:pose({}, { space = 'world' })", "options.space: expected"},
        {"self:pose({}, { sequence = -1 })",
         "options.sequence: expected a whole number of 0 to 9007199254740991, found -1"},
        {"self:release 'arm'", "bad argument #1 to 'release' (table expected, got string)"},
        {"self:release { 'arm', 'leg' }", "no bone \"leg\""},
        {"self:release { 7 }", "bones[1]: expected the name of a bone, found 7"},
        {"self:bone 'hip'", "no bone \"hip\"; did you mean \"hips\"?"},
        {"self:bone('hips', 'screen')", "(expected \"model\", \"parent\" or \"world\", found \"screen\")"},
    };
    char commands[4096] = "commands = {\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        append(commands, sizeof commands, "c%zu = { run = function(self) %s end },\n", i, cases[i][0]);
    append(commands, sizeof commands, "},\n");
    SimCharacterId id;
    ScriptInstance *instance = make(fixture, commands, &id);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[16];
        ScriptValue result;
        ScriptError error = {0};
        snprintf(name, sizeof name, "c%zu", i);
        assert_int_equal(script_instance_call(instance, name, NULL, &result, &error), SCRIPT_CALL_FAILED);
        if (!strstr(error.message, cases[i][1])) fail_msg("%s: %s", cases[i][0], error.message);
        script_error_finish(&error);
    }
    sim_world_step(fixture->world);
    assert_float_equal(position(fixture, id, 1)[1], 0.0, 1e-6); // none was half applied
    script_instance_destroy(instance);
}

// tweed.wait returns the time that passed.
static void test_waiting_tells_the_time(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "on_spawn = function(self) self:run(function()\n"
                                    "  print(('%.4f'):format(tweed.wait(0)))\n"
                                    "  print(('%.4f'):format(tweed.wait(.04)))\n"
                                    "  print(select('#', tweed.wait_for('log', .01)))\n"
                                    "end) end,\n",
                                    &id);
    for (int tick = 1; tick <= 6; tick++) step(fixture, instance, tick);
    assert_string_equal(fixture->log, "info characters/x alan: 0.0167\n"
                                      "info characters/x alan: 0.0500\n"
                                      "info characters/x alan: 0\n");
    script_instance_destroy(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_it_is_posed_in_this_tick),    FIXTURE_TEST(test_bones_of_the_coming_tick),
        FIXTURE_TEST(test_bones_before_the_first_tick), FIXTURE_TEST(test_mistakes),
        FIXTURE_TEST(test_waiting_tells_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
