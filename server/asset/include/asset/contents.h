// What is in a file, for a person who asks: all of its meshes, and what it says of its units. Skeleton and
// motion are asset/file.h's.
#pragma once

#include "asset/find.h"
#include "asset/import.h"

typedef struct AssetMeshContents {
    char *name;       // as asset_surface_load takes it; "" where the file gives none
    char *material;   // "" where the file gives none
    int vertex_count; // as stored: some formats give each polygon its own
    int place_count;  // different positions
    int triangle_count;
    int bone_count; // 0: not skinned
    bool has_uvs, has_colors;
    float least[3], most[3]; // of its box where the scene first shows it, in the file's units
} AssetMeshContents;

typedef struct AssetContents {
    char *format;              // such as "FBX"
    float unit;                // m, as the format or the file says; 0: neither does
    char up;                   // 'x', 'y' or 'z', as the format or the file says; 0: neither does
    AssetMeshContents *meshes; // [mesh_count]
    int mesh_count;
} AssetContents;

// limits: NULL: this process reads it. Returns false and an error that names the file if it is not readable
// or has an unknown format; finish the contents all the same.
bool asset_contents_load(AssetContents *contents, const char *path, AssetImport *limits,
                         AssetError *out_error);
void asset_contents_finish(AssetContents *contents);
