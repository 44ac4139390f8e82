// Reads a scene's skinned meshes.
//
// Vertices come to model space at the bind pose, in metres: the space that bones' inverse bind matrices start
// from. Polygons become triangles, and vertices that are alike become one, since some formats give each
// polygon its own.
#define _POSIX_C_SOURCE 200809L // strdup
#include "importer/scene.h"

#include <assimp/material.h>
#include <cglm/cglm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define NAME_BYTES 64

// All of a vertex; without padding, so that alike ones have alike bytes.
typedef struct Vertex {
    float position[3], normal[3], uv[2], weights[SIM_MESH_JOINTS];
    uint16_t joints[SIM_MESH_JOINTS];
} Vertex;
_Static_assert(sizeof(Vertex) == 12 * sizeof(float) + SIM_MESH_JOINTS * sizeof(uint16_t), "has padding");

// One mesh that is being read.
typedef struct MeshReader {
    const struct aiScene *scene;
    const SceneNode *nodes;
    const AssetFile *file;
    const struct aiMesh *mesh;
    mat4 to_model;    // of mesh space, in the file's units
    Vertex *vertices; // [mesh->mNumVertices]
    uint32_t *kept;   // [mesh->mNumVertices] the index of the vertex alike in the result
    uint32_t kept_count;
} MeshReader;

static bool read_mesh(MeshReader *reader, SimRenderMesh *out_mesh, AssetError *out_error);
static void read_weights(MeshReader *reader);
static const struct aiNode *node_named(const struct aiNode *node, const char *name);
static int bone_of(const MeshReader *reader, const struct aiNode *node);
static void keep_largest(Vertex *vertex, int joint, float weight);
static void normalize_weights(Vertex *vertex);
static bool read_vertices(MeshReader *reader, AssetError *out_error);
static void read_uv(const MeshReader *reader, unsigned v, float out_uv[2]);
static bool join_vertices(MeshReader *reader);
static bool copy_vertices(const MeshReader *reader, SimRenderMesh *out_mesh);
static bool copy_triangles(MeshReader *reader, SimRenderMesh *out_mesh);
static unsigned count_triangles(const struct aiMesh *mesh);
static char *mesh_name(const AssetFile *file, const struct aiMesh *mesh);
static SimMaterial read_material(const MeshReader *reader);

bool scene_read_meshes(const struct aiScene *scene, const SceneNode *nodes, AssetFile *file,
                       AssetError *out_error) {
    file->meshes = calloc(scene->mNumMeshes + 1u, sizeof *file->meshes);
    if (!file->meshes) return asset_fail(out_error, "%s: out of memory", file->path);
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        MeshReader reader = {.scene = scene, .nodes = nodes, .file = file, .mesh = scene->mMeshes[m]};
        const struct aiNode *node = scene_mesh_node(scene->mRootNode, m);
        if (reader.mesh->mNumBones == 0 || reader.mesh->mNumVertices == 0 || !node) continue;
        scene_global_matrix(node, reader.to_model);
        glm_mat4_mul(file->bind_place, reader.to_model, reader.to_model);
        SimRenderMesh *mesh = &file->meshes[file->mesh_count++];
        mesh->name = mesh_name(file, reader.mesh);
        const bool done = read_mesh(&reader, mesh, out_error);
        free(reader.vertices);
        free(reader.kept);
        if (!done) return false;
    }
    return true;
}

static bool read_mesh(MeshReader *reader, SimRenderMesh *out_mesh, AssetError *out_error) {
    const struct aiMesh *mesh = reader->mesh;
    if (mesh->mNumVertices > SIM_MAX_MESH_VERTICES || count_triangles(mesh) > 2 * SIM_MAX_MESH_VERTICES)
        return asset_fail(out_error, "%s: mesh \"%s\" has %u vertices and %u triangles, %d and %d at most",
                          reader->file->path, mesh->mName.data, mesh->mNumVertices, count_triangles(mesh),
                          SIM_MAX_MESH_VERTICES, 2 * SIM_MAX_MESH_VERTICES);
    reader->vertices = calloc(mesh->mNumVertices, sizeof *reader->vertices);
    reader->kept = calloc(mesh->mNumVertices, sizeof *reader->kept);
    bool done = out_mesh->name && reader->vertices && reader->kept;
    if (done) {
        read_weights(reader);
        if (!read_vertices(reader, out_error)) return false;
        out_mesh->garment = -1;
        out_mesh->material = read_material(reader);
        done = join_vertices(reader) && copy_vertices(reader, out_mesh) && copy_triangles(reader, out_mesh) &&
               (mesh->mNormals || sim_render_mesh_normals(out_mesh, (float(*)[3])out_mesh->normals));
    }
    return done || asset_fail(out_error, "%s: out of memory", reader->file->path);
}

