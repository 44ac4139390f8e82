// Members of JSON objects, with the place of the first mistake.
#include "stream/member_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ProtocolMemory {
    ProtocolMemory *next;
    _Alignas(max_align_t) unsigned char data[];
};

static const double largest = 1e12; // of numbers: no unit and no product of two leaves a float's range

void protocol_memory_finish(ProtocolMemory **memory) {
    while (*memory) {
        ProtocolMemory *block = *memory;
        *memory = block->next;
        free(block);
    }
}

void protocol_reader_fail(ProtocolReader *reader, const char *member, const char *expected) {
    if (reader->failed) return;
    char path[256];
    snprintf(path, sizeof path, "%s%s", reader->place, member);
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '.') path[length - 1] = '\0';
    protocol_error_set(reader->error, PROTOCOL_INVALID_PARAMS, path, "%s: expected %s", path, expected);
    reader->failed = true;
}

void protocol_reader_enter(ProtocolReader *reader, const char *list, size_t i) {
    snprintf(reader->place, sizeof reader->place, "%s[%zu].", list, i);
}

void *protocol_reader_allocate(ProtocolReader *reader, size_t count, size_t size) {
    if (reader->failed) return NULL;
    ProtocolMemory *block = calloc(1, sizeof *block + (count + 1) * size);
    if (!block) {
        protocol_error_set(reader->error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
        reader->failed = true;
        return NULL;
    }
    block->next = *reader->memory;
    *reader->memory = block;
    return block->data;
}

const cJSON *protocol_read_list(ProtocolReader *reader, const cJSON *object, const char *member,
                                size_t *out_count) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, member);
    if (!cJSON_IsArray(list)) protocol_reader_fail(reader, member, "a list");
    *out_count = reader->failed ? 0 : (size_t)cJSON_GetArraySize(list);
    return reader->failed ? NULL : list->child;
}

const char *protocol_read_string(ProtocolReader *reader, const cJSON *object, const char *member) {
    const char *string = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
    if (!string) protocol_reader_fail(reader, member, "a text");
    return string ? protocol_reader_copy(reader, string) : NULL;
}

const char *protocol_reader_copy(ProtocolReader *reader, const char *string) {
    char *copy = protocol_reader_allocate(reader, strlen(string), 1);
    return copy ? strcpy(copy, string) : NULL;
}

double protocol_read_integer(ProtocolReader *reader, const cJSON *object, const char *member, double least,
                             double most) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from %.0f to %.0f", least, most);
    if (value >= least && value <= most && value == floor(value)) return value;
    protocol_reader_fail(reader, member, expected);
    return 0;
}

bool protocol_read_bool(ProtocolReader *reader, const cJSON *object, const char *member) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    if (!cJSON_IsBool(item)) protocol_reader_fail(reader, member, "true or false");
    return cJSON_IsTrue(item);
}

int protocol_read_choice(ProtocolReader *reader, const cJSON *object, const char *member,
                         const char *const *names) {
    const char *string = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
    for (int i = 0; string && names[i]; i++)
        if (strcmp(names[i], string) == 0) return i;
    protocol_reader_fail(reader, member, "a known name");
    return 0;
}

bool protocol_is_number(const cJSON *item) {
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= largest;
}

float protocol_read_number(ProtocolReader *reader, const cJSON *object, const char *member) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    if (!protocol_is_number(item)) protocol_reader_fail(reader, member, "a number");
    return (float)(reader->failed ? 0.0 : item->valuedouble);
}

float protocol_read_length(ProtocolReader *reader, const cJSON *object, const char *member) {
    return protocol_read_number(reader, object, member) / protocol_axes_unit(reader->axes);
}

void protocol_read_vector(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                          float *out) {
    size_t length;
    char expected[32];
    snprintf(expected, sizeof expected, "%zu numbers", width);
    const cJSON *item = protocol_read_list(reader, object, member, &length);
    if (!reader->failed && length != width) protocol_reader_fail(reader, member, expected);
    for (size_t i = 0; i < width && !reader->failed; i++, item = item->next) {
        if (!protocol_is_number(item))
            protocol_reader_fail(reader, member, expected);
        else
            out[i] = (float)item->valuedouble;
    }
}

void protocol_read_position(ProtocolReader *reader, const cJSON *object, const char *member, float out[3]) {
    protocol_read_vector(reader, object, member, 3, out);
    protocol_axes_from_position(reader->axes, out, out);
}

float *protocol_read_floats(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                            size_t *out_count) {
    size_t length;
    const cJSON *item = protocol_read_list(reader, object, member, &length);
    float *values = protocol_reader_allocate(reader, length, sizeof *values);
    if (!reader->failed && length % width != 0) protocol_reader_fail(reader, member, "whole vectors");
    for (size_t i = 0; i < length && !reader->failed; i++, item = item->next) {
        if (!protocol_is_number(item))
            protocol_reader_fail(reader, member, "numbers");
        else
            values[i] = (float)item->valuedouble;
    }
    *out_count = reader->failed ? 0 : length / width;
    return values;
}

float (*protocol_read_positions(ProtocolReader *reader, const cJSON *object, const char *member,
                                size_t *out_count))[3] {
    float(*positions)[3] = (float(*)[3])protocol_read_floats(reader, object, member, 3, out_count);
    for (size_t i = 0; i < *out_count; i++)
        protocol_axes_from_position(reader->axes, positions[i], positions[i]);
    return positions;
}

int *protocol_read_indices(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                           size_t limit, size_t *out_count) {
    size_t length;
    const cJSON *item = protocol_read_list(reader, object, member, &length);
    int *indices = protocol_reader_allocate(reader, length, sizeof *indices);
    char expected[48];
    snprintf(expected, sizeof expected, "indices from 0 to %zu", limit > 0 ? limit - 1 : 0);
    if (!reader->failed && length % width != 0)
        protocol_reader_fail(reader, member, "whole groups of indices");
    for (size_t i = 0; i < length && !reader->failed; i++, item = item->next) {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= 0 && value < (double)limit && value == floor(value)))
            protocol_reader_fail(reader, member, expected);
        else
            indices[i] = (int)value;
    }
    *out_count = reader->failed ? 0 : length / width;
    return indices;
}
