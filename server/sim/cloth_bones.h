// Bones driven by cloth: pivot at their particle, x towards the particle below, y from the lower to the
// higher column, z = x cross y.
#pragma once

#include "rig_data.h"

// The frame of one bone as it was at the end of the last tick.
typedef struct SimClothFrame {
    vec3 x, y;
} SimClothFrame;

// Frames straight from the positions, with nothing before them to go on from.
void sim_cloth_frames_start(const SimGarmentType *garment, const float (*positions)[3],
                            const mat4 *bones_model, SimClothFrame *frames);

// Frames of this tick from those of the last: x is where the link points; y is carried along by the smallest
// turn of x and then twists about x towards the neighbours, by a bounded angle, less the shorter their
// distance is.
void sim_cloth_frames_advance(const SimGarmentType *garment, const float (*positions)[3],
                              const mat4 *bones_model, float dt, SimClothFrame *frames);

// Model matrices of the garment's bones: out_bones is [bone_count].
void sim_cloth_frames_matrices(const SimGarmentType *garment, const float (*positions)[3],
                               const SimClothFrame *frames, mat4 *out_bones);
