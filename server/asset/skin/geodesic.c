// Solves the eikonal equation |grad d| = 1 by first-order upwind differences (J. A. Sethian, "A fast marching
// level set method for monotonically advancing fronts", 1996), with buckets in place of a heap. A voxel that
// gets nearer later is visited again, so the order within a bucket does not matter.
#include "skin/geodesic.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS      8 // ahead of the front, in a ring: a step is at most one voxel
#define BUCKET_WIDTH 0.5f
#define TOLERANCE    1e-5f
#define SEED_RADIUS  0.87f // voxels: half a voxel's diagonal

typedef struct Front {
    int heads[BUCKETS]; // the first voxel of each bucket, -1: none
    int current;        // counts on; modulo BUCKETS
    int queued;
} Front;

static int seed(SkinGeodesic *geodesic, Front *front, const AssetBoneSegment *segment);
static void push(SkinGeodesic *geodesic, Front *front, int voxel);
static float arrival(const SkinGeodesic *geodesic, int voxel);

bool skin_geodesic_init(SkinGeodesic *geodesic, const SkinVoxels *voxels) {
    const size_t count = (size_t)voxels->count;
    *geodesic = (SkinGeodesic){
        .voxels = voxels,
        .neighbours = malloc(count * sizeof *geodesic->neighbours),
        .distances = malloc(count * sizeof *geodesic->distances),
        .next = malloc(count * sizeof *geodesic->next),
        .is_queued = calloc(count, sizeof *geodesic->is_queued),
    };
    if (!geodesic->neighbours || !geodesic->distances || !geodesic->next || !geodesic->is_queued)
        return false;
    const int steps[3] = {1, voxels->size[0], voxels->size[0] * voxels->size[1]};
    for (int i = 0; i < voxels->count; i++) // the border is empty: no neighbour is off the grid
        for (int k = 0; k < 6; k++)
            geodesic->neighbours[i][k] = voxels->index[voxels->cells[i] + (k % 2 ? 1 : -1) * steps[k / 2]];
    return true;
}

void skin_geodesic_finish(SkinGeodesic *geodesic) {
    free(geodesic->neighbours);
    free(geodesic->distances);
    free(geodesic->next);
    free(geodesic->is_queued);
    *geodesic = (SkinGeodesic){0};
}

int skin_geodesic_spread(SkinGeodesic *geodesic, const AssetBindDef *def, int bone) {
    Front front = {0};
    for (int i = 0; i < BUCKETS; i++) front.heads[i] = -1;
    for (int i = 0; i < geodesic->voxels->count; i++) geodesic->distances[i] = INFINITY;
    int seeds = 0;
    for (int i = 0; i < def->segment_count; i++)
        if (def->segments[i].bone == bone) seeds += seed(geodesic, &front, &def->segments[i]);
    while (front.queued > 0) {
        const int bucket = front.current % BUCKETS, voxel = front.heads[bucket];
        if (voxel < 0) {
            front.current++;
            continue;
        }
        front.heads[bucket] = geodesic->next[voxel];
        front.queued--;
        geodesic->is_queued[voxel] = false;
        for (int k = 0; k < 6; k++) {
            const int neighbour = geodesic->neighbours[voxel][k];
            if (neighbour < 0 || geodesic->distances[neighbour] <= geodesic->distances[voxel]) continue;
            const float distance = arrival(geodesic, neighbour);
            if (distance >= geodesic->distances[neighbour] - TOLERANCE) continue;
            geodesic->distances[neighbour] = distance;
            if (!geodesic->is_queued[neighbour]) push(geodesic, &front, neighbour);
        }
    }
    return seeds;
}

