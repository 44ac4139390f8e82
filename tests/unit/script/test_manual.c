// The types file and the reference page match the tables and are complete, and their examples run.
#include "api/api.h"
#include "api/class_name.h"
#include "schema/fabric.h"
#include "script/check.h"
#include "script/fixture.h"
#include "script/manual.h"

#define REFERENCE PROJECT_DIRECTORY "/scripts/REFERENCE.md"
#define TYPES     PROJECT_DIRECTORY "/scripts/types/tweed.lua"

enum { MOST_TEXT = 1 << 18 };

// The files beside the scripts
// -------------------------------------------------------------------------------------------------------------

static void assert_written(const char *path, bool (*write)(FILE *file), const char *command) {
    char *expected = read_text(path), *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_true(write(file));
    fclose(file);
    size_t at = 0;
    int line = 1;
    for (; text[at] && text[at] == expected[at]; at++) line += text[at] == '\n';
    if (text[at] != expected[at])
        fail_msg("%s:%d differs: write it anew with `%s > %s`", path, line, command, path);
    free(text);
    free(expected);
}

static void test_files_are_as_they_are_written(void **state) {
    (void)state;
    assert_written(TYPES, script_write_types, "tweed types");
    assert_written(REFERENCE, script_write_reference, "tweed reference");
}

// Everything is told
// -------------------------------------------------------------------------------------------------------------

static void assert_schema_told(const ScriptSchema *schema, const char *owner);

static void assert_field_told(const ScriptSchemaField *field, const char *owner) {
    const bool is_number = field->type == SCRIPT_TYPE_NUMBER || field->type == SCRIPT_TYPE_INTEGER;
    char path[256];
    snprintf(path, sizeof path, "%s.%s", owner, field->key);
    if (!field->help || strlen(field->help) < 8) fail_msg("%s has no sentence", path);
    if (strchr(field->help, '|') || strchr(field->help, '\n')) fail_msg("%s breaks its table", path);
    if (is_number && !(field->minimum < field->maximum)) fail_msg("%s has no range", path);
    if (field->type == SCRIPT_TYPE_FUNCTION || field->type == SCRIPT_TYPE_CUSTOM) {
        if (!field->lua || !field->expects) fail_msg("%s has no type", path);
    }
    const bool is_inside = !field->required && !field->otherwise && is_number && field->number != 0.0;
    if (is_inside && (field->number < field->minimum || field->number > field->maximum))
        fail_msg("the default of %s is not allowed", path);
    const ScriptSchemaField *holder = field->element ? field->element : field;
    for (int i = 0; holder->schemas && holder->schemas[i]; i++)
        if (!holder->schemas[i]->constructor) assert_schema_told(holder->schemas[i], path);
}

static void assert_schema_told(const ScriptSchema *schema, const char *owner) {
    if (schema->first) assert_field_told(schema->first, owner);
    for (const ScriptSchema *part = schema; part; part = part->base)
        for (int i = 0; i < part->field_count; i++) assert_field_told(&part->fields[i], owner);
}

static void assert_parameters_told(const ScriptParameter *parameters, const char *owner) {
    for (; parameters->name; parameters++) {
        if (!parameters->type && !parameters->schema) fail_msg("%s: %s has no type", owner, parameters->name);
        if (parameters->schema) assert_schema_told(parameters->schema, owner);
    }
}

static void assert_functions_told(const ScriptFunction *functions) {
    for (; functions && functions->name; functions++) {
        if (!functions->help || !functions->example) fail_msg("%s is not told", functions->name);
        assert_parameters_told(functions->parameters, functions->name);
        assert_parameters_told(functions->results, functions->name);
    }
}

static void test_everything_is_told(void **state) {
    (void)state;
    int count;
    const ScriptApiPart *parts = script_api(&count);
    ScriptArena arena = {0};
    for (int i = 0; i < count; i++) {
        for (int k = 0; parts[i].schemas[k]; k++) {
            const ScriptSchema *schema = parts[i].schemas[k];
            if (!schema->help || !schema->example) fail_msg("tweed.%s is not told", schema->constructor);
            assert_schema_told(schema, schema->constructor);
        }
        assert_functions_told(parts[i].functions);
        if (!parts[i].object) continue;
        assert_parameters_told(parts[i].object->fields, parts[i].object->name);
        assert_functions_told(parts[i].object->methods);
    }
    assert_schema_told(script_fabric_schema_make(&arena), "fabric");
    script_arena_finish(&arena);
}

