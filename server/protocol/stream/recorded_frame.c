// Frames, read back from their JSON.
#include "protocol/recorded.h"
#include "stream/member_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_bones(ProtocolReader *reader, const cJSON *params, ProtocolLayout layout, size_t bone_count,
                       float (*out_bones)[16]);
static void make_unit(float q[4]);
static const ProtocolPoints *read_points(ProtocolReader *reader, const cJSON *params, const char *member,
                                         size_t *out_count);
static void read_wrinkles(ProtocolReader *reader, const cJSON *params, ProtocolFrame *frame);

bool protocol_read_frame(const cJSON *params, const ProtocolView *view, size_t bone_count,
                         ProtocolRecordedFrame *out_frame, ProtocolError *out_error) {
    *out_frame = (ProtocolRecordedFrame){0};
    ProtocolReader reader = {.axes = view->axes, .memory = &out_frame->memory, .error = out_error};
    ProtocolFrame *frame = &out_frame->frame;
    float(*bones)[16] = protocol_reader_allocate(&reader, bone_count, sizeof *bones);
    read_bones(&reader, params, view->layout, bone_count, bones);
    out_frame->bones = bones;
    frame->bones = (const float(*)[16])bones;
    frame->selection_count = bone_count;
    frame->character = protocol_read_string(&reader, params, "character");
    frame->revision = (uint32_t)protocol_read_integer(&reader, params, "revision", 0, UINT32_MAX);
    frame->tick = (uint64_t)protocol_read_integer(&reader, params, "tick", 0, 0x1p53);
    frame->has_sequence = cJSON_HasObjectItem(params, "sequence");
    if (frame->has_sequence)
        frame->sequence = (int64_t)protocol_read_integer(&reader, params, "sequence", -0x1p53, 0x1p53);
    frame->particles = read_points(&reader, params, "particles", &frame->particles_count);
    frame->references = read_points(&reader, params, "references", &frame->references_count);
    read_wrinkles(&reader, params, frame);
    if (reader.failed) protocol_recorded_frame_finish(out_frame);
    return !reader.failed;
}

void protocol_recorded_frame_finish(ProtocolRecordedFrame *frame) {
    protocol_memory_finish(&frame->memory);
    *frame = (ProtocolRecordedFrame){0};
}

bool protocol_read_frame_bones(const cJSON *params, const ProtocolView *view, size_t bone_count,
                               float (*out_bones)[16], ProtocolError *out_error) {
    ProtocolReader reader = {.axes = view->axes, .error = out_error};
    read_bones(&reader, params, view->layout, bone_count, out_bones);
    return !reader.failed;
}

static void read_bones(ProtocolReader *reader, const cJSON *params, ProtocolLayout layout, size_t bone_count,
                       float (*out_bones)[16]) {
    const bool is_trs = layout == PROTOCOL_LAYOUT_TRS;
    const size_t width = is_trs ? 10 : 16;
    size_t count;
    const cJSON *bone = protocol_read_list(reader, params, "bones", &count);
    if (!reader->failed && count != bone_count)
        protocol_reader_fail(reader, "bones", "as many bones as stream.static lists");
    for (size_t i = 0; i < bone_count && !reader->failed; i++, bone = bone->next) {
        float values[16];
        const cJSON *value = cJSON_IsArray(bone) ? bone->child : NULL;
        size_t read = 0;
        for (; read < width && protocol_is_number(value); value = value->next)
            values[read++] = (float)value->valuedouble;
        protocol_reader_enter(reader, "bones", i);
        if (read < width || value) protocol_reader_fail(reader, "", is_trs ? "10 numbers" : "16 numbers");
        if (reader->failed) break;
        if (is_trs) {
            protocol_axes_from_position(reader->axes, values, values);
            protocol_axes_from_quaternion(reader->axes, values + 3, values + 3);
            protocol_axes_from_scale(reader->axes, values + 7, values + 7);
            make_unit(values + 3);
            protocol_compose(values, values + 3, values + 7, out_bones[i]);
        } else {
            protocol_axes_from_matrix(reader->axes, values, out_bones[i]);
        }
    }
    reader->place[0] = '\0';
}

// A rotation is rounded on the wire; one of length 0 becomes none.
static void make_unit(float q[4]) {
    const float length = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length < 1e-3f) q[3] = 1.0f;
    for (int i = 0; i < 4; i++) q[i] = length < 1e-3f ? q[i] : q[i] / length;
}

// The first garment of an object that may be missing.
static const cJSON *read_garments(ProtocolReader *reader, const cJSON *params, const char *member,
                                  size_t *out_count) {
    const cJSON *garments = cJSON_GetObjectItemCaseSensitive(params, member);
    *out_count = 0;
    if (garments && !cJSON_IsObject(garments)) protocol_reader_fail(reader, member, "an object");
    if (!garments || reader->failed) return NULL;
    *out_count = (size_t)cJSON_GetArraySize(garments);
    snprintf(reader->place, sizeof reader->place, "%s.", member);
    return garments->child;
}

static const ProtocolPoints *read_points(ProtocolReader *reader, const cJSON *params, const char *member,
                                         size_t *out_count) {
    const cJSON *item = read_garments(reader, params, member, out_count);
    const cJSON *garments = cJSON_GetObjectItemCaseSensitive(params, member);
    ProtocolPoints *points = protocol_reader_allocate(reader, *out_count, sizeof *points);
    for (size_t i = 0; i < *out_count && !reader->failed; i++, item = item->next) {
        points[i].garment = protocol_reader_copy(reader, item->string);
        points[i].positions =
            (const float(*)[3])protocol_read_positions(reader, garments, item->string, &points[i].count);
    }
    reader->place[0] = '\0';
    return points;
}

static void read_wrinkles(ProtocolReader *reader, const cJSON *params, ProtocolFrame *frame) {
    const cJSON *item = read_garments(reader, params, "wrinkles", &frame->wrinkles_count);
    ProtocolWrinkles *wrinkles = protocol_reader_allocate(reader, frame->wrinkles_count, sizeof *wrinkles);
    for (size_t i = 0; i < frame->wrinkles_count && !reader->failed; i++, item = item->next) {
        size_t weft_count;
        snprintf(reader->place, sizeof reader->place, "wrinkles.%.64s.", item->string);
        wrinkles[i].garment = protocol_reader_copy(reader, item->string);
        wrinkles[i].warp = protocol_read_floats(reader, item, "warp", 1, &wrinkles[i].count);
        wrinkles[i].weft = protocol_read_floats(reader, item, "weft", 1, &weft_count);
        if (!reader->failed && weft_count != wrinkles[i].count)
            protocol_reader_fail(reader, "weft", "as many numbers as warp has");
    }
    reader->place[0] = '\0';
    frame->wrinkles = wrinkles;
}
