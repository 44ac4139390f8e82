// Rigs and characters between ticks: creation, commands, and what others may read.
#include "world_data.h"

#include "rotation.h"

#include <stdlib.h>
#include <string.h>

static SimRig *find_rig(const SimWorld *world, SimRigId rig) {
    return sim_table_get(&world->rigs, rig.index, rig.generation);
}

SimCharacter *sim_world_character(const SimWorld *world, SimCharacterId character) {
    SimCharacter *found = sim_table_get(&world->characters, character.index, character.generation);
    SIM_ASSERT(found);
    return found;
}

SimRigId sim_rig_create(SimWorld *world, const SimRigDef *def, SimIssue *out_issue) {
    SimRigId id = {0};
    SimRig *rig = sim_rig_compile(def, out_issue);
    if (rig && !sim_table_add(&world->rigs, rig, &id.index, &id.generation)) {
        *out_issue = (SimIssue){.message = "not enough memory"};
        sim_rig_destroy(rig);
        return (SimRigId){0};
    }
    return id;
}

static void drop_rig(SimWorld *world, SimRigId id) {
    SimRig *rig = find_rig(world, id);
    if (--rig->users > 0) return;
    sim_table_remove(&world->rigs, id.index);
    sim_rig_destroy(rig);
}

void sim_rig_release(SimWorld *world, SimRigId rig) {
    SIM_ASSERT(find_rig(world, rig));
    drop_rig(world, rig);
}

const SimRigInfo *sim_rig_info(const SimWorld *world, SimRigId rig) {
    const SimRig *found = find_rig(world, rig);
    return found ? &found->info : NULL;
}

static SimGroup *create_group(SimWorld *world, SimRig *rig, const SimKernel *kernel) {
    if (world->group_count == world->group_capacity) {
        int capacity = world->group_capacity ? 2 * world->group_capacity : 16;
        SimGroup **grown = realloc(world->groups, (size_t)capacity * sizeof(SimGroup *));
        if (!grown) return NULL;
        world->groups = grown;
        world->group_capacity = capacity;
    }
    SimGroup *group = sim_group_create(rig, kernel, world->strip_kernel, world->substeps);
    if (group) world->groups[world->group_count++] = group;
    return group;
}

static void drop_group(SimWorld *world, SimGroup *group) {
    int place = 0;
    while (world->groups[place] != group) place++;
    sim_group_destroy(group);
    // Order is kept: the same calls give the same tasks.
    for (int i = place + 1; i < world->group_count; i++) world->groups[i - 1] = world->groups[i];
    world->group_count--;
}

// Those of the rig that are alone in their group move into one that has room for all.
static void gather_narrow(SimWorld *world, SimRig *rig, SimGroup *wide) {
    for (int i = 0; i < world->group_count; i++) {
        SimGroup *group = world->groups[i];
        if (group->rig != rig || group->width > 1) continue;
        sim_group_move(wide, group->characters[0]);
        drop_group(world, group);
        i--;
    }
}

// The first group of the rig with a free lane, so that groups stay full; a new one where there is none. A few
// characters have a lane each of their own, since all of a wide group's lanes cost, used or not.
static SimGroup *group_with_room(SimWorld *world, SimRig *rig) {
    int narrow = 0;
    for (int i = 0; i < world->group_count; i++) {
        SimGroup *group = world->groups[i];
        if (group->rig != rig) continue;
        if (group->count < group->width) return group;
        narrow += group->width == 1;
    }
    bool alone = rig->has_strips || narrow < world->narrow_most;
    SimGroup *group = create_group(world, rig, alone ? &sim_kernel_scalar : world->kernel);
    if (group && group->width > 1) gather_narrow(world, rig, group);
    return group;
}

SimCharacterId sim_character_create(SimWorld *world, SimRigId rig_id, const SimTransform *root_world,
                                    SimIssue *out_issue) {
    SimRig *rig = find_rig(world, rig_id);
    SIM_ASSERT(rig);
    *out_issue = (SimIssue){.message = "not enough memory"};
    SimCharacter *character = sim_character_allocate(rig_id, rig, root_world);
    if (!character) return (SimCharacterId){0};
    SimCharacterId id;
    if (!sim_table_add(&world->characters, character, &id.index, &id.generation)) {
        sim_character_free(character);
        return (SimCharacterId){0};
    }
    SimGroup *group = group_with_room(world, rig);
    if (!group) {
        sim_table_remove(&world->characters, id.index);
        sim_character_free(character);
        return (SimCharacterId){0};
    }
    character->id = id;
    sim_group_add(group, character);
    rig->users++;
    return id;
}

void sim_character_destroy(SimWorld *world, SimCharacterId id) {
    SimCharacter *character = sim_world_character(world, id);
    SimGroup *group = character->group;
    sim_group_remove(group, character);
    if (group->count == 0) drop_group(world, group);
    sim_table_remove(&world->characters, id.index);
    SimRigId rig = character->rig_id;
    sim_character_free(character);
    drop_rig(world, rig);
}

bool sim_character_exists(const SimWorld *world, SimCharacterId character) {
    return sim_table_get(&world->characters, character.index, character.generation) != NULL;
}

SimRigId sim_character_rig(const SimWorld *world, SimCharacterId character) {
    return sim_world_character(world, character)->rig_id;
}

void sim_character_reset(SimWorld *world, SimCharacterId character) {
    sim_character_to_start(sim_world_character(world, character));
}

