// What the fuzz targets share.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// libFuzzer's way in: one input. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// Once, before the first.
int LLVMFuzzerInitialize(int *argc, char ***argv);

// A promise that does not hold ends the run, and the input is kept.
#define FUZZ_CHECK(holds, ...)                                                                               \
    do {                                                                                                     \
        if (!(holds)) {                                                                                      \
            fprintf(stderr, "%s:%d: " #holds ": ", __FILE__, __LINE__);                                      \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fputc('\n', stderr);                                                                             \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)
