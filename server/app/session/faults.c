// Counts faults, and keeps the last one's message.
#include "session/faults.h"

#include "server/app.h"
#include "session/events.h"

#include <stdio.h>
#include <string.h>

#define INTERVAL_NS 1000000000ULL

static void tell(AppClient *client, uint64_t now_ns) {
    AppFaults *faults = &client->faults;
    if (faults->count == 0 || (faults->told_ns != 0 && now_ns < faults->told_ns + INTERVAL_NS)) return;
    char message[sizeof faults->last + 64];
    snprintf(message, sizeof message,
             faults->count == 1 ? "%u notification dropped: %s" : "%u notifications dropped, the last: %s",
             faults->count, faults->last);
    faults->count = 0;
    faults->told_ns = now_ns;
    app_event_log_to(client, APP_LOG_ERROR, message);
}

void app_fault_note(AppClient *client, const ProtocolMethod *method, const ProtocolError *error) {
    AppFaults *faults = &client->faults;
    const bool is_named = !method || strncmp(error->message, method->name, strlen(method->name)) == 0;
    faults->count++;
    snprintf(faults->last, sizeof faults->last, "%s%s%s", is_named ? "" : method->name, is_named ? "" : ": ",
             error->message);
    tell(client, uv_hrtime());
}

void app_faults_tell(App *app) {
    const uint64_t now_ns = uv_hrtime();
    for (AppClient *client = app->clients; client; client = client->next) tell(client, now_ns);
}
