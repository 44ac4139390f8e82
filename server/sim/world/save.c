// The state of a character, and of the air, as bytes. What is read is put together apart first, and taken
// over only when it is whole.
#include "core/archive.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC         "tweed character"
#define WEATHER_MAGIC "tweed weather"
#define VERSION       1

// What is written or read beside the character itself.
typedef struct Saved {
    SimRig *rig;
    SimCharacter *character;
    int level;
    bool asleep;
    uint64_t slept;     // ticks
    float **cloth;      // [garment_count][cloth_size of it]
    size_t *cloth_size; // [garment_count]
} Saved;

static unsigned char *end_writing(SimArchive *archive, size_t *out_size);
static void archive_weather(SimArchive *archive, SimWeather *weather);
static void archive_wind(SimArchive *archive, SimWind *wind);
static void archive_tornado(SimArchive *archive, SimTornadoState *state);
static bool saved_init(Saved *saved, SimRig *rig);
static void saved_finish(Saved *saved);
static void gather_cloth(const SimCharacter *character, Saved *saved, bool back);
static void archive_all(SimArchive *archive, Saved *saved);
static void archive_rig(SimArchive *archive, const SimRig *rig);
static void archive_garment_type(SimArchive *archive, const SimGarmentType *type, const SimGarmentInfo *info);
static void archive_root(SimArchive *archive, SimCharacter *character);
static void archive_transform(SimArchive *archive, SimTransform *transform, const char *path);
static void archive_player(SimArchive *archive, const SimRig *rig, SimPlayer *player);
static void archive_layer(SimArchive *archive, const SimRig *rig, SimPlayerLayer *layer);
static void archive_clip(SimArchive *archive, const SimRig *rig, int *clip);
static void archive_pose(SimArchive *archive, SimCharacter *character);
static void archive_posed_bone(SimArchive *archive, SimPosedBone *bone);
static void archive_i64(SimArchive *archive, int64_t *number);
static void archive_garments(SimArchive *archive, Saved *saved);
static void archive_fabric(SimArchive *archive, SimFabricRamp *ramp);
static void archive_root_motion(SimArchive *archive, SimRootMotion *motion);
static void take_over(SimWorld *world, SimCharacter *to, Saved *saved);
static void take_times(const SimWorld *world, SimCharacter *to, uint64_t slept, uint64_t since);

unsigned char *sim_character_save(SimWorld *world, SimCharacterId id, size_t *out_size) {
    SimCharacter *character = sim_world_character(world, id);
    SimArchive archive = {.writes = true};
    Saved saved;
    if (!saved_init(&saved, character->rig)) {
        saved_finish(&saved);
        return NULL;
    }
    saved.character = character;
    saved.level = (int)character->group->level;
    saved.asleep = character->asleep;
    saved.slept = character->asleep ? world->tick - character->asleep_since : 0;
    gather_cloth(character, &saved, false);
    archive_all(&archive, &saved);
    saved_finish(&saved);
    return end_writing(&archive, out_size);
}

bool sim_character_restore(SimWorld *world, SimCharacterId id, const void *bytes, size_t size,
                           SimIssue *out_issue) {
    SimCharacter *character = sim_world_character(world, id);
    SimArchive archive = sim_archive_reader(bytes, size);
    Saved saved;
    *out_issue = (SimIssue){.message = "out of memory"};
    SimCharacter *staged = sim_character_allocate(character->rig_id, character->rig, &character->root);
    bool restored = false;
    if (saved_init(&saved, character->rig) && staged) {
        saved.character = staged;
        archive_all(&archive, &saved);
        sim_archive_end(&archive);
        if (archive.failed)
            *out_issue = archive.issue;
        else if (sim_character_set_level(world, id, (SimLevel)saved.level)) {
            take_over(world, character, &saved);
            restored = true;
        }
    }
    saved_finish(&saved);
    sim_character_free(staged);
    return restored;
}

