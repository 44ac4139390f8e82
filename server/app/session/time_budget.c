// Credits of time.
#include "session/time_budget.h"

#include "server/app.h"

#define UNREAD_ANSWERS ((size_t)1 << 20) // bytes; from there on net does not read from the peer either

enum { HOLD_REQUESTS = 1 }; // why a connection is not read from

static int64_t interval_budget_ns(const App *app);

bool app_time_budget_allows(const App *app, const AppClient *client, bool is_question) {
    if (is_question && app->requests.budget_ns <= 0) return false;
    return client->served < APP_REQUESTS_PER_TICK && client->credit_ns > 0 &&
           net_connection_queued_bytes(client->connection) <= UNREAD_ANSWERS;
}

void app_time_budget_charge(App *app, AppClient *client, uint64_t nanoseconds) {
    client->credit_ns -= (int64_t)nanoseconds;
    app->requests.budget_ns -= (int64_t)nanoseconds;
}

void app_time_budget_renew(App *app) {
    const int64_t budget = interval_budget_ns(app);
    int64_t users = 0;
    for (const AppClient *client = app->clients; client; client = client->next)
        users += client->credit_ns < budget;
    for (AppClient *client = app->clients; client; client = client->next) {
        if (client->credit_ns < budget) client->credit_ns += budget / users;
        if (client->credit_ns > budget) client->credit_ns = budget;
        client->served = 0;
        app_time_budget_update_reading(client);
    }
    app->requests.budget_ns = budget;
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
static int64_t interval_budget_ns(const App *app) {
    const int64_t period = 1000000000 / app->characters.tick_rate;
    return app_is_paused(app) && !app->step.request ? period : period / 4;
}
