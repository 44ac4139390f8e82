// What a child process has read, on its way to the parent.
//
// One function describes a thing for both directions: where the child sends a value, the parent receives it.
// After a failure all calls do nothing, and lists are NULL.
#pragma once

#include "asset/contents.h"
#include "asset/import.h"
#include "asset/surface.h"
#include "data.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum WireState {
    WIRE_OPEN,
    WIRE_ENDED,     // the other end has closed it
    WIRE_LATE,      // the time is over
    WIRE_CANCELLED, // the import was cancelled
    WIRE_INVALID,   // a value is out of its range, or more was sent than the child could hold
    WIRE_NO_MEMORY, // here
} WireState;

typedef struct Wire {
    int descriptor; // of a pipe
    bool receives;
    WireState state;
    const atomic_bool *cancelled; // NULL: never
    double deadline;              // receiving: s of the monotonic clock
    size_t left;                  // receiving: bytes that may still come
    size_t used, held;            // of the buffer: read or to be written
    char buffer[65536];
} Wire;

void wire_init_sender(Wire *wire, int descriptor);
void wire_init_receiver(Wire *wire, int descriptor, const AssetImport *import);
// Sends what is buffered.
void wire_flush(Wire *wire);

void wire_bytes(Wire *wire, void *bytes, size_t size);
void wire_floats(Wire *wire, float *floats, size_t count);
void wire_int(Wire *wire, int *value, int least, int most);
void wire_flag(Wire *wire, bool *flag);
// Sending: the list itself. Receiving: the list, on the heap; NULL after a failure.
void *wire_list(Wire *wire, const void *list, size_t count, size_t size);
char *wire_text(Wire *wire, const char *text);

// content.c. Received things are to be finished or destroyed also after a failure.
void wire_error(Wire *wire, AssetError *error);
void wire_file(Wire *wire, AssetFile *file); // all but its path
void wire_surface(Wire *wire, AssetSurface *surface);
void wire_contents(Wire *wire, AssetContents *contents);

double wire_clock(void); // s of the monotonic clock
