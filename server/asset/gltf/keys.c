#include "gltf/keys.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Quaternion {
    double at[4];
} Quaternion;

static const SimTransform *frame_of(const AssetCurve *curve, int frame);
static bool is_constant(const AssetCurve *curve, double error);
static int worst_frame(const AssetCurve *curve, int first, int last, double error);
static double position_error(const float *from, const float *to, double share, const float *value);
static double rotation_error(const float *from, const float *to, double share, const float *value);
static Quaternion between(const float *from, const float *to, double share);

int asset_curve_keys(const AssetCurve *curve, double error, int *out_frames, int *stack) {
    int count = 0, waiting = 0, first = 0;
    out_frames[count++] = 0;
    if (is_constant(curve, error)) return count;
    stack[waiting++] = curve->frame_count - 1;
    while (waiting > 0) {
        const int last = stack[waiting - 1], worst = worst_frame(curve, first, last, error);
        if (worst >= 0) {
            stack[waiting++] = worst;
        } else {
            out_frames[count++] = first = last;
            waiting--;
        }
    }
    return count;
}

double asset_curve_error(const AssetCurve *curve, int first, int last, int frame) {
    const SimTransform *from = frame_of(curve, first), *to = frame_of(curve, last);
    const SimTransform *value = frame_of(curve, frame);
    const double share = last > first ? (double)(frame - first) / (last - first) : 0.0;
    return curve->part == ASSET_CURVE_POSITION
               ? position_error(from->position, to->position, share, value->position)
               : rotation_error(from->rotation, to->rotation, share, value->rotation);
}

void asset_curve_value(const AssetCurve *curve, int first, int last, int frame, double out_value[4]) {
    const SimTransform *from = frame_of(curve, first), *to = frame_of(curve, last);
    const double share = last > first ? (double)(frame - first) / (last - first) : 0.0;
    if (curve->part == ASSET_CURVE_ROTATION) {
        const Quaternion value = between(from->rotation, to->rotation, share);
        for (int i = 0; i < 4; i++) out_value[i] = value.at[i];
        return;
    }
    for (int i = 0; i < 3; i++)
        out_value[i] =
            (double)from->position[i] + share * ((double)to->position[i] - (double)from->position[i]);
}

// The vector's length, not the cosine, tells small angles.
double asset_angle(const double *a, const double *b) {
    const double w = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double part = b[3] * a[i] - a[3] * b[i] - (a[j] * b[k] - a[k] * b[j]);
        sum += part * part;
    }
    return 2.0 * atan2(sqrt(sum), fabs(w));
}

static const SimTransform *frame_of(const AssetCurve *curve, int frame) {
    return &curve->frames[(size_t)frame * (size_t)curve->stride];
}

static bool is_constant(const AssetCurve *curve, double error) {
    for (int i = 1; i < curve->frame_count; i++)
        if (asset_curve_error(curve, 0, 0, i) > error) return false;
    return true;
}

// Returns the frame between two keys that is off by most; -1: none is off by more than `error`.
static int worst_frame(const AssetCurve *curve, int first, int last, double error) {
    if (error == 0.0) return last > first + 1 ? last - 1 : -1;
    int worst = -1;
    for (int i = first + 1; i < last; i++) {
        const double off = asset_curve_error(curve, first, last, i);
        if (off <= error) continue;
        error = off;
        worst = i;
    }
    return worst;
}

static double position_error(const float *from, const float *to, double share, const float *value) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double off = (double)from[i] + share * ((double)to[i] - (double)from[i]) - (double)value[i];
        sum += off * off;
    }
    return sqrt(sum);
}

static double rotation_error(const float *from, const float *to, double share, const float *value) {
    const Quaternion middle = between(from, to, share);
    const double found[4] = {(double)value[0], (double)value[1], (double)value[2], (double)value[3]};
    return asset_angle(middle.at, found);
}

// The shortest arc, as viewers of glTF compute it (section 3.11 and appendix C of the format).
static Quaternion between(const float *from, const float *to, double share) {
    double dot = 0.0;
    for (int i = 0; i < 4; i++) dot += (double)from[i] * (double)to[i];
    const double sign = dot < 0.0 ? -1.0 : 1.0, cosine = fmin(fabs(dot), 1.0), arc = acos(cosine);
    double a = 1.0 - share, b = share;
    if (arc > 1e-6) {
        a = sin((1.0 - share) * arc) / sin(arc);
        b = sin(share * arc) / sin(arc);
    }
    Quaternion result;
    for (int i = 0; i < 4; i++) result.at[i] = a * (double)from[i] + sign * b * (double)to[i];
    return result;
}
