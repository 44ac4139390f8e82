// Which bones of a garment of cloth carry a point of its surface, so that a fine mesh follows the simulated
// grid.
#pragma once

#include <sim/rig.h>

#define SCRIPT_CLOTH_INFLUENCES 4

typedef struct ScriptClothPoint {
    int particles[SCRIPT_CLOTH_INFLUENCES]; // those whose bones carry it, row * columns + column
    float weights[SCRIPT_CLOTH_INFLUENCES]; // sum 1; 0: none
} ScriptClothPoint;

// The bones of the links above and below share a point at the particle between them, where both put it on the
// particle, and the nearer one carries all at the middle of its link: the surface is smooth, and nowhere far
// from the cloth. Likewise the bones of the columns beside. Rows and columns may lie outside of the grid: the
// nearest bones carry the point.
ScriptClothPoint script_cloth_skin(const SimGarmentDef *garment, float row, float column);

// The place of the grid's surface at rest that is nearest to a point.
typedef struct ScriptClothPlace {
    float row, column;
    float distance; // m, of the point
} ScriptClothPlace;

// near: a place, such as that of the point before, which makes the search short; or NULL.
ScriptClothPlace script_cloth_nearest(const SimGarmentDef *garment, const float point[3],
                                      const ScriptClothPlace *near);

// Whether a slit parts the column from the next, between the row and the one above.
bool script_cloth_is_cut(const SimGarmentDef *garment, int row, int column);

// The corners' shares in the point of a triangle that is nearest to a point.
void script_nearest_on_triangle(const float point[3], const float *const corners[3], float out_shares[3]);
