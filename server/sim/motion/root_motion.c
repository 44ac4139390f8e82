// The root's motion, clamped, and its inertial shares.
#include "motion/root_motion.h"

#include "core/rotation.h"

static float share_or(float share, float otherwise);
static void change(const vec3 actual, vec3 felt, const float longest[2], const float before[2],
                   const float after[2], vec3 out_boost[2]);
static void limit_length(const vec3 vector, float longest, vec3 out);
static void follow(vec3 felt, const vec3 actual, float longest, float change);

void sim_root_steps(const SimTransform *from, const SimTransform *to, int substep_count,
                    SimRootStep *out_steps) {
    const SimArc arc = sim_arc(from->rotation, to->rotation);
    const SimTransform *before = from;
    for (int s = 0; s < substep_count; s++) {
        SimRootStep *step = &out_steps[s];
        SimTransform *now = &step->root;
        const float share = (float)(s + 1) / (float)substep_count;
        versor to_model, relative;
        glm_vec3_lerp((float *)from->position, (float *)to->position, share, now->position);
        sim_arc_at(&arc, share, now->rotation);
        sim_quat_inverse(now->rotation, to_model);
        glm_quat_mul(to_model, (float *)before->rotation, relative);
        sim_quat_log(relative, step->turn);
        glm_vec3_sub((float *)before->position, now->position, step->back);
        before = now;
    }
}

SimRootShares sim_root_shares(const SimFabric *fabric) {
    float linear = fabric->world_motion, angular = share_or(fabric->world_angular, linear);
    float centrifugal = share_or(fabric->world_centrifugal, angular), edge = fabric->edge.world_motion;
    return (SimRootShares){{linear, glm_min(linear * edge, 1.0f)},
                           {angular, glm_min(angular * edge, 1.0f)},
                           {centrifugal, glm_min(centrifugal * edge, 1.0f)}};
}

void sim_root_motion_follow_fabric(SimRootMotion *motion, const SimRootShares *shares,
                                   const SimFabric *fabric, float h) {
    SimRootShares before = motion->started ? motion->shares : *shares;
    SimRootClamps clamps = {fabric->world_speed, fabric->world_spin, fabric->world_acceleration,
                            fabric->world_spin_acceleration};
    if (!motion->started) motion->clamps = clamps;
    motion->started = true;
    change(motion->actual_back, motion->back, (float[2]){motion->clamps.speed * h, clamps.speed * h},
           before.linear, shares->linear, motion->boost);
    change(motion->actual_turn, motion->turn_back, (float[2]){motion->clamps.spin * h, clamps.spin * h},
           before.angular, shares->angular, motion->boost_spin);
    motion->shares = *shares;
    motion->clamps = clamps;
}

void sim_root_motion_advance(SimRootMotion *motion, const SimRootStep *step, float h) {
    glm_vec3_copy((float *)step->turn, motion->actual_turn);
    glm_vec3_copy((float *)step->back, motion->actual_back);
    const SimRootClamps *clamps = &motion->clamps;
    follow(motion->back, motion->actual_back, clamps->speed * h, clamps->acceleration * h * h);
    follow(motion->turn_back, motion->actual_turn, clamps->spin * h, clamps->spin_acceleration * h * h);
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

static float share_or(float share, float otherwise) {
    return share < 0.0f ? otherwise : share;
}

// When a clamp or a share changes, the same motion is felt differently: computes by how much the frame of the
// state changes its velocity.
static void change(const vec3 actual, vec3 felt, const float longest[2], const float before[2],
                   const float after[2], vec3 out_boost[2]) {
    vec3 old_limit, new_limit, old_inertia;
    limit_length(actual, longest[0], old_limit);
    limit_length(actual, longest[1], new_limit);
    glm_vec3_copy(felt, old_inertia);
    glm_vec3_sub(new_limit, old_limit, new_limit);
    glm_vec3_add(felt, new_limit, felt);
    for (int edge = 0; edge < 2; edge++) {
        glm_vec3_scale(old_inertia, before[edge], out_boost[edge]);
        glm_vec3_muladds(felt, -after[edge], out_boost[edge]);
    }
}

static void limit_length(const vec3 vector, float longest, vec3 out) {
    float length = glm_vec3_norm((float *)vector);
    glm_vec3_scale((float *)vector, length > longest ? longest / length : 1.0f, out);
}

// Moves the felt motion towards the actual one by at most `change`, and limits it to `longest`.
static void follow(vec3 felt, const vec3 actual, float longest, float change) {
    vec3 limited, difference;
    limit_length(actual, longest, limited);
    glm_vec3_sub(limited, felt, difference);
    float distance = glm_vec3_norm(difference);
    if (distance <= change)
        glm_vec3_copy(limited, felt);
    else
        glm_vec3_muladds(difference, change / distance, felt);
}
