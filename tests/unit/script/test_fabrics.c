// Fabrics: found in all folders, based on each other, with unique names.
#include "load/load.h"
#include "presets.h"
#include "script/fixture.h"

#include <math.h>

static void test_found_and_sorted(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/zz.lua", "return tweed.fabric { name = 'denim', density = .43 }\n");
    write_file("scripts/fabrics/wool/fine.lua", "return tweed.fabric { name = 'cashmere', density = .2 }\n");
    write_file("scripts/fabrics/.hidden.lua", "error 'an editor\\'s'\n");
    write_file("scripts/fabrics/notes.txt", "no Lua\n");
    ScriptHost *host = fixture_host(fixture);
    assert_findings(&fixture->findings, "");
    int count;
    const ScriptFabric *fabrics = script_fabrics(host, &count);
    assert_int_equal(count, 2);
    assert_string_equal(fabrics[0].name, "cashmere");
    assert_string_equal(fabrics[0].script, "fabrics/wool/fine");
    assert_string_equal(fabrics[1].name, "denim");
    assert_null(fabrics[1].base);
    assert_true(fabrics[1].values.density == .43f);
    assert_true(fabrics[1].values.shear == sim_default_fabric().shear);
    assert_ptr_equal(script_fabric_find(host, "denim"), &fabrics[1]);
    assert_null(script_fabric_find(host, "silk"));
    assert_string_equal(script_fabric_nearest(host, "denmi").best, "denim");
    assert_null(script_fabric_nearest(host, "rubber").best);
}

static void test_base_comes_first(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua",
               "return tweed.fabric { name = 'soaked', base = 'wet', damping = 1 }\n");
    write_file("scripts/fabrics/b.lua",
               "return tweed.fabric { name = 'wet', base = 'dry', density = .75, edge = { wind = 1.1 } }\n");
    write_file("scripts/fabrics/c.lua",
               "return tweed.fabric { name = 'dry', density = .4, damping = 3, drape = .05,\n"
               "  edge = { wind = 1.8, damping = .5 }, spring = { limit = .3 } }\n");
    ScriptHost *host = fixture_host(fixture);
    assert_findings(&fixture->findings, "");
    const ScriptFabric *soaked = script_fabric_find(host, "soaked");
    assert_string_equal(soaked->base, "wet");
    assert_true(soaked->values.damping == 1.0f);     // its own
    assert_true(soaked->values.density == .75f);     // of its base
    assert_true(soaked->values.edge.wind == 1.1f);   // a group is inherited field by field
    assert_true(soaked->values.edge.damping == .5f); // of its base's base
    assert_true(soaked->values.spring.limit == .3f);
    assert_true(soaked->values.drape == .05f);
}

// An author's folder comes before the shipped one, and its fabrics may be based on shipped ones.
static void test_base_in_another_folder(void **state) {
    Fixture *fixture = *state;
    static const char *const directories[] = {"mine", "scripts"};
    write_file("mine/fabrics/wet.lua", "return tweed.fabric { name = 'wet', base = 'dry', damping = 1 }\n");
    write_file("scripts/fabrics/dry.lua", "return tweed.fabric { name = 'dry', density = .3 }\n");
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    def.script_directory_count = 2;
    fixture->host = script_host_create(&def, &fixture->findings);
    assert_findings(&fixture->findings, "");
    assert_true(script_fabric_find(fixture->host, "wet")->values.density == .3f);
}

static void test_every_field_can_be_given(void **state) {
    Fixture *fixture = *state;
    char text[4096] = "return tweed.fabric { name = 'all'", group[16] = "";
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) { // the table has its groups one behind the other
        if (strcmp(group, fields[i].group) != 0)
            append(text, sizeof text, "%s, %s = {", *group ? "}" : "", fields[i].group);
        else
            append(text, sizeof text, ", ");
        snprintf(group, sizeof group, "%s", fields[i].group);
        append(text, sizeof text, "%s = %.7g", fields[i].name, (double)fields[i].maximum);
    }
    append(text, sizeof text, "} }\n");
    write_file("scripts/fabrics/all.lua", text);
    assert_non_null(fixture_host(fixture));
    const ScriptFabric *fabric = script_fabric_find(fixture->host, "all");
    for (int i = 0; i < count; i++)
        assert_true(sim_fabric_get(&fabric->values, &fields[i]) == fields[i].maximum);
}

