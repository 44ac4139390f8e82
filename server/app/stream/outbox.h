// What a subscription still owes its reader: one place for each character, newest wins.
//
// A place holds no bytes, only that something newer is due: static data, a frame, or both. When its turn
// comes, static data goes first and the frame in the next round. Turns go round by slot, so a reader who
// takes one message a second still sees every character. Two bits a character, so marking a crowd costs a few
// words.
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
bool app_bitset_has(const AppBitset *slots, size_t slot);
// The slot is gone: those behind it move up by one.
void app_bitset_remove_slot(AppBitset *slots, size_t slot);

typedef struct AppOutbox {
    AppBitset frames;  // due
    AppBitset statics; // due
    AppBitset begun;   // a frame has been taken
    size_t next;       // slot whose turn it is
} AppOutbox;

typedef enum AppDue { APP_DUE_NOTHING, APP_DUE_STATIC, APP_DUE_FRAME } AppDue;

// All zero has no places. False: out of memory, nothing changed.
bool app_outbox_reserve(AppOutbox *outbox, size_t slot_count);
void app_outbox_finish(AppOutbox *outbox);

// A newer frame of each of `members` is due. Gives the number of those whose last one was not taken: these
// are skipped for good, and who reads has a gap there. Before the first frame there is no gap. `members`:
// none beyond what was reserved.
size_t app_outbox_mark_frames(AppOutbox *outbox, const AppBitset *members);
void app_outbox_mark_static(AppOutbox *outbox, size_t slot);
void app_outbox_mark_frame(AppOutbox *outbox, size_t slot);

// The slot is gone, and what was due of it: those behind it move up by one.
void app_outbox_remove_slot(AppOutbox *outbox, size_t slot);

bool app_outbox_any(const AppOutbox *outbox);

// Whose turn it is, up to the last slot; the round ends with APP_DUE_NOTHING, and app_outbox_rewind begins
// the next one.
AppDue app_outbox_peek(AppOutbox *outbox, size_t *out_slot);

// Takes what peek gave: it is no longer due, and the turn passes on.
void app_outbox_take(AppOutbox *outbox, AppDue due, size_t slot);

void app_outbox_rewind(AppOutbox *outbox);
