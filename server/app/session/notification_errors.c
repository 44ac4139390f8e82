// Counts the errors of notifications, and keeps the last one's message.
#include "session/notification_errors.h"

#include "session/events.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

#define INTERVAL_NS 1000000000ULL

static void report(AppClient *client, uint64_t now_ns);

void app_notification_error_add(AppClient *client, const ProtocolMethod *method, const ProtocolError *error) {
    AppNotificationErrors *errors = &client->errors;
    const bool is_named = !method || strncmp(error->message, method->name, strlen(method->name)) == 0;
    errors->count++;
    snprintf(errors->last, sizeof errors->last, "%s%s%s", is_named ? "" : method->name, is_named ? "" : ": ",
             error->message);
    report(client, uv_hrtime());
}

void app_notification_errors_report(AppSessions *sessions) {
    const uint64_t now_ns = uv_hrtime();
    for (AppClient *client = sessions->clients; client; client = client->next) report(client, now_ns);
}

static void report(AppClient *client, uint64_t now_ns) {
    AppNotificationErrors *errors = &client->errors;
    if (errors->count == 0 || (errors->reported_ns != 0 && now_ns < errors->reported_ns + INTERVAL_NS))
        return;
    char message[sizeof errors->last + 64];
    snprintf(message, sizeof message,
             errors->count == 1 ? "%u notification dropped: %s" : "%u notifications dropped, the last: %s",
             errors->count, errors->last);
    errors->count = 0;
    errors->reported_ns = now_ns;
    app_event_log_to(client, TEXT_LOG_ERROR, message);
}
