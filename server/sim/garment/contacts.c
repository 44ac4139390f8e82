// Contacts as linear constraints about the nearest points before a substep (Bridson et al., Robust Treatment
// of Collisions, Contact and Friction for Cloth Animation, 2002).
#include "garment/contacts.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define NEAR_AT_REST 0.7f // share of the distance at rest
#define LOOK_AHEAD   1.2f // thicknesses: what is a little farther than one may come nearer while sweeping

// The search under way.
typedef struct Search {
    const SimMesh *mesh;
    const SimMeshBoxes *boxes;
    float (*from)[3], (*to)[3];
    float thickness, creep;
    const bool *skip;
    SimContacts *contacts;
} Search;

// Weights of two elements at which they are nearest to each other.
typedef void Weigh(float (*x)[3], const int particles[4], float out_weights[4]);

static void find_between(void *context, const SimPatch *one, const SimPatch *other);
static void find_points(const Search *search, const SimPatch *points, const SimPatch *triangles);
static void find_edges(const Search *search, const SimPatch *one, const SimPatch *other);
static void add(const Search *search, const int particles[4], int first_count, Weigh *weigh);
static bool is_skipped(const Search *search, const int *particles, int count);
static float rest_distance(const SimMesh *mesh, const int particles[4], int first_count, Weigh *weigh);
static void gap_of(float (*x)[3], const int particles[4], const float weights[4], vec3 out);
static void weigh_triangle(float (*x)[3], const int particles[4], float out_weights[4]);
static void weigh_edges(float (*x)[3], const int particles[4], float out_weights[4]);

void sim_contacts_find(const SimMesh *mesh, const SimPatchPairs *pairs, SimMeshBoxes *boxes, float (*from)[3],
                       float (*to)[3], float creep, const bool *skip, SimContacts *out_contacts) {
    Search search = {mesh, boxes, from, to, 0.0f, creep, skip, out_contacts};
    out_contacts->count = 0;
    sim_mesh_fit(mesh, from, to, 0.5f, pairs, boxes);
    sim_mesh_pairs(mesh, boxes, find_between, &search);
}

bool sim_contacts_sweep(const SimContacts *contacts, const float *inverse_mass, float slack,
                        float (*positions)[3]) {
    bool moved = false;
    for (int i = 0; i < contacts->count; i++) {
        const SimContact *contact = &contacts->items[i];
        vec3 gap;
        gap_of(positions, contact->particles, contact->weights, gap);
        const float missing = contact->target - glm_vec3_dot(gap, (float *)contact->normal);
        float shares[4], sum = 0.0f;
        for (int k = 0; k < 4; k++) {
            shares[k] = contact->weights[k] * inverse_mass[contact->particles[k]];
            sum += contact->weights[k] * shares[k];
        }
        if (!(missing > slack * contact->target) || !(sum > 0.0f)) continue;
        for (int k = 0; k < 4; k++)
            glm_vec3_muladds((float *)contact->normal, missing / sum * shares[k],
                             positions[contact->particles[k]]);
        moved = true;
    }
    return moved;
}

static void find_between(void *context, const SimPatch *one, const SimPatch *other) {
    Search *search = context;
    const SimSheet *sheets = search->mesh->sheets;
    search->thickness = 0.5f * (sheets[one->sheet].thickness + sheets[other->sheet].thickness);
    find_points(search, one, other);
    find_points(search, other, one);
    find_edges(search, one, other);
}

static void find_points(const Search *search, const SimPatch *points, const SimPatch *triangles) {
    for (int i = 0; i < points->particle_count; i++) {
        const int p = points->particles[i];
        if (!sim_boxes_meet(&search->boxes->particles[p], &search->boxes->nodes[triangles->node])) continue;
        for (int k = 0; k < triangles->triangle_count; k++) {
            const int t = triangles->first_triangle + k;
            if (!sim_boxes_meet(&search->boxes->particles[p], &search->boxes->triangles[t])) continue;
            const int *corners = search->mesh->triangles[t];
            if (sim_mesh_touches(search->mesh, &p, 1, corners, 3)) continue;
            add(search, (int[4]){p, corners[0], corners[1], corners[2]}, 1, weigh_triangle);
        }
    }
}

static void find_edges(const Search *search, const SimPatch *one, const SimPatch *other) {
    for (int i = one->first_edge; i < one->first_edge + one->edge_count; i++) {
        if (!sim_boxes_meet(&search->boxes->edges[i], &search->boxes->nodes[other->node])) continue;
        for (int k = other->first_edge; k < other->first_edge + other->edge_count; k++) {
            if (!sim_boxes_meet(&search->boxes->edges[i], &search->boxes->edges[k])) continue;
            const int *a = search->mesh->edges[i].ends, *b = search->mesh->edges[k].ends;
            if (sim_mesh_touches(search->mesh, a, 2, b, 2)) continue;
            add(search, (int[4]){a[0], a[1], b[0], b[1]}, 2, weigh_edges);
        }
    }
}

