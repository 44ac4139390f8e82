// Sleep and waking. A sleeping character keeps all of its state, velocities included: on waking its cloth
// continues without a visible jump.
#include "world/world.h"

static void wake_where(SimWorld *world, bool (*reaches)(const void *what, const vec3 point_world),
                       const void *what);
static bool everywhere(const void *what, const vec3 point_world);
static bool tornado_reaches(const void *state, const vec3 point_world);
static bool weather_changes(const void *weather, const vec3 point_world);

void sim_sleep_wake(SimWorld *world, SimCharacter *character) {
    character->unmoved = 0.0f;
    character->still_ticks = 0;
    if (!character->asleep) return;
    SimPlayer *player = &character->player;
    for (int i = 0; i < player->count; i++) player->layers[i].time = sim_sleep_clip_time(world, character, i);
    sim_groups_wake(world, character);
}

double sim_sleep_clip_time(const SimWorld *world, const SimCharacter *character, int layer) {
    const SimPlayerLayer *playing = &character->player.layers[layer];
    if (!character->asleep) return playing->time;
    double slept = (double)(world->tick - character->asleep_since) / world->tick_rate;
    return playing->time + slept * (double)playing->speed;
}

void sim_sleep_wake_all(SimWorld *world) {
    wake_where(world, everywhere, NULL);
}

void sim_sleep_wake_near(SimWorld *world, const SimTornadoState *state) {
    wake_where(world, tornado_reaches, state);
}

void sim_sleep_begin_tick(SimWorld *world) {
    if (!sim_weather_is_steady_everywhere(&world->weather))
        wake_where(world, weather_changes, &world->weather);
}

void sim_sleep_end_tick(SimWorld *world) {
    if (world->sleep_ticks > 0) sim_groups_put_to_sleep(world);
}

static void wake_where(SimWorld *world, bool (*reaches)(const void *what, const vec3 point_world),
                       const void *what) {
    for (uint32_t i = 0; i < world->characters.used; i++) {
        SimCharacter *character = world->characters.items[i];
        bool rests = character && (character->asleep || character->unmoved > 0.0f);
        if (rests && reaches(what, character->root.position)) sim_sleep_wake(world, character);
    }
}

static bool everywhere(const void *what, const vec3 point_world) {
    (void)what, (void)point_world;
    return true;
}

static bool tornado_reaches(const void *state, const vec3 point_world) {
    return sim_tornado_reaches(state, point_world);
}

static bool weather_changes(const void *weather, const vec3 point_world) {
    return !sim_weather_is_steady(weather, point_world);
}
