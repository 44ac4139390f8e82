// What scripts may take together: time in a tick, time of many ticks, memory. Measured in processor time, as
// the limits are, and relative to what a script takes on this machine.
#include "script/fixture.h"

#include <math.h>
#include <time.h>

#define MOST_SCRIPTS 20

typedef struct Crowd {
    Fixture *fixture;
    ScriptHost *host;
    ScriptInstance *instances[MOST_SCRIPTS];
    int count, tick;
    double dt;      // s
    double worst_s; // of processor time in a tick
} Crowd;

static char suspended[8192]; // "script: message" a line
static int suspended_count;

static void on_suspended(void *context, const char *script, const char *character, const ScriptError *error) {
    (void)context, (void)character;
    append(suspended, sizeof suspended, "%s: %s\n", script, error->message);
    suspended_count++;
}

static double processor_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The fixture's host, with these limits.
static Crowd begin(Fixture *fixture, uint64_t budget_ns, size_t total_memory) {
    ScriptHostDef def = host_def(fixture);
    def.callbacks.suspended = on_suspended;
    def.script_budget_ns = budget_ns;
    def.total_memory = total_memory;
    fixture->host = script_host_create(&def, &fixture->findings);
    assert_non_null(fixture->host);
    suspended[0] = '\0';
    suspended_count = 0;
    return (Crowd){.fixture = fixture, .host = fixture->host, .dt = FIXTURE_DT};
}

// A script of its own, "characters/nN".
static ScriptInstance *add(Crowd *crowd, const char *callbacks) {
    char script[32], text[1024];
    snprintf(script, sizeof script, "characters/n%d", crowd->count);
    snprintf(text, sizeof text,
             "local tweed = require \"tweed\"\n"
             "return tweed.character { skeleton = tweed.skeleton { { name = \"root\" } },\n%s}\n",
             callbacks);
    ScriptCharacter *character = fixture_load(crowd->fixture, script, text);
    ScriptInstance *instance =
        fixture_spawn(character, fixture_place(crowd->fixture, character, NULL), script, NULL);
    crowd->instances[crowd->count++] = instance;
    return instance;
}

// Returns the processor time that the scripts took, s.
static double tick(Crowd *crowd) {
    script_host_begin_tick(crowd->host, ++crowd->tick * crowd->dt, crowd->dt);
    const double begun_s = processor_s();
    script_host_deliver_events(crowd->host);
    for (int i = 0; i < crowd->count; i++) script_instance_tick(crowd->instances[i]);
    const double used_s = processor_s() - begun_s;
    if (used_s > crowd->worst_s) crowd->worst_s = used_s;
    return used_s;
}

static double call(ScriptInstance *instance, const char *command, const ScriptValue *arguments) {
    ScriptValue result;
    ScriptError error;
    if (script_instance_call(instance, command, arguments, &result, &error) != SCRIPT_CALL_DONE)
        fail_msg("%s", error.message);
    const double number = result.kind == SCRIPT_VALUE_NUMBER ? result.number : 0.0;
    script_value_finish(&result);
    return number;
}

static void end(Crowd *crowd) {
    for (int i = 0; i < crowd->count; i++) script_instance_destroy(crowd->instances[i]);
}

#define BURNS "on_tick = function() for _ = 1, 200000 do end end,\n"

// Each takes three tenths of a tick, or up to half on a busy machine; and two take more than half.
static void many_that_take_little_each(void **state) {
    Crowd alone = begin(*state, UINT64_C(1000000000), 0);
    add(&alone, BURNS);
    script_host_started(alone.host);
    double least_s = 1.0;
    for (int i = 0; i < 5; i++) least_s = fmin(least_s, tick(&alone));
    end(&alone);
    script_host_destroy(alone.host);

    const double dt = least_s / 0.3;
    Crowd crowd = begin(*state, (uint64_t)(3e9 * dt), 0);
    crowd.dt = dt;
    for (int i = 0; i < MOST_SCRIPTS; i++) add(&crowd, BURNS);
    script_host_started(crowd.host);
    for (int i = 0; i < 180; i++) tick(&crowd);
    double last_s = 0.0;
    for (int i = 0; i < 30; i++) last_s += tick(&crowd);
    print_message("%d of %d suspended; ticks take %.2f of their time, the worst %.1f\n", suspended_count,
                  MOST_SCRIPTS, last_s / 30.0 / dt, crowd.worst_s / dt);
    assert_true(suspended_count >= MOST_SCRIPTS - 2 && suspended_count < MOST_SCRIPTS);
    assert_non_null(strstr(suspended,
                           "stopped: all scripts together take more than half of the time of 60 ticks, "
                           "and it takes the most of it"));
    assert_true(last_s / 30.0 < dt);
    assert_true(crowd.worst_s < 6.0 * dt); // budget, half a tick, and one more
    end(&crowd);
}

static void many_that_never_end(void **state) {
    const double budget_s = 5e-3;
    Crowd crowd = begin(*state, (uint64_t)(1e9 * budget_s), 0);
    crowd.dt = 5e-3;
    for (int i = 0; i < 12; i++) add(&crowd, "on_tick = function() while true do end end,\n");
    ScriptInstance *bystander =
        add(&crowd, "on_spawn = function(self) self.n = 0 end,\n"
                    "on_tick = function(self) self.n = self.n + 1 end,\n"
                    "commands = { count = { run = function(self) return self.n end } },\n");
    script_host_started(crowd.host);
    int ticks = 0;
    while (suspended_count < 12 && ticks++ < 100) tick(&crowd);
    print_message("suspended in %d ticks, of which the worst took %.1f ms at a budget of %.0f ms\n", ticks,
                  1e3 * crowd.worst_s, 1e3 * budget_s);
    assert_int_equal(suspended_count, 12);
    assert_true(ticks >= 6);
    assert_true(crowd.worst_s < 6.0 * budget_s); // all together would take 12
    const double before = call(bystander, "count", NULL);
    for (int i = 0; i < 10; i++) tick(&crowd);
    assert_true(call(bystander, "count", NULL) == before + 10.0);
    end(&crowd);
}

