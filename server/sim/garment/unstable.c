// Finds what went out of bounds in a garment's state, and the input that had done so before.
#include "garment/group.h"
#include "garment/kernel_inputs.h"

#include <math.h>
#include <stdio.h>

static void find_part(const SimGroup *group, int garment, int lane, SimCause *cause);
static int first_out(const SimGroup *group, const SimLanes3 *vectors, int count, int lane, float *out_length);
static bool out_of_bounds(const float vector[3]);
static float length_of(const float vector[3]);
static bool blame_pose(const SimGroup *group, int garment, int lane, SimCause *cause);
static int bone_to_blame(const SimGroup *group, int garment, int particle, const mat4 *model);
static bool blame_colliders(const SimCharacter *character, SimCause *cause);
static int describe_part(const SimTopology *topology, const SimCause *cause, char *out, size_t size);

SimCause sim_cause_find(const SimGroup *group, int garment, int lane) {
    const SimCharacter *character = group->characters[lane];
    SimCause cause = {.part = SIM_CAUSE_POSE, .particle = -1, .index = character->overflowed};
    if (character->overflowed >= 0) return cause;
    find_part(group, garment, lane, &cause);
    if (blame_pose(group, garment, lane, &cause) || blame_colliders(character, &cause)) return cause;
    int count = group->rig->garments[garment].topology.particle_count;
    if (first_out(group, group->garments[garment].state.wind, count, lane, &cause.reason_value) >= 0)
        cause.reason = SIM_REASON_AIR;
    return cause;
}

void sim_cause_describe(const SimRig *rig, int garment, const SimCause *cause,
                        char out_text[SIM_CAUSE_SIZE]) {
    const SimRigInfo *info = &rig->info;
    if (cause->part == SIM_CAUSE_POSE) {
        snprintf(out_text, SIM_CAUSE_SIZE,
                 "the pose put bone \"%s\" beyond %.0e m: the skeleton rests in this tick",
                 info->bones[cause->index].name, (double)SIM_POSE_FARTHEST);
        return;
    }
    int used = describe_part(&rig->garments[garment].topology, cause, out_text, SIM_CAUSE_SIZE);
    char *rest = out_text + used;
    size_t size = SIM_CAUSE_SIZE - (size_t)used;
    switch (cause->reason) {
    case SIM_REASON_POSE:
    case SIM_REASON_POSE_BEFORE:
        snprintf(rest, size, ": bone \"%s\" %s its reference %.6g m from the root",
                 info->bones[cause->index].name, cause->reason == SIM_REASON_POSE ? "puts" : "had put",
                 (double)cause->reason_value);
        break;
    case SIM_REASON_COLLIDER:
        snprintf(rest, size, ": collider \"%s\" is %.6g m from the root", info->colliders[cause->index].name,
                 (double)cause->reason_value);
        break;
    case SIM_REASON_AIR:
        snprintf(rest, size, ": the air there moves at %.6g m/s", (double)cause->reason_value);
        break;
    case SIM_REASON_UNKNOWN:
        snprintf(rest, size, "; pose, colliders and air are within bounds");
        break;
    }
}

static void find_part(const SimGroup *group, int garment, int lane, SimCause *cause) {
    const SimGarmentState *state = &group->garments[garment].state;
    int count = group->rig->garments[garment].topology.particle_count;
    cause->particle = first_out(group, state->position, count, lane, &cause->value);
    cause->part = SIM_CAUSE_POSITION;
    if (cause->particle >= 0) return;
    cause->part = SIM_CAUSE_SPEED;
    // The lane does not have the strips' velocities.
    if (!group->garments[garment].strips)
        cause->particle = first_out(group, state->velocity, count, lane, &cause->value);
}

// The first of a garment's particles whose vector is out of bounds, and how long that is; -1: none is.
static int first_out(const SimGroup *group, const SimLanes3 *vectors, int count, int lane,
                     float *out_length) {
    SimLane numbers = sim_group_lane(group, vectors, lane);
    for (int p = 0; p < count; p++) {
        float vector[3];
        for (int i = 0; i < 3; i++) vector[i] = *sim_lane_at(numbers, (size_t)(3 * p + i)).first;
        if (!out_of_bounds(vector)) continue;
        *out_length = length_of(vector);
        return p;
    }
    return -1;
}

// True for a vector out of bounds; NaN is.
static bool out_of_bounds(const float vector[3]) {
    float square = 0.0f;
    for (int i = 0; i < 3; i++) square += vector[i] * vector[i];
    return !(square < SIM_FARTHEST * SIM_FARTHEST);
}

static float length_of(const float vector[3]) {
    return hypotf(hypotf(vector[0], vector[1]), vector[2]);
}

static bool blame_pose(const SimGroup *group, int garment, int lane, SimCause *cause) {
    const SimGarmentState *state = &group->garments[garment].state;
    const SimLanes3 *const references[] = {state->reference1, state->reference0};
    int count = group->rig->garments[garment].topology.particle_count;
    const mat4 *model = (const mat4 *)group->characters[lane]->model;
    for (int i = 0; i < 2; i++) {
        int particle = first_out(group, references[i], count, lane, &cause->reason_value);
        if (particle < 0) continue;
        cause->reason = i == 0 ? SIM_REASON_POSE : SIM_REASON_POSE_BEFORE;
        cause->index = bone_to_blame(group, garment, particle, model);
        return true;
    }
    return false;
}

// The bone that a particle mostly follows, or the first above it that is as far away.
static int bone_to_blame(const SimGroup *group, int garment, int particle, const mat4 *model) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    int heaviest = 0;
    for (int i = 1; i < 4; i++)
        if (topology->skin_weights[4 * particle + i] > topology->skin_weights[4 * particle + heaviest])
            heaviest = i;
    int bone = group->rig->skin_bones[topology->skin_bones[4 * particle + heaviest]];
    for (int parent; (parent = group->rig->info.bones[bone].parent) >= 0; bone = parent)
        if (!out_of_bounds(model[parent][3])) break;
    return bone;
}

static bool blame_colliders(const SimCharacter *character, SimCause *cause) {
    for (int i = 0; i < character->rig->info.collider_count; i++) {
        const SimTransform *ends[] = {&character->collider_end[i], &character->collider_start[i]};
        for (int k = 0; k < 2; k++) {
            if (!out_of_bounds(ends[k]->position)) continue;
            cause->reason = SIM_REASON_COLLIDER;
            cause->index = i;
            cause->reason_value = length_of(ends[k]->position);
            return true;
        }
    }
    return false;
}

static int describe_part(const SimTopology *topology, const SimCause *cause, char *out, size_t size) {
    static const char *const parts[] = {"position", "speed"}, *const units[] = {"m from the root", "m/s"};
    char where[48] = "a particle";
    if (topology->face_count > 0 && cause->particle >= 0)
        snprintf(where, sizeof where, "particle %d", cause->particle);
    else if (cause->particle >= 0)
        snprintf(where, sizeof where, "row %d, column %d", cause->particle / topology->columns,
                 cause->particle % topology->columns);
    if (cause->particle < 0)
        return snprintf(out, size, "the %s of %s went out of bounds", parts[cause->part], where);
    if (!isfinite(cause->value))
        return snprintf(out, size, "the %s of %s is not finite", parts[cause->part], where);
    return snprintf(out, size, "the %s of %s is %.6g %s, %.0f at most", parts[cause->part], where,
                    (double)cause->value, units[cause->part], (double)SIM_FARTHEST);
}
