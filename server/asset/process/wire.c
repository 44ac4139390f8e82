// Bytes, numbers and lists over a pipe.
#define _POSIX_C_SOURCE 200809L
#include "process/wire.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CANCEL_MS    50 // how often a cancelled import is noticed
#define MOST_TEXT    4096
#define SMALLEST_RUN 4096 // bytes that are received straight to where they belong

static bool fill(Wire *wire, char *to, size_t capacity, size_t *out_size);
static bool wait_for_bytes(Wire *wire);

void wire_init_sender(Wire *wire, int descriptor) {
    wire->descriptor = descriptor;
    wire->receives = false;
    wire->state = WIRE_OPEN;
    wire->used = wire->held = 0;
}

void wire_init_receiver(Wire *wire, int descriptor, const AssetImport *import) {
    wire_init_sender(wire, descriptor);
    wire->receives = true;
    wire->cancelled = import->cancelled;
    wire->deadline = wire_clock() + import->seconds;
    wire->left = import->memory;
}

void wire_flush(Wire *wire) {
    size_t sent = 0;
    while (wire->state == WIRE_OPEN && sent < wire->held) {
        const ssize_t size = write(wire->descriptor, wire->buffer + sent, wire->held - sent);
        if (size >= 0)
            sent += (size_t)size;
        else if (errno != EINTR)
            wire->state = WIRE_ENDED;
    }
    wire->held = 0;
}

void wire_bytes(Wire *wire, void *bytes, size_t size) {
    char *at = bytes;
    while (wire->state == WIRE_OPEN && size > 0) {
        if (!wire->receives && wire->held == sizeof wire->buffer) wire_flush(wire);
        if (wire->receives && wire->used == wire->held) {
            size_t direct = 0;
            wire->used = wire->held = 0;
            if (!(size >= SMALLEST_RUN ? fill(wire, at, size, &direct)
                                       : fill(wire, wire->buffer, sizeof wire->buffer, &wire->held)))
                break;
            at += direct;
            size -= direct;
            if (direct > 0) continue;
        }
        const size_t room = wire->receives ? wire->held - wire->used : sizeof wire->buffer - wire->held;
        const size_t run = size < room ? size : room;
        if (wire->receives)
            memcpy(at, wire->buffer + wire->used, run);
        else
            memcpy(wire->buffer + wire->held, at, run);
        *(wire->receives ? &wire->used : &wire->held) += run;
        at += run;
        size -= run;
    }
    if (wire->receives && size > 0) memset(at, 0, size);
}

void wire_floats(Wire *wire, float *floats, size_t count) {
    wire_bytes(wire, floats, count * sizeof *floats);
}

void wire_int(Wire *wire, int *value, int least, int most) {
    int32_t number = *value;
    wire_bytes(wire, &number, sizeof number);
    if (wire->state == WIRE_OPEN && !(number >= least && number <= most)) wire->state = WIRE_INVALID;
    *value = wire->state == WIRE_OPEN ? number : least;
}

void wire_flag(Wire *wire, bool *flag) {
    int number = *flag;
    wire_int(wire, &number, 0, 1);
    *flag = number == 1;
}

void *wire_list(Wire *wire, const void *list, size_t count, size_t size) {
    if (!wire->receives) {
        wire_bytes(wire, (void *)list, count * size);
        return (void *)list;
    }
    if (wire->state != WIRE_OPEN) return NULL;
    if (count > wire->left / size + sizeof wire->buffer) {
        wire->state = WIRE_INVALID;
        return NULL;
    }
    void *received = calloc(count + 1, size);
    if (!received) wire->state = WIRE_NO_MEMORY;
    if (received) wire_bytes(wire, received, count * size);
    if (wire->state == WIRE_OPEN) return received;
    free(received);
    return NULL;
}

char *wire_text(Wire *wire, const char *text) {
    int length = text ? (int)strnlen(text, MOST_TEXT) : 0;
    wire_int(wire, &length, 0, MOST_TEXT);
    char *received = wire_list(wire, text, (size_t)length, 1); // ends with the zero of an element more
    if (received && wire->receives && strlen(received) < (size_t)length) wire->state = WIRE_INVALID;
    return received;
}

double wire_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// False: nothing more comes.
static bool fill(Wire *wire, char *to, size_t capacity, size_t *out_size) {
    while (wait_for_bytes(wire)) {
        const ssize_t size = read(wire->descriptor, to, capacity);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) wire->state = WIRE_ENDED;
        if (size > 0 && (size_t)size > wire->left) wire->state = WIRE_INVALID;
        if (wire->state != WIRE_OPEN) break;
        wire->left -= (size_t)size;
        *out_size = (size_t)size;
        return true;
    }
    return false;
}

static bool wait_for_bytes(Wire *wire) {
    struct pollfd pipe = {.fd = wire->descriptor, .events = POLLIN};
    while (wire->state == WIRE_OPEN) {
        const double left = wire->deadline - wire_clock();
        if (wire->cancelled && atomic_load(wire->cancelled))
            wire->state = WIRE_CANCELLED;
        else if (left <= 0.0)
            wire->state = WIRE_LATE;
        else if (poll(&pipe, 1, (int)fmin(CANCEL_MS, ceil(1e3 * left))) > 0)
            return true;
    }
    return false;
}
