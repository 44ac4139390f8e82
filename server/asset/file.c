// Access to a loaded file.
#include "asset/file.h"

#include "data.h"

#include <cglm/vec3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void finish_motion(AssetMotion *motion);
static void finish_mesh(SimRenderMesh *mesh);

void asset_file_destroy(AssetFile *file) {
    if (!file) return;
    for (int i = 0; i < file->motion_count; i++) finish_motion(&file->motions[i]);
    for (int i = 0; i < file->bone_count; i++) free((char *)file->bones[i].name);
    for (int i = 0; i < file->mesh_count; i++) finish_mesh(&file->meshes[i]);
    free(file->meshes);
    free(file->motions);
    free(file->bones);
    free(file->ends);
    free(file->has_end);
    free(file->path);
    free(file);
}

const char *asset_file_path(const AssetFile *file) {
    return file->path;
}

float asset_file_height(const AssetFile *file) {
    return file->height;
}

float asset_file_scale(const AssetFile *file) {
    return file->scale;
}

const SimBoneDef *asset_file_bones(const AssetFile *file, int *out_count) {
    *out_count = file->bone_count;
    return file->bones;
}

bool asset_file_bone_end(const AssetFile *file, int bone, float out_end[3]) {
    if (!file->has_end[bone]) return false;
    glm_vec3_copy(file->ends[bone], out_end);
    return true;
}

const SimRenderMesh *asset_file_meshes(const AssetFile *file, int *out_count) {
    *out_count = file->mesh_count;
    return file->meshes;
}

int asset_file_clip_count(const AssetFile *file) {
    return file->motion_count;
}

AssetClipInfo asset_file_clip_info(const AssetFile *file, int clip) {
    const AssetMotion *motion = &file->motions[clip];
    return (AssetClipInfo){
        .name = motion->name,
        .rate = motion->rate,
        .frame_count = motion->frame_count,
        .first = (float)motion->first_frame / motion->rate,
        .duration = (float)(motion->frame_count - 1) / motion->rate,
        .moves_root = motion->root != NULL,
    };
}

bool asset_fail(AssetError *error, const char *format, ...) {
    if (!error) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

static void finish_motion(AssetMotion *motion) {
    free(motion->name);
    free(motion->rotations);
    free(motion->positions);
    free(motion->root);
}

static void finish_mesh(SimRenderMesh *mesh) {
    free((void *)mesh->name);
    free((void *)mesh->positions);
    free((void *)mesh->normals);
    free((void *)mesh->uvs);
    free((void *)mesh->triangles);
    free((void *)mesh->joints);
    free((void *)mesh->weights);
}
