// What time it is.
#include "server/app.h"

uint64_t app_effect_tick(const App *app) {
    return app->tick + (app->beginning ? 1 : 0);
}

double app_time(const App *app) {
    return (double)app->tick / app->characters.tick_rate;
}

bool app_is_paused(const App *app) {
    return app_pause_locks_any(&app->pause_locks);
}
