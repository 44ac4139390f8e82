// Whether what was read from a file is sound. The child's answer is checked by the parent like any input;
// what fails there in a file's own right has failed in the child, with the same message.
#pragma once

#include "asset/contents.h"
#include "asset/surface.h"
#include "data.h"

// Bones with parents before them, numbers that are finite and in range, indices below their counts. False and
// an error that names the file.
bool asset_check_file(const AssetFile *file, AssetError *out_error);
bool asset_check_surface(const AssetSurface *surface, const char *path, AssetError *out_error);
bool asset_check_contents(const AssetContents *contents, const char *path, AssetError *out_error);
