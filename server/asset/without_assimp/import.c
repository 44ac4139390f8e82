// What there is to import without assimp: nothing, and that in words.
#include "asset/file.h"
#include "error.h"

bool asset_can_import(AssetError *out_error) {
    return asset_fail(out_error, "tweed was built without assimp, so no file can be imported");
}

AssetFile *asset_file_load(const char *path, const AssetLoad *load, AssetError *out_error) {
    (void)load;
    asset_fail(out_error, "%s: tweed was built without assimp, so no file can be imported", path);
    return NULL;
}
