// Words for error messages: the expected and the given value of a parameter.
#include "methods/describe.h"

#include <math.h>

static void append_range(TextBuffer *text, const ProtocolParam *param);
static void append_number(TextBuffer *text, const ProtocolParam *param);
static void append_choices(TextBuffer *text, const ProtocolParam *param);
static void append_compound(TextBuffer *text, const ProtocolParam *param);

void protocol_describe_expected(TextBuffer *text, const ProtocolParam *param) {
    switch (param->type) {
    case PROTOCOL_TYPE_NAME:
        text_buffer_append_string(text, "a name (a string of 1 to 64 bytes without * ? [)");
        break;
    case PROTOCOL_TYPE_STRING:
        text_buffer_append_string(text, "a string");
        append_range(text, param);
        text_buffer_append_string(text, " bytes");
        break;
    case PROTOCOL_TYPE_BOOL:
        text_buffer_append_string(text, "true or false");
        break;
    case PROTOCOL_TYPE_INTEGER:
        text_buffer_append_string(text, "an integer");
        append_range(text, param);
        break;
    case PROTOCOL_TYPE_NUMBER:
        append_number(text, param);
        break;
    case PROTOCOL_TYPE_NUMBER_OR_FALSE:
        append_number(text, param);
        text_buffer_append_string(text, ", or false");
        break;
    case PROTOCOL_TYPE_ENUM:
        append_choices(text, param);
        break;
    case PROTOCOL_TYPE_PATTERN:
        text_buffer_append_string(text, "a name or pattern (a string of 1 to 64 bytes, each [ with its ])");
        break;
    default:
        append_compound(text, param);
        break;
    }
}

void protocol_describe_found(TextBuffer *text, const cJSON *value) {
    if (cJSON_IsString(value)) {
        text_buffer_append_excerpt(text, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        if (isfinite(value->valuedouble))
            text_buffer_append_double(text, value->valuedouble);
        else
            text_buffer_append_string(text, "a number beyond all doubles");
    } else if (cJSON_IsBool(value)) {
        text_buffer_append_string(text, cJSON_IsTrue(value) ? "true" : "false");
    } else if (cJSON_IsNull(value)) {
        text_buffer_append_string(text, "null");
    } else if (cJSON_IsArray(value)) {
        text_buffer_append_string(text, "an array of ");
        text_buffer_append_integer(text, cJSON_GetArraySize(value));
    } else {
        text_buffer_append_string(text, "an object");
    }
}

static void append_range(TextBuffer *text, const ProtocolParam *param) {
    text_buffer_append_string(text, " from ");
    text_buffer_append_double(text, param->minimum);
    text_buffer_append_string(text, " to ");
    text_buffer_append_double(text, param->maximum);
    if (param->unit) text_buffer_append_string(text, " ");
    if (param->unit) text_buffer_append_string(text, param->unit);
}

static void append_number(TextBuffer *text, const ProtocolParam *param) {
    text_buffer_append_string(text, param->minimum == param->maximum ? "a finite number" : "a number");
    if (param->minimum != param->maximum) append_range(text, param);
}

// "a", "b" or "c"
static void append_choices(TextBuffer *text, const ProtocolParam *param) {
    for (const char *const *choice = param->choices; *choice; choice++) {
        if (choice != param->choices) text_buffer_append_string(text, choice[1] ? ", " : " or ");
        text_buffer_append_quoted(text, *choice);
    }
}

// Types made of other values.
static void append_compound(TextBuffer *text, const ProtocolParam *param) {
    switch (param->type) {
    case PROTOCOL_TYPE_VEC3:
        text_buffer_append_string(text, "[x,y,z], each ");
        append_number(text, param);
        break;
    case PROTOCOL_TYPE_QUATERNION:
        text_buffer_append_string(text, "a quaternion [x,y,z,w], each ");
        append_number(text, param);
        text_buffer_append_string(text, ", its length at least 0.001");
        break;
    case PROTOCOL_TYPE_ENUM_LIST:
        text_buffer_append_string(text, "an array, each entry ");
        append_choices(text, param);
        break;
    case PROTOCOL_TYPE_PATTERN_LIST:
        text_buffer_append_string(text, "an array of at most 256 names or patterns");
        break;
    case PROTOCOL_TYPE_NAME_LIST:
        text_buffer_append_string(text, "an array of at most 256 names");
        break;
    case PROTOCOL_TYPE_MAP:
        text_buffer_append_string(text, "an object of objects, each under a name");
        break;
    case PROTOCOL_TYPE_VALUES:
        text_buffer_append_string(text, "an object of numbers, or of objects of numbers");
        break;
    case PROTOCOL_TYPE_TABLE:
        text_buffer_append_string(text, "an object or an array");
        break;
    default:
        text_buffer_append_string(text, "an object");
        break;
    }
}
