// Generations of the places in a table of ids.
#include "world/table.h"

#include <stdlib.h>

static bool grow(SimTable *table);

bool sim_table_add(SimTable *table, void *item, uint32_t *out_index, uint32_t *out_generation) {
    uint32_t place = 0;
    while (place < table->used && table->items[place]) place++;
    if (place == table->capacity && !grow(table)) return false;
    if (place == table->used) table->used++;
    table->items[place] = item;
    *out_index = place + 1;
    *out_generation = ++table->generations[place];
    return true;
}

void *sim_table_get(const SimTable *table, uint32_t index, uint32_t generation) {
    if (index == 0 || index > table->used || table->generations[index - 1] != generation) return NULL;
    return table->items[index - 1];
}

void sim_table_remove(SimTable *table, uint32_t index) {
    table->items[index - 1] = NULL;
}

void sim_table_finish(SimTable *table) {
    free(table->items);
    free(table->generations);
    *table = (SimTable){0};
}

static bool grow(SimTable *table) {
    uint32_t capacity = table->capacity ? 2 * table->capacity : 16;
    void **items = realloc(table->items, capacity * sizeof *items);
    if (!items) return false;
    table->items = items;
    uint32_t *generations = realloc(table->generations, capacity * sizeof *generations);
    if (!generations) return false;
    table->generations = generations;
    for (uint32_t i = table->capacity; i < capacity; i++) {
        items[i] = NULL;
        generations[i] = 0;
    }
    table->capacity = capacity;
    return true;
}
