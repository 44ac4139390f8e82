// Documents for Unreal's JSON Live Link plug-in. What it reads: FJSONLiveLinkSource::HandleReceivedData in
// https://github.com/ue4plugins/JSONLiveLink.
#include "protocol/livelink.h"

#include "protocol/axes.h"

#include <string.h>
#include <text/utf8.h>

enum {
    LOCATION_DECIMALS = 5, // 0.1 µm: a chain of 25 bones adds up to at most 1.3 µm
    ROTATION_DECIMALS = 7, // each turns all that hangs on the bone: 0.2 µm at 1 m
    SCALE_DECIMALS = 6,    // and stretches it: 0.5 µm at 1 m; a float32's noise about 1 is not written
    // The longest text around the name: the members and commas, a parent of 6 digits, three numbers such as
    // -9999999.99999, four such as -0.9999999 and three such as -99.999999.
    BONE_BYTES = 68 + 6 + 3 * 14 + 4 * 10 + 3 * 10,
    NOT_SELECTED = -1,
    SELECTED = -2
};

static bool select_bones(ProtocolLiveLink *subject, size_t *out_end);
static bool select_bone(ProtocolLiveLinkBone *bones, size_t bone, size_t *room);
static void write_bone(TextBuffer *text, const ProtocolLiveLinkBone *bones, size_t bone);
static void append_ascii(TextBuffer *text, const char *name);
static size_t ascii_length(const char *name);

bool protocol_livelink_write(ProtocolLiveLink *subject, TextBuffer *text) {
    ProtocolLiveLinkBone *bones = subject->bones;
    size_t end;
    if (!select_bones(subject, &end)) return false;
    text_buffer_clear(text);
    text_buffer_append_string(text, "{\"");
    append_ascii(text, subject->character);
    if (++subject->parts > 1) {
        text_buffer_append_char(text, '['); // in no character's name
        text_buffer_append_integer(text, subject->parts);
        text_buffer_append_char(text, ']');
    }
    text_buffer_append_string(text, "\":[");
    int count = 0;
    for (size_t i = 0; i < end; i++) {
        if (bones[i].index != SELECTED) continue;
        if (count > 0) text_buffer_append_char(text, ',');
        bones[i].index = count++;
        write_bone(text, bones, i);
    }
    text_buffer_append_string(text, "]}");
    subject->next = end;
    return true;
}

// Selects as many bones from `next` on as fit, each with its ancestors; `out_end` is the first one left for
// later. False: there is none.
static bool select_bones(ProtocolLiveLink *subject, size_t *out_end) {
    size_t room = PROTOCOL_LIVELINK_BYTES - sizeof "{\"[999999]\":[]}" - ascii_length(subject->character);
    bool any = false;
    for (size_t i = 0; i < subject->bone_count; i++) subject->bones[i].index = NOT_SELECTED;
    size_t i = subject->next;
    for (; i < subject->bone_count; i++) {
        const bool fits = select_bone(subject->bones, i, &room);
        if (!fits && any) break;
        if (!fits) subject->left_out++; // not even alone
        any |= fits;
    }
    *out_end = i;
    return any;
}

static bool select_bone(ProtocolLiveLinkBone *bones, size_t bone, size_t *room) {
    size_t left = *room;
    for (int i = (int)bone; i >= 0 && bones[i].index == NOT_SELECTED; i = bones[i].parent) {
        const size_t needed = BONE_BYTES + ascii_length(bones[i].name);
        if (needed > left) return false;
        left -= needed;
    }
    for (int i = (int)bone; i >= 0 && bones[i].index == NOT_SELECTED; i = bones[i].parent)
        bones[i].index = SELECTED;
    *room = left;
    return true;
}

static void write_bone(TextBuffer *text, const ProtocolLiveLinkBone *bones, size_t bone) {
    const int parent = bones[bone].parent;
    float trs[10];
    protocol_decompose(bones[bone].matrix, trs, trs + 3, trs + 7);
    protocol_axes_position(PROTOCOL_AXES_UNREAL, trs, trs);
    protocol_axes_quaternion(PROTOCOL_AXES_UNREAL, trs + 3, trs + 3);
    protocol_axes_scale(PROTOCOL_AXES_UNREAL, trs + 7, trs + 7);
    text_buffer_append_string(text, "{\"Name\":\"");
    append_ascii(text, bones[bone].name);
    text_buffer_append_string(text, "\",\"Parent\":");
    text_buffer_append_integer(text, parent < 0 ? -1 : bones[parent].index);
    text_buffer_append_string(text, ",\"Location\":[");
    text_buffer_append_fixed(text, trs, 3, LOCATION_DECIMALS);
    text_buffer_append_string(text, "],\"Rotation\":[");
    text_buffer_append_fixed(text, trs + 3, 4, ROTATION_DECIMALS);
    text_buffer_append_string(text, "],\"Scale\":[");
    text_buffer_append_fixed(text, trs + 7, 3, SCALE_DECIMALS);
    text_buffer_append_string(text, "]}");
}

static bool is_plain(char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void append_unit(TextBuffer *text, uint32_t unit) {
    static const char hex[] = "0123456789abcdef";
    const char escape[6] = {
        '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    text_buffer_append(text, escape, sizeof escape);
}

// The plug-in takes each byte for a character, so other characters than ASCII are written as UTF-16 escapes.
static void append_ascii(TextBuffer *text, const char *name) {
    const size_t length = strlen(name);
    for (size_t at = 0; at < length;) {
        const size_t size = text_utf8_length(name + at, length - at);
        if (is_plain(name[at])) {
            text_buffer_append_char(text, name[at]);
        } else {
            const uint32_t code = size > 0 ? text_utf8_code_point(name + at, size) : 0xFFFD;
            if (code >= 0x10000) append_unit(text, 0xD7C0 + (code >> 10)); // 0xD800 less 0x10000 >> 10
            append_unit(text, code >= 0x10000 ? 0xDC00 | (code & 0x3FF) : code);
        }
        at += size > 0 ? size : 1;
    }
}

// The most bytes that append_ascii may write.
static size_t ascii_length(const char *name) {
    size_t length = 0;
    for (const char *c = name; *c; c++) length += is_plain(*c) ? 1 : 6;
    return length;
}
