// Events and requests: tweed.on, tweed.wait_for, tweed.request, and that an idle script enters no Lua.
#include "script/fixture.h"

#include <lua.h>

// Scripts run only through this function; the linker wraps it.
static int entries;
int __real_lua_pcallk(lua_State *lua, int arguments, int results, int handler, lua_KContext context,
                      lua_KFunction next);
int __wrap_lua_pcallk(lua_State *lua, int arguments, int results, int handler, lua_KContext context,
                      lua_KFunction next);

int __wrap_lua_pcallk(lua_State *lua, int arguments, int results, int handler, lua_KContext context,
                      lua_KFunction next) {
    entries++;
    return __real_lua_pcallk(lua, arguments, results, handler, context, next);
}

static ScriptCharacter *load(Fixture *fixture, const char *callbacks) {
    char text[4096];
    snprintf(text, sizeof text,
             "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }},\n%s}\n", callbacks);
    return fixture_load(fixture, "characters/x", text);
}

static ScriptInstance *spawn(Fixture *fixture, ScriptCharacter *character, const char *name) {
    return fixture_spawn(character, fixture_place(fixture, character, NULL), name, NULL);
}

static ScriptInstance *make(Fixture *fixture, const char *callbacks) {
    return spawn(fixture, load(fixture, callbacks), "alan");
}

static void tell(Fixture *fixture, const char *event, double number) {
    ScriptValue params = script_value_table();
    script_value_set(&params, "n", script_value_number(number));
    script_host_queue_event(fixture->host, event, params);
}

static void assert_log(Fixture *fixture, const char *expected) {
    assert_string_equal(fixture->log, expected);
    fixture->log[0] = '\0';
}

// Listeners run first, in the order of creation, then coroutines; each event once, in the next tick.
static void test_events_come_in_order(void **state) {
    Fixture *fixture = *state;
    ScriptCharacter *character =
        load(fixture, "on_spawn = function(self)\n"
                      "  self:run(function()\n"
                      "    for _ = 1, 2 do print('coroutine', tweed.wait_for('world.changed').n) end\n"
                      "  end)\n"
                      "  tweed.on('world.changed', function(event) print('one', event.n) end)\n"
                      "  local stop\n"
                      "  stop = tweed.on('world.changed', function(event) print('two', event.n) stop() end)\n"
                      "end");
    const SimCharacterId id = fixture_place(fixture, character, NULL);
    ScriptInstance *instance = fixture_spawn(character, id, "alan", NULL);
    assert_true(script_host_has_listeners(fixture->host, "world.changed"));
    assert_false(script_host_has_listeners(fixture->host, "log"));
    tell(fixture, "world.changed", 1);
    tell(fixture, "log", 9);
    tell(fixture, "world.changed", 2);
    assert_log(fixture, "");
    fixture_tick(fixture, instance, 1);
    assert_log(fixture, "info characters/x alan: one\t1\ninfo characters/x alan: two\t1\n"
                        "info characters/x alan: coroutine\t1\n"
                        "info characters/x alan: one\t2\ninfo characters/x alan: coroutine\t2\n");
    fixture_tick(fixture, instance, 2);
    assert_log(fixture, "");
    tell(fixture, "world.changed", 3);
    fixture_tick(fixture, instance, 3);
    assert_log(fixture, "info characters/x alan: one\t3\n");
    ScriptError error;
    assert_true(script_instance_reset(instance, id, &error)); // on_spawn listens again, the old ones are gone
    tell(fixture, "world.changed", 4);
    fixture_tick(fixture, instance, 4);
    assert_log(fixture, "info characters/x alan: one\t4\ninfo characters/x alan: two\t4\n"
                        "info characters/x alan: coroutine\t4\n");
    script_instance_destroy(instance);
    assert_false(script_host_has_listeners(fixture->host, "world.changed"));
    assert_string_equal(fixture->failed, "");
}

static void test_waiting_has_an_end(void **state) {
    Fixture *fixture = *state;
    ScriptInstance *instance = make(fixture, "on_spawn = function(self)\n"
                                             "  self:run(function()\n"
                                             "    print(tweed.wait_for('world.changed', 2.5 / 60))\n"
                                             "    print(tweed.wait_for('world.changed', 10).n)\n"
                                             "  end)\n"
                                             "end");
    for (int i = 1; i <= 2; i++) fixture_tick(fixture, instance, i);
    assert_log(fixture, "");
    fixture_tick(fixture, instance, 3);
    assert_log(fixture, "info characters/x alan: \n");
    tell(fixture, "world.changed", 7);
    fixture_tick(fixture, instance, 4);
    assert_log(fixture, "info characters/x alan: 7\n");
    assert_false(script_host_has_listeners(fixture->host, "world.changed"));
    script_instance_destroy(instance);
}

