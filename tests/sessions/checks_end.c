// What is checked now and then, and at the end: counters, events, answers that are still owed, why
// connections ended.
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum {
    PERIOD_MS = 100,
    STALL_MS = 5000 + 800, // the server's limit, and how exact it is
    UNTRUSTED_MS = 5000 + 500,
    MOST_QUEUED = 1500 * 1000, // bytes of a client without a queue
};

static void check_last_stats(Session *session, const cJSON *result);
static void check_counters(Session *session, const cJSON *described);
static Client *find_by_address(Session *session, const char *address);
static void check_owed(Client *client);
static void check_events(Client *client, const Client *witness);
static bool is_run_of(const uint64_t *run, int count, const uint64_t *all, int all_count, bool at_end);
static void check_reason(Client *client, const char *log);
static void check_poses(Session *session);

static const char *const reasons[REASON_COUNT] = {
    [REASON_BY_PEER] = "closed by the peer",
    [REASON_RESET] = "connection reset by peer",
    [REASON_STOPPING] = "the server is stopping",
    [REASON_STALLED] = "the peer does not read",
    [REASON_HTTP] = "an HTTP request on the JSON port",
    [REASON_TLS] = "TLS on the JSON port",
    [REASON_UNTRUSTED_BYTES] = "too many bytes before authentication",
    [REASON_UNTRUSTED_TIME] = "no authentication in time",
    [REASON_WRONG_TOKEN] = "it gave a wrong token",
    [REASON_TOO_MANY] = "too many clients",
};

// Those of clients that have read all they are owed are exact once the simulation stands.
void check_stats(Client *client, const cJSON *result) {
    const cJSON *described;
    cJSON_ArrayForEach(described, cJSON_GetObjectItemCaseSensitive(result, "clients")) {
        const char *address = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(described, "address"));
        const double queued =
            cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(described, "queued_bytes"));
        const Client *other = address ? find_by_address(client->session, address) : NULL;
        bool has_queue = false;
        for (int i = 0; other && i < other->view_count; i++) has_queue |= other->views[i].queue;
        if (!other)
            session_fail(client->session, "server.stats has a client at %s", address ? address : "?");
        else if (!has_queue && queued > MOST_QUEUED)
            session_fail(client->session, "%.0f bytes wait for client %d", queued, other->number);
    }
    if (client->slot == 0 && client->session->is_ending) check_last_stats(client->session, result);
}

void check_now_and_then(Session *session) {
    for (int i = 0; i < session->client_count; i++) {
        Client *client = &session->clients[i];
        if (client->has_ended || client->has_vanished) continue;
        client->shut_down_ms += client->has_shut_down ? PERIOD_MS : 0;
        const bool is_full = client->is_stalled && peer_waits(client->peer);
        client->full_ms = is_full ? client->full_ms + PERIOD_MS : 0;
        if (client->full_ms > 4800) client->reasons |= 1u << REASON_STALLED;
        if (client->full_ms > 1800 && client->has_shut_down) client->reasons |= 1u << REASON_STALLED;
        if (client->full_ms > STALL_MS && !peer_is_closed(client->peer))
            session_fail(session, "client %d has read nothing for %llu ms and is not closed", client->number,
                         (unsigned long long)client->full_ms);
        const bool has_none = client->role == 0 && !(client->reasons & 1u << REASON_WRONG_TOKEN);
        if (has_none && client->is_first_line_read) client->silent_ms += PERIOD_MS;
        if (!client->is_trusted) client->strange_ms += PERIOD_MS;
        if (client->strange_ms > 4700) client->reasons |= 1u << REASON_UNTRUSTED_TIME;
        if (has_none && client->silent_ms > UNTRUSTED_MS && !peer_is_closed(client->peer) &&
            !client->has_shut_down)
            session_fail(session, "client %d has no token for %llu ms and is not closed", client->number,
                         (unsigned long long)client->silent_ms);
    }
}

void check_end(Session *session, const char *log) {
    const Client *witness = &session->clients[0];
    check_poses(session);
    for (int i = 0; i < session->client_count; i++) {
        Client *client = &session->clients[i];
        if (client->has_vanished) continue;
        if (!client->has_ended)
            session_fail(session, "client %d: the server has stopped, and its connection has not",
                         client->number);
        check_reason(client, log);
        check_owed(client);
        check_events(client, witness);
    }
}

// Seconds after the last act: who has gone is not there, and holds nothing.
static void check_last_stats(Session *session, const cJSON *result) {
    const double holds = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(result, "holds"));
    int expected = session->is_unowned;
    const cJSON *described;
    cJSON_ArrayForEach(described, cJSON_GetObjectItemCaseSensitive(result, "clients")) {
        Client *client = find_by_address(
            session, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(described, "address")));
        if (client && (client->has_vanished || client->has_ended))
            session_fail(session, "client %d has gone, and server.stats has it", client->number);
        expected += client && client->has_hold;
        check_counters(session, described);
        if (client && client->is_first_line_read) check_newest(client);
    }
    const bool may_be_fewer =
        session->is_unowned && session->has_resumed; // unread, it may have lifted that one
    if (holds != expected && !(may_be_fewer && holds == expected - 1))
        session_fail(session, "expected %d pauses, found %g", expected, holds);
}

