// Views: reading, equality, matching, rates.
#include "protocol/view.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

static ProtocolView read_view(const char *json, ProtocolSubscription *out_subscription) {
    ProtocolError error;
    ProtocolView view;
    cJSON *params = cJSON_Parse(json);
    const ProtocolMethod *method = protocol_find_method("stream.subscribe", &error);
    if (!protocol_validate_params(method, params, &error)) fail_msg("%s: %s", json, error.message);
    assert_true(protocol_view_read(params, &view, out_subscription, &error));
    cJSON_Delete(params); // the view has copied what it keeps
    return view;
}

static void test_reads_the_defaults(void **state) {
    (void)state;
    ProtocolSubscription subscription;
    ProtocolView view = read_view("{}", &subscription);
    assert_int_equal(view.characters.count, 1);
    assert_string_equal(view.characters.entries[0], "*");
    assert_int_equal(view.bones.count, 1);
    assert_int_equal(view.kinds, (1 << PROTOCOL_BONE_KIND_COUNT) - 1);
    assert_int_equal(view.axes, PROTOCOL_AXES_GLTF);
    assert_int_equal(view.space, PROTOCOL_SPACE_WORLD);
    assert_int_equal(view.layout, PROTOCOL_LAYOUT_MATRIX);
    assert_int_equal(view.precision, 5);
    assert_false(view.particles || view.references || view.wrinkles);
    assert_true(subscription.rate == 0);
    assert_int_equal(subscription.policy, PROTOCOL_POLICY_LATEST);
    assert_true(subscription.static_data);
    assert_false(subscription.mesh);
    protocol_view_finish(&view);
    assert_null(view.characters.entries);
}

static void test_reads_all_of_it(void **state) {
    (void)state;
    ProtocolSubscription subscription;
    ProtocolView view =
        read_view("{\"characters\":[\"b\",\"a\",\"b\"],\"bones\":[\"Hips\"],\"kinds\":[\"chain\",\"cloth\"],"
                  "\"axes\":\"unity\",\"space\":\"parent\",\"layout\":\"trs\",\"precision\":7,"
                  "\"particles\":true,\"references\":true,\"wrinkles\":true,\"rate\":12.5,"
                  "\"policy\":\"queue\",\"static\":false,\"mesh\":true}",
                  &subscription);
    assert_int_equal(view.characters.count, 2);
    assert_string_equal(view.characters.entries[0], "a");
    assert_string_equal(view.characters.entries[1], "b");
    assert_int_equal(view.kinds, 1 << PROTOCOL_BONE_CHAIN | 1 << PROTOCOL_BONE_CLOTH);
    assert_int_equal(view.axes, PROTOCOL_AXES_UNITY);
    assert_int_equal(view.space, PROTOCOL_SPACE_PARENT);
    assert_int_equal(view.layout, PROTOCOL_LAYOUT_TRS);
    assert_int_equal(view.precision, 7);
    assert_true(view.particles && view.references && view.wrinkles);
    assert_true(subscription.rate == 12.5);
    assert_int_equal(subscription.policy, PROTOCOL_POLICY_QUEUE);
    assert_false(subscription.static_data);
    assert_true(subscription.mesh);
    protocol_view_finish(&view);
}

static bool are_equal(const char *a, const char *b) {
    ProtocolSubscription subscription;
    ProtocolView first = read_view(a, &subscription), second = read_view(b, &subscription);
    bool equal = protocol_view_equal(&first, &second);
    assert_int_equal(equal, protocol_view_equal(&second, &first));
    protocol_view_finish(&first);
    protocol_view_finish(&second);
    return equal;
}

static void test_tells_equal_views(void **state) {
    (void)state;
    assert_true(are_equal(
        "{}", "{\"characters\":[\"*\"],\"axes\":\"gltf\",\"precision\":5,\"kinds\":[\"chain\",\"cloth\","
              "\"driven\",\"pendulum\",\"skeleton\",\"chain\"]}"));
    assert_true(are_equal("{\"bones\":[\"a\",\"b\"]}", "{\"bones\":[\"b\",\"a\",\"b\"]}"));
    assert_true(are_equal("{\"bones\":[\"a\",\"*\"]}", "{\"bones\":[\"**\"]}"));
    assert_true(are_equal("{\"rate\":30,\"policy\":\"queue\",\"static\":false,\"mesh\":true}", "{}"));
    static const char *const others[] = {
        "{\"characters\":[]}",  "{\"characters\":[\"a\"]}", "{\"bones\":[\"a\"]}",  "{\"kinds\":[\"cloth\"]}",
        "{\"axes\":\"maya\"}",  "{\"space\":\"model\"}",    "{\"layout\":\"trs\"}", "{\"precision\":4}",
        "{\"particles\":true}", "{\"references\":true}",    "{\"wrinkles\":true}",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(are_equal("{}", others[i]));
        assert_true(are_equal(others[i], others[i]));
    }
}