static void test_a_listener_that_raises_is_over(void **state) {
    Fixture *fixture = *state;
    ScriptInstance *instance =
        make(fixture, "on_spawn = function(self)\n"
                      "  tweed.on('log', function(event) error('no ' .. event.n) end)\n"
                      "  tweed.on('log', function(event) print(event.n) end)\n"
                      "end");
    for (int i = 1; i <= 2; i++) {
        tell(fixture, "log", i);
        fixture_tick(fixture, instance, i);
    }
    assert_log(fixture, "info characters/x alan: 1\ninfo characters/x alan: 2\n");
    assert_string_equal(fixture->failed, "characters/x alan: alan: log: scripts/characters/x.lua:3: no 1\n");
    script_instance_destroy(instance);
}

// The function that tweed.on returns ends its listener, whichever character of the script calls it.
static void test_another_character_stops_a_listener(void **state) {
    Fixture *fixture = *state;
    ScriptCharacter *character =
        load(fixture, "on_spawn = (function()\n"
                      "  local stop\n"
                      "  return function()\n"
                      "    if stop then stop() return end\n"
                      "    stop = tweed.on('world.changed', function(event) print(event.n) end)\n"
                      "  end\n"
                      "end)()");
    ScriptInstance *alan = spawn(fixture, character, "alan");
    tell(fixture, "world.changed", 1);
    fixture_tick(fixture, alan, 1);
    assert_log(fixture, "info characters/x alan: 1\n");
    ScriptInstance *barry = spawn(fixture, character, "barry");
    assert_false(script_host_has_listeners(fixture->host, "world.changed"));
    tell(fixture, "world.changed", 2);
    fixture_tick(fixture, alan, 2);
    assert_log(fixture, "");
    script_instance_destroy(alan);
    ScriptInstance *saga = spawn(fixture, character, "saga"); // stops it again: its character is gone
    script_instance_destroy(saga);
    script_instance_destroy(barry);
}

// A coroutine of one character may start one of another, which waits and continues as that character's.
static void test_a_coroutine_begins_one_of_another_character(void **state) {
    Fixture *fixture = *state;
    ScriptCharacter *character =
        load(fixture, "on_spawn = (function()\n"
                      "  local other\n"
                      "  return function(self)\n"
                      "    if not other then other = self return end\n"
                      "    self:run(function()\n"
                      "      other:run(function() print 'begins' print(tweed.wait(0)) end)\n"
                      "      print 'waits' tweed.wait(0) print 'goes on'\n"
                      "    end)\n"
                      "  end\n"
                      "end)()");
    ScriptInstance *alan = spawn(fixture, character, "alan"), *barry = spawn(fixture, character, "barry");
    assert_string_equal(fixture->failed, "");
    assert_log(fixture, "info characters/x alan: begins\ninfo characters/x barry: waits\n");
    script_host_begin_tick(fixture->host, 0.25, 0.25);
    script_instance_tick(alan);
    script_instance_tick(barry);
    assert_log(fixture, "info characters/x alan: 0.25\ninfo characters/x barry: goes on\n");
    script_instance_destroy(alan);
    script_instance_destroy(barry);
}

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    static const char *const calls[][2] = {
        {"tweed.on('world.change', print)", "no event \"world.change\"; did you mean \"world.changed\"?"},
        {"tweed.on('log')", "bad argument #2 to 'on' (function expected, got no value)"},
        {"tweed.wait_for('log')", "tweed.wait_for works only in a coroutine: self:run(function() ... end)"},
        {"tweed.request('world.get')", "tweed.request: works only in a running server"},
    };
    ScriptInstance *instance = make(fixture, "commands = { call = { run = function(self, arguments)\n"
                                             "  return select(2, pcall(load(arguments[1])))\n"
                                             "end } }");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ScriptValue arguments = script_value_list(), text, result;
        ScriptError error;
        assert_true(script_value_string(&text, calls[i][0], strlen(calls[i][0])));
        assert_true(script_value_append(&arguments, text));
        assert_int_equal(script_instance_call(instance, "call", &arguments, &result, &error),
                         SCRIPT_CALL_DONE);
        const char *message = strstr(result.string, calls[i][1]); // after the place
        assert_non_null(message);
        assert_string_equal(message, calls[i][1]);
        script_value_finish(&arguments);
        script_value_finish(&result);
    }
    script_instance_destroy(instance);
    write_file("scripts/characters/y.lua", "tweed.on('log', print)\nreturn {}\n");
    assert_null(script_character_load(fixture->host, "characters/y", &fixture->findings));
    assert_findings(&fixture->findings,
                    "scripts/characters/y.lua:1: error: tweed.on works in callbacks, not while the file is "
                    "loaded\n");
}

