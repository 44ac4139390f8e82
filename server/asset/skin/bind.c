// Weights from distances: a bone's share falls with a power of its distance, relative to the nearest bone.
#include "asset/skin.h"
#include "cache.h"
#include "data.h"
#include "skin/geodesic.h"
#include "skin/weld.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define FORMAT         1        // to be counted up when the same definition gets other weights
#define FARTHEST       1e4f     // m, of a vertex from the origin
#define MOST_WORK      60000000 // filled voxels times bones
#define LEAST_SHARE    0.01f    // of the nearest bone's: what is below counts as none
#define SMOOTHINGS     3
#define LEAST_DISTANCE 0.5f // voxels: nearer than that all is the same

typedef struct Binding {
    const AssetBindDef *def;
    SkinWeld weld;
    SkinVoxels voxels;
    SkinGeodesic geodesic;
    float *weights; // [bone_count][place_count]: distances, then shares
    float *scratch; // [place_count]
} Binding;

static uint64_t definition_key(const AssetBindDef *def);
static bool compute(const AssetBindDef *def, uint16_t (*out_joints)[SIM_INFLUENCES],
                    float (*out_weights)[SIM_INFLUENCES], AssetError *out_error);
static bool check(const AssetBindDef *def, AssetError *out_error);
static bool check_mesh(const AssetBindDef *def, AssetError *out_error);
static bool check_segments(const AssetBindDef *def, AssetError *out_error);
static bool prepare(Binding *binding, AssetError *out_error);
static bool measure_distances(Binding *binding, AssetError *out_error);
static void measure_straight(Binding *binding, int place);
static void weigh(Binding *binding);
static void smooth(Binding *binding);
static void pick_heaviest(const Binding *binding, int place, uint16_t out_joints[SIM_INFLUENCES],
                          float out_weights[SIM_INFLUENCES]);

bool asset_bind(const AssetBindDef *def, const char *cache, uint16_t (*out_joints)[SIM_INFLUENCES],
                float (*out_weights)[SIM_INFLUENCES], AssetError *out_error) {
    if (!check(def, out_error)) return false;
    const size_t joints_size = (size_t)def->vertex_count * sizeof *out_joints;
    const size_t weights_size = (size_t)def->vertex_count * sizeof *out_weights;
    const uint64_t key = definition_key(def);
    size_t size = 0;
    char *content = asset_cache_read(cache, key, &size);
    const bool found = content && size == joints_size + weights_size;
    if (found) {
        memcpy(out_joints, content, joints_size);
        memcpy(out_weights, content + joints_size, weights_size);
    }
    free(content);
    if (found) return true;
    if (!compute(def, out_joints, out_weights, out_error)) return false;
    content = malloc(joints_size + weights_size);
    if (!content) return true;
    memcpy(content, out_joints, joints_size);
    memcpy(content + joints_size, out_weights, weights_size);
    asset_cache_write(cache, key, content, joints_size + weights_size);
    free(content);
    return true;
}

static uint64_t definition_key(const AssetBindDef *def) {
    const int numbers[] = {FORMAT,          def->vertex_count, def->triangle_count, def->segment_count,
                           def->bone_count, def->resolution};
    uint64_t hash = text_hash(TEXT_HASH_BEGIN, "bind", 4);
    hash = text_hash(hash, numbers, sizeof numbers);
    hash = text_hash(hash, &def->sharpness, sizeof def->sharpness);
    hash = text_hash(hash, def->positions, (size_t)def->vertex_count * sizeof *def->positions);
    hash = text_hash(hash, def->triangles, (size_t)def->triangle_count * sizeof *def->triangles);
    return text_hash(hash, def->segments, (size_t)def->segment_count * sizeof *def->segments);
}

static bool compute(const AssetBindDef *def, uint16_t (*out_joints)[SIM_INFLUENCES],
                    float (*out_weights)[SIM_INFLUENCES], AssetError *out_error) {
    Binding binding = {.def = def};
    const bool done = prepare(&binding, out_error) && measure_distances(&binding, out_error);
    if (done) {
        weigh(&binding);
        smooth(&binding);
        for (int i = 0; i < def->vertex_count; i++)
            pick_heaviest(&binding, binding.weld.place_of[i], out_joints[i], out_weights[i]);
    }
    free(binding.weights);
    free(binding.scratch);
    skin_geodesic_finish(&binding.geodesic);
    skin_voxels_finish(&binding.voxels);
    skin_weld_finish(&binding.weld);
    return done;
}

