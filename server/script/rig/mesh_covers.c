// Leaves out what lies hidden under other meshes: a body's triangles whose every vertex another mesh hides.
// Gauze hides nothing, since one sees through it.
//
// From each vertex a ray goes along its normal. The vertex is covered where the ray meets a triangle of the
// other mesh from behind, near enough. Beside bare vertices a covered one is hidden only if other meshes end
// the lines of sight that tilt to all sides, as of somebody who looks into a collar or a cuff.
#include "rig/build.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define LEAST_BEHIND                                                                                         \
    0.01f // m behind the vertex, where the ray begins: skin may stand out of tight cloth a little,
#define BEHIND        0.3f   // or this share of the reach
#define LEAST_CELL    0.01f  // m
#define SIGHT         0.25f  // m from the skin along a line of sight to the cloth that ends it
#define DEEP          0.03f  // m below the skin: nobody looks in where cloth lies in the flesh
#define BELOW         0.002f // m below the skin, where lines of sight begin
#define DEGREE        0.017453293f
#define TILT          (70.0f * DEGREE) // of lines of sight from the normal
#define TURNS         8                // so many lines of sight about it
#define SAMPLED       16               // each such vertex may begin a bare part of the body
#define FARTHEST_CELL 1e6f
#define ROOM          1.25f // a cell's side over the largest box's: rounding at the farthest cell takes .12

// A triangle in a cell of the grid.
typedef struct Entry {
    int triangle;
    int next; // entry of the same hash; -1: none
} Entry;

// A mesh that covers others, its triangles in a hashed grid, in each cell that they may touch.
typedef struct Cover {
    const SimRenderMesh *mesh;
    const float *reach; // [mesh->vertex_count] m; 0: does not cover there
    float most;         // m, the farthest reach
    vec3 box[2];        // m, about the triangles
    float cell;         // m; larger than the largest triangle's box
    uint32_t mask;      // of hashes
    int *first;         // [mask + 1] entry of that hash; -1: none
    Entry *entries;
} Cover;

typedef struct Ray {
    vec3 from, way;
    bool is_sight; // any cloth ends it, from either side
    bool is_skin;  // that it leaves, and may stand out of the cloth
    bool is_whole; // it does not end at the first triangle that it meets, and begins DEEP below the skin
    float lowest;  // m along it to what it has met, or 0
} Ray;

// Of a vertex.
typedef struct Hiding {
    bool is_seen;
    bool is_open;  // it belongs to a bare part of the body: there one may look in below the cloth beside it
    bool is_known; // lines of sight were tried
} Hiding;

static bool make_cover(ScriptReader *reader, const SimRenderMesh *mesh, const float *reach, Cover *out_cover);
static bool box_of(const Cover *cover, int triangle, vec3 out_box[2]);
static void add_triangle(Cover *cover, int triangle, vec3 box[2], int *count);
static void cells_of(const Cover *cover, vec3 box[2], int out_cells[2][3]);
static int cell_at(const Cover *cover, float place);
static uint32_t hash_cell(const Cover *cover, int x, int y, int z);
static float behind(float reach);
static void uncover_seen(const Cover *covers, int count, const SimRenderMesh *body, Hiding *hidings);
static int count_open(const Cover *covers, int count, const SimRenderMesh *body, int vertex);
static bool stands_out(const Cover *covers, int count, const SimRenderMesh *body, int vertex);
static bool is_covered(const Cover *covers, int count, const SimRenderMesh *body, int vertex, Ray *ray);
static bool scan(const Cover *cover, Ray *ray, float near, float far);
static void box_of_ray(const Ray *ray, float near, float far, vec3 out_box[2]);
static bool scan_cells(const Cover *cover, Ray *ray, float near, float far);
static bool scan_cell(const Cover *cover, Ray *ray, int entry);
static bool meets(const Cover *cover, Ray *ray, int triangle);
static void leave_out(SimRenderMesh *body, const Hiding *hidings, uint32_t (*kept)[3]);
static bool is_left_out(const uint32_t corners[3], const Hiding *hidings);

