// What acts on the cloth, in lanes. Compiled once per width.
#include "core/drive.h"

#include "drive/rotations.h"

#define JOIN(a, b)   a##b
#define DRIVE(width) JOIN(sim_drive_, width)

extern const SimDrive DRIVE(SIM_WIDTH);

static void drive_collider(const SimLanesTransform *from, const SimLanesTransform *to, int collider, float h,
                           const SimSubstep *substeps, int substep_count) {
    const LanesArc arc = arc_between(rotation_of(from), rotation_of(to));
    const lanes3 way = sub3(to->position, from->position);
    lanes3 position_before = from->position;
    lanes4 rotation_before = arc.from;
    for (int s = 0; s < substep_count; s++) {
        const float share = (float)(s + 1) / (float)substep_count;
        const bool is_last = s + 1 == substep_count;
        const lanes3 position = is_last ? to->position : add3(from->position, scale3(way, splat(share)));
        const lanes4 rotation = is_last ? arc.to : arc_at(&arc, share);
        const lanes3 turn = turn_of(multiply4(rotation, inverse4(rotation_before)));
        SimColliderPose *out = &substeps[s].colliders[collider];
        out->pose = pose_of(position, rotation);
        out->velocity = scale3(sub3(position, position_before), splat(1.0f / h));
        out->spin = scale3(turn, splat(1.0f / h));
        position_before = position;
        rotation_before = rotation;
    }
}

const SimDrive DRIVE(SIM_WIDTH) = {.collider = drive_collider};
