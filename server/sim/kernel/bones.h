// Computes the bones that the cloth drives, once a tick after the last substep: x along a vertical link, y
// carried along and twisted towards the neighbours by a bounded angle, z = x cross y. Also computes how
// far the cloth is folded across each bone.
#pragma once

#include "kernel/lanes/strips.h"

#define KEEP_SHORTER 0.1f     // a link under this share of its rest length gives no direction
#define NO_DIRECTION 1e-4f    // neighbours nearer than this share of their rest span give no direction
#define REVERSED     -0.9999f // x has reversed below this cosine
#define TWIST_LEAST  1.0f     // degrees in 1/60 s at low confidence
#define TWIST_RANGE  58.0f    // degrees more at high confidence; the sum stays a degree below 60 for rounding
#define HALF_TURN    1.57079633f // rad, half of the largest angle
#define FOLD_FULL    0.85f       // chord over arc at weight 1, relative to that at rest
#define FOLD_LEAST   0.1f        // dead zone
#define FOLD_ATTACK  0.06f       // s, time constants
#define FOLD_RELEASE 0.25f
#define BONE_REACH   0.1f // m, see top_speed_squared

// A bone of each garment, or one a lane: its numbers, folds and frame.
#ifdef SIM_ALONE

#define BONE_NUMBERS   (int)(sizeof(SimClothBone) / sizeof(int32_t))
#define BONE(member)   numbers_at((const int32_t *)&bones->member, bone *BONE_NUMBERS)
#define BONE_F(member) own(&bones->member, bone *BONE_NUMBERS)
#define FOLD(way)                                                                                            \
    { BONE(way.before), BONE(way.after), BONE_F(way.arc), BONE_F(way.ratio), BONE_F(way.kink) }

typedef struct Fold {
    places before, after;
    lanes arc, ratio, kink;
} Fold;
typedef struct BoneFrame {
    lanes3 x, y, z;
    lanes confidence, warp, weft;
} BoneFrame;

#define FRAME_NUMBERS        (int)SIM_NUMBERS(SimBoneFrame)
#define FRAME_NUMBER(member) (bone * FRAME_NUMBERS + (int)SIM_NUMBER(SimBoneFrame, member))

LANES_INLINE BoneFrame frame_at(const SimBoneFrame *frames, places bone) {
    const float *numbers = (const float *)frames;
    const SimLanes3 *vectors = (const SimLanes3 *)frames;
    const places first = bone * (FRAME_NUMBERS / 3);
    return (BoneFrame){own3(vectors, first),
                       own3(vectors, first + 1),
                       own3(vectors, first + 2),
                       own(numbers, FRAME_NUMBER(confidence)),
                       own(numbers, FRAME_NUMBER(warp)),
                       own(numbers, FRAME_NUMBER(weft))};
}
LANES_INLINE void set_frame(SimBoneFrame *frames, places bone, const BoneFrame *frame) {
    float *numbers = (float *)frames;
    SimLanes3 *vectors = (SimLanes3 *)frames;
    const places first = bone * (FRAME_NUMBERS / 3);
    set3(vectors, first, frame->x);
    set3(vectors, first + 1, frame->y);
    set3(vectors, first + 2, frame->z);
    set(numbers, FRAME_NUMBER(confidence), frame->confidence);
    set(numbers, FRAME_NUMBER(warp), frame->warp);
    set(numbers, FRAME_NUMBER(weft), frame->weft);
}

#else

#define BONE(member)   (bones[bone].member)
#define BONE_F(member) splat(bones[bone].member)
#define FOLD(way)      bones[bone].way

typedef SimFold Fold;
typedef SimBoneFrame BoneFrame;

LANES_INLINE BoneFrame frame_at(const SimBoneFrame *frames, int bone) {
    return frames[bone];
}
LANES_INLINE void set_frame(SimBoneFrame *frames, int bone, const BoneFrame *frame) {
    frames[bone] = *frame;
}

#endif

// Taylor's series; within 4e-6 on -pi/2..pi/2.
LANES_INLINE lanes sine(lanes angle) {
    lanes s = angle * angle;
    return angle * (1.0f + s * (-1.0f / 6 + s * (1.0f / 120 + s * (-1.0f / 5040 + s * (1.0f / 362880)))));
}

LANES_INLINE lanes3 any_side(lanes3 x) {
    lanes length;
    return direction3(perpendicular3(x), &length);
}

