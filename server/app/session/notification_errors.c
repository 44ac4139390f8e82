// Counts the errors of notifications, and keeps the last one's message.
#include "session/notification_errors.h"

#include "server/app.h"
#include "session/events.h"

#include <stdio.h>
#include <string.h>

#define INTERVAL_NS 1000000000ULL

static void tell(AppClient *client, uint64_t now_ns) {
    AppNotificationErrors *errors = &client->errors;
    if (errors->count == 0 || (errors->told_ns != 0 && now_ns < errors->told_ns + INTERVAL_NS)) return;
    char message[sizeof errors->last + 64];
    snprintf(message, sizeof message,
             errors->count == 1 ? "%u notification dropped: %s" : "%u notifications dropped, the last: %s",
             errors->count, errors->last);
    errors->count = 0;
    errors->told_ns = now_ns;
    app_event_log_to(client, TEXT_LOG_ERROR, message);
}

void app_notification_error_add(AppClient *client, const ProtocolMethod *method, const ProtocolError *error) {
    AppNotificationErrors *errors = &client->errors;
    const bool is_named = !method || strncmp(error->message, method->name, strlen(method->name)) == 0;
    errors->count++;
    snprintf(errors->last, sizeof errors->last, "%s%s%s", is_named ? "" : method->name, is_named ? "" : ": ",
             error->message);
    tell(client, uv_hrtime());
}

void app_notification_errors_report(App *app) {
    const uint64_t now_ns = uv_hrtime();
    for (AppClient *client = app->clients; client; client = client->next) tell(client, now_ns);
}
