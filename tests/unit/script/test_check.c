// tests/scripts: bad files give exactly the findings that lie beside them, good ones none, and advice is a
// warning.
#include "script/check.h"
#include "script/fixture.h"

#include <glob.h>

// The findings of a file, one a line.
static bool check(const char *path, char *text, size_t size) {
    static const char *const directories[] = {"scripts"};
    const ScriptHostDef def = {.script_directories = directories,
                               .script_directory_count = 1,
                               .script_budget_ns = 1000000000}; // however slow the machine is
    ScriptFindings findings = {0};
    assert_int_equal(script_check(&def, path, &findings), 1);
    findings_text(&findings, text, size);
    const bool fine = findings.error_count == 0;
    script_findings_finish(&findings);
    return fine;
}

// Checks every script of a folder against the expectation beside it. Returns the number of scripts.
static size_t check_folder(const char *pattern, bool fine) {
    static char text[65536];
    glob_t files;
    assert_int_equal(chdir(PROJECT_DIRECTORY), 0);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    size_t wrong = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        char expected_path[256];
        snprintf(expected_path, sizeof expected_path, "%.*s.expected", (int)strlen(path) - 4, path);
        char *expected = read_text(expected_path);
        const bool found_fine = check(path, text, sizeof text);
        if (strcmp(text, expected) != 0 || found_fine != fine) {
            print_error("%s: expected\n%sfound\n%s", path, expected, text);
            wrong++;
        }
        free(expected);
    }
    const size_t count = files.gl_pathc;
    globfree(&files);
    assert_int_equal(wrong, 0);
    return count;
}

static void test_bad(void **state) {
    (void)state;
    assert_true(check_folder("tests/scripts/bad/*.lua", false) >= 40);
}

static void test_advice(void **state) {
    (void)state;
    check_folder("tests/scripts/advice/*.lua", true);
}

