// Fills the kernel's lanes from characters' transforms: the colliders in lanes (core/drive.h), the rest one
// character at a time, which takes 3 % of a jacket's tick (`./dev bench parts`).
#include "garment/kernel_inputs.h"

#include "core/rotation.h"
#include "topology/springs.h"

#define AIR_DENSITY 1.225f // kg/m^3

// Edges beside the paths of a general mesh stretch by this share at most, and by what this force would
// stretch their fabric.
#define EDGE_STRETCH 0.02f
#define EDGE_FORCE   20.0f // N/m

#define PUT(member, value) (*sim_lane_at(out_fabric, SIM_NUMBER(SimLaneFabric, member)).first = (value))

#define INERTIA(member) sim_lane_at(inertia, SIM_NUMBER(SimInertialShare, member))

static bool is_calm(const SimKernelAir *air);
static void fill_springs(const SimGarmentType *type, const SimFabric *fabric, float h, SimLane out_fabric);
static void root_to_lane(const SimRootMotion *motion, const SimTransform *root, float h, SimLane out_root,
                         SimLane inertia);
static void rate_to_lane(const vec3 vector, float inverse_h, SimLane out);

SimSubstepLane sim_substep_lane(const SimSubstep *substep, int width, int lane) {
    return (SimSubstepLane){{(float *)substep->gravity + lane, width},
                            {(float *)substep->root_world + lane, width},
                            {(float *)substep->root + lane, width},
                            {(float *)substep->inertia + lane, width},
                            {(float *)substep->colliders + lane, width}};
}

