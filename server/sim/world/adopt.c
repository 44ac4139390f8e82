// Replacements of characters, after a reload and a reset: what they take over.
#include "garment/kernel_inputs.h"
#include "rig/rig_morph.h"
#include "world/world.h"

#include <string.h>

typedef struct Cloth {
    const SimCharacter *character;
    int garment;
} Cloth;

static void copy_look(SimCharacter *to, const SimCharacter *from);
static void adopt_player(SimCharacter *to, const SimCharacter *from);
static void adopt_layers(const SimCharacter *to, const SimCharacter *from, const SimPlayerLayer *layers,
                         int count, SimPlayerLayer *out_layers, int *out_count);
static void adopt_pose(SimCharacter *to, const SimCharacter *from);
static bool has_same_skeleton(const SimRig *a, const SimRig *b);
static void adopt_root(SimCharacter *to, const SimCharacter *from);
static bool place_alone(const SimWorld *world, SimCharacter *character);
static void adopt_garments(SimCharacter *to, const SimCharacter *from);
static void adopt_garment(SimCharacter *to, int garment, const SimCharacter *from, int other);
static SimGroupGarment *memory_of(Cloth cloth);
static void copy_state(Cloth to, Cloth from);
static const SimGarmentType *type_of(Cloth cloth);
static void copy_particles(Cloth to, Cloth from);
static void copy_numbers(Cloth to, void *to_memory, Cloth from, const void *from_memory, size_t count);
static void adopt_seams(SimCharacter *to, const SimCharacter *from);
static void adopt_seam(SimCharacter *to, int seam, const SimCharacter *from, int other);
static void adopt_colliders(SimCharacter *to, const SimCharacter *from);

SimRigId sim_rig_move(SimWorld *world, SimWorld *from, SimRigId rig_id) {
    SimRigId id = {0};
    SimRig *rig = sim_table_get(&from->rigs, rig_id.index, rig_id.generation);
    SIM_ASSERT(rig && rig->users == 1);
    if (sim_table_add(&world->rigs, rig, &id.index, &id.generation))
        sim_table_remove(&from->rigs, rig_id.index);
    return id;
}

SimCharacterId sim_character_create_like(SimWorld *world, SimCharacterId other_id, SimIssue *out_issue) {
    const SimCharacter *other = sim_world_character(world, other_id);
    const SimCharacterId id = sim_character_create(world, other->rig_id, &other->root_created, out_issue);
    if (id.index == 0) return id;
    if (!sim_character_set_level(world, id, other->group->level)) {
        sim_character_destroy(world, id);
        return (SimCharacterId){0};
    }
    copy_look(sim_world_character(world, id), other);
    return id;
}

void sim_character_adopt(SimWorld *world, SimCharacterId id, SimCharacterId from_id) {
    SimCharacter *to = sim_world_character(world, id);
    SimCharacter *from = sim_world_character(world, from_id);
    SIM_ASSERT(to->unplaced);
    sim_world_wake(world, from); // brings the times of its clips up to date
    sim_groups_set_level(world, to, from->group->level);
    to->until_skinned = from->until_skinned;
    to->until_simulated = from->until_simulated;
    to->was_reduced = from->was_reduced;
    to->tangled = from->tangled;
    to->until_untangled = from->until_untangled;
    adopt_player(to, from);
    adopt_pose(to, from);
    adopt_root(to, from);
    if (from->unplaced || !place_alone(world, to)) return;
    adopt_root(to, from); // placing resets its motion
    adopt_garments(to, from);
    adopt_seams(to, from);
    adopt_colliders(to, from);
    sim_rig_morph_begin(to->rig, from->rig);
}

// Of a character with the same rig: what frames show until `to` is placed.
static void copy_look(SimCharacter *to, const SimCharacter *from) {
    memcpy(to->model, from->model, (size_t)to->rig->info.bone_count * sizeof(mat4));
    for (int i = 0; i < to->rig->info.garment_count; i++) {
        const Cloth new = {to, i}, old = {from, i};
        copy_numbers(new, memory_of(new)->memory, old, memory_of(old)->memory, memory_of(new)->numbers);
    }
}

