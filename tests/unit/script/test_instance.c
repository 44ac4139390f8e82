// Instances: callbacks, commands, coroutines, errors, random numbers.
#include "script/fixture.h"

static ScriptCharacter *load(Fixture *fixture, const char *callbacks) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "local function clip() return tweed.clip { duration = 1, sample = function() return {} end } end\n"
        "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
        "clips = { walk = clip(), jump = clip() },\n%s}\n",
        callbacks);
    return fixture_load(fixture, "characters/x", text);
}

static ScriptInstance *spawn(Fixture *fixture, ScriptCharacter *character, const char *name,
                             ScriptParams *params, SimCharacterId *out_id) {
    *out_id = fixture_place(fixture, character, NULL);
    return fixture_spawn(character, *out_id, name, params);
}

static ScriptInstance *make(Fixture *fixture, const char *callbacks, SimCharacterId *out_id) {
    return spawn(fixture, load(fixture, callbacks), "alan", NULL, out_id);
}

// The result of a command that must succeed; the caller finishes it.
static ScriptValue call(ScriptInstance *instance, const char *command, const ScriptValue *arguments) {
    ScriptValue result;
    ScriptError error;
    if (script_instance_call(instance, command, arguments, &result, &error) != SCRIPT_CALL_DONE)
        fail_msg("%s", error.message);
    return result;
}

static void test_spawn_and_tick(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptValue params = script_value_table(), list = script_value_list();
    script_value_append(&list, script_value_number(5));
    script_value_append(&list, script_value_boolean(true));
    script_value_set(&params, "list", list);
    ScriptCharacter *character =
        load(fixture, "on_spawn = function(self, params)\n"
                      "  print(self.name, params.list[1], params.list[2], #params.list)\n"
                      "  self.count = 0\n"
                      "end,\n"
                      "on_tick = function(self, dt, time)\n"
                      "  self.count = self.count + 1\n"
                      "  tweed.log('debug', ('%d %.4f %.4f'):format(self.count, dt, time))\n"
                      "end,\n");
    ScriptParams *shared = script_params_create(params);
    ScriptInstance *instance = spawn(fixture, character, "alan", shared, &id);
    script_params_release(shared);
    fixture_tick(fixture, instance, 1);
    fixture_tick(fixture, instance, 2);
    assert_string_equal(fixture->log, "info characters/x alan: alan\t5\ttrue\t2\n"
                                      "debug characters/x alan: 1 0.0167 0.0167\n"
                                      "debug characters/x alan: 2 0.0167 0.0333\n");
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

// Instances of one script share its globals, and nothing in `self`.
static void test_instances_are_apart(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptCharacter *character =
        load(fixture, "on_spawn = function(self) self.mine = self.name end,\n"
                      "on_tick = function(self) print(self.mine, self.other) end,\n");
    ScriptInstance *a = spawn(fixture, character, "a", NULL, &id),
                   *b = spawn(fixture, character, "b", NULL, &id);
    fixture_tick(fixture, a, 1);
    fixture_tick(fixture, b, 1);
    assert_string_equal(fixture->log, "info characters/x a: a\tnil\ninfo characters/x b: b\tnil\n");
    script_instance_destroy(a);
    fixture_tick(fixture, b, 2);
    script_instance_destroy(b);
}

static void test_commands(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = {\n"
                                    "  echo = { run = function(self, arguments) return arguments end },\n"
                                    "  nothing = { run = function() end },\n"
                                    "  fail = { run = function() local t = nil; return t.x end },\n"
                                    "  strange = { run = function(self) return { a = { 1, self } } end },\n"
                                    "  infinite = { run = function() return 1 / 0 end },\n"
                                    "  bytes = { run = function() return '\\xff' end },\n"
                                    "  mixed = { run = function() return { 1, x = 2 } end },\n"
                                    "},\n",
                                    &id);
    ScriptValue arguments = script_value_table(), text, result;
    ScriptError error;
    script_value_string(&text, "häuten", 7);
    script_value_set(&arguments, "text", text);
    script_value_set(&arguments, "number", script_value_number(2.5));
    result = call(instance, "echo", &arguments);
    assert_int_equal(result.count, 2);
    assert_string_equal(value_get(&result, "text")->string, "häuten");
    assert_true(value_get(&result, "number")->number == 2.5);
    script_value_finish(&result);
    script_value_finish(&arguments);

    result = call(instance, "echo", NULL);
    assert_int_equal(result.kind, SCRIPT_VALUE_TABLE);
    script_value_finish(&result);
    result = call(instance, "nothing", NULL);
    assert_int_equal(result.kind, SCRIPT_VALUE_NULL);

    assert_int_equal(script_instance_call(instance, "ecko", NULL, &result, &error), SCRIPT_CALL_UNKNOWN);
    assert_string_equal(error.message, "no command \"ecko\"; did you mean \"echo\"?");
    assert_null(error.traceback);
    script_error_finish(&error);

    static const char *const failing[][2] = {
        {"fail", "alan: commands.fail: scripts/characters/x.lua:7: attempt to index a nil value (local 't')"},
        {"strange", "alan: commands.strange: result.a[2]: expected plain data, found an object"},
        {"infinite", "alan: commands.infinite: result: expected a finite number, found inf"},
        {"bytes", "alan: commands.bytes: result: expected UTF-8, found the string \"?\""},
        {"mixed",
         "alan: commands.mixed: result: expected a list or a table with names, not both, found a table"},
    };
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        assert_int_equal(script_instance_call(instance, failing[i][0], NULL, &result, &error),
                         SCRIPT_CALL_FAILED);
        assert_string_equal(error.message, failing[i][1]);
        assert_int_equal(result.kind, SCRIPT_VALUE_NULL);
        script_error_finish(&error);
    }
    assert_string_equal(fixture->failed, ""); // errors of commands are their callers'
    script_instance_destroy(instance);
}

