// Clients: how they connect, send and read.
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROMPT_CAPACITY = 1 << 20,
    READ_BYTES = 65536
}; // a peer that has shut down has 10 s for what it is owed

static void choose_reading(Client *client, PeerSetup *setup, Random *random);
static void on_readable(void *context);
static void read_more(void *context);
static void take(Client *client, const char *bytes, size_t length);
static void add_hash(Client *client, const char *line, size_t length);
static void end(Client *client);

Client *client_connect(Session *session, int slot, Random *random) {
    if (session->client_count == SESSION_CONNECTIONS) return NULL;
    Client *client = &session->clients[session->client_count];
    *client = (Client){.session = session, .number = ++session->client_count, .slot = slot, .hash = 1};
    PeerSetup setup = {.capacity = PROMPT_CAPACITY, .on_readable = on_readable, .context = client};
    if (slot > 0) choose_reading(client, &setup, random);
    client->granted = client->role = session->setup.with_tokens ? 0 : 2;
    client->is_trusted = client->role > 0;
    client->gets_events = client->role > 0;
    client->reasons = 1u << REASON_STOPPING;
    client->peer = peer_connect(&setup);
    session->slots[slot] = client;
    if (session->trace)
        fprintf(session->trace, "client %d connects; it reads %s\n", client->number,
                client->chunk ? "little at a time" : "at once");
    return client;
}

// What a client sends once it has been refused or closed is lost, so nothing is expected of it.
bool client_may_act(const Client *client) {
    return client && !client->has_shut_down && !client->has_vanished && !client->has_ended &&
           !client->is_refused;
}

void client_send(Client *client, const char *bytes, size_t length) {
    const char *end = memchr(bytes, '\n', length);
    const size_t line = end ? (size_t)(end - bytes) : length, shown = line < 400 ? line : 400;
    if (client->session->trace)
        fprintf(client->session->trace, "    client %d sends %.*s%s\n", client->number, (int)shown, bytes,
                shown + 1 < length ? " …" : "");
    client->has_sent = true;
    client->has_sent_half = false;
    if (!client->is_trusted) {
        client->strange_bytes += length;
        if (client->strange_bytes > 1024) client->reasons |= 1u << REASON_UNTRUSTED_BYTES;
    }
    peer_send(client->peer, bytes, length);
}

void client_read(Client *client) {
    if (client->is_stalled || client->has_vanished) return;
    static char bytes[READ_BYTES];
    size_t length = 0;
    do {
        const size_t most = client->chunk && client->chunk < sizeof bytes ? client->chunk : sizeof bytes;
        length = peer_read(client->peer, bytes, most);
        take(client, bytes, length);
    } while (!client->chunk && length > 0);
    if (client->chunk && peer_readable(client->peer) > 0 && !client->reads_later) {
        client->reads_later = true;
        machine_at(machine_now_ns() + client->pace_ns, read_more, client);
    }
    if (peer_has_ended(client->peer)) end(client);
}

Request *client_expect(Client *client, const char *method, RequestKind kind) {
    if (client->request_count == client->request_capacity) {
        client->request_capacity = client->request_capacity ? 2 * client->request_capacity : 64;
        client->requests =
            realloc(client->requests, (size_t)client->request_capacity * sizeof *client->requests);
        if (!client->requests) abort();
    }
    Request *request = &client->requests[client->request_count++];
    *request = (Request){.method = method, .kind = kind};
    snprintf(request->id, sizeof request->id, "%d", ++client->next_id);
    return request;
}

void request_allow(Request *request, int code) {
    if (request->code_count < SESSION_CODES) request->codes[request->code_count++] = code;
}

uint64_t hash_bytes(const char *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash | 1; // never 0
}

// Half of the clients read at once; a slow one has a small socket.
static void choose_reading(Client *client, PeerSetup *setup, Random *random) {
    setup->latency_ns = random_below(random, 6) * MACHINE_MS;
    if (random_chance(random, 50)) return;
    client->chunk = random_chance(random, 15) ? 1 : 1 + random_below(random, 4000);
    client->pace_ns = random_below(random, 30) * MACHINE_MS;
    if (client->chunk < 32) client->pace_ns = 100000; // its session has an end, too
    client->was_slow = true;
    setup->capacity = 64 + random_below(random, 20000);
}

static void on_readable(void *context) {
    Client *client = context;
    if (client->chunk && client->reads_later) return;
    client_read(client);
}

static void read_more(void *context) {
    Client *client = context;
    client->reads_later = false;
    client_read(client);
}

static void take(Client *client, const char *bytes, size_t length) {
    if (client->input_length + length > client->input_capacity) {
        client->input_capacity = 2 * (client->input_length + length);
        client->input = realloc(client->input, client->input_capacity);
        if (!client->input) abort();
    }
    if (length > 0) memcpy(client->input + client->input_length, bytes, length);
    size_t begin = 0, scanned = client->input_length;
    client->input_length += length;
    for (; scanned < client->input_length; scanned++) {
        if (client->input[scanned] != '\n') continue;
        add_hash(client, client->input + begin, scanned - begin);
        check_line(client, client->input + begin, scanned - begin);
        begin = scanned + 1;
    }
    client->input_length -= begin;
    if (client->input_length > 0 && begin > 0)
        memmove(client->input, client->input + begin, client->input_length);
}

// Without the memory of scripts: Lua's garbage depends on addresses.
static void add_hash(Client *client, const char *line, size_t length) {
    static const char *const keys[] = {"\"scripts_bytes\":", "\"memory_bytes\":"};
    for (size_t begin = 0; begin < length;) {
        size_t end = length;
        for (int i = 0; i < 2; i++) {
            const char *found = memmem(line + begin, length - begin, keys[i], strlen(keys[i]));
            const size_t after = found ? (size_t)(found - line) + strlen(keys[i]) : length;
            if (after < end) end = after;
        }
        client->hash = (client->hash ^ hash_bytes(line + begin, end - begin)) * UINT64_C(0x100000001b3);
        for (begin = end; begin < length && line[begin] >= '0' && line[begin] <= '9';) begin++;
    }
}

static void end(Client *client) {
    if (client->has_ended) return;
    client->has_ended = true;
    if (client->session->trace) fprintf(client->session->trace, "    client %d is closed\n", client->number);
    // A client that has not read that it is refused does not know.
    if (client->session->setup.max_clients < SESSION_CLIENTS &&
        !(client->is_first_line_read && client->is_trusted))
        client->reasons |= 1u << REASON_TOO_MANY;
    const uint64_t abrupt = 1u << REASON_TOO_MANY | 1u << REASON_STALLED | 1u << REASON_RESET |
                            1u << REASON_UNTRUSTED_BYTES | 1u << REASON_UNTRUSTED_TIME;
    const bool is_too_slow = client->was_slow && client->shut_down_ms > SESSION_LAST_MS;
    if (client->input_length > 0 && !is_too_slow && !(client->reasons & abrupt) &&
        !client->session->is_stopped)
        session_fail(client->session, "client %d: the connection ends in the middle of a line",
                     client->number);
    if (!client->has_shut_down) peer_shut_down(client->peer); // as a client does that sees the end
}
