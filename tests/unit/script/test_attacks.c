// tests/scripts/attacks: each is stopped or refused as its second line says, and other scripts continue.
#include "host/host.h"
#include "sanitized.h"
#include "script/fixture.h"

#include <glob.h>
#include <inttypes.h>
#include <time.h>

#define BUDGET_MS    20
#define MOST_TICKS   600
#define MOST_ATTACKS 300
#define FOLDER       "tests/scripts/attacks"

typedef struct Attack {
    char script[64]; // its name
    char status[16], expected[128];
    int instances, rate, lines, budget_ms;
} Attack;

typedef struct Outcome {
    char suspended[1024], failed[4096], refused[65536];
    int suspended_count, lines;
    double worst_s; // of processor time in a tick
} Outcome;

// What happens
// ---------------------------------------------------------------------------------------------------------

static void on_suspended(void *context, const char *script, const char *character, const ScriptError *error) {
    Outcome *outcome = context;
    append(outcome->suspended, sizeof outcome->suspended, "%s %s: %s\n", script, character, error->message);
    outcome->suspended_count++;
}

static void on_failed(void *context, const char *script, const char *character, const ScriptError *error) {
    Outcome *outcome = context;
    append(outcome->failed, sizeof outcome->failed, "%s %s: %s\n", script, character, error->message);
}

static void on_log(void *context, TextLogLevel level, const char *script, const char *character,
                   const char *message) {
    (void)level, (void)script, (void)character, (void)message;
    ((Outcome *)context)->lines++;
}

static double processor_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Reading
// ----------------------------------------------------------------------------------------------------------

// How many times slower the tests run under valgrind, and with sanitizers.
static int slowness(void) {
    const char *given = getenv("TWEED_SLOWNESS");
    return given ? atoi(given) : SANITIZED ? 3 : 1;
}

