// Lines that are handed on. They have the form that frame.c and static.c write.
#include "protocol/relay.h"

#include <stdlib.h>
#include <string.h>

static const char frame_head[] = "{\"jsonrpc\":\"2.0\",\"method\":\"stream.frame\",\"params\":{\"view\":";
static const char static_head[] = "{\"jsonrpc\":\"2.0\",\"method\":\"stream.static\",\"params\":{\"view\":";

static const char *skip(const char *at, const char *end, const char *text);
static const char *read_number(const char *at, const char *end, uint64_t *out_number);
static const char *read_name(const char *at, const char *end, char out_name[TEXT_NAME_BYTES + 1]);
static size_t find(const char *line, size_t begin, size_t end, const char *text);
static size_t find_last(const char *line, size_t begin, size_t end, const char *text);

bool protocol_relay_read(ProtocolRelay *relay, const char *line, size_t length) {
    *relay = (ProtocolRelay){.line = line, .length = length};
    const char *end = line + length, *at = skip(line, end, frame_head);
    relay->is_static = !at;
    if (!at) at = skip(line, end, static_head);
    if (!at) return false;
    uint64_t view;
    relay->view_begin = (size_t)(at - line);
    if (!(at = read_number(at, end, &view)) || view > INT32_MAX) return false;
    relay->view = (int)view;
    relay->view_end = (size_t)(at - line);
    if (!(at = skip(at, end, ",\"character\":\"")) || !(at = read_name(at, end, relay->character)) ||
        !(at = skip(at, end, ",\"revision\":")) || !(at = read_number(at, end, &relay->revision)))
        return false;
    if (!relay->is_static) return (at = skip(at, end, ",\"tick\":")) && read_number(at, end, &relay->tick);
    // Quotes within a name are escaped, so neither text can be part of one.
    relay->description = find(line, (size_t)(at - line), length, "],\"description\":{");
    if (relay->description > 0) {
        relay->description++;
        relay->meshes = find_last(line, relay->description, length, "],\"meshes\":[");
        if (relay->meshes > 0) relay->meshes++;
    }
    return true;
}

// The description is the last member of a static line, and meshes are the last one of a description.
void protocol_relay_write(TextBuffer *text, const ProtocolRelay *relay, int view, ProtocolRelayPart part) {
    const bool without_description = part == PROTOCOL_RELAY_BARE && relay->description > 0;
    const bool without_meshes = part == PROTOCOL_RELAY_DESCRIBED && relay->meshes > 0;
    const size_t cut = without_description ? relay->description
                       : without_meshes    ? relay->meshes
                                           : relay->length;
    text_buffer_append(text, relay->line, relay->view_begin);
    text_buffer_append_integer(text, view);
    text_buffer_append(text, relay->line + relay->view_end, cut - relay->view_end);
    if (cut < relay->length) text_buffer_append_string(text, without_description ? "}}" : "}}}");
    text_buffer_append_char(text, '\n');
}

// Behind the text; NULL: something else stands there.
static const char *skip(const char *at, const char *end, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0 ? at + length : NULL;
}

static const char *read_number(const char *at, const char *end, uint64_t *out_number) {
    const char *begin = at;
    *out_number = 0;
    for (; at < end && *at >= '0' && *at <= '9' && at < begin + 19; at++)
        *out_number = 10 * *out_number + (uint64_t)(*at - '0');
    return at > begin ? at : NULL;
}

// Up to the closing quote and behind it. What text_buffer_append_quoted escapes: quotes, backslashes, control
// characters.
static const char *read_name(const char *at, const char *end, char out_name[TEXT_NAME_BYTES + 1]) {
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    size_t length = 0;
    for (; at < end && *at != '"' && length < TEXT_NAME_BYTES; at++) {
        char c = *at;
        if (c == '\\' && at + 1 < end) {
            const char *letter = memchr(letters, *++at, sizeof letters - 1);
            c = letter ? meant[letter - letters] : *at;
            if (*at == 'u') {
                char digits[5] = {0};
                if (end - at < 5) return NULL;
                memcpy(digits, at + 1, 4);
                c = (char)strtoul(digits, NULL, 16);
                at += 4;
            }
        }
        out_name[length++] = c;
    }
    out_name[length] = '\0';
    return at < end && *at == '"' ? at + 1 : NULL;
}

// 0: it is not there.
static size_t find(const char *line, size_t begin, size_t end, const char *text) {
    const size_t length = strlen(text);
    for (const char *at = line + begin; (at = memchr(at, text[0], (size_t)(line + end - at))); at++) {
        if ((size_t)(line + end - at) < length) break;
        if (memcmp(at, text, length) == 0) return (size_t)(at - line);
    }
    return 0;
}

// The first one may be a script's parameter of that name.
static size_t find_last(const char *line, size_t begin, size_t end, const char *text) {
    const size_t length = strlen(text);
    for (size_t at = end - length; at > begin; at--)
        if (line[at] == text[0] && memcmp(line + at, text, length) == 0) return at;
    return 0;
}
