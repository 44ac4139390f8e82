// Our own mistakes end the program at once, in every build; a user's mistake is never one of them.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define SIM_ASSERT(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)
