// Offsets a fine surface to both sides and closes it by a rounded rim.
#include "shape/cage_surface.h"

#include "shape/flatten.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

enum { RIM = 4 }; // quads round the rim

// A point of the fine surface with the uvs of one side of a cut.
typedef struct Vertex {
    int point, next; // next: the vertex of the same point with other uvs, or -1
    float uv[2], inner_uv[2];
    float beyond[2]; // on the border: the direction of uv away from the surface
    ScriptPlace place;
} Vertex;

typedef struct Build {
    const ScriptSurfaceDef *def;
    ScriptFineSurface fine;
    Vertex *vertices;    // [vertex_count], one side
    int (*corners)[4];   // [fine.quad_count] vertices
    int *first_vertices; // [fine.point_count], then by `next`
    int *rims;           // [vertex_count] index of the first of RIM + 1 vertices, or -1
    float (*outward)[3]; // [fine.point_count] on the border: away from the surface
    int vertex_count, rim_count;
    bool has_inner, has_outer, has_rim;
} Build;

static bool cut_at_uvs(ScriptArena *arena, Build *build);
static void set_uv(const ScriptSurfaceDef *def, const ScriptPlace *place, float out_uv[2]);
static int vertex_of(Build *build, int point, const float uv[2], const ScriptPlace *place);
static bool lay_flat(ScriptArena *arena, Build *build);
static bool lay_side_flat(ScriptArena *arena, Build *build, const ScriptFineSurface *cut, float side);
static bool find_rims(ScriptArena *arena, Build *build);
static void add_beyond(Vertex *vertex, const float inner[2]);
static bool allocate(ScriptArena *arena, const Build *build, ScriptSurface *out);
static void add_side(const Build *build, float sign, ScriptSurface *out);
static void add_quad(ScriptSurface *out, int a, int b, int c, int d);
static void add_rim(const Build *build, ScriptSurface *out);
static int add_rim_vertices(const Build *build, const Vertex *vertex, ScriptSurface *out);
static float thickness_at(const ScriptSurfaceDef *def, const ScriptPlace *place);

bool script_surface_make(ScriptArena *arena, const ScriptSurfaceDef *def, ScriptSurface *out_surface) {
    Build build = {.def = def};
    bool is_sheet = true;
    for (int i = 0; i < def->cage.point_count; i++) is_sheet = is_sheet && def->thickness[i] == 0.0f;
    build.has_outer = def->sides != SCRIPT_SIDES_INNER;
    build.has_inner = !is_sheet && def->sides != SCRIPT_SIDES_OUTER;
    build.has_rim = !is_sheet && build.has_outer;
    if (!script_subdivide(arena, &def->cage, def->levels, &build.fine) || !cut_at_uvs(arena, &build) ||
        !lay_flat(arena, &build) || !find_rims(arena, &build) || !allocate(arena, &build, out_surface))
        return false;
    if (build.has_outer) add_side(&build, 1.0f, out_surface);
    if (build.has_inner) add_side(&build, -1.0f, out_surface);
    if (build.has_rim) add_rim(&build, out_surface);
    return true;
}

// A point gets one vertex for each of its uvs.
static bool cut_at_uvs(ScriptArena *arena, Build *build) {
    const ScriptFineSurface *fine = &build->fine;
    build->vertices = script_arena_alloc(arena, (size_t)fine->quad_count * 4, sizeof *build->vertices);
    build->corners = script_arena_alloc(arena, (size_t)fine->quad_count, sizeof *build->corners);
    build->first_vertices = script_arena_alloc(arena, (size_t)fine->point_count, sizeof(int));
    if (!build->vertices || !build->corners || !build->first_vertices) return false;
    memset(build->first_vertices, -1, (size_t)fine->point_count * sizeof(int));
    for (int i = 0; i < fine->quad_count * 4; i++) {
        const ScriptPlace *place = &fine->places[i / 4][i % 4];
        float uv[2];
        set_uv(build->def, place, uv);
        build->corners[i / 4][i % 4] = vertex_of(build, fine->quads[i / 4][i % 4], uv, place);
    }
    return true;
}

static void set_uv(const ScriptSurfaceDef *def, const ScriptPlace *place, float out_uv[2]) {
    float shares[4];
    script_place_shares(place, shares);
    out_uv[0] = out_uv[1] = 0.0f;
    for (int i = 0; i < 4 && def->uvs; i++)
        for (int k = 0; k < 2; k++) out_uv[k] += shares[i] * def->uvs[place->quad][i][k];
}

