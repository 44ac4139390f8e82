// Reads files by assimp, in the process that calls. Whoever does not trust a file calls asset_file_load, and
// so on, which do this in a child process.
#pragma once

#include "asset/contents.h"
#include "asset/file.h"
#include "asset/surface.h"

// Arguments and results are those of asset_file_load, asset_surface_load without its cache, and
// asset_contents_load.
AssetFile *importer_load_file(const char *path, const AssetLoad *load, AssetError *out_error);
bool importer_load_surface(AssetSurface *surface, const char *path, const char *name, float scale,
                           AssetError *out_error);
bool importer_load_contents(AssetContents *contents, const char *path, AssetError *out_error);