static void add(const Search *search, const int particles[4], int first_count, Weigh *weigh) {
    SimContacts *contacts = search->contacts;
    if (contacts->count == contacts->most) return;
    if (is_skipped(search, particles, first_count) &&
        is_skipped(search, particles + first_count, 4 - first_count))
        return;
    SimContact *contact = &contacts->items[contacts->count];
    memcpy(contact->particles, particles, sizeof contact->particles);
    weigh(search->from, particles, contact->weights);
    gap_of(search->from, particles, contact->weights, contact->normal);
    const float distance = glm_vec3_norm(contact->normal);
    if (!(distance > 1e-6f)) return;
    glm_vec3_scale(contact->normal, 1.0f / distance, contact->normal);
    vec3 gap;
    gap_of(search->to, particles, contact->weights, gap);
    if (glm_vec3_dot(gap, contact->normal) > LOOK_AHEAD * search->thickness) return;
    const float limit =
        fminf(search->thickness, NEAR_AT_REST * rest_distance(search->mesh, particles, first_count, weigh));
    contact->target = fminf(limit, distance + search->creep);
    contacts->count++;
}

static bool is_skipped(const Search *search, const int *particles, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) any = any || search->skip[particles[i]];
    return any;
}

// m, in the bind pose, or less across a seam.
static float rest_distance(const SimMesh *mesh, const int particles[4], int first_count, Weigh *weigh) {
    float weights[4], to_seam[2] = {HUGE_VALF, HUGE_VALF};
    vec3 gap;
    weigh(mesh->rest, particles, weights);
    gap_of(mesh->rest, particles, weights, gap);
    for (int i = 0; i < 4; i++) {
        float *least = &to_seam[i >= first_count];
        *least = fminf(*least, mesh->to_seam[particles[i]]);
    }
    return fminf(glm_vec3_norm(gap), to_seam[0] + to_seam[1]);
}

static void gap_of(float (*x)[3], const int particles[4], const float weights[4], vec3 out) {
    glm_vec3_scale(x[particles[0]], weights[0], out);
    for (int i = 1; i < 4; i++) glm_vec3_muladds(x[particles[i]], weights[i], out);
}

// The first particle and the point of the triangle of the others that is nearest to it (Ericson, Real-Time
// Collision Detection, 5.1.5).
static void weigh_triangle(float (*x)[3], const int particles[4], float out_weights[4]) {
    float *p = x[particles[0]], *a = x[particles[1]], *b = x[particles[2]], *c = x[particles[3]];
    vec3 ab, ac, ap, bp, cp;
    glm_vec3_sub(b, a, ab);
    glm_vec3_sub(c, a, ac);
    glm_vec3_sub(p, a, ap);
    glm_vec3_sub(p, b, bp);
    glm_vec3_sub(p, c, cp);
    const float d1 = glm_vec3_dot(ab, ap), d2 = glm_vec3_dot(ac, ap);
    const float d3 = glm_vec3_dot(ab, bp), d4 = glm_vec3_dot(ac, bp);
    const float d5 = glm_vec3_dot(ab, cp), d6 = glm_vec3_dot(ac, cp);
    const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    float v = 0.0f, w = 0.0f; // of b and c
    if (d1 <= 0.0f && d2 <= 0.0f) {
    } else if (d3 >= 0.0f && d4 <= d3) {
        v = 1.0f;
    } else if (d6 >= 0.0f && d5 <= d6) {
        w = 1.0f;
    } else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        w = d2 / (d2 - d6);
    } else if (va <= 0.0f && d4 >= d3 && d5 >= d6) {
        w = (d4 - d3) / (d4 - d3 + (d5 - d6));
        v = 1.0f - w;
    } else {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    out_weights[0] = 1.0f, out_weights[1] = v + w - 1.0f, out_weights[2] = -v, out_weights[3] = -w;
}

// The edges of the first two and of the last two particles (Ericson, 5.1.9).
static void weigh_edges(float (*x)[3], const int particles[4], float out_weights[4]) {
    vec3 one, other, apart;
    glm_vec3_sub(x[particles[1]], x[particles[0]], one);
    glm_vec3_sub(x[particles[3]], x[particles[2]], other);
    glm_vec3_sub(x[particles[0]], x[particles[2]], apart);
    const float a = fmaxf(glm_vec3_dot(one, one), 1e-12f), e = fmaxf(glm_vec3_dot(other, other), 1e-12f);
    const float b = glm_vec3_dot(one, other), c = glm_vec3_dot(one, apart), f = glm_vec3_dot(other, apart);
    const float across = a * e - b * b;
    float s = across > 1e-6f * a * e ? glm_clamp_zo((b * f - c * e) / across) : 0.5f; // parallel: anywhere
    float t = (b * s + f) / e;
    if (t < 0.0f || t > 1.0f) {
        t = glm_clamp_zo(t);
        s = glm_clamp_zo((b * t - c) / a);
    }
    out_weights[0] = 1.0f - s, out_weights[1] = s, out_weights[2] = t - 1.0f, out_weights[3] = -t;
}
