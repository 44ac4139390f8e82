// The coordinate conventions of views. Input is canonical (glTF: right-handed, +Y up, +Z forward, metres),
// output is in the convention and its unit. `in` and `out` may be the same array.
#pragma once

#include <stdbool.h>

typedef enum ProtocolAxes {
    PROTOCOL_AXES_GLTF,    // canonical
    PROTOCOL_AXES_BLENDER, // right-handed, +Z up, -Y forward, metres: (x, -z, y)
    PROTOCOL_AXES_UNREAL,  // left-handed, +Z up, +Y forward, centimetres: 100 (x, z, y)
    PROTOCOL_AXES_UNITY,   // left-handed, +Y up, +Z forward, metres: (-x, y, z)
    PROTOCOL_AXES_MAYA,    // as glTF, centimetres
    PROTOCOL_AXES_COUNT
} ProtocolAxes;

// "gltf", "blender", "unreal", "unity", "maya", NULL.
extern const char *const protocol_axes_names[];

// How many of the convention's units a metre is: 1 or 100.
float protocol_axes_unit(ProtocolAxes axes);

bool protocol_axes_are_left_handed(ProtocolAxes axes);

void protocol_axes_position(ProtocolAxes axes, const float in[3], float out[3]);

// A direction has no unit.
void protocol_axes_direction(ProtocolAxes axes, const float in[3], float out[3]);

// [x,y,z,w]; w keeps its sign.
void protocol_axes_quaternion(ProtocolAxes axes, const float in[4], float out[4]);

// Factors along the axes; sizes along them (radii) are these times the unit.
void protocol_axes_scale(ProtocolAxes axes, const float in[3], float out[3]);

// Column-major: M' = S M S^-1, the translation times the unit.
void protocol_axes_matrix(ProtocolAxes axes, const float in[16], float out[16]);

// The way back: from the convention and its unit to canonical axes and metres.
void protocol_axes_from_position(ProtocolAxes axes, const float in[3], float out[3]);
void protocol_axes_from_direction(ProtocolAxes axes, const float in[3], float out[3]);
void protocol_axes_from_quaternion(ProtocolAxes axes, const float in[4], float out[4]);
void protocol_axes_from_scale(ProtocolAxes axes, const float in[3], float out[3]);
void protocol_axes_from_matrix(ProtocolAxes axes, const float in[16], float out[16]);

// T R diag(scale) as a column-major matrix; rotation: [x,y,z,w] of unit length.
void protocol_compose(const float translation[3], const float rotation[4], const float scale[3],
                      float out_matrix[16]);

// Translation, rotation [x,y,z,w] with w >= 0, and scale of a column-major matrix: M = T R diag(scale). A
// mirrored matrix has a negative x scale; shear is lost; columns of length 0 are replaced by ones at right
// angles.
void protocol_decompose(const float matrix[16], float out_translation[3], float out_rotation[4],
                        float out_scale[3]);
