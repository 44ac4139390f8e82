// SIM_ASSERT for faults of the program, which end it in every build; SimIssue for a user's mistakes, which
// the caller reports.
#pragma once

#include "sim/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM_ASSERT(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

// Fills issue and returns false, for the caller to return.
__attribute__((format(printf, 3, 4))) static inline bool
sim_issue_set(SimIssue *out_issue, const char *message, const char *path_format, ...) {
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(out_issue->path, sizeof out_issue->path, path_format, arguments);
    va_end(arguments);
    snprintf(out_issue->message, sizeof out_issue->message, "%s", message);
    return false;
}

// True for 1 to 64 bytes without the characters of patterns.
static inline bool sim_is_name(const char *name) {
    return name && name[0] && strlen(name) <= 64 && !strpbrk(name, "*?[");
}
