// stream.frame: one character at one tick in one view, written straight into text.
#pragma once

#include "protocol/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>

// Points of a garment's particles, canonical axes.
typedef struct ProtocolPoints {
    const char *garment;
    const float (*positions)[3]; // [count], metres, in the view's space (model where that is parent)
    size_t count;
} ProtocolPoints;

// How much a garment is folded at each of its bones, 0 to 1, along the columns and along the rows. All bones
// of the garment are listed, also those that the view leaves out.
typedef struct ProtocolWrinkles {
    const char *garment;
    const float *warp, *weft; // [count], in the order of the garment's bones in character.describe
    size_t count;
} ProtocolWrinkles;

typedef struct ProtocolFrame {
    int view;              // its id
    const char *character; // name
    uint32_t revision;     // of the static data that `bones` follow
    uint64_t tick;
    double tick_rate;  // Hz; time is tick / tick_rate
    bool has_sequence; // of the last character.pose that is in this tick
    int64_t sequence;

    const float (*bones)[16];        // column-major, in the view's space, canonical axes, metres, finite
    const size_t *selection;         // [selection_count] indices into bones, in order; NULL = the first ones
    size_t selection_count;          // bones written
    const ProtocolPoints *particles; // [particles_count]; written when the view asks for them, {} when none
    size_t particles_count;
    const ProtocolPoints *references; // likewise
    size_t references_count;
    const ProtocolWrinkles *wrinkles; // likewise
    size_t wrinkles_count;
} ProtocolFrame;

// A line is a head and a body, which ends with "\n". The head has the names and numbers of the tick and uses
// nothing below `sequence`. The body, in the view's axes, layout and precision, is the same text while the
// character does not change.
void protocol_write_frame_head(TextBuffer *text, const ProtocolFrame *frame);
void protocol_write_frame_body(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame);
