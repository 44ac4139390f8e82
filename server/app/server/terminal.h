// What a person at the terminal sees: what was loaded, where it listens, how it goes.
#pragma once

#include <stdint.h>

typedef struct App App;

typedef struct AppStatus {
    uint64_t tick; // at the last status line
    uint64_t time_ns;
} AppStatus;

// Once everything listens.
void app_terminal_greet(App *app);

// The status line; called once a second.
void app_terminal_update(App *app);
