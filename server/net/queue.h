// Buffers in order: a ring that grows. Owns one reference of each.
#pragma once

#include "net/buffer.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct NetQueue {
    NetBuffer **ring;
    size_t capacity; // a power of two, or 0
    size_t first, count;
    size_t bytes; // of all buffers in it
} NetQueue;

// An empty queue is all zero. Releases its buffers and leaves it empty.
void net_queue_finish(NetQueue *queue);

// Adds a reference. Returns false when memory runs out, and the queue is unchanged.
bool net_queue_push(NetQueue *queue, NetBuffer *buffer);

// The oldest; the caller takes over its reference. NULL: empty.
NetBuffer *net_queue_pop(NetQueue *queue);
