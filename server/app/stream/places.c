// Sets of slots and a turn that goes round.
#include "stream/places.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

static void remove_slot(AppSlots *slots, size_t slot);
static size_t bit_count(uint64_t word);
static size_t lowest_bit(uint64_t word);

bool app_slots_reserve(AppSlots *slots, size_t slot_count) {
    const size_t word_count = (slot_count + WORD_BITS - 1) / WORD_BITS;
    if (word_count <= slots->word_count) return true;
    uint64_t *words = realloc(slots->words, word_count * sizeof *words);
    if (!words) return false;
    memset(words + slots->word_count, 0, (word_count - slots->word_count) * sizeof *words);
    *slots = (AppSlots){words, word_count};
    return true;
}

void app_slots_finish(AppSlots *slots) {
    free(slots->words);
    *slots = (AppSlots){0};
}

void app_slots_add(AppSlots *slots, size_t slot) {
    slots->words[slot / WORD_BITS] |= UINT64_C(1) << slot % WORD_BITS;
}

bool app_slots_has(const AppSlots *slots, size_t slot) {
    return slot / WORD_BITS < slots->word_count &&
           (slots->words[slot / WORD_BITS] >> slot % WORD_BITS & 1) != 0;
}

void app_slots_close_up(AppSlots *slots, size_t slot) {
    size_t word = slot / WORD_BITS;
    if (word >= slots->word_count) return;
    const uint64_t before = (UINT64_C(1) << slot % WORD_BITS) - 1;
    slots->words[word] = (slots->words[word] & before) | (slots->words[word] >> 1 & ~before);
    for (; word + 1 < slots->word_count; word++) {
        slots->words[word] |= slots->words[word + 1] << (WORD_BITS - 1);
        slots->words[word + 1] >>= 1;
    }
}

bool app_places_reserve(AppPlaces *places, size_t slot_count) {
    return app_slots_reserve(&places->statics, slot_count) && app_slots_reserve(&places->begun, slot_count) &&
           app_slots_reserve(&places->frames, slot_count);
}

void app_places_finish(AppPlaces *places) {
    app_slots_finish(&places->frames);
    app_slots_finish(&places->statics);
    app_slots_finish(&places->begun);
    *places = (AppPlaces){0};
}

size_t app_places_mark_frames(AppPlaces *places, const AppSlots *members) {
    size_t skipped = 0;
    for (size_t i = 0; i < members->word_count && i < places->frames.word_count; i++) {
        skipped += bit_count(places->frames.words[i] & members->words[i] & places->begun.words[i]);
        places->frames.words[i] |= members->words[i];
    }
    return skipped;
}

void app_places_mark_static(AppPlaces *places, size_t slot) {
    app_slots_add(&places->statics, slot);
}

void app_places_mark_frame(AppPlaces *places, size_t slot) {
    app_slots_add(&places->frames, slot);
}

void app_places_close_up(AppPlaces *places, size_t slot) {
    app_slots_close_up(&places->frames, slot);
    app_slots_close_up(&places->statics, slot);
    app_slots_close_up(&places->begun, slot);
    if (places->next > slot) places->next--;
}

bool app_places_any(const AppPlaces *places) {
    for (size_t i = 0; i < places->frames.word_count; i++)
        if ((places->frames.words[i] | places->statics.words[i]) != 0) return true;
    return false;
}

AppDue app_places_peek(AppPlaces *places, size_t *out_slot) {
    for (size_t i = places->next / WORD_BITS; i < places->frames.word_count; i++) {
        uint64_t due = places->frames.words[i] | places->statics.words[i];
        if (i == places->next / WORD_BITS) due &= ~UINT64_C(0) << places->next % WORD_BITS;
        if (due == 0) continue;
        *out_slot = i * WORD_BITS + lowest_bit(due);
        return app_slots_has(&places->statics, *out_slot) ? APP_DUE_STATIC : APP_DUE_FRAME;
    }
    return APP_DUE_NOTHING;
}

void app_places_take(AppPlaces *places, AppDue due, size_t slot) {
    remove_slot(due == APP_DUE_STATIC ? &places->statics : &places->frames, slot);
    if (due == APP_DUE_FRAME) app_slots_add(&places->begun, slot);
    places->next = slot + 1;
}

void app_places_rewind(AppPlaces *places) {
    places->next = 0;
}

static void remove_slot(AppSlots *slots, size_t slot) {
    slots->words[slot / WORD_BITS] &= ~(UINT64_C(1) << slot % WORD_BITS);
}

static size_t bit_count(uint64_t word) {
    size_t count = 0;
    for (; word != 0; word &= word - 1) count++;
    return count;
}

static size_t lowest_bit(uint64_t word) {
    size_t bit = 0;
    for (size_t half = WORD_BITS / 2; half > 0; half /= 2) {
        if (word << (WORD_BITS - half) != 0) continue; // it is among the lowest of these
        word >>= half;
        bit += half;
    }
    return bit;
}