// Vertices without weights hang on the first bone.
static void read_weights(MeshReader *reader) {
    const struct aiMesh *mesh = reader->mesh;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        const int joint = bone_of(reader, node_named(reader->scene->mRootNode, bone->mName.data));
        for (unsigned w = 0; w < bone->mNumWeights; w++)
            if (bone->mWeights[w].mVertexId < mesh->mNumVertices)
                keep_largest(&reader->vertices[bone->mWeights[w].mVertexId], joint,
                             bone->mWeights[w].mWeight);
    }
    for (unsigned v = 0; v < mesh->mNumVertices; v++) normalize_weights(&reader->vertices[v]);
}

static const struct aiNode *node_named(const struct aiNode *node, const char *name) {
    const struct aiNode *found = strcmp(node->mName.data, name) == 0 ? node : NULL;
    for (unsigned i = 0; !found && i < node->mNumChildren; i++) found = node_named(node->mChildren[i], name);
    return found;
}

// The bone of a node or of the nearest one above that has one.
static int bone_of(const MeshReader *reader, const struct aiNode *node) {
    for (; node; node = node->mParent)
        for (int b = 0; b < reader->file->bone_count; b++)
            if (reader->nodes[b].node == node) return b;
    return 0;
}

// Keeps the weights sorted, the largest first. Two nodes may go to one bone.
static void keep_largest(Vertex *vertex, int joint, float weight) {
    if (!(weight > 0.0f && weight <= 1e6f)) return;
    uint16_t held = (uint16_t)joint;
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        if (weight <= vertex->weights[k]) continue;
        const float smaller = vertex->weights[k];
        const uint16_t other = vertex->joints[k];
        vertex->weights[k] = weight;
        vertex->joints[k] = held;
        weight = smaller;
        held = other;
    }
}

static void normalize_weights(Vertex *vertex) {
    float sum = 0.0f;
    for (int k = 0; k < SIM_MESH_JOINTS; k++) sum += vertex->weights[k];
    for (int k = 0; k < SIM_MESH_JOINTS && sum > 0.0f; k++) vertex->weights[k] /= sum;
    if (sum <= 0.0f) vertex->weights[0] = 1.0f;
}

static bool read_vertices(MeshReader *reader, AssetError *out_error) {
    const struct aiMesh *mesh = reader->mesh;
    mat3 turn;
    glm_mat4_pick3(reader->to_model, turn);
    glm_mat3_inv(turn, turn);
    glm_mat3_transpose(turn);
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        Vertex *vertex = &reader->vertices[v];
        const struct aiVector3D *from = &mesh->mVertices[v];
        vec3 position = {from->x, from->y, from->z}, normal = {0.0f, 1.0f, 0.0f};
        glm_mat4_mulv3(reader->to_model, position, 1.0f, position);
        glm_vec3_scale(position, reader->file->scale, vertex->position);
        if (!asset_is_in_range(vertex->position))
            return asset_fail(out_error, "%s: vertex %u of mesh \"%s\" is not finite or too large",
                              reader->file->path, v, mesh->mName.data);
        if (mesh->mNormals) {
            glm_vec3_copy((vec3){mesh->mNormals[v].x, mesh->mNormals[v].y, mesh->mNormals[v].z}, normal);
            glm_mat3_mulv(turn, normal, normal);
        }
        const float length = glm_vec3_norm(normal);
        if (length > 1e-6f && isfinite(length)) glm_vec3_scale(normal, 1.0f / length, vertex->normal);
        read_uv(reader, v, vertex->uv);
    }
    return true;
}

static void read_uv(const MeshReader *reader, unsigned v, float out_uv[2]) {
    const struct aiVector3D *coordinates = reader->mesh->mTextureCoords[0];
    if (!coordinates || !isfinite(coordinates[v].x) || !isfinite(coordinates[v].y)) return;
    out_uv[0] = coordinates[v].x;
    out_uv[1] = coordinates[v].y;
}

// Returns false when memory runs out.
static bool join_vertices(MeshReader *reader) {
    size_t capacity = 16;
    while (capacity < 2 * (size_t)reader->mesh->mNumVertices) capacity *= 2;
    uint32_t *table = calloc(capacity, sizeof *table); // 1 + the first vertex of its kind; 0: empty
    if (!table) return false;
    for (unsigned v = 0; v < reader->mesh->mNumVertices; v++) {
        const Vertex *vertex = &reader->vertices[v];
        size_t at = text_hash(TEXT_HASH_BEGIN, vertex, sizeof *vertex) & (capacity - 1);
        while (table[at] && memcmp(&reader->vertices[table[at] - 1], vertex, sizeof *vertex) != 0)
            at = (at + 1) & (capacity - 1);
        if (table[at]) {
            reader->kept[v] = reader->kept[table[at] - 1];
        } else {
            table[at] = v + 1;
            reader->kept[v] = reader->kept_count++;
        }
    }
    free(table);
    return true;
}

