// Surfaces of triangles: from a file, or lofted over shapes.
//
// cache: a folder that keeps results, by the content of what they are made from; made where it is missing.
// NULL or "": none. Without it, or where it cannot be used, the result is the same and takes longer.
#pragma once

#include "asset/find.h"
#include "asset/import.h"
#include "sim/types.h"

// Vertices of one object of the file (its node), with one material.
typedef struct AssetSurfacePart {
    int first_vertex, vertex_count;
    char object[64], material[64]; // their names, cut to fit; "" where the file gives none
} AssetSurfacePart;

typedef struct AssetSurface {
    int vertex_count, triangle_count, part_count;
    float (*positions)[3];    // [vertex_count] m
    float (*uvs)[2];          // [vertex_count] as in the file; NULL: none
    float (*colors)[4];       // [vertex_count] red, green, blue, alpha as in the file; NULL: none
    uint32_t (*triangles)[3]; // [triangle_count] counter-clockwise seen from outside
    AssetSurfacePart *parts;  // [part_count] in the order of their vertices; NULL of a loft
} AssetSurface;

// Reads the meshes of that name, of the mesh or its node (NULL: all), in the file's pose, in one surface.
// Faces of more than three corners are divided; points and lines are left out. scale: metres per unit of the
// file. limits: NULL: this process reads it. Returns false and an error that names the file; finish the
// surface all the same.
bool asset_surface_load(AssetSurface *surface, const char *path, const char *name, float scale,
                        const char *cache, AssetImport *limits, AssetError *out_error);
void asset_surface_finish(AssetSurface *surface);

// The factor of a unit that is not the metre by which a mesh with this longest side would have a size that
// clothes and bodies have; 0: none.
float asset_surface_scale_for(float longest);

typedef enum AssetShapeKind { ASSET_SHAPE_ELLIPSOID, ASSET_SHAPE_CAPSULE } AssetShapeKind;

typedef struct AssetShape { // in model space
    AssetShapeKind kind;
    vec3 center; // ELLIPSOID: m
    versor rotation;
    vec3 radii;               // m, along its own axes
    vec3 from, to;            // CAPSULE: m
    float radius, radius_end; // m
} AssetShape;

// The distance of a point from a shape's surface, m, negative inside; exact for capsules whose radii are
// equal, and to first order near others. out_outward: a unit vector, or NULL.
float asset_shape_distance(const AssetShape *shape, const float point[3], float out_outward[3]);

// The distance from the union of shapes, its hollows filled: -blend times the logarithm of the sum of
// exp(-distance / blend). blend: m, > 0. out_outward: a unit vector, or NULL.
float asset_shapes_distance(const AssetShape *shapes, int shape_count, float blend, const float point[3],
                            float out_outward[3]);

#define ASSET_MOST_LOFT_CELLS 8000000

// Lofts one smooth closed surface over shapes: where asset_shapes_distance is 0, by surface nets (S. F. F.
// Gibson, "Constrained Elastic Surface Nets", 1998). cell: m, the size of its squares. Returns false with a
// reason if the grid would be too large; finish the surface all the same.
bool asset_surface_loft(AssetSurface *surface, const AssetShape *shapes, int shape_count, float cell,
                        float blend, const char *cache, AssetError *out_error);
