// Stands in for libc's allocator and hands on to it.
#include "allocations.h"

#include <stddef.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static Allocations own;
static Allocations *counts = &own;

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("BENCH_ALLOCATIONS");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) counts = shared;
    close(file);
}

static void *count(void *memory) {
    counts->requests++;
    if (memory) counts->bytes += (int64_t)malloc_usable_size(memory);
    return memory;
}

static void forget(void *memory) {
    if (memory) counts->bytes -= (int64_t)malloc_usable_size(memory);
}

void *malloc(size_t size) {
    return count(__libc_malloc(size));
}
void *calloc(size_t number, size_t size) {
    return count(__libc_calloc(number, size));
}
void *realloc(void *memory, size_t size) {
    forget(memory);
    return count(__libc_realloc(memory, size));
}
void *aligned_alloc(size_t alignment, size_t size) {
    return count(__libc_memalign(alignment, size));
}
int posix_memalign(void **out_memory, size_t alignment, size_t size) {
    *out_memory = count(__libc_memalign(alignment, size));
    return *out_memory ? 0 : ENOMEM;
}
void free(void *memory) {
    forget(memory);
    __libc_free(memory);
}

const Allocations *bench_allocations(void) {
    return counts;
}

#else

const Allocations *bench_allocations(void) {
    return NULL;
}

#endif
