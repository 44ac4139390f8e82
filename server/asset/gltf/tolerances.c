#include "gltf/tolerances.h"

#include "gltf/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SCALE 256.0 // of the shares
#define HALVINGS   4     // of the last doubling of the scale
#define ROUNDING   0.999 // of the bounds, for what readers compute in floats

typedef struct Place {
    double position[3], rotation[4];
} Place;

// A take as its keys give it, beside what it was.
typedef struct Trial {
    const AssetShot *shot;
    const AssetTake *take;
    const AssetTolerance *shares;
    int nodes;
    int *frames, *stack; // [frame_count], for asset_curve_keys
    SimTransform *found; // [frame_count * nodes]
    Place *places[2];    // [nodes] of one frame in the world, as it was and as found
} Trial;

static bool set_shares(const AssetShot *shot, const AssetTake *take, AssetTolerance *out_tolerances);
static double longest_offset(const AssetTake *take, int node);
static int parent_of(const AssetTake *take, int node);
static double largest_scale(Trial *trial);
static bool holds(Trial *trial, double scale);
static void reduce(Trial *trial, int node, AssetCurvePart part, double error);
static void place_nodes(const Trial *trial, const SimTransform *frame, Place *places);
static Place place_below(const Place *parent, const SimTransform *local);
static bool is_near(const Trial *trial, int node);

bool asset_tolerances_find(const AssetShot *shot, const AssetTake *take, AssetTolerance *out_tolerances) {
    const size_t nodes = (size_t)take->rig->bone_count + 1, frames = (size_t)take->frame_count;
    if (!set_shares(shot, take, out_tolerances)) return false;
    if (shot->position_error <= 0.0 || shot->rotation_error <= 0.0) return true;
    Trial trial = {.shot = shot, .take = take, .shares = out_tolerances, .nodes = (int)nodes};
    trial.frames = malloc(frames * sizeof *trial.frames);
    trial.stack = malloc(frames * sizeof *trial.stack);
    trial.found = malloc(frames * nodes * sizeof *trial.found);
    for (int i = 0; i < 2; i++) trial.places[i] = malloc(nodes * sizeof *trial.places[i]);
    const bool allocated = trial.frames && trial.stack && trial.found && trial.places[0] && trial.places[1];
    const double scale = allocated ? largest_scale(&trial) : 1.0;
    for (size_t node = 0; node < nodes; node++) {
        out_tolerances[node].position *= scale;
        out_tolerances[node].rotation *= scale;
    }
    free(trial.frames);
    free(trial.stack);
    free(trial.found);
    for (int i = 0; i < 2; i++) free(trial.places[i]);
    return allocated;
}

// Errors add up from the root to a leaf. With n nodes on the longest way through a node, each node may turn
// by a share of 1 / n; each may move its descendants by 1 / n, half of it by its own place and half by its
// turning what is `reach` away at most.
static bool set_shares(const AssetShot *shot, const AssetTake *take, AssetTolerance *out_tolerances) {
    const int count = take->rig->bone_count + 1;
    int *above = calloc((size_t)count, sizeof *above), *below = calloc((size_t)count, sizeof *below);
    double *reach = calloc((size_t)count, sizeof *reach);
    const bool allocated = above && below && reach;
    for (int node = 1; allocated && node < count; node++) above[node] = above[parent_of(take, node)] + 1;
    for (int node = count - 1; allocated && node >= 0; node--) {
        const double share = 1.0 / (above[node] + below[node] + 1);
        out_tolerances[node].position = 0.5 * share * shot->position_error;
        out_tolerances[node].rotation = share * shot->rotation_error;
        if (reach[node] > 0.0)
            out_tolerances[node].rotation =
                fmin(out_tolerances[node].rotation, out_tolerances[node].position / reach[node]);
        if (node == 0) break;
        const int parent = parent_of(take, node);
        if (below[parent] < below[node] + 1) below[parent] = below[node] + 1;
        reach[parent] = fmax(reach[parent], reach[node] + longest_offset(take, node));
    }
    free(above);
    free(below);
    free(reach);
    return allocated;
}