static void test_traceback(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = { fail = { run = function(self)\n"
                                    "  local function inner() error('here') end\n"
                                    "  inner()\n"
                                    "end } },\n",
                                    &id);
    ScriptValue result;
    ScriptError error;
    assert_int_equal(script_instance_call(instance, "fail", NULL, &result, &error), SCRIPT_CALL_FAILED);
    assert_string_equal(error.message, "alan: commands.fail: scripts/characters/x.lua:5: here");
    assert_string_equal(error.traceback,
                        "scripts/characters/x.lua:5: in inner\nscripts/characters/x.lua:6: in a function");
    script_error_finish(&error);
    script_instance_destroy(instance);
}

static void test_play_and_stop(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance =
        make(fixture,
             "on_spawn = function(self) self:play('walk', { loop = true, at = .25, fade = 0 }) end,\n"
             "commands = {\n"
             "  clip = { run = function(self) return { self:clip() } end },\n"
             "  stop = { run = function(self) self:stop('walk', { fade = 0 }) end },\n"
             "  other = { run = function(self) self:stop('jump') end },\n"
             "  typo = { run = function(self) self:play('jmp') end },\n"
             "  key = { run = function(self) self:play('jump', { lop = true }) end },\n"
             "  range = { run = function(self) self:play('jump', { fade = -1 }) end },\n"
             "  dot = { run = function(self) self.play('jump') end },\n"
             "},\n",
             &id);
    sim_world_place(fixture->world);
    assert_int_equal(sim_character_clip(fixture->world, id, &(float){0}), 1); // jump, walk
    ScriptValue result = call(instance, "clip", NULL);
    assert_string_equal(result.items[0].string, "walk");
    assert_true(result.items[1].number == .25);
    script_value_finish(&result);
    static const char *const failing[][2] = {
        {"typo", "alan: commands.typo: scripts/characters/x.lua:9: no clip \"jmp\"; did you mean \"jump\"?"},
        {"key",
         "alan: commands.key: scripts/characters/x.lua:10: options.lop: unknown key; did you mean \"loop\"?"},
        {"range", "alan: commands.range: scripts/characters/x.lua:11: options.fade: expected a number of 0 "
                  "to 10 s, found -1"},
        {"dot", "alan: commands.dot: scripts/characters/x.lua:12: expected self as the first argument: write "
                "self:method(...)"},
    };
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        ScriptError error;
        assert_int_equal(script_instance_call(instance, failing[i][0], NULL, &result, &error),
                         SCRIPT_CALL_FAILED);
        assert_string_equal(error.message, failing[i][1]);
        script_error_finish(&error);
    }
    call(instance, "other", NULL); // that clip does not play
    assert_int_equal(sim_character_clip(fixture->world, id, &(float){0}), 1);
    call(instance, "stop", NULL);
    sim_world_step(fixture->world);
    assert_int_equal(sim_character_clip(fixture->world, id, &(float){0}), -1);
    script_instance_destroy(instance);
}

