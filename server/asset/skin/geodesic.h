// Distances inside a body: the shortest ways through its voxels.
#pragma once

#include "skin/voxels.h"

typedef struct SkinGeodesic {
    const SkinVoxels *voxels;
    int (*neighbours)[6]; // [count] numbers of voxels, -1: none; along x, y, z, one of each pair after the
                          // other
    float *distances;     // [count] in voxels; INFINITY: not reached
    int *next;            // [count] in a bucket, -1: the last
    bool *is_queued;      // [count]
} SkinGeodesic;

// Returns false when memory runs out; finish it all the same. The voxels outlive it.
bool skin_geodesic_init(SkinGeodesic *geodesic, const SkinVoxels *voxels);
void skin_geodesic_finish(SkinGeodesic *geodesic);

// Fills in the distances from a bone's segments. Returns how many voxels they pass through.
int skin_geodesic_spread(SkinGeodesic *geodesic, const AssetBindDef *def, int bone);
// The distance of a point, m, between the centres of the voxels round it; INFINITY where it is not reached.
float skin_geodesic_distance(const SkinGeodesic *geodesic, const float point[3]);

float skin_segment_distance(vec3 point, vec3 from, vec3 to);
