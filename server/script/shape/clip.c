#include "shape/clip.h"

#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define EDGE_VERTICES 4 // of a triangle that is cut: both ends of the edge, on the part and on the mesh

typedef struct Clip {
    const ScriptClipDef *def;
    float (*positions)[3], (*uvs)[2];
    uint16_t (*joints)[SIM_MESH_JOINTS];
    float (*weights)[SIM_MESH_JOINTS];
    uint32_t (*triangles)[3];
    int vertex_count, triangle_count;
} Clip;

static bool allocate(ScriptArena *arena, const ScriptClipDef *def, Clip *out_clip);
static int count_inside(const ScriptClipDef *def, const uint32_t corners[3]);
static void cut_triangle(Clip *clip, const uint32_t corners[3], const uint32_t *numbers, int inside);
static uint32_t add_between(Clip *clip, uint32_t inside, uint32_t outside, float out);
static void mix_joints(Clip *clip, uint32_t from, uint32_t to, float share);
static void add_triangle(Clip *clip, uint32_t a, uint32_t b, uint32_t c);
static void scale_uvs(Clip *clip);

bool script_clip_make(ScriptArena *arena, const ScriptClipDef *def, SimRenderMesh *out_part) {
    const SimRenderMesh *mesh = def->mesh;
    Clip clip;
    uint32_t *numbers = script_arena_alloc(arena, (size_t)mesh->vertex_count, sizeof *numbers);
    if (!numbers || !allocate(arena, def, &clip)) return false;
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!(def->depths[i] > 0.0f)) continue;
        const int to = clip.vertex_count++;
        numbers[i] = (uint32_t)to;
        glm_vec3_copy((float *)mesh->positions[i], clip.positions[to]);
        glm_vec3_muladds((float *)mesh->normals[i], def->out, clip.positions[to]);
        if (clip.uvs) glm_vec2_copy((float *)mesh->uvs[i], clip.uvs[to]);
        if (!clip.joints) continue;
        memcpy(clip.joints[to], mesh->joints[i], sizeof *clip.joints);
        memcpy(clip.weights[to], mesh->weights[i], sizeof *clip.weights);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->triangles[i];
        const int inside = count_inside(def, corners);
        if (inside == 3)
            add_triangle(&clip, numbers[corners[0]], numbers[corners[1]], numbers[corners[2]]);
        else if (inside > 0)
            cut_triangle(&clip, corners, numbers, inside);
    }
    if (clip.uvs) scale_uvs(&clip);
    float(*normals)[3] = script_arena_alloc(arena, (size_t)clip.vertex_count, sizeof *normals);
    *out_part = (SimRenderMesh){
        .name = mesh->name,
        .garment = mesh->garment,
        .vertex_count = clip.vertex_count,
        .triangle_count = clip.triangle_count,
        .positions = (const float(*)[3])clip.positions,
        .normals = (const float(*)[3])normals,
        .uvs = (const float(*)[2])clip.uvs,
        .triangles = (const uint32_t(*)[3])clip.triangles,
        .joints = (const uint16_t(*)[SIM_MESH_JOINTS])clip.joints,
        .weights = (const float(*)[SIM_MESH_JOINTS])clip.weights,
        .material = mesh->material,
    };
    return normals && sim_render_mesh_normals(out_part, normals);
}

static bool allocate(ScriptArena *arena, const ScriptClipDef *def, Clip *out_clip) {
    const SimRenderMesh *mesh = def->mesh;
    size_t vertices = 1, triangles = 1; // an empty part has memory, too
    for (int i = 0; i < mesh->vertex_count; i++) vertices += def->depths[i] > 0.0f;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int inside = count_inside(def, mesh->triangles[i]);
        triangles += inside == 3 ? 1 : inside > 0 ? (size_t)inside + 2 : 0;
        vertices += inside == 1 || inside == 2 ? EDGE_VERTICES : 0;
    }
    *out_clip = (Clip){
        .def = def,
        .positions = script_arena_alloc(arena, vertices, sizeof *out_clip->positions),
        .uvs = mesh->uvs ? script_arena_alloc(arena, vertices, sizeof *out_clip->uvs) : NULL,
        .joints = mesh->joints ? script_arena_alloc(arena, vertices, sizeof *out_clip->joints) : NULL,
        .weights = mesh->joints ? script_arena_alloc(arena, vertices, sizeof *out_clip->weights) : NULL,
        .triangles = script_arena_alloc(arena, triangles, sizeof *out_clip->triangles),
    };
    return out_clip->positions && out_clip->triangles && (out_clip->uvs || !mesh->uvs) &&
           ((out_clip->joints && out_clip->weights) || !mesh->joints);
}

static int count_inside(const ScriptClipDef *def, const uint32_t corners[3]) {
    int count = 0;
    for (int k = 0; k < 3; k++) count += def->depths[corners[k]] > 0.0f;
    return count;
}

