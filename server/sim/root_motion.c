// The root's motion, clamped, and the shares of it.
#include "root_motion.h"

#include "rotation.h"

static float share_or(float share, float otherwise) {
    return share < 0.0f ? otherwise : share;
}

static void set_shares(SimRootShares *shares, const SimFabric *fabric) {
    float linear = fabric->world_motion, angular = share_or(fabric->world_angular, linear);
    float centrifugal = share_or(fabric->world_centrifugal, angular), edge = fabric->edge.world_motion;
    *shares = (SimRootShares){{linear, glm_min(linear * edge, 1.0f)},
                              {angular, glm_min(angular * edge, 1.0f)},
                              {centrifugal, glm_min(centrifugal * edge, 1.0f)}};
}

void sim_root_motion_begin(SimRootMotion *motion, const SimFabric *fabric) {
    SimRootShares before = motion->shares;
    set_shares(&motion->shares, fabric);
    motion->gain = (SimRootShares){0};
    for (int edge = 0; edge < 2 && motion->started; edge++) {
        motion->gain.linear[edge] = motion->shares.linear[edge] - before.linear[edge];
        motion->gain.angular[edge] = motion->shares.angular[edge] - before.angular[edge];
    }
    motion->speed = fabric->world_speed;
    motion->spin = fabric->world_spin;
    motion->acceleration = fabric->world_acceleration;
    motion->spin_acceleration = fabric->world_spin_acceleration;
    motion->started = true;
}

// What is felt goes towards the actual, no farther than `change`, and is never longer than `longest`.
static void follow(vec3 felt, vec3 actual, float longest, float change) {
    vec3 difference;
    float length = glm_vec3_norm(actual);
    if (length > longest) glm_vec3_scale(actual, longest / length, actual);
    glm_vec3_sub(actual, felt, difference);
    float distance = glm_vec3_norm(difference);
    if (distance <= change)
        glm_vec3_copy(actual, felt);
    else
        glm_vec3_muladds(difference, change / distance, felt);
}

void sim_root_motion_advance(SimRootMotion *motion, const SimTransform *from, const SimTransform *to,
                             float h) {
    versor to_model, relative;
    vec3 back, turn_back;
    sim_quat_inverse(to->rotation, to_model);
    glm_quat_mul(to_model, (float *)from->rotation, relative);
    sim_quat_log(relative, turn_back);
    glm_vec3_sub((float *)from->position, (float *)to->position, back);
    follow(motion->back, back, motion->speed * h, motion->acceleration * h * h);
    follow(motion->turn_back, turn_back, motion->spin * h, motion->spin_acceleration * h * h);
}

// D = exp(share log(R1' R0)), s = share R1' (t0 - t1).
void sim_root_motion_behind(const SimRootMotion *motion, const SimTransform *root, int edge,
                            SimTransform *out) {
    versor to_model;
    vec3 turn, back;
    sim_quat_inverse(root->rotation, to_model);
    glm_vec3_scale((float *)motion->turn_back, motion->shares.angular[edge], turn);
    sim_quat_exp(turn, out->rotation);
    glm_vec3_scale((float *)motion->back, motion->shares.linear[edge], back);
    sim_quat_rotate(to_model, back, out->position);
}
