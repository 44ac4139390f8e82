// What garments of one column have beside their links: pose stiffness and angle limits.
#include "core/rotation.h"
#include "rig/rig.h"

// A number of each link, evenly from the first to the last.
static float along_chain(const float ends[2], int link, int links) {
    return links > 1 ? ends[0] + (ends[1] - ends[0]) * (float)link / (float)(links - 1) : ends[0];
}

bool sim_chain_build(SimArena *arena, const SimGarmentDef *def, SimTopology *topology) {
    const int count = topology->particle_count, links = count - 1;
    topology->pose_frequency = sim_arena_take(arena, (size_t)count, sizeof(float));
    topology->pose_inertia = sim_arena_take(arena, (size_t)count, sizeof(float));
    topology->limit_cosine = sim_arena_take(arena, (size_t)count, sizeof(float));
    topology->limit_sine = sim_arena_take(arena, (size_t)count, sizeof(float));
    if (arena->failed) return false;
    topology->has_pose = def->pose_stiffness[0] > 0.0f || def->pose_stiffness[1] > 0.0f;
    topology->has_angle_limit = def->angle_limit[0] < 180.0f || def->angle_limit[1] < 180.0f;
    topology->pose_damping = def->pose_damping;
    float way = 0.0f, moment = 0.0f;
    for (int link = 0; link < links; link++) way += topology->column_length[link];
    for (int p = links; p > 0; p--) {
        if (!topology->pinned[p]) moment += way / topology->inverse_area[p];
        way -= topology->column_length[p - 1];
        topology->pose_inertia[p] = moment / topology->column_length[p - 1];
        topology->pose_frequency[p] = 2.0f * GLM_PIf * along_chain(def->pose_stiffness, p - 1, links);
        float limit = glm_rad(along_chain(def->angle_limit, p - 1, links));
        topology->limit_cosine[p] = sim_cos(limit);
        topology->limit_sine[p] = sim_sin(limit);
    }
    return true;
}
