// Keeps what takes long to compute in files named by the hash of all that it is computed from.
//
// A file is believed only if its size, its key and the hash of its content are right. It is written under
// another name and then renamed, so readers never see half of it. Failures are no errors: what is not there
// is computed.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The content for a key, the caller's to free; NULL if there is none. folder: NULL or "" for no cache.
void *asset_cache_read(const char *folder, uint64_t key, size_t *out_size);
// Makes the folder where it is missing.
void asset_cache_write(const char *folder, uint64_t key, const void *bytes, size_t size);
