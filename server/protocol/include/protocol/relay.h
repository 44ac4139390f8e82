// Lines of stream.frame and stream.static that another server has written, as they are handed on: the number
// of the view is replaced, all else is copied.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>
#include <text/glob.h>

typedef struct ProtocolRelay {
    const char *line; // [length], without its end
    size_t length;
    bool is_static;
    int view;
    size_t view_begin, view_end; // of its number in the line
    char character[TEXT_NAME_BYTES + 1];
    uint64_t revision;
    uint64_t tick;      // of a frame
    size_t description; // where `,"description":` begins; 0: there is none
    size_t meshes;      // where `,"meshes":` begins in it, if it has any
} ProtocolRelay;

// False: it is no such line. It outlives the line as far as `line` is not used.
bool protocol_relay_read(ProtocolRelay *relay, const char *line, size_t length);

typedef enum ProtocolRelayPart {
    PROTOCOL_RELAY_BARE,      // a static line without its description
    PROTOCOL_RELAY_DESCRIBED, // of one with meshes all but these
    PROTOCOL_RELAY_WHOLE,
} ProtocolRelayPart;

// Appends the line with that view, and its end.
void protocol_relay_write(TextBuffer *text, const ProtocolRelay *relay, int view, ProtocolRelayPart part);
