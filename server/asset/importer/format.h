// The formats that are imported. The library knows more; they are refused.
#pragma once

#include "asset/find.h"

typedef struct ImporterFormat {
    const char *ending, *name;
    float unit;    // m; 0: the file says it, or nothing does
    char up;       // 'x', 'y' or 'z', of what is in the scene; 0: the file says it, or nothing does
    bool is_whole; // one file has all of it; others name further files
} ImporterFormat;

// NULL and an error that names the file and the formats: it is of another.
const ImporterFormat *importer_format_of(const char *path, AssetError *out_error);
