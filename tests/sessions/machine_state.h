// What the loop and the sockets of the machine share.
#pragma once

#include "machine.h"

#include <uv.h>

#define MACHINE_FILES 0x100000 // descriptors of sockets begin here: no real one does

typedef struct Event {
    uint64_t due_ns, order;
    void (*run)(void *context);
    void *context;
} Event;

typedef void (*Callback)(void);

// Of a libuv handle; the handle points back to it.
typedef struct Handle {
    struct Handle *next; // newer
    uv_handle_t *handle;
    bool is_active, is_closing;
    uint64_t due_ms, repeat_ms, order; // of a timer
    Callback callback;                 // of the kind's type
    int file;                          // of a poll handle: what it waits for
    char path[512];                    // of a watched folder
    Peer *peer;                        // of a connection: the other end
} Handle;

typedef struct Thread {
    void (*run)(void *context);
    void *context;
    bool is_done;
} Thread;

typedef struct Machine {
    MachineSetup setup;
    Random random;
    uint64_t now_ns, loop_ms, last_order;
    Event *events; // heap [event_count]
    size_t event_count, event_capacity;
    Handle *handles;
    Thread *threads; // [thread_count]
    size_t thread_count;
    int timer_file;        // a timerfd's, 0: none
    uint64_t timer_due_ns; // 0: not set
    Peer *peers;           // all, newest first
    int peer_count;
    Handle *listener;
    Peer *first_waiting; // to be accepted
    Peer *accepting;     // taken from the queue, not accepted yet
    uint64_t turns;      // of the loop since time moved
    unsigned requests;   // writes and shutdowns whose callbacks are to come
} Machine;

extern Machine machine;

Handle *machine_add_handle(uv_loop_t *loop, uv_handle_t *handle, uv_handle_type type);
Handle *machine_handle(const uv_handle_t *handle);

// Of the sockets, from the loop: whether one has something to do now, and one turn of it.
bool machine_sockets_are_ready(void);
void machine_sockets_run(void);
void machine_sockets_close(Handle *handle);
void machine_sockets_finish(void);
