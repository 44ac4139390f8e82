// Names in use, each with who has it: found in constant time however many there are.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SCRIPT_NAME_SIZE 65 // bytes of a character's name, its end among them

typedef struct ScriptNameSlot {
    const char *text; // the owner's memory; NULL: an empty slot
    void *owner;
    unsigned next; // no smaller number behind this name is free
} ScriptNameSlot;

// All zero is empty.
typedef struct ScriptNameTable {
    ScriptNameSlot *slots; // [capacity], a power of two
    size_t capacity, count;
} ScriptNameTable;

void script_name_table_finish(ScriptNameTable *table);

// Gives the name to the owner, whoever had it. The text stays the caller's, and must stay as it is until it
// is removed or put again. False: out of memory, nothing is changed.
bool script_name_table_put(ScriptNameTable *table, const char *text, void *owner);
void script_name_table_remove(ScriptNameTable *table, const char *text); // nothing where it is not in use

bool script_name_table_has(const ScriptNameTable *table, const char *text);
void *script_name_table_owner(const ScriptNameTable *table, const char *text); // NULL where nobody has it

// The wanted name if it is free, else the first free one with a number from 2 on: "wake_2".
void script_name_table_free_name(const ScriptNameTable *table, const char *wanted,
                                 char out_name[SCRIPT_NAME_SIZE]);
