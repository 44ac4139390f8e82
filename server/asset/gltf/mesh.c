#include "gltf/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_material(AssetGltf *document, const SimRenderMesh *mesh);
static float linear_of(float srgb);
static void add_attribute(AssetGltf *document, cJSON *attributes, const char *name, const float *items,
                          int count, int width, bool with_bounds);
static bool has_uvs(const SimRenderMesh *mesh);
static void add_influences(AssetGltf *document, cJSON *attributes, const SimRenderMesh *mesh);
static void tidy_influences(const SimRenderMesh *mesh, int vertex, uint16_t *out_joints, float *out_weights);
static int add_triangles(AssetGltf *document, const SimRenderMesh *mesh);

int asset_gltf_add_skin(AssetGltf *document, const AssetTake *take, int first_node) {
    const int count = take->rig->bone_count;
    int index;
    cJSON *skin = asset_gltf_add(document, ASSET_GLTF_SKINS, &index);
    asset_gltf_string(document, skin, "name", take->name);
    asset_gltf_number(document, skin, "skeleton", first_node);
    cJSON *joints = asset_gltf_list(document, skin, "joints");
    mat4 *matrices = malloc((size_t)count * sizeof *matrices);
    for (int i = 0; i < count; i++) {
        asset_gltf_number(document, joints, NULL, first_node + 1 + i);
        if (matrices) memcpy(matrices[i], take->rig->bones[i].inverse_bind, sizeof *matrices);
    }
    if (matrices) {
        asset_gltf_begin_view(document, ASSET_GLTF_DATA);
        asset_gltf_number(document, skin, "inverseBindMatrices",
                          asset_gltf_accessor(document, matrices, count, 16, ASSET_GLTF_FLOAT, false));
    }
    document->failed |= !matrices;
    free(matrices);
    return index;
}

void asset_gltf_add_mesh(AssetGltf *document, const SimRenderMesh *mesh) {
    const int vertices = mesh->vertex_count, material = add_material(document, mesh);
    int index;
    cJSON *made = asset_gltf_add(document, ASSET_GLTF_MESHES, &index);
    asset_gltf_string(document, made, "name", mesh->name);
    cJSON *primitives = asset_gltf_list(document, made, "primitives");
    cJSON *primitive = asset_gltf_object(document, primitives, NULL);
    cJSON *attributes = asset_gltf_object(document, primitive, "attributes");
    add_attribute(document, attributes, "POSITION", mesh->positions[0], vertices, 3, true);
    add_attribute(document, attributes, "NORMAL", mesh->normals[0], vertices, 3, false);
    if (has_uvs(mesh)) add_attribute(document, attributes, "TEXCOORD_0", mesh->uvs[0], vertices, 2, false);
    add_influences(document, attributes, mesh);
    asset_gltf_number(document, primitive, "indices", add_triangles(document, mesh));
    asset_gltf_number(document, primitive, "material", material);
}

// Cloth is seen from both sides.
static int add_material(AssetGltf *document, const SimRenderMesh *mesh) {
    int index;
    cJSON *material = asset_gltf_add(document, ASSET_GLTF_MATERIALS, &index);
    asset_gltf_string(document, material, "name", mesh->name);
    cJSON *surface = asset_gltf_object(document, material, "pbrMetallicRoughness");
    const float *srgb = mesh->material.color;
    const float color[4] = {linear_of(srgb[0]), linear_of(srgb[1]), linear_of(srgb[2]), 1.0f};
    asset_gltf_floats(document, surface, "baseColorFactor", color, 4);
    asset_gltf_number(document, surface, "metallicFactor", 0);
    asset_gltf_number(document, surface, "roughnessFactor", (double)mesh->material.roughness);
    if (mesh->garment >= 0 && !cJSON_AddTrueToObject(material, "doubleSided")) document->failed = true;
    cJSON *extras = asset_gltf_object(document, material, "extras");
    asset_gltf_string(document, extras, "pattern", sim_pattern_names[mesh->material.pattern]);
    return index;
}

// IEC 61966-2-1.
static float linear_of(float srgb) {
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

static void add_attribute(AssetGltf *document, cJSON *attributes, const char *name, const float *items,
                          int count, int width, bool with_bounds) {
    asset_gltf_begin_view(document, ASSET_GLTF_VERTICES);
    asset_gltf_number(document, attributes, name,
                      asset_gltf_accessor(document, items, count, width, ASSET_GLTF_FLOAT, with_bounds));
}

static bool has_uvs(const SimRenderMesh *mesh) {
    for (int i = 0; i < mesh->vertex_count; i++)
        if (mesh->uvs[i][0] != 0.0f || mesh->uvs[i][1] != 0.0f) return true;
    return false;
}

static void add_influences(AssetGltf *document, cJSON *attributes, const SimRenderMesh *mesh) {
    const size_t count = (size_t)mesh->vertex_count;
    uint16_t(*joints)[SIM_MESH_JOINTS] = malloc(count * sizeof *joints);
    float(*weights)[SIM_MESH_JOINTS] = malloc(count * sizeof *weights);
    if (joints && weights) {
        for (size_t i = 0; i < count; i++) tidy_influences(mesh, (int)i, joints[i], weights[i]);
        asset_gltf_begin_view(document, ASSET_GLTF_VERTICES);
        asset_gltf_number(
            document, attributes, "JOINTS_0",
            asset_gltf_accessor(document, joints, (int)count, SIM_MESH_JOINTS, ASSET_GLTF_UINT16, false));
        add_attribute(document, attributes, "WEIGHTS_0", weights[0], (int)count, SIM_MESH_JOINTS, false);
    } else {
        document->failed = true;
    }
    free(joints);
    free(weights);
}

// As the format wants them: each joint once, unused ones 0, and a sum of 1.
static void tidy_influences(const SimRenderMesh *mesh, int vertex, uint16_t *out_joints, float *out_weights) {
    int count = 0, strongest = 0;
    memset(out_joints, 0, SIM_MESH_JOINTS * sizeof *out_joints);
    memset(out_weights, 0, SIM_MESH_JOINTS * sizeof *out_weights);
    for (int i = 0; i < SIM_MESH_JOINTS; i++) {
        const uint16_t joint = mesh->joints[vertex][i];
        const float weight = mesh->weights[vertex][i];
        if (!(weight > 0.0f)) continue;
        int at = 0;
        while (at < count && out_joints[at] != joint) at++;
        if (at == count) count++;
        out_joints[at] = joint;
        out_weights[at] += weight;
        if (out_weights[at] > out_weights[strongest]) strongest = at;
    }
    float others = 0.0f;
    for (int i = 0; i < count; i++)
        if (i != strongest) others += out_weights[i];
    out_weights[strongest] = 1.0f - others;
}

// As few bytes as the vertices allow: 65535 is no index of 16 bits.
static int add_triangles(AssetGltf *document, const SimRenderMesh *mesh) {
    const int count = 3 * mesh->triangle_count;
    asset_gltf_begin_view(document, ASSET_GLTF_INDICES);
    if (mesh->vertex_count > UINT16_MAX)
        return asset_gltf_accessor(document, mesh->triangles, count, 1, ASSET_GLTF_UINT32, false);
    uint16_t *narrow = malloc((size_t)count * sizeof *narrow);
    if (!narrow) {
        document->failed = true;
        return 0;
    }
    for (int i = 0; i < count; i++) narrow[i] = (uint16_t)mesh->triangles[i / 3][i % 3];
    const int accessor = asset_gltf_accessor(document, narrow, count, 1, ASSET_GLTF_UINT16, false);
    free(narrow);
    return accessor;
}