// y at right angles to x after the smallest turn from the old x: y - (x0 + x) (y . x) / (1 + x0 . x). If x
// has reversed, that turn has no axis and y stays.
LANES_INLINE lanes3 carried_side(lanes3 old_x, lanes3 x, lanes3 y) {
    lanes cosine = dot3(old_x, x);
    lanes share = dot3(y, x) / (1.0f + maximum(cosine, splat(REVERSED)));
    lanes3 turned = mad3(y, add3(old_x, x), -share);
    y = select3(more(cosine, splat(REVERSED)), turned, y);
    lanes length;
    y = direction3(mad3(y, x, -dot3(y, x)), &length);
    return select3(more(length, splat(1e-6f)), y, any_side(x));
}

// Half the largest twist in dt, in radians.
LANES_INLINE lanes half_twist_bound(lanes confidence, float dt) {
    lanes degrees = TWIST_LEAST + TWIST_RANGE * smoothstep(0.05f, 0.35f, confidence);
    return minimum(degrees * (dt * 60.0f * (HALF_TURN / 180.0f)), splat(HALF_TURN));
}

#ifndef SIM_ALONE // all of its bones have neighbours

// A bone without neighbours keeps its rest twist relative to the bone above: y turns with that bone, then
// by the smallest turn to x. The result fades to zero as x reverses.
LANES_INLINE lanes3 side_from_above(const SimKernelJob *job, const SimClothBone *bone, lanes3 x) {
    lanes3 ahead = {splat(bone->ahead[0]), splat(bone->ahead[1]), splat(bone->ahead[2])};
    lanes3 side = {splat(bone->side[0]), splat(bone->side[1]), splat(bone->side[2])};
    SimLanesPose pose;
    if (bone->above >= 0) {
        const SimBoneFrame *above = &job->state->frames[bone->above];
        pose = (SimLanesPose){{above->x, above->y, above->z, zero3()}};
    } else {
        pose = job->skin_poses[bone->side_bone];
    }
    ahead = rotate3(&pose, ahead);
    lanes sure = minimum(2.0f * (1.0f + dot3(ahead, x)), splat(1.0f));
    return scale3(carried_side(ahead, x, rotate3(&pose, side)), maximum(sure, splat(0.0f)));
}

#endif

// The direction for a bone's y: the slope of the straight line that fits the particle and two neighbours on
// either side best (least squares). A mesh between two bones bulges from the cloth by a quarter of their
// distance times the angle between them; with the nearest neighbours alone that is twice as much in folds.
LANES_INLINE lanes3 wanted_side(const SimKernelJob *job, places bone, lanes3 x) {
    const SimClothBone *bones = job->topology->bones;
    const SimLanes3 *position = job->state->position;
#ifdef SIM_ALONE
    (void)x;
#else
    if (bones[bone].left == bones[bone].right) return side_from_above(job, &bones[bone], x);
#endif
    lanes3 near = sub3(own3(position, BONE(right)), own3(position, BONE(left)));
    lanes3 far = sub3(own3(position, BONE(far_right)), own3(position, BONE(far_left)));
    return mad3(near, far, splat(2.0f));
}

// Turns the frame about x so that y points along d, by at most the bounded angle. In the plane of y and z
// the angle to d is that of (d . y, d . z): this needs no arc tangent, and y stays at right angles to x.
// Angles are compared by their chords, 2 sin(a / 2), since cosines cannot tell small angles apart.
LANES_INLINE void twist(BoneFrame *frame, lanes3 d, mask has_direction, lanes half_bound) {
    lanes c = dot3(d, frame->y), s = dot3(d, frame->z);
    lanes inverse = 1.0f / maximum(square_root(c * c + s * s), splat(1e-9f));
    c *= inverse, s *= inverse;
    lanes half = minimum(sine(half_bound), splat(1.0f));
    mask beyond = more((1.0f - c) * (1.0f - c) + s * s, 4.0f * half * half);
    lanes bound_sine = 2.0f * half * square_root(1.0f - half * half);
    c = select_lanes(beyond, 1.0f - 2.0f * half * half, c);
    s = select_lanes(beyond, with_sign_of(bound_sine, s), s);
    lanes length;
    lanes3 turned = direction3(mad3(scale3(frame->y, c), frame->z, s), &length);
    frame->y = select3(has_direction, turned, frame->y);
    frame->z = cross3(frame->x, frame->y);
}

