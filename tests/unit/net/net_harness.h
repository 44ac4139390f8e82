#pragma once
// What the tests of the net layer share: a server on a loop of its own, a transcript of everything it says,
// and peers that are plain sockets of the same thread. Only `run` lets the server work, so a test decides who
// is slow.

#include "net/server.h"
#include "unit_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <text/log_level.h>
#include <time.h>
#include <unistd.h>

// A test whose *state is a harness that is initialised, and is finished behind it.
#define HARNESS_TEST(test) cmocka_unit_test_setup_teardown(test, harness_begin, harness_end)

typedef struct Harness {
    uv_loop_t loop;
    NetServerOptions options;
    NetCallbacks callbacks;
    NetServer *server;
    bool is_closed;
    NetConnection *newest;  // of those opened and not closed
    unsigned open_count;    // on_open so far
    unsigned refused_count; // on_refused so far
    unsigned message_count;
    unsigned drained_count;
    unsigned close_count;
    unsigned log_count;
    int peers[512]; // [peer_count], open sockets
    unsigned peer_count;
    char refusals[1024];   // the log's lines about them, beside the transcript: they have addresses
    char transcript[4096]; // one line an event; the end of it is lost when it is full
} Harness;

void harness_note(Harness *harness, const char *format, ...);
Harness *harness_of(NetConnection *connection);
void harness_on_message(NetConnection *connection, char *message, size_t length);

int harness_begin(void **state);
int harness_end(void **state);

// Starts a server on a free port. Options and callbacks may be changed between init and start.
void harness_init(Harness *harness);
void harness_start(Harness *harness);

uint64_t now_ms(void);
void run_once(Harness *harness);
void run_for(Harness *harness, uint64_t milliseconds);

// Lets the server work until `condition` holds; fails when it does not within 5 s.
#define RUN_UNTIL(harness, condition)                                                                        \
    do {                                                                                                     \
        uint64_t run_end = now_ms() + 5000;                                                                  \
        while (!(condition)) {                                                                               \
            if (now_ms() > run_end) fail_msg("never came: %s\n%s", #condition, (harness)->transcript);       \
            run_once(harness);                                                                               \
        }                                                                                                    \
    } while (0)

// Closes the peers and the server, and checks that nothing of it is left on the loop.
void harness_finish(Harness *harness);

void harness_on_closed(void *user);

// The same where net_server_close was called with harness_on_closed.
void harness_finish_closed(Harness *harness);

// A socket of a peer; `receive_buffer` in bytes, 0 for the system's.
int peer_create(int receive_buffer);
// The harness closes it in the end.
void peer_connect(Harness *harness, int peer, uint16_t port);
void peer_close(Harness *harness, int peer);
void peers_close(Harness *harness);

// Connects and waits until the server has seen it.
int peer_open(Harness *harness, int receive_buffer);

// Sends all of it, letting the server work while the socket is full.
void peer_send_bytes(Harness *harness, int peer, const char *bytes, size_t length);
void peer_send(Harness *harness, int peer, const char *text);

// What the socket has now: its length, 0 at the end of the stream, -1 for nothing yet, -2 when it was reset.
ssize_t peer_take(int peer, char *bytes, size_t capacity);

// Everything up to the end of the stream, in a string of its own; the server works meanwhile.
char *peer_read_to_end(Harness *harness, int peer, size_t *out_length);
NetBuffer *text_buffer(const char *text);
void send_text(NetConnection *connection, const char *text);
