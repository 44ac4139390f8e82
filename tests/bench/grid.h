// A grid of particles hung by its top row, with the links of the comparison: structural, shear and second
// neighbours, without those between two pinned particles. 16 x 12 have 985 of them.
#pragma once

#include <stdbool.h>

typedef enum GridKind { GRID_STRETCH, GRID_SHEAR, GRID_BEND, GRID_KINDS } GridKind;

// The six ways that links go: rows down, columns to the right.
typedef struct GridWay {
    int down, right;
    GridKind kind;
} GridWay;

enum { GRID_WAYS = 6 };
extern const GridWay grid_ways[GRID_WAYS];

typedef struct GridLink {
    int a, b; // particles, row * columns + column
    float length;
    GridKind kind;
} GridLink;

typedef struct Grid {
    int rows, columns;
    int link_count;
    GridLink *links;
} Grid;

// What all contenders are given: metres of a cell, seconds of a step, sweeps over all links in a step.
#define GRID_CELL       0.06f
#define GRID_STEP       (1.0f / 240.0f)
#define GRID_ITERATIONS 10

// False for want of memory.
bool grid_init(Grid *grid, int rows, int columns);
void grid_finish(Grid *grid);

float grid_way_length(const GridWay *way); // m

// Where a particle starts: hanging from the top row at y = 0, a little rough, so that it has where to go.
void grid_position(const Grid *grid, int particle, float out_position[3]);
bool grid_is_pinned(const Grid *grid, int particle);