// The weight of a fold: how much the cloth kinks at the particle beyond the bind pose. The angle a has
// chord over arc r = cos(a / 2); r' = cos((a - a_rest) / 2) = r r_rest + sqrt((1 - r^2) (1 - r_rest^2)), w
// = sqrt((1 / r' - 1) / (1 / r_full - 1)). A plain r' = r / r_rest is the same for flat cloth, but
// overrates kinks in cloth that is round at rest: a jacket that has settled on a still body
// (scenes/wake.lua, 5 s after its clip stops) shows 0.30 by it, and 0.15 by this.
LANES_INLINE lanes fold_weight(const Fold *fold, const SimLanes3 *position) {
    if (!any_apart(fold->before, fold->after)) return splat(0.0f);
    lanes chord = length3(sub3(own3(position, fold->after), own3(position, fold->before)));
    lanes r = minimum(chord * (1.0f / fold->arc), fold->ratio + (lanes){0});
    lanes beyond = r * fold->ratio + square_root(maximum(1.0f - r * r, splat(0.0f))) * fold->kink;
    lanes square = (1.0f / maximum(beyond, splat(0.1f)) - 1.0f) * (1.0f / (1.0f / FOLD_FULL - 1.0f));
    lanes weight = square_root(minimum(maximum(square, splat(0.0f)), splat(1.0f)));
    weight = select_lanes(less(weight, splat(FOLD_LEAST)), splat(0.0f), weight);
    return where_apart(fold->before, fold->after, weight);
}

// The share of the change to the new weight that a fold makes in dt: attack is fast, release slow. 1
// without a previous weight.
typedef struct FoldShares {
    lanes attack, release;
} FoldShares;

LANES_INLINE FoldShares fold_shares(float dt) {
    if (dt <= 0.0f) return (FoldShares){splat(1.0f), splat(1.0f)};
    return (FoldShares){1.0f - exp_minus(splat(dt * (1.0f / FOLD_ATTACK))),
                        1.0f - exp_minus(splat(dt * (1.0f / FOLD_RELEASE)))};
}

LANES_INLINE lanes follow_fold(lanes now, lanes weight, const FoldShares *shares) {
    lanes share = select_lanes(more(weight, now), shares->attack, shares->release);
    return now * (1.0f - share) + weight * share;
}

LANES_INLINE void drive_frame(const SimKernelJob *job, places bone, BoneFrame *frame, float dt) {
    const SimClothBone *bones = job->topology->bones;
    const SimLanes3 *position = job->state->position;
    const bool starts = dt <= 0.0f;
    lanes length;
    lanes3 link = direction3(sub3(own3(position, BONE(to)), own3(position, BONE(from))), &length);
    mask has_link = ~less(length, KEEP_SHORTER * BONE_F(length));
    lanes3 down = {splat(0.0f), splat(-1.0f), splat(0.0f)};
    lanes3 x = select3(has_link, link, starts ? down : frame->x);
    frame->y = starts ? any_side(x) : carried_side(frame->x, x, frame->y);
    frame->x = x;
    frame->z = cross3(x, frame->y);
    lanes3 d = wanted_side(job, bone, x);
    lanes y = dot3(d, frame->y), z = dot3(d, frame->z);
    lanes sure = minimum(square_root(y * y + z * z) * (1.0f / BONE_F(span)), splat(1.0f));
    frame->confidence = select_lanes(has_link, sure, splat(0.0f));
    lanes half_bound = starts ? splat(HALF_TURN) : half_twist_bound(frame->confidence, dt);
    twist(frame, d, more(sure, splat(NO_DIRECTION)), half_bound);
}

LANES_INLINE lanes square_of_change(const BoneFrame *before, const BoneFrame *after) {
    lanes3 x = sub3(after->x, before->x), y = sub3(after->y, before->y);
    lanes warp = after->warp - before->warp, weft = after->weft - before->weft;
    return maximum(maximum(dot3(x, x), dot3(y, y)), maximum(warp * warp, weft * weft));
}

// Computes all bones of the garment. dt is the time since the last call in s, 0 without previous frames.
LANES_INLINE void drive_bones(const SimKernelJob *job, float dt) {
    const SimTopology *topology = job->topology;
    const SimLanes3 *position = job->state->position;
    const SimClothBone *bones = topology->bones;
    FoldShares shares = fold_shares(dt);
    lanes fastest = {0};
    for (int i = 0; i < batches_of(topology->bone_count); i++) {
        const places bone = batch_among(topology->bone_count, i);
        const BoneFrame before = frame_at(job->state->frames, bone);
        BoneFrame frame = before;
        drive_frame(job, bone, &frame, dt);
        const Fold warp = FOLD(warp), weft = FOLD(weft);
        frame.warp = follow_fold(frame.warp, fold_weight(&warp, position), &shares);
        frame.weft = follow_fold(frame.weft, fold_weight(&weft, position), &shares);
        set_frame(job->state->frames, bone, &frame);
        if (dt > 0.0f)
            fastest =
                maximum(fastest, square_of_change(&before, &frame) * (BONE_REACH * BONE_REACH / (dt * dt)));
    }
    if (dt <= 0.0f) return;
    fastest = maximum(in_lanes(*job->state->top_speed_squared), greatest(fastest));
    *job->state->top_speed_squared = once(fastest);
}
