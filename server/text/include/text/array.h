// Growable arrays: a pointer to the items, their count, and the capacity.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Makes room for one more item behind `count`. `items` may be NULL with capacity 0. Returns false when memory
// runs out, and nothing has changed.
#define TEXT_ARRAY_GROW(items, count, capacity)                                                              \
    ((size_t)(count) < (capacity) || text_array_grow(&(items), (size_t)(count), &(capacity), sizeof *(items)))

// The same for an array without a capacity, to which few items are added.
#define TEXT_ARRAY_EXTEND(items, count) text_array_extend(&(items), (size_t)(count), sizeof *(items))

bool text_array_extend(void *items, size_t count, size_t item_bytes);

// `items` is the address of the pointer.
bool text_array_grow(void *items, size_t count, size_t *capacity, size_t item_bytes);
