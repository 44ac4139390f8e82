// Fills the kernel's lanes from a character's transforms.
#include "drive.h"

#include "rotation.h"

#define AIR_DENSITY 1.225f // kg/m^3

SimSubstepLane sim_substep_lane(const SimSubstep *substep, int width, int lane) {
    return (SimSubstepLane){{(float *)substep->gravity + lane, width},
                            {(float *)substep->air + lane, width},
                            {(float *)substep->root + lane, width},
                            {(float *)substep->colliders + lane, width}};
}

static void set3(SimLane out, const vec3 value) {
    for (int i = 0; i < 3; i++) out.first[i * out.width] = value[i];
}

void sim_matrix_to_lane(const mat4 matrix, SimLane out_pose) {
    for (int column = 0; column < 4; column++)
        set3(sim_lane_at(out_pose, 3 * (size_t)column), matrix[column]);
}

void sim_pose_to_lane(const SimTransform *transform, SimLane out_pose) {
    mat4 matrix;
    sim_transform_to_matrix(transform, matrix);
    sim_matrix_to_lane((const vec4 *)matrix, out_pose);
}

// Velocity and spin of a pose that goes from one place to another in h.
static void rates(const SimTransform *from, const SimTransform *to, float h, vec3 out_velocity,
                  vec3 out_spin) {
    versor back, turn;
    glm_vec3_sub((float *)to->position, (float *)from->position, out_velocity);
    glm_vec3_scale(out_velocity, 1.0f / h, out_velocity);
    sim_quat_inverse(from->rotation, back);
    glm_quat_mul((float *)to->rotation, back, turn);
    sim_quat_log(turn, out_spin);
    glm_vec3_scale(out_spin, 1.0f / h, out_spin);
}

static void drive_colliders(const SimCharacter *character, const SimSubstep *substeps, int substep_count,
                            float h, int width, int lane) {
    for (int i = 0; i <= character->rig->info.collider_count; i++) {
        SimTransform before = character->collider_start[i];
        for (int s = 0; s < substep_count; s++) {
            SimTransform now;
            vec3 velocity, spin;
            float share = (float)(s + 1) / (float)substep_count;
            sim_transform_mix(&character->collider_start[i], &character->collider_end[i], share, &now);
            if (s + 1 == substep_count) now = character->collider_end[i];
            rates(&before, &now, h, velocity, spin);
            SimLane out = sim_lane_at(sim_substep_lane(&substeps[s], width, lane).colliders,
                                      SIM_NUMBERS(SimColliderPose) * (size_t)i);
            sim_pose_to_lane(&now, sim_lane_at(out, SIM_NUMBER(SimColliderPose, pose)));
            set3(sim_lane_at(out, SIM_NUMBER(SimColliderPose, velocity)), velocity);
            set3(sim_lane_at(out, SIM_NUMBER(SimColliderPose, spin)), spin);
            before = now;
        }
    }
}

void sim_drive_lane(const SimCharacter *character, const SimWindField *wind,
                    const SimEnvironment *environment, const SimSubstep *substeps, int substep_count, float h,
                    int width, int lane) {
    vec3 centre, air_world;
    sim_quat_rotate(character->root.rotation, character->model[0][3], centre);
    glm_vec3_add(centre, (float *)character->root.position, centre);
    sim_wind_at(wind, centre, air_world);
    for (int s = 0; s < substep_count; s++) {
        SimTransform root;
        versor back;
        vec3 gravity, air;
        sim_transform_mix(&character->root_start, &character->root, (float)(s + 1) / (float)substep_count,
                          &root);
        sim_quat_inverse(root.rotation, back);
        sim_quat_rotate(back, environment->gravity_world, gravity);
        sim_quat_rotate(back, air_world, air);
        SimSubstepLane out = sim_substep_lane(&substeps[s], width, lane);
        set3(out.gravity, gravity);
        set3(out.air, air);
    }
    drive_colliders(character, substeps, substep_count, h, width, lane);
}

// D = exp(share log(R1' R0)), s = share R1' (t0 - t1).
static void root_share(const SimTransform *before, const SimTransform *now, float share, SimTransform *out) {
    versor back, relative;
    vec3 turn, way;
    sim_quat_inverse(now->rotation, back);
    glm_quat_mul(back, (float *)before->rotation, relative);
    sim_quat_log(relative, turn);
    glm_vec3_scale(turn, share, turn);
    sim_quat_exp(turn, out->rotation);
    glm_vec3_sub((float *)before->position, (float *)now->position, way);
    glm_vec3_scale(way, share, way);
    sim_quat_rotate(back, way, out->position);
}

void sim_drive_root(const SimCharacter *character, int garment, const SimSubstep *substeps, int substep_count,
                    int width, int lane) {
    const SimFabric *fabric = &character->fabrics[garment].now;
    const float shares[2] = {fabric->world_motion,
                             glm_min(fabric->world_motion * fabric->edge.world_motion, 1.0f)};
    SimTransform before = character->root_start;
    for (int s = 0; s < substep_count; s++) {
        SimTransform now, share;
        sim_transform_mix(&character->root_start, &character->root, (float)(s + 1) / (float)substep_count,
                          &now);
        for (int edge = 0; edge < 2; edge++) {
            root_share(&before, &now, shares[edge], &share);
            sim_pose_to_lane(&share, sim_lane_at(sim_substep_lane(&substeps[s], width, lane).root,
                                                 SIM_NUMBERS(SimLanesPose) * (size_t)edge));
        }
        before = now;
    }
}

#define PUT(member, value) (*sim_lane_at(out_fabric, SIM_NUMBER(SimLaneFabric, member)).first = (value))

void sim_drive_fabric(const SimFabric *fabric, float h, SimLane out_fabric) {
    float hh = h * h, bending = fabric->density * 9.81f * fabric->drape * fabric->drape * fabric->drape;
    const float soft = 1e12f; // a stiffness of 0
    PUT(inverse_density, 1.0f / fabric->density);
    PUT(row_softness, 1.0f / (fabric->stretch * hh));
    PUT(column_softness, fabric->limit > 0.0f ? 1.0f / (fabric->stretch * hh) : 0.0f);
    PUT(shear_softness, fabric->shear > 0.0f ? 1.0f / (fabric->shear * hh) : soft);
    PUT(bend_softness, bending > 0.0f ? 1.0f / (bending * hh) : soft);
    PUT(limit, fabric->limit);
    PUT(damping[0], fabric->damping);
    PUT(damping[1], fabric->damping * fabric->edge.damping);
    PUT(contact_damping, fabric->contact_damping);
    float wind = 0.5f * AIR_DENSITY * fabric->wind / fabric->density;
    PUT(wind[0], wind);
    PUT(wind[1], wind * fabric->edge.wind);
    PUT(max_distance, fabric->max_distance);
    PUT(max_distance_edge, fabric->edge.max_distance);
}
