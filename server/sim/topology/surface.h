// Cloth that is no grid: what its faces say about its particles.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"
#include "sim/rig.h"

typedef struct SimSurfaceEdge {
    int ends[2];  // ends[0] < ends[1]
    int faces[2]; // at it; the second is -1 at an open edge
} SimSurfaceEdge;

typedef struct SimSurface {
    int particle_count, face_count, edge_count;
    const float (*positions)[3]; // [particle_count], of the definition
    const int (*faces)[4];       // [face_count], of the definition
    SimSurfaceEdge *edges;       // [edge_count] sorted by their ends
    int *first_neighbour;        // [particle_count + 1] into neighbours
    int *neighbours;             // the other ends of a particle's edges
    bool *open;                  // [particle_count] it is at an open edge
    float *area;                 // [particle_count] m^2 of cloth that it carries
    float *down;                 // [particle_count] m along edges from the nearest pinned particle
    int *above;                  // [particle_count] the next particle on that way; -1: it is pinned
    int *below;                  // [particle_count] of those that it is above, the one from which most hangs
                                 // down; -1: none
    int *order;                  // [particle_count] all, from the pinned ones down
} SimSurface;

// def: a valid one with faces, whose positions and faces live as long as the surface. Returns false when
// memory runs out.
bool sim_surface_find(SimArena *arena, const SimGarmentDef *def, SimSurface *out_surface);

int sim_face_corners(const int face[4]); // 3 or 4
// The edge between two neighbours.
const SimSurfaceEdge *sim_surface_edge(const SimSurface *surface, int a, int b);
float sim_surface_length(const SimSurface *surface, int a, int b);
float sim_surface_area(const SimSurface *surface, int face);
// The normal of a face on the side from which its corners run counter-clockwise, as long as twice its area.
void sim_surface_normal(const SimSurface *surface, int face, float out_normal[3]);

// The distances along edges from the nearest particle that has 0 in `distances`; others begin at INFINITY,
// or at a bound. nearest: [particle_count] where the way comes from, or NULL.
bool sim_surface_measure(const SimSurface *surface, float *distances, int *nearest);

// Half the distance between bones that share the surface evenly, m.
float sim_surface_reach(const SimSurface *surface, int bone_count);
// Fills in the particles between which the axes and the fold along the path are measured, for a bone whose
// pivot is set. distances: [particle_count] scratch.
void sim_surface_bone_place(const SimSurface *surface, float reach, float *distances, SimClothBone *bone);

// Returns false with an issue for faces that make no surface of one piece with a pin.
bool sim_validate_faces(const SimGarmentDef *def, int garment, SimIssue *out_issue);
