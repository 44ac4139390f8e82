// Still characters may fall asleep; cloth on which nothing changes is slowed down until it is still.
#include "core/exact_math.h"
#include "garment/group.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

// m/s of the fastest particle; see SimGarmentState's top_speed_squared. A jacket that settles on a body is
// under it for good after 2.5 to 7 s (rubber 13) and then within 0.13 mm of where it would come to rest;
// rounding alone moves it at 0.2 mm/s. A root that is felt to turn slower than this, in rad/s, is still as
// well.
#define STILL_SPEED 1e-3f

// When cloth that is left alone begins to settle: after 2.5 s, but not before its own damping has had 5 times
// its time constant. From then on what slows it doubles every 0.1 s.
#define SETTLE_AFTER     2.5f // s
#define SETTLE_CONSTANTS 5.0f
#define SETTLE_DOUBLING  0.1f // s
#define SETTLE_MOST      24.0f

static bool is_left_alone(const SimCharacter *character, const SimGroupTick *tick);
static bool root_is_still(const SimCharacter *character, float h);
static bool is_pushed(const SimCharacter *character, int garment);
static bool garment_is_still(const SimCharacter *character, int garment);
static bool garments_are_still(const SimCharacter *character);

void sim_rest_update(SimCharacter *character, const SimGroupTick *tick) {
    bool alone = is_left_alone(character, tick);
    bool settles = alone && tick->settles && tick->kernel_air->still; // cloth may flap in a steady wind
    character->unmoved = settles ? character->unmoved + tick->dt : 0.0f;
    for (int g = 0; g < character->rig->info.garment_count; g++)
        character->unpushed[g] = is_pushed(character, g) ? 0.0f : character->unpushed[g] + tick->dt;
    character->still_ticks = alone && garments_are_still(character) ? character->still_ticks + 1 : 0;
}

float sim_rest_settling(const SimCharacter *character, int garment, float later) {
    float alone = fminf(character->unmoved, character->unpushed[garment]), unmoved = alone + later;
    if (alone <= 0.0f || unmoved < SETTLE_AFTER) return 0.0f;
    float after = SETTLE_CONSTANTS / fmaxf(character->fabrics[garment].now.damping, 1e-3f);
    float doublings = (unmoved - fmaxf(after, SETTLE_AFTER)) / SETTLE_DOUBLING;
    return doublings > 0.0f ? sim_pow(2.0f, fminf(doublings, SETTLE_MOST)) - 1.0f : 0.0f;
}

// True while nothing changes that acts on the character.
static bool is_left_alone(const SimCharacter *character, const SimGroupTick *tick) {
    for (int g = 0; g < character->rig->info.garment_count; g++)
        if (character->fabrics[g].left > 0.0f || character->fabrics[g].changed) return false;
    for (int i = 0; i < character->rig->info.seam_count; i++)
        if (character->seams[i].left > 0.0f) return false;
    return root_is_still(character, tick->dt / (float)tick->substep_count) &&
           sim_player_is_still(&character->player, character->rig) && sim_pose_is_still(&character->pose) &&
           sim_weather_is_steady(tick->weather, character->root.position);
}

static bool root_is_still(const SimCharacter *character, float h) {
    if (character->teleport != SIM_TELEPORT_NONE) return false;
    if (memcmp(&character->root, &character->root_start, sizeof character->root) != 0) return false;
    for (int g = 0; g < character->rig->info.garment_count; g++) { // the felt motion may lag behind
        SimRootMotion *motion = &character->root_motions[g];
        if (glm_vec3_norm(motion->back) > STILL_SPEED * h) return false;
        if (glm_vec3_norm(motion->turn_back) > STILL_SPEED * h) return false;
    }
    return true;
}

// True when it meets a collider on moving cloth.
static bool is_pushed(const SimCharacter *character, int garment) {
    const SimRig *rig = character->rig;
    const SimGarmentInfo *info = &rig->info.garments[garment];
    for (int i = 0; i < info->collider_count; i++) {
        int carrier = rig->collider_garment[info->colliders[i]];
        if (carrier >= 0 && !garment_is_still(character, carrier)) return true;
    }
    return false;
}

static bool garment_is_still(const SimCharacter *character, int garment) {
    const SimGroup *group = character->group;
    float top_speed_squared =
        *sim_group_lane(group, group->garments[garment].state.top_speed_squared, character->lane).first;
    return top_speed_squared < STILL_SPEED * STILL_SPEED; // false for NaN
}

static bool garments_are_still(const SimCharacter *character) {
    for (int g = 0; g < character->rig->info.garment_count; g++)
        if (!garment_is_still(character, g)) return false;
    return true;
}