// Returns false when memory runs out.
static bool copy_vertices(const MeshReader *reader, SimRenderMesh *out_mesh) {
    const size_t count = reader->kept_count;
    float(*positions)[3] = malloc(count * sizeof *positions), (*normals)[3] = malloc(count * sizeof *normals);
    float(*uvs)[2] = malloc(count * sizeof *uvs),
    (*weights)[SIM_MESH_JOINTS] = malloc(count * sizeof *weights);
    uint16_t(*joints)[SIM_MESH_JOINTS] = malloc(count * sizeof *joints);
    out_mesh->vertex_count = (int)count;
    out_mesh->positions = (const float(*)[3])positions;
    out_mesh->normals = (const float(*)[3])normals;
    out_mesh->uvs = (const float(*)[2])uvs;
    out_mesh->weights = (const float(*)[SIM_MESH_JOINTS])weights;
    out_mesh->joints = (const uint16_t(*)[SIM_MESH_JOINTS])joints;
    if (!positions || !normals || !uvs || !weights || !joints) return false;
    for (unsigned v = 0; v < reader->mesh->mNumVertices; v++) {
        const Vertex *vertex = &reader->vertices[v];
        const uint32_t to = reader->kept[v];
        memcpy(positions[to], vertex->position, sizeof vertex->position);
        memcpy(normals[to], vertex->normal, sizeof vertex->normal);
        memcpy(uvs[to], vertex->uv, sizeof vertex->uv);
        memcpy(weights[to], vertex->weights, sizeof vertex->weights);
        memcpy(joints[to], vertex->joints, sizeof vertex->joints);
    }
    return true;
}

// Fans of polygons. A mirroring node turns them round. Returns false when memory runs out.
static bool copy_triangles(MeshReader *reader, SimRenderMesh *out_mesh) {
    const struct aiMesh *mesh = reader->mesh;
    const bool is_mirrored = glm_mat4_det(reader->to_model) < 0.0f;
    uint32_t(*triangles)[3] = malloc((count_triangles(mesh) + 1u) * sizeof *triangles);
    int count = 0;
    out_mesh->triangles = (const uint32_t(*)[3])triangles;
    for (unsigned f = 0; triangles && f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        bool is_whole = true;
        for (unsigned k = 0; k < face->mNumIndices; k++) is_whole &= face->mIndices[k] < mesh->mNumVertices;
        for (unsigned k = 2; is_whole && k < face->mNumIndices; k++) {
            const uint32_t a = reader->kept[face->mIndices[0]], b = reader->kept[face->mIndices[k - 1]];
            const uint32_t c = reader->kept[face->mIndices[k]];
            if (a == b || b == c || c == a) continue;
            triangles[count][0] = a;
            triangles[count][1] = is_mirrored ? c : b;
            triangles[count++][2] = is_mirrored ? b : c;
        }
    }
    out_mesh->triangle_count = count;
    return triangles != NULL;
}

static unsigned count_triangles(const struct aiMesh *mesh) {
    unsigned count = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        if (mesh->mFaces[f].mNumIndices > 2) count += mesh->mFaces[f].mNumIndices - 2;
    return count;
}

// The file's name of it, fit for the protocol, or "mesh"; with a number where it is taken. Returns NULL when
// memory runs out.
static char *mesh_name(const AssetFile *file, const struct aiMesh *mesh) {
    char name[NAME_BYTES + 1], *kept;
    for (int number = 1;; number++) {
        char suffix[16] = "";
        if (number > 1) snprintf(suffix, sizeof suffix, "_%d", number);
        snprintf(name, sizeof name, "%.*s%s", NAME_BYTES - (int)strlen(suffix),
                 mesh->mName.length > 0 ? mesh->mName.data : "mesh", suffix);
        for (char *letter = name; *letter; letter++)
            if (strchr("*?[]", *letter)) *letter = '_';
        bool is_taken = false;
        for (int i = 0; i + 1 < file->mesh_count; i++)
            is_taken |= file->meshes[i].name && strcmp(file->meshes[i].name, name) == 0;
        if (!is_taken) break;
    }
    kept = strdup(name);
    return kept;
}

static SimMaterial read_material(const MeshReader *reader) {
    SimMaterial material = sim_default_material();
    const struct aiScene *scene = reader->scene;
    if (reader->mesh->mMaterialIndex >= scene->mNumMaterials) return material;
    const struct aiMaterial *from = scene->mMaterials[reader->mesh->mMaterialIndex];
    struct aiColor4D color;
    float roughness;
    if (aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &color) == AI_SUCCESS) {
        const float channels[3] = {color.r, color.g, color.b};
        for (int k = 0; k < 3; k++) {
            const float share = glm_clamp(isfinite(channels[k]) ? channels[k] : 0.5f, 0.0f, 1.0f);
            const bool is_linear = scene_is_gltf(reader->file->path);
            material.color[k] = !is_linear            ? share
                                : share <= 0.0031308f ? 12.92f * share // as IEC 61966-2-1 has it
                                                      : 1.055f * powf(share, 1.0f / 2.4f) - 0.055f;
        }
    }
    if (aiGetMaterialFloatArray(from, AI_MATKEY_ROUGHNESS_FACTOR, &roughness, NULL) == AI_SUCCESS &&
        roughness >= 0.0f && roughness <= 1.0f)
        material.roughness = roughness;
    return material;
}
