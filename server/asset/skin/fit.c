// Brings a bound mesh to the shape of another body.
#include "asset/skin.h"
#include "cache.h"
#include "data.h"
#include "skin/weld.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define FORMAT      1     // to be counted up when the same definition gets another result
#define PULLS       24    // steps towards the shapes
#define SOFT_PULLS  18    // of these, the first ones take the neighbours along
#define NEAR_ENOUGH 1e-4f // m

typedef struct Tuck {
    const AssetTuckDef *def;
    SkinWeld weld;
    float (*places)[3]; // [place_count]
    float (*pulls)[3];
    float (*smoothed)[3];
} Tuck;

static uint64_t tuck_key(const AssetBindDef *mesh, const AssetTuckDef *def, const float (*positions)[3]);
static bool compute(const AssetBindDef *mesh, const AssetTuckDef *def, float (*positions)[3]);
static bool pull(Tuck *tuck, bool softly);
static void smooth_pulls(Tuck *tuck);

void asset_skin_move(const AssetBindDef *mesh, const uint16_t (*joints)[SIM_INFLUENCES],
                     const float (*weights)[SIM_INFLUENCES], const mat4 *matrices,
                     float (*out_positions)[3]) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        vec3 sum = {0.0f, 0.0f, 0.0f};
        for (int k = 0; k < SIM_INFLUENCES; k++) {
            vec3 moved;
            if (weights[i][k] == 0.0f) continue;
            glm_mat4_mulv3((vec4 *)matrices[joints[i][k]], (float *)mesh->positions[i], 1.0f, moved);
            glm_vec3_muladds(moved, weights[i][k], sum);
        }
        glm_vec3_copy(sum, out_positions[i]);
    }
}

bool asset_skin_tuck(const AssetBindDef *mesh, const AssetTuckDef *def, const char *cache,
                     float (*positions)[3], AssetError *out_error) {
    const uint64_t key = tuck_key(mesh, def, (const float(*)[3])positions);
    const size_t positions_size = (size_t)mesh->vertex_count * sizeof *positions;
    size_t size = 0;
    void *content = asset_cache_read(cache, key, &size);
    const bool found = content && size == positions_size;
    if (found) memcpy(positions, content, size);
    free(content);
    if (found) return true;
    if (!compute(mesh, def, positions)) return asset_fail(out_error, "out of memory");
    asset_cache_write(cache, key, positions, positions_size);
    return true;
}

static uint64_t tuck_key(const AssetBindDef *mesh, const AssetTuckDef *def, const float (*positions)[3]) {
    const int numbers[] = {FORMAT, mesh->vertex_count, mesh->triangle_count, def->shape_count};
    const float lengths[] = {def->blend, def->margin};
    uint64_t hash = text_hash(TEXT_HASH_BEGIN, "tuck", 4);
    hash = text_hash(hash, numbers, sizeof numbers);
    hash = text_hash(hash, lengths, sizeof lengths);
    hash = text_hash(hash, positions, (size_t)mesh->vertex_count * sizeof *positions);
    hash = text_hash(hash, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    hash = text_hash(hash, def->shares, (size_t)mesh->vertex_count * sizeof *def->shares);
    return text_hash(hash, def->shapes, (size_t)def->shape_count * sizeof *def->shapes);
}

static bool compute(const AssetBindDef *mesh, const AssetTuckDef *def, float (*positions)[3]) {
    Tuck tuck = {.def = def};
    bool done = skin_weld_init(&tuck.weld, mesh);
    const size_t places = (size_t)tuck.weld.place_count;
    if (done) {
        tuck.places = malloc(places * sizeof *tuck.places);
        tuck.pulls = malloc(places * sizeof *tuck.pulls);
        tuck.smoothed = malloc(places * sizeof *tuck.smoothed);
        done = tuck.places && tuck.pulls && tuck.smoothed;
    }
    if (done) {
        for (size_t i = 0; i < places; i++) glm_vec3_copy(positions[tuck.weld.vertices[i]], tuck.places[i]);
        for (int i = 0; i < PULLS && pull(&tuck, i < SOFT_PULLS); i++) {
        }
        for (int i = 0; i < mesh->vertex_count; i++)
            glm_vec3_lerp(positions[i], tuck.places[tuck.weld.place_of[i]], def->shares[i], positions[i]);
    }
    free(tuck.places);
    free(tuck.pulls);
    free(tuck.smoothed);
    skin_weld_finish(&tuck.weld);
    return done;
}

// False when nothing stands out any more.
static bool pull(Tuck *tuck, bool softly) {
    const AssetTuckDef *def = tuck->def;
    float most = 0.0f;
    for (int i = 0; i < tuck->weld.place_count; i++) {
        vec3 outward;
        glm_vec3_zero(tuck->pulls[i]);
        if (def->shares[tuck->weld.vertices[i]] == 0.0f) continue;
        const float distance =
            asset_shapes_distance(def->shapes, def->shape_count, def->blend, tuck->places[i], outward);
        if (distance <= def->margin) continue;
        glm_vec3_scale(outward, def->margin - distance, tuck->pulls[i]);
        most = fmaxf(most, distance - def->margin);
    }
    if (softly) smooth_pulls(tuck);
    for (int i = 0; i < tuck->weld.place_count; i++)
        glm_vec3_add(tuck->places[i], tuck->pulls[i], tuck->places[i]);
    return most > NEAR_ENOUGH;
}

static void smooth_pulls(Tuck *tuck) {
    const SkinWeld *weld = &tuck->weld;
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < weld->place_count; i++) {
            const int first = weld->starts[i], count = weld->starts[i + 1] - first;
            vec3 sum = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < count; k++) glm_vec3_add(sum, tuck->pulls[weld->neighbours[first + k]], sum);
            if (count) glm_vec3_scale(sum, 1.0f / (float)count, sum);
            glm_vec3_lerp(tuck->pulls[i], sum, count ? 0.5f : 0.0f, tuck->smoothed[i]);
        }
        float(*swapped)[3] = tuck->pulls;
        tuck->pulls = tuck->smoothed;
        tuck->smoothed = swapped;
    }
}
