// The table of formats.
#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "importer/format.h"

#include "data.h"

#include <string.h>
#include <strings.h>

// Of Collada, assimp turns and scales what is in the scene to metres and +Y up by itself.
static const ImporterFormat formats[] = {
    {".bvh", "BVH", 0.0f, 'y', true},     {".gltf", "glTF", 1.0f, 'y', false},
    {".glb", "glTF", 1.0f, 'y', true},    {".vrm", "VRM", 1.0f, 'y', true},
    {".fbx", "FBX", 0.0f, 0, false},      {".dae", "Collada", 1.0f, 'y', true},
    {".zae", "Collada", 1.0f, 'y', true}, {".obj", "OBJ", 0.0f, 0, false},
    {".x", "X", 0.0f, 'y', true},         {".ply", "PLY", 0.0f, 0, true},
};

const ImporterFormat *importer_format_of(const char *path, AssetError *out_error) {
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0) return &formats[i];
    const bool has_ending = ending && ending[1] != '\0' && !strchr(ending, '/');
    asset_fail(
        out_error,
        "%s: expected a file of BVH, glTF (.gltf, .glb, .vrm), FBX, Collada (.dae, .zae), OBJ, X or PLY, "
        "found %s",
        path, has_ending ? ending : "no ending");
    return NULL;
}
