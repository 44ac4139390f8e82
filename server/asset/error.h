// How this layer writes its errors.
#pragma once

#include "asset/find.h"

// Fills the error as printf does, cut to its size; always false. error may be NULL.
bool asset_fail(AssetError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
