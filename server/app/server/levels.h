// Levels of detail: which of its cloth a character has simulated, by the scene's distances and by what is
// shed where ticks take longer than their time.
#pragma once

#include "server/app.h"

// At the beginning of a tick, before it is simulated. Four times a second it looks at distances and load.
void app_levels_update(App *app);

// The simulation of a tick begins and ends.
void app_levels_begin_cloth(App *app);
void app_levels_end_cloth(App *app);

typedef struct AppLevelCounts {
    int characters[SIM_LEVELS]; // at each level
} AppLevelCounts;

AppLevelCounts app_levels_count(const App *app);
