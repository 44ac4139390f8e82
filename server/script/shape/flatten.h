// Lays the panels of a surface flat, as cloth is cut, so that a weave keeps its size.
#pragma once

#include "shape/subdivide.h"

// Corners of one point with equal uvs belong together; others are cut apart. Moves the uvs until edges and
// diagonals have their true lengths, as well as a flat panel allows. The uvs given say where each corner lies
// roughly, and which way the warp (v) runs. Returns false when memory runs out.
bool script_flatten(ScriptArena *arena, const ScriptCage *cage, float (*uvs)[4][2]);

// A fine surface that is laid out roughly already.
typedef struct ScriptFinePanels {
    const int (*corners)[4];  // [quad_count] vertices, quads in the order of script_subdivide
    const float (*points)[3]; // [vertex_count] which have the true lengths
    int quad_count, vertex_count, levels;
} ScriptFinePanels;

// The same for such a surface; uvs: [vertex_count].
bool script_flatten_fine(ScriptArena *arena, const ScriptFinePanels *panels, float (*uvs)[2]);