static void test_good(void **state) {
    (void)state;
    static char text[65536];
    glob_t files;
    assert_int_equal(chdir(PROJECT_DIRECTORY), 0);
    assert_int_equal(glob("tests/scripts/good/*.lua", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        assert_true(check(files.gl_pathv[i], text, sizeof text));
        assert_string_equal(text, "");
    }
    globfree(&files);
}

static void test_no_such_file(void **state) {
    (void)state;
    char text[256];
    assert_false(check("tests/scripts/none.lua", text, sizeof text));
    assert_string_equal(text, "tests/scripts/none.lua: error: no such file\n");
}

// A mistake in a fabric is reported once, and hides no other findings.
static void test_fabrics_of_the_folder(void **state) {
    (void)state;
    char text[2048];
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/fabrics/b.lua", "return tweed.fabric { name = 'felt', density = -1 }\n");
    write_file("scripts/characters/x.lua",
               "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
               "  garments = {\n    tweed.pendulum { name = 'p', bone = 'Hips', "
               "rest = {0, -.1, 0}, fabric = 'wool' },\n    tweed.pendulum { name = 'q', "
               "bone = 'Hips', rest = {0, -.1, 0}, fabric = 'wol' },\n  },\n}\n");
    assert_false(check("scripts/characters/x.lua", text, sizeof text));
    assert_string_equal(
        text, "scripts/fabrics/b.lua:1: error: density: expected a number of 0.005 to 20 kg/m^2, found -1\n"
              "scripts/characters/x.lua:5: error: garments[2].fabric: no fabric \"wol\"; did you mean "
              "\"wool\"?\n");
    assert_false(check("scripts/fabrics/b.lua", text, sizeof text));
    assert_string_equal(text,
                        "scripts/fabrics/b.lua:1: error: density: expected a number of 0.005 to 20 kg/m^2, "
                        "found -1\n");
    assert_false(check("scripts/fabrics/a.lua", text, sizeof text)); // nothing runs beside a wrong one
}

// The message is that of the asset layer; without assimp it differs.
static void test_imports_are_told_with_their_place(void **state) {
    (void)state;
    char text[4096];
    write_file("x.lua", "return tweed.character {\n  skeleton =\n    tweed.import 'none.bvh',\n  clips = {\n"
                        "    walk = tweed.clip { file = 'none.bvh' },\n  },\n}\n");
    assert_false(check("x.lua", text, sizeof text));
    assert_ptr_equal(strstr(text, "x.lua:3: error: skeleton: "), text);
    assert_non_null(strstr(text, "\nx.lua:5: error: clips.walk.file: "));
}

// A list of numbers that is wrong all through is one mistake.
static void test_a_list_of_wrong_numbers(void **state) {
    (void)state;
    static char text[65536];
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("x.lua",
               "local points = {}\nfor i = 1, 128 * 128 do points[i] = { i } end\n"
               "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n  garments = {\n"
               "    tweed.cloth { name = 'x', fabric = 'wool', rows = 128, columns = 128, attach = 'Hips',\n"
               "      positions = points },\n  },\n}\n");
    assert_false(check("x.lua", text, sizeof text));
    assert_string_equal(text, "x.lua:1: error: garments[1].positions[1]: expected {x, y, z}, each of -100 to "
                              "100 m, found {1}; 16383 more of this list are wrong\n");
}

// A list full of mistakes is reported in part, and quickly.
static void test_many_mistakes(void **state) {
    (void)state;
    static char text[65536];
    write_file("x.lua", "local parts = {}\nfor i = 1, 128 * 128 do parts[i] = { i } end\n"
                        "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
                        "  colliders = parts,\n}\n");
    assert_false(check("x.lua", text, sizeof text));
    assert_non_null(strstr(text, ", found {200}\nx.lua: error: and more that are not listed\n"));
    assert_null(strstr(text, "colliders[201]"));
}

// No advice on objects whose errors are past the end of the list.
static void test_no_advice_past_the_end(void **state) {
    (void)state;
    static char text[65536];
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file(
        "scripts/characters/a.lua",
        "local points, limits = {}, {}\n"
        "for i = 1, 200 do points[i], limits[i] = { i * .01, 0, 0 }, 'x' end\n"
        "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n  garments = {\n"
        "    tweed.cloth { name = 'x', fabric = 'wool', rows = 2, columns = 100, attach = 'Hips',\n"
        "      positions = points },\n"
        "    tweed.chain { name = 'y', fabric = 'wool', bone = 'Hips', points = {{0, 0, 0}, {0, 1, 0}},\n"
        "      max_distance = { top = 1, bottom = 0 } },\n  },\n  seams = limits,\n}\n");
    write_file(
        "scripts/characters/b.lua",
        "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
        "  colliders = { tweed.sphere { name = 'ball', bone = 'Hips', radius = 1 } },\n  garments = {\n"
        "    tweed.cloth { name = 'z', fabric = 'wool', rows = 3, columns = 3, attach = 'Hips' } },\n}\n");
    write_file(
        "x.lua",
        "return tweed.scene { spawn = { { script = 'characters/a' }, { script = 'characters/b' } } }\n");
    assert_false(check("x.lua", text, sizeof text));
    assert_non_null(strstr(text, "warning: and more that are not listed"));
    assert_null(strstr(text, "inside collider"));
}

// A cone that hangs down from its waist falls into folds, a sheet does not.
static void test_bones_too_few_for_the_folds(void **state) {
    (void)state;
    static char text[4096];
    int chosen, chosen_most, all, all_most, end = 0;
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("x.lua",
               "local cone, sheet = {}, {}\nfor row = 0, 7 do\n  for column = 0, 23 do\n"
               "    local angle, out = column / 12 * math.pi, .1 + .07 * row\n"
               "    cone[#cone + 1] = { out * math.sin(angle), 1 - .03 * row, out * math.cos(angle) }\n"
               "    sheet[#sheet + 1] = { .03 * column, 1 - .05 * row, 1 }\n  end\nend\n"
               "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips' }},\n  garments = {\n"
               "    tweed.cloth { name = 'cone', fabric = 'wool', rows = 8, columns = 24, attach = 'Hips',\n"
               "      closed = true, positions = cone, max_distance = { top = 0, bottom = 2 },\n"
               "      bones = { every = 3 } },\n"
               "    tweed.cloth { name = 'sheet', fabric = 'wool', rows = 8, columns = 24, attach = 'Hips',\n"
               "      positions = sheet, bones = { first_column = 2, every = 3 } },\n  },\n}\n");
    assert_true(check("x.lua", text, sizeof text));
    assert_int_equal(
        sscanf(text,
               "x.lua:14: warning: garments[1].bones: every = 3 loses folds: hanging a mesh skinned to these "
               "bones is %d mm (RMS) from the cloth, %d mm at most; with every = 1 %d mm, %d mm at most\n%n",
               &chosen, &chosen_most, &all, &all_most, &end),
        4);
    assert_string_equal(text + end, ""); // none on the sheet
    assert_true(chosen > 4 && chosen > 2 * all && chosen_most > chosen && all_most > all);
}

// A cone of triangles with a bone at every second particle falls into folds between them; with all it has
// none.
static void test_bones_too_few_for_a_general_mesh(void **state) {
    (void)state;
    static char text[4096];
    int bones, particles, rms, most, end = 0;
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file(
        "x.lua",
        "local points, faces = {}, {}\nfor row = 0, 7 do\n  for column = 0, 23 do\n"
        "    local angle, out = column / 12 * math.pi, .1 + .07 * row\n"
        "    points[#points + 1] = { out * math.sin(angle), 1 - .03 * row, out * math.cos(angle) }\n"
        "    local a, b = row * 24 + column + 1, row * 24 + (column + 1) % 24 + 1\n"
        "    if row < 7 then faces[#faces + 1] = { a, a + 24, b + 24 } end\n"
        "    if row < 7 then faces[#faces + 1] = { a, b + 24, b } end\n  end\nend\n"
        "local function cone(name, count)\n  return tweed.cloth {\n"
        "    name = name, fabric = 'wool', attach = 'Hips', general = true, bones = { count = count },\n"
        "    mesh = tweed.mesh { name = name, positions = points, triangles = faces, weights = 'Hips' },\n"
        "    max_distance = { top = 0, bottom = 2 } }\nend\n"
        "return tweed.character {\n  skeleton = tweed.skeleton {{ name = 'Hips', position = { 0, 1, 0 } }},\n"
        "  garments = { cone('few', 30), cone('all') },\n}\n");
    assert_true(check("x.lua", text, sizeof text));
    assert_int_equal(
        sscanf(text,
               "x.lua:%*d: warning: garments[1].bones: %d for %d particles lose folds: hanging a "
               "mesh skinned to these bones is %d mm (RMS) from the cloth, %d mm at most; more "
               "bones, { count = }, or fewer particles lose less\n%n",
               &bones, &particles, &rms, &most, &end),
        4);
    assert_string_equal(text + end, ""); // none on all bones
    assert_true(bones == 30 && particles == 8 * 24 && rms > 4 && most > rms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_no_such_file),
        FIXTURE_TEST(test_fabrics_of_the_folder),
        FIXTURE_TEST(test_a_list_of_wrong_numbers),
        FIXTURE_TEST(test_many_mistakes),
        FIXTURE_TEST(test_bones_too_few_for_the_folds),
        FIXTURE_TEST(test_bones_too_few_for_a_general_mesh),
        FIXTURE_TEST(test_no_advice_past_the_end),
        FIXTURE_TEST(test_imports_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
