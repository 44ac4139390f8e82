// Counts what a process asks the allocator for. Linked in, or preloaded into another program: then the count
// lies in the file that BENCH_ALLOCATIONS names, where others read it.
#pragma once

#include <stdint.h>

typedef struct Allocations {
    _Atomic uint64_t requests; // malloc, calloc, realloc, aligned_alloc
    _Atomic int64_t bytes;     // held now
} Allocations;

// NULL where it cannot count: under a sanitizer, or elsewhere than glibc.
const Allocations *bench_allocations(void);