static void test_move(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = { go = { run = function(self)\n"
                                    "  self:move { position = { 1, 0, 2 } }\n"
                                    "  self:move { rotation = { 0, 1, 0, 0 }, teleport = true }\n"
                                    "  return { self:root() }\n"
                                    "end } },\n",
                                    &id);
    sim_world_place(fixture->world);
    ScriptValue result = call(instance, "go", NULL);
    assert_true(result.items[0].items[0].number == 1.0 && result.items[0].items[2].number == 2.0);
    assert_true(result.items[1].items[1].number == 1.0);
    script_value_finish(&result);
    const SimTransform root = sim_character_root(fixture->world, id);
    assert_true(root.position[0] == 1.0f && root.position[2] == 2.0f && root.rotation[1] == 1.0f);
    script_instance_destroy(instance);
}

// Tornadoes from a coroutine, from on_tick and from a command, up to the limit.
static void test_tornadoes(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "on_spawn = function(self)\n"
                                    "  self:run(function() tweed.wait(.05) tweed.calm 'follower' end)\n"
                                    "end,\n"
                                    "on_tick = function(self, dt, time)\n"
                                    "  if time > .04 then return end\n"
                                    "  tweed.tornado { name = 'follower', position = { time, 0, 0 }, radius "
                                    "= 1, strength = 9, lift = 3 }\n"
                                    "end,\n"
                                    "commands = { storm = { run = function(self)\n"
                                    "  for i = 1, 20 do\n"
                                    "    tweed.tornado { name = 'storm ' .. i, position = { i, 0, 0 }, "
                                    "radius = 1, strength = 9, lift = 3 }\n"
                                    "  end\nend } },\n",
                                    &id);
    SimTornado tornado;
    const char *names[SIM_MAX_TORNADOS];
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(sim_world_tornado(fixture->world, "follower", &tornado), i > 1);
        fixture_tick(fixture, instance, i);
    }
    assert_false(sim_world_tornado(fixture->world, "follower", &tornado));
    assert_int_equal(fixture->world_changes, 3);
    ScriptValue result;
    ScriptError error;
    assert_int_equal(script_instance_call(instance, "storm", NULL, &result, &error), SCRIPT_CALL_FAILED);
    assert_non_null(
        strstr(error.message, "tweed.tornado: there are 16 tornadoes already, the most there can be"));
    script_error_finish(&error);
    assert_int_equal(sim_world_tornado_names(fixture->world, names), 16);
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

// A wait ends at the first tick that is not before its time. A coroutine starts at once.
static void test_waits(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "on_spawn = function(self)\n"
                                    "  self:run(function(word)\n"
                                    "    print(word)\n"
                                    "    tweed.wait(.05)\n" // three ticks
                                    "    print 'three'\n"
                                    "    tweed.wait(.04)\n" // 2.4 ticks
                                    "    print 'six'\n"
                                    "    tweed.wait(0)\n"
                                    "    print 'seven'\n"
                                    "    coroutine.yield()\n"
                                    "    print 'eight'\n"
                                    "  end, 'zero')\n"
                                    "  self:run(function() tweed.wait(.05) print 'also three' end)\n"
                                    "  print 'spawned'\n"
                                    "end,\n",
                                    &id);
    for (int i = 1; i <= 10; i++) {
        append(fixture->log, sizeof fixture->log, "%d\n", i);
        fixture_tick(fixture, instance, i);
    }
    assert_string_equal(fixture->log, "info characters/x alan: zero\n"
                                      "info characters/x alan: spawned\n"
                                      "1\n2\n3\n"
                                      "info characters/x alan: three\n"
                                      "info characters/x alan: also three\n"
                                      "4\n5\n6\n"
                                      "info characters/x alan: six\n"
                                      "7\n"
                                      "info characters/x alan: seven\n"
                                      "8\n"
                                      "info characters/x alan: eight\n"
                                      "9\n10\n");
    script_instance_destroy(instance);
}

