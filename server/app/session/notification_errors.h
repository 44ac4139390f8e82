// Notifications that cannot be done have no answer: a log event tells their sender, at most once a second.
#pragma once

#include <protocol/methods.h>
#include <stdint.h>

typedef struct AppSessions AppSessions;
typedef struct AppClient AppClient;

typedef struct AppNotificationErrors {
    unsigned count;       // since the last report
    uint64_t reported_ns; // 0: never
    char last[PROTOCOL_ERROR_MESSAGE_BYTES + 64];
} AppNotificationErrors;

// method: NULL where there is none of that name.
void app_notification_error_add(AppClient *client, const ProtocolMethod *method, const ProtocolError *error);
// Reports those whose second is over.
void app_notification_errors_report(AppSessions *sessions);