bool sim_rig_accepts_state(const SimWorld *world, SimRigId rig_id, const void *bytes, size_t size,
                           SimIssue *out_issue) {
    SimRig *rig = sim_table_get(&world->rigs, rig_id.index, rig_id.generation);
    SIM_ASSERT(rig);
    SimArchive archive = sim_archive_reader(bytes, size);
    Saved saved;
    *out_issue = (SimIssue){.message = "out of memory"};
    SimCharacter *staged = sim_character_allocate(rig_id, rig, &SIM_TRANSFORM_IDENTITY);
    bool accepted = false;
    if (saved_init(&saved, rig) && staged) {
        saved.character = staged;
        archive_all(&archive, &saved);
        sim_archive_end(&archive);
        accepted = !archive.failed;
        if (!accepted) *out_issue = archive.issue;
    }
    saved_finish(&saved);
    sim_character_free(staged);
    return accepted;
}

unsigned char *sim_weather_save(const SimWorld *world, size_t *out_size) {
    SimArchive archive = {.writes = true};
    SimWeather weather = world->weather;
    archive_weather(&archive, &weather);
    return end_writing(&archive, out_size);
}

bool sim_weather_restore(SimWorld *world, const void *bytes, size_t size, uint64_t later,
                         SimIssue *out_issue) {
    SimWeather weather = {0};
    if (!sim_weather_read(&weather, bytes, size, out_issue)) return false;
    for (uint64_t i = 0; i < later; i++) sim_weather_advance(&weather, 1.0f / (float)world->tick_rate);
    sim_environment_set_weather(world, &weather);
    return true;
}

bool sim_weather_read(SimWeather *weather, const void *bytes, size_t size, SimIssue *out_issue) {
    SimArchive archive = sim_archive_reader(bytes, size);
    archive_weather(&archive, weather);
    sim_archive_end(&archive);
    *out_issue = archive.issue;
    return !archive.failed;
}

static unsigned char *end_writing(SimArchive *archive, size_t *out_size) {
    *out_size = archive->size;
    if (!archive->failed) return archive->written;
    free(archive->written);
    return NULL;
}

static void archive_weather(SimArchive *archive, SimWeather *weather) {
    sim_archive_same_text(archive, WEATHER_MAGIC, "");
    sim_archive_same(archive, VERSION, "version");
    sim_archive_u64(archive, &weather->seed);
    archive_wind(archive, &weather->wind);
    archive_wind(archive, &weather->wind_to);
    sim_archive_float(archive, &weather->left, "wind");
    for (int i = 0; i < 3; i++) sim_archive_double(archive, &weather->drift_world[i], "wind");
    sim_archive_int(archive, &weather->tornado_count, 0, SIM_KERNEL_TORNADOS, "tornados");
    for (int i = 0; i < weather->tornado_count; i++) archive_tornado(archive, &weather->tornados[i]);
}

static void archive_wind(SimArchive *archive, SimWind *wind) {
    sim_archive_floats(archive, wind->velocity_world, 3, "wind");
    sim_archive_float(archive, &wind->turbulence, "wind");
    sim_archive_float(archive, &wind->gust, "wind");
    SimEnvironment environment = {.wind = *wind};
    SimIssue issue;
    if (!archive->writes && !archive->failed && !sim_validate_environment(&environment, &issue))
        sim_archive_fail(archive, issue.path, "%.200s", issue.message);
}

static void archive_tornado(SimArchive *archive, SimTornadoState *state) {
    SimTornado *tornado = &state->tornado;
    sim_archive_text(archive, state->name, sizeof state->name, "tornados");
    sim_archive_floats(archive, tornado->position_world, 3, "tornados");
    sim_archive_float(archive, &tornado->radius, "tornados");
    sim_archive_float(archive, &tornado->strength, "tornados");
    sim_archive_float(archive, &tornado->lift, "tornados");
    sim_archive_floats(archive, tornado->velocity_world, 3, "tornados");
    for (int i = 0; i < 3; i++) sim_archive_double(archive, &state->position_world[i], "tornados");
    sim_archive_float(archive, &state->strength, "tornados");
    sim_archive_float(archive, &state->lift, "tornados");
    sim_archive_float(archive, &state->radius, "tornados");
    sim_archive_float(archive, &state->left, "tornados");
    sim_archive_bool(archive, &state->ends, "tornados");
    if (!archive->writes && !archive->failed && !(state->radius > 0.0f && tornado->radius > 0.0f))
        sim_archive_fail(archive, "tornados.radius", "expected more than 0 m, found %g",
                         (double)fminf(state->radius, tornado->radius));
}

