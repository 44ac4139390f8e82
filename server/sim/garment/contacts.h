// Contacts between parts of a mesh: of a particle with a triangle and of an edge with an edge.
#pragma once

#include "garment/mesh_search.h"

#include <cglm/types.h>

// Sum of weight x position of the four is the gap. Its part along the normal is to be `target` at least.
typedef struct SimContact {
    int particles[4];
    float weights[4];
    vec3 normal;
    float target; // m
} SimContact;

typedef struct SimContacts {
    SimContact *items;
    int count, most;
} SimContacts;

// Finds what comes nearer than the garments are thick on the way from `from`, where nothing crosses, to `to`.
// Which side is which follows from `from`. What is too near there moves apart by `creep` m, and what is
// nearer in the bind pose may stay as near as 0.7 of that. Leaves out elements with a particle that `skip`
// marks. `pairs` holds for both. Contacts beyond `most` are dropped.
void sim_contacts_find(const SimMesh *mesh, const SimPatchPairs *pairs, SimMeshBoxes *boxes, float (*from)[3],
                       float (*to)[3], float creep, const bool *skip, SimContacts *out_contacts);
// Sweeps once over all contacts that miss their target by more than `slack` of it. Returns false when there
// are none.
bool sim_contacts_sweep(const SimContacts *contacts, const float *inverse_mass, float slack,
                        float (*positions)[3]);