// Events between two ticks are limited; the next tick reports how many were dropped.
static void test_events_are_bounded(void **state) {
    Fixture *fixture = *state;
    ScriptInstance *instance = make(fixture, "on_spawn = function(self)\n"
                                             "  self.count = 0\n"
                                             "  tweed.on('log', function() self.count = self.count + 1 end)\n"
                                             "  self:run(function() tweed.wait(0) print(self.count) end)\n"
                                             "end");
    for (int i = 0; i < 1030; i++) tell(fixture, "log", i);
    fixture_tick(fixture, instance, 1);
    assert_log(fixture,
               "warning scripts -: 6 events for scripts were dropped: more than 1024 between two ticks\n"
               "info characters/x alan: 1024\n");
    script_instance_destroy(instance);
}

// Requests
// ---------------------------------------------------------------------------------------------------------

static char asked[256];
static uint64_t last_token;

static ScriptRequestStatus note_request(void *context, const char *method, const ScriptValue *params,
                                        uint64_t token, ScriptValue *out_result,
                                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    (void)context;
    append(asked, sizeof asked, "%s %zu %d\n", method, params->count, token != 0);
    last_token = token;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "not so");
    if (strcmp(method, "later") == 0) return SCRIPT_REQUEST_LATER;
    if (strcmp(method, "refused") == 0) return SCRIPT_REQUEST_REFUSED;
    *out_result = script_value_number(5);
    return SCRIPT_REQUEST_DONE;
}

static void test_requests(void **state) {
    Fixture *fixture = *state;
    ScriptHostDef def = host_def(fixture);
    def.callbacks.request = note_request;
    fixture->host = script_host_create(&def, &fixture->findings);
    asked[0] = '\0';
    ScriptInstance *instance = make(fixture, "on_spawn = function(self)\n"
                                             "  print(tweed.request('now', { a = 1, b = 2 }))\n"
                                             "  print(select('#', tweed.request('later')))\n"
                                             "  print(pcall(tweed.request, 'refused'))\n"
                                             "  self:run(function()\n"
                                             "    print(tweed.request('later').n)\n"
                                             "    print(pcall(tweed.request, 'later'))\n"
                                             "  end)\n"
                                             "end");
    assert_string_equal(asked, "now 2 0\nlater 0 0\nrefused 0 0\nlater 0 1\n");
    assert_log(fixture, "info characters/x alan: 5\ninfo characters/x alan: 0\n"
                        "info characters/x alan: false\trefused: not so\n");
    ScriptValue answer = script_value_table(), message;
    script_value_set(&answer, "n", script_value_number(3));
    script_host_complete_request(fixture->host, last_token + 1, true,
                                 script_value_number(0)); // somebody else's
    script_host_complete_request(fixture->host, last_token, true, answer);
    fixture_tick(fixture, instance, 1);
    assert_log(fixture, "info characters/x alan: 3\n");
    assert_true(script_value_string(&message, "it failed", 9));
    script_host_complete_request(fixture->host, last_token, false, message);
    fixture_tick(fixture, instance, 2);
    assert_log(fixture, "info characters/x alan: false\tit failed\n");
    assert_string_equal(fixture->failed, "");
    script_instance_destroy(instance);
}

// Costs
// ------------------------------------------------------------------------------------------------------------

// A character without on_tick costs no Lua, nor does one that only waits.
static void test_idle_scripts_enter_no_lua(void **state) {
    Fixture *fixture = *state;
    ScriptInstance *instance = make(fixture, "on_spawn = function(self)\n"
                                             "  tweed.on('world.changed', function() end)\n"
                                             "  self:run(function() tweed.wait(.5) end)\n"
                                             "  self:run(function() tweed.wait_for('log') end)\n"
                                             "end");
    entries = 0;
    for (int i = 1; i <= 20; i++) fixture_tick(fixture, instance, i);
    assert_int_equal(entries, 0);
    tell(fixture, "world.changed", 1);
    fixture_tick(fixture, instance, 21);
    assert_int_equal(entries, 1);
    fixture_tick(fixture, instance, 30);
    assert_int_equal(entries, 2);
    script_instance_destroy(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_events_come_in_order),
        FIXTURE_TEST(test_waiting_has_an_end),
        FIXTURE_TEST(test_a_listener_that_raises_is_over),
        FIXTURE_TEST(test_another_character_stops_a_listener),
        FIXTURE_TEST(test_a_coroutine_begins_one_of_another_character),
        FIXTURE_TEST(test_mistakes),
        FIXTURE_TEST(test_events_are_bounded),
        FIXTURE_TEST(test_requests),
        FIXTURE_TEST(test_idle_scripts_enter_no_lua),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