// Keeps what is inside of a triangle with one or two corners inside.
static void cut_triangle(Clip *clip, const uint32_t corners[3], const uint32_t *numbers, int inside) {
    const float *depths = clip->def->depths, out = clip->def->out;
    int first = 0; // the corner inside alone, or the first of two
    while (!(depths[corners[first]] > 0.0f && (inside == 1 || depths[corners[(first + 1) % 3]] > 0.0f)))
        first++;
    const uint32_t a = corners[first], b = corners[(first + 1) % 3], c = corners[(first + 2) % 3];
    const uint32_t from_inside = inside == 1 ? a : b, from_outside = inside == 1 ? b : c;
    const uint32_t from = add_between(clip, from_inside, from_outside, out);
    const uint32_t to = add_between(clip, a, c, out);
    const uint32_t low_from = add_between(clip, from_inside, from_outside, 0.0f);
    const uint32_t low_to = add_between(clip, a, c, 0.0f);
    if (inside == 2) add_triangle(clip, numbers[a], numbers[b], from);
    add_triangle(clip, numbers[a], from, to);
    add_triangle(clip, to, from, low_from);
    add_triangle(clip, to, low_from, low_to);
}

// Adds a vertex where the edge between two crosses the part's, moved out by so many m. Returns its number.
static uint32_t add_between(Clip *clip, uint32_t inside, uint32_t outside, float out) {
    const SimRenderMesh *mesh = clip->def->mesh;
    const float depth = clip->def->depths[inside];
    const float share = depth / (depth - clip->def->depths[outside]);
    const uint32_t number = (uint32_t)clip->vertex_count;
    vec3 normal;
    glm_vec3_lerp((float *)mesh->normals[inside], (float *)mesh->normals[outside], share, normal);
    glm_vec3_normalize(normal);
    glm_vec3_lerp((float *)mesh->positions[inside], (float *)mesh->positions[outside], share,
                  clip->positions[number]);
    glm_vec3_muladds(normal, out, clip->positions[number]);
    if (clip->uvs)
        glm_vec2_lerp((float *)mesh->uvs[inside], (float *)mesh->uvs[outside], share, clip->uvs[number]);
    if (clip->joints) mix_joints(clip, inside, outside, share);
    clip->vertex_count++;
    return number;
}

// The heaviest bones of both vertices, for the next one.
static void mix_joints(Clip *clip, uint32_t from, uint32_t to, float share) {
    const SimRenderMesh *mesh = clip->def->mesh;
    uint16_t joints[2 * SIM_MESH_JOINTS];
    float weights[2 * SIM_MESH_JOINTS], sum = 0.0f;
    int count = 0;
    for (int i = 0; i < 2 * SIM_MESH_JOINTS; i++) {
        const uint32_t vertex = i < SIM_MESH_JOINTS ? from : to;
        const uint16_t joint = mesh->joints[vertex][i % SIM_MESH_JOINTS];
        const float weight =
            mesh->weights[vertex][i % SIM_MESH_JOINTS] * (i < SIM_MESH_JOINTS ? 1.0f - share : share);
        int at = 0;
        while (at < count && joints[at] != joint) at++;
        if (at == count) {
            joints[count] = joint;
            weights[count++] = 0.0f;
        }
        weights[at] += weight;
    }
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (weights[i] > 0.0f && (best < 0 || weights[i] > weights[best])) best = i;
        clip->joints[clip->vertex_count][k] = best < 0 ? 0 : joints[best];
        clip->weights[clip->vertex_count][k] = best < 0 ? 0.0f : weights[best];
        sum += clip->weights[clip->vertex_count][k];
        if (best >= 0) weights[best] = 0.0f;
    }
    for (int k = 0; k < SIM_MESH_JOINTS; k++) clip->weights[clip->vertex_count][k] /= sum;
}

static void add_triangle(Clip *clip, uint32_t a, uint32_t b, uint32_t c) {
    memcpy(clip->triangles[clip->triangle_count++], (uint32_t[3]){a, b, c}, sizeof *clip->triangles);
}

// By one factor, so that the part's area in them is its true area. The rim has none in them.
static void scale_uvs(Clip *clip) {
    float area = 0.0f, uv_area = 0.0f;
    for (int i = 0; i < clip->triangle_count; i++) {
        const uint32_t *at = clip->triangles[i];
        vec2 u, v;
        vec3 along, across, cross;
        glm_vec2_sub(clip->uvs[at[1]], clip->uvs[at[0]], u);
        glm_vec2_sub(clip->uvs[at[2]], clip->uvs[at[0]], v);
        const float flat = fabsf(glm_vec2_cross(u, v));
        if (flat == 0.0f) continue;
        glm_vec3_sub(clip->positions[at[1]], clip->positions[at[0]], along);
        glm_vec3_sub(clip->positions[at[2]], clip->positions[at[0]], across);
        glm_vec3_cross(along, across, cross);
        area += glm_vec3_norm(cross);
        uv_area += flat;
    }
    if (uv_area == 0.0f) return;
    for (int v = 0; v < clip->vertex_count; v++)
        glm_vec2_scale(clip->uvs[v], sqrtf(area / uv_area), clip->uvs[v]);
}
