// The fixture of tests of scripts: a folder, a host, a world, and the application's callbacks.
#include "script/fixture.h"

static bool note_spawn(void *context, const ScriptSpawn *spawn, char out_name[65],
                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static bool note_remove(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static void note_world(void *context);
static void note_log(void *context, TextLogLevel level, const char *script, const char *character,
                     const char *message);
static void note_failed(void *context, const char *script, const char *character, const ScriptError *error);

void write_file(const char *path, const char *text) {
    char folder[256];
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        assert_true(mkdir(folder, 0755) == 0 || errno == EEXIST);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

char *read_text(const char *path) {
    const size_t most = 1 << 18;
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    char *text = calloc(1, most);
    assert_non_null(text);
    assert_true(fread(text, 1, most - 1, file) < most - 1);
    fclose(file);
    return text;
}

int fixture_begin(void **state) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    SimIssue issue;
    const SimWorldDef world = sim_default_world_def();
    strcpy(fixture->folder, "/tmp/test_script_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(chdir(fixture->folder), 0);
    fixture->world = sim_world_create(&world, &issue);
    assert_non_null(fixture->world);
    *state = fixture;
    return 0;
}

ScriptHostDef host_def(Fixture *fixture) {
    static const char *const directories[] = {"scripts"};
    return (ScriptHostDef){
        .world = fixture->world,
        .script_directories = directories,
        .script_directory_count = 1,
        .seed = 7,
        .callbacks = {fixture, note_spawn, note_remove, note_world, note_log, note_failed}};
}

ScriptHost *fixture_host(Fixture *fixture) {
    const ScriptHostDef def = host_def(fixture);
    if (!fixture->host) fixture->host = script_host_create(&def, &fixture->findings);
    return fixture->host;
}

int fixture_end(void **state) {
    Fixture *fixture = *state;
    char command[128];
    script_host_destroy(fixture->host);
    sim_world_destroy(fixture->world);
    script_findings_finish(&fixture->findings);
    snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(system(command), 0);
    free(fixture);
    return 0;
}

ScriptCharacter *fixture_load(Fixture *fixture, const char *script, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "scripts/%s.lua", script);
    if (text) write_file(path, text);
    ScriptCharacter *character = script_character_load(fixture_host(fixture), script, &fixture->findings);
    assert_findings(&fixture->findings, "");
    assert_non_null(character);
    return character;
}

SimCharacterId fixture_place(Fixture *fixture, ScriptCharacter *character, const SimTransform *root) {
    SimIssue issue;
    const SimTransform origin = SIM_TRANSFORM_IDENTITY;
    return sim_character_create(fixture->world, script_character_info(character)->rig, root ? root : &origin,
                                &issue);
}

ScriptInstance *fixture_spawn(ScriptCharacter *character, SimCharacterId id, const char *name,
                              ScriptParams *params) {
    ScriptError error;
    ScriptInstance *instance = script_instance_create(character, id, name, params, &error);
    if (!instance) fail_msg("%s", error.message);
    return instance;
}

void fixture_tick(Fixture *fixture, ScriptInstance *instance, int number) {
    script_host_begin_tick(fixture->host, number * FIXTURE_DT, FIXTURE_DT);
    script_host_deliver_events(fixture->host);
    script_instance_tick(instance);
}

void findings_text(const ScriptFindings *findings, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0; i < findings->count; i++) {
        char *line = script_finding_text(&findings->items[i], true);
        assert_non_null(line);
        append(text, size, "%s\n", line);
        free(line);
    }
}

void assert_findings(const ScriptFindings *findings, const char *expected) {
    char text[16384];
    findings_text(findings, text, sizeof text);
    assert_string_equal(text, expected);
}

const ScriptValue *value_get(const ScriptValue *table, const char *key) {
    assert_int_equal(table->kind, SCRIPT_VALUE_TABLE);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0) return &table->fields[i].value;
    return NULL;
}

void append(char *text, size_t size, const char *format, ...) {
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static bool note_spawn(void *context, const ScriptSpawn *spawn, char out_name[65],
                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    Fixture *fixture = context;
    const float *at = spawn->root_world.position;
    snprintf(out_name, 65, "%s", *spawn->name ? spawn->name : "named");
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "%s", fixture->refusal ? fixture->refusal : "");
    append(fixture->spawned, sizeof fixture->spawned, "%s %s %g %g %g %zu\n", spawn->script, out_name,
           (double)at[0], (double)at[1], (double)at[2], script_params_value(spawn->params)->count);
    return !fixture->refusal;
}

static bool note_remove(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    Fixture *fixture = context;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "%s", fixture->refusal ? fixture->refusal : "");
    append(fixture->spawned, sizeof fixture->spawned, "%s goes\n", name);
    return !fixture->refusal;
}

static void note_world(void *context) {
    ((Fixture *)context)->world_changes++;
}

static void note_log(void *context, TextLogLevel level, const char *script, const char *character,
                     const char *message) {
    static const char *const levels[] = {"error", "warning", "info", "debug"};
    Fixture *fixture = context;
    append(fixture->log, sizeof fixture->log, "%s %s %s: %s\n", levels[level], script,
           character ? character : "-", message);
}

static void note_failed(void *context, const char *script, const char *character, const ScriptError *error) {
    Fixture *fixture = context;
    append(fixture->failed, sizeof fixture->failed, "%s %s: %s\n", script, character, error->message);
}
