// Sockets: two queues of bytes each. What the server reads comes in pieces, what it writes fits or does not.

#include "machine_state.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { LISTEN_PORT = 7601, FIRST_PEER_PORT = 20000, MOST_READ = 65536, FEW_BYTES = 24, MOST_BUFFERS = 128 };

typedef struct Bytes {
    char *data; // [first, last)
    size_t first, last, capacity;
} Bytes;

struct Peer {
    Peer *next; // older
    Peer *next_waiting;
    PeerSetup setup;
    int number;
    Handle *server; // the server's end; NULL: not accepted yet, or closed

    Bytes sent, arrived;            // towards the server: on the way, and there
    uint64_t arrives_ns;            // the last of `sent`
    bool shuts_down, has_shut_down; // on the way, and there
    bool is_gone;

    Bytes kept;        // towards the peer: in the kernel
    bool server_ended; // the server has shut down its sending side, or closed
    bool is_closed;    // by the server

    bool reads; // the server wants to read
    uv_alloc_cb on_buffer;
    uv_read_cb on_read;
    uv_buf_t rest[MOST_BUFFERS]; // of a write, that did not fit: the server's memory until the write is done
    unsigned rest_count, rest_first;
    uv_write_t *write;
    uv_write_cb on_written;
    uv_shutdown_t *shutdown;
    uv_shutdown_cb on_shut;
};

typedef struct Piece {
    Peer *peer;
    size_t length; // 0: the end
} Piece;

int __wrap_poll(struct pollfd *files, nfds_t file_count, int timeout_ms);
int __real_poll(struct pollfd *files, nfds_t file_count, int timeout_ms);

static void append(Bytes *bytes, const char *data, size_t length);
static size_t take(Bytes *bytes, char *data, size_t capacity);
static size_t count(const Bytes *bytes);
static void post(Peer *peer, size_t length);
static void arrive(void *context);
static void announce(Peer *peer);
static void on_announced(void *context);
static void connect_now(void *context);
static bool can_read(const Peer *peer);
static bool can_write(const Peer *peer);
static bool can_accept(void);
static void read_some(Peer *peer);
static void write_rest(Peer *peer);
static void accept_one(void);
static Peer *peer_of(const void *handle);
static size_t fit(Peer *peer, const char *data, size_t length);

// The peer's side
// ---------------------------------------------------------------------------------------------------------------

Peer *peer_connect(const PeerSetup *setup) {
    Peer *peer = calloc(1, sizeof *peer);
    if (!peer) abort();
    *peer = (Peer){.next = machine.peers, .setup = *setup, .number = ++machine.peer_count};
    machine.peers = peer;
    peer->arrives_ns =
        machine.now_ns + (setup->latency_ns ? random_next(&machine.random) % setup->latency_ns : 0);
    machine_at(peer->arrives_ns, connect_now, peer);
    return peer;
}

void peer_send(Peer *peer, const char *bytes, size_t length) {
    if (peer->is_gone || peer->shuts_down || peer->is_closed) return;
    append(&peer->sent, bytes, length);
    while (length > 0) {
        const size_t most = random_chance(&machine.random, machine.setup.short_reads) ? FEW_BYTES : 16384;
        size_t piece = 1 + random_next(&machine.random) % most;
        if (piece > length) piece = length;
        post(peer, piece);
        length -= piece;
    }
}

void peer_shut_down(Peer *peer) {
    if (peer->shuts_down || peer->is_gone) return;
    peer->shuts_down = true;
    post(peer, 0);
}

void peer_vanish(Peer *peer) {
    peer->is_gone = true;
    peer->sent.first = peer->sent.last = peer->arrived.first = peer->arrived.last = 0;
    peer->kept.first = peer->kept.last = 0;
}

size_t peer_read(Peer *peer, char *bytes, size_t capacity) {
    return take(&peer->kept, bytes, capacity);
}

size_t peer_readable(const Peer *peer) {
    return count(&peer->kept);
}

bool peer_has_ended(const Peer *peer) {
    return peer->server_ended && count(&peer->kept) == 0;
}