void sim_character_move(SimWorld *world, SimCharacterId id, const SimTransform *root_world,
                        SimTeleport teleport) {
    SimCharacter *character = sim_world_character(world, id);
    character->root = *root_world;
    glm_quat_normalize(character->root.rotation);
    sim_character_teleport(character, teleport);
}

SimTransform sim_character_root(const SimWorld *world, SimCharacterId character) {
    return sim_world_character(world, character)->root;
}

SimPlay sim_default_play(void) {
    return (SimPlay){.speed = 1.0f, .fade = 0.2f};
}

void sim_character_play(SimWorld *world, SimCharacterId id, int clip, const SimPlay *play) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(clip >= 0 && clip < character->rig->info.clip_count);
    SimPlay first = *play;
    if (character->unplaced) first.fade = 0.0f; // there is no pose to fade from
    sim_player_play(&character->player, clip, &first);
}

void sim_character_stop(SimWorld *world, SimCharacterId id, int clip, float fade) {
    sim_player_stop(&sim_world_character(world, id)->player, clip, fade);
}

void sim_character_hold(SimWorld *world, SimCharacterId id) {
    sim_world_character(world, id)->player.held = true;
}

int sim_character_clip(const SimWorld *world, SimCharacterId id, float *out_time) {
    const SimPlayer *player = &sim_world_character(world, id)->player;
    *out_time = 0.0f;
    if (!player->count) return -1;
    const SimPlayerLayer *top = &player->layers[player->count - 1];
    *out_time = top->clip < 0 ? 0.0f : (float)top->time;
    return top->clip;
}

static void ramp_fabric(SimCharacter *character, int garment, const SimFabric *fabric) {
    const SimGroup *group = character->group;
    const SimGarmentState *state = &group->garments[garment].state;
    SimFabricRamp *ramp = &character->fabrics[garment];
    sim_fabric_ramp_start(ramp, fabric);
    sim_fabric_ramp_begin_at_use(ramp, &character->rig->garments[garment].topology,
                                 sim_group_lane(group, state->position, character->lane),
                                 sim_group_lane(group, state->reference1, character->lane));
}

void sim_garment_set_fabric(SimWorld *world, SimCharacterId id, int garment, const SimFabric *fabric,
                            bool ramp) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(garment >= 0 && garment < character->rig->info.garment_count);
    if (ramp && !character->unplaced)
        ramp_fabric(character, garment, fabric);
    else
        sim_fabric_ramp_set(&character->fabrics[garment], fabric);
}

const SimFabric *sim_garment_fabric(const SimWorld *world, SimCharacterId id, int garment) {
    return &sim_world_character(world, id)->fabrics[garment].to;
}

void sim_seam_set_closed(SimWorld *world, SimCharacterId id, int seam, bool closed) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(seam >= 0 && seam < character->rig->info.seam_count);
    SimSeamState *state = &character->seams[seam];
    if (state->closed == closed) return;
    // Cloth that has no state yet is placed as it is to be.
    *state = (SimSeamState){closed, closed && !character->unplaced ? SIM_RAMP_SECONDS : 0.0f};
}

bool sim_seam_closed(const SimWorld *world, SimCharacterId id, int seam) {
    return sim_world_character(world, id)->seams[seam].closed;
}

const mat4 *sim_character_bones_model(const SimWorld *world, SimCharacterId character) {
    return (const mat4 *)sim_world_character(world, character)->model;
}

void sim_garment_particles_model(const SimWorld *world, SimCharacterId id, int garment,
                                 float (*out_positions)[3]) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimGroup *group = character->group;
    sim_group_copy_lane(group, group->garments[garment].state.position,
                        group->rig->garments[garment].info.particle_count, character->lane, out_positions);
}

void sim_garment_references_model(const SimWorld *world, SimCharacterId id, int garment,
                                  float (*out_positions)[3]) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimGroup *group = character->group;
    sim_group_copy_lane(group, group->garments[garment].state.reference1,
                        group->rig->garments[garment].info.particle_count, character->lane, out_positions);
}

void sim_garment_max_distances(const SimWorld *world, SimCharacterId id, int garment, float *out_distances) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimTopology *topology = &character->rig->garments[garment].topology;
    const SimFabric *fabric = &character->fabrics[garment].now;
    for (int p = 0; p < topology->particle_count; p++) {
        float limit =
            topology->max_distance_fixed[p] + topology->max_distance_scaled[p] * fabric->max_distance;
        out_distances[p] = topology->edge[p] ? limit * fabric->edge.max_distance : limit;
    }
}

static float bone_number(const SimCharacter *character, int garment, int bone, size_t number) {
    return sim_group_bone_number(character->group, garment, bone, number, character->lane);
}

void sim_garment_wrinkles(const SimWorld *world, SimCharacterId id, int garment, float *out_warp,
                          float *out_weft) {
    const SimCharacter *character = sim_world_character(world, id);
    for (int i = 0; i < character->rig->garments[garment].info.bone_count; i++) {
        out_warp[i] = bone_number(character, garment, i, SIM_NUMBER(SimBoneFrame, warp));
        out_weft[i] = bone_number(character, garment, i, SIM_NUMBER(SimBoneFrame, weft));
    }
}

void sim_garment_bone_confidence(const SimWorld *world, SimCharacterId id, int garment,
                                 float *out_confidence) {
    const SimCharacter *character = sim_world_character(world, id);
    for (int i = 0; i < character->rig->garments[garment].info.bone_count; i++)
        out_confidence[i] = bone_number(character, garment, i, SIM_NUMBER(SimBoneFrame, confidence));
}
