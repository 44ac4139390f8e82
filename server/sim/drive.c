// Fills the kernel's lanes from a character's transforms.
#include "drive.h"

#include "rotation.h"

#define AIR_DENSITY 1.225f // kg/m^3

static void set3(SimLanes3 *out, int lane, const vec3 value) {
    out->x[lane] = value[0];
    out->y[lane] = value[1];
    out->z[lane] = value[2];
}

void sim_matrix_to_lane(const mat4 matrix, SimLanesPose *out_pose, int lane) {
    for (int column = 0; column < 4; column++) set3(&out_pose->column[column], lane, matrix[column]);
}

void sim_pose_to_lane(const SimTransform *transform, SimLanesPose *out_pose, int lane) {
    mat4 matrix;
    sim_transform_to_matrix(transform, matrix);
    sim_matrix_to_lane((const vec4 *)matrix, out_pose, lane);
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

static void drive_colliders(const SimCharacter *character, SimSubstep *substeps, int substep_count, float h,
                            int lane) {
    for (int i = 0; i <= character->rig->info.collider_count; i++) {
        SimTransform before = character->collider_start[i];
        for (int s = 0; s < substep_count; s++) {
            SimTransform now;
            vec3 velocity, spin;
            float share = (float)(s + 1) / (float)substep_count;
            sim_transform_mix(&character->collider_start[i], &character->collider_end[i], share, &now);
            if (s + 1 == substep_count) now = character->collider_end[i];
            rates(&before, &now, h, velocity, spin);
            SimColliderPose *out = &substeps[s].colliders[i];
            sim_pose_to_lane(&now, &out->pose, lane);
            set3(&out->velocity, lane, velocity);
            set3(&out->spin, lane, spin);
            before = now;
        }
    }
}

void sim_drive_lane(const SimCharacter *character, const SimWindField *wind,
                    const SimEnvironment *environment, SimSubstep *substeps, int substep_count, float h,
                    int lane) {
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
        set3(&substeps[s].gravity, lane, gravity);
        set3(&substeps[s].air, lane, air);
    }
    drive_colliders(character, substeps, substep_count, h, lane);
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

void sim_drive_root(const SimCharacter *character, int garment, SimSubstep *substeps, int substep_count,
                    int lane) {
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
            sim_pose_to_lane(&share, &substeps[s].root[edge], lane);
        }
        before = now;
    }
}

void sim_drive_fabric(const SimFabric *fabric, float h, SimLaneFabric *out_fabric, int lane) {
    float hh = h * h, bending = fabric->density * 9.81f * fabric->drape * fabric->drape * fabric->drape;
    const float soft = 1e12f; // a stiffness of 0
    out_fabric->inverse_density[lane] = 1.0f / fabric->density;
    out_fabric->row_softness[lane] = 1.0f / (fabric->stretch * hh);
    out_fabric->column_softness[lane] = fabric->limit > 0.0f ? 1.0f / (fabric->stretch * hh) : 0.0f;
    out_fabric->shear_softness[lane] = fabric->shear > 0.0f ? 1.0f / (fabric->shear * hh) : soft;
    out_fabric->bend_softness[lane] = bending > 0.0f ? 1.0f / (bending * hh) : soft;
    out_fabric->limit[lane] = fabric->limit;
    out_fabric->damping[0][lane] = fabric->damping;
    out_fabric->damping[1][lane] = fabric->damping * fabric->edge.damping;
    out_fabric->contact_damping[lane] = fabric->contact_damping;
    float wind = 0.5f * AIR_DENSITY * fabric->wind / fabric->density;
    out_fabric->wind[0][lane] = wind;
    out_fabric->wind[1][lane] = wind * fabric->edge.wind;
    out_fabric->max_distance[lane] = fabric->max_distance;
    out_fabric->max_distance_edge[lane] = fabric->edge.max_distance;
}