bool peer_waits(const Peer *peer) {
    return peer->server && peer->write;
}

bool peer_is_closed(const Peer *peer) {
    return peer->is_closed;
}

static void connect_now(void *context) {
    Peer *peer = context, **end = &machine.first_waiting;
    if (!machine.listener || peer->is_gone) { // nobody listens
        peer->is_closed = peer->server_ended = true;
        announce(peer);
        return;
    }
    while (*end) end = &(*end)->next_waiting;
    *end = peer;
}

// Bytes stay in order, however long each piece takes.
static void post(Peer *peer, size_t length) {
    Piece *piece = malloc(sizeof *piece);
    if (!piece) abort();
    *piece = (Piece){peer, length};
    const uint64_t latency_ns =
        peer->setup.latency_ns ? random_next(&machine.random) % peer->setup.latency_ns : 0;
    if (machine.now_ns + latency_ns > peer->arrives_ns) peer->arrives_ns = machine.now_ns + latency_ns;
    machine_at(peer->arrives_ns, arrive, piece);
}

static void arrive(void *context) {
    const Piece piece = *(Piece *)context;
    Peer *peer = piece.peer;
    free(context);
    if (peer->is_gone) return;
    char bytes[16384];
    if (piece.length == 0) peer->has_shut_down = true;
    for (size_t left = piece.length; left > 0;) {
        const size_t taken = take(&peer->sent, bytes, left < sizeof bytes ? left : sizeof bytes);
        append(&peer->arrived, bytes, taken);
        left -= taken;
    }
}

static void announce(Peer *peer) {
    if (!peer->is_gone) machine_at(machine.now_ns, on_announced, peer);
}

static void on_announced(void *context) {
    Peer *peer = context;
    if (!peer->is_gone) peer->setup.on_readable(peer->setup.context);
}

// The loop's side
// ---------------------------------------------------------------------------------------------------------------

bool machine_sockets_are_ready(void) {
    bool is_ready = can_accept();
    for (const Peer *peer = machine.peers; peer && !is_ready; peer = peer->next)
        is_ready = can_read(peer) || can_write(peer) || (peer->server && peer->shutdown && !peer->write);
    return is_ready;
}

// The order in which sockets get their turns is the seed's.
void machine_sockets_run(void) {
    accept_one();
    Peer *order[256];
    size_t ready = 0;
    for (Peer *peer = machine.peers; peer && ready < 256; peer = peer->next)
        if (can_read(peer) || can_write(peer) || (peer->server && peer->shutdown && !peer->write))
            order[ready++] = peer;
    for (; ready > 0; ready--) {
        const size_t index = random_below(&machine.random, (unsigned)ready);
        Peer *peer = order[index];
        order[index] = order[ready - 1];
        if (can_write(peer)) write_rest(peer);
        if (peer->server && peer->shutdown && !peer->write) {
            uv_shutdown_t *shutdown = peer->shutdown;
            peer->shutdown = NULL;
            machine.requests--;
            peer->server_ended = true;
            announce(peer);
            peer->on_shut(shutdown, peer->is_gone ? UV_ENOTCONN : 0);
        }
        if (can_read(peer)) read_some(peer);
    }
}

// What the kernel has is still delivered; requests end with the handle.
void machine_sockets_close(Handle *handle) {
    Peer *peer = handle->peer;
    if (machine.listener == handle) machine.listener = NULL;
    if (!peer) return;
    peer->server = NULL;
    peer->is_closed = peer->server_ended = true;
    announce(peer);
    if (peer->write) {
        machine.requests--;
        uv_write_t *request = peer->write;
        peer->write = NULL;
        peer->on_written(request, UV_ECANCELED);
    }
    if (peer->shutdown) {
        machine.requests--;
        uv_shutdown_t *request = peer->shutdown;
        peer->shutdown = NULL;
        peer->on_shut(request, UV_ECANCELED);
    }
}

void machine_sockets_finish(void) {
    while (machine.peers) {
        Peer *peer = machine.peers;
        machine.peers = peer->next;
        free(peer->sent.data);
        free(peer->arrived.data);
        free(peer->kept.data);
        free(peer);
    }
}

