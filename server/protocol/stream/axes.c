// The coordinate conventions: each is a permutation of the axes with signs, S, and a unit.
//
// Positions and directions become S v, matrices S M S^-1 with the translation times the unit. A rotation by q
// about an axis becomes one about det(S) S axis, since a reflection turns it round; scale factors only change
// places.
#include "protocol/axes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double parallel = 1e-6; // sine of the angle below which a column has no direction of its own

typedef struct Convention {
    int source[3];     // out[i] = sign[i] * in[source[i]]
    float sign[3];     // 1 or -1
    float determinant; // of S: -1 for a left-handed convention
    float unit;        // of them in a metre
} Convention;

static const Convention conventions[PROTOCOL_AXES_COUNT] = {
    [PROTOCOL_AXES_GLTF] = {{0, 1, 2}, {1, 1, 1}, 1, 1},
    [PROTOCOL_AXES_BLENDER] = {{0, 2, 1}, {1, -1, 1}, 1, 1},
    [PROTOCOL_AXES_UNREAL] = {{0, 2, 1}, {1, 1, 1}, -1, 100},
    [PROTOCOL_AXES_UNITY] = {{0, 1, 2}, {-1, 1, 1}, -1, 1},
    [PROTOCOL_AXES_MAYA] = {{0, 1, 2}, {1, 1, 1}, 1, 100},
};

static const Convention inverses[PROTOCOL_AXES_COUNT] = {
    [PROTOCOL_AXES_GLTF] = {{0, 1, 2}, {1, 1, 1}, 1, 1},
    [PROTOCOL_AXES_BLENDER] = {{0, 2, 1}, {1, 1, -1}, 1, 1},
    [PROTOCOL_AXES_UNREAL] = {{0, 2, 1}, {1, 1, 1}, -1, 0.01f},
    [PROTOCOL_AXES_UNITY] = {{0, 1, 2}, {-1, 1, 1}, -1, 1},
    [PROTOCOL_AXES_MAYA] = {{0, 1, 2}, {1, 1, 1}, 1, 0.01f},
};

static void convert_quaternion(const Convention *to, const float in[4], float out[4]);
static void convert_scale(const Convention *to, const float in[3], float out[3]);
static void convert_matrix(const Convention *to, const float in[16], float out[16]);
static void permute(const Convention *to, float factor, const float in[3], float out[3]);
static int make_orthonormal(double columns[3][3]);
static bool make_unit(double v[3], double least);
static void remove_share(double v[3], const double unit[3]);
static double determinant(double columns[3][3]);
static void find_quaternion(double columns[3][3], float out[4]);

float protocol_axes_unit(ProtocolAxes axes) {
    return conventions[axes].unit;
}

bool protocol_axes_are_left_handed(ProtocolAxes axes) {
    return conventions[axes].determinant < 0.0f;
}

void protocol_axes_position(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&conventions[axes], conventions[axes].unit, in, out);
}

void protocol_axes_direction(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&conventions[axes], 1, in, out);
}

void protocol_axes_quaternion(ProtocolAxes axes, const float in[4], float out[4]) {
    convert_quaternion(&conventions[axes], in, out);
}

void protocol_axes_scale(ProtocolAxes axes, const float in[3], float out[3]) {
    convert_scale(&conventions[axes], in, out);
}

void protocol_axes_matrix(ProtocolAxes axes, const float in[16], float out[16]) {
    convert_matrix(&conventions[axes], in, out);
}

void protocol_axes_from_position(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&inverses[axes], inverses[axes].unit, in, out);
}

void protocol_axes_from_direction(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&inverses[axes], 1, in, out);
}

void protocol_axes_from_quaternion(ProtocolAxes axes, const float in[4], float out[4]) {
    convert_quaternion(&inverses[axes], in, out);
}

void protocol_axes_from_scale(ProtocolAxes axes, const float in[3], float out[3]) {
    convert_scale(&inverses[axes], in, out);
}

void protocol_axes_from_matrix(ProtocolAxes axes, const float in[16], float out[16]) {
    convert_matrix(&inverses[axes], in, out);
}

