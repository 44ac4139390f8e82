// A render mesh: the surface that clients skin to a character's bones and draw. The simulation does not use
// it.
//
// Model space at the bind pose: bone b moves a vertex by its matrix times bone b's inverse bind matrix.
// Triangles are counter-clockwise seen from outside. Vertices on a seam of the uvs are there once for each
// side.
#pragma once

#include "sim/types.h"

#include <stdint.h>

#define SIM_MESH_JOINTS       4       // bones that move one vertex
#define SIM_MAX_MESH_VERTICES 1000000 // of one mesh, and half as many as its triangles

typedef enum SimPattern { // the surface's fine structure, which a client draws procedurally
    SIM_PATTERN_PLAIN,
    SIM_PATTERN_HERRINGBONE,
    SIM_PATTERN_TWILL,
    SIM_PATTERN_SATIN,
    SIM_PATTERN_GAUZE,
    SIM_PATTERN_QUILTED,
    SIM_PATTERN_GRAIN,
    SIM_PATTERN_SMOOTH,
    SIM_PATTERN_SKIN,
    SIM_PATTERN_FUR,
    SIM_PATTERN_HAIR, // uvs: across the strands, and along them from their tips
    SIM_PATTERN_COUNT
} SimPattern;

typedef struct SimMaterial {
    float color[3];  // sRGB, 0..1
    float roughness; // 0..1
    SimPattern pattern;
} SimMaterial;

typedef struct SimRenderMesh {
    const char *name; // 1 to 64 bytes, unique among the meshes
    int garment;      // index of the garment that it belongs to, -1: the body's
    int vertex_count; // 1 at least
    int triangle_count;
    const float (*positions)[3];               // [vertex_count] m
    const float (*normals)[3];                 // [vertex_count] unit
    const float (*uvs)[2];                     // [vertex_count] m along weft and warp for cloth; all 0: none
    const uint32_t (*triangles)[3];            // [triangle_count] vertices
    const uint16_t (*joints)[SIM_MESH_JOINTS]; // [vertex_count] of all the rig's bones; unused: 0
    const float (*weights)[SIM_MESH_JOINTS];   // [vertex_count] sum 1; unused: 0
    SimMaterial material;
} SimRenderMesh;

// A mid-grey, rough, plain one.
SimMaterial sim_default_material(void);
bool sim_materials_are_equal(const SimMaterial *a, const SimMaterial *b);
// "plain", "herringbone", ..., NULL.
extern const char *const sim_pattern_names[];

// Computes each vertex's normal: the mean of the triangles at its place, weighted by their area. Vertices at
// one place share it, so that seams of the uvs do not show. Returns false when memory runs out.
bool sim_render_mesh_normals(const SimRenderMesh *mesh, float (*out_normals)[3]);