static Attack read_attack(const char *path) {
    Attack attack = {.instances = 1, .rate = 60, .lines = -1, .budget_ms = BUDGET_MS};
    char line[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const char *name = strrchr(path, '/') + 1;
    snprintf(attack.script, sizeof attack.script, "%.*s", (int)strlen(name) - 4, name);
    while (fgets(line, sizeof line, file) && strncmp(line, "-- ", 3) == 0) {
        line[strcspn(line, "\n")] = '\0';
        sscanf(line, "-- expect: %15[a-z]: %127[^\n]", attack.status, attack.expected);
        sscanf(line, "-- instances: %d", &attack.instances);
        sscanf(line, "-- rate: %d", &attack.rate);
        sscanf(line, "-- budget: %d", &attack.budget_ms);
        sscanf(line, "-- lines: %d", &attack.lines);
    }
    fclose(file);
    attack.budget_ms *= slowness();
    if (!*attack.status) fail_msg("%s: expected to find -- expect: ...", path);
    return attack;
}

// Attacking
// --------------------------------------------------------------------------------------------------------

static ScriptHost *begin(SimWorld *world, const Attack *attack, Outcome *outcome) {
    static const char *const directories[] = {FOLDER};
    const ScriptHostDef def = {
        .world = world,
        .script_directories = directories,
        .script_directory_count = 1,
        .script_memory = (size_t)24 << 20, // soon used up
        .script_budget_ns = (uint64_t)attack->budget_ms * 1000000,
        .callbacks = {.context = outcome, .log = on_log, .failed = on_failed, .suspended = on_suspended}};
    ScriptFindings findings = {0};
    ScriptHost *host = script_host_create(&def, &findings);
    assert_non_null(host);
    script_findings_finish(&findings);
    return host;
}

static ScriptInstance *spawn(SimWorld *world, ScriptCharacter *character, int number) {
    SimIssue issue;
    ScriptError error;
    char name[32];
    const SimTransform origin = SIM_TRANSFORM_IDENTITY;
    snprintf(name, sizeof name, "%s_%d", "one", number);
    const SimCharacterId id =
        sim_character_create(world, script_character_info(character)->rig, &origin, &issue);
    ScriptInstance *instance = script_instance_create(character, id, name, NULL, &error);
    if (!instance) fail_msg("%s", error.message);
    return instance;
}

// The result of a command, or its error.
static void ask(ScriptInstance *instance, const char *command, char *answer, size_t size) {
    ScriptValue result;
    ScriptError error;
    if (script_instance_call(instance, command, NULL, &result, &error) == SCRIPT_CALL_DONE)
        snprintf(answer, size, "%s%.0f", result.kind == SCRIPT_VALUE_STRING ? result.string : "",
                 result.kind == SCRIPT_VALUE_NUMBER ? result.number : 0.0);
    else
        snprintf(answer, size, "%s", error.message);
    script_value_finish(&result);
    script_error_finish(&error);
}

// Ticks until the outcome, and a few more: nothing is reported twice.
static void run(ScriptHost *host, const Attack *attack, ScriptInstance *const *instances,
                ScriptInstance *bystander, Outcome *outcome) {
    int ticks = 0, more = 3;
    while (ticks < MOST_TICKS && more > 0) {
        if (outcome->suspended_count || outcome->failed[0] || strcmp(attack->status, "harmless") == 0) more--;
        script_host_begin_tick(host, ++ticks / (double)attack->rate, 1.0 / attack->rate);
        script_host_deliver_events(host);
        const double begun_s = processor_s();
        for (int i = 0; i < attack->instances; i++) script_instance_tick(instances[i]);
        const double used_s = processor_s() - begun_s;
        script_instance_tick(bystander);
        if (used_s > outcome->worst_s) outcome->worst_s = used_s;
    }
}

static void check_character(ScriptHost *host, SimWorld *world, const Attack *attack,
                            ScriptCharacter *character, Outcome *outcome) {
    ScriptInstance *instances[200];
    ScriptFindings findings = {0};
    char answer[1024], expected[64];
    ScriptInstance *bystander =
        spawn(world, script_character_load(host, "helpers/bystander", &findings), attack->instances);
    for (int i = 0; i < attack->instances; i++) instances[i] = spawn(world, character, i);
    script_host_started(host);
    const uint64_t first_pass = host->pass;
    run(host, attack, instances, bystander, outcome);
    ask(bystander, "count", answer, sizeof answer);
    // While the time of all scripts is used up, its turn is not over, and the next pass does not begin.
    snprintf(expected, sizeof expected, "%" PRIu64, host->pass - first_pass - (host->is_pass_cut ? 1 : 0));
    assert_string_equal(answer, expected);
    ask(instances[0], "greet", answer, sizeof answer);
    if (outcome->suspended_count) {
        assert_int_equal(script_character_memory(character), 0);
        assert_non_null(strstr(answer, "suspended until it is reloaded: "));
    } else {
        assert_string_equal(answer, "still here0");
    }
    for (int i = 0; i < attack->instances; i++) script_instance_destroy(instances[i]);
    script_instance_destroy(bystander);
    script_findings_finish(&findings);
}

static void run_attack(const Attack *attack, Outcome *outcome) {
    SimIssue issue;
    const SimWorldDef def = sim_default_world_def();
    SimWorld *world = sim_world_create(&def, &issue);
    ScriptHost *host = begin(world, attack, outcome);
    ScriptFindings findings = {0};
    ScriptCharacter *character = script_character_load(host, attack->script, &findings);
    if (character) check_character(host, world, attack, character, outcome);
    findings_text(&findings, outcome->refused, sizeof outcome->refused);
    script_findings_finish(&findings);
    script_host_destroy(host);
    sim_world_destroy(world);
}

// The failure, or NULL.
static const char *judge(const Attack *attack, const Outcome *outcome) {
    const bool suspends = strcmp(attack->status, "suspended") == 0,
               fails = strcmp(attack->status, "error") == 0;
    const char *told = suspends ? outcome->suspended : fails ? outcome->failed : outcome->refused;
    if (outcome->suspended_count != (suspends ? 1 : 0)) return "suspended it otherwise than once";
    if (!fails && outcome->failed[0]) return "told of a failure";
    if (fails != (outcome->failed[0] != '\0')) return "told of no failure";
    if (!strstr(told, attack->expected)) return "said something else";
    if (attack->lines >= 0 && outcome->lines != attack->lines) return "let other lines through";
    return NULL;
}

static void test_attacks(void **state) {
    (void)state;
    glob_t files;
    int wrong = 0;
    double worst_s = 0.0;
    char worst[64] = "";
    assert_int_equal(chdir(PROJECT_DIRECTORY), 0);
    assert_int_equal(glob(FOLDER "/*.lua", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const Attack attack = read_attack(files.gl_pathv[i]);
        static Outcome outcome; // large
        outcome = (Outcome){0};
        run_attack(&attack, &outcome);
        const char *complaint = judge(&attack, &outcome);
        if (complaint) {
            print_error("%s: expected %s: %s; it %s\n%s%s%s\n%d lines\n", attack.script, attack.status,
                        attack.expected, complaint, outcome.suspended, outcome.failed, outcome.refused,
                        outcome.lines);
            wrong++;
        }
        if (attack.budget_ms == BUDGET_MS * slowness() && outcome.worst_s > worst_s) {
            snprintf(worst, sizeof worst, "%s", attack.script);
            worst_s = outcome.worst_s;
        }
        if (getenv("ATTACKS_VERBOSE")) print_message("%6.1f ms %s\n", 1e3 * outcome.worst_s, attack.script);
    }
    print_message("the worst tick took %.1f ms of processor time of a budget of %d ms (%s)\n", 1e3 * worst_s,
                  BUDGET_MS, worst);
    assert_true(files.gl_pathc >= 40 && files.gl_pathc <= MOST_ATTACKS);
    globfree(&files);
    assert_int_equal(wrong, 0);
    assert_true(worst_s < 1.0 * slowness()); // most of it is the machine's: there it is 150 ms at most
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