// Clips with the same names continue; the clip that `to` plays is on top.
static void adopt_player(SimCharacter *to, const SimCharacter *from) {
    const SimPlayer wanted = to->player;
    SimPlayer player = {0};
    adopt_layers(to, from, from->player.layers, from->player.count, player.layers, &player.count);
    adopt_layers(to, from, from->player.added, from->player.added_count, player.added, &player.added_count);
    to->player = player;
    if (!wanted.count || wanted.layers[wanted.count - 1].clip < 0) return;
    const SimPlayerLayer *top = &wanted.layers[wanted.count - 1];
    SimPlayerLayer *going = player.count ? &to->player.layers[player.count - 1] : NULL;
    if (going && going->clip == top->clip) {
        going->loop = top->loop;
        going->speed = top->speed;
        going->in_place = top->in_place;
        return;
    }
    SimPlay play = sim_default_play();
    play.loop = top->loop;
    play.speed = top->speed;
    play.at = (float)top->time;
    play.in_place = top->in_place;
    sim_player_play(&to->player, top->clip, &play);
}

static void adopt_layers(const SimCharacter *to, const SimCharacter *from, const SimPlayerLayer *layers,
                         int count, SimPlayerLayer *out_layers, int *out_count) {
    for (int i = 0; i < count; i++) {
        SimPlayerLayer layer = layers[i];
        if (layer.clip >= 0)
            layer.clip = sim_rig_clip_named(&to->rig->info, from->rig->info.clip_names[layer.clip]);
        if (layer.clip >= 0 || layers[i].clip < 0) out_layers[(*out_count)++] = layer;
    }
}

static void adopt_pose(SimCharacter *to, const SimCharacter *from) {
    if (!has_same_skeleton(to->rig, from->rig)) return;
    SimPose *pose = &to->pose;
    if (!pose->has_sequence) {
        pose->has_sequence = from->pose.has_sequence;
        pose->sequence = from->pose.sequence;
    }
    for (int bone = 0; bone < pose->bone_count; bone++) {
        if (pose->bones[bone].state != SIM_POSED_NOT || from->pose.bones[bone].state == SIM_POSED_NOT)
            continue;
        pose->bones[bone] = from->pose.bones[bone];
        pose->posed_count++;
    }
}

// The pose is kept when the skeletons are equal.
static bool has_same_skeleton(const SimRig *a, const SimRig *b) {
    if (a->posed_bone_count != b->posed_bone_count) return false;
    for (int i = 0; i < a->posed_bone_count; i++)
        if (a->info.bones[i].parent != b->info.bones[i].parent ||
            strcmp(a->info.bones[i].name, b->info.bones[i].name) != 0)
            return false;
    return true;
}

static void adopt_root(SimCharacter *to, const SimCharacter *from) {
    to->root_created = from->root_created;
    to->root = from->root;
    to->root_start = from->root_start;
    to->root_back = from->root_back;
    to->teleport = from->teleport;
}

// Places this character only: hides the other unplaced characters of its group meanwhile.
static bool place_alone(const SimWorld *world, SimCharacter *character) {
    SimGroup *group = character->group;
    bool waits[SIM_LANES];
    for (int lane = 0; lane < group->width; lane++) {
        SimCharacter *other = group->characters[lane];
        waits[lane] = other && other != character && other->unplaced;
        if (waits[lane]) other->unplaced = false;
    }
    const SimGroupTick tick = sim_world_group_tick(world, group);
    const bool placed = sim_group_place(group, &tick);
    for (int lane = 0; lane < group->width; lane++)
        if (waits[lane]) group->characters[lane]->unplaced = true;
    return placed;
}

static void adopt_garments(SimCharacter *to, const SimCharacter *from) {
    for (int i = 0; i < to->rig->info.garment_count; i++) {
        const int other = sim_rig_garment_like(from->rig, &to->rig->garments[i]);
        if (other >= 0) adopt_garment(to, i, from, other);
    }
}