// Returns false when memory runs out; finish it in any case.
static bool saved_init(Saved *saved, SimRig *rig) {
    *saved = (Saved){.rig = rig};
    const size_t garments = (size_t)rig->info.garment_count;
    saved->cloth = calloc(garments + 1, sizeof *saved->cloth);
    saved->cloth_size = calloc(garments + 1, sizeof *saved->cloth_size);
    if (!saved->cloth || !saved->cloth_size) return false;
    for (size_t g = 0; g < garments; g++) {
        SimStateArray arrays[SIM_STATE_ARRAYS];
        SimGarmentState none = {0};
        const int count = sim_state_kept(&rig->garments[g].topology, &none, arrays);
        for (int i = 0; i < count; i++) saved->cloth_size[g] += arrays[i].count;
        saved->cloth[g] = calloc(saved->cloth_size[g], sizeof(float));
        if (!saved->cloth[g]) return false;
    }
    return true;
}

static void saved_finish(Saved *saved) {
    for (int g = 0; saved->cloth && g < saved->rig->info.garment_count; g++) free(saved->cloth[g]);
    free(saved->cloth);
    free(saved->cloth_size);
}

// Copies the cloth of the character's lane to what is saved, or back. Cloth in strips has some of its numbers
// in the strips.
static void gather_cloth(const SimCharacter *character, Saved *saved, bool back) {
    SimGroup *group = character->group;
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        SimGroupGarment *garment = &group->garments[g];
        if (garment->strips && !back) sim_strip_garment_leave(garment->strips, &garment->state);
        if (garment->strips && back) sim_strip_garment_adopt(garment->strips, NULL);
        SimStateArray arrays[SIM_STATE_ARRAYS];
        const int count = sim_state_kept(&group->rig->garments[g].topology, &garment->state, arrays);
        float *at = saved->cloth[g];
        for (int i = 0; i < count; i++)
            for (size_t k = 0; k < arrays[i].count; k++, at++) {
                float *number = &arrays[i].numbers[k * (size_t)group->width + (size_t)character->lane];
                if (back)
                    *number = *at;
                else
                    *at = *number;
            }
    }
}

static void archive_all(SimArchive *archive, Saved *saved) {
    SimCharacter *character = saved->character;
    sim_archive_same_text(archive, MAGIC, "");
    sim_archive_same(archive, VERSION, "version");
    archive_rig(archive, saved->rig);
    sim_archive_int(archive, &saved->level, 0, SIM_LEVELS - 1, "level");
    sim_archive_bool(archive, &character->unplaced, "unplaced");
    sim_archive_bool(archive, &saved->asleep, "asleep");
    sim_archive_u64(archive, &saved->slept);
    sim_archive_float(archive, &character->unmoved, "unmoved");
    sim_archive_int(archive, &character->still_ticks, 0, INT32_MAX, "still_ticks");
    archive_root(archive, character);
    archive_player(archive, saved->rig, &character->player);
    archive_pose(archive, character);
    for (int bone = 0; bone < saved->rig->info.bone_count; bone++)
        sim_archive_floats(archive, character->model[bone][0], 16, "bones");
    for (int i = 0; i <= saved->rig->info.collider_count; i++)
        archive_transform(archive, &character->collider_end[i], "colliders");
    archive_garments(archive, saved);
    for (int i = 0; i < saved->rig->info.seam_count; i++) {
        sim_archive_bool(archive, &character->seams[i].closed, "seams");
        sim_archive_float(archive, &character->seams[i].left, "seams");
    }
    sim_archive_float(archive, &character->until_skinned, "until_skinned");
    sim_archive_float(archive, &character->until_simulated, "until_simulated");
    sim_archive_bool(archive, &character->was_reduced, "was_reduced");
    sim_archive_float(archive, &character->tangled, "tangled");
    sim_archive_float(archive, &character->until_untangled, "until_untangled");
}

