// Reads or writes a state as bytes, by one description of its fields for both ways. Numbers are
// little-endian, floats as their bits; texts have their length in front.
//
// The first failure stays: what comes after it reads as 0.
#pragma once

#include "sim/types.h"

#include <stddef.h>

typedef struct SimArchive {
    bool writes;
    bool failed; // out of memory, or what is read is malformed
    unsigned char *written;
    const unsigned char *read;
    size_t size, capacity; // of what is written, or read
    size_t at;             // of the next byte to read
    SimIssue issue;        // why reading failed
} SimArchive;

SimArchive sim_archive_reader(const void *bytes, size_t size);

// Reading fails with that message.
__attribute__((format(printf, 3, 4))) void sim_archive_fail(SimArchive *archive, const char *path,
                                                            const char *message, ...);

void sim_archive_u64(SimArchive *archive, uint64_t *number);
// A whole number that has to lie within minimum..maximum.
void sim_archive_int(SimArchive *archive, int *number, int minimum, int maximum, const char *path);
void sim_archive_bool(SimArchive *archive, bool *value, const char *path);
// Numbers have to be finite.
void sim_archive_float(SimArchive *archive, float *number, const char *path);
void sim_archive_floats(SimArchive *archive, float *numbers, size_t count, const char *path);
void sim_archive_double(SimArchive *archive, double *number, const char *path);
// A text of fewer than `size` bytes.
void sim_archive_text(SimArchive *archive, char *text, size_t size, const char *path);
// What is read has to be the same text, or number, as here.
void sim_archive_same_text(SimArchive *archive, const char *text, const char *path);
void sim_archive_same(SimArchive *archive, int number, const char *path);
// Reading fails where bytes are left.
void sim_archive_end(SimArchive *archive);