static void adopt_garment(SimCharacter *to, int garment, const SimCharacter *from, int other) {
    const Cloth new = {to, garment}, old = {from, other};
    SimStripGarment *strips = memory_of(new)->strips, *old_strips = memory_of(old)->strips;
    if (!strips && old_strips) sim_strip_garment_leave(old_strips, &memory_of(old)->state);
    copy_state(new, old);
    if (strips) sim_strip_garment_adopt(strips, old_strips);
    to->fabrics[garment] = from->fabrics[other];
    to->fabrics[garment].changed = true;
    to->root_motions[garment] = from->root_motions[other];
}

static SimGroupGarment *memory_of(Cloth cloth) {
    return &cloth.character->group->garments[cloth.garment];
}

// Copies all state when bones and seams match.
static void copy_state(Cloth to, Cloth from) {
    const SimTopology *a = &type_of(to)->topology, *b = &type_of(from)->topology;
    bool has_same_bones = a->bone_count == b->bone_count;
    for (int i = 0; i < a->bone_count && has_same_bones; i++)
        has_same_bones = a->bones[i].pivot == b->bones[i].pivot;
    if (!has_same_bones || a->seam_gap_count != b->seam_gap_count) {
        copy_particles(to, from);
        return;
    }
    SIM_ASSERT(memory_of(to)->numbers == memory_of(from)->numbers);
    copy_numbers(to, memory_of(to)->memory, from, memory_of(from)->memory, memory_of(to)->numbers);
    memcpy(to.character->model[type_of(to)->first_bone], from.character->model[type_of(from)->first_bone],
           (size_t)a->bone_count * sizeof(mat4));
}

static const SimGarmentType *type_of(Cloth cloth) {
    return &cloth.character->rig->garments[cloth.garment];
}

static void copy_particles(Cloth to, Cloth from) {
    const SimGarmentState *in = &memory_of(from)->state;
    SimGarmentState *out = &memory_of(to)->state;
    const size_t count = (size_t)type_of(to)->topology.particle_count;
    const struct {
        void *to;
        const void *from;
    } vectors[] = {
        {out->position, in->position},
        {out->velocity, in->velocity},
        {out->predicted, in->predicted},
        {out->reference0, in->reference0},
        {out->reference1, in->reference1},
        {out->reference, in->reference},
        {out->damped_to, in->damped_to},
        {out->wind, in->wind},
        {out->air, in->air},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        copy_numbers(to, vectors[i].to, from, vectors[i].from, 3 * count);
    copy_numbers(to, out->contact, from, in->contact, count);
}

static void copy_numbers(Cloth to, void *to_memory, Cloth from, const void *from_memory, size_t count) {
    const SimLane out = sim_group_lane(to.character->group, to_memory, to.character->lane);
    const SimLane in = sim_group_lane(from.character->group, from_memory, from.character->lane);
    for (size_t i = 0; i < count; i++) *sim_lane_at(out, i).first = *sim_lane_at(in, i).first;
}

static void adopt_seams(SimCharacter *to, const SimCharacter *from) {
    for (int i = 0; i < to->rig->info.seam_count; i++)
        for (int j = 0; j < from->rig->info.seam_count; j++)
            if (strcmp(to->rig->info.seams[i].name, from->rig->info.seams[j].name) == 0)
                adopt_seam(to, i, from, j);
}

// Keeps the seam's state, unless the new rig changes its initial state.
static void adopt_seam(SimCharacter *to, int seam, const SimCharacter *from, int other) {
    const bool closed = to->rig->info.seams[seam].closed;
    const SimSeamState before = from->seams[other];
    if (closed == from->rig->info.seams[other].closed)
        to->seams[seam] = before;
    else
        to->seams[seam] = (SimSeamState){closed, closed && !before.closed ? SIM_RAMP_SECONDS : 0.0f};
}

static void adopt_colliders(SimCharacter *to, const SimCharacter *from) {
    const SimRigInfo *a = &to->rig->info, *b = &from->rig->info;
    for (int i = 0; i < a->collider_count; i++) {
        const int other = sim_rig_collider_named(from->rig, a->colliders[i].name);
        if (other >= 0) to->collider_end[i] = from->collider_end[other];
    }
    to->collider_end[a->collider_count] = from->collider_end[b->collider_count]; // the ground
}
