// The man's jacket as a render mesh: one surface from the neck to the hem, with a weave in true size.
#include "script/motion.h"
#include "unit_test.h"

#include <cglm/vec2.h>
#include <cglm/vec3.h>

#define MOST_OFF   0.1   // share of an edge's length by which its uvs are off, for 9 of 10 edges
#define RIGHT_SIZE 0.9   // share of the length of a mesh's edges whose uvs are off by no more
#define RIM        0.004 // m: shorter edges lie round the rim, where uvs stand still

#define WAIST    1.15f // m: the height of the cloth's first row
#define HEM      0.66f // m: of its last row
#define FULLNESS 0.2   // of characters/wake.lua

static const float gravity[3] = {0.0f, -9.81f, 0.0f};
static const SimRenderMesh *sorted_mesh;

static const SimRenderMesh *mesh_of(const Motion *motion, const char *name) {
    for (int i = 0; i < motion->rig->mesh_count; i++)
        if (strcmp(motion->rig->meshes[i].name, name) == 0) return &motion->rig->meshes[i];
    fail_msg("no mesh %s", name);
    return NULL;
}

static int compare_places(const void *a, const void *b) {
    return memcmp(sorted_mesh->positions[*(const int *)a], sorted_mesh->positions[*(const int *)b],
                  sizeof *sorted_mesh->positions);
}

static int root_of(const int *parents, int vertex) {
    while (parents[vertex] != vertex) vertex = parents[vertex];
    return vertex;
}

static void join(int *parents, int a, int b) {
    const int left = root_of(parents, a), right = root_of(parents, b);
    parents[left > right ? left : right] = left < right ? left : right;
}

// Vertices at one place belong together, as the two sides of a cut in the uvs do.
static int count_pieces(const SimRenderMesh *mesh) {
    assert_true(mesh->vertex_count > 0);
    int *parents = calloc((unsigned)mesh->vertex_count, sizeof *parents), count = 0;
    int *order = calloc((unsigned)mesh->vertex_count, sizeof *order);
    for (int i = 0; i < mesh->vertex_count; i++) parents[i] = order[i] = i;
    sorted_mesh = mesh;
    qsort(order, (size_t)mesh->vertex_count, sizeof *order, compare_places);
    for (int i = 1; i < mesh->vertex_count; i++)
        if (compare_places(&order[i - 1], &order[i]) == 0) join(parents, order[i - 1], order[i]);
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 1; k < 3; k++) join(parents, (int)mesh->triangles[i][0], (int)mesh->triangles[i][k]);
    for (int i = 0; i < mesh->vertex_count; i++) count += parents[i] == i;
    free(parents);
    free(order);
    return count;
}

static void test_one_surface_from_neck_to_hem(void **state) {
    const Motion *motion = *state;
    const SimRenderMesh *mesh = mesh_of(motion, "jacket");
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        float sum = 0.0f;
        for (int k = 0; k < SIM_MESH_JOINTS; k++) sum += mesh->weights[i][k];
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
        low = fminf(low, mesh->positions[i][1]), high = fmaxf(high, mesh->positions[i][1]);
    }
    assert_int_equal(count_pieces(mesh), 1);
    assert_true(low < 0.70f && high > 1.36f);
}

// How much wider the jacket is cut at a height than it hangs: by its fullness at the hem, not at all at the
// waist.
static double width_at(float y) {
    return 1.0 + FULLNESS * fmin(fmax((double)((WAIST - y) / (WAIST - HEM)), 0.0), 1.0);
}

