// Trees of values: building and copying.
#include "script/fixture.h"

static ScriptValue text_value(const char *text) {
    ScriptValue value;
    assert_true(script_value_string(&value, text, strlen(text)));
    return value;
}

static void test_scalars(void **state) {
    (void)state;
    ScriptValue value = script_value_boolean(true);
    assert_int_equal(value.kind, SCRIPT_VALUE_BOOLEAN);
    assert_true(value.boolean);
    value = script_value_number(2.5);
    assert_true(value.kind == SCRIPT_VALUE_NUMBER && value.number == 2.5);
    value = text_value("häuten");
    assert_string_equal(value.string, "häuten");
    assert_int_equal(value.count, 7);
    script_value_finish(&value);
    assert_int_equal(value.kind, SCRIPT_VALUE_NULL);
}

static void test_list(void **state) {
    (void)state;
    ScriptValue list = script_value_list();
    for (int i = 0; i < 100; i++) assert_true(script_value_append(&list, script_value_number(i)));
    assert_int_equal(list.count, 100);
    for (int i = 0; i < 100; i++) assert_true(list.items[i].number == (double)i);
    script_value_finish(&list);
}

static void test_table(void **state) {
    (void)state;
    ScriptValue table = script_value_table();
    for (int i = 0; i < 50; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i);
        assert_true(script_value_set(&table, key, script_value_number(i)));
    }
    assert_true(script_value_set(&table, "key 7", text_value("seven"))); // in the place of the number
    assert_int_equal(table.count, 50);
    assert_string_equal(value_get(&table, "key 7")->string, "seven");
    assert_true(value_get(&table, "key 49")->number == 49.0);
    assert_null(value_get(&table, "key 50"));
    script_value_finish(&table);
}

static void test_copy_shares_nothing(void **state) {
    (void)state;
    ScriptValue table = script_value_table(), list = script_value_list(), copy;
    assert_true(script_value_append(&list, text_value("a")));
    assert_true(script_value_append(&list, script_value_table()));
    assert_true(script_value_set(&table, "list", list));
    assert_true(script_value_set(&table, "yes", script_value_boolean(true)));
    assert_true(script_value_copy(&copy, &table));
    script_value_finish(&table);
    const ScriptValue *copied = value_get(&copy, "list");
    assert_int_equal(copied->count, 2);
    assert_string_equal(copied->items[0].string, "a");
    assert_int_equal(copied->items[1].kind, SCRIPT_VALUE_TABLE);
    assert_true(value_get(&copy, "yes")->boolean);
    script_value_finish(&copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_copy_shares_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
