// Fabrics: found in every folder, built on each other, one of a name.
#include "script_fixture.h"

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
    assert_string_equal(script_fabric_nearest(host, "denmi"), "denim");
    assert_null(script_fabric_nearest(host, "rubber"));
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
        append(text, sizeof text, "%s = %.9g", fields[i].name, (double)fields[i].maximum);
    }
    append(text, sizeof text, "} }\n");
    write_file("scripts/fabrics/all.lua", text);
    assert_non_null(fixture_host(fixture));
    const ScriptFabric *fabric = script_fabric_find(fixture->host, "all");
    for (int i = 0; i < count; i++)
        assert_true(sim_fabric_get(&fabric->values, &fields[i]) == fields[i].maximum);
}

static void test_one_of_a_name(void **state) {
    Fixture *fixture = *state;
    write_file("scripts/fabrics/a.lua", "return tweed.fabric { name = 'wool' }\n");
    write_file("scripts/fabrics/b.lua", "return tweed.fabric {\n  density = .3,\n  name = 'wool',\n}\n");
    assert_null(fixture_host(fixture));
    assert_findings(&fixture->findings,
                    "scripts/fabrics/b.lua:3: error: name: fabric \"wool\" is already defined in "
                    "scripts/fabrics/a.lua\n");
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
        "scripts/fabrics/a.lua:1: error: base: \"b\" leads to no fabric without a base: it builds on itself\n"
        "scripts/fabrics/b.lua:1: error: base: \"a\" leads to no fabric without a base: it builds on itself\n"
        "scripts/fabrics/f.lua:1: error: base: fabric \"c\" has mistakes of its own\n");
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

#define TEST(test) cmocka_unit_test_setup_teardown(test, fixture_begin, fixture_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_found_and_sorted),   TEST(test_base_comes_first),     TEST(test_every_field_can_be_given),
        TEST(test_one_of_a_name),      TEST(test_all_mistakes_at_once), TEST(test_values_can_be_set),
        TEST(test_scripts_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