static double longest_offset(const AssetTake *take, int node) {
    double most = 0.0;
    for (int i = 0; i < take->frame_count; i++) {
        const float *at =
            take->transforms[(size_t)i * ((size_t)take->rig->bone_count + 1) + (size_t)node].position;
        most = fmax(most, sqrt((double)at[0] * (double)at[0] + (double)at[1] * (double)at[1] +
                               (double)at[2] * (double)at[2]));
    }
    return most;
}

static int parent_of(const AssetTake *take, int node) {
    return take->rig->bones[node - 1].parent + 1;
}

// Doubles the shares while they hold, then halves what is left.
static double largest_scale(Trial *trial) {
    double scale = 1.0, step = 2.0;
    while (scale < MOST_SCALE && holds(trial, 2.0 * scale)) scale *= 2.0;
    for (int i = 0; i < HALVINGS; i++) {
        step = sqrt(step);
        if (holds(trial, scale * step)) scale *= step;
    }
    return scale;
}

static bool holds(Trial *trial, double scale) {
    const AssetTake *take = trial->take;
    for (int node = 0; node < trial->nodes; node++) {
        reduce(trial, node, ASSET_CURVE_POSITION, scale * trial->shares[node].position);
        reduce(trial, node, ASSET_CURVE_ROTATION, scale * trial->shares[node].rotation);
    }
    for (int i = 0; i < take->frame_count; i++) {
        const size_t first = (size_t)i * (size_t)trial->nodes;
        place_nodes(trial, take->transforms + first, trial->places[0]);
        place_nodes(trial, trial->found + first, trial->places[1]);
        for (int node = 0; node < trial->nodes; node++)
            if (!is_near(trial, node)) return false;
    }
    return true;
}

// Fills in one curve of `found`.
static void reduce(Trial *trial, int node, AssetCurvePart part, double error) {
    const AssetTake *take = trial->take;
    const AssetCurve curve = {take->transforms + node, take->frame_count, trial->nodes, part};
    const int count = asset_curve_keys(&curve, error, trial->frames, trial->stack);
    int key = 0;
    for (int i = 0; i < take->frame_count; i++) {
        while (key + 1 < count && trial->frames[key + 1] <= i) key++;
        const int next = key + 1 < count ? key + 1 : key;
        double value[4];
        asset_curve_value(&curve, trial->frames[key], trial->frames[next], i, value);
        SimTransform *found = &trial->found[(size_t)i * (size_t)trial->nodes + (size_t)node];
        for (int j = 0; j < 4; j++) {
            if (part == ASSET_CURVE_ROTATION) found->rotation[j] = (float)value[j];
            if (part == ASSET_CURVE_POSITION && j < 3) found->position[j] = (float)value[j];
        }
    }
}

static void place_nodes(const Trial *trial, const SimTransform *frame, Place *places) {
    static const Place origin = {.rotation = {0.0, 0.0, 0.0, 1.0}};
    for (int node = 0; node < trial->nodes; node++)
        places[node] = place_below(node > 0 ? &places[parent_of(trial->take, node)] : &origin, &frame[node]);
}

static Place place_below(const Place *parent, const SimTransform *local) {
    const double *q = parent->rotation;
    Place place;
    double p[3], r[4], turned[3];
    for (int i = 0; i < 3; i++) p[i] = (double)local->position[i];
    for (int i = 0; i < 4; i++) r[i] = (double)local->rotation[i];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        turned[i] = 2.0 * (q[j] * p[k] - q[k] * p[j]);
        place.rotation[i] = q[3] * r[i] + r[3] * q[i] + q[j] * r[k] - q[k] * r[j];
    }
    place.rotation[3] = q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        place.position[i] =
            parent->position[i] + p[i] + q[3] * turned[i] + q[j] * turned[k] - q[k] * turned[j];
    }
    return place;
}

static bool is_near(const Trial *trial, int node) {
    const Place *was = &trial->places[0][node], *is = &trial->places[1][node];
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double off = was->position[i] - is->position[i];
        sum += off * off;
    }
    return sqrt(sum) <= ROUNDING * trial->shot->position_error &&
           asset_angle(was->rotation, is->rotation) <= ROUNDING * trial->shot->rotation_error;
}