float skin_geodesic_distance(const SkinGeodesic *geodesic, const float point[3]) {
    const SkinVoxels *voxels = geodesic->voxels;
    vec3 place, share;
    int low[3];
    skin_voxels_place(voxels, point, place);
    for (int k = 0; k < 3; k++) {
        low[k] = (int)floorf(place[k] - 0.5f);
        share[k] = place[k] - 0.5f - (float)low[k];
    }
    float sum = 0.0f, weights = 0.0f;
    for (int corner = 0; corner < 8; corner++) {
        int at[3];
        float weight = 1.0f;
        for (int k = 0; k < 3; k++) {
            const int far = corner >> k & 1;
            at[k] = low[k] + far;
            weight *= far ? share[k] : 1.0f - share[k];
        }
        const int voxel = skin_voxels_at(voxels, at);
        if (voxel < 0 || isinf(geodesic->distances[voxel])) continue;
        sum += weight * geodesic->distances[voxel];
        weights += weight;
    }
    return weights > 0.0f ? sum / weights * voxels->cell : INFINITY;
}

float skin_segment_distance(vec3 point, vec3 from, vec3 to) {
    vec3 way, ahead, nearest;
    glm_vec3_sub(to, from, way);
    glm_vec3_sub(point, from, ahead);
    const float length = glm_vec3_norm2(way);
    const float share = length > 0.0f ? glm_clamp(glm_vec3_dot(ahead, way) / length, 0.0f, 1.0f) : 0.0f;
    glm_vec3_lerp(from, to, share, nearest);
    return glm_vec3_distance(point, nearest);
}

// Sets out from the voxels that a segment passes through.
static int seed(SkinGeodesic *geodesic, Front *front, const AssetBoneSegment *segment) {
    const SkinVoxels *voxels = geodesic->voxels;
    vec3 from, to;
    int low[3], high[3], at[3], seeds = 0;
    skin_voxels_place(voxels, segment->from, from);
    skin_voxels_place(voxels, segment->to, to);
    for (int k = 0; k < 3; k++) {
        low[k] = (int)glm_clamp(floorf(fminf(from[k], to[k]) - 1.0f), 0.0f, (float)voxels->size[k] - 1.0f);
        high[k] = (int)glm_clamp(floorf(fmaxf(from[k], to[k]) + 1.0f), 0.0f, (float)voxels->size[k] - 1.0f);
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                const int voxel = skin_voxels_at(voxels, at);
                if (voxel < 0) continue;
                vec3 center = {(float)at[0] + 0.5f, (float)at[1] + 0.5f, (float)at[2] + 0.5f};
                const float distance = skin_segment_distance(center, from, to);
                if (distance > SEED_RADIUS) continue;
                seeds++;
                geodesic->distances[voxel] = fminf(geodesic->distances[voxel], distance);
                if (!geodesic->is_queued[voxel]) push(geodesic, front, voxel);
            }
        }
    }
    return seeds;
}

static void push(SkinGeodesic *geodesic, Front *front, int voxel) {
    int bucket = (int)(geodesic->distances[voxel] / BUCKET_WIDTH);
    if (bucket < front->current) bucket = front->current;
    geodesic->next[voxel] = front->heads[bucket % BUCKETS];
    front->heads[bucket % BUCKETS] = voxel;
    geodesic->is_queued[voxel] = true;
    front->queued++;
}

// When the front arrives at a voxel, by the nearer neighbour along each axis.
static float arrival(const SkinGeodesic *geodesic, int voxel) {
    float along[3];
    for (int k = 0; k < 3; k++) {
        const int before = geodesic->neighbours[voxel][2 * k], after = geodesic->neighbours[voxel][2 * k + 1];
        const float a = before < 0 ? INFINITY : geodesic->distances[before];
        const float b = after < 0 ? INFINITY : geodesic->distances[after];
        along[k] = fminf(a, b);
    }
    const float low = fminf(along[0], fminf(along[1], along[2]));
    const float high = fmaxf(along[0], fmaxf(along[1], along[2]));
    const float middle = fmaxf(fminf(along[0], along[1]), fminf(fmaxf(along[0], along[1]), along[2]));
    if (low + 1.0f <= middle) return low + 1.0f;
    const float apart = middle - low;
    const float two = 0.5f * (low + middle + sqrtf(2.0f - apart * apart));
    if (two <= high) return two;
    const float sum = low + middle + high, squares = low * low + middle * middle + high * high;
    return (sum + sqrtf(fmaxf(0.0f, sum * sum - 3.0f * (squares - 1.0f)))) / 3.0f;
}
