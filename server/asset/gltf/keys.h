// Which frames of a curve are needed as keys.
#pragma once

#include <sim/types.h>

typedef enum AssetCurvePart { ASSET_CURVE_POSITION, ASSET_CURVE_ROTATION } AssetCurvePart;

// The positions or the rotations of every stride-th transform.
typedef struct AssetCurve {
    const SimTransform *frames; // [frame_count * stride]
    int frame_count;            // 1 at least
    int stride;
    AssetCurvePart part;
} AssetCurve;

// Chooses frames so that what lies between two of them (straight for positions, the shortest arc at an even
// speed for rotations) is off by `error` at most in each frame: m or radians. Writes them in order, and
// returns how many; 1: the first frame stands for all. Ramer (1972), Douglas and Peucker (1973): the worst
// frame becomes a key as long as it is off by more.
// out_frames: [frame_count]; stack: [frame_count], of the caller's.
int asset_curve_keys(const AssetCurve *curve, double error, int *out_frames, int *stack);

// How far the value at `frame` is from what lies between two keys, first <= frame <= last: m or radians.
double asset_curve_error(const AssetCurve *curve, int first, int last, int frame);

// What lies between two keys, first <= frame <= last: a position, 3 numbers, or a rotation, 4.
void asset_curve_value(const AssetCurve *curve, int first, int last, int frame, double out_value[4]);

// Radians from one rotation to the other, x y z w, of length 1 or nearly so.
double asset_angle(const double *a, const double *b);
