#include "gltf/animation.h"

#include "gltf/keys.h"
#include "gltf/tolerances.h"

#include <stdlib.h>

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
    AssetTolerance *tolerances = calloc((size_t)take->rig->bone_count + 1, sizeof *tolerances);
    if (writer.frames && writer.stack && writer.times && writer.values && tolerances &&
        asset_tolerances_find(shot, take, tolerances)) {
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
