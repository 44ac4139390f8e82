// The outbox of a subscription: the newest frame replaces older ones, characters take turns, static data
// goes first.
#include "stream/outbox.h"
#include "unit_test.h"

#include <string.h>

#define CROWD 200

typedef struct Fixture {
    AppOutbox outbox;
    AppBitset members;
    AppBitset fresh; // of the last tick
} Fixture;

static Fixture fixture(size_t count, size_t every) {
    Fixture made = {0};
    assert_true(app_outbox_reserve(&made.outbox, count));
    assert_true(app_bitset_reserve(&made.members, count));
    for (size_t slot = 0; slot < count; slot += every) app_bitset_add(&made.members, slot);
    return made;
}

static void finish(Fixture *made) {
    app_outbox_finish(&made->outbox);
    app_bitset_finish(&made->members);
    app_bitset_finish(&made->fresh);
}

// A tick ends: all members have news. Returns how many frames are skipped.
static size_t mark_frames(Fixture *made) {
    assert_true(app_bitset_reserve(&made->fresh, 64 * made->members.word_count));
    app_bitset_clear(&made->fresh);
    return app_outbox_mark_frames(&made->outbox, &made->members, &made->fresh);
}

// As a connection does: after the end of a round the next one starts.
static AppDue take(AppOutbox *outbox, size_t *out_slot) {
    AppDue due = app_outbox_peek(outbox, out_slot);
    if (due == APP_DUE_NOTHING) {
        app_outbox_rewind(outbox);
        due = app_outbox_peek(outbox, out_slot);
    }
    if (due != APP_DUE_NOTHING) app_outbox_take(outbox, due, *out_slot);
    return due;
}

static void test_a_slow_reader_sees_everyone_in_turn(void **state) {
    (void)state;
    Fixture made = fixture(CROWD, 1);
    int seen[CROWD] = {0};
    for (int tick = 0; tick < 3 * CROWD; tick++) { // one line a tick, and all have news every tick
        mark_frames(&made);
        size_t slot;
        assert_int_equal(take(&made.outbox, &slot), APP_DUE_FRAME);
        assert_int_equal(slot, tick % CROWD);
        seen[slot]++;
    }
    for (int slot = 0; slot < CROWD; slot++) assert_int_equal(seen[slot], 3);
    finish(&made);
}

static void test_only_members_are_due(void **state) {
    (void)state;
    Fixture made = fixture(CROWD, 7);
    mark_frames(&made);
    size_t slot, expected = 0;
    for (; take(&made.outbox, &slot) == APP_DUE_FRAME; expected += 7) assert_int_equal(slot, expected);
    assert_true(expected >= CROWD);
    assert_false(app_outbox_any(&made.outbox));
    finish(&made);
}

static void test_static_data_goes_ahead_of_all_frames(void **state) {
    (void)state;
    Fixture made = fixture(3, 1);
    for (size_t slot = 0; slot < 3; slot++) {
        app_outbox_mark_static(&made.outbox, slot);
        app_outbox_mark_frame(&made.outbox, slot);
    }
    const AppDue expected[] = {APP_DUE_STATIC, APP_DUE_STATIC, APP_DUE_STATIC,
                               APP_DUE_FRAME,  APP_DUE_FRAME,  APP_DUE_FRAME};
    for (size_t i = 0; i < 6; i++) {
        size_t slot;
        assert_int_equal(take(&made.outbox, &slot), expected[i]);
        assert_int_equal(slot, i % 3);
    }
    assert_false(app_outbox_any(&made.outbox));
    finish(&made);
}

// A slot that is passed over keeps what is due, and the others get their turn.
static void test_skipped_slots_stay_due(void **state) {
    (void)state;
    Fixture made = fixture(3, 1);
    size_t slot;
    for (slot = 0; slot < 3; slot++) app_outbox_mark_static(&made.outbox, slot);
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_STATIC);
    assert_int_equal(app_outbox_peek(&made.outbox, &slot), APP_DUE_STATIC);
    app_outbox_skip(&made.outbox, slot);
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_STATIC);
    assert_int_equal(slot, 2);
    assert_int_equal(app_outbox_peek(&made.outbox, &slot), APP_DUE_NOTHING);
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_STATIC); // the next round
    assert_int_equal(slot, 1);
    finish(&made);
}

// The count of skipped frames equals the gaps that a reader sees.
static void test_skips_are_the_gaps(void **state) {
    (void)state;
    Fixture made = fixture(1, 1);
    size_t slot, skipped = 0, gaps = 0;
    int last = -1;
    for (int tick = 0; tick < 100; tick++) {
        skipped += mark_frames(&made);
        if (tick % 7 != 3 && tick != 99) continue; // a slow reader, who begins at tick 3
        assert_int_equal(take(&made.outbox, &slot), APP_DUE_FRAME);
        if (last >= 0) gaps += (size_t)(tick - last - 1);
        last = tick;
    }
    assert_true(gaps > 50);
    assert_int_equal(skipped, gaps);
    finish(&made);
}