// A pass that was cut goes on with the same events, which each instance gets once.
static void events_reach_everyone_once(void **state) {
    Crowd crowd = begin(*state, UINT64_C(5000000), 0);
    crowd.dt = 5e-3;
    for (int i = 0; i < 3; i++)
        add(&crowd,
            "on_spawn = function() tweed.on('script.loaded', function() while true do end end) end,\n");
    ScriptInstance *last =
        add(&crowd,
            "on_spawn = function(self) self.n = 0 tweed.on('script.loaded', function() self.n = self.n + 1 "
            "end) end,\ncommands = { count = { run = function(self) return self.n end } },\n");
    script_host_started(crowd.host);
    tick(&crowd);
    script_host_queue_event(crowd.host, "script.loaded", script_value_table());
    for (int i = 0; i < 10; i++) tick(&crowd);
    assert_int_equal(suspended_count, 3);
    assert_true(call(last, "count", NULL) == 1.0);
    end(&crowd);
}

static void memory_of_all(void **state) {
    Crowd crowd = begin(*state, UINT64_C(1000000000), (size_t)8 << 20);
    static const int mib[] = {1, 2, 6};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "on_spawn = function(self) self.kept = {} end,\n"
                 "commands = { hold = { run = function(self)\n"
                 "  for i = 1, %d do self.kept[i] = ('x'):rep(1000000) .. i end\n"
                 "  return #self.kept\nend } },\n",
                 mib[i]);
        add(&crowd, text);
    }
    script_host_started(crowd.host);
    tick(&crowd);
    assert_true(call(crowd.instances[2], "hold", NULL) == 6.0);
    assert_int_equal(suspended_count, 0);
    assert_true(call(crowd.instances[0], "hold", NULL) == 1.0);
    assert_true(call(crowd.instances[1], "hold", NULL) == 2.0); // done, and now it is too much
    assert_int_equal(suspended_count, 1);
    assert_non_null(strstr(suspended, "characters/n2: "));
    assert_non_null(
        strstr(suspended, "stopped: all scripts together may have 8 MiB, and of these it has the most, "));
    assert_true(script_host_memory(crowd.host) < (size_t)8 << 20);
    assert_true(call(crowd.instances[1], "hold", NULL) == 2.0);
    end(&crowd);
}

// A result of eight times as many keys takes eight times as long, not 64 times.
static void large_tables_take_linear_time(void **state) {
    Crowd crowd = begin(*state, UINT64_C(1000000000), 0);
    ScriptInstance *instance =
        add(&crowd,
            "commands = { keys = { run = function(_, a)\n"
            "  local t = {} for i = 1, a.n do t['a common beginning of a key ' .. i] = true end return t\n"
            "end } },\n");
    script_host_started(crowd.host);
    double least_s[2] = {1.0, 1.0};
    for (int i = 0; i < 10; i++) {
        ScriptValue arguments = script_value_table();
        script_value_set(&arguments, "n", script_value_number(i % 2 ? 8000 : 1000));
        const double begun_s = processor_s();
        call(instance, "keys", &arguments);
        least_s[i % 2] = fmin(least_s[i % 2], processor_s() - begun_s);
        script_value_finish(&arguments);
        tick(&crowd);
    }
    print_message("1000 keys take %.2f ms, 8000 %.2f ms\n", 1e3 * least_s[0], 1e3 * least_s[1]);
    assert_true(least_s[1] < 24.0 * least_s[0]);
    end(&crowd);
}

static void a_result_has_so_much_text(void **state) {
    Crowd crowd = begin(*state, 0, 0);
    ScriptInstance *instance = add(
        &crowd,
        "commands = { large = { run = function() return { ('x'):rep(200000), ('y'):rep(100000) } end } },\n");
    ScriptValue result;
    ScriptError error;
    assert_int_equal(script_instance_call(instance, "large", NULL, &result, &error), SCRIPT_CALL_FAILED);
    assert_non_null(strstr(error.message, "result[2]: expected at most 256 KiB of text in all, found"));
    script_error_finish(&error);
    end(&crowd);
}

// What the options of a call take is freed in time, though Lua sees little of it beside the script's own
// data.
static void calls_leave_no_garbage(void **state) {
    Crowd crowd = begin(*state, UINT64_C(1000000000), 0);
    ScriptInstance *instance =
        add(&crowd, "on_spawn = function(self)\n"
                    "  self.data, self.ticks = {}, 0\n"
                    "  for i = 1, 300000 do self.data[i] = i end\n"
                    "end,\n"
                    "on_tick = function(self)\n"
                    "  for i = 1, 20 do self:move { position = { i, 0, 0 } } end\n"
                    "  self.ticks = self.ticks + 1\n"
                    "end,\n"
                    "commands = { ticks = { run = function(self) return self.ticks end } },\n");
    script_host_started(crowd.host);
    for (int i = 0; i < 1200; i++) tick(&crowd);
    assert_string_equal(suspended, "");
    assert_true(call(instance, "ticks", NULL) == 1200.0);
    end(&crowd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(many_that_take_little_each),    FIXTURE_TEST(many_that_never_end),
        FIXTURE_TEST(events_reach_everyone_once),    FIXTURE_TEST(memory_of_all),
        FIXTURE_TEST(large_tables_take_linear_time), FIXTURE_TEST(a_result_has_so_much_text),
        FIXTURE_TEST(calls_leave_no_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
