// A tree of boxes, from the patches up, and the list of pairs that it leads to.
//
// Smooth parts are left out of the list until it is made again. Particles that move by a fifth of an edge
// turn it by less than 30 degrees; so a part whose normals were within 60 degrees of one direction does not
// meet itself meanwhile.
#include "garment/mesh_search.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#define FOLD_COSINE 0.5f // of the angle between all normals of a part without a fold and their middle
#define PAIRS_EACH  16   // room for them, by patch
#define WAY         0.2f // of an edge: so far a particle may move before the pairs are listed anew
#define REACH       0.5f // thicknesses by which boxes are widened at most

typedef struct Search {
    const SimMesh *mesh;
    const SimMeshBoxes *boxes;
    SimPatchPair *call;
    void *context;
} Search;

// The pairs under way.
typedef struct Listing {
    const SimMesh *mesh;
    SimPatchPairs *pairs;
} Listing;

static void fit_particles(const SimMesh *mesh, float (*from)[3], float (*to)[3], float share, float way,
                          SimBox *out);
static void fit_tree(const SimMesh *mesh, float (*from)[3], float (*to)[3], SimMeshBoxes *boxes);
static SimBox box_of(const SimBox *boxes, const int *indices, int count);
static void include_normals(const SimPatch *patch, float (*points)[3], SimBox *normals);
static void search_tree(const Search *search);
static void add_pair(void *context, const SimPatch *one, const SimPatch *other);
static void search_within(const Search *search, int node);
static void search_between(const Search *search, int one, int other);
static bool is_smooth_block(const Search *search, int one, int other);
static bool is_smooth(const SimBox *normals);

static const SimBox nothing = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

void sim_mesh_allocate_boxes(SimArena *arena, const SimMesh *mesh, SimMeshBoxes *out_boxes) {
    out_boxes->particles = sim_arena_alloc(arena, (size_t)mesh->particle_count, sizeof(SimBox));
    out_boxes->edges = sim_arena_alloc(arena, (size_t)mesh->edge_count, sizeof(SimBox));
    out_boxes->triangles = sim_arena_alloc(arena, (size_t)mesh->triangle_count, sizeof(SimBox));
    out_boxes->nodes = sim_arena_alloc(arena, (size_t)mesh->node_count, sizeof(SimBox));
    out_boxes->normals = sim_arena_alloc(arena, (size_t)mesh->node_count, sizeof(SimBox));
}

void sim_mesh_allocate_pairs(SimArena *arena, const SimMesh *mesh, SimPatchPairs *out_pairs) {
    out_pairs->most = PAIRS_EACH * mesh->patch_count;
    out_pairs->items = sim_arena_alloc(arena, (size_t)out_pairs->most, sizeof *out_pairs->items);
    out_pairs->valid = sim_arena_alloc(arena, (size_t)mesh->particle_count, sizeof(SimBox));
}

void sim_mesh_list_pairs(const SimMesh *mesh, SimMeshBoxes *boxes, float (*from)[3], float (*to)[3],
                         SimPatchPairs *out_pairs) {
    Listing listing = {mesh, out_pairs};
    const Search search = {mesh, boxes, add_pair, &listing};
    fit_particles(mesh, from, to, 0.0f, WAY, out_pairs->valid);
    fit_particles(mesh, from, to, REACH, WAY, boxes->particles);
    fit_tree(mesh, from, to, boxes);
    out_pairs->count = 0, out_pairs->complete = true;
    search_tree(&search);
}

bool sim_mesh_pairs_hold(const SimMesh *mesh, const SimPatchPairs *pairs, float (*positions)[3]) {
    bool hold = true;
    for (int p = 0; p < mesh->particle_count; p++)
        for (int k = 0; k < 3; k++)
            hold &=
                (pairs->valid[p].low[k] <= positions[p][k]) & (positions[p][k] <= pairs->valid[p].high[k]);
    return hold;
}

void sim_mesh_fit(const SimMesh *mesh, float (*from)[3], float (*to)[3], float share,
                  const SimPatchPairs *pairs, SimMeshBoxes *boxes) {
    boxes->pairs = pairs;
    fit_particles(mesh, from, to, share, 0.0f, boxes->particles);
    for (int i = 0; i < mesh->edge_count; i++)
        boxes->edges[i] = box_of(boxes->particles, mesh->edges[i].ends, 2);
    for (int i = 0; i < mesh->triangle_count; i++)
        boxes->triangles[i] = box_of(boxes->particles, mesh->triangles[i], 3);
    if (!pairs->complete)
        fit_tree(mesh, from, to, boxes);
    else
        for (int i = 0; i < mesh->patch_count; i++)
            boxes->nodes[mesh->patches[i].node] = box_of(boxes->particles, mesh->patches[i].corners, 4);
}

void sim_mesh_pairs(const SimMesh *mesh, const SimMeshBoxes *boxes, SimPatchPair *call, void *context) {
    if (!boxes->pairs->complete) {
        search_tree(&(Search){mesh, boxes, call, context});
        return;
    }
    for (int i = 0; i < boxes->pairs->count; i++) {
        const int *pair = boxes->pairs->items[i];
        const SimPatch *one = &mesh->patches[pair[0]], *other = &mesh->patches[pair[1]];
        if (sim_boxes_meet(&boxes->nodes[one->node], &boxes->nodes[other->node])) call(context, one, other);
    }
}