// The weave is that of the cloth as it is cut. The body is no surface that can be laid flat: panels give way
// by a few percent, most at the sleeves' heads.
static void test_the_weave_has_its_size(void **state) {
    const SimRenderMesh *mesh = mesh_of(*state, "jacket");
    int edges = 0, off = 0;
    double lengths = 0.0, flat_lengths = 0.0, hem = 0.0, flat_hem = 0.0;
    for (int i = 0; i < mesh->triangle_count * 3; i++) {
        const uint32_t *triangle = mesh->triangles[i / 3], a = triangle[i % 3], b = triangle[(i + 1) % 3];
        float edge[3];
        glm_vec3_sub((float *)mesh->positions[b], (float *)mesh->positions[a], edge);
        const float middle = (mesh->positions[a][1] + mesh->positions[b][1]) / 2.0f;
        const double flat = (double)glm_vec2_distance((float *)mesh->uvs[a], (float *)mesh->uvs[b]),
                     hung = (double)glm_vec3_norm(edge),
                     cut = hypot((double)edge[1], width_at(middle) * hypot((double)edge[0], (double)edge[2]));
        if (hung < RIM) continue;
        edges++;
        off += fabs(flat / cut - 1.0) > MOST_OFF;
        lengths += cut, flat_lengths += flat;
        if (middle < HEM + 0.04f && fabs((double)edge[1]) < 0.2 * hung) hem += hung, flat_hem += flat;
    }
    if (fabs(flat_lengths / lengths - 1.0) > 0.03) fail_msg("%.3f times as long", flat_lengths / lengths);
    if (fabs(flat_hem / hem - 1.0 - FULLNESS) > 0.02)
        fail_msg("the hem is %.3f times as wide", flat_hem / hem);
    if (off * 10 > edges) fail_msg("%d of %d edges are off", off, edges);
}

// What is sewn of panels that are bent both ways: in metres, too.
static void test_weaves_have_their_size(void **state) {
    static const char *const names[] = {"jacket_hood", "jacket_collar", "jacket_lining",
                                        "shirt",       "shoes",         "trousers"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const SimRenderMesh *mesh = mesh_of(*state, names[n]);
        double lengths = 0.0, right = 0.0;
        for (int i = 0; i < mesh->triangle_count * 3; i++) {
            const uint32_t *triangle = mesh->triangles[i / 3], a = triangle[i % 3], b = triangle[(i + 1) % 3];
            const double length =
                (double)glm_vec3_distance((float *)mesh->positions[a], (float *)mesh->positions[b]);
            const double flat = (double)glm_vec2_distance((float *)mesh->uvs[a], (float *)mesh->uvs[b]);
            lengths += length;
            if (fabs(flat - length) <= MOST_OFF * length) right += length;
        }
        if (right < RIGHT_SIZE * lengths)
            fail_msg("%s: %.1f %% of the edges' length has its size", names[n], 100.0 * right / lengths);
    }
}

static void assert_same(const char *name, const char *what, const void *a, const void *b, size_t size) {
    if (memcmp(a, b, size) != 0) fail_msg("%s: %s differ between two starts", name, what);
}

// Each start hashes Lua's tables anew, so that pairs gives their keys in other orders.
static void test_two_starts_make_the_same_meshes(void **state) {
    static Motion other;
    assert_true(motion_start(&other, "characters/wake", 60, gravity));
    const SimRigInfo *first = ((const Motion *)*state)->rig, *second = other.rig;
    assert_int_equal(first->mesh_count, second->mesh_count);
    for (int i = 0; i < first->mesh_count; i++) {
        const SimRenderMesh *a = &first->meshes[i], *b = &second->meshes[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_int_equal(a->triangle_count, b->triangle_count);
        const size_t vertices = (size_t)a->vertex_count, triangles = (size_t)a->triangle_count;
        assert_same(a->name, "positions", a->positions, b->positions, vertices * sizeof *a->positions);
        assert_same(a->name, "normals", a->normals, b->normals, vertices * sizeof *a->normals);
        assert_same(a->name, "uvs", a->uvs, b->uvs, vertices * sizeof *a->uvs);
        assert_same(a->name, "joints", a->joints, b->joints, vertices * sizeof *a->joints);
        assert_same(a->name, "weights", a->weights, b->weights, vertices * sizeof *a->weights);
        assert_same(a->name, "triangles", a->triangles, b->triangles, triangles * sizeof *a->triangles);
    }
    motion_finish(&other);
}

static int begin(void **state) {
    static Motion motion;
    *state = &motion;
    return motion_start(&motion, "characters/wake", 60, gravity) ? 0 : -1;
}

static int end(void **state) {
    motion_finish(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_surface_from_neck_to_hem),
        cmocka_unit_test(test_the_weave_has_its_size),
        cmocka_unit_test(test_weaves_have_their_size),
        cmocka_unit_test(test_two_starts_make_the_same_meshes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