void script_build_covers(ScriptRigBuild *build) {
    SimRenderMesh *meshes = (SimRenderMesh *)build->rig.meshes;
    const int count = build->rig.mesh_count;
    Cover *covers = script_reader_alloc(build->reader, count, sizeof *covers);
    int cover_count = 0;
    for (int i = 0; covers && i < count; i++) {
        const float *reach = meshes[i].material.pattern == SIM_PATTERN_GAUZE ? NULL : build->mesh_covers[i];
        if (reach && make_cover(build->reader, &meshes[i], reach, &covers[cover_count])) cover_count++;
    }
    for (int i = 0; cover_count > 0 && i < count; i++) {
        SimRenderMesh *body = &meshes[i];
        if (body->garment >= 0) continue;
        Hiding *hidings = script_reader_alloc(build->reader, body->vertex_count, sizeof *hidings);
        uint32_t(*kept)[3] = script_reader_alloc(build->reader, body->triangle_count, sizeof *kept);
        if (!hidings || !kept) return;
        for (int v = 0; v < body->vertex_count; v++) {
            Ray ray = {.is_skin = !build->mesh_covers[i]};
            hidings[v].is_seen = !is_covered(covers, cover_count, body, v, &ray);
            hidings[v].is_open = ray.is_skin && hidings[v].is_seen && v % SAMPLED == 0 &&
                                 2 * count_open(covers, cover_count, body, v) > TURNS;
            hidings[v].is_known = hidings[v].is_open;
        }
        uncover_seen(covers, cover_count, body, hidings);
        leave_out(body, hidings, kept);
    }
}

// False: it covers nothing, or memory runs out, which is reported.
static bool make_cover(ScriptReader *reader, const SimRenderMesh *mesh, const float *reach,
                       Cover *out_cover) {
    Cover cover = {.mesh = mesh, .reach = reach, .cell = LEAST_CELL, .mask = 255};
    for (int v = 0; v < mesh->vertex_count; v++) cover.most = fmaxf(cover.most, reach[v]);
    if (cover.most <= 0.0f) return false;
    vec3 box[2];
    glm_aabb_invalidate(cover.box);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!box_of(&cover, t, box)) continue;
        glm_aabb_merge(cover.box, box, cover.box);
        for (int k = 0; k < 3; k++) cover.cell = fmaxf(cover.cell, ROOM * (box[1][k] - box[0][k]));
    }
    while (cover.mask < (uint32_t)mesh->triangle_count) cover.mask = 2 * cover.mask + 1;
    cover.first = script_reader_alloc(reader, (int)cover.mask + 1, sizeof *cover.first);
    cover.entries = script_reader_alloc(reader, 8 * mesh->triangle_count, sizeof *cover.entries);
    if (!cover.first || !cover.entries) return false;
    memset(cover.first, -1, ((size_t)cover.mask + 1) * sizeof *cover.first);
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (box_of(&cover, t, box)) add_triangle(&cover, t, box, &count);
    *out_cover = cover;
    return true;
}

// False: the triangle does not cover all over.
static bool box_of(const Cover *cover, int triangle, vec3 out_box[2]) {
    const uint32_t *corners = cover->mesh->triangles[triangle];
    glm_aabb_invalidate(out_box);
    for (int k = 0; k < 3; k++) {
        float *corner = (float *)cover->mesh->positions[corners[k]];
        if (cover->reach[corners[k]] <= 0.0f) return false;
        glm_vec3_minv(out_box[0], corner, out_box[0]);
        glm_vec3_maxv(out_box[1], corner, out_box[1]);
    }
    return true;
}

