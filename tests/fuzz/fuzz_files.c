// Imported files: any bytes as a BVH, glTF, GLB or X file. A file that is taken is sound: bones with parents
// before them, finite numbers, rotations of length 1, and clips that can be cut out. What FBX files hold is
// assimp's own business and is not fuzzed.
//
// Input: a file; what it begins with says which.
#include "asset/file.h"
#include "file.h"
#include "fuzz.h"

#include <cglm/quat.h>
#include <math.h>
#include <string.h>

// What assimp, all that is C++ here, and its zlib never free is not told: LeakSanitizer asks for this.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libassimp\nleak:libstdc++\nleak:libz\n";
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    fuzz_enter_folder();
    return 0;
}

static const char *name_for(const uint8_t *data, size_t size) {
    if (size >= 4 && memcmp(data, "glTF", 4) == 0) return "input.glb";
    if (size >= 4 && memcmp(data, "xof ", 4) == 0) return "input.x";
    if (size >= 1 && data[0] == '{') return "input.gltf";
    return "input.bvh";
}

static void check_finite(const float *numbers, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++) FUZZ_CHECK(isfinite(numbers[i]), "%s %zu", what, i);
}

static void check_rotation(const float *rotation) {
    const float length = glm_quat_norm((float *)rotation);
    FUZZ_CHECK(fabsf(length - 1.0f) < 1e-3f, "a rotation of length %g", (double)length);
}

static void check_bones(const AssetFile *file) {
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    FUZZ_CHECK(count > 0, "no bones");
    for (int i = 0; i < count; i++) {
        float end[3];
        FUZZ_CHECK(bones[i].name && bones[i].parent >= -1 && bones[i].parent < i, "bone %d", i);
        check_finite(bones[i].position, 3, "position");
        check_finite(bones[i].rotation, 4, "rotation");
        check_rotation(bones[i].rotation);
        if (asset_file_bone_end(file, i, end)) check_finite(end, 3, "end");
    }
    FUZZ_CHECK(isfinite(asset_file_height(file)), "height");
}

static void check_clip(const AssetFile *file, int index) {
    AssetClip clip;
    AssetError error;
    const AssetCut cut = {-1.0f, -1.0f};
    if (!asset_clip_init(&clip, file, index, &cut, &error)) {
        FUZZ_CHECK(memchr(error.message, '\0', sizeof error.message) && error.message[0], "no reason");
        return;
    }
    const size_t count = (size_t)clip.frame_count * (size_t)clip.bone_count;
    FUZZ_CHECK(clip.frame_count >= 1 && clip.rate > 0.0f, "%d frames", clip.frame_count);
    for (size_t i = 0; i < count; i++) check_rotation(clip.rotations[i]);
    if (clip.positions) check_finite(clip.positions[0], 3 * count, "clip's position");
    if (clip.root) check_finite(clip.root[0], 3 * (size_t)clip.frame_count, "root");
    asset_clip_finish(&clip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *name = name_for(data, size);
    AssetError error = {""};
    fuzz_write_file(name, data, size);
    AssetFile *file = asset_file_load(name, NULL, NULL, &error);
    if (!file) {
        FUZZ_CHECK(memchr(error.message, '\0', sizeof error.message) && error.message[0], "no reason");
        return 0;
    }
    check_bones(file);
    for (int i = 0; i < asset_file_clip_count(file); i++) check_clip(file, i);
    asset_file_destroy(file);
    return 0;
}
