// Bitsets, and the round of slots.
#include "stream/outbox.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

static void remove_slot(AppBitset *slots, size_t slot);
static size_t bit_count(uint64_t word);
static size_t lowest_bit(uint64_t word);

bool app_bitset_reserve(AppBitset *slots, size_t slot_count) {
    const size_t word_count = (slot_count + WORD_BITS - 1) / WORD_BITS;
    if (word_count <= slots->word_count) return true;
    uint64_t *words = realloc(slots->words, word_count * sizeof *words);
    if (!words) return false;
    memset(words + slots->word_count, 0, (word_count - slots->word_count) * sizeof *words);
    *slots = (AppBitset){words, word_count};
    return true;
}

void app_bitset_finish(AppBitset *slots) {
    free(slots->words);
    *slots = (AppBitset){0};
}

void app_bitset_add(AppBitset *slots, size_t slot) {
    slots->words[slot / WORD_BITS] |= UINT64_C(1) << slot % WORD_BITS;
}

void app_bitset_clear(AppBitset *slots) {
    for (size_t i = 0; i < slots->word_count; i++) slots->words[i] = 0;
}

size_t app_bitset_count(const AppBitset *slots) {
    size_t count = 0;
    for (size_t i = 0; i < slots->word_count; i++) count += bit_count(slots->words[i]);
    return count;
}

bool app_bitset_has(const AppBitset *slots, size_t slot) {
    return slot / WORD_BITS < slots->word_count &&
           (slots->words[slot / WORD_BITS] >> slot % WORD_BITS & 1) != 0;
}

void app_bitset_remove_slot(AppBitset *slots, size_t slot) {
    size_t word = slot / WORD_BITS;
    if (word >= slots->word_count) return;
    const uint64_t before = (UINT64_C(1) << slot % WORD_BITS) - 1;
    slots->words[word] = (slots->words[word] & before) | (slots->words[word] >> 1 & ~before);
    for (; word + 1 < slots->word_count; word++) {
        slots->words[word] |= slots->words[word + 1] << (WORD_BITS - 1);
        slots->words[word + 1] >>= 1;
    }
}

bool app_outbox_reserve(AppOutbox *outbox, size_t slot_count) {
    return app_bitset_reserve(&outbox->statics, slot_count) &&
           app_bitset_reserve(&outbox->begun, slot_count) && app_bitset_reserve(&outbox->frames, slot_count);
}

void app_outbox_finish(AppOutbox *outbox) {
    app_bitset_finish(&outbox->frames);
    app_bitset_finish(&outbox->statics);
    app_bitset_finish(&outbox->begun);
    *outbox = (AppOutbox){0};
}

size_t app_outbox_mark_frames(AppOutbox *outbox, const AppBitset *members, AppBitset *fresh) {
    size_t skipped = 0;
    for (size_t i = 0; i < members->word_count && i < outbox->frames.word_count; i++) {
        skipped += bit_count(outbox->frames.words[i] & members->words[i] & outbox->begun.words[i]);
        fresh->words[i] |= members->words[i] & ~outbox->frames.words[i];
        outbox->frames.words[i] |= members->words[i];
    }
    return skipped;
}

void app_outbox_mark_static(AppOutbox *outbox, size_t slot) {
    app_bitset_add(&outbox->statics, slot);
}

void app_outbox_unmark_frame(AppOutbox *outbox, size_t slot) {
    if (app_bitset_has(&outbox->frames, slot))
        outbox->frames.words[slot / WORD_BITS] &= ~(UINT64_C(1) << slot % WORD_BITS);
}

void app_outbox_mark_frame(AppOutbox *outbox, size_t slot) {
    app_bitset_add(&outbox->frames, slot);
}

void app_outbox_remove_slot(AppOutbox *outbox, size_t slot) {
    app_bitset_remove_slot(&outbox->frames, slot);
    app_bitset_remove_slot(&outbox->statics, slot);
    app_bitset_remove_slot(&outbox->begun, slot);
    if (outbox->next > slot) outbox->next--;
}

bool app_outbox_any(const AppOutbox *outbox) {
    for (size_t i = 0; i < outbox->frames.word_count; i++)
        if ((outbox->frames.words[i] | outbox->statics.words[i]) != 0) return true;
    return false;
}

AppDue app_outbox_peek(AppOutbox *outbox, size_t *out_slot) {
    for (size_t i = outbox->next / WORD_BITS; i < outbox->frames.word_count; i++) {
        uint64_t due = outbox->frames.words[i] | outbox->statics.words[i];
        if (i == outbox->next / WORD_BITS) due &= ~UINT64_C(0) << outbox->next % WORD_BITS;
        if (due == 0) continue;
        *out_slot = i * WORD_BITS + lowest_bit(due);
        return app_bitset_has(&outbox->statics, *out_slot) ? APP_DUE_STATIC : APP_DUE_FRAME;
    }
    return APP_DUE_NOTHING;
}

void app_outbox_take(AppOutbox *outbox, AppDue due, size_t slot) {
    remove_slot(due == APP_DUE_STATIC ? &outbox->statics : &outbox->frames, slot);
    if (due == APP_DUE_FRAME) app_bitset_add(&outbox->begun, slot);
    outbox->next = slot + 1;
}

void app_outbox_skip(AppOutbox *outbox, size_t slot) {
    outbox->next = slot + 1;
}

void app_outbox_rewind(AppOutbox *outbox) {
    outbox->next = 0;
}

static void remove_slot(AppBitset *slots, size_t slot) {
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
