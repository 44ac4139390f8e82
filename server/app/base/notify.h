// Tells a supervisor how the service is doing: datagrams to the socket that NOTIFY_SOCKET names, as
// sd_notify(3) documents them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct AppNotify {
    int socket; // -1: there is no supervisor
    struct sockaddr_un address;
    socklen_t address_length;
    uint64_t interval_ns; // between two signs of life
    uint64_t sent_ns;     // the last one
    bool is_watched;      // a supervisor ends the process without them
} AppNotify;

// Takes the variables out of the environment, so that they are no child's.
void app_notify_init(AppNotify *notify);
void app_notify_finish(AppNotify *notify);

// Sends lines such as "READY=1". Without a supervisor, or with one that does not read, nothing happens.
void app_notify_send(const AppNotify *notify, const char *lines);

// Whether a sign of life is due; then it counts as sent.
bool app_notify_is_due(AppNotify *notify, uint64_t now_ns);
