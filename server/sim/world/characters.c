// Rigs and characters between ticks: creation, commands, waking, and what others may read.
#include "rig/rig_morph.h"
#include "sim/ranges.h"
#include "topology/springs.h"
#include "world/world.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

const char *const sim_level_names[SIM_LEVELS] = {"full", "reduced", "skinned"};

static SimRig *find_rig(const SimWorld *world, SimRigId rig);
static void drop_rig(SimWorld *world, SimRigId id);
static double clip_time(const SimWorld *world, const SimCharacter *character, int layer);
static void ramp_fabric(SimCharacter *character, int garment, const SimFabric *fabric);
static float bone_number(const SimCharacter *character, int garment, int bone, size_t number);

SimCharacter *sim_world_character(const SimWorld *world, SimCharacterId character) {
    SimCharacter *found = sim_table_get(&world->characters, character.index, character.generation);
    SIM_ASSERT(found);
    return found;
}

// It keeps all of its state, velocities included: its cloth continues without a visible jump.
void sim_world_wake(SimWorld *world, SimCharacter *character) {
    character->unmoved = 0.0f;
    character->still_ticks = 0;
    if (!character->asleep) return;
    SimPlayer *player = &character->player;
    for (int i = 0; i < player->count; i++) player->layers[i].time = clip_time(world, character, i);
    sim_groups_wake(world, character);
}

SimRigId sim_rig_create(SimWorld *world, const SimRigDef *def, SimIssue *out_issue) {
    SimRigId id = {0};
    SimRig *rig = sim_rig_compile(def, out_issue);
    if (rig && !sim_table_add(&world->rigs, rig, &id.index, &id.generation)) {
        *out_issue = (SimIssue){.message = "out of memory"};
        sim_rig_destroy(rig);
        return (SimRigId){0};
    }
    return id;
}

void sim_rig_release(SimWorld *world, SimRigId rig) {
    SIM_ASSERT(find_rig(world, rig));
    drop_rig(world, rig);
}

void sim_rig_retain(SimWorld *world, SimRigId id) {
    SimRig *rig = find_rig(world, id);
    SIM_ASSERT(rig);
    rig->users++;
}

const SimRigInfo *sim_rig_info(const SimWorld *world, SimRigId rig) {
    const SimRig *found = find_rig(world, rig);
    return found ? &found->info : NULL;
}

SimCharacterId sim_character_create(SimWorld *world, SimRigId rig_id, const SimTransform *root_world,
                                    SimIssue *out_issue) {
    SimRig *rig = find_rig(world, rig_id);
    SIM_ASSERT(rig);
    *out_issue = (SimIssue){.message = "out of memory"};
    SimCharacter *character = sim_character_allocate(rig_id, rig, root_world);
    if (!character) return (SimCharacterId){0};
    SimCharacterId id;
    if (!sim_table_add(&world->characters, character, &id.index, &id.generation)) {
        sim_character_free(character);
        return (SimCharacterId){0};
    }
    if (!sim_groups_join(world, character)) {
        sim_table_remove(&world->characters, id.index);
        sim_character_free(character);
        return (SimCharacterId){0};
    }
    character->id = id;
    rig->users++;
    return id;
}

