// A hash table of names in use and their owners.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/glob.h>

#define SCRIPT_NAME_SIZE (TEXT_NAME_BYTES + 1)

typedef struct ScriptNameSlot {
    char *text; // NULL: an empty slot
    void *owner;
    unsigned next; // the smallest number to try behind this name
} ScriptNameSlot;

// All zero is empty.
typedef struct ScriptNameTable {
    ScriptNameSlot *slots; // [capacity], a power of two
    size_t capacity, count;
} ScriptNameTable;

void script_name_table_finish(ScriptNameTable *table);

// Sets the owner of a name, of which the table keeps a copy. False, and nothing changes, when memory runs
// out.
bool script_name_table_put(ScriptNameTable *table, const char *text, void *owner);
// Does nothing if the name is not in use. The text is not the table's own copy.
void script_name_table_remove(ScriptNameTable *table, const char *text);

bool script_name_table_has(const ScriptNameTable *table, const char *text);
void *script_name_table_owner(const ScriptNameTable *table, const char *text); // NULL if not in use

// The name of a scene, or of a character that is given none: "scenes/wake" or "scenes/wake.lua" → "wake", cut
// to the length of a name.
void script_stem_of(const char *script, char out_stem[SCRIPT_NAME_SIZE]);

// The wanted name, cut to the length of a name, if it is free, otherwise the first free one with a number
// from 2 on: "wake_2".
void script_name_table_free_name(const ScriptNameTable *table, const char *wanted,
                                 char out_name[SCRIPT_NAME_SIZE]);
