// Words for error messages: what a parameter should have been, and what came instead.
#pragma once

#include "protocol/methods.h"

#include <text/buffer.h>

// As "an integer from 2 to 7", "a number from 0 to 10 s", "[x,y,z], each a number from -300 to 300 m/s".
void protocol_describe_expected(TextBuffer *text, const ProtocolParam *param);

// As "9", "\"unrael\"", "an array of 2", "an object".
void protocol_describe_found(TextBuffer *text, const cJSON *value);
