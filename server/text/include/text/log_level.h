// The levels of log lines, for all layers, --log and the protocol's log event.
#pragma once

#include <stddef.h>

typedef enum TextLogLevel {
    TEXT_LOG_ERROR,
    TEXT_LOG_WARNING,
    TEXT_LOG_INFO,
    TEXT_LOG_DEBUG,
} TextLogLevel;

// In the order of the enumerators, NULL-terminated.
static const char *const text_log_level_names[] = {"error", "warning", "info", "debug", NULL};
