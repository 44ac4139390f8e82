// Surfaces in the cache.
#pragma once

#include "asset/surface.h"

// Fills in a surface that the cache keeps; false if it does not.
bool asset_surface_read(AssetSurface *surface, const char *cache, uint64_t key);
void asset_surface_write(const AssetSurface *surface, const char *cache, uint64_t key);
