// Reference-counted bytes that grow until they are shared.

#include "net/buffer.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct NetBuffer {
    char *data;
    size_t length;
    size_t capacity;
    size_t references;
    bool is_raw;
};

enum { MINIMUM_CAPACITY = 64 };

NetBuffer *net_buffer_create(size_t capacity) {
    NetBuffer *buffer = malloc(sizeof *buffer);
    if (!buffer) return NULL;
    *buffer = (NetBuffer){.references = 1};
    if (!net_buffer_reserve(buffer, capacity)) {
        net_buffer_release(buffer);
        return NULL;
    }
    return buffer;
}

NetBuffer *net_buffer_create_copy(const char *bytes, size_t length) {
    NetBuffer *buffer = net_buffer_create(length);
    if (buffer) net_buffer_append(buffer, bytes, length);
    return buffer;
}

NetBuffer *net_buffer_create_text(const TextBuffer *text) {
    return text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
}

bool net_buffer_append(NetBuffer *buffer, const char *bytes, size_t length) {
    char *room = net_buffer_reserve(buffer, length);
    if (!room) return false;
    if (length > 0) memcpy(room, bytes, length);
    net_buffer_commit(buffer, length);
    return true;
}

char *net_buffer_reserve(NetBuffer *buffer, size_t size) {
    assert(buffer->references == 1 && "a shared buffer is not written to");
    if (size > SIZE_MAX / 2 - buffer->length) return NULL;
    size_t needed = buffer->length + size;
    if (!buffer->data || needed > buffer->capacity) {
        size_t capacity = buffer->capacity > 0 ? buffer->capacity : MINIMUM_CAPACITY;
        if (buffer->data) capacity *= 2; // the first size is the caller's estimate: not doubled
        if (capacity < needed) capacity = needed;
        char *data = realloc(buffer->data, capacity);
        if (!data) return NULL;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->length;
}

void net_buffer_commit(NetBuffer *buffer, size_t size) {
    assert(size <= buffer->capacity - buffer->length);
    buffer->length += size;
}

NetBuffer *net_buffer_retain(NetBuffer *buffer) {
    if (buffer) buffer->references++;
    return buffer;
}

bool net_buffer_is_shared(const NetBuffer *buffer) {
    return buffer->references > 1;
}

bool net_buffer_reuse(NetBuffer *buffer) {
    if (!buffer || buffer->references > 1) return false;
    buffer->length = 0;
    return true;
}

void net_buffer_exchange(NetBuffer *buffer, TextBuffer *text) {
    assert(buffer->references == 1 && "a shared buffer is not written to");
    const TextBuffer held = {.bytes = buffer->data, .length = buffer->length, .capacity = buffer->capacity};
    buffer->data = text->bytes;
    buffer->length = text->length;
    buffer->capacity = text->capacity;
    *text = held;
}

void net_buffer_release(NetBuffer *buffer) {
    if (!buffer || --buffer->references > 0) return;
    free(buffer->data);
    free(buffer);
}

const char *net_buffer_data(const NetBuffer *buffer) {
    return buffer->data;
}

size_t net_buffer_length(const NetBuffer *buffer) {
    return buffer->length;
}

void net_buffer_mark_raw(NetBuffer *buffer) {
    buffer->is_raw = true;
}

bool net_buffer_is_raw(const NetBuffer *buffer) {
    return buffer->is_raw;
}
