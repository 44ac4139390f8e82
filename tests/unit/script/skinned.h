// A mesh skinned to the streamed bones of a garment, by the rule that protocol/README.md gives to clients,
// and a judge of how far its surface is from the cloth that was simulated.
#pragma once

#include "script/motion.h"

// Sums and maxima over all points and ticks judged.
typedef struct Skinned {
    double squares;     // m^2, of the distances from points of the mesh to the cloth's surface
    double off;         // m, at most, from a point of the mesh on a particle to that particle
    double depth;       // m, at most, of the mesh in the garment's colliders
    long samples, deep; // points of the mesh, and those deeper than 2 mm
} Skinned;

// Judges the garment of that index at the present tick, at the points of motion_judge_between, the particles
// and the last row.
void skinned_judge(const Motion *motion, int garment, Skinned *skinned);
// Likewise the vertices of a render mesh of that garment; `off` stays 0, and depth is not judged.
void skinned_judge_mesh(const Motion *motion, const SimRenderMesh *mesh, Skinned *skinned);
double skinned_rms(const Skinned *skinned); // m