static void test_matches_bones_by_name_and_kind(void **state) {
    (void)state;
    ProtocolSubscription subscription;
    ProtocolView view =
        read_view("{\"characters\":[\"al*\"],\"bones\":[\"Hips\",\"jacket_*\"],\"kinds\":[\"skeleton\","
                  "\"cloth\"]}",
                  &subscription);
    assert_true(protocol_view_has_character(&view, "alan"));
    assert_false(protocol_view_has_character(&view, "barry"));
    assert_true(protocol_view_has_bone(&view, "Hips", PROTOCOL_BONE_SKELETON));
    assert_true(protocol_view_has_bone(&view, "jacket_0_2", PROTOCOL_BONE_CLOTH));
    assert_false(protocol_view_has_bone(&view, "jacket_0_2", PROTOCOL_BONE_DRIVEN));
    assert_false(protocol_view_has_bone(&view, "hood", PROTOCOL_BONE_CLOTH));
    protocol_view_finish(&view);
    view = read_view("{\"characters\":[]}", &subscription);
    assert_false(protocol_view_has_character(&view, "alan"));
    protocol_view_finish(&view);
}

static int count_due_every(int interval, double rate, double tick_rate, int ticks) {
    int count = 0;
    for (int tick = interval; tick <= ticks; tick += interval)
        count += protocol_rate_is_due(rate, (uint64_t)tick, (uint64_t)interval, tick_rate);
    return count;
}

static int count_due(double rate, double tick_rate, int ticks) {
    return count_due_every(1, rate, tick_rate, ticks);
}

static void test_rates(void **state) {
    (void)state;
    assert_int_equal(count_due(0, 60, 600), 600);
    assert_int_equal(count_due(60, 60, 600), 600);
    assert_int_equal(count_due(100, 60, 600), 600);
    assert_int_equal(count_due(30, 60, 600), 300);
    assert_int_equal(count_due(20, 60, 600), 200);
    assert_int_equal(count_due(7, 60, 600), 70);
    assert_int_equal(count_due(0.5, 60, 600), 5);
    assert_true(protocol_rate_is_due(1, 0, 1, 60));
    assert_false(protocol_rate_is_due(20, 1, 1, 60));
    assert_false(protocol_rate_is_due(20, 2, 1, 60));
    assert_true(protocol_rate_is_due(20, 3, 1, 60));
}

// Of the frames that there are, as many as the rate asks for, as evenly as they allow.
static void test_rates_where_frames_are_fewer(void **state) {
    (void)state;
    assert_int_equal(count_due_every(4, 12, 60, 600), 120);
    assert_int_equal(count_due_every(4, 7, 60, 600), 70);
    assert_int_equal(count_due_every(4, 0.5, 60, 600), 5);
    assert_int_equal(count_due_every(4, 15, 60, 600), 150);
    assert_int_equal(count_due_every(4, 20, 60, 600), 150);
    assert_int_equal(count_due_every(4, 0, 60, 600), 150);
    assert_int_equal(count_due_every(2, 20, 60, 600), 200);
    assert_int_equal(count_due_every(2, 59, 60, 600), 300);
    for (uint64_t tick = 4, last = 0; tick <= 600; tick += 4) {
        if (!protocol_rate_is_due(12, tick, 4, 60)) continue;
        assert_in_range(tick - last, 4, 8);
        assert_int_not_equal(tick % 20, 4); // four of five
        last = tick;
    }
    assert_true(protocol_rate_is_due(12, 0, 4, 60));
    assert_true(protocol_rate_is_due(60, 1, 4, 60));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_the_defaults),
        cmocka_unit_test(test_reads_all_of_it),
        cmocka_unit_test(test_tells_equal_views),
        cmocka_unit_test(test_matches_bones_by_name_and_kind),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rates_where_frames_are_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