static bool can_read(const Peer *peer) {
    return peer->server && peer->reads && (peer->is_gone || peer->has_shut_down || count(&peer->arrived) > 0);
}

static bool can_write(const Peer *peer) {
    return peer->server && peer->write && (peer->is_gone || count(&peer->kept) < peer->setup.capacity);
}

static bool can_accept(void) {
    return machine.listener && machine.first_waiting && !machine.accepting;
}

static void read_some(Peer *peer) {
    uv_stream_t *stream = (uv_stream_t *)peer->server->handle;
    uv_buf_t buffer = {0};
    ssize_t length = UV_EOF;
    peer->on_buffer(peer->server->handle, MOST_READ, &buffer);
    if (peer->is_gone)
        length = UV_ECONNRESET;
    else if (count(&peer->arrived) > 0)
        length = (ssize_t)take(&peer->arrived, buffer.base, buffer.len);
    if (length < 0) peer->reads = false;
    peer->on_read(stream, length, &buffer);
}

static void write_rest(Peer *peer) {
    while (!peer->is_gone && peer->rest_first < peer->rest_count) {
        uv_buf_t *buffer = &peer->rest[peer->rest_first];
        const size_t taken = fit(peer, buffer->base, buffer->len);
        buffer->base += taken;
        buffer->len -= taken;
        if (buffer->len > 0) return;
        peer->rest_first++;
    }
    uv_write_t *request = peer->write;
    peer->write = NULL;
    machine.requests--;
    peer->on_written(request, peer->is_gone ? UV_EPIPE : 0);
}

static void accept_one(void) {
    if (!can_accept()) return;
    machine.accepting = machine.first_waiting;
    machine.first_waiting = machine.accepting->next_waiting;
    ((uv_connection_cb)machine.listener->callback)((uv_stream_t *)machine.listener->handle, 0);
}

static size_t fit(Peer *peer, const char *data, size_t length) {
    size_t room = peer->setup.capacity > count(&peer->kept) ? peer->setup.capacity - count(&peer->kept) : 0;
    if (room > 1 && random_chance(&machine.random, machine.setup.short_writes))
        room = 1 + random_next(&machine.random) % (room < FEW_BYTES ? room : FEW_BYTES);
    if (length > room) length = room;
    append(&peer->kept, data, length);
    if (length > 0) announce(peer);
    return length;
}

static Peer *peer_of(const void *handle) {
    return machine_handle(handle)->peer;
}

static void append(Bytes *bytes, const char *data, size_t length) {
    if (bytes->last + length > bytes->capacity) {
        if (bytes->first > 0) memmove(bytes->data, bytes->data + bytes->first, count(bytes));
        bytes->last -= bytes->first;
        bytes->first = 0;
        if (2 * (bytes->last + length) > bytes->capacity) bytes->capacity = 2 * (bytes->last + length);
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (!bytes->data) abort();
    }
    if (length > 0) memcpy(bytes->data + bytes->last, data, length);
    bytes->last += length;
}

static size_t take(Bytes *bytes, char *data, size_t capacity) {
    const size_t taken = count(bytes) < capacity ? count(bytes) : capacity;
    if (taken > 0) memcpy(data, bytes->data + bytes->first, taken);
    bytes->first += taken;
    return taken;
}

static size_t count(const Bytes *bytes) {
    return bytes->last - bytes->first;
}

// libuv: TCP
// ---------------------------------------------------------------------------------------------------------------

int uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp) {
    machine_add_handle(loop, (uv_handle_t *)tcp, UV_TCP);
    return 0;
}

int uv_tcp_bind(uv_tcp_t *tcp, const struct sockaddr *address, unsigned flags) {
    (void)tcp, (void)address, (void)flags;
    return 0;
}

