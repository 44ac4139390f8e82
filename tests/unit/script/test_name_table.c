// Names in use: found, freed, and numbered when taken, whatever their hashes.
#include "unit_test.h"

#include <script/name_table.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 3000 };

typedef char Text[SCRIPT_NAME_SIZE];

static void test_names_have_owners(void **state) {
    (void)state;
    ScriptNameTable table = {0};
    int one, two;
    assert_false(script_name_table_has(&table, "alan"));
    assert_null(script_name_table_owner(&table, "alan"));
    script_name_table_remove(&table, "alan");
    assert_true(script_name_table_put(&table, "alan", NULL)); // reserved
    assert_true(script_name_table_has(&table, "alan"));
    assert_null(script_name_table_owner(&table, "alan"));
    assert_true(script_name_table_put(&table, "alan", &one));
    assert_true(script_name_table_put(&table, "alice", &two));
    assert_ptr_equal(script_name_table_owner(&table, "alan"), &one);
    assert_ptr_equal(script_name_table_owner(&table, "alice"), &two);
    assert_false(script_name_table_has(&table, "al"));
    assert_int_equal(table.count, 2);
    script_name_table_finish(&table);
}

static void test_a_name_outlives_the_text_it_was_put_with(void **state) {
    (void)state;
    ScriptNameTable table = {0};
    int claim, character;
    Text text = "alan";
    assert_true(script_name_table_put(&table, text, &claim));
    strcpy(text, "barry");
    assert_true(script_name_table_put(&table, "alan", &character));
    assert_int_equal(table.count, 1);
    assert_ptr_equal(script_name_table_owner(&table, "alan"), &character);
    assert_false(script_name_table_has(&table, "barry"));
    script_name_table_remove(&table, "alan");
    assert_int_equal(table.count, 0);
    script_name_table_finish(&table);
}

static void expect_free_name(const ScriptNameTable *table, const char *wanted, const char *expected) {
    Text name;
    script_name_table_free_name(table, wanted, name);
    assert_string_equal(name, expected);
}

static void test_taken_names_get_the_least_free_number(void **state) {
    (void)state;
    ScriptNameTable table = {0};
    static Text names[MANY];
    expect_free_name(&table, "wake", "wake");
    for (int i = 0; i < MANY; i++) {
        script_name_table_free_name(&table, "wake", names[i]);
        assert_true(script_name_table_put(&table, names[i], NULL));
    }
    assert_string_equal(names[0], "wake");
    assert_string_equal(names[1], "wake_2");
    assert_string_equal(names[MANY - 1], "wake_3000");
    expect_free_name(&table, "wake", "wake_3001");
    expect_free_name(&table, "wake", "wake_3001"); // asking takes nothing
    script_name_table_remove(&table, "wake_77");
    script_name_table_remove(&table, "wake_5");
    expect_free_name(&table, "wake", "wake_5");
    assert_true(script_name_table_put(&table, "wake_5", NULL));
    expect_free_name(&table, "wake", "wake_77");
    expect_free_name(&table, "wake_2", "wake_2_2");
    script_name_table_finish(&table);
}

static void test_a_number_fits_behind_the_longest_name(void **state) {
    (void)state;
    ScriptNameTable table = {0};
    Text longest, expected;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    snprintf(expected, sizeof expected, "%.53s_2", longest);
    assert_true(script_name_table_put(&table, longest, NULL));
    expect_free_name(&table, longest, expected);
    memcpy(longest + 52, "é", 2); // the name is cut between two characters
    snprintf(expected, sizeof expected, "%.52s_2", longest);
    assert_true(script_name_table_put(&table, longest, NULL));
    expect_free_name(&table, longest, expected);
    script_name_table_finish(&table);
}

// Every third name is removed; the others are still found after probing.
static void test_removal_leaves_the_others(void **state) {
    (void)state;
    ScriptNameTable table = {0};
    static Text names[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        assert_true(script_name_table_put(&table, names[i], names[i]));
    }
    for (int i = 0; i < MANY; i += 3) script_name_table_remove(&table, names[i]);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(script_name_table_owner(&table, names[i]), i % 3 == 0 ? NULL : names[i]);
    assert_int_equal(table.count, MANY - MANY / 3);
    for (int i = 0; i < MANY; i++) script_name_table_remove(&table, names[i]);
    assert_int_equal(table.count, 0);
    script_name_table_finish(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_have_owners),
        cmocka_unit_test(test_a_name_outlives_the_text_it_was_put_with),
        cmocka_unit_test(test_taken_names_get_the_least_free_number),
        cmocka_unit_test(test_a_number_fits_behind_the_longest_name),
        cmocka_unit_test(test_removal_leaves_the_others),
    };
    return cmocka_run_group_tests_name("script name table", tests, NULL, NULL);
}
