// Crossings, and untangling by intersection contour minimization (Volino and Magnenat-Thalmann, Resolving
// Surface Collisions through Intersection Contour Minimization, 2006).
#include "garment/crossings.h"

#include <cglm/vec3.h>
#include <math.h>

#define SLANT 1e-3f // least sine of the angle between an edge and a triangle that says where the way out is

// The search under way.
typedef struct Search {
    const SimMesh *mesh;
    const SimMeshBoxes *boxes;
    float (*positions)[3];
    SimCrossings *crossings;
} Search;

static void find_between(void *context, const SimPatch *one, const SimPatch *other);
static void find_edges(const Search *search, const SimPatch *edges, const SimPatch *triangles);
static bool passes_through(float (*x)[3], const int edge[2], const int triangle[3]);
static float volume(const float *a, const float *b, const float *c, const float *d);
static bool way_out(const SimMesh *mesh, const SimCrossing *crossing, float (*x)[3], vec3 out);
static float mean_of(const float *values, const int *indices, int count);

void sim_crossings_find(const SimMesh *mesh, const SimPatchPairs *pairs, SimMeshBoxes *boxes,
                        float (*positions)[3], SimCrossings *out_crossings) {
    Search search = {mesh, boxes, positions, out_crossings};
    out_crossings->count = 0;
    sim_mesh_fit(mesh, positions, positions, 0.0f, pairs, boxes);
    sim_mesh_pairs(mesh, boxes, find_between, &search);
}

void sim_crossings_shorten(const SimMesh *mesh, const SimCrossings *crossings, float (*from)[3],
                           const float *inverse_mass, float step, float (*positions)[3]) {
    for (int i = 0; i < crossings->count; i++) {
        const int *edge = mesh->edges[crossings->items[i].edge].ends;
        const int *triangle = mesh->triangles[crossings->items[i].triangle];
        const float light = mean_of(inverse_mass, edge, 2), other = mean_of(inverse_mass, triangle, 3);
        vec3 way;
        if (!(light + other > 0.0f) || !way_out(mesh, &crossings->items[i], from, way)) continue;
        for (int k = 0; k < 2; k++)
            if (inverse_mass[edge[k]] > 0.0f)
                glm_vec3_muladds(way, step * light / (light + other), positions[edge[k]]);
        for (int k = 0; k < 3; k++)
            if (inverse_mass[triangle[k]] > 0.0f)
                glm_vec3_muladds(way, -step * other / (light + other), positions[triangle[k]]);
    }
}

static void find_between(void *context, const SimPatch *one, const SimPatch *other) {
    find_edges(context, one, other);
    find_edges(context, other, one);
}

static void find_edges(const Search *search, const SimPatch *edges, const SimPatch *triangles) {
    const SimMesh *mesh = search->mesh;
    SimCrossings *crossings = search->crossings;
    for (int i = edges->first_edge; i < edges->first_edge + edges->edge_count; i++) {
        if (!sim_boxes_meet(&search->boxes->edges[i], &search->boxes->nodes[triangles->node])) continue;
        for (int k = 0; k < triangles->triangle_count; k++) {
            const int t = triangles->first_triangle + k, *ends = mesh->edges[i].ends;
            if (!sim_boxes_meet(&search->boxes->edges[i], &search->boxes->triangles[t])) continue;
            if (crossings->count == crossings->most) return;
            if (sim_mesh_touches(mesh, ends, 2, mesh->triangles[t], 3)) continue;
            if (passes_through(search->positions, ends, mesh->triangles[t]))
                crossings->items[crossings->count++] = (SimCrossing){i, t};
        }
    }
}

// The ends are on both sides of the triangle's plane, and the line between them passes its sides in one
// sense. Passing through a side counts, too.
static bool passes_through(float (*x)[3], const int edge[2], const int triangle[3]) {
    const float *p = x[edge[0]], *q = x[edge[1]];
    const float *a = x[triangle[0]], *b = x[triangle[1]], *c = x[triangle[2]];
    const float one = volume(a, b, c, p), other = volume(a, b, c, q);
    if (!((one > 0.0f && other < 0.0f) || (one < 0.0f && other > 0.0f))) return false;
    const float ab = volume(p, q, a, b), bc = volume(p, q, b, c), ca = volume(p, q, c, a);
    return (ab >= 0.0f && bc >= 0.0f && ca >= 0.0f) || (ab <= 0.0f && bc <= 0.0f && ca <= 0.0f);
}

// Six times the tetrahedron's.
static float volume(const float *a, const float *b, const float *c, const float *d) {
    vec3 ab, ac, ad, normal;
    glm_vec3_sub((float *)b, (float *)a, ab);
    glm_vec3_sub((float *)c, (float *)a, ac);
    glm_vec3_sub((float *)d, (float *)a, ad);
    glm_vec3_cross(ab, ac, normal);
    return glm_vec3_dot(normal, ad);
}

// The way of the edge, seen from the triangle, on which the line along which the triangles at the edge pass
// through this one gets shorter: R - N (R . E) / (N . E), R the sum of the unit vectors from the crossing
// along that line, E the edge's direction, N the normal. Of unit length where the line ends here or bends
// much.
static bool way_out(const SimMesh *mesh, const SimCrossing *crossing, float (*x)[3], vec3 out) {
    const SimMeshEdge *edge = &mesh->edges[crossing->edge];
    const int *triangle = mesh->triangles[crossing->triangle];
    vec3 ab, ac, normal, along;
    glm_vec3_sub(x[triangle[1]], x[triangle[0]], ab);
    glm_vec3_sub(x[triangle[2]], x[triangle[0]], ac);
    glm_vec3_crossn(ab, ac, normal);
    glm_vec3_sub(x[edge->ends[1]], x[edge->ends[0]], along);
    glm_vec3_normalize(along);
    const float slant = glm_vec3_dot(along, normal);
    if (!(fabsf(slant) > SLANT)) return false;
    glm_vec3_zero(out);
    for (int i = 0; i < 2 && edge->beside[i] >= 0; i++) {
        vec3 inwards, across, line;
        glm_vec3_sub(x[edge->beside[i]], x[edge->ends[0]], inwards);
        glm_vec3_cross(along, inwards, across);
        glm_vec3_crossn(across, normal, line);
        glm_vec3_muladds(along, -glm_vec3_dot(inwards, along), inwards);
        glm_vec3_muladds(line, glm_vec3_dot(line, inwards) < 0.0f ? -1.0f : 1.0f, out);
    }
    glm_vec3_muladds(normal, -glm_vec3_dot(out, along) / slant, out);
    const float length = glm_vec3_norm(out);
    glm_vec3_scale(out, 1.0f / sqrtf(length * length + 0.01f), out);
    return true;
}

static float mean_of(const float *values, const int *indices, int count) {
    float sum = 0.0f;
    for (int i = 0; i < count; i++) sum += values[indices[i]];
    return sum / (float)count;
}