static void test_coroutines_of_commands(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = {\n"
                                    "  dodge = { run = function(self) self:run(function()\n"
                                    "    self:play('jump') tweed.wait(.1)\n"
                                    "    self:run(function() tweed.wait(.1) print 'inner' end)\n"
                                    "    print 'outer'\n"
                                    "  end) return 'begun' end },\n"
                                    "  wait = { run = function() tweed.wait(1) end },\n"
                                    "  wrapped = { run = function(self) self:run(function()\n"
                                    "    local next = coroutine.wrap(function() tweed.wait(1) end)\n"
                                    "    next()\n"
                                    "  end) end },\n"
                                    "},\n",
                                    &id);
    fixture_tick(fixture, instance, 1);
    ScriptValue result = call(instance, "dodge", NULL);
    assert_string_equal(result.string, "begun");
    script_value_finish(&result);
    for (int i = 2; i < 20; i++) fixture_tick(fixture, instance, i);
    assert_string_equal(fixture->log, "info characters/x alan: outer\ninfo characters/x alan: inner\n");
    ScriptError error;
    assert_int_equal(script_instance_call(instance, "wait", NULL, &result, &error), SCRIPT_CALL_FAILED);
    assert_string_equal(
        error.message,
        "alan: commands.wait: scripts/characters/x.lua:10: tweed.wait works only in a coroutine: "
        "self:run(function() ... end)");
    script_error_finish(&error);
    call(instance, "wrapped", NULL);
    assert_non_null(strstr(fixture->failed, "tweed.wait works only in a coroutine"));
    script_instance_destroy(instance);
}

// wait(0) waits until the next tick, also after a command that ran before the tick's coroutines.
static void test_wait_until_the_next_tick(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = { go = { run = function(self)\n"
                                    "  self:run(function() tweed.wait(0) print 'next' end)\n"
                                    "end } },\n",
                                    &id);
    script_host_begin_tick(fixture->host, FIXTURE_DT, FIXTURE_DT);
    call(instance, "go", NULL);
    script_instance_tick(instance);
    assert_string_equal(fixture->log, "");
    fixture_tick(fixture, instance, 2);
    assert_string_equal(fixture->log, "info characters/x alan: next\n");
    script_instance_destroy(instance);
}

// Ended coroutines free their places at once, also between ticks.
static void test_many_coroutines(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance = make(fixture,
                                    "commands = {\n"
                                    "  end_at_once = { run = function(self) self:run(function() end) end },\n"
                                    "  wait = { run = function(self) self:run(tweed.wait, 1) end },\n"
                                    "},\n",
                                    &id);
    for (int i = 0; i < 3000; i++) call(instance, "end_at_once", NULL);
    for (int i = 0; i < 1024; i++) call(instance, "wait", NULL);
    ScriptValue result;
    ScriptError error;
    assert_int_equal(script_instance_call(instance, "wait", NULL, &result, &error), SCRIPT_CALL_FAILED);
    assert_string_equal(
        error.message,
        "alan: commands.wait: scripts/characters/x.lua:6: more than 1024 coroutines of one character");
    script_error_finish(&error);
    script_instance_destroy(instance);
}

// An error ends on_tick or the coroutine that raised it. Each is reported once, and the rest continues.
static void test_errors_are_told_once(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptInstance *instance =
        make(fixture,
             "on_spawn = function(self)\n"
             "  self:run(function() tweed.wait(.03) error 'coroutine' end)\n"
             "  self:run(function() while true do tweed.wait(.05) print 'on' end end)\n"
             "end,\n"
             "on_tick = function(self, dt, time) if time > .06 then error { } end end,\n",
             &id);
    for (int i = 1; i <= 9; i++) fixture_tick(fixture, instance, i);
    assert_string_equal(
        fixture->failed,
        "characters/x alan: alan: coroutine: scripts/characters/x.lua:5: coroutine\n"
        "characters/x alan: alan: on_tick: error(...) was called with a table instead of a message\n");
    assert_string_equal(fixture->log, "info characters/x alan: on\ninfo characters/x alan: on\n"
                                      "info characters/x alan: on\n");
    ScriptError error;
    fixture->failed[0] = '\0';
    assert_true(script_instance_reset(instance, id, &error)); // on_tick is back
    fixture_tick(fixture, instance, 10);
    assert_string_equal(
        fixture->failed,
        "characters/x alan: alan: on_tick: error(...) was called with a table instead of a message\n");
    script_instance_destroy(instance);
}

// print shows values as authors write them, with seven digits, the same in each run.
static void test_print(void **state) {
    static const char *const printed[][2] = {
        {"{ 1, .5, -2 }", "{1, 0.5, -2}"},
        {"self:root()", "{0, 0, 0}\t{0, 0, 0, 1}"},
        {"{ { 1, 0 }, { 0, 1 } }", "{{1, 0}, {0, 1}}"},
        {"{ .1 + .2, 2 ^ 53, 1 / 0, 7 // 1 }", "{0.3, 9.007199e+15, inf, 7}"},
        {"{ b = 'x', a = true, [7] = 1 }", "{a = true, b = \"x\", [7] = 1}"},
        {"{ 'a', n = 1 }", "{\"a\", n = 1}"},
        {"{}", "{}"},
        {"{ { { { 1 } } } }", "{{{{1}}}}"},
        {"{ print, self }", "{function, alan}"},
        {"{ ('x'):rep(39) .. 'éa', ('y'):rep(38) .. 'é' }", // 42 bytes, cut within é, and 40
         "{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\", \"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyé\"}"},
        {"self", "alan"},
        {"tweed.nearest('lngth', { 'width', 'length' }), tweed.nearest('x', { 'width' })", "length\tnil"},
        {"select(2, pcall(tweed.nearest, 'x', { 1 }))",
         "bad argument #2 to '?' (expected a list of strings)"},
        {"select(2, pcall(tweed.wait, -1))", "bad argument #1 to '?' (expected 0 to 1e6 s, found -1.0)"},
        {"tostring { 1, 2 }, tostring(nil), ('%s|%5.1f%%|%s'):format({ 1 }, 2, 'x')",
         "{1, 2}\tnil\t{1}|  2.0%|x"},
        {"setmetatable({}, { __tostring = function() return 'mine' end })", "mine"},
        {"#tostring(table.pack(('x'):rep(1000):byte(1, -1)))", "325"}, // "{", 64 times "120, " and "...}"
        {"table.pack(('x'):rep(3):byte(1, -1))", "{120, 120, 120, n = 3}"},
    };
    Fixture *fixture = *state;
    SimCharacterId id;
    char text[4096] = "on_spawn = function(self)\n", expected[4096] = "";
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        append(text, sizeof text, "print(%s)\n", printed[i][0]);
        append(expected, sizeof expected, "info characters/x alan: %s\n", printed[i][1]);
    }
    append(text, sizeof text, "end,\n");
    script_instance_destroy(make(fixture, text, &id));
    assert_string_equal(fixture->log, expected);
}

