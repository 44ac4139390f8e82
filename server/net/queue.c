// A ring of buffers.

#include "queue.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 8 };

static bool grow(NetQueue *queue);

void net_queue_finish(NetQueue *queue) {
    for (NetBuffer *buffer; (buffer = net_queue_pop(queue));) net_buffer_release(buffer);
    free(queue->ring);
    *queue = (NetQueue){0};
}

bool net_queue_push(NetQueue *queue, NetBuffer *buffer) {
    if (queue->count == queue->capacity && !grow(queue)) return false;
    queue->ring[(queue->first + queue->count++) & (queue->capacity - 1)] = net_buffer_retain(buffer);
    queue->bytes += net_buffer_length(buffer);
    return true;
}

NetBuffer *net_queue_pop(NetQueue *queue) {
    if (queue->count == 0) return NULL;
    NetBuffer *buffer = queue->ring[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    queue->bytes -= net_buffer_length(buffer);
    return buffer;
}

static bool grow(NetQueue *queue) {
    size_t capacity = queue->capacity > 0 ? queue->capacity * 2 : FIRST_CAPACITY;
    NetBuffer **ring = malloc(capacity * sizeof *ring);
    if (!ring) return false;
    for (size_t i = 0; i < queue->count; i++)
        ring[i] = queue->ring[(queue->first + i) & (queue->capacity - 1)];
    free(queue->ring);
    queue->ring = ring;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}
