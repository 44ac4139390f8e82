// The coordinate conventions: each is a permutation of the axes with signs, S, and a unit.
//
// Positions and directions become S v, matrices S M S^-1 with the translation times the unit. A rotation by q
// about an axis becomes one about det(S) S axis, since a reflection turns it round; scale factors only change
// places.
#include "protocol/axes.h"

#include <string.h>

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

float protocol_axes_unit(ProtocolAxes axes) {
    return conventions[axes].unit;
}

static void permute(const Convention *to, float factor, const float in[3], float out[3]) {
    float copy[3] = {in[0], in[1], in[2]};
    for (int i = 0; i < 3; i++) out[i] = factor * to->sign[i] * copy[to->source[i]];
}

void protocol_axes_position(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&conventions[axes], conventions[axes].unit, in, out);
}

void protocol_axes_direction(ProtocolAxes axes, const float in[3], float out[3]) {
    permute(&conventions[axes], 1, in, out);
}

void protocol_axes_quaternion(ProtocolAxes axes, const float in[4], float out[4]) {
    permute(&conventions[axes], conventions[axes].determinant, in, out);
    out[3] = in[3];
}

void protocol_axes_scale(ProtocolAxes axes, const float in[3], float out[3]) {
    const Convention *to = &conventions[axes];
    float copy[3] = {in[0], in[1], in[2]};
    for (int i = 0; i < 3; i++) out[i] = copy[to->source[i]];
}

void protocol_axes_matrix(ProtocolAxes axes, const float in[16], float out[16]) {
    const Convention *to = &conventions[axes];
    float copy[16];
    memcpy(copy, in, sizeof copy);
    for (int column = 0; column < 3; column++) {
        permute(to, to->sign[column], copy + 4 * to->source[column], out + 4 * column);
        out[4 * column + 3] = copy[4 * to->source[column] + 3];
    }
    permute(to, to->unit, copy + 12, out + 12);
    out[15] = copy[15];
}