// The rig has to be alike in all that the state's arrays stand for.
static void archive_rig(SimArchive *archive, const SimRig *rig) {
    const SimRigInfo *info = &rig->info;
    sim_archive_same(archive, rig->posed_bone_count, "bones");
    for (int i = 0; i < rig->posed_bone_count; i++) {
        sim_archive_same_text(archive, info->bones[i].name, "bones");
        sim_archive_same(archive, info->bones[i].parent, "bones");
    }
    sim_archive_same(archive, info->garment_count, "garments");
    for (int i = 0; i < info->garment_count; i++)
        archive_garment_type(archive, &rig->garments[i], &info->garments[i]);
    sim_archive_same(archive, info->bone_count, "bones");
    sim_archive_same(archive, info->seam_count, "seams");
    for (int i = 0; i < info->seam_count; i++) sim_archive_same_text(archive, info->seams[i].name, "seams");
    sim_archive_same(archive, info->collider_count, "colliders");
    for (int i = 0; i < info->collider_count; i++)
        sim_archive_same_text(archive, info->colliders[i].name, "colliders");
}

static void archive_garment_type(SimArchive *archive, const SimGarmentType *type,
                                 const SimGarmentInfo *info) {
    char path[96];
    snprintf(path, sizeof path, "garments.%s", info->name);
    sim_archive_same_text(archive, info->name, "garments");
    snprintf(path, sizeof path, "garments.%s.rows", info->name);
    sim_archive_same(archive, type->topology.rows, path);
    snprintf(path, sizeof path, "garments.%s.columns", info->name);
    sim_archive_same(archive, type->topology.columns, path);
    snprintf(path, sizeof path, "garments.%s.particles", info->name);
    sim_archive_same(archive, type->topology.particle_count, path);
    snprintf(path, sizeof path, "garments.%s.bones", info->name);
    sim_archive_same(archive, type->topology.bone_count, path);
    for (int i = 0; i < type->topology.bone_count; i++)
        sim_archive_same(archive, type->topology.bones[i].pivot, path);
    snprintf(path, sizeof path, "garments.%s.seams", info->name);
    sim_archive_same(archive, type->topology.seam_gap_count, path);
}

static void archive_root(SimArchive *archive, SimCharacter *character) {
    int teleport = (int)character->teleport;
    archive_transform(archive, &character->root_created, "root");
    archive_transform(archive, &character->root_start, "root");
    archive_transform(archive, &character->root, "root");
    archive_transform(archive, &character->root_back, "root");
    sim_archive_int(archive, &teleport, SIM_TELEPORT_NONE, SIM_TELEPORT_RESET, "teleport");
    character->teleport = (SimTeleport)teleport;
}

static void archive_transform(SimArchive *archive, SimTransform *transform, const char *path) {
    sim_archive_floats(archive, transform->position, 3, path);
    sim_archive_floats(archive, transform->rotation, 4, path);
}

static void archive_player(SimArchive *archive, const SimRig *rig, SimPlayer *player) {
    sim_archive_int(archive, &player->count, 0, SIM_PLAYER_LAYERS, "clips");
    sim_archive_int(archive, &player->added_count, 0, SIM_PLAYER_ADDED, "clips");
    for (int i = 0; i < player->count; i++) archive_layer(archive, rig, &player->layers[i]);
    for (int i = 0; i < player->added_count; i++) {
        archive_layer(archive, rig, &player->added[i]);
        if (player->added[i].clip < 0) sim_archive_fail(archive, "clips", "expected a clip to add");
    }
    sim_archive_bool(archive, &player->held, "clips");
}

