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

// A set of slots (places of characters in the fleet).
typedef struct AppSlots {
    uint64_t *words; // [word_count]
    size_t word_count;
} AppSlots;

bool app_slots_reserve(AppSlots *slots, size_t slot_count); // false: out of memory, nothing changed
void app_slots_finish(AppSlots *slots);
void app_slots_add(AppSlots *slots, size_t slot); // below what was reserved
bool app_slots_has(const AppSlots *slots, size_t slot);
// The slot is gone: those behind it move up by one.
void app_slots_close_up(AppSlots *slots, size_t slot);

typedef struct AppPlaces {
    AppSlots frames;  // due
    AppSlots statics; // due
    AppSlots begun;   // a frame has been taken
    size_t next;      // slot whose turn it is
} AppPlaces;

typedef enum AppDue { APP_DUE_NOTHING, APP_DUE_STATIC, APP_DUE_FRAME } AppDue;

// All zero has no places. False: out of memory, nothing changed.
bool app_places_reserve(AppPlaces *places, size_t slot_count);
void app_places_finish(AppPlaces *places);

// A newer frame of each of `members` is due. Gives the number of those whose last one was not taken: these
// are skipped for good, and who reads has a gap there. Before the first frame there is no gap. `members`:
// none beyond what was reserved.
size_t app_places_mark_frames(AppPlaces *places, const AppSlots *members);
void app_places_mark_static(AppPlaces *places, size_t slot);
void app_places_mark_frame(AppPlaces *places, size_t slot);

// The slot is gone, and what was due of it: those behind it move up by one.
void app_places_close_up(AppPlaces *places, size_t slot);

bool app_places_any(const AppPlaces *places);

// Whose turn it is, up to the last slot; the round ends with APP_DUE_NOTHING, and app_places_rewind begins
// the next one.
AppDue app_places_peek(AppPlaces *places, size_t *out_slot);

// Takes what peek gave: it is no longer due, and the turn passes on.
void app_places_take(AppPlaces *places, AppDue due, size_t slot);

void app_places_rewind(AppPlaces *places);
