// The growth of arrays: their capacity doubles.
#include "text/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4 };

bool text_array_grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    if (count < *capacity) return true;
    const size_t wanted = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    void *before, *grown;
    memcpy(&before, items, sizeof before); // a pointer of any type
    grown =
        wanted > *capacity && wanted <= SIZE_MAX / item_bytes ? realloc(before, wanted * item_bytes) : NULL;
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
