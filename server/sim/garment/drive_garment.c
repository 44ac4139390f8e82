// What drives one garment's cloth, substep by substep: its fabric, and what it feels of the root's motion.
#include "core/rotation.h"
#include "garment/drive.h"
#include "garment/rest.h"

#define FELT(member) sim_lane_at(felt, SIM_NUMBER(SimFeltRoot, member))

// A vector of a substep as a rate: times 1 / h.
static void rate_to_lane(const vec3 vector, float inverse_h, SimLane out) {
    vec3 rate;
    glm_vec3_scale((float *)vector, inverse_h, rate);
    sim_vector_to_lane(rate, out);
}

static void root_to_lane(const SimRootMotion *motion, const SimTransform *root, float h, SimLane out_root,
                         SimLane felt) {
    versor to_model;
    sim_quat_inverse(root->rotation, to_model);
    rate_to_lane(motion->turn_back, -1.0f / h, FELT(spin));
    for (size_t edge = 0; edge < 2; edge++) {
        SimTransform behind;
        vec3 boost;
        sim_root_motion_behind(motion, root, (int)edge, &behind);
        sim_pose_to_lane(&behind, sim_lane_at(out_root, SIM_NUMBERS(SimLanesPose) * edge));
        sim_quat_rotate(to_model, motion->boost[edge], boost);
        rate_to_lane(boost, 1.0f / h, sim_lane_at(FELT(boost), 3 * edge));
        rate_to_lane(motion->boost_spin[edge], 1.0f / h, sim_lane_at(FELT(boost_spin), 3 * edge));
        float angular = motion->shares.angular[edge], centrifugal = motion->shares.centrifugal[edge];
        *sim_lane_at(FELT(centrifugal), edge).first = centrifugal * centrifugal - angular * angular;
    }
}

void sim_drive_garment(SimCharacter *character, int garment, const SimSubstep *substeps, int substep_count,
                       float h, SimLane fabrics) {
    SimRootMotion *motion = &character->root_motions[garment];
    SimFabricRamp *ramp = &character->fabrics[garment];
    SimTransform before = character->root_start;
    bool ramps = ramp->left > 0.0f;
    int width = fabrics.width, lane = character->lane;
    for (int s = 0; s < substep_count; s++) {
        SimTransform now;
        SimSubstepLane out = sim_substep_lane(&substeps[s], width, lane);
        SimLane fabric = sim_lane_at(fabrics, SIM_NUMBERS(SimLaneFabric) * (size_t)s);
        sim_fabric_ramp_advance(ramp, h);
        if (ramp->changed) sim_drive_fabric(&ramp->now, h, fabric);
        *sim_lane_at(fabric, SIM_NUMBER(SimLaneFabric, settling)).first =
            sim_stillness_settling(character, garment, (float)(s + 1) * h);
        sim_root_motion_follow_fabric(motion, &ramp->shares, &ramp->now, h);
        sim_transform_mix(&character->root_start, &character->root, (float)(s + 1) / (float)substep_count,
                          &now);
        sim_root_motion_advance(motion, &before, &now, h);
        root_to_lane(motion, &now, h, out.root, out.felt);
        before = now;
    }
    ramp->changed = ramps; // when it is over, once more: all substeps are alike again
}
