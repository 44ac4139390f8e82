// A stream socket, TCP or Unix, as a transport. A codec cuts what it receives into messages and frames what
// it sends.
#pragma once

#include "transport.h"

typedef struct NetStream NetStream;

enum { NET_FRAME_HEADER = 10 }; // bytes at most

// How a buffer is written: `header` before it, and its last `trim` bytes left out.
typedef struct NetFrame {
    unsigned char header[NET_FRAME_HEADER];
    size_t header_length;
    size_t trim;
} NetFrame;

struct NetCodec {
    size_t size; // of the codec's own struct, which begins with a NetStream

    // The peer is accepted: begins its connection.
    void (*open)(NetStream *stream, const NetListener *listener);

    // Holds received bytes until deliver. Returns false when memory runs out.
    bool (*receive)(NetStream *stream, const char *bytes, size_t length);

    // Delivers messages while net_connection_wants_messages, and, once stream->saw_end and after the last
    // message, net_connection_ended.
    void (*deliver)(NetStream *stream);

    // Bytes held, waiting for deliver.
    size_t (*held)(const NetStream *stream);

    // The peer has ended in order. Whether something is left to deliver first.
    bool (*receive_end)(NetStream *stream);

    // The functions below may be NULL.
    void (*frame)(const NetStream *stream, const NetBuffer *buffer, NetFrame *out_frame);

    // The last thing to write before the sending side is shut down; NULL: nothing. The caller takes over the
    // reference.
    NetBuffer *(*farewell)(NetStream *stream);

    // Checks the codec's own time limits.
    void (*check)(NetStream *stream, unsigned elapsed_ms);

    // Releases what the codec holds.
    void (*finish)(NetStream *stream);
};

typedef struct NetOutgoing {
    NetBuffer *buffer;
    NetFrame frame;
} NetOutgoing;

struct NetStream {
    NetConnection base;
    const NetCodec *codec;
    NetHandle handle;
    uv_write_t write_request;
    uv_shutdown_t shutdown_request;
    NetOutgoing batch[NET_BATCH_COUNT]; // that write_request refers to
    size_t batch_count;
    size_t batch_bytes; // of the batch when the write began
    bool is_reading;    // uv_read_start is in force
    bool saw_end;       // nothing more comes from the socket
    size_t dropped;     // bytes received while it ends, max_drain at most
};

extern const NetTransport net_stream_transport;

// Accepts the peer that waits at the listener, for its codec; a failure is logged. Returns false when memory
// runs out, and the peer stays in the queue.
bool net_stream_accept(NetServer *server, NetListener *listener);
