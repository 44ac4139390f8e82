// Looks files up beside a script, below the assets' folders, and among Debian's test models. Without assimp
// none can be imported.
#define _XOPEN_SOURCE 700 // POSIX 2008 with realpath

#include "asset/find.h"

#include "asset/contents.h"
#include "asset/surface.h"
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool admit(const char *file, const char *path, const char *const *directories, int directory_count,
                  AssetError *out_error);
static bool lies_below(const char *path, const char *directory);
static bool is_file(const char *path);
static bool join(const char *directory, const char *file, char *out_path, size_t capacity);
static bool fail_not_found(const char *file, const char *const *directories, int directory_count,
                           AssetError *out_error);

bool asset_find(const char *file, const char *const *directories, int directory_count, char *out_path,
                size_t capacity, AssetError *out_error) {
    if (file[0] == '\0') return asset_fail(out_error, "expected a file's name, found an empty one");
    if (file[0] == '/') {
        if (!join("", file, out_path, capacity))
            return asset_fail(out_error, "the path \"%s\" is too long", file);
        return admit(file, out_path, directories, directory_count, out_error);
    }
    for (int i = 0; i <= directory_count; i++) {
        const char *directory = i < directory_count ? directories[i] : ASSET_TEST_MODELS;
        if (!directory || directory[0] == '\0') continue;
        if (!join(directory, file, out_path, capacity))
            return asset_fail(out_error, "the path \"%s/%s\" is too long", directory, file);
        if (is_file(out_path)) return admit(file, out_path, directories, directory_count, out_error);
    }
    return fail_not_found(file, directories, directory_count, out_error);
}

#ifndef ASSET_WITH_ASSIMP

bool asset_can_import(AssetError *out_error) {
    return asset_fail(out_error, "tweed was built without assimp, so no file can be imported");
}

AssetFile *asset_file_load(const char *path, const AssetLoad *load, AssetImport *limits,
                           AssetError *out_error) {
    (void)load, (void)limits;
    asset_fail(out_error, "%s: tweed was built without assimp, so no file can be imported", path);
    return NULL;
}

bool asset_surface_load(AssetSurface *surface, const char *path, const char *name, float scale,
                        const char *cache, AssetImport *limits, AssetError *out_error) {
    (void)name, (void)scale, (void)cache, (void)limits;
    *surface = (AssetSurface){0};
    return asset_fail(out_error, "%s: tweed was built without assimp, so no file can be imported", path);
}

bool asset_contents_load(AssetContents *contents, const char *path, AssetImport *limits,
                         AssetError *out_error) {
    (void)limits;
    *contents = (AssetContents){0};
    return asset_fail(out_error, "%s: tweed was built without assimp, so no file can be imported", path);
}

void asset_contents_finish(AssetContents *contents) {
    *contents = (AssetContents){0};
}

bool asset_import_main(int argc, char **argv, int *out_status) {
    (void)argc, (void)argv, (void)out_status;
    return false;
}

#endif

// The answer does not depend on whether a file outside the folders exists: scripts must not explore the
// machine.
static bool admit(const char *file, const char *path, const char *const *directories, int directory_count,
                  AssetError *out_error) {
    bool inside = lies_below(path, ASSET_TEST_MODELS);
    for (int i = 0; i < directory_count && !inside; i++)
        inside = directories[i] && directories[i][0] != '\0' && lies_below(path, directories[i]);
    if (inside && is_file(path)) return true;
    return inside ? asset_fail(out_error, "no file \"%s\"", file)
                  : asset_fail(out_error, "\"%s\" is outside the asset folders", file);
}

// After following links and "..".
static bool lies_below(const char *path, const char *directory) {
    char *real = realpath(path, NULL), *real_directory = realpath(directory, NULL);
    const size_t length = real_directory ? strlen(real_directory) : 0;
    const bool below = real && real_directory &&
                       (length == 1 || (strncmp(real, real_directory, length) == 0 && real[length] == '/'));
    free(real);
    free(real_directory);
    return below;
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// An empty directory stands for none.
static bool join(const char *directory, const char *file, char *out_path, size_t capacity) {
    size_t length = strlen(directory);
    const char *separator = length == 0 || directory[length - 1] == '/' ? "" : "/";
    int written = snprintf(out_path, capacity, "%s%s%s", directory, separator, file);
    return written >= 0 && (size_t)written < capacity;
}

static bool fail_not_found(const char *file, const char *const *directories, int directory_count,
                           AssetError *out_error) {
    char places[300] = "";
    size_t used = 0;
    for (int i = 0; i < directory_count; i++) {
        if (!directories[i] || directories[i][0] == '\0') continue;
        int written = snprintf(places + used, sizeof places - used, "%s, ", directories[i]);
        if (written < 0 || (size_t)written >= sizeof places - used) {
            places[used] = '\0';
            break;
        }
        used += (size_t)written;
    }
    struct stat status;
    bool has_models = stat(ASSET_TEST_MODELS, &status) == 0;
    return asset_fail(out_error, "no file \"%s\" in %s%s%s", file, places, ASSET_TEST_MODELS,
                      has_models ? "" : " (not there: install Debian's assimp-testmodels)");
}
