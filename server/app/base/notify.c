// The datagrams of sd_notify(3).
#include "base/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_NS 5000000000ULL

static bool set_address(AppNotify *notify, const char *path);
static uint64_t watchdog_ns(void);

void app_notify_init(AppNotify *notify) {
    *notify = (AppNotify){.socket = -1, .interval_ns = STATUS_NS};
    const char *path = getenv("NOTIFY_SOCKET");
    if (path && set_address(notify, path)) {
        notify->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const uint64_t limit_ns = watchdog_ns();
        notify->is_watched = limit_ns > 0;
        if (notify->is_watched && limit_ns / 3 < STATUS_NS) notify->interval_ns = limit_ns / 3;
    }
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

void app_notify_finish(AppNotify *notify) {
    if (notify->socket >= 0) close(notify->socket);
    notify->socket = -1;
}

void app_notify_send(const AppNotify *notify, const char *lines) {
    if (notify->socket < 0) return;
    (void)sendto(notify->socket, lines, strlen(lines), MSG_DONTWAIT | MSG_NOSIGNAL,
                 (const struct sockaddr *)&notify->address, notify->address_length);
}

bool app_notify_is_due(AppNotify *notify, uint64_t now_ns) {
    if (notify->socket < 0 || now_ns < notify->sent_ns + notify->interval_ns) return false;
    notify->sent_ns = now_ns;
    return true;
}

// A path, or "@NAME" in Linux' abstract namespace.
static bool set_address(AppNotify *notify, const char *path) {
    const size_t length = strlen(path);
    if ((path[0] != '/' && path[0] != '@') || length < 2 || length >= sizeof notify->address.sun_path)
        return false;
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, path, length + 1);
    if (path[0] == '@') notify->address.sun_path[0] = '\0';
    notify->address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return true;
}

// 0: nobody watches this process.
static uint64_t watchdog_ns(void) {
    const char *text = getenv("WATCHDOG_USEC"), *watched = getenv("WATCHDOG_PID");
    if (!text || (watched && strtoll(watched, NULL, 10) != (long long)getpid())) return 0;
    return strtoull(text, NULL, 10) * 1000;
}
