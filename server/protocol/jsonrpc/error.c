// Builds errors.
#include "protocol/error.h"

#include "protocol/message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <text/buffer.h>
#include <text/number.h>
#include <text/utf8.h>

static void cut_to_fit(char *text, size_t written, size_t size);

void protocol_error_set(ProtocolError *error, int code, const char *path, const char *format, ...) {
    char message[PROTOCOL_ERROR_MESSAGE_BYTES]; // the arguments may lie in the error itself
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cut_to_fit(message, written < 0 ? 0 : (size_t)written, sizeof message);

    char own_path[PROTOCOL_ERROR_PATH_BYTES];
    written = snprintf(own_path, sizeof own_path, "%s", path ? path : "");
    cut_to_fit(own_path, written < 0 ? 0 : (size_t)written, sizeof own_path);

    error->code = code;
    error->traceback = NULL;
    memcpy(error->message, message, sizeof message);
    memcpy(error->path, own_path, sizeof own_path);
}

void protocol_error_not_found(ProtocolError *error, const char *path, const char *kind,
                              const TextNearest *nearest) {
    char hint[PROTOCOL_ERROR_MESSAGE_BYTES]; // names of scripts may be long
    text_nearest_hint(nearest, hint, sizeof hint);
    protocol_error_set(error, PROTOCOL_NOT_FOUND, path, "no %s \"%s\"%s", kind, nearest->name, hint);
}

void protocol_error_version(ProtocolError *error, double requested) {
    char number[TEXT_DOUBLE_BYTES + 1];
    number[text_write_double(number, requested)] = '\0';
    protocol_error_set(error, PROTOCOL_WRONG_VERSION, "params.protocol",
                       "protocol %s is not supported; this server has protocol %d", number, PROTOCOL_VERSION);
}

void protocol_error_role(ProtocolError *error, const char *method) {
    protocol_error_set(error, PROTOCOL_NOT_ALLOWED, "method",
                       "%s needs the role operator; this connection is an observer", method);
}

void protocol_error_no_role(ProtocolError *error, const char *method) {
    TextBuffer text = {0};
    text_buffer_append_excerpt(&text, method);
    protocol_error_set(error, PROTOCOL_NOT_ALLOWED, "method",
                       "%s needs a role; this connection has none until session.open gives its token",
                       text_buffer_string(&text));
    text_buffer_finish(&text);
}

// `written` is the length of the uncut text.
static void cut_to_fit(char *text, size_t written, size_t size) {
    static const char mark[] = "\xE2\x80\xA6";
    if (written < size) return;
    size_t kept = text_utf8_cut(text, size - sizeof mark);
    memcpy(text + kept, mark, sizeof mark);
}