// share: of the thickness, way: of an edge.
static void fit_particles(const SimMesh *mesh, float (*from)[3], float (*to)[3], float share, float way,
                          SimBox *out) {
    for (int s = 0; s < mesh->sheet_count; s++) {
        const float margin = share * mesh->sheets[s].thickness + way * mesh->sheets[s].edge;
        const int end = s + 1 < mesh->sheet_count ? mesh->sheets[s + 1].first : mesh->particle_count;
        for (int p = mesh->sheets[s].first; p < end; p++)
            for (int k = 0; k < 3; k++) {
                const float a = from[p][k], b = to[p][k];
                out[p].low[k] = (a < b ? a : b) - margin;
                out[p].high[k] = (a < b ? b : a) + margin;
            }
    }
}

static void fit_tree(const SimMesh *mesh, float (*from)[3], float (*to)[3], SimMeshBoxes *boxes) {
    for (int i = 0; i < mesh->node_count; i++) {
        const SimMeshNode *node = &mesh->nodes[i];
        if (node->patch < 0) {
            boxes->nodes[i] = box_of(boxes->nodes, node->children, node->child_count);
            boxes->normals[i] = box_of(boxes->normals, node->children, node->child_count);
            continue;
        }
        const SimPatch *patch = &mesh->patches[node->patch];
        boxes->nodes[i] = box_of(boxes->particles, patch->corners, 4);
        boxes->normals[i] = nothing;
        include_normals(patch, from, &boxes->normals[i]);
        if (to != from) include_normals(patch, to, &boxes->normals[i]);
    }
}

static void search_tree(const Search *search) {
    const SimMesh *mesh = search->mesh;
    for (int i = 0; i < mesh->sheet_count; i++) {
        search_within(search, mesh->sheets[i].root);
        for (int k = 0; k < i; k++) search_between(search, mesh->sheets[k].root, mesh->sheets[i].root);
    }
}

static void add_pair(void *context, const SimPatch *one, const SimPatch *other) {
    const Listing *listing = context;
    SimPatchPairs *pairs = listing->pairs;
    pairs->complete = pairs->complete && pairs->count < pairs->most;
    if (!pairs->complete) return;
    pairs->items[pairs->count][0] = (int)(one - listing->mesh->patches);
    pairs->items[pairs->count++][1] = (int)(other - listing->mesh->patches);
}

static SimBox box_of(const SimBox *boxes, const int *indices, int count) {
    SimBox box = boxes[indices[0]];
    for (int i = 1; i < count; i++) {
        const SimBox *part = &boxes[indices[i]];
        for (int k = 0; k < 4; k++) {
            box.low[k] = part->low[k] < box.low[k] ? part->low[k] : box.low[k];
            box.high[k] = part->high[k] > box.high[k] ? part->high[k] : box.high[k];
        }
    }
    return box;
}

// Of its triangles. A chain's has two equal sides: its normal is 0, which no direction is near to.
static void include_normals(const SimPatch *patch, float (*points)[3], SimBox *normals) {
    float *a = points[patch->corners[0]], *b = points[patch->corners[1]], *c = points[patch->corners[2]],
          *d = points[patch->corners[3]];
    vec3 ac, ab, db, dc, normal[2];
    glm_vec3_sub(c, a, ac);
    glm_vec3_sub(b, a, ab);
    glm_vec3_sub(b, d, db);
    glm_vec3_sub(c, d, dc);
    glm_vec3_crossn(ac, ab, normal[0]);
    glm_vec3_crossn(db, dc, normal[1]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            if (normal[i][k] < normals->low[k]) normals->low[k] = normal[i][k];
            if (normal[i][k] > normals->high[k]) normals->high[k] = normal[i][k];
        }
}

static void search_within(const Search *search, int number) {
    const SimMeshNode *node = &search->mesh->nodes[number];
    if (is_smooth(&search->boxes->normals[number])) return;
    for (int i = 0; i < node->child_count; i++) {
        search_within(search, node->children[i]);
        for (int k = 0; k < i; k++) search_between(search, node->children[k], node->children[i]);
    }
}

static void search_between(const Search *search, int one, int other) {
    const SimMesh *mesh = search->mesh;
    if (!sim_boxes_meet(&search->boxes->nodes[one], &search->boxes->nodes[other])) return;
    const SimMeshNode *a = &mesh->nodes[one], *b = &mesh->nodes[other];
    if (a->sheet == b->sheet && is_smooth_block(search, one, other)) return;
    if (a->patch >= 0 && b->patch >= 0) {
        search->call(search->context, &mesh->patches[a->patch], &mesh->patches[b->patch]);
        return;
    }
    const int ones = a->patch >= 0 ? 1 : a->child_count, others = b->patch >= 0 ? 1 : b->child_count;
    for (int i = 0; i < ones; i++)
        for (int k = 0; k < others; k++)
            search_between(search, a->patch >= 0 ? one : a->children[i],
                           b->patch >= 0 ? other : b->children[k]);
}

// Whether two nodes of one level are neighbours and smooth together with those between them: the two others
// of four that meet at a corner.
static bool is_smooth_block(const Search *search, int one, int other) {
    const SimMeshNode *a = &search->mesh->nodes[one], *b = &search->mesh->nodes[other];
    const int rows = b->row - a->row, columns = b->column - a->column;
    if (abs(rows) > 1 || (abs(columns) > 1 && !(a->ring && abs(columns) == a->width - 1))) return false;
    const int block[4] = {one, other, one + columns, one + rows * a->width};
    const SimBox normals = box_of(search->boxes->normals, block, 4);
    return is_smooth(&normals);
}

// Whether the normals are near one direction: then the cloth does not meet itself.
static bool is_smooth(const SimBox *normals) {
    vec3 middle;
    float least = 0.0f;
    for (int k = 0; k < 3; k++) {
        middle[k] = normals->low[k] + normals->high[k];
        least += middle[k] * (middle[k] > 0.0f ? normals->low[k] : normals->high[k]);
    }
    return least > FOLD_COSINE * glm_vec3_norm(middle);
}