static int vertex_of(Build *build, int point, const float uv[2], const ScriptPlace *place) {
    int vertex = build->first_vertices[point];
    for (; vertex >= 0; vertex = build->vertices[vertex].next)
        if (fabsf(build->vertices[vertex].uv[0] - uv[0]) + fabsf(build->vertices[vertex].uv[1] - uv[1]) <
            1e-4f)
            return vertex;
    build->vertices[build->vertex_count] =
        (Vertex){.point = point, .next = build->first_vertices[point], .uv = {uv[0], uv[1]}, .place = *place};
    build->first_vertices[point] = build->vertex_count;
    return build->vertex_count++;
}

// Each side has its own lengths, which are others than the middle's where cloth is bent sharply.
static bool lay_flat(ScriptArena *arena, Build *build) {
    const ScriptSurfaceDef *def = build->def;
    ScriptFineSurface cut = build->fine;
    for (int i = 0; i < build->vertex_count; i++)
        memcpy(build->vertices[i].inner_uv, build->vertices[i].uv, sizeof build->vertices[i].uv);
    if (!def->flatten || !def->uvs) return true;
    const ScriptCage pattern = {def->pattern, def->cage.quads, def->cage.point_count, def->cage.quad_count};
    if (def->pattern && !script_subdivide(arena, &pattern, def->levels, &cut)) return false;
    return (!build->has_outer || lay_side_flat(arena, build, &cut, 1.0f)) &&
           (!build->has_inner || lay_side_flat(arena, build, &cut, -1.0f));
}

static bool lay_side_flat(ScriptArena *arena, Build *build, const ScriptFineSurface *cut, float side) {
    const size_t count = (size_t)build->vertex_count;
    float(*points)[3] = script_arena_alloc(arena, count, sizeof *points);
    float(*uvs)[2] = script_arena_alloc(arena, count, sizeof *uvs);
    if (!points || !uvs) return false;
    for (size_t i = 0; i < count; i++) {
        const Vertex *vertex = &build->vertices[i];
        const float off = side * thickness_at(build->def, &vertex->place) / 2.0f;
        glm_vec3_copy(cut->points[vertex->point], points[i]);
        glm_vec3_muladds(cut->normals[vertex->point], off, points[i]);
        memcpy(uvs[i], vertex->inner_uv, sizeof uvs[i]);
    }
    const ScriptFinePanels panels = {.corners = (const int(*)[4])build->corners,
                                     .points = (const float(*)[3])points,
                                     .quad_count = build->fine.quad_count,
                                     .vertex_count = build->vertex_count,
                                     .levels = build->def->levels};
    if (!script_flatten_fine(arena, &panels, uvs)) return false;
    for (size_t i = 0; i < count; i++)
        memcpy(side > 0.0f ? build->vertices[i].uv : build->vertices[i].inner_uv, uvs[i], sizeof uvs[i]);
    return true;
}

static bool find_rims(ScriptArena *arena, Build *build) {
    const ScriptFineSurface *fine = &build->fine;
    build->rims = script_arena_alloc(arena, (size_t)build->vertex_count, sizeof(int));
    build->outward = script_arena_alloc(arena, (size_t)fine->point_count, sizeof *build->outward);
    if (!build->rims || !build->outward) return false;
    for (int i = 0; i < fine->border_count; i++) {
        const int quad = fine->borders[i].quad,
                  ends[2] = {fine->borders[i].side, (fine->borders[i].side + 1) % 4};
        const int *points = fine->quads[quad];
        vec3 along;
        glm_vec3_sub(fine->points[points[ends[1]]], fine->points[points[ends[0]]], along);
        for (int k = 0; k < 2; k++) {
            const int point = points[ends[k]], vertex = build->corners[quad][ends[k]];
            vec3 away;
            glm_vec3_cross(along, fine->normals[point], away);
            glm_vec3_normalize(away);
            glm_vec3_add(build->outward[point], away, build->outward[point]);
            add_beyond(&build->vertices[vertex],
                       build->vertices[build->corners[quad][(ends[k] + (k == 0 ? 3 : 1)) % 4]].uv);
            if (!build->rims[vertex]) build->rim_count++;
            build->rims[vertex] = -1;
        }
    }
    memset(build->rims, -1, (size_t)build->vertex_count * sizeof(int));
    for (int i = 0; i < fine->point_count; i++) glm_vec3_normalize(build->outward[i]);
    return true;
}

// inner: the uv across the quad from the border.
static void add_beyond(Vertex *vertex, const float inner[2]) {
    const float across[2] = {vertex->uv[0] - inner[0], vertex->uv[1] - inner[1]};
    const float length = hypotf(across[0], across[1]);
    for (int i = 0; i < 2 && length > 0.0f; i++) vertex->beyond[i] += across[i] / length;
}

