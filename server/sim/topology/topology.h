// What a garment is made of for the kernel: its particles with their links, springs and bending elements,
// built from a grid or from faces.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"
#include "sim/rig.h"

// Largest eigenvalues of M^-1 K for a density of 1, for mixes of the kinds of springs: [a][b] where a thirds
// of 1 N/m are the stiffness of structural springs, b thirds that of shear and the rest that of flexion
// springs. With all springs alike it is that of M^-1 C as well.
#define SIM_SPRING_MIXES 3
typedef struct SimSpringModes {
    float mode[SIM_SPRING_MIXES + 1][SIM_SPRING_MIXES + 1]; // [a][b], a + b <= SIM_SPRING_MIXES
} SimSpringModes;

typedef struct SimGarmentType {
    SimGarmentInfo info;
    SimTopology topology;
    SimSpringModes spring_modes; // of mass-spring cloth
    struct SimSurface *surface;  // of cloth that is no grid; NULL: a grid (topology/surface.h)
    SimTopology *strips;         // the same for the kernel of strips; NULL: it is simulated in lanes
    SimFabric fabric;
    float self_collision; // m, 0: off
    int first_bone;       // of the rig's bones
} SimGarmentType;

// Fills in a valid garment's topology, but for its references, colliders and bones, and what its info says of
// it. Returns false when memory runs out.
bool sim_topology_build(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type);
// How far down a particle is, 0 at the top to 1.
float sim_way_down(const SimGarmentType *type, int particle);

// Adds the order for the kernel of a garment alone, if the garment can have all lanes. Returns false when
// memory runs out.
bool sim_alone_order_build(SimArena *arena, SimTopology *topology);

// Sorts the bending elements so that one seldom waits for the one before it. Results stay the same to the
// bit: elements that share a particle keep their order, unless both only look at it. Returns false when
// memory runs out.
bool sim_bends_sort(SimArena *arena, SimTopology *topology);

// Parts of it
// ------------------------------------------------------------------------------------------------------------------

// Of cloth that is no grid: fills in the topology's links, and the surface.
bool sim_surface_topology_build(SimArena *arena, const SimGarmentDef *def, SimGarmentType *type);
void sim_links_allocate(SimArena *arena, size_t count, SimLinks *links);
void sim_bends_allocate(SimArena *arena, size_t count, SimBends *bends);
// Appends a link to the topology's swept links (factor: its compliance) or springs (factor: by what the
// fabric's stiffness and damping are multiplied), unless both of its ends are pinned.
void sim_links_add(const SimTopology *topology, SimLinks *links, SimLinkKind kind, int a, int b, float length,
                   float factor);
// Appends a bending element with its rest curvature at x, or with alan_wake a link between its ends. Its arms
// are `arm` long, the strip of cloth that it bends is `width` wide (0: as wide as long).
void sim_bends_add(SimTopology *topology, const float (*x)[3], const int particles[5], float arm, float width,
                   bool alan_wake);
// Appends the point between 2 to 4 particles that collides too, unless all of them are pinned.
void sim_virtuals_add(SimTopology *topology, const int *particles, int count);
