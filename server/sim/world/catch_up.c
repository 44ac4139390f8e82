// Steps one character alone, so that it catches up with its world.
#include "world/world.h"

static void step_alone(SimWorld *world, SimCharacter *character, const SimWeather *weather);

bool sim_character_catch_up(SimWorld *world, SimCharacterId id, int ticks, const void *weather_bytes,
                            size_t size, SimBeforeTick *before, void *context, SimIssue *out_issue) {
    SimCharacter *character = sim_world_character(world, id);
    SimWeather weather = {0};
    if (!sim_weather_read(&weather, weather_bytes, size, out_issue)) return false;
    if (!character->asleep && !sim_groups_part(world, character)) {
        *out_issue = (SimIssue){.message = "out of memory"};
        return false;
    }
    for (int i = 0; i < ticks; i++) {
        if (before) before(context, i);
        if (!sim_weather_is_steady(&weather, character->root.position)) sim_world_wake(world, character);
        sim_weather_advance(&weather, 1.0f / (float)world->tick_rate);
        step_alone(world, character, &weather);
    }
    if (!character->asleep) sim_groups_rejoin(world, character);
    return true;
}

// While it sleeps, it has fallen asleep as long before the world's tick as it would have by this step.
static void step_alone(SimWorld *world, SimCharacter *character, const SimWeather *weather) {
    if (character->asleep) {
        if (character->asleep_since > 0) character->asleep_since--;
        return;
    }
    if (!sim_groups_part(world, character)) return; // it goes on a tick late
    SimKernelAir air;
    sim_weather_for_kernel(weather, &air);
    SimGroupTick step = sim_world_group_tick(world, character->group);
    step.weather = weather;
    step.kernel_air = &air;
    if (character->unplaced && !sim_group_place(character->group, &step)) return;
    sim_group_step(character->group, &step);
    world->conflicts_total += character->group->conflicts;
    if (world->sleep_ticks > 0 && character->still_ticks >= world->sleep_ticks)
        sim_groups_put_one_to_sleep(world, character, world->tick);
}
