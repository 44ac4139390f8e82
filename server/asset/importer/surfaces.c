// Reads surfaces, without skin, where they lie in the scene.
#include "importer/format.h"
#include "importer/importer.h"
#include "importer/scene.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <cglm/mat4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const struct aiScene *scene;
    const char *name; // NULL: all
    float scale;
    AssetSurface *surface; // with counts and arrays of 0 elements while it is measured
    bool has_colors;       // some of the meshes
} Reader;

// Vertices differ by uvs and colours.
static const unsigned steps = aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                              aiProcess_SortByPType | aiProcess_RemoveComponent;

static void read_node(Reader *reader, const struct aiNode *node, mat4 above, bool only_count);
static void read_mesh(Reader *reader, const struct aiNode *node, const struct aiMesh *mesh, mat4 place);
static void read_part(const Reader *reader, const struct aiNode *node, const struct aiMesh *mesh);
static void read_color(const struct aiMesh *mesh, unsigned vertex, float out_color[4]);
static bool is_wanted(const Reader *reader, const struct aiNode *node, const struct aiMesh *mesh);
static void fail_unknown(const struct aiScene *scene, const char *path, const char *name,
                         AssetError *out_error);

bool importer_load_surface(AssetSurface *surface, const char *path, const char *name, float scale,
                           AssetError *out_error) {
    *surface = (AssetSurface){0};
    if (!importer_format_of(path, out_error)) return false;
    const struct aiScene *scene = scene_open(path, steps, out_error);
    if (!scene) return false;
    Reader reader = {.scene = scene, .name = name, .scale = scale, .surface = surface};
    mat4 place = GLM_MAT4_IDENTITY_INIT;
    read_node(&reader, scene->mRootNode, place, true);
    const size_t vertices = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
    const size_t parts = (size_t)surface->part_count;
    surface->vertex_count = surface->triangle_count = surface->part_count = 0;
    surface->positions = malloc(vertices * sizeof *surface->positions);
    surface->uvs = calloc(vertices, sizeof *surface->uvs);
    if (reader.has_colors) surface->colors = malloc(vertices * sizeof *surface->colors);
    surface->triangles = malloc(triangles * sizeof *surface->triangles);
    surface->parts = calloc(parts, sizeof *surface->parts);
    const bool has_memory = surface->positions && surface->uvs && (surface->colors || !reader.has_colors) &&
                            surface->triangles && surface->parts;
    if (triangles == 0)
        fail_unknown(scene, path, name, out_error);
    else if (has_memory)
        read_node(&reader, scene->mRootNode, place, false);
    else
        asset_fail(out_error, "%s: out of memory", path);
    aiReleaseImport(scene);
    return has_memory && triangles > 0;
}

static void read_node(Reader *reader, const struct aiNode *node, mat4 above, bool only_count) {
    mat4 place;
    scene_matrix(&node->mTransformation, place);
    glm_mat4_mul(above, place, place);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *mesh = reader->scene->mMeshes[node->mMeshes[i]];
        if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE) || !is_wanted(reader, node, mesh)) continue;
        reader->has_colors |= mesh->mColors[0] != NULL;
        if (!only_count) read_mesh(reader, node, mesh, place);
        reader->surface->part_count++;
        reader->surface->vertex_count += (int)mesh->mNumVertices;
        reader->surface->triangle_count += (int)mesh->mNumFaces;
    }
    for (unsigned i = 0; i < node->mNumChildren; i++)
        read_node(reader, node->mChildren[i], place, only_count);
}

static void read_mesh(Reader *reader, const struct aiNode *node, const struct aiMesh *mesh, mat4 place) {
    AssetSurface *surface = reader->surface;
    const int first = surface->vertex_count;
    read_part(reader, node, mesh);
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *vertex = &mesh->mVertices[i];
        float *position = surface->positions[first + (int)i];
        glm_mat4_mulv3(place, (vec3){vertex->x, vertex->y, vertex->z}, 1.0f, position);
        glm_vec3_scale(position, reader->scale, position);
        if (surface->colors) read_color(mesh, i, surface->colors[first + (int)i]);
        if (!mesh->mTextureCoords[0]) continue;
        surface->uvs[first + (int)i][0] = mesh->mTextureCoords[0][i].x;
        surface->uvs[first + (int)i][1] = mesh->mTextureCoords[0][i].y;
    }
    const bool mirrored = glm_mat4_det(place) < 0.0f;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        uint32_t *triangle = surface->triangles[surface->triangle_count + (int)i];
        for (int k = 0; k < 3; k++)
            triangle[mirrored ? 2 - k : k] = (uint32_t)first + mesh->mFaces[i].mIndices[k];
    }
}

static void read_part(const Reader *reader, const struct aiNode *node, const struct aiMesh *mesh) {
    AssetSurfacePart *part = &reader->surface->parts[reader->surface->part_count];
    struct aiString material = {0};
    if (mesh->mMaterialIndex < reader->scene->mNumMaterials)
        aiGetMaterialString(reader->scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &material);
    part->first_vertex = reader->surface->vertex_count;
    part->vertex_count = (int)mesh->mNumVertices;
    snprintf(part->object, sizeof part->object, "%.63s", node->mName.data);
    snprintf(part->material, sizeof part->material, "%.63s", material.data);
}

// White where a mesh has none beside others that have.
static void read_color(const struct aiMesh *mesh, unsigned vertex, float out_color[4]) {
    static const struct aiColor4D white = {1.0f, 1.0f, 1.0f, 1.0f};
    const struct aiColor4D *color = mesh->mColors[0] ? &mesh->mColors[0][vertex] : &white;
    out_color[0] = color->r;
    out_color[1] = color->g;
    out_color[2] = color->b;
    out_color[3] = color->a;
}

static bool is_wanted(const Reader *reader, const struct aiNode *node, const struct aiMesh *mesh) {
    return !reader->name || strcmp(reader->name, mesh->mName.data) == 0 ||
           strcmp(reader->name, node->mName.data) == 0;
}

static void fail_unknown(const struct aiScene *scene, const char *path, const char *name,
                         AssetError *out_error) {
    char names[300] = "";
    size_t used = 0;
    for (unsigned i = 0; i < scene->mNumMeshes && used < sizeof names - 1; i++) {
        const int written = snprintf(names + used, sizeof names - used, "%s\"%s\"", i ? ", " : "",
                                     scene->mMeshes[i]->mName.data);
        used += (size_t)written;
    }
    if (scene->mNumMeshes == 0 || !name)
        asset_fail(out_error, "%s: has no triangles", path);
    else
        asset_fail(out_error, "%s: no mesh \"%s\"; it has %s", path, name, names);
}
