// What the golden hash is taken of: a figure that wears and does all that the simulation knows, and a sheet
// so large that it is cut into strips.
#pragma once

#include "sim/world.h"

typedef enum GoldenGarment {
    GOLDEN_SKIRT,     // a ring with true friction, whose bones carry a collider
    GOLDEN_COAT,      // open, its front a seam; it collides with the skirt's collider too
    GOLDEN_CAPE,      // soft lengths, skinned, kept apart from itself
    GOLDEN_ALAN_WAKE, // in the ways of the article
    GOLDEN_BRAID,     // a chain with pose stiffness and angle limits
    GOLDEN_BOB,       // a pendulum
    GOLDEN_GARMENTS,
} GoldenGarment;

// Wind with gusts and eddies, ground.
SimWorldDef golden_world(void);
// Begins two tornadoes, one of them on its way past.
bool golden_blow(SimWorld *world);

// Null ids, with issue filled, where the definition is bad.
SimRigId golden_figure(SimWorld *world, SimIssue *out_issue);
SimRigId golden_sheet(SimWorld *world, SimIssue *out_issue);
// The same of springs, but for the garment in the ways of the article.
SimRigId golden_spring_figure(SimWorld *world, SimIssue *out_issue);
SimRigId golden_spring_sheet(SimWorld *world, SimIssue *out_issue);
// The figure without its seam, its cape and the article's garment of faces that are no grid: one with links,
// one with springs.
SimRigId golden_faces_figure(SimWorld *world, SimIssue *out_issue);

// One of the numbers that give each of a crowd cloth of its own.
SimFabric golden_fabric(int index);
