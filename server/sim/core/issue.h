// Writing down a user's mistake.
#pragma once

#include "sim/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Always false, for the caller to return.
__attribute__((format(printf, 3, 4))) static inline bool fail(SimIssue *out_issue, const char *message,
                                                              const char *path_format, ...) {
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(out_issue->path, sizeof out_issue->path, path_format, arguments);
    va_end(arguments);
    snprintf(out_issue->message, sizeof out_issue->message, "%s", message);
    return false;
}

// 1 to 64 bytes, none that patterns of names use.
static inline bool is_name(const char *name) {
    return name && name[0] && strlen(name) <= 64 && !strpbrk(name, "*?[");
}