static void check_counters(Session *session, const cJSON *described) {
    Client *client = find_by_address(
        session, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(described, "address")));
    if (!client || client->has_vanished || client->has_ended || client->is_stalled ||
        client->view_count == SESSION_VIEWS || peer_readable(client->peer) > 0)
        return;
    const double queued = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(described, "queued_bytes"));
    const double sent = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(described, "frames_sent"));
    const double skipped =
        cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(described, "frames_skipped"));
    if (queued > 0) return; // it is not done yet
    if (sent != (double)client->frames)
        session_fail(session, "client %d: server.stats counts %.0f frames sent, %llu have come",
                     client->number, sent, (unsigned long long)client->frames);
    if (client->is_tainted || session->has_removed ? skipped < (double)client->skipped
                                                   : skipped != (double)client->skipped)
        session_fail(session, "client %d: server.stats counts %.0f frames skipped, %llu are missing",
                     client->number, skipped, (unsigned long long)client->skipped);
}

static Client *find_by_address(Session *session, const char *address) {
    const char *port = strrchr(address, ':');
    const int number = port ? atoi(port + 1) - 20000 : 0;
    return number >= 1 && number <= session->client_count ? &session->clients[number - 1] : NULL;
}

// A connection that ended in order, or lived to the end, has all its answers.
static void check_owed(Client *client) {
    const uint64_t losing = 1u << REASON_STALLED | 1u << REASON_RESET | 1u << REASON_HTTP | 1u << REASON_TLS |
                            1u << REASON_UNTRUSTED_BYTES | 1u << REASON_UNTRUSTED_TIME |
                            1u << REASON_WRONG_TOKEN | 1u << REASON_TOO_MANY;
    if (client->reasons & losing || (client->was_slow && client->shut_down_ms > SESSION_LAST_MS)) return;
    for (int i = 0; i < client->request_count; i++)
        if (!client->requests[i].is_answered) {
            session_fail(client->session, "client %d: %s (%s) is never answered", client->number,
                         client->requests[i].method, client->requests[i].id);
            return;
        }
    if (client->null_errors > 0)
        session_fail(client->session, "client %d: %d errors without an id are missing", client->number,
                     client->null_errors);
}

// While they were on, they are what the witness got meanwhile: in that order, all of them.
static void check_events(Client *client, const Client *witness) {
    int begin = 0;
    for (int i = 0; i <= client->event_count; i++) {
        if (i < client->event_count && client->events[i] != 0) continue;
        if (!is_run_of(client->events + begin, i - begin, witness->events, witness->event_count, false))
            session_fail(client->session, "client %d: its events %d to %d are not those of the witness",
                         client->number, begin, i);
        begin = i + 1;
    }
    const bool is_whole = client->gets_events && client->event_count > begin - 1 && !client->has_shut_down &&
                          (client->reasons & ~(1u << REASON_STOPPING)) == 0;
    begin = client->event_count;
    while (begin > 0 && client->events[begin - 1] != 0) begin--;
    if (is_whole && !is_run_of(client->events + begin, client->event_count - begin, witness->events,
                               witness->event_count, true))
        session_fail(client->session, "client %d: the last events of the witness are missing",
                     client->number);
}

static bool is_run_of(const uint64_t *run, int count, const uint64_t *all, int all_count, bool at_end) {
    if (count == 0) return true;
    for (int begin = at_end ? all_count - count : 0; begin >= 0 && begin + count <= all_count; begin++)
        if (memcmp(run, all + begin, (size_t)count * sizeof *run) == 0) return true;
    return false;
}

// The log says why it ended.
static void check_reason(Client *client, const char *log) {
    char address[48];
    snprintf(address, sizeof address, ", 127.0.0.1:%d) closed: ", 20000 + client->number);
    const char *found = strstr(log, address);
    if (!found) { // a refused one, or one that came when nobody listened any more
        if (client->is_first_line_read && !client->is_refused)
            session_fail(client->session, "client %d: the log does not say why it was closed",
                         client->number);
        return;
    }
    found += strlen(address);
    for (int i = 0; i < REASON_COUNT; i++) {
        const size_t length = strlen(reasons[i]);
        if (strncmp(found, reasons[i], length) != 0 || found[length] != '\n') continue;
        if (client->reasons >> i & 1) return;
    }
    session_fail(client->session, "client %d: closed: %.*s; it has given no reason for that", client->number,
                 (int)strcspn(found, "\n"), found);
}

// A pose is in the frames after the tick that its answer names, and in none before it.
static void check_poses(Session *session) {
    if (session->setup.pose_timeout > 0) return; // it may have been released
    for (uint64_t sequence = 0; sequence < SESSION_POSES; sequence++) {
        if (session->pose_ticks[sequence] == 0) continue;
        const uint64_t effective = session->pose_ticks[sequence] - 1;
        for (uint64_t tick = 0; tick < SESSION_TICKS; tick++) {
            if (session->shown_poses[tick] == 0 || tick == effective) continue;
            const uint64_t shown = session->shown_poses[tick] - 1;
            if ((tick < effective) == (shown < sequence)) continue;
            session_fail(session,
                         "pose %llu took effect in tick %llu, and the frame of tick %llu shows pose %llu",
                         (unsigned long long)sequence, (unsigned long long)effective,
                         (unsigned long long)tick, (unsigned long long)shown);
            return;
        }
    }
}
