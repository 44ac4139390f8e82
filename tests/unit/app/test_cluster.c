// What of a cluster needs no broker: names as keys, mailboxes, the directory.
#include "cluster/broker/bridge.h"
#include "cluster/node/directory.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

static void test_names_survive_as_keys(void **state) {
    (void)state;
    static const char *const names[] = {"alan", "guest 2", "a.b>c=d", "Zoë", "=41", "0123456789_-"};
    char key[APP_SUBJECT_SIZE], name[TEXT_NAME_BYTES + 1];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        app_bridge_escape(names[i], key);
        assert_int_equal(strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-="),
                         strlen(key));
        app_bridge_unescape(key, name, sizeof name);
        assert_string_equal(name, names[i]);
    }
    char longest[TEXT_NAME_BYTES + 1];
    memset(longest, '.', TEXT_NAME_BYTES);
    longest[TEXT_NAME_BYTES] = '\0';
    app_bridge_escape(longest, key);
    app_bridge_unescape(key, name, sizeof name);
    assert_string_equal(name, longest);
}

static void test_a_mailbox_keeps_order_and_is_bounded(void **state) {
    (void)state;
    AppMailbox mailbox;
    assert_true(app_mailbox_init(&mailbox));
    assert_null(app_mailbox_take(&mailbox, 0));
    uint64_t count = 0;
    for (;; count++) {
        AppMessage *message = app_message_create(APP_MESSAGE_EVENT, "x", 1);
        message->number = count;
        if (!app_mailbox_put(&mailbox, message)) break;
    }
    assert_in_range(count, 1000, 100000);
    for (uint64_t i = 0; i < count; i++) {
        AppMessage *message = app_mailbox_take(&mailbox, 0);
        assert_int_equal(message->number, i);
        free(message);
    }
    char *large = calloc(1, (size_t)40 << 20);
    assert_true(app_mailbox_put(&mailbox, app_message_create(APP_MESSAGE_EVENT, large, (size_t)40 << 20)));
    assert_false(app_mailbox_put(&mailbox, app_message_create(APP_MESSAGE_EVENT, large, (size_t)40 << 20)));
    free(large);
    app_mailbox_close(&mailbox);
    assert_false(app_mailbox_put_waiting(&mailbox, app_message_create(APP_MESSAGE_EVENT, NULL, 0)));
    app_mailbox_finish(&mailbox);
}

static void test_a_lower_epoch_is_ignored(void **state) {
    (void)state;
    AppDirectory directory = {0};
    assert_non_null(app_directory_put(&directory, "alan", "a", "s", 5));
    assert_null(app_directory_put(&directory, "alan", "b", "s", 4));
    assert_string_equal(app_directory_find(&directory, "alan")->node, "a");
    assert_non_null(app_directory_put(&directory, "alan", "b", "s", 6));
    assert_string_equal(app_directory_find(&directory, "alan")->node, "b");
    directory.generation++; // a watch that begins anew, maybe of a broker that counts from 1 again
    assert_non_null(app_directory_put(&directory, "alan", "a", "s", 1));
    app_directory_finish(&directory);
}

static void test_the_list_is_in_order_of_epochs(void **state) {
    (void)state;
    AppDirectory directory = {0};
    static const char *const names[] = {"c", "a", "b"};
    for (size_t i = 0; i < 3; i++) assert_non_null(app_directory_put(&directory, names[i], "n", "s", i + 1));
    app_directory_remove(&directory, app_directory_find(&directory, "a"));
    size_t count;
    AppDirectoryCharacter **list = app_directory_list(&directory, &count);
    assert_int_equal(count, 2);
    assert_string_equal(list[0]->name, "c");
    assert_string_equal(list[1]->name, "b");
    free(list);
    assert_null(app_directory_put_node(&directory, "n", "no JSON", 1));
    assert_non_null(app_directory_put_node(&directory, "n", "{\"load\":0.5}", 1));
    assert_non_null(app_directory_put_node(&directory, "n", "{\"load\":0.6}", 2));
    assert_int_equal(directory.node_count, 1);
    app_directory_remove_node(&directory, "n");
    assert_int_equal(directory.node_count, 0);
    app_directory_finish(&directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_survive_as_keys),
        cmocka_unit_test(test_a_mailbox_keeps_order_and_is_bounded),
        cmocka_unit_test(test_a_lower_epoch_is_ignored),
        cmocka_unit_test(test_the_list_is_in_order_of_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