// Fresh are those whose last frame was taken, and those without any.
static void test_fresh_are_those_that_nobody_is_late_for(void **state) {
    (void)state;
    Fixture made = fixture(CROWD, 2);
    size_t slot;
    mark_frames(&made);
    assert_int_equal(app_bitset_count(&made.fresh), CROWD / 2);
    for (int i = 0; i < 5; i++) take(&made.outbox, &slot);
    mark_frames(&made);
    assert_int_equal(app_bitset_count(&made.fresh), 5);
    for (size_t i = 0; i < CROWD; i++) assert_int_equal(app_bitset_has(&made.fresh, i), i < 10 && i % 2 == 0);
    finish(&made);
}

static void test_growing_keeps_what_is_due(void **state) {
    (void)state;
    Fixture made = fixture(1, 1);
    mark_frames(&made);
    assert_true(app_outbox_reserve(&made.outbox, 1000));
    assert_true(app_bitset_reserve(&made.members, 1000));
    app_bitset_add(&made.members, 999);
    app_outbox_mark_static(&made.outbox, 999);
    size_t slot;
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_FRAME);
    assert_int_equal(slot, 0);
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_STATIC);
    assert_int_equal(slot, 999);
    assert_int_equal(take(&made.outbox, &slot), APP_DUE_NOTHING);
    assert_true(app_bitset_has(&made.members, 999));
    assert_false(app_bitset_has(&made.members, 998));
    assert_false(app_bitset_has(&made.members, 100000));
    finish(&made);
}

// A removed slot leaves no trace: compared with a plain array, across word boundaries.
static void test_a_slot_that_is_gone_closes_up(void **state) {
    (void)state;
    static const size_t gone[] = {0, 62, 61, 63, 64, 127, 190, 5, 120, 63, 180};
    Fixture made = fixture(CROWD, 3);
    size_t original[CROWD], count = CROWD, slot;
    for (size_t i = 0; i < CROWD; i++) original[i] = i;
    for (size_t i = 0; i < CROWD; i += 5) app_outbox_mark_static(&made.outbox, i);
    mark_frames(&made);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        app_outbox_remove_slot(&made.outbox, gone[i]);
        app_bitset_remove_slot(&made.members, gone[i]);
        count--;
        memmove(original + gone[i], original + gone[i] + 1, (count - gone[i]) * sizeof *original);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(app_bitset_has(&made.members, i), original[i] % 3 == 0);
        assert_int_equal(app_bitset_has(&made.outbox.frames, i), original[i] % 3 == 0);
        assert_int_equal(app_bitset_has(&made.outbox.statics, i), original[i] % 5 == 0);
    }
    for (size_t i = count; i < CROWD; i++) assert_false(app_bitset_has(&made.members, i));
    app_bitset_remove_slot(&made.members, 100000); // nothing is there
    AppOutbox later = {0}; // with room for those who are left, where the members had more
    assert_true(app_outbox_reserve(&later, 64));
    for (size_t left = count; left > 64; left--) app_bitset_remove_slot(&made.members, 64);
    app_outbox_mark_frames(&later, &made.members, &made.fresh);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(app_bitset_has(&later.frames, i), app_bitset_has(&made.members, i));
    app_outbox_finish(&later);

    assert_int_not_equal(app_outbox_peek(&made.outbox, &slot), APP_DUE_NOTHING);
    while (slot < 100) { // up to the middle of a round
        app_outbox_take(&made.outbox, app_outbox_peek(&made.outbox, &slot), slot);
        app_outbox_peek(&made.outbox, &slot);
    }
    const size_t next = slot;
    app_outbox_remove_slot(&made.outbox, 50); // behind it: the one whose turn it is keeps it
    app_outbox_peek(&made.outbox, &slot);
    assert_int_equal(slot, next - 1);
    app_outbox_remove_slot(&made.outbox, 150);
    app_outbox_peek(&made.outbox, &slot);
    assert_int_equal(slot, next - 1);
    finish(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_reader_sees_everyone_in_turn),
        cmocka_unit_test(test_only_members_are_due),
        cmocka_unit_test(test_static_data_goes_ahead_of_all_frames),
        cmocka_unit_test(test_skipped_slots_stay_due),
        cmocka_unit_test(test_skips_are_the_gaps),
        cmocka_unit_test(test_fresh_are_those_that_nobody_is_late_for),
        cmocka_unit_test(test_growing_keeps_what_is_due),
        cmocka_unit_test(test_a_slot_that_is_gone_closes_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