// share = g tan(angle) / (c v), of the damping that the fabric has in the end; what is inherited is the
// share.
static void test_trail_makes_a_share(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua",
               "return tweed.fabric { name = 'a', damping = 4, trail = { angle = 30, speed = 5 } }\n");
    write_file("scripts/fabrics/b.lua", "return tweed.fabric { name = 'b', base = 'a', damping = 2 }\n");
    write_file("scripts/fabrics/c.lua",
               "return tweed.fabric { name = 'c', base = 'a', trail = { angle = 20, speed = 5 },\n"
               "  article = { damping = .05 } }\n");
    ScriptHost *host = fixture_host(fixture);
    assert_findings(&fixture->findings, "");
    const double degree = 3.14159265358979323846 / 180.0, article = -60.0 * log(0.95);
    const float a = script_fabric_find(host, "a")->values.world_motion;
    assert_true(a == (float)(tan(30.0 * degree) * 9.81 / (4.0 * 5.0)));
    assert_true(script_fabric_find(host, "b")->values.world_motion == a);
    const SimFabric *c = &script_fabric_find(host, "c")->values;
    assert_true(fabs((double)c->damping / article - 1.0) < 1e-6);
    assert_true(fabs((double)c->world_motion / (tan(20.0 * degree) * 9.81 / (article * 5.0)) - 1.0) < 1e-6);
    assert_true(c->world_angular == -1.0f && c->world_centrifugal == -1.0f);
}

// An angle of 0 gives a share of 0, with damping or without.
static void test_no_trail_is_no_share(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua",
               "return tweed.fabric { name = 'a', trail = { angle = 0, speed = 5 } }\n");
    write_file("scripts/fabrics/b.lua",
               "return tweed.fabric { name = 'b', damping = 0, trail = { angle = 0, speed = 5 } }\n");
    ScriptHost *host = fixture_host(fixture);
    assert_findings(&fixture->findings, "");
    assert_true(script_fabric_find(host, "a")->values.world_motion == 0.0f);
    assert_true(script_fabric_find(host, "b")->values.world_motion == 0.0f);
}

// K = density a^2 (1 - R) / (2 dt^2 R), drape^3 = a^4 (1 - R) / (2 g dt^2 R), R = (1 - k)^n; a factor of 1 is
// as stiff as can be.
static void test_the_articles_factors(void **state) {
    Fixture *fixture = *state;
    write_file(
        "scripts/fabrics/a.lua",
        "return tweed.fabric { name = 'a', density = .3, contact_damping = 7,\n"
        "  article = { iterations = 4, cell = .05, stretch = .9, shear = .5, bend = .2, damping = .05 } }\n");
    write_file("scripts/fabrics/b.lua",
               "return tweed.fabric { name = 'b', base = 'a', article = { stretch = 1, bend = 0 } }\n");
    ScriptHost *host = fixture_host(fixture);
    assert_findings(&fixture->findings, "");
    const SimFabric *a = &script_fabric_find(host, "a")->values, *b = &script_fabric_find(host, "b")->values;
    const double mass = 0.3 * 0.05 * 0.05 * 3600.0 / 2.0;
    const double expected[] = {mass * (1e4 - 1.0), mass * 15.0,
                               cbrt(0.05 * 0.05 * 0.05 * 0.05 * 1800.0 / 9.81 * (1.0 / 0.4096 - 1.0)),
                               -60.0 * log(0.95)};
    const double found[] = {(double)a->stretch, (double)a->shear, (double)a->drape, (double)a->damping};
    for (int i = 0; i < 4; i++) assert_true(fabs(found[i] / expected[i] - 1.0) < 1e-5);
    assert_true(a->contact_damping == 7.0f && a->density == .3f);
    assert_true(b->stretch == 1e6f && b->drape == 0.0f);
    assert_true(b->shear == a->shear && b->damping == a->damping); // those not given are the base's
}

