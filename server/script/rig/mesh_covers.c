// Leaves out what lies hidden under other meshes: a body's triangles whose every vertex another mesh covers.
//
// From each vertex a ray goes along its normal. The vertex is covered where the ray meets a triangle of the
// other mesh from behind, near enough.
#include "rig/build.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define LEAST_BEHIND                                                                                         \
    0.01f // m behind the vertex, where the ray begins: skin may stand out of tight cloth a little,
#define BEHIND        0.3f  // or this share of the reach
#define LEAST_CELL    0.01f // m
#define FARTHEST_CELL 1e6f

// A mesh that covers others, its triangles in a hashed grid by the cell of their centres.
typedef struct Cover {
    const SimRenderMesh *mesh;
    const float *reach; // [mesh->vertex_count] m; 0: does not cover there
    float most;         // m, the farthest reach
    float radius;       // m, from a triangle's centre to a corner at most
    float cell;         // m
    uint32_t mask;      // of hashes
    int *first;         // [mask + 1] triangle of that hash; -1: none
    int *next;          // [mesh->triangle_count] of the same hash
} Cover;

static bool make_cover(ScriptReader *reader, const SimRenderMesh *mesh, const float *reach, Cover *out_cover);
static bool center_of(const Cover *cover, int triangle, vec3 out_center);
static int cell_at(const Cover *cover, float place);
static uint32_t hash_cell(const Cover *cover, int x, int y, int z);
static float behind(float reach);
static bool is_covered(const Cover *cover, bool is_skin, const float position[3], const float normal[3]);
static bool cell_covers(const Cover *cover, bool is_skin, int triangle, vec3 from, vec3 normal);
static bool meets(const Cover *cover, bool is_skin, int triangle, vec3 from, vec3 normal);
static void leave_out(SimRenderMesh *body, const bool *covered, uint32_t (*kept)[3]);

void script_build_covers(ScriptRigBuild *build) {
    SimRenderMesh *meshes = (SimRenderMesh *)build->rig.meshes;
    const int count = build->rig.mesh_count;
    Cover *covers = script_reader_alloc(build->reader, count, sizeof *covers);
    int cover_count = 0;
    for (int i = 0; covers && i < count; i++)
        if (build->mesh_covers[i] &&
            make_cover(build->reader, &meshes[i], build->mesh_covers[i], &covers[cover_count]))
            cover_count++;
    for (int i = 0; cover_count > 0 && i < count; i++) {
        SimRenderMesh *body = &meshes[i];
        if (body->garment >= 0) continue;
        bool *covered = script_reader_alloc(build->reader, body->vertex_count, sizeof *covered);
        uint32_t(*kept)[3] = script_reader_alloc(build->reader, body->triangle_count, sizeof *kept);
        if (!covered || !kept) return;
        for (int v = 0; v < body->vertex_count; v++)
            for (int k = 0; k < cover_count && !covered[v]; k++)
                covered[v] = covers[k].mesh != body && is_covered(&covers[k], !build->mesh_covers[i],
                                                                  body->positions[v], body->normals[v]);
        leave_out(body, covered, kept);
    }
}

// False: it covers nothing, or memory runs out, which is reported.
static bool make_cover(ScriptReader *reader, const SimRenderMesh *mesh, const float *reach,
                       Cover *out_cover) {
    Cover cover = {.mesh = mesh, .reach = reach, .cell = LEAST_CELL, .mask = 255};
    for (int v = 0; v < mesh->vertex_count; v++) cover.most = fmaxf(cover.most, reach[v]);
    if (cover.most <= 0.0f) return false;
    while (cover.mask < (uint32_t)mesh->triangle_count) cover.mask = 2 * cover.mask + 1;
    cover.first = script_reader_alloc(reader, (int)cover.mask + 1, sizeof *cover.first);
    cover.next = script_reader_alloc(reader, mesh->triangle_count, sizeof *cover.next);
    if (!cover.first || !cover.next) return false;
    vec3 center;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; center_of(&cover, t, center) && k < 3; k++)
            cover.radius = fmaxf(cover.radius,
                                 glm_vec3_distance(center, (float *)mesh->positions[mesh->triangles[t][k]]));
    cover.cell = fmaxf(cover.cell, cover.radius);
    memset(cover.first, -1, ((size_t)cover.mask + 1) * sizeof *cover.first);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!center_of(&cover, t, center)) continue;
        int *first = &cover.first[hash_cell(&cover, cell_at(&cover, center[0]), cell_at(&cover, center[1]),
                                            cell_at(&cover, center[2]))];
        cover.next[t] = *first;
        *first = t;
    }
    *out_cover = cover;
    return true;
}