void sim_character_destroy(SimWorld *world, SimCharacterId id) {
    SimCharacter *character = sim_world_character(world, id);
    sim_groups_leave(world, character);
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

void sim_character_move(SimWorld *world, SimCharacterId id, const SimTransform *root_world,
                        SimTeleport teleport) {
    SimCharacter *character = sim_world_character(world, id);
    SimTransform before = character->root;
    character->root = *root_world;
    glm_quat_normalize(character->root.rotation);
    sim_character_teleport(character, teleport);
    if (teleport != SIM_TELEPORT_NONE || memcmp(&character->root, &before, sizeof before) != 0)
        sim_world_wake(world, character);
}

SimTransform sim_character_root(const SimWorld *world, SimCharacterId character) {
    return sim_world_character(world, character)->root;
}

SimPlay sim_default_play(void) {
#define DEFAULT(unit, minimum, maximum, otherwise) ((float)(otherwise))
    return (SimPlay){.speed = SIM_WITH_RANGE(DEFAULT, SIM_RANGE_PLAY_SPEED),
                     .fade = SIM_WITH_RANGE(DEFAULT, SIM_RANGE_PLAY_FADE),
                     .weight = SIM_WITH_RANGE(DEFAULT, SIM_RANGE_PLAY_WEIGHT)};
}

void sim_character_play(SimWorld *world, SimCharacterId id, int clip, const SimPlay *play) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(clip >= 0 && clip < character->rig->info.clip_count);
    SimPlay first = *play;
    if (character->unplaced) first.fade = 0.0f; // there is no pose to fade from
    sim_world_wake(world, character);
    sim_player_play(&character->player, clip, &first);
}

void sim_character_stop(SimWorld *world, SimCharacterId id, int clip, float fade) {
    SimCharacter *character = sim_world_character(world, id);
    if (!sim_player_plays(&character->player, clip)) return;
    sim_world_wake(world, character);
    sim_player_stop(&character->player, clip, fade);
}

void sim_character_pause_clips(SimWorld *world, SimCharacterId id) {
    sim_world_character(world, id)->player.held = true;
}

int sim_character_clip(const SimWorld *world, SimCharacterId id, float *out_time) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimPlayer *player = &character->player;
    *out_time = 0.0f;
    if (!player->count) return -1;
    const SimPlayerLayer *top = &player->layers[player->count - 1];
    if (top->clip >= 0) *out_time = (float)clip_time(world, character, player->count - 1);
    return top->clip;
}

int sim_character_playing(const SimWorld *world, SimCharacterId id, SimPlay *out_play) {
    const SimPlayer *player = &sim_world_character(world, id)->player;
    *out_play = sim_default_play();
    const int clip = sim_character_clip(world, id, &out_play->at);
    if (clip < 0) return clip;
    const SimPlayerLayer *top = &player->layers[player->count - 1];
    out_play->loop = top->loop;
    out_play->speed = top->speed;
    out_play->in_place = top->in_place;
    out_play->fade = 0.0f;
    return clip;
}

void sim_character_set_pose(SimWorld *world, SimCharacterId id, const SimPoseDef *pose) {
    SimCharacter *character = sim_world_character(world, id);
    for (int i = 0; i < pose->bone_count; i++)
        SIM_ASSERT(pose->bones[i].bone >= 0 && pose->bones[i].bone < character->rig->posed_bone_count);
    if (sim_pose_set(&character->pose, pose)) sim_world_wake(world, character);
    if (!character->asleep) return; // the next tick takes the sequence
    character->has_sequence = character->pose.has_sequence;
    character->sequence = character->pose.sequence;
}

void sim_character_release_pose(SimWorld *world, SimCharacterId id, const int *bones, int bone_count) {
    SimCharacter *character = sim_world_character(world, id);
    bool released = false;
    for (int i = 0; i < (bones ? bone_count : character->rig->posed_bone_count); i++)
        released |= sim_pose_release(&character->pose, bones ? bones[i] : i);
    if (released) sim_world_wake(world, character);
}

void sim_world_release_pose_owner(SimWorld *world, uint64_t owner) {
    for (uint32_t i = 0; i < world->characters.used; i++) {
        SimCharacter *character = world->characters.items[i];
        if (character && sim_pose_release_owner(&character->pose, owner)) sim_world_wake(world, character);
    }
}

int sim_character_posed(const SimWorld *world, SimCharacterId id, SimPosed *out_posed) {
    const SimPose *pose = &sim_world_character(world, id)->pose;
    int count = 0;
    for (int i = 0; i < pose->bone_count && pose->posed_count > 0; i++) {
        const SimPosedBone *bone = &pose->bones[i];
        if (bone->state != SIM_POSED_HELD) continue;
        SimPosed *out = &out_posed[count++];
        *out = (SimPosed){
            .value = {.bone = i, .has_rotation = bone->has_rotation, .has_position = bone->has_position},
            .rotation_space = bone->rotation_space,
            .position_space = bone->position_space,
            .owner = bone->owner};
        glm_vec4_copy((float *)bone->rotation, out->value.rotation);
        glm_vec3_copy((float *)bone->position, out->value.position);
    }
    return count;
}

