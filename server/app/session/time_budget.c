// Credits of time.
#include "session/time_budget.h"

#define UNREAD_ANSWERS ((size_t)1 << 20) // bytes; from there on net does not read from the peer either

enum { HOLD_REQUESTS = 1 }; // why a connection is not read from

static int64_t interval_budget_ns(const AppTicks *ticks);

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

// A quarter of a tick while ticks are to be made; while they are not, nothing else wants the time.
static int64_t interval_budget_ns(const AppTicks *ticks) {
    const int64_t period = 1000000000 / ticks->rate;
    return app_ticks_are_paused(ticks) && ticks->pause_locks.stepper == 0 ? period : period / 4;
}
