// Finds out what a file's units are.
#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "with_assimp/scene.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define CMU_UNIT 0.056444f // m: CMU's inches divided by 0.45

static bool is_in_metres(const char *path);

float scene_guess_scale(const struct aiScene *scene, const char *path, float height_in_units) {
    static const float units[] = {1.0f, CMU_UNIT, 0.0254f, 0.01f, 0.001f};
    if (is_in_metres(path)) return 1.0f;
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "UnitScaleFactor") != 0) continue; // FBX: centimetres
        if (entry->mType == AI_FLOAT) return 0.01f * *(const float *)entry->mData;
        if (entry->mType == AI_DOUBLE) return 0.01f * (float)*(const double *)entry->mData;
    }
    float scale = 1.0f, least = INFINITY;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        float height = units[i] * height_in_units, miss = fabsf(logf(height / 1.75f));
        if (height < 1.0f || height > 2.5f || miss >= least) continue;
        scale = units[i];
        least = miss;
    }
    return scale;
}

static bool is_in_metres(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".gltf") == 0 || strcasecmp(ending, ".glb") == 0 ||
                      strcasecmp(ending, ".vrm") == 0);
}
