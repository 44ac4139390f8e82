// HTTP requests and WebSocket frames: a stream cut into any pieces gives what it gives in one.
//
// Input: a byte that chooses requests (even) or frames (odd), one of the longest message, one that seeds how
// the stream is cut, the stream.
#include "fuzz.h"
#include "http/request.h"
#include "http/websocket.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_RESULTS = 4096 };

// What a reading has given, as text.
typedef struct Results {
    char text[MOST_RESULTS];
    size_t length;
} Results;

static void add(Results *results, char kind, const char *bytes, size_t length) {
    if (results->length + length + 1 > sizeof results->text) return;
    results->text[results->length++] = kind;
    if (length > 0) memcpy(results->text + results->length, bytes, length);
    results->length += length;
}

static size_t next_piece(uint32_t *random, size_t left) {
    if (*random == 0) return left;            // all at once
    *random = *random * 1664525 + 1013904223; // Numerical Recipes' generator
    const size_t piece = 1 + (*random >> 16) % (*random >> 31 ? 5 : 700);
    return piece < left ? piece : left;
}

static void read_requests(const char *bytes, size_t length, uint32_t random, Results *results) {
    static NetRequest request;
    net_request_init(&request);
    while (length > 0) {
        const size_t piece = next_piece(&random, length);
        char *copy = malloc(piece); // reading past it is seen
        memcpy(copy, bytes, piece);
        for (size_t taken = 0; taken < piece && request.error == 0;) {
            taken += net_request_feed(&request, copy + taken, piece - taken);
            if (!request.is_whole || request.error != 0) continue;
            add(results, request.wants_upgrade ? 'u' : 'r', request.target, strlen(request.target));
            for (int i = 0; i < NET_HEADER_COUNT; i++) {
                FUZZ_CHECK(strlen(request.values[i]) <= request.lengths[i], "header %d", i);
                add(results, 'h', request.values[i], request.lengths[i]);
            }
            net_request_init(&request);
        }
        free(copy);
        bytes += piece;
        length -= piece;
    }
}

static void read_frames(const char *bytes, size_t length, size_t max_message, uint32_t random,
                        Results *results) {
    NetWebSocket socket;
    NetWebSocketEvent event = NET_WEBSOCKET_MORE;
    FUZZ_CHECK(net_websocket_init(&socket, max_message), "out of memory");
    while (length > 0 && event != NET_WEBSOCKET_FAILED) {
        const size_t piece = next_piece(&random, length);
        char *copy = malloc(piece);
        memcpy(copy, bytes, piece);
        size_t taken = 0;
        do {
            size_t some;
            event = net_websocket_read(&socket, copy + taken, piece - taken, &some);
            taken += some;
            FUZZ_CHECK(socket.length <= max_message, "%zu bytes", socket.length);
            if (event == NET_WEBSOCKET_MESSAGE) {
                FUZZ_CHECK(socket.message[socket.length] == '\0', "no NUL behind the message");
                add(results, 'm', socket.message, socket.length);
            } else if (event == NET_WEBSOCKET_FAILED) {
                add(results, (char)('A' + (int)socket.failure), NULL, 0);
            } else if (event != NET_WEBSOCKET_MORE) {
                add(results, (char)('0' + (int)event), socket.control, socket.control_length);
            }
        } while (event != NET_WEBSOCKET_MORE && event != NET_WEBSOCKET_FAILED);
        free(copy);
        bytes += piece;
        length -= piece;
    }
    net_websocket_finish(&socket);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Results whole, cut;
    if (size < 4) return 0;
    const char *stream = (const char *)data + 3;
    const size_t length = size - 3;
    whole.length = cut.length = 0;
    if (data[0] % 2 == 0) {
        if (length > NET_REQUEST_HEAD_BYTES) return 0; // that limit is seen when a piece has been read
        read_requests(stream, length, 0, &whole);
        read_requests(stream, length, data[2] + 1U, &cut);
    } else {
        read_frames(stream, length, data[1] + 1U, 0, &whole);
        read_frames(stream, length, data[1] + 1U, data[2] + 1U, &cut);
    }
    FUZZ_CHECK(whole.length == cut.length && memcmp(whole.text, cut.text, cut.length) == 0,
               "%.*s instead of %.*s", (int)cut.length, cut.text, (int)whole.length, whole.text);
    return 0;
}
