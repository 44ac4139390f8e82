// Generations of the places in a table of ids.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A table of pointers, found by index and generation. Index 0 of an id is null: place i has index i + 1.
typedef struct SimTable {
    void **items; // [capacity], NULL: free
    uint32_t *generations;
    uint32_t capacity;
    uint32_t used; // places that were ever used
} SimTable;

// False for want of memory. Places that were freed are used again, lowest first.
bool sim_table_add(SimTable *table, void *item, uint32_t *out_index, uint32_t *out_generation);
void *sim_table_get(const SimTable *table, uint32_t index, uint32_t generation); // NULL: stale
void sim_table_remove(SimTable *table, uint32_t index);
void sim_table_finish(SimTable *table);