// False: the triangle does not cover all over.
static bool center_of(const Cover *cover, int triangle, vec3 out_center) {
    const uint32_t *corners = cover->mesh->triangles[triangle];
    glm_vec3_zero(out_center);
    for (int k = 0; k < 3; k++) {
        if (cover->reach[corners[k]] <= 0.0f) return false;
        glm_vec3_muladds((float *)cover->mesh->positions[corners[k]], 1.0f / 3.0f, out_center);
    }
    return true;
}

static int cell_at(const Cover *cover, float place) {
    return (int)floorf(glm_clamp(place / cover->cell, -FARTHEST_CELL, FARTHEST_CELL));
}

static uint32_t hash_cell(const Cover *cover, int x, int y, int z) {
    uint32_t hash = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (hash ^ hash >> 15) & cover->mask;
}

static float behind(float reach) {
    return fmaxf(LEAST_BEHIND, BEHIND * reach);
}

static bool is_covered(const Cover *cover, bool is_skin, const float position[3], const float normal[3]) {
    vec3 from, to, along;
    int low[3], high[3];
    glm_vec3_copy((float *)normal, along);
    glm_vec3_copy((float *)position, from);
    glm_vec3_copy((float *)position, to);
    glm_vec3_muladds(along, -behind(cover->most), from);
    glm_vec3_muladds(along, cover->most, to);
    for (int k = 0; k < 3; k++) {
        low[k] = cell_at(cover, fminf(from[k], to[k]) - cover->radius);
        high[k] = cell_at(cover, fmaxf(from[k], to[k]) + cover->radius);
    }
    for (int x = low[0]; x <= high[0]; x++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int z = low[2]; z <= high[2]; z++)
                if (cell_covers(cover, is_skin, cover->first[hash_cell(cover, x, y, z)], from, along))
                    return true;
    return false;
}

// Whether one of the triangles from that one on is met.
static bool cell_covers(const Cover *cover, bool is_skin, int triangle, vec3 from, vec3 normal) {
    for (; triangle >= 0; triangle = cover->next[triangle])
        if (meets(cover, is_skin, triangle, from, normal)) return true;
    return false;
}

// Whether the ray meets the triangle from behind, within reach (T. Moeller and B. Trumbore, "Fast, Minimum
// Storage Ray-Triangle Intersection", 1997).
static bool meets(const Cover *cover, bool is_skin, int triangle, vec3 from, vec3 normal) {
    const uint32_t *corners = cover->mesh->triangles[triangle];
    const float(*positions)[3] = cover->mesh->positions;
    vec3 right, left, across, away, turned;
    glm_vec3_sub((float *)positions[corners[1]], (float *)positions[corners[0]], right);
    glm_vec3_sub((float *)positions[corners[2]], (float *)positions[corners[0]], left);
    glm_vec3_cross(normal, left, across);
    const float volume = glm_vec3_dot(right, across);
    if (volume >= 0.0f) return false; // seen from the front, or edge-on
    glm_vec3_sub(from, (float *)positions[corners[0]], away);
    const float u = glm_vec3_dot(away, across) / volume;
    glm_vec3_cross(away, right, turned);
    const float v = glm_vec3_dot(normal, turned) / volume;
    if (u < 0.0f || v < 0.0f || u + v > 1.0f) return false;
    const float distance = glm_vec3_dot(left, turned) / volume;
    const float reach = (1.0f - u - v) * cover->reach[corners[0]] + u * cover->reach[corners[1]] +
                        v * cover->reach[corners[2]];
    const float above = distance - behind(cover->most);
    return above >= (is_skin ? -behind(reach) : 0.0f) && above <= reach;
}

static void leave_out(SimRenderMesh *body, const bool *covered, uint32_t (*kept)[3]) {
    int count = 0;
    for (int t = 0; t < body->triangle_count; t++) {
        const uint32_t *corners = body->triangles[t];
        if (covered[corners[0]] && covered[corners[1]] && covered[corners[2]]) continue;
        memcpy(kept[count++], corners, sizeof *kept);
    }
    body->triangles = (const uint32_t(*)[3])kept;
    body->triangle_count = count;
}