// At most 8 cells: its box is no larger than one of them.
static void add_triangle(Cover *cover, int triangle, vec3 box[2], int *count) {
    int cells[2][3];
    cells_of(cover, box, cells);
    for (int x = cells[0][0]; x <= cells[1][0]; x++)
        for (int y = cells[0][1]; y <= cells[1][1]; y++)
            for (int z = cells[0][2]; z <= cells[1][2]; z++) {
                int *first = &cover->first[hash_cell(cover, x, y, z)];
                cover->entries[*count] = (Entry){triangle, *first};
                *first = (*count)++;
            }
}

// The lowest and highest cell of a box.
static void cells_of(const Cover *cover, vec3 box[2], int out_cells[2][3]) {
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) out_cells[i][k] = cell_at(cover, box[i][k]);
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

// Goes from bare vertices on to their neighbours, as far as these are seen.
static void uncover_seen(const Cover *covers, int count, const SimRenderMesh *body, Hiding *hidings) {
    for (bool grown = true; grown;) {
        grown = false;
        for (int t = 0; t < body->triangle_count; t++) {
            const uint32_t *corners = body->triangles[t];
            if (!hidings[corners[0]].is_open && !hidings[corners[1]].is_open && !hidings[corners[2]].is_open)
                continue;
            for (int k = 0; k < 3; k++) {
                Hiding *hiding = &hidings[corners[k]];
                if (hiding->is_known) continue;
                hiding->is_known = true;
                hiding->is_open = hiding->is_seen || count_open(covers, count, body, (int)corners[k]) > 0;
                hiding->is_seen |= hiding->is_open;
                grown |= hiding->is_open;
            }
        }
    }
}

static int count_open(const Cover *covers, int count, const SimRenderMesh *body, int vertex) {
    vec3 normal, start, right, left;
    int open = 0;
    if (stands_out(covers, count, body, vertex)) return 0;
    glm_vec3_copy((float *)body->normals[vertex], normal);
    glm_vec3_copy((float *)body->positions[vertex], start);
    glm_vec3_muladds(normal, -BELOW, start);
    glm_vec3_ortho(normal, right);
    glm_vec3_normalize(right);
    glm_vec3_cross(normal, right, left);
    for (int i = 0; i < TURNS; i++) {
        const float turn = (float)i * (360.0f / TURNS) * DEGREE;
        Ray sight = {.is_sight = true};
        glm_vec3_copy(start, sight.from);
        glm_vec3_scale(normal, cosf(TILT), sight.way);
        glm_vec3_muladds(right, sinf(TILT) * cosf(turn), sight.way);
        glm_vec3_muladds(left, sinf(TILT) * sinf(turn), sight.way);
        bool ended = false;
        for (int k = 0; k < count && !ended; k++)
            ended = covers[k].mesh != body && scan(&covers[k], &sight, 0.0f, SIGHT);
        if (!ended) open++;
    }
    return open;
}

// Whether cloth lies in the flesh.
static bool stands_out(const Cover *covers, int count, const SimRenderMesh *body, int vertex) {
    Ray ray = {.is_whole = true};
    is_covered(covers, count, body, vertex, &ray);
    return ray.lowest < 0.0f;
}

// Sends the ray along the normal.
static bool is_covered(const Cover *covers, int count, const SimRenderMesh *body, int vertex, Ray *ray) {
    bool covered = false;
    glm_vec3_copy((float *)body->positions[vertex], ray->from);
    glm_vec3_copy((float *)body->normals[vertex], ray->way);
    for (int k = 0; k < count && (!covered || ray->is_whole); k++) {
        const float deepest = ray->is_whole ? DEEP : behind(covers[k].most);
        if (covers[k].mesh != body && scan(&covers[k], ray, -deepest, covers[k].most)) covered = true;
    }
    return covered;
}

// Whether the ray meets a triangle between near and far.
static bool scan(const Cover *cover, Ray *ray, float near, float far) {
    bool found = false;
    vec3 box[2];
    box_of_ray(ray, near, far, box);
    if (!glm_aabb_aabb(box, (vec3 *)cover->box)) return false;
    for (float at = near; at < far && (!found || ray->is_whole); at += cover->cell)
        if (scan_cells(cover, ray, at, fminf(at + cover->cell, far))) found = true;
    return found;
}

