// Notifications that cannot be done: nobody is answered, so their sender is told by a log event, once a
// second at most.
#pragma once

#include <protocol/methods.h>
#include <stdint.h>

typedef struct App App;
typedef struct AppClient AppClient;

typedef struct AppNotificationErrors {
    unsigned count;   // since the sender was told
    uint64_t told_ns; // 0: never
    char last[PROTOCOL_ERROR_MESSAGE_BYTES + 64];
} AppNotificationErrors;

// method: NULL where there is none of that name.
void app_notification_error_add(AppClient *client, const ProtocolMethod *method, const ProtocolError *error);
// Tells those whose second is over.
void app_notification_errors_report(App *app);