void sim_character_map_pose_owners(SimWorld *world, SimCharacterId id,
                                   uint64_t (*map)(void *context, uint64_t owner), void *context) {
    const SimPose *pose = &sim_world_character(world, id)->pose;
    for (int i = 0; i < pose->bone_count && pose->posed_count > 0; i++)
        if (pose->bones[i].state != SIM_POSED_NOT) pose->bones[i].owner = map(context, pose->bones[i].owner);
}

bool sim_character_sequence(const SimWorld *world, SimCharacterId id, int64_t *out_sequence) {
    const SimCharacter *character = sim_world_character(world, id);
    *out_sequence = character->sequence;
    return character->has_sequence;
}

void sim_character_next_bones_model(const SimWorld *world, SimCharacterId id, mat4 *out_model,
                                    SimTransform *out_root_world) {
    SimCharacter *character = sim_world_character(world, id);
    SimPlayer player = character->player;
    for (int i = 0; i < player.count; i++) player.layers[i].time = clip_time(world, character, i);
    sim_character_predict(character, &player, 1.0f / (float)world->tick_rate, out_model, out_root_world);
}

void sim_garment_set_fabric(SimWorld *world, SimCharacterId id, int garment, const SimFabric *fabric,
                            bool ramp) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(garment >= 0 && garment < character->rig->info.garment_count);
    const SimFabricRamp *now = &character->fabrics[garment];
    if (now->left <= 0.0f && memcmp(&now->to, fabric, sizeof *fabric) == 0) return; // no change
    sim_world_wake(world, character);
    if (ramp && !character->unplaced)
        ramp_fabric(character, garment, fabric);
    else
        sim_fabric_ramp_set(&character->fabrics[garment], fabric);
}

const SimFabric *sim_garment_fabric(const SimWorld *world, SimCharacterId id, int garment) {
    return &sim_world_character(world, id)->fabrics[garment].to;
}

SimSpringPlan sim_garment_springs(const SimWorld *world, SimCharacterId id, int garment) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimGarmentType *type = &character->rig->garments[garment];
    const SimFabricRamp *ramp = &character->fabrics[garment];
    if (!type->topology.mass_spring) return (SimSpringPlan){1, 1.0f, HUGE_VALF};
    const float h = 1.0f / (float)(world->tick_rate * world->substeps);
    return sim_spring_plan(&type->spring_modes, &ramp->to, h);
}

void sim_seam_set_closed(SimWorld *world, SimCharacterId id, int seam, bool closed) {
    SimCharacter *character = sim_world_character(world, id);
    SIM_ASSERT(seam >= 0 && seam < character->rig->info.seam_count);
    SimSeamState *state = &character->seams[seam];
    if (state->closed == closed) return;
    sim_world_wake(world, character);
    // Unplaced cloth starts sewn or open; other cloth is drawn together over the ramp.
    *state = (SimSeamState){closed, closed && !character->unplaced ? SIM_RAMP_SECONDS : 0.0f};
}

bool sim_seam_closed(const SimWorld *world, SimCharacterId id, int seam) {
    return sim_world_character(world, id)->seams[seam].closed;
}

bool sim_character_set_level(SimWorld *world, SimCharacterId id, SimLevel level) {
    SimCharacter *character = sim_world_character(world, id);
    const SimLevel before = character->group->level;
    if (before == level) return true;
    sim_world_wake(world, character);
    if (!sim_groups_set_level(world, character, level)) return false;
    const float ramp = character->unplaced ? 0.0f : SIM_RAMP_SECONDS;
    character->until_skinned = level == SIM_LEVEL_SKINNED ? ramp : 0.0f;
    character->until_untangled = 0.0f;
    character->tangled = 0.0f;
    character->was_reduced = before == SIM_LEVEL_REDUCED;
    if (before == SIM_LEVEL_SKINNED || level == SIM_LEVEL_SKINNED)
        character->until_simulated = before == SIM_LEVEL_SKINNED ? ramp : 0.0f;
    return true;
}

