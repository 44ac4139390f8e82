// What keeps the cloth of an island out of itself, for all characters of a group at once: a lane is a
// character. Compiled once per width, as the kernel is; all give the same bits. garment/self_collision.h says
// when it runs.
//
// What is near what differs from lane to lane. So what is found has a set of lanes that it is found in, and
// each lane finds what it would find alone, in the same order.
#pragma once

#include "core/kernel.h"
#include "core/mesh.h"

typedef uint32_t SimLaneSet; // a bit for each lane

// The boxes of a mesh at one moment, or on its way between two. Only self_collision/boxes.h knows the type.
typedef struct SimMeshBoxes {
    struct SimBox *particles, *edges, *triangles, *nodes;
    struct SimBox *normals; // [node] of the unit normals of its patches
} SimMeshBoxes;

// Pairs of patches that may be near each other while each particle is within its box of `valid`.
typedef struct SimPatchPair {
    int one, other; // patches
    SimLaneSet lanes;
} SimPatchPair;

typedef struct SimPatchPairs {
    SimPatchPair *items;  // in the tree's order in each lane
    int count, most;      // of one lane; there is room for so many of each
    SimLanes *counts;     // [1] while they are listed
    SimLaneSet complete;  // of the others there are more than `most`: each search goes through the tree
    struct SimBox *valid; // [particle]
} SimPatchPairs;

// Sum of weight x position of the four is the gap. Its part along the normal is to be `target` at least.
typedef struct SimContact {
    int particles[4];
    SimLaneSet lanes;
    SimLanes weights[4];
    SimLanes3 normal;
    SimLanes target; // m
} SimContact;

typedef struct SimContacts {
    SimContact *items;
    int count, most;  // of one lane, and of all together
    SimLanes *counts; // [1]
} SimContacts;

// An edge that passes through a triangle.
typedef struct SimCrossing {
    int edge, triangle;
    SimLaneSet lanes;
} SimCrossing;

typedef struct SimCrossings {
    SimCrossing *items;
    int count, most;  // of one lane; there is room for so many of each
    SimLanes *counts; // [1]
} SimCrossings;

typedef struct SimSelfCollision {
    SimMesh mesh;
    bool is_passive;    // all of its garments are (sim_is_passive)
    SimKernelJob *jobs; // [sheet_count] of the substep under way

    // For a tick.
    SimLanes *air;        // [1] m/s, the fastest
    SimLanes *driven;     // [1] m/s by which steps may be longer (shorten_steps)
    SimLaneSet calm;      // the air is
    SimLaneSet opens;     // after a pose without room for it (kernel/recover.h), or after tangles: cloth may
                          // pass through itself
    SimLaneSet untangles; // cloth that crosses itself comes free with any step

    // From substep to substep.
    SimLanes3 *before;   // [particle] m, after the last one
    SimLaneSet *tangled; // [particle] of an edge or triangle that crosses another one there
    SimLaneSet crosses;  // any of it does
    SimPatchPairs pairs; // that hold for `before`

    // In a substep.
    SimLanes3 *free;      // [particle] m, without self-collision
    SimLanes3 *reached;   // [particle] m, after the contacts
    SimLanes *share;      // [particle] of the way from before to reached that its link goes
    SimLaneSet *repelled; // [particle] contacts have moved its column
    SimLanes *stays;      // [particle] 1: nothing else moves it, either
    SimLaneSet near;      // there are contacts or tangles
    SimLaneSet settled;   // nothing is left to hold back
    SimLaneSet moved;     // in this round
    SimContacts contacts;

    // Scratch.
    SimLanes3 *now;         // [particle] m
    SimLanes *inverse_mass; // [particle] 1/kg
    SimMeshBoxes boxes;
    SimCrossings crossings;
} SimSelfCollision;

// `set`: the lanes to work on; the others keep their state. `round` counts from 0, until there is no more to
// do.
typedef struct SimSelfCollisionKernel {
    size_t box_numbers, contact_numbers; // sizes of SimBox and SimContact in each lane
    // At the start of a tick.
    void (*load_before)(SimSelfCollision *at);
    // Lists pairs for `before`, and marks what crosses itself there.
    void (*find_tangles)(SimSelfCollision *at, SimLaneSet set);
    // After the hard parts of a substep of h seconds: finds what comes near in it. Returns false when there
    // is no room for the contacts of all these lanes together; one lane always has room.
    bool (*look_around)(SimSelfCollision *at, SimLaneSet set, float h);
    // Moves what is too near apart. Returns false when all contacts hold.
    bool (*repel)(SimSelfCollision *at, int round, float h);
    // Holds columns back that pass through something. Returns false when there are none, or none is left.
    bool (*hold)(SimSelfCollision *at, int round);
    // Returns whether any lane's step is shortened.
    bool (*shorten_steps)(SimSelfCollision *at, float h);
    void (*corrections_to_velocity)(SimSelfCollision *at, float h);
} SimSelfCollisionKernel;

// For groups of so many lanes.
const SimSelfCollisionKernel *sim_self_collision_of_width(int width);