static bool check(const AssetBindDef *def, AssetError *out_error) {
    if (def->vertex_count < 3 || def->vertex_count > ASSET_MOST_VERTICES)
        return asset_fail(out_error, "expected 3 to %d vertices, found %d", ASSET_MOST_VERTICES,
                          def->vertex_count);
    if (def->triangle_count < 1 || def->triangle_count > ASSET_MOST_TRIANGLES)
        return asset_fail(out_error, "expected 1 to %d triangles, found %d", ASSET_MOST_TRIANGLES,
                          def->triangle_count);
    if (def->bone_count < 1 || def->bone_count > ASSET_MOST_BINDING_BONES)
        return asset_fail(out_error, "expected 1 to %d bones, found %d", ASSET_MOST_BINDING_BONES,
                          def->bone_count);
    if ((double)def->vertex_count * def->bone_count > ASSET_MOST_WEIGHTS)
        return asset_fail(out_error, "expected at most %d vertices times bones, found %d times %d",
                          ASSET_MOST_WEIGHTS, def->vertex_count, def->bone_count);
    if (def->resolution < ASSET_LEAST_RESOLUTION || def->resolution > ASSET_MOST_RESOLUTION)
        return asset_fail(out_error, "expected a resolution of %d to %d voxels, found %d",
                          ASSET_LEAST_RESOLUTION, ASSET_MOST_RESOLUTION, def->resolution);
    if (!(def->sharpness >= 1.0f && def->sharpness <= 16.0f))
        return asset_fail(out_error, "expected a sharpness of 1 to 16, found %g", (double)def->sharpness);
    return check_mesh(def, out_error) && check_segments(def, out_error);
}

static bool check_mesh(const AssetBindDef *def, AssetError *out_error) {
    for (int i = 0; i < def->vertex_count; i++) {
        for (int k = 0; k < 3; k++)
            if (!(fabsf(def->positions[i][k]) <= FARTHEST))
                return asset_fail(out_error, "vertex %d: expected positions within %g m, found %g", i + 1,
                                  (double)FARTHEST, (double)def->positions[i][k]);
    }
    float area = 0.0f;
    for (int i = 0; i < def->triangle_count; i++) {
        const uint32_t *triangle = def->triangles[i];
        for (int k = 0; k < 3; k++)
            if (triangle[k] >= (uint32_t)def->vertex_count)
                return asset_fail(out_error, "triangle %d: no vertex %u among %d", i + 1, triangle[k] + 1,
                                  def->vertex_count);
        vec3 along, across, normal;
        glm_vec3_sub((float *)def->positions[triangle[1]], (float *)def->positions[triangle[0]], along);
        glm_vec3_sub((float *)def->positions[triangle[2]], (float *)def->positions[triangle[0]], across);
        glm_vec3_cross(along, across, normal);
        area += glm_vec3_norm(normal);
    }
    return area > 0.0f || asset_fail(out_error, "its %d triangles have no area", def->triangle_count);
}

static bool check_segments(const AssetBindDef *def, AssetError *out_error) {
    if (def->segment_count < 1)
        return asset_fail(out_error, "no bone is inside the mesh: expected one at least");
    for (int i = 0; i < def->segment_count; i++) {
        const AssetBoneSegment *segment = &def->segments[i];
        for (int k = 0; k < 3; k++)
            if (!(fabsf(segment->from[k]) <= FARTHEST && fabsf(segment->to[k]) <= FARTHEST))
                return asset_fail(out_error, "bone \"%s\": expected ends within %g m",
                                  def->bone_names[segment->bone], (double)FARTHEST);
    }
    return true;
}

static bool prepare(Binding *binding, AssetError *out_error) {
    const AssetBindDef *def = binding->def;
    if (!skin_weld_init(&binding->weld, def)) return asset_fail(out_error, "out of memory");
    if (!skin_voxels_init(&binding->voxels, def, out_error)) return false;
    if ((double)binding->voxels.count * def->bone_count > MOST_WORK)
        return asset_fail(
            out_error, "at a resolution of %d the mesh fills %d voxels, %d at most for %d bones",
            def->resolution, binding->voxels.count, MOST_WORK / def->bone_count, def->bone_count);
    const size_t places = (size_t)binding->weld.place_count;
    binding->weights = malloc(places * (size_t)def->bone_count * sizeof *binding->weights);
    binding->scratch = malloc(places * sizeof *binding->scratch);
    if (!binding->weights || !binding->scratch || !skin_geodesic_init(&binding->geodesic, &binding->voxels))
        return asset_fail(out_error, "out of memory");
    return true;
}

