// Finds files to import.
//
// Nothing here keeps state. The calls of this layer read files and may take seconds: not for the loop's
// thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Why something could not be had: one line for the author of a script, without a full stop.
typedef struct AssetError {
    char message[512];
} AssetError;

// Where Debian's assimp-testmodels puts its files; asset_find looks there last.
#define ASSET_TEST_MODELS "/usr/share/assimp/models"

// Looks a file up: a name like "BVH/01_01.bvh" is sought in each of the directories in their order (NULL or
// "" entries are skipped), then in ASSET_TEST_MODELS; an absolute path has to lie below one of them. out_path
// gets the path of a regular file. False, with the error saying what was sought and where, if there is none,
// if it lies outside of these folders once links and ".." are followed, or if the path does not fit capacity.
bool asset_find(const char *file, const char *const *directories, int directory_count, char *out_path,
                size_t capacity, AssetError *out_error);

// False, with the reason, where the server was built without assimp and so can import nothing.
bool asset_can_import(AssetError *out_error);
