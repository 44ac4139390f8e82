// Poses a character and remembers where its colliders were.
#include "garment/character.h"

#include "core/rotation.h"
#include "motion/pose.h"

#include <stdlib.h>
#include <string.h>

#define FALLEN_THROUGH 0.5f  // m, from the highest bone to the ground
#define FORGETS        0.25f // s of having crossed itself that cloth forgets in a second without

static void advance_tangled(SimCharacter *character, float dt);
static void into_model(const SimTransform *root, const SimTransform *world, SimTransform *out);
static void pose_collider(SimCharacter *character, int collider);
static int solve(SimCharacter *character, const SimPlayer *player, float dt, mat4 *out_model);
static int rest_where_overflowed(const SimRig *rig, mat4 *model);
static void notice_teleport(SimCharacter *character, float dt);
static void pose_colliders(SimCharacter *character, const SimEnvironment *environment);
static bool meets_ground(SimCharacter *character, const SimEnvironment *environment);
static void pose_in_world(SimCharacter *character, const SimTransform *world, int collider);

SimCharacter *sim_character_allocate(SimRigId rig_id, SimRig *rig, const SimTransform *root_world) {
    SimCharacter *character = calloc(1, sizeof *character);
    if (!character) return NULL;
    size_t bones = (size_t)rig->info.bone_count, posed = (size_t)rig->posed_bone_count;
    size_t colliders = (size_t)rig->info.collider_count + 1;
    character->rig_id = rig_id;
    character->rig = rig;
    character->root_created = *root_world;
    character->local = calloc(posed, sizeof *character->local);
    character->model = calloc(bones, sizeof *character->model);
    character->collider_start = calloc(colliders, sizeof(SimTransform));
    character->collider_end = calloc(colliders, sizeof(SimTransform));
    character->fabrics = calloc((size_t)rig->info.garment_count + 1, sizeof *character->fabrics);
    character->root_motions = calloc((size_t)rig->info.garment_count + 1, sizeof *character->root_motions);
    character->unpushed = calloc((size_t)rig->info.garment_count + 1, sizeof *character->unpushed);
    character->seams = calloc((size_t)rig->info.seam_count + 1, sizeof *character->seams);
    const bool has_pose = sim_pose_init(&character->pose, rig->posed_bone_count);
    if (!has_pose || !character->local || !character->model || !character->collider_start ||
        !character->collider_end || !character->fabrics || !character->root_motions || !character->unpushed ||
        !character->seams) {
        sim_character_free(character);
        return NULL;
    }
    for (size_t bone = 0; bone < bones; bone++) // until it is placed
        memcpy(character->model[bone], rig->info.bones[bone].rest_model, sizeof(mat4));
    character->unplaced = true;
    character->root = character->root_start = *root_world;
    character->root_back = SIM_TRANSFORM_IDENTITY;
    for (int i = 0; i < rig->info.garment_count; i++)
        sim_fabric_ramp_set(&character->fabrics[i], &rig->garments[i].fabric);
    for (int i = 0; i < rig->info.seam_count; i++)
        character->seams[i] = (SimSeamState){.closed = rig->info.seams[i].closed};
    return character;
}

void sim_character_free(SimCharacter *character) {
    if (!character) return;
    sim_pose_finish(&character->pose);
    free(character->local);
    free(character->model);
    free(character->collider_start);
    free(character->collider_end);
    free(character->fabrics);
    free(character->root_motions);
    free(character->unpushed);
    free(character->seams);
    free(character);
}

void sim_character_teleport(SimCharacter *character, SimTeleport teleport) {
    if (teleport > character->teleport) character->teleport = teleport;
}

void sim_character_end_tick(SimCharacter *character, float dt) {
    sim_pose_advance(&character->pose, dt);
    into_model(&character->root, &character->root_start, &character->root_back);
    // A teleport leaves no motion to continue: after a second one in a row the root counts as at rest.
    if (character->teleport != SIM_TELEPORT_NONE) character->root_back = SIM_TRANSFORM_IDENTITY;
    character->teleport = SIM_TELEPORT_NONE;
    character->root_start = character->root;
    character->until_skinned = fmaxf(character->until_skinned - dt, 0.0f);
    character->until_simulated = fmaxf(character->until_simulated - dt, 0.0f);
    advance_tangled(character, dt);
}

void sim_character_pose_garment_colliders(SimCharacter *character, int garment, float dt) {
    for (int i = 0; i < character->rig->info.collider_count; i++) {
        if (character->rig->collider_garment[i] != garment) continue;
        pose_collider(character, i);
        if (dt <= 0.0f) character->collider_start[i] = character->collider_end[i];
    }
}

void sim_character_predict(SimCharacter *character, const SimPlayer *player, float dt, mat4 *out_model,
                           SimTransform *out_root) {
    SimPlayer then = *player;
    SimTransform step;
    sim_player_advance(&then, character->rig, dt, &step);
    sim_transform_multiply(&character->root, &step, out_root);
    solve(character, &then, dt, out_model);
}

void sim_character_pose(SimCharacter *character, const SimEnvironment *environment, float dt) {
    const SimRig *rig = character->rig;
    if (dt > 0.0f) {
        SimTransform step;
        sim_player_advance(&character->player, rig, dt, &step);
        sim_transform_multiply(&character->root, &step, &character->root);
        notice_teleport(character, dt);
    }
    SimPose *pose = &character->pose;
    const bool jumps = pose->teleports && dt > 0.0f;
    if (jumps) sim_pose_begin_turn(pose, (const mat4 *)character->model);
    character->overflowed = solve(character, &character->player, dt, character->model);
    if (jumps) sim_pose_end_turn(pose, (const mat4 *)character->model);
    character->has_sequence = pose->has_sequence;
    character->sequence = pose->sequence;
    size_t bytes = ((size_t)rig->info.collider_count + 1) * sizeof(SimTransform);
    memcpy(character->collider_start, character->collider_end, bytes);
    pose_colliders(character, environment);
    if (dt <= 0.0f) memcpy(character->collider_start, character->collider_end, bytes);
}

