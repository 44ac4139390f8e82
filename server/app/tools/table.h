// A table that is drawn again and again in the same place of a terminal, or printed once a change elsewhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct AppTable {
    struct AppTableRow *rows; // [count], in order of arrival
    size_t count;
    bool on_terminal; // stdout is one
} AppTable;

typedef struct AppTableRow {
    char *key;         // what it is about: a character, or one of its bones
    size_t key_length; // bytes
    char text[160];
} AppTableRow;

// Takes the terminal over until app_table_end, which puts back what was there; all of it does nothing
// elsewhere.
void app_table_begin(AppTable *table);
void app_table_end(AppTable *table);

// The row of that key, made if need be; NULL: out of memory.
AppTableRow *app_table_row(AppTable *table, const char *key);

// Removes the rows whose key is `key`, or begins with it and a space.
void app_table_remove(AppTable *table, const char *key);

// Shows the head line and as many rows as the terminal has room for, and how many there are more. One without
// rows says that it waits.
void app_table_draw(const AppTable *table, const char *head);

// A name from outside, which shall not drive the terminal, to stdout.
void app_table_print_name(const char *name);