static void archive_layer(SimArchive *archive, const SimRig *rig, SimPlayerLayer *layer) {
    archive_clip(archive, rig, &layer->clip);
    sim_archive_bool(archive, &layer->loop, "clips");
    sim_archive_float(archive, &layer->speed, "clips");
    sim_archive_double(archive, &layer->time, "clips");
    sim_archive_float(archive, &layer->fade, "clips");
    sim_archive_float(archive, &layer->age, "clips");
    sim_archive_bool(archive, &layer->in_place, "clips");
    sim_archive_float(archive, &layer->from, "clips");
    sim_archive_float(archive, &layer->weight, "clips");
}

// By its name; "": the rest pose.
static void archive_clip(SimArchive *archive, const SimRig *rig, int *clip) {
    char name[256] = "";
    if (archive->writes && *clip >= 0) snprintf(name, sizeof name, "%s", rig->info.clip_names[*clip]);
    sim_archive_text(archive, name, sizeof name, "clips");
    if (archive->writes) return;
    *clip = name[0] ? sim_rig_clip_named(&rig->info, name) : -1;
    if (name[0] && *clip < 0) sim_archive_fail(archive, "clips", "no clip \"%.64s\"", name);
}

static void archive_pose(SimArchive *archive, SimCharacter *character) {
    SimPose *pose = &character->pose;
    int posed = 0;
    for (int i = 0; i < pose->bone_count; i++) {
        int state = (int)pose->bones[i].state;
        sim_archive_int(archive, &state, SIM_POSED_NOT, SIM_POSED_RELEASED, "pose");
        pose->bones[i].state = (SimPosedState)state;
        if (pose->bones[i].state == SIM_POSED_NOT) continue;
        archive_posed_bone(archive, &pose->bones[i]);
        posed++;
    }
    pose->posed_count = posed;
    sim_archive_bool(archive, &pose->teleports, "pose");
    sim_archive_bool(archive, &pose->has_sequence, "pose");
    archive_i64(archive, &pose->sequence);
    sim_archive_bool(archive, &character->has_sequence, "pose");
    archive_i64(archive, &character->sequence);
}

static void archive_posed_bone(SimArchive *archive, SimPosedBone *bone) {
    int spaces[] = {(int)bone->rotation_space, (int)bone->position_space};
    sim_archive_float(archive, &bone->left, "pose");
    sim_archive_u64(archive, &bone->owner);
    sim_archive_bool(archive, &bone->has_rotation, "pose");
    sim_archive_bool(archive, &bone->has_position, "pose");
    for (int i = 0; i < 2; i++) sim_archive_int(archive, &spaces[i], SIM_POSE_PARENT, SIM_POSE_MODEL, "pose");
    bone->rotation_space = (SimPoseSpace)spaces[0];
    bone->position_space = (SimPoseSpace)spaces[1];
    sim_archive_floats(archive, bone->rotation, 4, "pose");
    sim_archive_floats(archive, bone->position, 3, "pose");
}

static void archive_i64(SimArchive *archive, int64_t *number) {
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    sim_archive_u64(archive, &bits);
    memcpy(number, &bits, sizeof bits);
}

static void archive_garments(SimArchive *archive, Saved *saved) {
    SimCharacter *character = saved->character;
    for (int g = 0; g < saved->rig->info.garment_count; g++) {
        archive_fabric(archive, &character->fabrics[g]);
        archive_root_motion(archive, &character->root_motions[g]);
        sim_archive_float(archive, &character->unpushed[g], "garments");
        if (!character->unplaced)
            sim_archive_floats(archive, saved->cloth[g], saved->cloth_size[g], "garments");
    }
}

static void archive_fabric(SimArchive *archive, SimFabricRamp *ramp) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    SimFabric *fabrics[] = {&ramp->from, &ramp->to, &ramp->now};
    sim_archive_same(archive, count, "fabric");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count; i++) {
            float value = sim_fabric_get(fabrics[k], &fields[i]);
            sim_archive_float(archive, &value, fields[i].name);
            sim_fabric_set(fabrics[k], &fields[i], value);
        }
    SimRootShares *shares[] = {&ramp->from_shares, &ramp->shares};
    for (int k = 0; k < 2; k++) {
        sim_archive_floats(archive, shares[k]->linear, 2, "fabric");
        sim_archive_floats(archive, shares[k]->angular, 2, "fabric");
        sim_archive_floats(archive, shares[k]->centrifugal, 2, "fabric");
    }
    sim_archive_float(archive, &ramp->left, "fabric");
    SimIssue issue;
    if (!archive->writes && !archive->failed && !sim_validate_fabric(&ramp->to, &issue))
        sim_archive_fail(archive, issue.path, "%.200s", issue.message);
}

