// Samples a scene's animations at a uniform rate.
#define _POSIX_C_SOURCE 200809L // strdup
#include "importer/scene.h"

#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RATE           240.0
#define LEAST_RATE          10.0 // fewer keys are meant to be interpolated
#define RATE_OF_SPARSE_KEYS 30.0

typedef struct MotionReader {
    const SceneNode *nodes;
    const AssetFile *file;
    const struct aiNodeAnim **channels; // [bone_count], NULL where a bone does not move
    mat4 *matrices;                     // [bone_count] in the scene at this frame
    SimTransform *pose;                 // [bone_count] the same, rigid
    double rate;                        // frames per second
    double ticks_per_frame;             // assimp's ticks
    double frames;                      // from tick 0 to the last key
} MotionReader;

static bool are_short(MotionReader *reader, const struct aiScene *scene, AssetError *out_error);
static bool read_motion(MotionReader *reader, const struct aiAnimation *animation, AssetMotion *motion,
                        AssetError *out_error);
static void find_times(MotionReader *reader, const struct aiAnimation *animation);
static void widen(const void *keys, size_t stride, unsigned count, unsigned *most, double *span, double *end);
static void read_frame(MotionReader *reader, double tick, versor *out_rotations, float (*out_positions)[3]);
static void sample_channel(const struct aiNodeAnim *channel, const struct aiNode *node, double tick,
                           mat4 out_local);
static double key_time(const void *keys, size_t stride, unsigned at);
static void sample_vector(const struct aiVectorKey *keys, unsigned count, double tick, vec3 out_value);
static void sample_rotation(const struct aiQuatKey *keys, unsigned count, double tick, versor out_value);

bool scene_read_motions(const struct aiScene *scene, const SceneNode *nodes, AssetFile *file,
                        AssetError *out_error) {
    size_t bones = (size_t)file->bone_count;
    MotionReader reader = {.nodes = nodes, .file = file};
    reader.channels = calloc(bones, sizeof *reader.channels);
    reader.matrices = calloc(bones, sizeof *reader.matrices);
    reader.pose = calloc(bones, sizeof *reader.pose);
    file->motions = calloc(scene->mNumAnimations + 1u, sizeof *file->motions);
    bool done = reader.channels && reader.matrices && reader.pose && file->motions;
    if (!done) asset_fail(out_error, "%s: out of memory", file->path);
    done = done && are_short(&reader, scene, out_error);
    for (unsigned i = 0; done && i < scene->mNumAnimations; i++)
        done = read_motion(&reader, scene->mAnimations[i], &file->motions[file->motion_count++], out_error);
    free(reader.channels);
    free(reader.matrices);
    free(reader.pose);
    return done;
}

// Checked before any is sampled.
static bool are_short(MotionReader *reader, const struct aiScene *scene, AssetError *out_error) {
    double bone_frames = 0.0;
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        find_times(reader, scene->mAnimations[i]);
        bone_frames += (reader->frames + 1.0) * (double)reader->file->bone_count;
        if (!(bone_frames <= (double)ASSET_MOST_BONE_FRAMES))
            return asset_fail(out_error,
                              "%s: clip \"%s\" is too long: %.0f s at %.0f frames a second; "
                              "its clips together may have %.0f frames, counted for each bone",
                              reader->file->path, scene->mAnimations[i]->mName.data,
                              reader->frames / reader->rate, reader->rate, (double)ASSET_MOST_BONE_FRAMES);
    }
    return true;
}

static bool read_motion(MotionReader *reader, const struct aiAnimation *animation, AssetMotion *motion,
                        AssetError *out_error) {
    const AssetFile *file = reader->file;
    find_times(reader, animation);
    motion->name = strdup(animation->mName.data);
    motion->rate = (float)reader->rate;
    motion->frame_count = (int)lround(reader->frames) + 1;
    size_t values = (size_t)motion->frame_count * (size_t)file->bone_count;
    motion->rotations = malloc(values * sizeof *motion->rotations);
    motion->positions = malloc(values * sizeof *motion->positions);
    if (!motion->name || !motion->rotations || !motion->positions)
        return asset_fail(out_error, "%s: out of memory", file->path);
    for (int f = 0; f < motion->frame_count; f++) {
        int at = f * file->bone_count;
        read_frame(reader, (double)f * reader->ticks_per_frame, motion->rotations + at,
                   motion->positions + at);
    }
    return asset_motion_normalize(file, motion, out_error);
}

static void find_channels(MotionReader *reader, const struct aiAnimation *animation) {
    for (int b = 0; b < reader->file->bone_count; b++) {
        reader->channels[b] = NULL;
        for (unsigned c = 0; c < animation->mNumChannels && !reader->channels[b]; c++)
            if (strcmp(animation->mChannels[c]->mNodeName.data, reader->nodes[b].node->mName.data) == 0)
                reader->channels[b] = animation->mChannels[c];
    }
}

