// Messages out: replies, batches of replies, requests, notifications. Each function appends one compact line
// with its "\n"; a transport with its own framing leaves that byte out. Check text->failed before sending.
#pragma once

#include "protocol/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>

// `id` is the request's, as ProtocolRequest holds it; NULL is written as null.
void protocol_write_result(TextBuffer *text, const char *id, const cJSON *result);

// The same for a result that is JSON text already, such as a description.
void protocol_write_result_text(TextBuffer *text, const char *id, const char *json, size_t length);

// The result {"tick":N} of most commands.
void protocol_write_result_tick(TextBuffer *text, const char *id, uint64_t tick);

void protocol_write_error(TextBuffer *text, const char *id, const ProtocolError *error);

// The reply of another server, a line that was written with the id NULL, with this id in its place.
void protocol_write_forwarded(TextBuffer *text, const char *id, const char *line, size_t length);

// A request. `id` and `params` are JSON text; params NULL: without.
void protocol_write_request(TextBuffer *text, const char *id, const char *method, const char *params);

// A notification, such as server.hello or an event.
void protocol_write_notification(TextBuffer *text, const char *method, const cJSON *params);

// Collects the replies of a batch, in any order; each `reply` is a line written by a function above. `end`
// closes the array. A batch without replies stays empty: send nothing.
void protocol_batch_add(TextBuffer *batch, const TextBuffer *reply);
void protocol_batch_end(TextBuffer *batch);

// A tree as compact JSON, without "\n". Whole numbers below 2^53 are written as integers, others with the
// fewest digits that give back the double (see text_double_from_float). Numbers must be finite.
void protocol_write_json(TextBuffer *text, const cJSON *json);

// Whether all its numbers are finite; those that a text has too large are not.
bool protocol_json_is_finite(const cJSON *json);