// Everything in the tables that scripts see has a heading.
static void test_all_of_tweed_has_a_heading(void **state) {
    Fixture *fixture = *state;
    char *reference = read_text(REFERENCE);
    write_file("scripts/scenes/x.lua",
               "local tweed, names = require 'tweed', {}\n"
               "for name in pairs(tweed) do\n"
               "  if name ~= 'quaternion' then names[#names + 1] = name end\nend\n"
               "for name in pairs(tweed.quaternion) do names[#names + 1] = 'quaternion.' .. name end\n"
               "return tweed.scene { on_start = function()\n"
               "  for _, name in ipairs(names) do print('### tweed.' .. name) end\n"
               "end }\n");
    ScriptError error;
    ScriptScene *scene = script_scene_load(fixture_host(fixture), "scripts/scenes/x.lua", &fixture->findings);
    assert_non_null(scene);
    assert_true(script_scene_start(scene, &error));
    int count = 0;
    for (char *line = strtok(fixture->log, "\n"); line; line = strtok(NULL, "\n"), count++) {
        char heading[128];
        assert_int_equal(sscanf(line, "info %*s -: %127[^\n]", heading), 1);
        strcat(heading, "\n");
        if (!strstr(reference, heading)) fail_msg("%s is not there", heading);
    }
    assert_true(count >= 30);
    script_scene_destroy(scene);
    free(reference);
}

// All links within the page have targets.
static void test_links_lead_to_headings(void **state) {
    (void)state;
    char *reference = read_text(REFERENCE);
    int count = 0;
    for (const char *link = reference; (link = strstr(link, "](#")); link++, count++) {
        char anchor[128], heading[128], found[128];
        assert_int_equal(sscanf(link, "](#%127[^)])", anchor), 1);
        bool leads = false;
        for (const char *line = reference; !leads && (line = strstr(line, "\n### ")); line++) {
            assert_int_equal(sscanf(line, "\n### %127[^\n]", heading), 1);
            size_t length = 0;
            for (const char *c = heading; *c; c++) // as GitHub makes them
                if (*c == ' ')
                    found[length++] = '-';
                else if (!strchr(".:", *c))
                    found[length++] = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
            found[length] = '\0';
            leads = strcmp(anchor, found) == 0;
        }
        if (!leads) fail_msg("#%s leads nowhere", anchor);
    }
    assert_true(count >= 50);
    free(reference);
}

// Examples
// -------------------------------------------------------------------------------------------------------------

typedef struct Example {
    char part[64], heading[64]; // "Colliders", "tweed.capsule"
    char text[2048];
} Example;

enum { MOST_EXAMPLES = 96 };

static int read_examples(Example *examples) {
    FILE *file = fopen(REFERENCE, "r");
    assert_non_null(file);
    char line[2048], part[64] = "", heading[64] = "";
    int count = 0;
    bool inside = false;
    while (fgets(line, sizeof line, file)) {
        if (!inside && strncmp(line, "## ", 3) == 0) sscanf(line, "## %63[^\n]", part);
        if (!inside && strncmp(line, "### ", 4) == 0) sscanf(line, "### %63[^\n]", heading);
        if (strcmp(line, "```lua\n") == 0) {
            assert_true(count < MOST_EXAMPLES);
            inside = true;
            strcpy(examples[count].part, part);
            strcpy(examples[count].heading, heading);
        } else if (strcmp(line, "```\n") == 0) {
            inside = false;
            count++;
        } else if (inside) {
            append(examples[count].text, sizeof examples[count].text, "%s", line);
        }
    }
    fclose(file);
    return count;
}

// Where an example runs: while a character's file loads, in a running world, or as its own file.
typedef enum Place { LOADING, RUNNING, FILE_OF_ITS_OWN, VALUE_OF_A_SCENE } Place;

static Place place_of(const Example *example) {
    static const char *const running[] = {"Characters in the world", "The world", "Tornadoes", "Requests"};
    if (strncmp(example->text, "local tweed = require", 21) == 0) return FILE_OF_ITS_OWN;
    if (strcmp(example->heading, "tweed.wind") == 0) return VALUE_OF_A_SCENE;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (strcmp(example->part, running[i]) == 0) return RUNNING;
    return LOADING;
}

// tweed with its constructors wrapped, so that objects are kept by name.
static const char beginning[] = "local real = require 'tweed'\n"
                                "local made, skeleton, mesh = {}, nil, nil\n"
                                "local tweed = setmetatable({}, { __index = function(_, name)\n"
                                "  local member = real[name]\n"
                                "  if type(member) ~= 'function' then return member end\n"
                                "  return function(...)\n"
                                "    made[name] = made[name] or {}\n"
                                "    made[name][#made[name] + 1] = member(...)\n"
                                "    return made[name][#made[name]]\n"
                                "  end\n"
                                "end })\n"
                                "local function all(...)\n"
                                "  local list = {}\n"
                                "  for _, name in ipairs { ... } do\n"
                                "    for _, one in ipairs(made[name]) do list[#list + 1] = one end\n"
                                "  end\n"
                                "  return list\n"
                                "end\n";

