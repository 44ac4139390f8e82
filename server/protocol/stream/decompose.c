// A matrix as translation, rotation and scale.
#include "protocol/axes.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double parallel = 1e-6; // sine of the angle below which a column has no direction of its own

static bool make_unit(double v[3], double least);
static void remove_share(double v[3], const double unit[3]);
static double determinant(double columns[3][3]);
static void find_quaternion(double columns[3][3], float out[4]);

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
