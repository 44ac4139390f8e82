// Arrays that grow: what they hold stays, and what does not fit into memory changes nothing.
#include "unit_test.h"

#include <stdlib.h>
#include <text/array.h>

static void test_keeps_its_items(void **state) {
    (void)state;
    int *items = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(TEXT_ARRAY_GROW(items, count, capacity));
        assert_true(capacity > count);
        items[count++] = i;
    }
    for (int i = 0; i < 100; i++) assert_int_equal(items[i], i);
    assert_int_equal(capacity, 128);
    free(items);
}

static void test_refuses_what_has_no_size(void **state) {
    (void)state;
    char *items = NULL;
    size_t capacity = SIZE_MAX / 2 + 1;
    assert_false(text_array_grow(&items, capacity, &capacity, 2));
    assert_null(items);
    assert_true(capacity == SIZE_MAX / 2 + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps_its_items),
        cmocka_unit_test(test_refuses_what_has_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