// The frames are the keys of the channel with the most of them, whatever rate that is: a frame time of
// .0083333 is meant as 120 frames a second, and each frame stays a key. The last key of all is the end.
static void find_times(MotionReader *reader, const struct aiAnimation *animation) {
    find_channels(reader, animation);
    // assimp leaves the rate at 0 where a file gives none; its own viewer takes 25 then.
    double given = animation->mTicksPerSecond, ticks_per_second = given > 0.0 ? given : 25.0;
    unsigned most = 1;
    double span = 0.0, end = 0.0;
    for (int b = 0; b < reader->file->bone_count; b++) {
        const struct aiNodeAnim *channel = reader->channels[b];
        if (!channel) continue;
        widen(channel->mRotationKeys, sizeof(struct aiQuatKey), channel->mNumRotationKeys, &most, &span,
              &end);
        widen(channel->mPositionKeys, sizeof(struct aiVectorKey), channel->mNumPositionKeys, &most, &span,
              &end);
    }
    reader->ticks_per_frame = span > 0.0 ? span / (double)(most - 1) : (double)INFINITY;
    reader->rate = ticks_per_second / reader->ticks_per_frame;
    double snapped = round(reader->rate);
    if (!(reader->rate >= LEAST_RATE && reader->rate <= MOST_RATE)) {
        reader->rate = reader->rate > MOST_RATE ? MOST_RATE : RATE_OF_SPARSE_KEYS;
        reader->ticks_per_frame = ticks_per_second / reader->rate;
    } else if (fabs(reader->rate - snapped) < 1e-3 * snapped)
        reader->rate = snapped;
    reader->frames = end / reader->ticks_per_frame;
}

static void widen(const void *keys, size_t stride, unsigned count, unsigned *most, double *span,
                  double *end) {
    if (count == 0) return;
    double first = key_time(keys, stride, 0), last = key_time(keys, stride, count - 1);
    *end = fmax(*end, last);
    if (count <= *most) return;
    *most = count;
    *span = last - first;
}

static void read_frame(MotionReader *reader, double tick, versor *out_rotations, float (*out_positions)[3]) {
    const AssetFile *file = reader->file;
    for (int b = 0; b < file->bone_count; b++) {
        mat4 local;
        int parent = file->bones[b].parent;
        if (reader->channels[b])
            sample_channel(reader->channels[b], reader->nodes[b].node, tick, local);
        else
            scene_matrix(&reader->nodes[b].node->mTransformation, local);
        glm_mat4_mul(parent < 0 ? ((SceneNode *)reader->nodes)[b].base : reader->matrices[parent], local,
                     reader->matrices[b]);
        SimTransform origin = SIM_TRANSFORM_IDENTITY, placed = asset_rigid(reader->matrices[b]);
        reader->pose[b] = placed;
        SimTransform own = asset_relative(parent < 0 ? &origin : &reader->pose[parent], &placed);
        glm_quat_copy(own.rotation, out_rotations[b]);
        glm_vec3_scale(own.position, file->scale, out_positions[b]);
    }
}

static void sample_channel(const struct aiNodeAnim *channel, const struct aiNode *node, double tick,
                           mat4 out_local) {
    mat4 rest;
    scene_matrix(&node->mTransformation, rest);
    SimTransform own = asset_rigid(rest);
    vec3 scaling = {glm_vec3_norm(rest[0]), glm_vec3_norm(rest[1]), glm_vec3_norm(rest[2])};
    if (channel->mNumRotationKeys > 0)
        sample_rotation(channel->mRotationKeys, channel->mNumRotationKeys, tick, own.rotation);
    if (channel->mNumPositionKeys > 0)
        sample_vector(channel->mPositionKeys, channel->mNumPositionKeys, tick, own.position);
    if (channel->mNumScalingKeys > 0)
        sample_vector(channel->mScalingKeys, channel->mNumScalingKeys, tick, scaling);
    glm_quat_mat4(own.rotation, out_local);
    for (int i = 0; i < 3; i++) glm_vec3_scale(out_local[i], scaling[i], out_local[i]);
    glm_vec3_copy(own.position, out_local[3]);
}

static double key_time(const void *keys, size_t stride, unsigned at) {
    return *(const double *)((const char *)keys + stride * at); // both kinds of keys begin with their time
}

// The key at or before a time, and how far on to the next.
static unsigned find_key(const void *keys, size_t stride, unsigned count, double tick, float *out_share) {
    unsigned low = 0, high = count;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (key_time(keys, stride, middle) <= tick)
            low = middle;
        else
            high = middle;
    }
    *out_share = 0.0f;
    if (low + 1 == count) return low;
    double start = key_time(keys, stride, low), span = key_time(keys, stride, low + 1) - start;
    if (span > 0.0) *out_share = (float)fmax(0.0, (tick - start) / span);
    return low;
}

static void sample_vector(const struct aiVectorKey *keys, unsigned count, double tick, vec3 out_value) {
    float share;
    unsigned at = find_key(keys, sizeof *keys, count, tick, &share);
    const struct aiVector3D *a = &keys[at].mValue, *b = &keys[at + 1 < count ? at + 1 : at].mValue;
    out_value[0] = a->x + share * (b->x - a->x);
    out_value[1] = a->y + share * (b->y - a->y);
    out_value[2] = a->z + share * (b->z - a->z);
}

static void sample_rotation(const struct aiQuatKey *keys, unsigned count, double tick, versor out_value) {
    float share;
    unsigned at = find_key(keys, sizeof *keys, count, tick, &share);
    const struct aiQuaternion *a = &keys[at].mValue, *b = &keys[at + 1 < count ? at + 1 : at].mValue;
    versor from = {a->x, a->y, a->z, a->w}, to = {b->x, b->y, b->z, b->w};
    glm_quat_normalize(from);
    glm_quat_normalize(to);
    // cglm's slerp stays at the first of two that are close, an error of up to a milliradian.
    if (fabsf(glm_quat_dot(from, to)) > 0.999f)
        glm_quat_nlerp(from, to, share, out_value);
    else
        glm_quat_slerp(from, to, share, out_value);
    glm_quat_normalize(out_value);
}
