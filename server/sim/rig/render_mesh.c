// Render meshes: validation, copying into a rig, and normals.
#include "core/issue.h"
#include "rig/rig.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const sim_pattern_names[] = {"plain", "herringbone", "twill", "satin", "gauze", "quilted",
                                         "grain", "smooth",      "skin",  "fur",   "hair",  NULL};

static bool validate_vertex(const SimRenderMesh *mesh, int i, int v, int bone_count, SimIssue *issue);
static bool is_material(const SimMaterial *material);
static bool are_shares(const float *values, int count);
static int *first_at_place(const SimRenderMesh *mesh);
static uint32_t hash_place(const float place[3]);

SimMaterial sim_default_material(void) {
    return (SimMaterial){.color = {0.5f, 0.5f, 0.5f}, .roughness = 0.9f, .pattern = SIM_PATTERN_PLAIN};
}

bool sim_materials_are_equal(const SimMaterial *a, const SimMaterial *b) {
    return glm_vec3_eqv((float *)a->color, (float *)b->color) && a->roughness == b->roughness &&
           a->pattern == b->pattern;
}

bool sim_validate_render_mesh(const SimRigDef *def, int i, SimIssue *issue) {
    const SimRenderMesh *mesh = &def->meshes[i];
    const int bone_count = sim_rig_bone_count(def);
    if (!sim_is_name(mesh->name))
        return sim_issue_set(issue, "expected 1 to 64 bytes without * ? [", "meshes[%d].name", i);
    for (int j = 0; j < i; j++)
        if (strcmp(def->meshes[j].name, mesh->name) == 0)
            return sim_issue_set(issue, "is the name of another mesh, too", "meshes[%d].name", i);
    if (mesh->garment < -1 || mesh->garment >= def->garment_count)
        return sim_issue_set(issue, "expected -1 or the index of a garment", "meshes[%d].garment", i);
    if (mesh->vertex_count < 1 || mesh->vertex_count > SIM_MAX_MESH_VERTICES)
        return sim_issue_set(issue, "expected 1 to 1000000 vertices", "meshes[%d].positions", i);
    if (mesh->triangle_count < 0 || mesh->triangle_count > 2 * SIM_MAX_MESH_VERTICES)
        return sim_issue_set(issue, "expected 2000000 triangles at most", "meshes[%d].triangles", i);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (!validate_vertex(mesh, i, v, bone_count, issue)) return false;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[t][k] >= (uint32_t)mesh->vertex_count)
                return sim_issue_set(issue, "expected indices of vertices", "meshes[%d].triangles[%d]", i, t);
    return is_material(&mesh->material) ||
           sim_issue_set(issue, "expected colors and a roughness of 0 to 1", "meshes[%d].material", i);
}