static const char ending[] =
    "tweed = real\n" // what runs has no need of it
    "return real.character {\n"
    "  skeleton = skeleton, clips = { walk = made.clip[1] },\n"
    "  colliders = all('ellipsoid', 'capsule', 'sphere', 'plane'),\n"
    "  driven = all('bone', 'aim', 'position', 'twist'),\n"
    "  garments = all('cloth', 'chain', 'pendulum'), seams = all('seam'), meshes = all('mesh'),\n"
    "  commands = commands,\n}\n";

// One character of all examples: those that construct something run while it loads, the others are commands.
static void write_character(const Example *examples, int count) {
    char *text = calloc(1, MOST_TEXT);
    assert_non_null(text);
    append(text, MOST_TEXT, "%s", beginning);
    for (int i = 0; i < count; i++) {
        if (place_of(&examples[i]) != LOADING) continue;
        const bool is_import = strncmp(examples[i].heading, "tweed.import", 12) == 0; // where there is assimp
        append(text, MOST_TEXT,
               is_import ? "if tweed.has_asset 'BVH/01_01.bvh' then\n%send\n" : "do\n%send\n",
               examples[i].text);
        if (strcmp(examples[i].heading, "tweed.skeleton") == 0)
            append(text, MOST_TEXT, "skeleton = made.skeleton[1]\n");
        if (strcmp(examples[i].heading, "tweed.mesh") == 0) append(text, MOST_TEXT, "mesh = made.mesh[1]\n");
    }
    append(text, MOST_TEXT, "local commands = {}\n");
    for (int i = 0; i < count; i++)
        if (place_of(&examples[i]) == RUNNING)
            append(text, MOST_TEXT,
                   "commands.example_%d = { run = function(self) self:run(function()\n%send) end }\n", i,
                   examples[i].text);
    append(text, MOST_TEXT, "%s", ending);
    write_file("scripts/characters/all.lua", text);
    free(text);
}

// The examples that are files, and a scene's. Returns their paths.
static int write_files(const Example *examples, int count, char paths[][128]) {
    int file_count = 0;
    for (int i = 0; i < count; i++) {
        const char *kind = examples[i].heading + strlen("tweed.");
        char text[4096];
        if (place_of(&examples[i]) == FILE_OF_ITS_OWN) {
            const bool is_character = strcmp(kind, "character") == 0; // by the name that the others call it
            snprintf(paths[file_count], 128, "scripts/%ss/%s.lua", kind, is_character ? "guard" : "example");
            write_file(paths[file_count++], examples[i].text);
        } else if (place_of(&examples[i]) == VALUE_OF_A_SCENE) {
            snprintf(paths[file_count], 128, "scripts/scenes/value_%d.lua", i);
            snprintf(text, sizeof text, "local tweed = require 'tweed'\nreturn tweed.scene { %s = %s}\n",
                     kind, examples[i].text);
            write_file(paths[file_count++], text);
        }
    }
    return file_count;
}

// A server that grants every request.
static ScriptRequestStatus grant(void *context, const char *method, const ScriptValue *params, uint64_t token,
                                 ScriptValue *out_result, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    (void)context, (void)method, (void)params, (void)token, (void)out_message;
    *out_result = script_value_table();
    return SCRIPT_REQUEST_DONE;
}

static ScriptHostDef shipped_too(Fixture *fixture) {
    static const char *const directories[] = {"scripts", PROJECT_DIRECTORY "/scripts"};
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    def.script_directory_count = 2;
    def.callbacks.request = grant;
    return def;
}

static void run_commands(Fixture *fixture, const Example *examples, int count) {
    ScriptCharacter *character = fixture_load(fixture, "characters/all", NULL);
    ScriptInstance *instance = fixture_spawn(character, fixture_place(fixture, character, NULL), "all", NULL);
    ScriptError error;
    int run = 0;
    for (int i = 0; i < count; i++) {
        char command[32];
        ScriptValue result;
        if (place_of(&examples[i]) != RUNNING) continue;
        snprintf(command, sizeof command, "example_%d", i);
        if (script_instance_call(instance, command, NULL, &result, &error) != SCRIPT_CALL_DONE)
            fail_msg("%s: %s", examples[i].heading, error.message);
        script_value_finish(&result);
        if (*fixture->failed) fail_msg("%s: %s", examples[i].heading, fixture->failed);
        run++;
    }
    for (int i = 1; i <= 120; i++) {
        fixture_tick(fixture, instance, i);
        sim_world_step(fixture->world);
    }
    assert_string_equal(fixture->failed, "");
    assert_true(run >= 14);
    script_instance_destroy(instance);
}

