// How much of the loop's time a connection gets between two ticks, so that none delays a tick or another.
//
// Each has a credit of time that its requests use up; it grows again with every tick, by the more the fewer
// others have used theirs. Without credit a connection's requests wait. Once all requests together have taken
// their part of the interval, questions wait too; commands do not, since the next tick is theirs. A
// connection's own limits come on top: the number of requests, and the answers that it has not read yet.
#pragma once

#include "session/sessions.h"

// Whether the client's next request may be served now. is_question: it looks at the world, which takes time.
bool app_time_budget_allows(const AppClient *client, bool is_question);

// Reading or serving what the client sent took so long.
void app_time_budget_charge(AppClient *client, uint64_t nanoseconds);

// A new interval: a tick begins or, while the simulation is paused, a beat.
void app_time_budget_renew(AppSessions *sessions);

// Reads from the client, or no more, as what waits in its queue demands.
void app_time_budget_update_reading(AppClient *client);