SimLevel sim_character_level(const SimWorld *world, SimCharacterId id) {
    return sim_world_character(world, id)->group->level;
}

uint64_t sim_character_still_since(const SimWorld *world, SimCharacterId id) {
    const SimCharacter *character = sim_world_character(world, id);
    return character->asleep ? character->asleep_since : world->tick;
}

const mat4 *sim_character_bones_model(const SimWorld *world, SimCharacterId character) {
    return (const mat4 *)sim_world_character(world, character)->model;
}

void sim_garment_particles_model(const SimWorld *world, SimCharacterId id, int garment,
                                 float (*out_positions)[3]) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimGroup *group = character->group;
    sim_lane_to_vectors(sim_group_lane(group, group->garments[garment].state.position, character->lane),
                        group->rig->garments[garment].info.particle_count, out_positions);
}

void sim_garment_references_model(const SimWorld *world, SimCharacterId id, int garment,
                                  float (*out_positions)[3]) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimGroup *group = character->group;
    sim_lane_to_vectors(sim_group_lane(group, group->garments[garment].state.reference1, character->lane),
                        group->rig->garments[garment].info.particle_count, out_positions);
}

void sim_garment_max_distances(const SimWorld *world, SimCharacterId id, int garment, float *out_distances) {
    const SimCharacter *character = sim_world_character(world, id);
    const SimTopology *topology = &character->rig->garments[garment].topology;
    const SimFabric *fabric = &character->fabrics[garment].now;
    const float *fixed = sim_rig_morph_target(character->rig, garment, topology->max_distance_fixed);
    const float *scaled = sim_rig_morph_target(character->rig, garment, topology->max_distance_scaled);
    for (int p = 0; p < topology->particle_count; p++) { // as max_distance in kernel/collide/max_distance.h
        float limit = fixed[p] + scaled[p] * fabric->max_distance;
        const bool widened = topology->edge[p] && !topology->max_distances_given;
        out_distances[p] = widened ? limit * fabric->edge.max_distance : limit;
    }
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

static SimRig *find_rig(const SimWorld *world, SimRigId rig) {
    return sim_table_get(&world->rigs, rig.index, rig.generation);
}

static void drop_rig(SimWorld *world, SimRigId id) {
    SimRig *rig = find_rig(world, id);
    if (--rig->users > 0) return;
    sim_table_remove(&world->rigs, id.index);
    sim_rig_destroy(rig);
}

// Time in s of a clip that plays. It advances for sleeping characters as well, past the clip's end.
static double clip_time(const SimWorld *world, const SimCharacter *character, int layer) {
    const SimPlayerLayer *playing = &character->player.layers[layer];
    if (!character->asleep) return playing->time;
    double slept = (double)(world->tick - character->asleep_since) / world->tick_rate;
    return playing->time + slept * (double)playing->speed;
}

static void ramp_fabric(SimCharacter *character, int garment, const SimFabric *fabric) {
    const SimGroup *group = character->group;
    const SimGarmentState *state = &group->garments[garment].state;
    const SimGarmentType *type = &character->rig->garments[garment];
    SimFabricRamp *ramp = &character->fabrics[garment];
    sim_fabric_ramp_start(ramp, fabric);
    sim_fabric_ramp_begin_at_use(ramp, &type->topology,
                                 sim_group_lane(group, state->position, character->lane),
                                 sim_group_lane(group, state->reference1, character->lane));
}

static float bone_number(const SimCharacter *character, int garment, int bone, size_t number) {
    return sim_group_bone_number(character->group, garment, bone, number, character->lane);
}
