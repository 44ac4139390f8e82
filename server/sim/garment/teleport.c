// Moves the cloth of one lane as its references moved, each particle turned with its bones.
#include "garment/teleport.h"

#include "core/rotation.h"
#include "garment/drive.h"

static void read_vector(SimLane lane, int index, vec3 out) {
    for (int i = 0; i < 3; i++) out[i] = *sim_lane_at(lane, (size_t)(3 * index + i)).first;
}

static void turn_vector(SimLane lane, size_t number, const versor turn) {
    vec3 vector;
    const SimLane at = sim_lane_at(lane, number);
    read_vector(at, 0, vector);
    sim_quat_rotate(turn, vector, vector);
    sim_vector_to_lane(vector, at);
}

// The mean of its bones' turns, by weight, all on the side of the first one.
static void turn_of(const SimGroup *group, int garment, const SimPose *pose, int particle, versor out) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    const int *bones = topology->skin_bones + SIM_INFLUENCES * particle;
    const float *weights = topology->skin_weights + SIM_INFLUENCES * particle;
    const float *first = pose->turned[group->rig->skin_bones[bones[0]]];
    glm_vec4_zero(out);
    for (int i = 0; i < SIM_INFLUENCES; i++) {
        const float *turn = pose->turned[group->rig->skin_bones[bones[i]]];
        const float side = glm_quat_dot((float *)first, (float *)turn) < 0.0f ? -weights[i] : weights[i];
        glm_vec4_muladds((float *)turn, side, out);
    }
    glm_quat_normalize(out);
}

static void carry_particle(const SimGarmentState *state, const SimGroup *group, int lane, int particle,
                           const versor turn) {
    vec3 position, before, after;
    const SimLane positions = sim_group_lane(group, state->position, lane);
    read_vector(positions, particle, position);
    read_vector(sim_group_lane(group, state->reference0, lane), particle, before);
    read_vector(sim_group_lane(group, state->reference1, lane), particle, after);
    glm_vec3_sub(position, before, position);
    sim_quat_rotate(turn, position, position);
    glm_vec3_add(position, after, position);
    const size_t number = SIM_NUMBERS(SimLanes3) * (size_t)particle;
    sim_vector_to_lane(position, sim_lane_at(positions, number));
    sim_vector_to_lane(after, sim_lane_at(sim_group_lane(group, state->reference0, lane), number));
    sim_vector_to_lane(after, sim_lane_at(sim_group_lane(group, state->reference, lane), number));
}

void sim_carry_garment(SimGroup *group, int garment, int lane) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    const SimGarmentState *state = &group->garments[garment].state;
    const SimPose *pose = &group->characters[lane]->pose;
    versor turn;
    for (int p = 0; p < topology->particle_count; p++) {
        turn_of(group, garment, pose, p, turn);
        carry_particle(state, group, lane, p, turn);
    }
    for (int i = 0; i < topology->bone_count; i++) {
        const SimLane frame =
            sim_lane_at(sim_group_lane(group, state->frames, lane), SIM_NUMBERS(SimBoneFrame) * (size_t)i);
        turn_of(group, garment, pose, topology->bones[i].pivot, turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, x), turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, y), turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, z), turn);
    }
}