static void test_spawn_can_fail(void **state) {
    Fixture *fixture = *state;
    ScriptError error;
    ScriptCharacter *character =
        load(fixture, "on_spawn = function(self, params) return params.size.x end,\n");
    const SimCharacterId id = fixture_place(fixture, character, NULL);
    assert_null(script_instance_create(character, id, "alan", NULL, &error));
    assert_string_equal(
        error.message,
        "alan: on_spawn: scripts/characters/x.lua:4: attempt to index a nil value (field 'size')");
    script_error_finish(&error);
}

static void random_row(Fixture *fixture, ScriptCharacter *character, const char *name, char *text,
                       size_t size) {
    SimCharacterId id;
    ScriptInstance *instance = spawn(fixture, character, name, NULL, &id);
    text[0] = '\0';
    for (int i = 0; i < 5; i++) {
        ScriptValue result = call(instance, "roll", NULL);
        append(text, size, "%g ", result.number);
    }
    script_instance_destroy(instance);
}

// The same name and seed give the same random numbers, independent of others. A reset restarts them.
static void test_random(void **state) {
    Fixture *fixture = *state;
    ScriptCharacter *character =
        load(fixture, "commands = { roll = { run = function() return math.random(1000000) end } },\n");
    char first[128], second[128], other[128], again[128] = "";
    random_row(fixture, character, "alan", first, sizeof first);
    random_row(fixture, character, "barry", other, sizeof other);
    random_row(fixture, character, "alan", second, sizeof second);
    assert_string_equal(first, second);
    assert_string_not_equal(first, other);
    SimCharacterId id;
    ScriptError error;
    ScriptInstance *instance = spawn(fixture, character, "alan", NULL, &id);
    for (int i = 0; i < 7; i++) call(instance, "roll", NULL);
    assert_true(script_instance_reset(instance, id, &error));
    for (int i = 0; i < 5; i++) append(again, sizeof again, "%g ", call(instance, "roll", NULL).number);
    assert_string_equal(again, first);
    script_instance_destroy(instance);
}

