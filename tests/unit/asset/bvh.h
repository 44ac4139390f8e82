// What the asset layer's tests share: real files, and a plain evaluation of BVH text in double precision.
#pragma once

#include "data.h" // private: the scale of a file
#include "unit_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_JOINTS 64
#define RADIANS     0.017453292519943295

// The text of a BVH file, no more understood than its format says.
typedef struct Joint {
    char name[64];
    int parent;
    double offset[3], end[3];
    bool has_end;
    int channel_count;
    char channels[6]; // 'x' 'y' 'z' move, 'X' 'Y' 'Z' turn
} Joint;

typedef struct Bvh {
    Joint joints[MOST_JOINTS];
    int joint_count, width, frame_count, row_count;
    double frame_time;
    double *rows;
} Bvh;

typedef struct Frame {
    double at[3], turn[9];
} Frame;

// Products of a matrix, row by row, and a rotation about 'X', 'Y' or 'Z'.
void apply(const double a[9], const double v[3], double out[3]);
void turn_by(char axis, double degrees, double out[9]);

Bvh *read_bvh(const char *path);
void free_bvh(Bvh *bvh);

// Where each joint is and how it is turned in a row of the file.
void evaluate(const Bvh *bvh, int row, Frame out[MOST_JOINTS]);

// A file of Debian's assimp-testmodels; skips the test where it is not installed.
AssetFile *load(const char *name, char out_path[256]);
AssetClip cut(const AssetFile *file, float from, float to);
int find_bone(const AssetFile *file, const char *name);
