// Rotations in lanes: the operations of core/rotation.h and of cglm's plain C, one for one.
#pragma once

#include "core/drive.h"
#include "drive/angles.h"

typedef struct lanes4 {
    lanes x, y, z, w;
} lanes4;

// The shortest way from one rotation to the other.
typedef struct LanesArc {
    lanes4 from, to;
    lanes sign, angle, sine;
} LanesArc;

LANES_INLINE lanes4 rotation_of(const SimLanesTransform *transform) {
    const SimLanes *q = transform->rotation;
    return (lanes4){q[0], q[1], q[2], q[3]};
}

LANES_INLINE lanes dot4(lanes4 a, lanes4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

LANES_INLINE lanes4 normalized(lanes4 q) {
    const lanes square = dot4(q, q), inverse = 1.0f / square_root(square);
    const mask is_none = ~more(square, splat(0.0f));
    return (lanes4){
        select_lanes(is_none, splat(0.0f), q.x * inverse), select_lanes(is_none, splat(0.0f), q.y * inverse),
        select_lanes(is_none, splat(0.0f), q.z * inverse), select_lanes(is_none, splat(1.0f), q.w * inverse)};
}

LANES_INLINE LanesArc arc_between(lanes4 from, lanes4 to) {
    const lanes cosine = dot4(from, to), near = minimum(maximum(absolute(cosine), splat(0.0f)), splat(1.0f));
    const lanes sine = square_root((1.0f - near) * (1.0f + near));
    const lanes sign = select_lanes(less(cosine, splat(0.0f)), splat(-1.0f), splat(1.0f));
    return (LanesArc){from, to, sign, quarter_angle(sine, near), sine};
}

LANES_INLINE lanes4 arc_at(const LanesArc *arc, float share) {
    const mask is_tiny = ~more(arc->sine, splat(1e-3f));
    const lanes a =
        select_lanes(is_tiny, splat(1.0f - share), quarter_sine((1.0f - share) * arc->angle) / arc->sine);
    const lanes b =
        arc->sign * select_lanes(is_tiny, splat(share), quarter_sine(share * arc->angle) / arc->sine);
    return normalized((lanes4){a * arc->from.x + b * arc->to.x, a * arc->from.y + b * arc->to.y,
                               a * arc->from.z + b * arc->to.z, a * arc->from.w + b * arc->to.w});
}

// a after b.
LANES_INLINE lanes4 multiply4(lanes4 a, lanes4 b) {
    return (lanes4){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

LANES_INLINE lanes4 inverse4(lanes4 q) {
    return (lanes4){-q.x, -q.y, -q.z, q.w};
}

// Axis times angle, the angle in -pi..pi.
LANES_INLINE lanes3 turn_of(lanes4 q) {
    const lanes twice = select_lanes(less(q.w, splat(0.0f)), splat(-2.0f), splat(2.0f));
    const lanes sine = square_root(q.x * q.x + q.y * q.y + q.z * q.z);
    const lanes factor =
        select_lanes(more(sine, splat(1e-7f)), twice * quarter_angle(sine, absolute(q.w)) / sine, twice);
    return scale3((lanes3){q.x, q.y, q.z}, factor);
}

LANES_INLINE SimLanesPose pose_of(lanes3 position, lanes4 q) {
    const lanes norm = square_root(dot4(q, q));
    const lanes s = select_lanes(more(norm, splat(0.0f)), 2.0f / norm, splat(0.0f));
    const lanes xx = s * q.x * q.x, xy = s * q.x * q.y, wx = s * q.w * q.x;
    const lanes yy = s * q.y * q.y, yz = s * q.y * q.z, wy = s * q.w * q.y;
    const lanes zz = s * q.z * q.z, xz = s * q.x * q.z, wz = s * q.w * q.z;
    return (SimLanesPose){{{1.0f - yy - zz, xy + wz, xz - wy},
                           {xy - wz, 1.0f - xx - zz, yz + wx},
                           {xz + wy, yz - wx, 1.0f - xx - yy},
                           position}};
}