static bool measure_distances(Binding *binding, AssetError *out_error) {
    const AssetBindDef *def = binding->def;
    const SkinWeld *weld = &binding->weld;
    const size_t places = (size_t)weld->place_count;
    for (int bone = 0; bone < def->bone_count; bone++) {
        float *distances = binding->weights + (size_t)bone * places;
        bool has_segment = false;
        for (int i = 0; i < def->segment_count; i++) has_segment |= def->segments[i].bone == bone;
        for (size_t i = 0; i < places; i++) distances[i] = INFINITY;
        if (!has_segment) continue;
        if (skin_geodesic_spread(&binding->geodesic, def, bone) == 0) {
            const char *name = def->bone_names[bone];
            if (weld->open_edges == 0)
                return asset_fail(out_error, "bone \"%s\" is outside of the mesh", name);
            return asset_fail(out_error,
                              "bone \"%s\" is outside of the mesh, which is open: %d of its edges have one "
                              "triangle",
                              name, weld->open_edges);
        }
        for (size_t i = 0; i < places; i++)
            distances[i] = skin_geodesic_distance(&binding->geodesic, def->positions[weld->vertices[i]]);
    }
    for (int i = 0; i < weld->place_count; i++) measure_straight(binding, i);
    return true;
}

// A part of the mesh that no bone reaches, such as an eye in front of its socket, goes with the bone that is
// nearest straight away.
static void measure_straight(Binding *binding, int place) {
    const AssetBindDef *def = binding->def;
    const size_t places = (size_t)binding->weld.place_count;
    float *distances = binding->weights + place;
    for (int bone = 0; bone < def->bone_count; bone++)
        if (!isinf(distances[(size_t)bone * places])) return;
    float *point = (float *)def->positions[binding->weld.vertices[place]];
    int nearest = 0;
    float least = INFINITY;
    for (int i = 0; i < def->segment_count; i++) {
        const float distance =
            skin_segment_distance(point, (float *)def->segments[i].from, (float *)def->segments[i].to);
        if (distance >= least) continue;
        least = distance;
        nearest = def->segments[i].bone;
    }
    distances[(size_t)nearest * places] = least;
}

static void weigh(Binding *binding) {
    const int bone_count = binding->def->bone_count;
    const size_t places = (size_t)binding->weld.place_count;
    const float closest = LEAST_DISTANCE * binding->voxels.cell;
    for (size_t i = 0; i < places; i++) {
        float *values = binding->weights + i, nearest = INFINITY, sum = 0.0f;
        for (int bone = 0; bone < bone_count; bone++)
            nearest = fminf(nearest, fmaxf(closest, values[(size_t)bone * places]));
        for (int bone = 0; bone < bone_count; bone++) {
            float *value = &values[(size_t)bone * places];
            const float share = powf(nearest / fmaxf(closest, *value), binding->def->sharpness);
            *value = fmaxf(0.0f, share - LEAST_SHARE); // continuous
            sum += *value;
        }
        for (int bone = 0; bone < bone_count; bone++) values[(size_t)bone * places] /= sum;
    }
}

// Each place half way to the mean of its neighbours; sums of weights stay 1.
static void smooth(Binding *binding) {
    const SkinWeld *weld = &binding->weld;
    for (int bone = 0; bone < binding->def->bone_count; bone++) {
        float *values = binding->weights + (size_t)bone * (size_t)weld->place_count;
        for (int pass = 0; pass < SMOOTHINGS; pass++) {
            for (int i = 0; i < weld->place_count; i++) {
                const int first = weld->starts[i], count = weld->starts[i + 1] - first;
                float sum = 0.0f;
                for (int k = 0; k < count; k++) sum += values[weld->neighbours[first + k]];
                binding->scratch[i] = count ? 0.5f * (values[i] + sum / (float)count) : values[i];
            }
            memcpy(values, binding->scratch, (size_t)weld->place_count * sizeof *values);
        }
    }
}

static void pick_heaviest(const Binding *binding, int place, uint16_t out_joints[SIM_INFLUENCES],
                          float out_weights[SIM_INFLUENCES]) {
    const size_t places = (size_t)binding->weld.place_count;
    float sum = 0.0f;
    memset(out_joints, 0, SIM_INFLUENCES * sizeof *out_joints);
    memset(out_weights, 0, SIM_INFLUENCES * sizeof *out_weights);
    for (int bone = 0; bone < binding->def->bone_count; bone++) {
        const float weight = binding->weights[(size_t)bone * places + (size_t)place];
        int at = SIM_INFLUENCES;
        while (at > 0 && weight > out_weights[at - 1]) at--;
        if (at == SIM_INFLUENCES || weight < LEAST_SHARE) continue;
        for (int k = SIM_INFLUENCES - 1; k > at; k--) {
            out_weights[k] = out_weights[k - 1];
            out_joints[k] = out_joints[k - 1];
        }
        out_weights[at] = weight;
        out_joints[at] = (uint16_t)bone;
    }
    for (int k = 0; k < SIM_INFLUENCES; k++) sum += out_weights[k];
    for (int k = 0; k < SIM_INFLUENCES; k++) out_weights[k] /= sum;
}
