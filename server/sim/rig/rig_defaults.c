// Definitions at their defaults.
#include "sim/rig.h"

SimBoneDef sim_default_bone_def(void) {
    return (SimBoneDef){.parent = -1, .kind = SIM_BONE_SKELETON, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
}

SimConstraintDef sim_default_constraint_def(void) {
    return (SimConstraintDef){.bone = -1, .other = -1, .axis = {1.0f, 0.0f, 0.0f}, .weight = 1.0f};
}

SimColliderDef sim_default_collider_def(void) {
    return (SimColliderDef){.bone = -1, .rotation = {0.0f, 0.0f, 0.0f, 1.0f}, .normal = {0.0f, 1.0f, 0.0f}};
}

SimGarmentDef sim_default_garment_def(void) {
    return (SimGarmentDef){.kind = SIM_GARMENT_CLOTH,
                           .references = SIM_REFERENCES_BLEND,
                           .max_distance_bottom = -1.0f,
                           .max_distance_curve = 1.0f,
                           .collider_count = -1,
                           .iterations = 4,
                           .angle_limit = {180.0f, 180.0f},
                           .bone_prefix = "",
                           .bone_column_step = 2,
                           .fabric = sim_default_fabric()};
}

SimSeamDef sim_default_seam_def(void) {
    return (SimSeamDef){.row_count = 1, .closed = true};
}

SimClipDef sim_default_clip_def(void) {
    return (SimClipDef){.rate = 60.0f, .loop_blend = 0.3f};
}