bool sim_render_meshes_copy(SimRig *rig, const SimRigDef *def) {
    SimArena *arena = &rig->arena;
    SimRenderMesh *meshes = sim_arena_alloc(arena, (size_t)def->mesh_count, sizeof *meshes);
    for (int i = 0; meshes && i < def->mesh_count; i++) {
        SimRenderMesh *mesh = &meshes[i];
        *mesh = def->meshes[i];
        const size_t count = (size_t)mesh->vertex_count;
        mesh->name = sim_arena_copy_text(arena, mesh->name);
        mesh->positions = sim_arena_copy(arena, mesh->positions, count, sizeof *mesh->positions);
        mesh->normals = sim_arena_copy(arena, mesh->normals, count, sizeof *mesh->normals);
        mesh->uvs = sim_arena_copy(arena, mesh->uvs, count, sizeof *mesh->uvs);
        mesh->joints = sim_arena_copy(arena, mesh->joints, count, sizeof *mesh->joints);
        mesh->weights = sim_arena_copy(arena, mesh->weights, count, sizeof *mesh->weights);
        mesh->triangles =
            sim_arena_copy(arena, mesh->triangles, (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    }
    rig->info.meshes = meshes;
    rig->info.mesh_count = def->mesh_count;
    return !arena->failed;
}

bool sim_render_mesh_normals(const SimRenderMesh *mesh, float (*out_normals)[3]) {
    int *first = first_at_place(mesh);
    if (!first) return false;
    memset(out_normals, 0, (size_t)mesh->vertex_count * sizeof *out_normals);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles[t];
        vec3 right, left, normal; // as long as twice the area
        glm_vec3_sub((float *)mesh->positions[corners[1]], (float *)mesh->positions[corners[0]], right);
        glm_vec3_sub((float *)mesh->positions[corners[2]], (float *)mesh->positions[corners[0]], left);
        glm_vec3_cross(right, left, normal);
        for (int k = 0; k < 3; k++) {
            float *sum = out_normals[first[corners[k]]];
            glm_vec3_add(sum, normal, sum);
        }
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        float *normal = out_normals[v];
        if (first[v] != v) {
            glm_vec3_copy(out_normals[first[v]], normal); // it comes before v
            continue;
        }
        const float length = glm_vec3_norm(normal);
        if (length > 0.0f && isfinite(length))
            glm_vec3_scale(normal, 1.0f / length, normal);
        else
            glm_vec3_copy((vec3){0.0f, 1.0f, 0.0f}, normal); // of no triangle with an area
    }
    free(first);
    return true;
}

static bool validate_vertex(const SimRenderMesh *mesh, int i, int v, int bone_count, SimIssue *issue) {
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        if (!isfinite(mesh->positions[v][k]))
            return sim_issue_set(issue, "expected finite numbers", "meshes[%d].positions[%d]", i, v);
    for (int k = 0; k < 3; k++)
        if (!isfinite(mesh->normals[v][k]))
            return sim_issue_set(issue, "expected finite numbers", "meshes[%d].normals[%d]", i, v);
    for (int k = 0; k < 2; k++)
        if (!isfinite(mesh->uvs[v][k]))
            return sim_issue_set(issue, "expected finite numbers", "meshes[%d].uvs[%d]", i, v);
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        if (mesh->joints[v][k] >= bone_count)
            return sim_issue_set(issue, "expected indices of bones", "meshes[%d].joints[%d]", i, v);
        sum += mesh->weights[v][k];
    }
    return (are_shares(mesh->weights[v], SIM_MESH_JOINTS) && fabsf(sum - 1.0f) < 1e-4f) ||
           sim_issue_set(issue, "expected weights of 0 to 1 that sum to 1", "meshes[%d].weights[%d]", i, v);
}

static bool is_material(const SimMaterial *material) {
    return are_shares(material->color, 3) && are_shares(&material->roughness, 1) &&
           (unsigned)material->pattern < SIM_PATTERN_COUNT;
}

static bool are_shares(const float *values, int count) {
    for (int i = 0; i < count; i++)
        if (!(values[i] >= 0.0f && values[i] <= 1.0f)) return false;
    return true;
}

// For each vertex the first one at its place; the caller frees the list. Returns NULL when memory runs out.
static int *first_at_place(const SimRenderMesh *mesh) {
    size_t capacity = 16;
    while (capacity < 2 * (size_t)mesh->vertex_count) capacity *= 2;
    int *first = malloc((size_t)mesh->vertex_count * sizeof *first);
    int *table = malloc(capacity * sizeof *table); // vertices by the hash of their place; -1: empty
    if (!first || !table) {
        free(first);
        free(table);
        return NULL;
    }
    memset(table, -1, capacity * sizeof *table);
    for (int v = 0; v < mesh->vertex_count; v++) {
        size_t at = hash_place(mesh->positions[v]) & (capacity - 1);
        while (table[at] >= 0 &&
               !glm_vec3_eqv((float *)mesh->positions[table[at]], (float *)mesh->positions[v]))
            at = (at + 1) & (capacity - 1);
        if (table[at] < 0) table[at] = v;
        first[v] = table[at];
    }
    free(table);
    return first;
}

static uint32_t hash_place(const float place[3]) {
    uint32_t hash = 2166136261u;
    for (int k = 0; k < 3; k++) {
        const float number = place[k] + 0.0f; // -0 is 0
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash;
}