static bool allocate(ScriptArena *arena, const Build *build, ScriptSurface *out) {
    const int sides = build->has_outer + build->has_inner;
    const int rim_vertices = build->has_rim ? build->rim_count * (RIM + 1) : 0;
    const int rim_quads = build->has_rim ? build->fine.border_count * RIM : 0;
    const size_t vertices = (size_t)(sides * build->vertex_count + rim_vertices);
    const size_t triangles = (size_t)(sides * build->fine.quad_count + rim_quads) * 2;
    *out = (ScriptSurface){.positions = script_arena_alloc(arena, vertices, sizeof *out->positions),
                           .normals = script_arena_alloc(arena, vertices, sizeof *out->normals),
                           .uvs = script_arena_alloc(arena, vertices, sizeof *out->uvs),
                           .places = script_arena_alloc(arena, vertices, sizeof *out->places),
                           .triangles = script_arena_alloc(arena, triangles, sizeof *out->triangles)};
    return out->positions && out->normals && out->uvs && out->places && out->triangles;
}

static void add_side(const Build *build, float sign, ScriptSurface *out) {
    const ScriptFineSurface *fine = &build->fine;
    const int first = out->vertex_count;
    for (int i = 0; i < build->vertex_count; i++) {
        const Vertex *vertex = &build->vertices[i];
        const int at = out->vertex_count++;
        glm_vec3_scale(fine->normals[vertex->point], sign, out->normals[at]);
        glm_vec3_copy(fine->points[vertex->point], out->positions[at]);
        glm_vec3_muladds(out->normals[at], thickness_at(build->def, &vertex->place) / 2.0f,
                         out->positions[at]);
        memcpy(out->uvs[at], sign > 0.0f ? vertex->uv : vertex->inner_uv, sizeof vertex->uv);
        out->places[at] = vertex->place;
    }
    for (int i = 0; i < fine->quad_count; i++) {
        const int *corners = build->corners[i];
        const int second = corners[sign > 0.0f ? 1 : 3], fourth = corners[sign > 0.0f ? 3 : 1];
        add_quad(out, first + corners[0], first + second, first + corners[2], first + fourth);
    }
}

// Cut along the shorter diagonal.
static void add_quad(ScriptSurface *out, int a, int b, int c, int d) {
    float(*at)[3] = out->positions;
    const bool other = glm_vec3_distance2(at[b], at[d]) < glm_vec3_distance2(at[a], at[c]);
    const uint32_t corners[6] = {(uint32_t)a, (uint32_t)b, (uint32_t)(other ? d : c),
                                 (uint32_t)c, (uint32_t)d, (uint32_t)(other ? b : a)};
    memcpy(out->triangles[out->triangle_count], corners, sizeof corners);
    out->triangle_count += 2;
}

static void add_rim(const Build *build, ScriptSurface *out) {
    const ScriptFineSurface *fine = &build->fine;
    for (int i = 0; i < fine->border_count; i++) {
        const int quad = fine->borders[i].quad, side = fine->borders[i].side;
        int rims[2];
        for (int k = 0; k < 2; k++) {
            const int vertex = build->corners[quad][(side + k) % 4];
            if (build->rims[vertex] < 0)
                build->rims[vertex] = add_rim_vertices(build, &build->vertices[vertex], out);
            rims[k] = build->rims[vertex];
        }
        for (int k = 0; k < RIM; k++)
            add_quad(out, rims[1] + k, rims[0] + k, rims[0] + k + 1, rims[1] + k + 1);
    }
}

// Half a circle from the outer to the inner side. The uvs go on round it, so that a weave does.
static int add_rim_vertices(const Build *build, const Vertex *vertex, ScriptSurface *out) {
    const int first = out->vertex_count;
    const float radius = thickness_at(build->def, &vertex->place) / 2.0f;
    const float length = hypotf(vertex->beyond[0], vertex->beyond[1]);
    for (int i = 0; i <= RIM; i++) {
        const float angle = (float)i / RIM * GLM_PIf;
        const int at = out->vertex_count++;
        glm_vec3_scale(build->fine.normals[vertex->point], cosf(angle), out->normals[at]);
        glm_vec3_muladds(build->outward[vertex->point], sinf(angle), out->normals[at]);
        glm_vec3_copy(build->fine.points[vertex->point], out->positions[at]);
        glm_vec3_muladds(out->normals[at], radius, out->positions[at]);
        for (int k = 0; k < 2; k++)
            out->uvs[at][k] =
                vertex->uv[k] + (length > 0.0f ? radius * angle * vertex->beyond[k] / length : 0.0f);
        out->places[at] = vertex->place;
    }
    return first;
}

static float thickness_at(const ScriptSurfaceDef *def, const ScriptPlace *place) {
    float shares[4], thickness = 0.0f;
    script_place_shares(place, shares);
    for (int i = 0; i < 4; i++) thickness += shares[i] * def->thickness[def->cage.quads[place->quad][i]];
    return thickness;
}
