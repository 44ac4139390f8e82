// net's line splitting: a stream cut into any pieces, asked at any time, gives the lines that a plain reading
// of the whole stream gives.
//
// Input: a byte of the longest message, one that seeds how the stream is cut, one of how often it comes again
// (so that small inputs fill the framer's memory), the stream.
#include "framer.h"
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

typedef struct Stream {
    const char *bytes;
    size_t length, next; // of what a plain reading has not come to yet
    size_t max_message;
} Stream;

// The next line as it should come; its own bytes in the stream.
static NetFramerResult expect(Stream *stream, const char **out_line, size_t *out_length) {
    for (;;) {
        const char *line = stream->bytes + stream->next;
        const char *newline = memchr(line, '\n', stream->length - stream->next);
        if (!newline) return NET_FRAMER_MORE;
        size_t length = (size_t)(newline - line);
        stream->next += length + 1;
        if (length > 0 && line[length - 1] == '\r') length--;
        *out_line = line;
        *out_length = length;
        if (length > stream->max_message) return NET_FRAMER_TOO_LONG;
        if (length > 0) return NET_FRAMER_MESSAGE;
    }
}

// Takes the lines that are whole once `fed` bytes went in.
static void take_lines(NetFramer *framer, Stream *stream, size_t fed) {
    Stream so_far = *stream;
    so_far.length = fed;
    for (;;) {
        const char *line = NULL;
        char *message = NULL;
        size_t expected_length = 0, length = 0;
        const NetFramerResult expected = expect(&so_far, &line, &expected_length);
        const NetFramerResult result = net_framer_next(framer, &message, &length);
        FUZZ_CHECK(result == expected, "%d instead of %d after %zu bytes", result, expected, fed);
        if (result == NET_FRAMER_MORE) break;
        if (result == NET_FRAMER_TOO_LONG) continue;
        FUZZ_CHECK(length == expected_length && memcmp(message, line, length) == 0, "another line");
        FUZZ_CHECK(message[length] == '\0', "no NUL behind the line");
        message[0] = '?'; // the bytes are the taker's to change
    }
    stream->next = so_far.next;
    const size_t held = net_framer_held(framer);
    FUZZ_CHECK(held <= stream->max_message + 1, "%zu bytes held", held);
    net_looks_like_http(held ? net_framer_peek(framer) : "", held, stream->max_message);
}

static void feed_all(Stream *stream, uint32_t random, size_t most) {
    NetFramer framer;
    net_framer_init(&framer, stream->max_message);
    for (size_t fed = 0; fed < stream->length;) {
        random = random * 1664525 + 1013904223; // Numerical Recipes' generator
        size_t piece = 1 + (random >> 16) % most;
        if (piece > stream->length - fed) piece = stream->length - fed;
        char *copy = malloc(piece); // reading past it is seen
        memcpy(copy, stream->bytes + fed, piece);
        FUZZ_CHECK(net_framer_feed(&framer, copy, piece), "out of memory");
        free(copy);
        fed += piece;
        if (random >> 30 || fed == stream->length) take_lines(&framer, stream, fed); // else lines wait
    }
    net_framer_finish(&framer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    const size_t length = size - 3, times = 1 + data[2] % 32;
    char *bytes = malloc(times * length);
    for (size_t i = 0; i < times; i++) memcpy(bytes + i * length, data + 3, length);
    Stream stream = {.bytes = bytes, .length = times * length, .max_message = 1 + data[0] % 64};
    feed_all(&stream, data[1], data[1] < 64 ? 8 : data[1] < 128 ? 200 : 3000);
    free(bytes);
    return 0;
}
