// The list of connections, and their credits of time.
#include "session/sessions.h"

#include <protocol/reply.h>
#include <stdlib.h>

#define UNREAD_ANSWERS ((size_t)1 << 20) // bytes; from there on net does not read from the peer either

enum { HOLD_REQUESTS = 1 }; // why a connection is not read from

static int64_t interval_budget_ns(const AppTicks *ticks);

AppClient *app_sessions_add(AppSessions *sessions, NetConnection *connection) {
    AppClient *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->sessions = sessions;
    client->connection = connection;
    client->id = net_connection_id(connection);
    client->access = app_access_begin(sessions->tokens);
    client->takes_events = client->access.role != PROTOCOL_ROLE_NONE;
    client->credit_ns = 1000000; // the next interval gives more
    client->next = sessions->clients;
    if (client->next) client->next->previous = client;
    sessions->clients = client;
    net_connection_set_user(connection, client);
    return client;
}

void app_sessions_remove(AppClient *client) {
    if (client->previous)
        client->previous->next = client->next;
    else
        client->sessions->clients = client->next;
    if (client->next) client->next->previous = client->previous;
    net_connection_set_user(client->connection, NULL);
    free(client);
}

void app_client_send(AppClient *client, const TextBuffer *text) {
    NetBuffer *line = text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
    net_connection_send(client->connection, line); // NULL closes it
    net_buffer_release(line);
}

void app_client_send_error(AppClient *client, const ProtocolError *error) {
    TextBuffer *text = &client->sessions->text;
    text_buffer_clear(text);
    protocol_write_error(text, NULL, error);
    app_client_send(client, text);
}

bool app_time_budget_allows(const AppClient *client, bool is_question) {
    if (is_question && client->sessions->budget_ns <= 0) return false;
    return client->served < APP_REQUESTS_PER_TICK && client->credit_ns > 0 &&
           net_connection_queued_bytes(client->connection) <= UNREAD_ANSWERS;
}

void app_time_budget_charge(AppClient *client, uint64_t nanoseconds) {
    client->credit_ns -= (int64_t)nanoseconds;
    client->sessions->budget_ns -= (int64_t)nanoseconds;
}

void app_time_budget_renew(AppSessions *sessions) {
    const int64_t budget = interval_budget_ns(sessions->ticks);
    int64_t users = 0;
    for (const AppClient *client = sessions->clients; client; client = client->next)
        users += client->credit_ns < budget;
    for (AppClient *client = sessions->clients; client; client = client->next) {
        if (client->credit_ns < budget) client->credit_ns += budget / users;
        if (client->credit_ns > budget) client->credit_ns = budget;
        client->served = 0;
        app_time_budget_update_reading(client);
    }
    sessions->budget_ns = budget;
}

void app_time_budget_update_reading(AppClient *client) {
    const bool full = client->waiting_requests + client->served >= APP_REQUESTS_PER_TICK ||
                      client->waiting_bytes > APP_WAITING_BYTES || client->credit_ns <= 0;
    if (full)
        net_connection_pause_reading(client->connection, HOLD_REQUESTS);
    else
        net_connection_resume_reading(client->connection, HOLD_REQUESTS);
}

// A quarter of a tick while ticks run, a whole one while paused.
static int64_t interval_budget_ns(const AppTicks *ticks) {
    const int64_t period = 1000000000 / ticks->rate;
    return app_ticks_are_paused(ticks) && ticks->pause_locks.stepper == 0 ? period : period / 4;
}