int uv_tcp_getsockname(const uv_tcp_t *tcp, struct sockaddr *name, int *length) {
    (void)tcp;
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(LISTEN_PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    memcpy(name, &address, sizeof address);
    *length = sizeof address;
    return 0;
}

int uv_tcp_getpeername(const uv_tcp_t *tcp, struct sockaddr *name, int *length) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    address.sin_port = htons((uint16_t)(FIRST_PEER_PORT + peer_of(tcp)->number));
    memcpy(name, &address, sizeof address);
    *length = sizeof address;
    return 0;
}

int uv_tcp_nodelay(uv_tcp_t *tcp, int enable) {
    (void)tcp, (void)enable;
    return 0;
}

int uv_tcp_keepalive(uv_tcp_t *tcp, int enable, unsigned delay) {
    (void)tcp, (void)enable, (void)delay;
    return 0;
}

int uv_send_buffer_size(uv_handle_t *handle, int *value) {
    (void)handle, (void)value;
    return 0;
}

int uv_fileno(const uv_handle_t *handle, uv_os_fd_t *file) {
    *file = MACHINE_FILES + peer_of(handle)->number;
    return 0;
}

int uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb callback) {
    (void)backlog;
    machine.listener = machine_handle((uv_handle_t *)stream);
    machine.listener->is_active = true;
    machine.listener->callback = (Callback)callback;
    machine_at(machine.now_ns, machine.setup.on_listening, machine.setup.context);
    return 0;
}

int uv_accept(uv_stream_t *listener, uv_stream_t *stream) {
    (void)listener;
    Peer *peer = machine.accepting;
    machine.accepting = NULL;
    if (!peer) return UV_EAGAIN;
    peer->server = machine_handle((uv_handle_t *)stream);
    peer->server->peer = peer;
    peer->server->is_active = true;
    return 0;
}

int uv_read_start(uv_stream_t *stream, uv_alloc_cb on_buffer, uv_read_cb on_read) {
    Peer *peer = peer_of(stream);
    peer->reads = true;
    peer->on_buffer = on_buffer;
    peer->on_read = on_read;
    return 0;
}

int uv_read_stop(uv_stream_t *stream) {
    peer_of(stream)->reads = false;
    return 0;
}

int uv_try_write(uv_stream_t *stream, const uv_buf_t buffers[], unsigned buffer_count) {
    Peer *peer = peer_of(stream);
    if (peer->is_gone) return UV_EPIPE;
    if (peer->write) return UV_EAGAIN;
    size_t written = 0, asked = 0;
    for (unsigned i = 0; i < buffer_count && written == asked; i++) {
        asked += buffers[i].len;
        written += fit(peer, buffers[i].base, buffers[i].len);
    }
    return written > 0 || asked == 0 ? (int)written : UV_EAGAIN;
}

int uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t buffers[], unsigned buffer_count,
             uv_write_cb callback) {
    Peer *peer = peer_of(stream);
    request->handle = stream;
    peer->write = request;
    peer->on_written = callback;
    if (buffer_count > MOST_BUFFERS) abort();
    memcpy(peer->rest, buffers, buffer_count * sizeof *buffers);
    peer->rest_count = buffer_count;
    peer->rest_first = 0;
    machine.requests++;
    return 0;
}

int uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb callback) {
    Peer *peer = peer_of(stream);
    request->handle = stream;
    peer->shutdown = request;
    peer->on_shut = callback;
    machine.requests++;
    return 0;
}

size_t uv_stream_get_write_queue_size(const uv_stream_t *stream) {
    const Peer *peer = peer_of(stream);
    size_t length = 0;
    for (unsigned i = peer->rest_first; peer->write && i < peer->rest_count; i++) length += peer->rest[i].len;
    return length;
}

// The server's poll(2): whether a peer of the machine has ended. Other files are the system's.
int __wrap_poll(struct pollfd *files, nfds_t file_count, int timeout_ms) {
    if (file_count != 1 || files[0].fd < MACHINE_FILES) return __real_poll(files, file_count, timeout_ms);
    const Peer *peer = machine.peers;
    while (peer && peer->number != files[0].fd - MACHINE_FILES) peer = peer->next;
    files[0].revents = peer && (peer->is_gone || peer->has_shut_down) ? files[0].events : 0;
    return files[0].revents != 0;
}