static void test_examples_run(void **state) {
    Fixture *fixture = *state;
    Example *examples = calloc(MOST_EXAMPLES, sizeof *examples);
    char paths[MOST_EXAMPLES][128];
    assert_non_null(examples);
    const int count = read_examples(examples);
    assert_true(count >= 40);
    int file_count = write_files(examples, count, paths);
    assert_int_equal(file_count, 4);
    write_character(examples, count);
    strcpy(paths[file_count++], "scripts/characters/all.lua");
    const ScriptHostDef def = shipped_too(fixture);
    for (int i = 0; i < file_count; i++) {
        const char *path = paths[i];
        script_check(&def, path, &fixture->findings);
        assert_findings(&fixture->findings, ""); // no advice either
    }
    fixture->host = script_host_create(&def, &fixture->findings);
    assert_non_null(fixture->host);
    run_commands(fixture, examples, count);
    free(examples);
}

// The shipped helpers
// ---------------------------------------------------------------------------------------------------------

static const char helper_checks[] =
    "local tweed = require 'tweed'\n"
    "local function same(a, b)\n"
    "  if type(a) ~= 'table' then return a == b or type(a) == 'userdata' and type(b) == 'userdata' end\n"
    "  for key in pairs(a) do if not same(a[key], b[key]) then return false end end\n"
    "  for key in pairs(b) do if a[key] == nil then return false end end\n"
    "  return true\nend\n"
    "local function refuses(helper, options, message)\n"
    "  local done, found = pcall(helper, options)\n"
    "  if done or not found:find(message, 1, true) then error(message .. ': ' .. tostring(found)) end\nend\n";

// Appends Lua that checks a helper's defaults and ranges against its table.
static void write_helper_check(const ScriptHelper *helper, char *text) {
    char module[64], range[64];
    const char *garment = strncmp(helper->name, "garments.", 9) == 0 ? "name = 'x', fabric = 'silk', " : "";
    const char *member = strrchr(helper->name, '.');
    snprintf(module, sizeof module, "%s", helper->name);
    const bool is_member = strchr(helper->name, '.') != member;
    if (is_member) module[member - helper->name] = '\0';
    append(text, MOST_TEXT, "do local helper = require '%s'%s\nlocal all = { %s", module,
           is_member ? member : "", garment);
    for (int i = 0; i < helper->options->field_count; i++) {
        const ScriptSchemaField *field = &helper->options->fields[i];
        if (field->minimum < field->maximum)
            append(text, MOST_TEXT, "%s = %.9g, ", field->key, field->number);
    }
    append(text, MOST_TEXT, "}\nassert(same(helper(all), helper { %s}), '%s')\n", garment, helper->name);
    for (int i = 0; i < helper->options->field_count; i++) {
        const ScriptSchemaField *field = &helper->options->fields[i];
        if (field->minimum >= field->maximum || strcmp(field->key, "pose_damping") == 0)
            continue; // the chain's
        script_field_range(field, range, sizeof range);
        for (int side = 0; side < 2; side++)
            append(text, MOST_TEXT,
                   "refuses(helper, { %s%s = %.9g }, '%s: expected a number of %s, found')\n", garment,
                   field->key, side ? field->maximum * 1.001 : field->minimum - 0.001, field->key, range);
    }
    append(text, MOST_TEXT, "end\n");
}

static void test_helpers_are_as_described(void **state) {
    Fixture *fixture = *state;
    char *text = calloc(1, MOST_TEXT);
    int count = 0;
    assert_non_null(text);
    append(text, MOST_TEXT, "%s", helper_checks);
    for (const ScriptHelper *helper = script_helpers; helper->name; helper++) {
        assert_true(strlen(helper->help) > 20 && !strchr(helper->call, '\n'));
        const char *name = helper->name;
        if (!helper->options || strcmp(name, "garments.tailor.round") == 0 ||
            strcmp(name, "rigs.humanoid") == 0 || strcmp(name, "garments.jacket_upper") == 0 ||
            strcmp(name, "garments.bodysuit") == 0) // it takes a mesh
            continue;
        write_helper_check(helper, text);
        count++;
    }
    assert_int_equal(count, 11);
    append(text, MOST_TEXT, "return tweed.scene {}\n");
    write_file("x.lua", text);
    free(text);
    const ScriptHostDef def = shipped_too(fixture);
    const char *path = "x.lua";
    script_check(&def, path, &fixture->findings);
    assert_findings(&fixture->findings, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_as_they_are_written),
        cmocka_unit_test(test_everything_is_told),
        FIXTURE_TEST(test_all_of_tweed_has_a_heading),
        cmocka_unit_test(test_links_lead_to_headings),
        FIXTURE_TEST(test_examples_run),
        FIXTURE_TEST(test_helpers_are_as_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
