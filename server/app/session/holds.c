// The set of those who hold the simulation still.
#include "session/holds.h"

#include <stdlib.h>
#include <string.h>

static bool remove_connection(AppHolds *holds, uint64_t connection);

void app_holds_init(AppHolds *holds, bool paused) {
    *holds = (AppHolds){.nobodys = paused};
}

void app_holds_finish(AppHolds *holds) {
    free(holds->connections);
    *holds = (AppHolds){0};
}

bool app_holds_any(const AppHolds *holds) {
    return app_holds_number(holds) > 0;
}

int app_holds_number(const AppHolds *holds) {
    return (int)holds->count + (holds->nobodys ? 1 : 0) + (holds->stepper != 0 ? 1 : 0);
}

bool app_holds_pause(AppHolds *holds, uint64_t connection) {
    for (size_t i = 0; i < holds->count; i++)
        if (holds->connections[i] == connection) return true;
    if (holds->count == holds->capacity) {
        const size_t capacity = holds->capacity > 0 ? 2 * holds->capacity : 8;
        uint64_t *grown = realloc(holds->connections, capacity * sizeof *grown);
        if (!grown) return false;
        holds->connections = grown;
        holds->capacity = capacity;
    }
    holds->connections[holds->count++] = connection;
    return true;
}

bool app_holds_resume(AppHolds *holds, uint64_t connection) {
    const bool was_nobodys = holds->nobodys;
    holds->nobodys = false;
    return remove_connection(holds, connection) || was_nobodys;
}

bool app_holds_forget(AppHolds *holds, uint64_t connection) {
    const bool stepped = holds->stepper == connection;
    if (stepped) holds->stepper = 0;
    return remove_connection(holds, connection) || stepped;
}

static bool remove_connection(AppHolds *holds, uint64_t connection) {
    for (size_t i = 0; i < holds->count; i++) {
        if (holds->connections[i] != connection) continue;
        holds->count--;
        memmove(holds->connections + i, holds->connections + i + 1,
                (holds->count - i) * sizeof *holds->connections);
        return true;
    }
    return false;
}
