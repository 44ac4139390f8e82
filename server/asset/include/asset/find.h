// Finds files to import.
//
// These functions keep no state. This layer's calls read files and may take seconds: do not call them on the
// loop's thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The reason of a failure: one line for a script's author, without a full stop.
typedef struct AssetError {
    char message[512];
} AssetError;

// Where Debian's assimp-testmodels puts its files; asset_find looks there last.
#define ASSET_TEST_MODELS "/usr/share/assimp/models"

// Looks for a name like "BVH/01_01.bvh" in each directory in order (NULL and "" entries are skipped), then in
// ASSET_TEST_MODELS. An absolute path must be below one of these. Fills out_path with the path of a regular
// file. Returns false and an error if there is none, if it is outside these folders after following links and
// "..", or if the path does not fit capacity.
bool asset_find(const char *file, const char *const *directories, int directory_count, char *out_path,
                size_t capacity, AssetError *out_error);

// Returns false and the reason if the server was built without assimp and cannot import.
bool asset_can_import(AssetError *out_error);