static void box_of_ray(const Ray *ray, float near, float far, vec3 out_box[2]) {
    vec3 from, to;
    glm_vec3_copy((float *)ray->from, from);
    glm_vec3_copy((float *)ray->from, to);
    glm_vec3_muladds((float *)ray->way, near, from);
    glm_vec3_muladds((float *)ray->way, far, to);
    glm_vec3_minv(from, to, out_box[0]);
    glm_vec3_maxv(from, to, out_box[1]);
}

// Whether the ray meets a triangle in the cells of this stretch of it.
static bool scan_cells(const Cover *cover, Ray *ray, float near, float far) {
    vec3 box[2];
    int cells[2][3];
    bool found = false;
    box_of_ray(ray, near, far, box);
    cells_of(cover, box, cells);
    for (int x = cells[0][0]; x <= cells[1][0]; x++)
        for (int y = cells[0][1]; y <= cells[1][1]; y++)
            for (int z = cells[0][2]; z <= cells[1][2] && (!found || ray->is_whole); z++)
                if (scan_cell(cover, ray, cover->first[hash_cell(cover, x, y, z)])) found = true;
    return found;
}

// Whether one of the triangles from that entry on is met.
static bool scan_cell(const Cover *cover, Ray *ray, int entry) {
    bool found = false;
    for (; entry >= 0 && (!found || ray->is_whole); entry = cover->entries[entry].next)
        if (meets(cover, ray, cover->entries[entry].triangle)) found = true;
    return found;
}

// Whether a line of sight meets the triangle, or another ray does from behind, within reach (T. Moeller and
// B. Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", 1997).
static bool meets(const Cover *cover, Ray *ray, int triangle) {
    const uint32_t *corners = cover->mesh->triangles[triangle];
    const float(*positions)[3] = cover->mesh->positions;
    vec3 right, left, across, away, turned;
    glm_vec3_sub((float *)positions[corners[1]], (float *)positions[corners[0]], right);
    glm_vec3_sub((float *)positions[corners[2]], (float *)positions[corners[0]], left);
    glm_vec3_cross(ray->way, left, across);
    const float volume = glm_vec3_dot(right, across);
    if (ray->is_sight ? volume == 0.0f : volume >= 0.0f) return false; // edge-on, or seen from the front
    glm_vec3_sub(ray->from, (float *)positions[corners[0]], away);
    const float u = glm_vec3_dot(away, across) / volume;
    glm_vec3_cross(away, right, turned);
    const float v = glm_vec3_dot(ray->way, turned) / volume;
    if (u < 0.0f || v < 0.0f || u + v > 1.0f) return false;
    const float above = glm_vec3_dot(left, turned) / volume;
    if (ray->is_sight) return above >= 0.0f && above <= SIGHT;
    const float reach = (1.0f - u - v) * cover->reach[corners[0]] + u * cover->reach[corners[1]] +
                        v * cover->reach[corners[2]];
    const float deepest = ray->is_whole ? DEEP : ray->is_skin ? behind(reach) : 0.0f;
    if (above < -deepest || above > reach) return false;
    ray->lowest = fminf(ray->lowest, above);
    return true;
}

static void leave_out(SimRenderMesh *body, const Hiding *hidings, uint32_t (*kept)[3]) {
    int count = 0;
    for (int t = 0; t < body->triangle_count; t++)
        if (!is_left_out(body->triangles[t], hidings))
            memcpy(kept[count++], body->triangles[t], sizeof *kept);
    body->triangles = (const uint32_t(*)[3])kept;
    body->triangle_count = count;
}

static bool is_left_out(const uint32_t corners[3], const Hiding *hidings) {
    return !hidings[corners[0]].is_seen && !hidings[corners[1]].is_seen && !hidings[corners[2]].is_seen;
}