static void archive_root_motion(SimArchive *archive, SimRootMotion *motion) {
    const char *path = "root";
    sim_archive_floats(archive, motion->actual_back, 3, path);
    sim_archive_floats(archive, motion->actual_turn, 3, path);
    sim_archive_floats(archive, motion->back, 3, path);
    sim_archive_floats(archive, motion->turn_back, 3, path);
    sim_archive_floats(archive, motion->shares.linear, 2, path);
    sim_archive_floats(archive, motion->shares.angular, 2, path);
    sim_archive_floats(archive, motion->shares.centrifugal, 2, path);
    sim_archive_float(archive, &motion->clamps.speed, path);
    sim_archive_float(archive, &motion->clamps.spin, path);
    sim_archive_float(archive, &motion->clamps.acceleration, path);
    sim_archive_float(archive, &motion->clamps.spin_acceleration, path);
    for (int edge = 0; edge < 2; edge++) {
        sim_archive_floats(archive, motion->boost[edge], 3, path);
        sim_archive_floats(archive, motion->boost_spin[edge], 3, path);
    }
    sim_archive_bool(archive, &motion->started, path);
}

// `to` has the level of what is saved.
static void take_over(SimWorld *world, SimCharacter *to, Saved *saved) {
    SimCharacter *from = saved->character;
    const SimRigInfo *info = &to->rig->info;
    sim_world_wake(world, to);
    to->root_created = from->root_created;
    to->root_start = from->root_start;
    to->root = from->root;
    to->root_back = from->root_back;
    to->teleport = from->teleport;
    to->unplaced = from->unplaced;
    to->unmoved = from->unmoved;
    to->still_ticks = from->still_ticks;
    to->player = from->player;
    to->has_sequence = from->has_sequence;
    to->sequence = from->sequence;
    to->until_skinned = from->until_skinned;
    to->until_simulated = from->until_simulated;
    to->was_reduced = from->was_reduced;
    to->tangled = from->tangled;
    to->until_untangled = from->until_untangled;
    const SimPose pose = to->pose;
    to->pose = from->pose;
    from->pose = pose; // its arrays are freed with it
    memcpy(to->model, from->model, (size_t)info->bone_count * sizeof(mat4));
    const size_t colliders = ((size_t)info->collider_count + 1) * sizeof(SimTransform);
    memcpy(to->collider_end, from->collider_end, colliders);
    memcpy(to->collider_start, from->collider_end, colliders);
    for (int g = 0; g < info->garment_count; g++) {
        to->fabrics[g] = from->fabrics[g];
        to->fabrics[g].changed = true;
        to->root_motions[g] = from->root_motions[g];
        to->unpushed[g] = from->unpushed[g];
    }
    memcpy(to->seams, from->seams, (size_t)info->seam_count * sizeof *to->seams);
    if (!to->unplaced) gather_cloth(to, saved, true);
    if (!saved->asleep) return;
    const uint64_t since = saved->slept < world->tick ? world->tick - saved->slept : 0;
    take_times(world, to, saved->slept, since);
    if (world->sleep_ticks > 0) sim_groups_put_one_to_sleep(world, to, since);
}

// The clips of a sleeping character advance by the ticks that it sleeps. A world that is younger than its
// sleep, or in which nobody sleeps, gets the rest in their times.
static void take_times(const SimWorld *world, SimCharacter *to, uint64_t slept, uint64_t since) {
    const uint64_t counted = world->sleep_ticks > 0 ? world->tick - since : 0;
    const double before = (double)(slept - counted) / world->tick_rate;
    for (int i = 0; i < to->player.count && slept > counted; i++)
        to->player.layers[i].time += before * (double)to->player.layers[i].speed;
}