void protocol_compose(const float translation[3], const float rotation[4], const float scale[3],
                      float out_matrix[16]) {
    const float x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
    const float columns[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                                 {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                                 {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) out_matrix[4 * i + k] = columns[i][k] * scale[i];
        out_matrix[4 * i + 3] = 0;
        out_matrix[12 + i] = translation[i];
    }
    out_matrix[15] = 1;
}

void protocol_decompose(const float matrix[16], float out_translation[3], float out_rotation[4],
                        float out_scale[3]) {
    double columns[3][3], scale[3];
    for (int i = 0; i < 3; i++) {
        double squares = 0;
        for (int k = 0; k < 3; k++) {
            columns[i][k] = (double)matrix[4 * i + k];
            squares += columns[i][k] * columns[i][k];
        }
        scale[i] = sqrt(squares);
        out_translation[i] = matrix[12 + i];
    }
    int free_column = make_orthonormal(columns);
    if (determinant(columns) < 0) {
        for (int k = 0; k < 3; k++) columns[free_column][k] = -columns[free_column][k];
        scale[free_column] = -scale[free_column];
    }
    for (int i = 0; i < 3; i++) out_scale[i] = (float)scale[i];
    find_quaternion(columns, out_rotation);
}

static void convert_quaternion(const Convention *to, const float in[4], float out[4]) {
    const float w = in[3];
    permute(to, to->determinant, in, out);
    out[3] = w;
}

static void convert_scale(const Convention *to, const float in[3], float out[3]) {
    const float copy[3] = {in[0], in[1], in[2]};
    for (int i = 0; i < 3; i++) out[i] = copy[to->source[i]];
}

static void convert_matrix(const Convention *to, const float in[16], float out[16]) {
    float copy[16];
    memcpy(copy, in, sizeof copy);
    for (int column = 0; column < 3; column++) {
        permute(to, to->sign[column], copy + 4 * to->source[column], out + 4 * column);
        out[4 * column + 3] = copy[4 * to->source[column] + 3];
    }
    permute(to, to->unit, copy + 12, out + 12);
    out[15] = copy[15];
}

static void permute(const Convention *to, float factor, const float in[3], float out[3]) {
    float copy[3] = {in[0], in[1], in[2]};
    for (int i = 0; i < 3; i++) out[i] = factor * to->sign[i] * copy[to->source[i]];
}

// Makes the columns orthonormal, the earlier ones keeping their direction. One of length 0, or parallel to
// others, takes any direction at right angles to them. Returns the first of those, else the x column.
static int make_orthonormal(double columns[3][3]) {
    bool done[3] = {false, false, false};
    for (int i = 0; i < 3; i++) {
        if (!make_unit(columns[i], 0)) continue;
        for (int j = 0; j < i; j++) {
            if (done[j]) remove_share(columns[i], columns[j]);
        }
        done[i] = make_unit(columns[i], parallel);
    }
    int free_column = 0;
    for (int i = 2; i >= 0; i--) {
        if (done[i]) continue;
        free_column = i;
        for (int axis = i; !done[i]; axis = (axis + 1) % 3) {
            for (int k = 0; k < 3; k++) columns[i][k] = k == axis ? 1 : 0;
            for (int j = 0; j < 3; j++) {
                if (done[j]) remove_share(columns[i], columns[j]);
            }
            done[i] = make_unit(columns[i], 0.5); // one of the three axes has 1/sqrt(3) left at least
        }
    }
    return free_column;
}

// False, and v as it is, when it is not longer than `least`.
static bool make_unit(double v[3], double least) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length <= least) return false;
    for (int k = 0; k < 3; k++) v[k] /= length;
    return true;
}

static void remove_share(double v[3], const double unit[3]) {
    double share = v[0] * unit[0] + v[1] * unit[1] + v[2] * unit[2];
    for (int k = 0; k < 3; k++) v[k] -= share * unit[k];
}

static double determinant(double columns[3][3]) {
    const double *x = columns[0], *y = columns[1], *z = columns[2];
    return (x[1] * y[2] - x[2] * y[1]) * z[0] + (x[2] * y[0] - x[0] * y[2]) * z[1] +
           (x[0] * y[1] - x[1] * y[0]) * z[2];
}

// Shepperd's method: from the largest component, so that nothing is divided by a small one.
static void find_quaternion(double columns[3][3], float out[4]) {
    double xx = columns[0][0], yy = columns[1][1], zz = columns[2][2];
    double squares[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz}; // of 2 q
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        if (squares[i] > squares[largest]) largest = i;
    }
    double q[4], twice = sqrt(squares[largest]);
    q[largest] = twice / 2;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double sum = columns[j][k] + columns[k][j],
               difference = columns[j][k] - columns[k][j]; // 4 qj qk, 4 qi w
        if (largest == 3)
            q[i] = difference / (2 * twice);
        else if (largest == i)
            q[3] = difference / (2 * twice);
        if (largest == j)
            q[k] = sum / (2 * twice);
        else if (largest == k)
            q[j] = sum / (2 * twice);
    }
    double sign = q[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) out[i] = (float)(sign * q[i]);
}