// A fabric exported as values is the same fabric.
static void test_converted_values_come_back(void **state) {
    Fixture *fixture = *state;
    write_file(
        "scripts/fabrics/a.lua",
        "return tweed.fabric { name = 'a', article = { iterations = 2, stretch = .3, shear = .1, bend = .4,\n"
        "  damping = .03 }, trail = { angle = 12, speed = 4 } }\n");
    ScriptHost *host = fixture_host(fixture);
    const SimFabric *made = &script_fabric_find(host, "a")->values;
    char text[1024];
    snprintf(text, sizeof text,
             "return tweed.fabric { name = 'b', stretch = %.9g, shear = %.9g, drape = %.9g, damping = %.9g,\n"
             "  world_motion = %.9g }\n",
             (double)made->stretch, (double)made->shear, (double)made->drape, (double)made->damping,
             (double)made->world_motion);
    const SimFabric before = *made;
    write_file("scripts/fabrics/b.lua", text);
    assert_true(script_fabrics_load_file(host, "scripts/fabrics/b.lua", &fixture->findings));
    assert_memory_equal(&before, &script_fabric_find(host, "b")->values, sizeof before);
}

// The presets of the simulation's tests are the shipped fabrics.
static void test_shipped_ones_are_those_of_the_tests(void **state) {
    Fixture *fixture = *state;
    static const char *const directories[] = {PROJECT_DIRECTORY "/scripts"};
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    fixture->host = script_host_create(&def, &fixture->findings);
    assert_findings(&fixture->findings, "");
    int fabric_count, field_count;
    script_fabrics(fixture->host, &fabric_count);
    assert_int_equal(fabric_count, FIXTURE_PRESETS);
    const SimFabricField *fields = sim_fabric_fields(&field_count);
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        const ScriptFabric *shipped = script_fabric_find(fixture->host, fixture_preset_names[i]);
        const SimFabric expected = fixture_preset(i);
        assert_non_null(shipped);
        for (int k = 0; k < field_count; k++) {
            if (strcmp(fields[k].group, "spring") == 0) continue; // of another solver
            const float found = sim_fabric_get(&shipped->values, &fields[k]);
            if (found != sim_fabric_get(&expected, &fields[k]))
                fail_msg("%s has another %s", shipped->name, fields[k].name);
        }
    }
}

static void test_one_of_a_name(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/fabrics/b.lua", "return tweed.fabric {\n  density = .3,\n  name = 'wool',\n}\n");
    assert_null(fixture_host(fixture));
    assert_findings(&fixture->findings,
                    "scripts/fabrics/b.lua:3: error: name: fabric \"wool\" is already defined in "
                    "scripts/fabrics/a.lua; choose another name (base = \"wool\" starts from its values)\n");
}

