// An outgoing message: bytes that are written once, then shared by all connections that send them. A
// broadcast is one buffer. The reference count is not atomic: a shared buffer belongs to the loop's thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/buffer.h>

typedef struct NetBuffer NetBuffer;

// A new, empty buffer with one reference, the caller's. `capacity` in bytes, a hint: it grows. Returns NULL
// when memory runs out.
NetBuffer *net_buffer_create(size_t capacity);

// A buffer that holds a copy of `bytes`. Returns NULL when memory runs out.
NetBuffer *net_buffer_create_copy(const char *bytes, size_t length);
// The same of a whole text; NULL as well where it has failed.
NetBuffer *net_buffer_create_text(const TextBuffer *text);

// Appends a copy of `bytes`. Returns false when memory runs out, and the buffer is unchanged. Only a buffer
// with one reference may be written to.
bool net_buffer_append(NetBuffer *buffer, const char *bytes, size_t length);

// Room for `size` more bytes at the end, to print into; NULL when memory runs out. The bytes count after
// net_buffer_commit, which takes at most as many as were reserved last.
char *net_buffer_reserve(NetBuffer *buffer, size_t size);
void net_buffer_commit(NetBuffer *buffer, size_t size);

// Adds a reference. Returns `buffer`; NULL stays NULL.
NetBuffer *net_buffer_retain(NetBuffer *buffer);

// Empties a buffer with one reference for the next message; its memory stays. False: it is shared or NULL,
// and unchanged.
bool net_buffer_reuse(NetBuffer *buffer);

// Exchanges bytes and memory with a text, which is not failed afterwards: to write a message in place, call
// it before and after. For a buffer with one reference.
void net_buffer_exchange(NetBuffer *buffer, TextBuffer *text);

// Whether there are more references than one.
bool net_buffer_is_shared(const NetBuffer *buffer);

// Drops a reference; the last one frees the buffer. NULL does nothing.
void net_buffer_release(NetBuffer *buffer);

const char *net_buffer_data(const NetBuffer *buffer);
size_t net_buffer_length(const NetBuffer *buffer);

// A raw buffer is written as it is: an HTTP response, a WebSocket's control frame. For the layer itself.
void net_buffer_mark_raw(NetBuffer *buffer);
bool net_buffer_is_raw(const NetBuffer *buffer);
