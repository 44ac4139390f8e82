// A build without nats.c.
#include "cluster/broker/bridge.h"

#include <stdio.h>

bool app_bridge_is_built_in(void) {
    return false;
}

bool app_bridge_open(AppBridge *bridge, const AppBridgeDef *def, char *out_message, size_t capacity) {
    *bridge = (AppBridge){.def = *def};
    snprintf(out_message, capacity, "this build has no NATS (Debian: libnats-dev)");
    return false;
}

void app_bridge_stop(AppBridge *bridge) {
    (void)bridge;
}

void app_bridge_close(AppBridge *bridge) {
    (void)bridge;
}

void app_bridge_set_status(AppBridge *bridge, const char *status) {
    (void)bridge;
    (void)status;
}

void app_bridge_set_time(AppBridge *bridge, const char *text) {
    (void)bridge;
    (void)text;
}
