// Smooth surfaces from cages of quads: subdivision after Catmull and Clark (1978) of a cage that is first
// moved so that the smooth surface passes through its points.
//
// Edges with one quad are the border, which is a cubic B-spline of its own; a point with one quad only is a
// sharp corner. Quads are counter-clockwise seen from outside.
#pragma once

#include "data/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCRIPT_MAX_LEVELS = 4 };

typedef struct ScriptCage {
    const float (*points)[3]; // [point_count]
    const int (*quads)[4];    // [quad_count] indices of points
    int point_count, quad_count;
} ScriptCage;

// Where a corner of a fine quad lies: in a quad of the cage, from its first corner to the second (u) and to
// the fourth (v), 0..1.
typedef struct ScriptPlace {
    int quad;
    float u, v;
} ScriptPlace;

// An edge with one quad: from its corner `side` to the next.
typedef struct ScriptBorder {
    int quad, side;
} ScriptBorder;

typedef struct ScriptFineSurface {
    float (*points)[3];       // [point_count]; the first ones are the cage's
    float (*normals)[3];      // [point_count], unit
    int (*quads)[4];          // [quad_count]
    ScriptPlace (*places)[4]; // [quad_count], of the corners
    ScriptBorder *borders;    // [border_count]
    int point_count, quad_count, border_count;
} ScriptFineSurface;

// Returns a quad with an edge that two others have, too, or -1.
int script_cage_fault(ScriptArena *arena, const ScriptCage *cage);
// Each of 0 to SCRIPT_MAX_LEVELS levels splits a quad in four. Returns false when memory runs out.
bool script_subdivide(ScriptArena *arena, const ScriptCage *cage, int levels, ScriptFineSurface *out_surface);

// The shares of a quad's four corners at a place.
void script_place_shares(const ScriptPlace *place, float out_shares[4]);
