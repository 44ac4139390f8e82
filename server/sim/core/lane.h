// One lane of the kernel's memory: vectors and transforms into it and out of it.
#pragma once

#include "core/drive.h"
#include "core/kernel.h"
#include "core/rotation.h"

// Further numbers of the same lane.
static inline SimLane sim_lane_at(SimLane lane, size_t number) {
    return (SimLane){lane.first + number * (size_t)lane.width, lane.width};
}

static inline void sim_vector_to_lane(const vec3 value, SimLane out) {
    for (int i = 0; i < 3; i++) out.first[i * out.width] = value[i];
}

// out is [count].
static inline void sim_lane_to_vectors(SimLane lane, int count, float (*out)[3]) {
    for (int i = 0; i < 3 * count; i++) out[i / 3][i % 3] = *sim_lane_at(lane, (size_t)i).first;
}

static inline void sim_matrix_to_lane(const mat4 matrix, SimLane out_pose) {
    for (int column = 0; column < 4; column++)
        sim_vector_to_lane(matrix[column], sim_lane_at(out_pose, 3 * (size_t)column));
}

static inline void sim_pose_to_lane(const SimTransform *transform, SimLane out_pose) {
    mat4 matrix;
    sim_transform_to_matrix(transform, matrix);
    sim_matrix_to_lane((const vec4 *)matrix, out_pose);
}

static inline void sim_transform_to_lane(const SimTransform *transform, SimLane out) {
    sim_vector_to_lane(transform->position, sim_lane_at(out, SIM_NUMBER(SimLanesTransform, position)));
    for (size_t i = 0; i < 4; i++)
        *sim_lane_at(out, SIM_NUMBER(SimLanesTransform, rotation) + i).first = transform->rotation[i];
}
