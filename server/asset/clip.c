// Cuts clips out of a file's motions.
#include "data.h"

#include <cglm/util.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_frames(const AssetFile *file, const AssetMotion *motion, const AssetCut *cut, int *out_first,
                        int *out_last, AssetError *out_error);
static void rebase_root(float (*root)[3], int frame_count);

bool asset_clip_init(AssetClip *clip, const AssetFile *file, int clip_index, const AssetCut *cut,
                     AssetError *out_error) {
    const AssetMotion *motion = &file->motions[clip_index];
    int first = 0, last = 0;
    *clip = (AssetClip){0};
    if (!find_frames(file, motion, cut, &first, &last, out_error)) return false;

    clip->rate = motion->rate;
    clip->frame_count = last - first + 1;
    clip->bone_count = file->bone_count;
    size_t values = (size_t)clip->frame_count * (size_t)clip->bone_count;
    size_t skipped = (size_t)first * (size_t)clip->bone_count;
    clip->rotations = malloc(values * sizeof(versor));
    if (motion->positions) clip->positions = malloc(values * sizeof(float[3]));
    if (motion->root) clip->root = malloc((size_t)clip->frame_count * sizeof(float[3]));
    if (!clip->rotations || (motion->positions && !clip->positions) || (motion->root && !clip->root)) {
        asset_clip_finish(clip);
        return asset_fail(out_error, "%s: out of memory", file->path);
    }
    memcpy(clip->rotations, motion->rotations + skipped, values * sizeof(versor));
    if (clip->positions) memcpy(clip->positions, motion->positions + skipped, values * sizeof(float[3]));
    if (clip->root) {
        memcpy(clip->root, motion->root + first, (size_t)clip->frame_count * sizeof(float[3]));
        rebase_root(clip->root, clip->frame_count);
    }
    return true;
}

void asset_clip_finish(AssetClip *clip) {
    free(clip->rotations);
    free(clip->positions);
    free(clip->root);
    *clip = (AssetClip){0};
}

static bool find_frames(const AssetFile *file, const AssetMotion *motion, const AssetCut *cut, int *out_first,
                        int *out_last, AssetError *out_error) {
    double end = (double)(motion->frame_count - 1) / (double)motion->rate;
    double half_a_frame = 0.5 / (double)motion->rate;
    double from = cut->from < 0.0f ? (double)motion->first_frame / (double)motion->rate : (double)cut->from;
    double to = cut->to < 0.0f ? end : (double)cut->to;
    if (!(from <= end + half_a_frame))
        return asset_fail(out_error, "%s: from: expected 0 to %.3f s, found %.3f", file->path, end, from);
    if (!(to <= end + half_a_frame))
        return asset_fail(out_error, "%s: to: expected 0 to %.3f s, found %.3f", file->path, end, to);
    if (!(from <= to))
        return asset_fail(out_error, "%s: expected from (%.3f s) before to (%.3f s)", file->path, from, to);
    *out_first = (int)lround(from * (double)motion->rate);
    *out_last = (int)lround(to * (double)motion->rate);
    if (*out_last >= motion->frame_count) *out_last = motion->frame_count - 1;
    if (*out_first > *out_last) *out_first = *out_last;
    return true;
}

// So that the clip starts at x = z = heading = 0.
static void rebase_root(float (*root)[3], int frame_count) {
    float x0 = root[0][0], z0 = root[0][1], heading0 = root[0][2];
    float c = cosf(heading0), s = sinf(heading0);
    for (int i = 0; i < frame_count; i++) {
        float x = root[i][0] - x0, z = root[i][1] - z0;
        root[i][0] = c * x - s * z; // turned by -heading0 about +Y
        root[i][1] = s * x + c * z;
        root[i][2] -= heading0;
    }
}
