// Words for error messages: the expected and the given value of a parameter.
#pragma once

#include "protocol/methods.h"

#include <text/buffer.h>

// Such as "an integer from 2 to 7", "a number from 0 to 10 s", "[x,y,z], each a number from -300 to 300 m/s".
void protocol_describe_expected(TextBuffer *text, const ProtocolParam *param);

// Such as "9", "\"unrael\"", "an array of 2", "an object".
void protocol_describe_found(TextBuffer *text, const cJSON *value);
