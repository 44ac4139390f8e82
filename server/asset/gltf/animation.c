#include "gltf/animation.h"

#include "gltf/keys.h"

#include <math.h>
#include <stdlib.h>

// How far the curves of one node may be off.
typedef struct Tolerance {
    double position, rotation; // m, radians
} Tolerance;

typedef struct Writer {
    AssetGltf *document;
    const AssetTake *take;
    cJSON *samplers, *channels; // NULL: no curve was written yet
    int channel_count;
    int first_node;
    int *frames, *stack; // [frame_count], for asset_curve_keys
    float *times;        // [frame_count], and
    float *values;       // [frame_count * 4], of the keys of one curve
    AssetShotInfo *info;
} Writer;

static bool set_tolerances(const AssetShot *shot, const AssetTake *take, Tolerance *out_tolerances);
static double longest_offset(const AssetTake *take, int node);
static int parent_of(const AssetTake *take, int node);
static void add_curve(Writer *writer, const AssetShot *shot, int node, AssetCurvePart part, double error);
static void begin_animation(Writer *writer);
static void add_channel(Writer *writer, int node, AssetCurvePart part, int input, int output);

void asset_gltf_add_animation(AssetGltf *document, const AssetShot *shot, const AssetTake *take,
                              int first_node, AssetShotInfo *info) {
    const size_t frames = (size_t)take->frame_count;
    Writer writer = {.document = document, .take = take, .first_node = first_node, .info = info};
    writer.frames = malloc(frames * sizeof *writer.frames);
    writer.stack = malloc(frames * sizeof *writer.stack);
    writer.times = malloc(frames * sizeof *writer.times);
    writer.values = malloc(frames * 4 * sizeof *writer.values);
    Tolerance *tolerances = calloc((size_t)take->rig->bone_count + 1, sizeof *tolerances);
    if (writer.frames && writer.stack && writer.times && writer.values && tolerances &&
        set_tolerances(shot, take, tolerances)) {
        for (int node = 0; node <= take->rig->bone_count; node++) {
            add_curve(&writer, shot, node, ASSET_CURVE_POSITION, tolerances[node].position);
            add_curve(&writer, shot, node, ASSET_CURVE_ROTATION, tolerances[node].rotation);
        }
    } else {
        document->failed = true;
    }
    free(writer.frames);
    free(writer.stack);
    free(writer.times);
    free(writer.values);
    free(tolerances);
}

// Errors add up from the root to a leaf. With n nodes on the longest way through a node, each node may turn
// by a share of 1 / n; each may move its descendants by 1 / n, half of it by its own place and half by its
// turning what is `reach` away at most.
static bool set_tolerances(const AssetShot *shot, const AssetTake *take, Tolerance *out_tolerances) {
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

static void add_curve(Writer *writer, const AssetShot *shot, int node, AssetCurvePart part, double error) {
    const AssetTake *take = writer->take;
    const int width = part == ASSET_CURVE_POSITION ? 3 : 4, stride = take->rig->bone_count + 1;
    const AssetCurve curve = {take->transforms + node, take->frame_count, stride, part};
    const int count = asset_curve_keys(&curve, error, writer->frames, writer->stack);
    writer->info->samples += (size_t)take->frame_count;
    if (count == 1) return; // the node stays as it is at the beginning
    writer->info->keys += (size_t)count;
    for (int i = 0; i < count; i++) {
        const SimTransform *key = &curve.frames[(size_t)writer->frames[i] * (size_t)stride];
        writer->times[i] = (float)((take->first_frame + writer->frames[i]) / shot->rate);
        for (int j = 0; j < width; j++)
            writer->values[i * width + j] =
                part == ASSET_CURVE_POSITION ? key->position[j] : key->rotation[j];
    }
    if (!writer->channels) begin_animation(writer);
    const int input = asset_gltf_accessor(writer->document, writer->times, count, 1, ASSET_GLTF_FLOAT, true);
    const int output =
        asset_gltf_accessor(writer->document, writer->values, count, width, ASSET_GLTF_FLOAT, false);
    add_channel(writer, node, part, input, output);
}

static void begin_animation(Writer *writer) {
    AssetGltf *document = writer->document;
    int index;
    cJSON *animation = asset_gltf_add(document, ASSET_GLTF_ANIMATIONS, &index);
    asset_gltf_string(document, animation, "name", writer->take->name);
    writer->samplers = asset_gltf_list(document, animation, "samplers");
    writer->channels = asset_gltf_list(document, animation, "channels");
    asset_gltf_begin_view(document, ASSET_GLTF_DATA);
}

static void add_channel(Writer *writer, int node, AssetCurvePart part, int input, int output) {
    AssetGltf *document = writer->document;
    cJSON *channel = asset_gltf_object(document, writer->channels, NULL);
    asset_gltf_number(document, channel, "sampler", writer->channel_count++);
    cJSON *target = asset_gltf_object(document, channel, "target");
    asset_gltf_number(document, target, "node", writer->first_node + node);
    asset_gltf_string(document, target, "path", part == ASSET_CURVE_POSITION ? "translation" : "rotation");
    cJSON *sampler = asset_gltf_object(document, writer->samplers, NULL);
    asset_gltf_number(document, sampler, "input", input);
    asset_gltf_number(document, sampler, "output", output);
}
