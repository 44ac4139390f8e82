// The voxels that a closed mesh fills: those that its surface passes through and those inside.
#pragma once

#include "asset/skin.h"

typedef struct SkinVoxels {
    float cell; // m
    float origin[3];
    int size[3];
    int32_t *index; // [size[0] * size[1] * size[2]], x fastest: the number of a filled voxel, -1 outside
    int count;      // filled voxels
    int *cells;     // [count] the place of each in index
} SkinVoxels;

// Fills the grid. The grid has the mesh in its middle and an empty border. False with a reason if it would be
// too large or memory runs out; finish it all the same.
bool skin_voxels_init(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error);
void skin_voxels_finish(SkinVoxels *voxels);

// Where a point lies in the grid, in voxels; whole numbers are corners of voxels.
void skin_voxels_place(const SkinVoxels *voxels, const float point[3], float out_place[3]);
// The number of the filled voxel at x, y, z; -1 outside.
int skin_voxels_at(const SkinVoxels *voxels, const int at[3]);
