// stream.frame lines: most of the bytes that the server sends.
#include "protocol/frame.h"

#include <string.h>

enum { BONES_AT_ONCE = 8, POINTS_AT_ONCE = 64 };

static void write_count(TextBuffer *text, const char *member, int64_t value);
static void write_bones(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame);
static void write_matrices(TextBuffer *text, const ProtocolView *view, const float *matrices[], size_t count);
static void write_trs(TextBuffer *text, const ProtocolView *view, const float *const matrices[],
                      size_t count);
static void write_points(TextBuffer *text, const ProtocolView *view, const char *member,
                         const ProtocolPoints *garments, size_t count);
static void write_wrinkles(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame);

void protocol_write_frame_head(TextBuffer *text, const ProtocolFrame *frame) {
    write_count(text, "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":", frame->view);
    text_buffer_append_string(text, ",\"character\":");
    text_buffer_append_quoted(text, frame->character);
    write_count(text, ",\"revision\":", frame->revision);
    write_count(text, ",\"tick\":", (int64_t)frame->tick);
    text_buffer_append_string(text, ",\"time\":");
    text_buffer_append_double(text, (double)frame->tick / frame->tick_rate);
    if (frame->has_sequence) write_count(text, ",\"sequence\":", frame->sequence);
}

void protocol_write_frame_body(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame) {
    write_bones(text, view, frame);
    if (view->particles) {
        write_points(text, view, ",\"particles\":{", frame->particles, frame->particles_count);
    }
    if (view->references) {
        write_points(text, view, ",\"references\":{", frame->references, frame->references_count);
    }
    if (view->wrinkles) write_wrinkles(text, view, frame);
    text_buffer_append_string(text, "}}\n");
}

static void write_count(TextBuffer *text, const char *member, int64_t value) {
    text_buffer_append_string(text, member);
    text_buffer_append_integer(text, value);
}

static void write_bones(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame) {
    text_buffer_append_string(text, frame->selection_count > 0 ? ",\"bones\":[[" : ",\"bones\":[");
    for (size_t first = 0; first < frame->selection_count; first += BONES_AT_ONCE) {
        const float *bones[BONES_AT_ONCE];
        size_t some =
            frame->selection_count - first < BONES_AT_ONCE ? frame->selection_count - first : BONES_AT_ONCE;
        for (size_t k = 0; k < some; k++)
            bones[k] = frame->bones[frame->selection ? frame->selection[first + k] : first + k];
        if (first > 0) text_buffer_append(text, "],[", 3);
        if (view->layout == PROTOCOL_LAYOUT_TRS)
            write_trs(text, view, bones, some);
        else
            write_matrices(text, view, bones, some);
    }
    text_buffer_append_string(text, frame->selection_count > 0 ? "]]" : "]");
}

static void write_matrices(TextBuffer *text, const ProtocolView *view, const float *matrices[],
                           size_t count) {
    float converted[BONES_AT_ONCE][16];
    for (size_t i = 0; i < count && view->axes != PROTOCOL_AXES_GLTF; i++) {
        protocol_axes_matrix(view->axes, matrices[i], converted[i]);
        matrices[i] = converted[i];
    }
    text_buffer_append_fixed_matrices(text, matrices, count, view->precision);
}

static void write_trs(TextBuffer *text, const ProtocolView *view, const float *const matrices[],
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        float trs[10];
        protocol_decompose(matrices[i], trs, trs + 3, trs + 7);
        protocol_axes_position(view->axes, trs, trs);
        protocol_axes_quaternion(view->axes, trs + 3, trs + 3);
        protocol_axes_scale(view->axes, trs + 7, trs + 7);
        if (i > 0) text_buffer_append(text, "],[", 3);
        text_buffer_append_fixed(text, trs, 10, view->precision);
    }
}

static void write_points(TextBuffer *text, const ProtocolView *view, const char *member,
                         const ProtocolPoints *garments, size_t count) {
    text_buffer_append_string(text, member);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) text_buffer_append_char(text, ',');
        text_buffer_append_quoted(text, garments[i].garment);
        text_buffer_append_string(text, ":[");
        for (size_t first = 0; first < garments[i].count; first += POINTS_AT_ONCE) {
            float converted[POINTS_AT_ONCE][3];
            size_t some =
                garments[i].count - first < POINTS_AT_ONCE ? garments[i].count - first : POINTS_AT_ONCE;
            for (size_t k = 0; k < some; k++) {
                protocol_axes_position(view->axes, garments[i].positions[first + k], converted[k]);
            }
            if (first > 0) text_buffer_append_char(text, ',');
            text_buffer_append_fixed(text, converted[0], 3 * some, view->precision);
        }
        text_buffer_append_char(text, ']');
    }
    text_buffer_append_char(text, '}');
}

static void write_wrinkles(TextBuffer *text, const ProtocolView *view, const ProtocolFrame *frame) {
    text_buffer_append_string(text, ",\"wrinkles\":{");
    for (size_t i = 0; i < frame->wrinkles_count; i++) {
        const ProtocolWrinkles *garment = &frame->wrinkles[i];
        if (i > 0) text_buffer_append_char(text, ',');
        text_buffer_append_quoted(text, garment->garment);
        text_buffer_append_string(text, ":{\"warp\":[");
        text_buffer_append_fixed(text, garment->warp, garment->count, view->precision);
        text_buffer_append_string(text, "],\"weft\":[");
        text_buffer_append_fixed(text, garment->weft, garment->count, view->precision);
        text_buffer_append_string(text, "]}");
    }
    text_buffer_append_char(text, '}');
}
