// Reads the members of JSON objects. The first mistake ends the reading: from then on each function returns
// nothing, and `error` has the path and what was expected there.
#pragma once

#include "protocol/axes.h"
#include "protocol/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

// A list of allocations.
typedef struct ProtocolMemory ProtocolMemory;

typedef struct ProtocolReader {
    ProtocolAxes axes; // of what is read
    ProtocolMemory **memory;
    ProtocolError *error; // the first one
    bool failed;
    char place[160]; // of the object that is read, such as "bones[3]."
} ProtocolReader;

void protocol_memory_finish(ProtocolMemory **memory);

// `expected` of the member at the reader's place; "" is the object itself.
void protocol_reader_fail(ProtocolReader *reader, const char *member, const char *expected);
// The following members are those of the list's item.
void protocol_reader_enter(ProtocolReader *reader, const char *list, size_t i);
// Zeroed, with one item more than `count`. NULL: the reader has failed.
void *protocol_reader_allocate(ProtocolReader *reader, size_t count, size_t size);
const char *protocol_reader_copy(ProtocolReader *reader, const char *string);

// The first item. `*out_count` is 0 where there is no list.
const cJSON *protocol_read_list(ProtocolReader *reader, const cJSON *object, const char *member,
                                size_t *out_count);
const char *protocol_read_string(ProtocolReader *reader, const cJSON *object, const char *member);
double protocol_read_integer(ProtocolReader *reader, const cJSON *object, const char *member, double least,
                             double most);
bool protocol_read_bool(ProtocolReader *reader, const cJSON *object, const char *member);
int protocol_read_choice(ProtocolReader *reader, const cJSON *object, const char *member,
                         const char *const *names);

// Numbers are finite, also in any unit.
bool protocol_is_number(const cJSON *item);
float protocol_read_number(ProtocolReader *reader, const cJSON *object, const char *member);
float protocol_read_length(ProtocolReader *reader, const cJSON *object, const char *member); // in metres
void protocol_read_vector(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                          float *out);
void protocol_read_position(ProtocolReader *reader, const cJSON *object, const char *member, float out[3]);

// `*out_count` groups of `width` numbers.
float *protocol_read_floats(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                            size_t *out_count);
float (*protocol_read_positions(ProtocolReader *reader, const cJSON *object, const char *member,
                                size_t *out_count))[3];
// `*out_count` groups of `width` indices below the limit.
int *protocol_read_indices(ProtocolReader *reader, const cJSON *object, const char *member, size_t width,
                           size_t limit, size_t *out_count);