void sim_fill_colliders(const SimGroup *group, const SimGroupTick *tick, int garment) {
    const SimRig *rig = group->rig;
    const float h = tick->dt / (float)tick->substep_count;
    const SimTransform far = {{0.0f, -1e4f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const int ground = rig->info.collider_count;
    for (int i = 0; i <= ground; i++) {
        if ((i < ground ? rig->collider_garment[i] : -1) != garment) continue;
        _Alignas(SIM_LANES * sizeof(float)) float ends[2][SIM_NUMBERS(SimLanesTransform) * SIM_LANES];
        for (int lane = 0; lane < group->width; lane++) {
            const SimCharacter *character = group->characters[lane];
            sim_transform_to_lane(character ? &character->collider_start[i] : &far,
                                  sim_group_lane(group, ends[0], lane));
            sim_transform_to_lane(character ? &character->collider_end[i] : &far,
                                  sim_group_lane(group, ends[1], lane));
        }
        group->drive->collider((const SimLanesTransform *)(const void *)ends[0],
                               (const SimLanesTransform *)(const void *)ends[1], i, h,
                               group->garments[0].substeps, tick->substep_count);
    }
}

// While a seam closes, its allowed share falls from 1 to 0 by (3 - 2 t) t^2 over the remaining time: the
// sides start and end at rest.
void sim_fill_seam(SimSeamState *seam, int substep_count, float h, SimLane out_allowed) {
    for (int s = 0; s < substep_count; s++) {
        float before = seam->left;
        seam->left = glm_max(seam->left - h, 0.0f);
        float allowed = glm_smoothstep(0.0f, SIM_RAMP_SECONDS, seam->left);
        // The kernel measures the gap to close while the seam is still open.
        bool open = !seam->closed || before >= SIM_RAMP_SECONDS;
        *sim_lane_at(out_allowed, (size_t)s).first = open ? -1.0f : allowed;
    }
}

void sim_fill_lane(const SimEnvironment *environment, const SimRootStep *roots, const SimSubstep *substeps,
                   int substep_count, int width, int lane) {
    for (int s = 0; s < substep_count; s++) {
        SimTransform turn = roots[s].root;
        versor back;
        vec3 gravity;
        sim_quat_inverse(turn.rotation, back);
        sim_quat_rotate(back, environment->gravity_world, gravity);
        glm_vec3_zero(turn.position);
        SimSubstepLane out = sim_substep_lane(&substeps[s], width, lane);
        sim_vector_to_lane(gravity, out.gravity);
        sim_pose_to_lane(&turn, out.root_world);
    }
}

void sim_fill_fabric(const SimGarmentType *type, const SimFabric *fabric, float h, SimLane out_fabric) {
    float hh = h * h, g = (float)SIM_STANDARD_GRAVITY;
    float bending = fabric->density * g * fabric->drape * fabric->drape * fabric->drape;
    const float soft = 1e12f; // a stiffness of 0
    PUT(inverse_density, 1.0f / fabric->density);
    const float weft = type->topology.alan_wake_hard ? fabric->stretch : sim_fabric_stretch_weft(fabric);
    PUT(softness[SIM_LINK_STRETCH], 1.0f / (weft * hh));
    PUT(column_softness, fabric->limit > 0.0f ? 1.0f / (fabric->stretch * hh) : 0.0f);
    PUT(softness[SIM_LINK_SHEAR], fabric->shear > 0.0f ? 1.0f / (fabric->shear * hh) : soft);
    PUT(softness[SIM_LINK_BEND], bending > 0.0f ? 1.0f / (bending * hh) : soft);
    PUT(limit, fabric->limit);
    PUT(weft_most, 1.0f + EDGE_STRETCH + fabric->limit + EDGE_FORCE / weft);
    PUT(shortest, 1.0f - fabric->limit);
    PUT(damping[0], fabric->damping);
    PUT(damping[1], fabric->damping * fabric->edge.damping);
    PUT(contact_damping, fabric->contact_damping);
    PUT(friction, fabric->friction);
    PUT(internal_friction, fabric->internal_friction);
    PUT(thickness, fabric->thickness);
    float wind = 0.5f * AIR_DENSITY * fabric->wind / fabric->density;
    PUT(wind[0], wind);
    PUT(wind[1], wind * fabric->edge.wind);
    PUT(max_distance, fabric->max_distance);
    PUT(max_distance_edge, fabric->edge.max_distance);
    PUT(pose, fabric->pose);
    if (type->topology.mass_spring) fill_springs(type, fabric, h, out_fabric);
}

void sim_fill_garment(SimCharacter *character, int garment, const SimRootStep *roots,
                      const SimSubstep *substeps, int substep_count, float h, SimLane fabrics) {
    SimRootMotion *motion = &character->root_motions[garment];
    SimFabricRamp *ramp = &character->fabrics[garment];
    bool ramps = ramp->left > 0.0f;
    int width = fabrics.width, lane = character->lane;
    for (int s = 0; s < substep_count; s++) {
        SimSubstepLane out = sim_substep_lane(&substeps[s], width, lane);
        SimLane fabric = sim_lane_at(fabrics, SIM_NUMBERS(SimLaneFabric) * (size_t)s);
        sim_fabric_ramp_advance(ramp, h);
        if (ramp->changed) sim_fill_fabric(&character->rig->garments[garment], &ramp->now, h, fabric);
        *sim_lane_at(fabric, SIM_NUMBER(SimLaneFabric, settling)).first =
            sim_rest_settling(character, garment, (float)(s + 1) * h);
        sim_root_motion_follow_fabric(motion, &ramp->shares, &ramp->now, h);
        sim_root_motion_advance(motion, &roots[s], h);
        root_to_lane(motion, &roots[s].root, h, out.root, out.inertia);
    }
    ramp->changed = ramps; // fills once more after the ramp: then all substeps have the same values
}

SimKernelJob sim_kernel_job(const SimGroup *group, const SimGroupTick *tick, int garment, int substep) {
    SimGroupGarment *at = &group->garments[garment];
    const float *fabric =
        sim_lane_at((SimLane){at->fabrics, group->width}, SIM_NUMBERS(SimLaneFabric) * (size_t)substep).first;
    return (SimKernelJob){.topology = &group->rig->garments[garment].topology,
                          .fabric = (const SimLaneFabric *)fabric,
                          .state = &at->state,
                          .air = tick->kernel_air,
                          .lane_air = (const SimLaneAir *)group->air,
                          .skin_poses = (const SimLanesPose *)group->skin_poses,
                          .substeps = at->substeps,
                          .substep_count = tick->substep_count,
                          .h = tick->dt / (float)tick->substep_count,
                          .keeps_order = group->level == SIM_LEVEL_FULL && is_calm(tick->kernel_air) &&
                                         group->rig->garments[garment].self_collision > 0.0f};
}

static bool is_calm(const SimKernelAir *air) {
    return glm_vec3_norm((float *)air->velocity) < SIM_CALM_AIR && air->tornado_count == 0;
}

// Seams and cloth that is placed solve structural springs as links of the same stiffness.
static void fill_springs(const SimGarmentType *type, const SimFabric *fabric, float h, SimLane out_fabric) {
    const SimFabricSpring *spring = &fabric->spring;
    const SimSpringPlan plan = sim_spring_plan(&type->spring_modes, fabric, h);
    const float softness = 1.0f / (fmaxf(plan.share * spring->structural, 1e-3f) * h * h);
    PUT(softness[SIM_LINK_STRETCH], softness);
    PUT(column_softness, softness);
    PUT(limit, spring->limit);
    PUT(shortest, 0.0f);
    PUT(stiffness[SIM_LINK_STRETCH], plan.share * spring->structural);
    PUT(stiffness[SIM_LINK_SHEAR], plan.share * spring->shear);
    PUT(stiffness[SIM_LINK_BEND], plan.share * spring->flexion);
    PUT(spring_damping, plan.share * spring->damping);
    PUT(spring_steps, (float)plan.steps);
}

static void root_to_lane(const SimRootMotion *motion, const SimTransform *root, float h, SimLane out_root,
                         SimLane inertia) {
    versor to_model;
    sim_quat_inverse(root->rotation, to_model);
    rate_to_lane(motion->turn_back, -1.0f / h, INERTIA(spin));
    for (size_t edge = 0; edge < 2; edge++) {
        SimTransform behind;
        vec3 boost;
        sim_root_motion_behind(motion, root, (int)edge, &behind);
        sim_pose_to_lane(&behind, sim_lane_at(out_root, SIM_NUMBERS(SimLanesPose) * edge));
        sim_quat_rotate(to_model, motion->boost[edge], boost);
        rate_to_lane(boost, 1.0f / h, sim_lane_at(INERTIA(boost), 3 * edge));
        rate_to_lane(motion->boost_spin[edge], 1.0f / h, sim_lane_at(INERTIA(boost_spin), 3 * edge));
        float angular = motion->shares.angular[edge], centrifugal = motion->shares.centrifugal[edge];
        *sim_lane_at(INERTIA(centrifugal), edge).first = centrifugal * centrifugal - angular * angular;
    }
}

// Converts a vector per substep to a rate.
static void rate_to_lane(const vec3 vector, float inverse_h, SimLane out) {
    vec3 rate;
    glm_vec3_scale((float *)vector, inverse_h, rate);
    sim_vector_to_lane(rate, out);
}
