// How far the curves of each node of a take may be off.
#pragma once

#include <asset/gltf.h>
#include <stdbool.h>

typedef struct AssetTolerance {
    double position, rotation; // m, radians
} AssetTolerance;

// Finds the largest tolerances, of one proportion, with which every bone is where it was to the shot's
// position_error and rotation_error in each frame: shares of these that hold in any case, then more of them
// as long as the world says so. out_tolerances: [bone_count + 1], of the nodes. Returns false when memory
// runs out.
bool asset_tolerances_find(const AssetShot *shot, const AssetTake *take, AssetTolerance *out_tolerances);
