// The growth of arrays: their capacity doubles.
#include "text/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4 };

static bool resize(void *items, size_t item_count, size_t item_bytes);

bool text_array_grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    if (count < *capacity) return true;
    const size_t wanted = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    if (wanted <= *capacity || !resize(items, wanted, item_bytes)) return false;
    *capacity = wanted;
    return true;
}

bool text_array_extend(void *items, size_t count, size_t item_bytes) {
    return resize(items, count + 1, item_bytes);
}

static bool resize(void *items, size_t item_count, size_t item_bytes) {
    void *before, *grown;
    memcpy(&before, items, sizeof before); // a pointer of any type
    grown = item_count <= SIZE_MAX / item_bytes ? realloc(before, item_count * item_bytes) : NULL;
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    return true;
}
