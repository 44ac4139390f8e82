// Checks a message before it is parsed: cJSON accepts more than JSON, and takes 40 bytes of memory for each
// byte of "[0,0,0".
#pragma once

#include "protocol/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <text/buffer.h>

// Checks that the bytes are one JSON value within the limits (see protocol_message_read). Appends to `ids`
// one NUL-ended text for the top value, or for each element of a top array: the JSON text of its member "id"
// (the first of that name), "" where it has none or is no object. The error's path stays empty.
bool protocol_scan(const char *bytes, size_t length, TextBuffer *ids, ProtocolError *out_error);