// The last directory is tweed's own: the copy is blamed, whichever is loaded first.
static void test_a_copy_of_a_shipped_fabric_is_blamed(void **state) {
    Fixture *fixture = *state;
    static const char *const directories[] = {"mine", "scripts"};
    write_file("mine/fabrics/copy.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    def.script_directory_count = 2;
    assert_null(script_host_create(&def, &fixture->findings));
    assert_findings(
        &fixture->findings,
        "mine/fabrics/copy.lua:1: error: name: fabric \"wool\" is already defined in "
        "scripts/fabrics/wool.lua; choose another name (base = \"wool\" starts from its values)\n");
}

static void test_a_copy_of_a_file_is_the_same_fabric(void **state) {
    Fixture *fixture = *state;
    static const char *const directories[] = {"mine", "scripts"};
    write_file("mine/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    ScriptHostDef def = host_def(fixture);
    def.script_directories = directories;
    def.script_directory_count = 2;
    ScriptHost *host = script_host_create(&def, &fixture->findings);
    assert_findings(&fixture->findings, "");
    assert_non_null(host);
    script_host_destroy(host);
    write_file("mine/fabrics/wool.lua", "return tweed.fabric { name = 'wool', density = .3 }\n");
    assert_null(script_host_create(&def, &fixture->findings));
    assert_findings(
        &fixture->findings,
        "mine/fabrics/wool.lua:1: error: name: fabric \"wool\" is already defined in "
        "scripts/fabrics/wool.lua; choose another name (base = \"wool\" starts from its values)\n");
}

static void test_all_mistakes_at_once(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'a', base = 'b' }\n");
    write_file("scripts/fabrics/b.lua", "return tweed.fabric { name = 'b', base = 'a' }\n");
    write_file("scripts/fabrics/c.lua", "return tweed.fabric { name = 'c', damping = {} }\n");
    write_file("scripts/fabrics/d.lua", "return tweed.fabric { name = 'd' \n");
    write_file("scripts/fabrics/e.lua", "return 5\n");
    write_file("scripts/fabrics/f.lua", "return tweed.fabric { name = 'f', base = 'c' }\n");
    assert_null(fixture_host(fixture));
    assert_findings(
        &fixture->findings,
        "scripts/fabrics/d.lua:2: error: '}' expected (to close '{' at line 1) near <eof>\n"
        "scripts/fabrics/e.lua:1: error: expected the file to return tweed.fabric{...}, found 5\n"
        "scripts/fabrics/c.lua:1: error: damping: expected a number of 0 to 100 1/s, found a table\n"
        "scripts/fabrics/a.lua:1: error: base: the bases of fabric \"b\" lead back to it\n"
        "scripts/fabrics/b.lua:1: error: base: the bases of fabric \"a\" lead back to it\n"
        "scripts/fabrics/f.lua:1: error: base: fabric \"c\" has errors\n");
}

static void test_values_can_be_set(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    ScriptHost *host = fixture_host(fixture);
    SimFabric values = sim_default_fabric();
    values.damping = 9.0f;
    assert_true(script_fabric_set(host, "wool", &values));
    assert_true(script_fabric_find(host, "wool")->values.damping == 9.0f);
    assert_false(script_fabric_set(host, "felt", &values));
}

static void test_scripts_are_listed(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/wool.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/characters/alan.lua", "");
    write_file("scripts/characters/crowd/extra.lua", "");
    write_file("scripts/scenes/wake.lua", "");
    write_file("scripts/garments/jacket.lua", ""); // a helper
    ScriptValue list;
    assert_true(script_host_list(fixture_host(fixture), &list));
    static const char *const names[] = {"characters/alan", "characters/crowd/extra", "fabrics/wool",
                                        "scenes/wake"};
    assert_int_equal(list.count, 4);
    for (size_t i = 0; i < 4; i++) assert_string_equal(list.items[i].string, names[i]);
    script_value_finish(&list);
    assert_int_equal(script_host_memory(fixture->host), 0); // fabrics leave no state behind
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_found_and_sorted),
        FIXTURE_TEST(test_base_comes_first),
        FIXTURE_TEST(test_base_in_another_folder),
        FIXTURE_TEST(test_every_field_can_be_given),
        FIXTURE_TEST(test_trail_makes_a_share),
        FIXTURE_TEST(test_no_trail_is_no_share),
        FIXTURE_TEST(test_the_articles_factors),
        FIXTURE_TEST(test_converted_values_come_back),
        FIXTURE_TEST(test_shipped_ones_are_those_of_the_tests),
        FIXTURE_TEST(test_one_of_a_name),
        FIXTURE_TEST(test_a_copy_of_a_shipped_fabric_is_blamed),
        FIXTURE_TEST(test_a_copy_of_a_file_is_the_same_fabric),
        FIXTURE_TEST(test_all_mistakes_at_once),
        FIXTURE_TEST(test_values_can_be_set),
        FIXTURE_TEST(test_scripts_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
