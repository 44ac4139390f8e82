// A machine in memory: the functions of libuv that the server calls, over a clock that moves only when the
// loop has nothing left to do, and sockets that are queues of bytes. The server above runs unchanged, whole
// and in one thread: what it gives to libuv's pool or to a thread of its own is done at a moment that the
// seed chooses.
//
// What is late, split or full depends on the seed alone, so a session with the same seed is the same session.
#pragma once

#include "random.h"

#include <stddef.h>

#define MACHINE_MS UINT64_C(1000000) // ns
#define MACHINE_S  (1000 * MACHINE_MS)

typedef struct MachineSetup {
    uint64_t seed;
    uint64_t call_ns;     // that pass at each look at the clock: the time that computing takes
    uint64_t work_ns;     // that work on a thread takes at most
    unsigned short_reads; // percent of reads that bring few bytes
    unsigned short_writes;
    const char *program;                 // the path of the server's program
    void (*on_listening)(void *context); // the server listens
    void *context;
} MachineSetup;

// Before the server is started, and after it has returned: false where something of it is left.
void machine_begin(const MachineSetup *setup);
bool machine_end(void);

uint64_t machine_now_ns(void);

// Runs once, when the clock gets there, in the loop's turn for input; events of one moment in their order.
void machine_at(uint64_t due_ns, void (*run)(void *context), void *context);

// Delivers a signal to the server.
void machine_signal(int number);

// Tells whoever watches the folder of that file that the file has changed.
void machine_note_change(const char *path);

// The other end of a connection to the server's TCP port. All of them are the machine's until machine_end.
typedef struct Peer Peer;

typedef struct PeerSetup {
    size_t capacity;                    // bytes that the kernel keeps for a peer that does not read
    uint64_t latency_ns;                // at most, of what it sends
    void (*on_readable)(void *context); // bytes or the end have come; reads only
    void *context;
} PeerSetup;

Peer *peer_connect(const PeerSetup *setup);
void peer_send(Peer *peer, const char *bytes, size_t length);
// Shuts down its sending side, after what was sent.
void peer_shut_down(Peer *peer);
// It is gone: what is on the way is lost, and the server is told when it reads or writes.
void peer_vanish(Peer *peer);
size_t peer_read(Peer *peer, char *bytes, size_t capacity);
size_t peer_readable(const Peer *peer);
// The server has closed, and all is read.
bool peer_has_ended(const Peer *peer);
// The server has something to write for which there is no room.
bool peer_waits(const Peer *peer);
// The server has closed.
bool peer_is_closed(const Peer *peer);
