// What is due to a subscription: for each character static data, a frame, both or nothing.
//
// It holds no bytes, only bits, so the line that is encoded when its turn comes is always the newest, and
// marking a crowd costs a few words. Characters take turns by slot, so a slow reader still gets every
// character; of one character static data comes first and the frame in the next round.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A set of slots (indices of characters).
typedef struct AppBitset {
    uint64_t *words; // [word_count]
    size_t word_count;
} AppBitset;

bool app_bitset_reserve(AppBitset *slots, size_t slot_count); // false: out of memory, nothing changed
void app_bitset_finish(AppBitset *slots);
void app_bitset_add(AppBitset *slots, size_t slot); // below what was reserved
void app_bitset_clear(AppBitset *slots);
size_t app_bitset_count(const AppBitset *slots);
bool app_bitset_has(const AppBitset *slots, size_t slot);
// Removes the slot. The slots behind it move up by one.
void app_bitset_remove_slot(AppBitset *slots, size_t slot);

typedef struct AppOutbox {
    AppBitset frames;  // due
    AppBitset statics; // due
    AppBitset begun;   // a frame has been taken
    size_t next;       // slot whose turn it is
} AppOutbox;

typedef enum AppDue { APP_DUE_NOTHING, APP_DUE_STATIC, APP_DUE_FRAME } AppDue;

// All zero has no slots. Returns false when memory runs out; nothing has changed then.
bool app_outbox_reserve(AppOutbox *outbox, size_t slot_count);
void app_outbox_finish(AppOutbox *outbox);

// A newer frame of each of `members` is due. Returns how many of them still had one due: those frames are
// skipped for good. A character's first frame is never counted as skipped. Adds those that had none due to
// `fresh`. `members`: none beyond what was reserved, also for `fresh`.
size_t app_outbox_mark_frames(AppOutbox *outbox, const AppBitset *members, AppBitset *fresh);
void app_outbox_mark_static(AppOutbox *outbox, size_t slot);
void app_outbox_mark_frame(AppOutbox *outbox, size_t slot);
void app_outbox_unmark_frame(AppOutbox *outbox, size_t slot);

// Removes the slot with what was due of it. The slots behind it move up by one.
void app_outbox_remove_slot(AppOutbox *outbox, size_t slot);

bool app_outbox_any(const AppOutbox *outbox);

// The slot whose turn it is, and what is due of it. APP_DUE_NOTHING ends the round; app_outbox_rewind begins
// the next one.
AppDue app_outbox_peek(AppOutbox *outbox, size_t *out_slot);

// Takes what peek gave: it is no longer due, and the turn passes on.
void app_outbox_take(AppOutbox *outbox, AppDue due, size_t slot);

// Leaves what peek gave due; the turn passes on.
void app_outbox_skip(AppOutbox *outbox, size_t slot);

void app_outbox_rewind(AppOutbox *outbox);
