#pragma once
// One message on its way out: bytes written once, then shared by every connection that gets them. A broadcast
// is one buffer. Buffers belong to the loop's thread: the count of references is not atomic.

#include <stdbool.h>
#include <stddef.h>

typedef struct NetBuffer NetBuffer;

// A new, empty buffer with one reference, the caller's. `capacity` in bytes, a hint: it grows. NULL: out of
// memory.
NetBuffer *net_buffer_create(size_t capacity);

// The usual case in one call: a buffer that holds a copy of `bytes`. NULL: out of memory.
NetBuffer *net_buffer_create_copy(const char *bytes, size_t length);

// Appends a copy of `bytes`. False: out of memory, the buffer is as before. A buffer is written by its only
// holder: it is a bug to append once there is a second reference.
bool net_buffer_append(NetBuffer *buffer, const char *bytes, size_t length);

// For writers that print in place: room for `size` more bytes at the end, NULL when out of memory. Writing
// there does not count until net_buffer_commit, which takes at most as many bytes as were reserved last.
char *net_buffer_reserve(NetBuffer *buffer, size_t size);
void net_buffer_commit(NetBuffer *buffer, size_t size);

// One more holder, who calls release. Returns `buffer`; NULL stays NULL.
NetBuffer *net_buffer_retain(NetBuffer *buffer);

// Empties the buffer for the next message where the caller is its only holder; its room stays. False: it is
// shared, or NULL, and is as it was.
bool net_buffer_reuse(NetBuffer *buffer);

// Gives one reference back; the last one frees. NULL does nothing.
void net_buffer_release(NetBuffer *buffer);

const char *net_buffer_data(const NetBuffer *buffer);
size_t net_buffer_length(const NetBuffer *buffer);
