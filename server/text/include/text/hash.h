// FNV-1a (Fowler, Noll and Vo), of 64 bits: for tables, and to see whether bytes are the same. No protection
// against who wants two texts to have the same hash.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TEXT_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

// The hash of the bytes, and of all that gave `hash`, which begins as TEXT_HASH_BEGIN.
uint64_t text_hash(uint64_t hash, const void *bytes, size_t size);
