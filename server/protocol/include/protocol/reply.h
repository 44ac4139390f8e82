// Messages out: replies, batches of them, notifications and events. Each builder appends one compact line
// with its
// "\n"; transports that frame by themselves send one byte less. Check text->failed before sending.
#pragma once

#include "protocol/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>

// `id` is the request's, as ProtocolRequest holds it; NULL is written as null.
void protocol_write_result(TextBuffer *text, const char *id, const cJSON *result);

// The result as JSON text that is already written (descriptions).
void protocol_write_result_text(TextBuffer *text, const char *id, const char *json, size_t length);

// {"tick":N}, what most commands answer.
void protocol_write_result_tick(TextBuffer *text, const char *id, uint64_t tick);

void protocol_write_error(TextBuffer *text, const char *id, const ProtocolError *error);

// A notification: server.hello and all events.
void protocol_write_notification(TextBuffer *text, const char *method, const cJSON *params);

// Gathers the replies of a batch, in any order and over any time: each `reply` is a line that the functions
// above wrote. `end` closes the array; a batch without replies stays empty, and nothing is to be sent.
void protocol_batch_add(TextBuffer *batch, const TextBuffer *reply);
void protocol_batch_end(TextBuffer *batch);

// A tree as compact JSON, without "\n". Whole numbers below 2^53 as integers, others with the fewest digits
// that give back the double (see text_double_from_float). Numbers must be finite.
void protocol_write_json(TextBuffer *text, const cJSON *json);
