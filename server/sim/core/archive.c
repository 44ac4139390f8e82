// Reads or writes a state as bytes.
#include "core/archive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

#define TEXT_SIZE 256 // of a text that is compared; names are shorter

static void whole(SimArchive *archive, uint64_t *number, int bytes);
static void write_byte(SimArchive *archive, unsigned char byte);
static void number32(SimArchive *archive, float *number);

SimArchive sim_archive_reader(const void *bytes, size_t size) {
    return (SimArchive){.read = bytes, .size = size};
}

void sim_archive_fail(SimArchive *archive, const char *path, const char *message, ...) {
    if (archive->failed) return;
    archive->failed = true;
    snprintf(archive->issue.path, sizeof archive->issue.path, "%s", path);
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(archive->issue.message, sizeof archive->issue.message, message, arguments);
    va_end(arguments);
}

void sim_archive_u64(SimArchive *archive, uint64_t *number) {
    whole(archive, number, 8);
}

void sim_archive_int(SimArchive *archive, int *number, int minimum, int maximum, const char *path) {
    uint64_t bits = (uint32_t)*number;
    whole(archive, &bits, 4);
    if (archive->writes) return;
    const int64_t found = (int32_t)(uint32_t)bits;
    if (found < minimum || found > maximum)
        sim_archive_fail(archive, path, "expected %d to %d, found %lld", minimum, maximum, (long long)found);
    *number = archive->failed ? 0 : (int)found;
}

void sim_archive_bool(SimArchive *archive, bool *value, const char *path) {
    uint64_t bits = *value;
    whole(archive, &bits, 1);
    if (archive->writes) return;
    if (bits > 1) sim_archive_fail(archive, path, "expected 0 or 1, found %d", (int)bits);
    *value = !archive->failed && bits == 1;
}

void sim_archive_float(SimArchive *archive, float *number, const char *path) {
    number32(archive, number);
    if (archive->writes || isfinite(*number)) return;
    sim_archive_fail(archive, path, "expected a finite number, found %g", (double)*number);
    *number = 0.0f;
}

void sim_archive_floats(SimArchive *archive, float *numbers, size_t count, const char *path) {
    for (size_t i = 0; i < count; i++) sim_archive_float(archive, &numbers[i], path);
}

void sim_archive_double(SimArchive *archive, double *number, const char *path) {
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    whole(archive, &bits, 8);
    if (archive->writes) return;
    memcpy(number, &bits, sizeof bits);
    if (isfinite(*number)) return;
    sim_archive_fail(archive, path, "expected a finite number, found %g", *number);
    *number = 0.0;
}

void sim_archive_text(SimArchive *archive, char *text, size_t size, const char *path) {
    int length = archive->writes ? (int)strlen(text) : 0;
    sim_archive_int(archive, &length, 0, (int)size - 1, path);
    for (int i = 0; i < length; i++) {
        uint64_t byte = (unsigned char)text[i];
        whole(archive, &byte, 1);
        text[i] = (char)byte;
    }
    if (!archive->writes) text[archive->failed ? 0 : length] = '\0';
}

void sim_archive_same_text(SimArchive *archive, const char *text, const char *path) {
    char found[TEXT_SIZE];
    snprintf(found, sizeof found, "%s", text);
    sim_archive_text(archive, found, sizeof found, path);
    if (strncmp(found, text, sizeof found - 1) != 0)
        sim_archive_fail(archive, path, "expected \"%.64s\", found \"%.64s\"", text, found);
}

void sim_archive_same(SimArchive *archive, int number, const char *path) {
    uint64_t bits = (uint32_t)number;
    whole(archive, &bits, 4);
    const int found = (int32_t)(uint32_t)bits;
    if (!archive->failed && found != number)
        sim_archive_fail(archive, path, "expected %d, found %d", number, found);
}

void sim_archive_end(SimArchive *archive) {
    if (!archive->writes && archive->at != archive->size)
        sim_archive_fail(archive, "", "expected an end after %zu bytes, found %zu", archive->at,
                         archive->size);
}

// Writes the lowest bytes of a number, or reads them.
static void whole(SimArchive *archive, uint64_t *number, int bytes) {
    if (archive->writes) {
        for (int i = 0; i < bytes; i++) write_byte(archive, (unsigned char)(*number >> 8 * i));
        return;
    }
    if (!archive->failed && archive->size - archive->at < (size_t)bytes)
        sim_archive_fail(archive, "", "it ends after %zu bytes, in the middle", archive->size);
    *number = 0;
    for (int i = 0; i < bytes && !archive->failed; i++)
        *number |= (uint64_t)archive->read[archive->at++] << 8 * i;
}

static void write_byte(SimArchive *archive, unsigned char byte) {
    archive->failed = archive->failed || !TEXT_ARRAY_GROW(archive->written, archive->size, archive->capacity);
    if (!archive->failed) archive->written[archive->size++] = byte;
}

static void number32(SimArchive *archive, float *number) {
    uint32_t bits;
    memcpy(&bits, number, sizeof bits);
    uint64_t wide = bits;
    whole(archive, &wide, 4);
    bits = (uint32_t)wide;
    if (!archive->writes) memcpy(number, &bits, sizeof bits);
}
