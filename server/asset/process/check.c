// Checks of imported data.
#include "process/check.h"

#include <math.h>
#include <string.h>

static bool check_bone(const AssetFile *file, int index, AssetError *out_error);
static bool check_mesh(const AssetFile *file, const SimRenderMesh *mesh, AssetError *out_error);
static bool check_motion(const AssetFile *file, const AssetMotion *motion, AssetError *out_error);
static bool check_parts(const AssetSurface *surface);
static bool are_finite(const float *numbers, size_t count);
static bool are_rotations(const versor *rotations, size_t count);
static bool are_indices(const uint32_t (*triangles)[3], int triangle_count, int vertex_count);
static bool are_places(const float (*positions)[3], size_t count);

bool asset_check_file(const AssetFile *file, AssetError *out_error) {
    double bone_frames = 0.0;
    if (file->bone_count < 1) return asset_fail(out_error, "%s: has no bones", file->path);
    if (!isfinite(file->height) || !(file->scale > 0.0f && isfinite(file->scale)))
        return asset_fail(out_error, "%s: its rest pose is broken", file->path);
    for (int i = 0; i < file->bone_count; i++)
        if (!check_bone(file, i, out_error)) return false;
    for (int i = 0; i < file->mesh_count; i++)
        if (!check_mesh(file, &file->meshes[i], out_error)) return false;
    for (int i = 0; i < file->motion_count; i++) {
        bone_frames += (double)file->motions[i].frame_count * (double)file->bone_count;
        if (bone_frames > (double)ASSET_MOST_BONE_FRAMES)
            return asset_fail(out_error, "%s: its clips are too long", file->path);
        if (!check_motion(file, &file->motions[i], out_error)) return false;
    }
    return true;
}

bool asset_check_surface(const AssetSurface *surface, const char *path, AssetError *out_error) {
    const size_t vertices = (size_t)surface->vertex_count;
    if (surface->triangle_count < 1 || surface->vertex_count < 1)
        return asset_fail(out_error, "%s: has no triangles", path);
    if (!are_places((const float(*)[3])surface->positions, vertices))
        return asset_fail(out_error, "%s: a vertex is not finite or too large", path);
    if ((surface->uvs && !are_finite(surface->uvs[0], 2 * vertices)) ||
        (surface->colors && !are_finite(surface->colors[0], 4 * vertices)))
        return asset_fail(out_error, "%s: a colour or uv of a vertex is not finite", path);
    if (!are_indices((const uint32_t(*)[3])surface->triangles, surface->triangle_count,
                     surface->vertex_count) ||
        !check_parts(surface))
        return asset_fail(out_error, "%s: a triangle has a vertex that is not there", path);
    return true;
}

bool asset_check_contents(const AssetContents *contents, const char *path, AssetError *out_error) {
    if (!(contents->unit >= 0.0f && isfinite(contents->unit)) || !memchr("xyz", contents->up, 4))
        return asset_fail(out_error, "%s: its unit or axis is broken", path);
    return true;
}

static bool check_bone(const AssetFile *file, int index, AssetError *out_error) {
    const SimBoneDef *bone = &file->bones[index];
    if (!are_rotations(&bone->rotation, 1) || !asset_is_in_range(bone->position) ||
        (file->has_end[index] && !asset_is_in_range(file->ends[index])))
        return asset_fail(out_error, "%s: the pose or the end of its bone %s is not finite or too large",
                          file->path, bone->name);
    if (bone->has_inverse_bind && !are_finite(bone->inverse_bind[0], 16))
        return asset_fail(out_error, "%s: the inverse bind matrix of its bone %s is not finite", file->path,
                          bone->name);
    return true;
}

static bool check_mesh(const AssetFile *file, const SimRenderMesh *mesh, AssetError *out_error) {
    const size_t vertices = (size_t)mesh->vertex_count;
    bool is_sound = are_places(mesh->positions, vertices) && are_finite(mesh->normals[0], 3 * vertices) &&
                    are_finite(mesh->uvs[0], 2 * vertices) && are_finite(mesh->weights[0], 4 * vertices) &&
                    are_indices(mesh->triangles, mesh->triangle_count, mesh->vertex_count) &&
                    are_finite(mesh->material.color, 3) && isfinite(mesh->material.roughness);
    const uint16_t *joints = (const uint16_t *)mesh->joints;
    for (size_t i = 0; is_sound && i < vertices * SIM_MESH_JOINTS; i++)
        is_sound = joints[i] < file->bone_count;
    return is_sound ||
           asset_fail(out_error, "%s: mesh \"%s\" is broken: a number or an index is out of range",
                      file->path, mesh->name);
}

static bool check_motion(const AssetFile *file, const AssetMotion *motion, AssetError *out_error) {
    const size_t frames = (size_t)motion->frame_count, values = frames * (size_t)file->bone_count;
    if (motion->rate > 0.0f && isfinite(motion->rate) &&
        are_rotations((const versor *)motion->rotations, values) &&
        (!motion->positions || are_places((const float(*)[3])motion->positions, values)) &&
        (!motion->root || are_finite(motion->root[0], 3 * frames)))
        return true;
    return asset_fail(out_error, "%s: clip \"%s\" has a number that is not finite or too large", file->path,
                      motion->name);
}

// One after the other, names ended.
static bool check_parts(const AssetSurface *surface) {
    int vertices = 0;
    for (int i = 0; i < surface->part_count; i++) {
        const AssetSurfacePart *part = &surface->parts[i];
        if (part->first_vertex != vertices || part->vertex_count < 0 ||
            part->vertex_count > surface->vertex_count - vertices ||
            !memchr(part->object, '\0', sizeof part->object) ||
            !memchr(part->material, '\0', sizeof part->material))
            return false;
        vertices += part->vertex_count;
    }
    return vertices == surface->vertex_count;
}

static bool are_finite(const float *numbers, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) finite &= isfinite(numbers[i]) != 0;
    return finite;
}

// Of length 1, but for rounding.
static bool are_rotations(const versor *rotations, size_t count) {
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        const float *q = rotations[i];
        sound &= fabsf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0f) < 0.01f;
    }
    return sound;
}

static bool are_indices(const uint32_t (*triangles)[3], int triangle_count, int vertex_count) {
    const uint32_t *indices = (const uint32_t *)triangles;
    bool below = true;
    for (size_t i = 0; i < 3 * (size_t)triangle_count; i++) below &= indices[i] < (uint32_t)vertex_count;
    return below;
}

static bool are_places(const float (*positions)[3], size_t count) {
    bool in_range = true;
    for (size_t i = 0; i < count && in_range; i++) in_range = asset_is_in_range(positions[i]);
    return in_range;
}
