// Loads a file through assimp.
#define _POSIX_C_SOURCE 200809L // strdup
#include "importer/format.h"
#include "importer/importer.h"
#include "importer/scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <stdlib.h>
#include <string.h>

bool asset_can_import(AssetError *out_error) {
    (void)out_error;
    return true;
}

AssetFile *importer_load_file(const char *path, const AssetLoad *load, AssetError *out_error) {
    float scale = load ? load->scale : 0.0f;
    if (!(scale >= 0.0f && scale <= 1000.0f)) {
        asset_fail(out_error, "%s: scale: expected 0 to 1000 metres per unit, found %g", path, (double)scale);
        return NULL;
    }
    const struct aiScene *scene = importer_format_of(path, out_error) ? scene_open(path, 0, out_error) : NULL;
    if (!scene) return NULL;
    AssetFile *file = calloc(1, sizeof *file);
    SceneNode *nodes = NULL;
    if (file) file->path = strdup(path);
    bool done = file && file->path;
    if (!done) asset_fail(out_error, "%s: out of memory", path);
    done = done && scene_read_bones(scene, scale, file, &nodes, out_error) &&
           scene_read_meshes(scene, nodes, file, out_error) &&
           scene_read_motions(scene, nodes, file, out_error);
    free(nodes);
    aiReleaseImport(scene);
    if (done) return file;
    asset_file_destroy(file);
    return NULL;
}

const struct aiScene *scene_open(const char *path, unsigned steps, AssetError *out_error) {
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                               aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS);
    const struct aiScene *scene = aiImportFileExWithProperties(path, steps, NULL, properties);
    aiReleasePropertyStore(properties);
    if (scene && scene->mRootNode) return scene;
    if (scene) {
        aiReleaseImport(scene);
        asset_fail(out_error, "%s: has no bones", path);
        return NULL;
    }
    const char *reason = aiGetErrorString();
    if (strstr(reason, "bad_alloc")) reason = "out of memory";
    size_t length = strlen(path);
    if (strncmp(reason, path, length) == 0)
        reason += length; // some readers name the file, with a line
    else if (reason[0] != '\0')
        return asset_fail(out_error, "%s: %s", path, reason), NULL;
    asset_fail(out_error, "%s%s", path, reason);
    return NULL;
}
