// Open addressing with linear probing, at most half full.
#include "script/name_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>
#include <text/utf8.h>

enum { FIRST_CAPACITY = 64, NUMBER_BYTES = 11 }; // of "_" and the largest unsigned

static void cut(const char *text, size_t length, size_t most, char *out_text);
static bool grow(ScriptNameTable *table);
static uint64_t hash(const char *text);
static size_t slot_of(const ScriptNameTable *table, const char *text);

void script_name_table_finish(ScriptNameTable *table) {
    for (size_t i = 0; i < table->capacity; i++) free(table->slots[i].text);
    free(table->slots);
    *table = (ScriptNameTable){0};
}

bool script_name_table_put(ScriptNameTable *table, const char *text, void *owner) {
    if (2 * (table->count + 1) > table->capacity && !grow(table)) return false;
    ScriptNameSlot *name = &table->slots[slot_of(table, text)];
    if (!name->text) {
        name->text = strdup(text);
        if (!name->text) return false;
        table->count++;
        name->next = 2;
    }
    name->owner = owner;
    return true;
}

void script_name_table_remove(ScriptNameTable *table, const char *text) {
    if (!script_name_table_has(table, text)) return;
    const size_t mask = table->capacity - 1;
    size_t hole = slot_of(table, text);
    free(table->slots[hole].text);
    // Entries behind the hole move up, so that probing still finds them.
    for (size_t i = (hole + 1) & mask; table->slots[i].text; i = (i + 1) & mask) {
        const size_t home = hash(table->slots[i].text) & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        table->slots[hole] = table->slots[i];
        hole = i;
    }
    table->slots[hole] = (ScriptNameSlot){0};
    table->count--;
    for (size_t i = 0; i < table->capacity; i++) table->slots[i].next = 2; // a number may be free again
}

bool script_name_table_has(const ScriptNameTable *table, const char *text) {
    return table->count > 0 && table->slots[slot_of(table, text)].text;
}

void *script_name_table_owner(const ScriptNameTable *table, const char *text) {
    return table->count > 0 ? table->slots[slot_of(table, text)].owner : NULL;
}

void script_stem_of(const char *script, char out_stem[SCRIPT_NAME_SIZE]) {
    const char *slash = strrchr(script, '/'), *stem = slash && slash[1] ? slash + 1 : script;
    const size_t length = strlen(stem);
    const bool has_end = length > 4 && strcmp(stem + length - 4, ".lua") == 0;
    cut(stem, has_end ? length - 4 : length, TEXT_NAME_BYTES, out_stem);
}

void script_name_table_free_name(const ScriptNameTable *table, const char *wanted,
                                 char out_name[SCRIPT_NAME_SIZE]) {
    cut(wanted, strlen(wanted), TEXT_NAME_BYTES, out_name);
    if (!script_name_table_has(table, out_name)) return;
    ScriptNameSlot *name = &table->slots[slot_of(table, out_name)];
    char stem[TEXT_NAME_BYTES - NUMBER_BYTES + 1];
    cut(wanted, strlen(wanted), sizeof stem - 1, stem);
    while (script_name_table_has(table, out_name))
        snprintf(out_name, SCRIPT_NAME_SIZE, "%s_%u", stem, name->next++);
    name->next--; // the name is free until it is put
}

// The text, or as many of its characters as `most` bytes hold.
static void cut(const char *text, size_t length, size_t most, char *out_text) {
    const size_t kept = length > most ? text_utf8_cut(text, most) : length;
    memcpy(out_text, text, kept);
    out_text[kept] = '\0';
}

static bool grow(ScriptNameTable *table) {
    const size_t capacity = table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY;
    ScriptNameTable grown = {calloc(capacity, sizeof(ScriptNameSlot)), capacity, table->count};
    if (!grown.slots) return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].text) grown.slots[slot_of(&grown, table->slots[i].text)] = table->slots[i];
    free(table->slots);
    *table = grown;
    return true;
}

// The slot of the name, or the free slot for it. The table is not full.
static size_t slot_of(const ScriptNameTable *table, const char *text) {
    size_t slot = hash(text) & (table->capacity - 1);
    while (table->slots[slot].text && strcmp(table->slots[slot].text, text) != 0)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static uint64_t hash(const char *text) {
    return text_hash(TEXT_HASH_BEGIN, text, strlen(text));
}