static void advance_tangled(SimCharacter *character, float dt) {
    const bool crosses = character->crosses_itself, moves = character->body_speed > SIM_HOLDING_SPEED;
    character->crosses_itself = character->was_reduced = false, character->body_speed = 0.0f;
    if (character->until_untangled > 0.0f) {
        character->until_untangled = fmaxf(character->until_untangled - dt, 0.0f);
        if (character->until_untangled <= 0.0f) character->until_simulated = SIM_RAMP_SECONDS;
    } else if (character->tangled >= 0.0f) {
        character->tangled = fmaxf(character->tangled + (crosses ? dt : -FORGETS * dt), 0.0f);
    } else if (character->tangled >= -SIM_LET_BE) {
        character->tangled = fminf(character->tangled + dt, 0.0f);
    } else if (!crosses || moves) {
        character->tangled = -SIM_LET_BE;
    }
}

// Converts a placement from world space to model space.
static void into_model(const SimTransform *root, const SimTransform *world, SimTransform *out) {
    SimTransform back;
    sim_quat_inverse(root->rotation, back.rotation);
    sim_quat_rotate(back.rotation, root->position, back.position);
    glm_vec3_negate(back.position);
    sim_transform_multiply(&back, world, out);
}

static void pose_collider(SimCharacter *character, int collider) {
    SimTransform bone;
    int index = character->rig->info.colliders[collider].bone;
    sim_matrix_to_transform((const vec4 *)character->model[index], &bone);
    sim_transform_multiply(&bone, &character->rig->collider_local[collider],
                           &character->collider_end[collider]);
    if (character->pose.teleports) character->collider_start[collider] = character->collider_end[collider];
}

static int solve(SimCharacter *character, const SimPlayer *player, float dt, mat4 *out_model) {
    const SimRig *rig = character->rig;
    sim_player_sample(player, rig, character->local);
    sim_skeleton_solve(rig, &character->pose, dt, character->local, out_model);
    return rest_where_overflowed(rig, out_model);
}

// Puts the skeleton at rest when the pose overflows, so that references and frames stay finite. Returns the
// bone that overflowed, or -1.
static int rest_where_overflowed(const SimRig *rig, mat4 *model) {
    int overflowed = -1;
    for (int bone = 0; bone < rig->posed_bone_count && overflowed < 0; bone++)
        for (int i = 0; i < 3; i++)
            if (!(fabsf(model[bone][3][i]) < SIM_POSE_FARTHEST)) overflowed = bone;
    for (int bone = 0; bone < rig->posed_bone_count && overflowed >= 0; bone++)
        glm_mat4_copy((vec4 *)rig->info.bones[bone].rest_model, model[bone]);
    return overflowed;
}

// Makes a root motion that is too fast a teleport. For the cloth the root continues in the new place with the
// motion that it had in the old one.
static void notice_teleport(SimCharacter *character, float dt) {
    versor back, relative;
    vec3 turn;
    sim_quat_inverse(character->root_start.rotation, back);
    glm_quat_mul(character->root.rotation, back, relative);
    sim_quat_log(relative, turn);
    float distance = glm_vec3_distance(character->root.position, character->root_start.position);
    if (distance > SIM_TELEPORT_SPEED * dt || glm_vec3_norm(turn) > SIM_TELEPORT_SPIN * dt)
        sim_character_teleport(character, SIM_TELEPORT_KEEP);
    if (character->teleport == SIM_TELEPORT_KEEP)
        sim_transform_multiply(&character->root, &character->root_back, &character->root_start);
    else if (character->teleport == SIM_TELEPORT_RESET)
        character->root_start = character->root;
}

// All colliders except those on garments' bones, which are not computed yet.
static void pose_colliders(SimCharacter *character, const SimEnvironment *environment) {
    const SimRig *rig = character->rig;
    for (int i = 0; i < rig->info.collider_count; i++) {
        if (rig->info.colliders[i].shape == SIM_COLLIDER_PLANE)
            pose_in_world(character, &rig->collider_local[i], i);
        else if (rig->collider_garment[i] < 0)
            pose_collider(character, i);
    }
    // Without a ground, the ground is far below.
    SimTransform ground = SIM_TRANSFORM_IDENTITY;
    glm_vec3_copy(character->root.position, ground.position);
    ground.position[1] =
        meets_ground(character, environment) ? environment->ground : character->root.position[1] - 1e4f;
    pose_in_world(character, &ground, rig->info.collider_count);
}

// Who has fallen through the ground does not: cloth that can't get out of it would only cost time.
static bool meets_ground(SimCharacter *character, const SimEnvironment *environment) {
    if (!environment->has_ground || character->root.position[1] >= environment->ground)
        return environment->has_ground;
    for (int i = 0; i < character->rig->info.bone_count; i++) {
        vec3 place;
        glm_quat_rotatev(character->root.rotation, character->model[i][3], place);
        if (character->root.position[1] + place[1] >= environment->ground - FALLEN_THROUGH) return true;
    }
    return false;
}

// A collider of the world moves in model space opposite to the root, and not at all when the root teleports.
static void pose_in_world(SimCharacter *character, const SimTransform *world, int collider) {
    into_model(&character->root_start, world, &character->collider_start[collider]);
    into_model(&character->root, world, &character->collider_end[collider]);
}