// Using `self` after its character has ended or was reset is an error.
static void test_old_self(void **state) {
    Fixture *fixture = *state;
    SimCharacterId id;
    ScriptError error;
    ScriptCharacter *character =
        load(fixture, "on_spawn = (function() local old; return function(self)\n"
                      "  if old then print(old.name, pcall(old.play, old, 'walk')) end\n"
                      "  print(pcall(function() self.name = 'other' end))\n"
                      "  print(pcall(function() self.play = nil end))\n"
                      "  old = self\n"
                      "end end)(),\n");
    ScriptInstance *instance = spawn(fixture, character, "alan", NULL, &id);
    fixture->log[0] = '\0';
    assert_true(script_instance_reset(instance, id, &error));
    assert_string_equal(
        fixture->log,
        "info characters/x alan: nil\tfalse\tthis character is gone, or was reset: its self is no "
        "longer valid\n"
        "info characters/x alan: false\tscripts/characters/x.lua:6: self.name cannot be assigned: it is "
        "the character's name\n"
        "info characters/x alan: false\tscripts/characters/x.lua:7: self.play cannot be assigned: it is "
        "a method of self\n");
    script_instance_destroy(instance);
}

// An error in on_spawn leaves the instance as it was: its self, its coroutines and its listeners.
static void test_a_failed_reset_changes_nothing(void **state) {
    Fixture *fixture = *state;
    ScriptError error;
    SimCharacterId id;
    ScriptInstance *instance =
        make(fixture,
             "on_spawn = (function() local times = 0; return function(self)\n"
             "  times = times + 1\n"
             "  local time = times\n"
             "  self:run(function() while true do tweed.wait(.05) print('coroutine', time) end end)\n"
             "  tweed.on('log', function() print('listener', time) end)\n"
             "  if times > 1 then error 'not again' end\n"
             "end end)(),\n"
             "commands = { name = { run = function(self) return self.name end } },\n"
             "on_tick = function() print 'tick' end,\n",
             &id);
    const SimTransform away = {{1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    SimIssue issue;
    const SimCharacterId fresh =
        sim_character_create(fixture->world, sim_character_rig(fixture->world, id), &away, &issue);
    const ScriptRandomState random = script_instance_random(instance);
    assert_false(script_instance_reset(instance, fresh, &error));
    assert_non_null(strstr(error.message, "not again"));
    script_error_finish(&error);
    sim_character_destroy(fixture->world, fresh);
    const ScriptRandomState same = script_instance_random(instance);
    assert_memory_equal(&same, &random, sizeof random);
    ScriptValue name = call(instance, "name", NULL);
    assert_string_equal(name.string, "alan");
    script_value_finish(&name);
    fixture->log[0] = '\0';
    script_host_queue_event(fixture->host, "log", script_value_table());
    for (int i = 1; i <= 4; i++) fixture_tick(fixture, instance, i);
    assert_string_equal(fixture->log, "info characters/x alan: listener\t1\ninfo characters/x alan: tick\n"
                                      "info characters/x alan: tick\ninfo characters/x alan: coroutine\t1\n"
                                      "info characters/x alan: tick\ninfo characters/x alan: tick\n");
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_spawn_and_tick),
        FIXTURE_TEST(test_instances_are_apart),
        FIXTURE_TEST(test_commands),
        FIXTURE_TEST(test_traceback),
        FIXTURE_TEST(test_play_and_stop),
        FIXTURE_TEST(test_move),
        FIXTURE_TEST(test_tornadoes),
        FIXTURE_TEST(test_waits),
        FIXTURE_TEST(test_coroutines_of_commands),
        FIXTURE_TEST(test_errors_are_told_once),
        FIXTURE_TEST(test_print),
        FIXTURE_TEST(test_spawn_can_fail),
        FIXTURE_TEST(test_random),
        FIXTURE_TEST(test_old_self),
        FIXTURE_TEST(test_a_failed_reset_changes_nothing),
        FIXTURE_TEST(test_wait_until_the_next_tick),
        FIXTURE_TEST(test_many_coroutines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
