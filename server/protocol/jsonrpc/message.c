// Lines in: bytes to JSON-RPC 2.0 requests.
//
// A message is scanned before it is parsed, by RFC 8259's grammar and with limited depth: cJSON accepts more
// than JSON, and takes 40 bytes of memory for each byte of "[0,0,0".
#include "protocol/message.h"

#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>
#include <text/utf8.h>

enum { LONGEST_NUMBER = 63 }; // cJSON reads no more of one

typedef struct Scanner {
    const char *bytes;
    size_t length, at;
    int nesting;
    size_t values;
    TextBuffer *ids;
    ProtocolError *error;
} Scanner;

typedef enum Level { LEVEL_TOP, LEVEL_BATCH, LEVEL_INNER } Level; // of a value

static bool scan(const char *bytes, size_t length, TextBuffer *ids, ProtocolError *out_error);
static void skip_space(Scanner *scanner);
static bool accept(Scanner *scanner, char c);
static bool scan_value(Scanner *scanner, Level level);
static char peek(const Scanner *scanner);
static bool scan_object(Scanner *scanner, Level level);
static bool enter(Scanner *scanner);
static bool fault(Scanner *scanner, const char *what);
static bool scan_string(Scanner *scanner);
static bool scan_escape(Scanner *scanner);
static int read_hex(const Scanner *scanner, size_t at);
static bool says_id(const char *text, size_t length);
static bool leave(Scanner *scanner);
static bool scan_array(Scanner *scanner, Level level);
static bool scan_word(Scanner *scanner, const char *word);
static bool scan_number(Scanner *scanner);
static bool scan_digits(Scanner *scanner);
static bool check_shape(const ProtocolMessage *message, ProtocolError *out_error);
static bool invalid(ProtocolError *out_error, const char *path, const char *message);
static bool check_request(ProtocolRequest *request, ProtocolError *out_error);
static void out_of_memory(ProtocolError *out_error);

bool protocol_message_read(ProtocolMessage *message, const char *bytes, size_t length,
                           ProtocolError *out_error) {
    *message = (ProtocolMessage){0};
    if (scan(bytes, length, &message->ids, out_error)) {
        message->root = cJSON_ParseWithLengthOpts(bytes, length, NULL, false);
        message->batch = cJSON_IsArray(message->root);
        if (!message->root)
            out_of_memory(out_error); // its grammar is right
        else if (check_shape(message, out_error))
            return true;
    }
    protocol_message_finish(message);
    return false;
}

void protocol_message_finish(ProtocolMessage *message) {
    cJSON_Delete(message->root);
    text_buffer_finish(&message->ids);
    *message = (ProtocolMessage){0};
}

ProtocolNext protocol_message_next(ProtocolMessage *message, ProtocolRequest *out_request,
                                   ProtocolError *out_error) {
    cJSON *element = message->batch ? message->root->child : message->root;
    if (!element) return PROTOCOL_NEXT_NONE;
    if (message->batch)
        cJSON_DetachItemViaPointer(message->root, element);
    else
        message->root = NULL;

    const char *id = message->ids.bytes + message->next_id;
    size_t id_size = strlen(id) + 1;
    message->next_id += id_size;
    *out_request = (ProtocolRequest){.object = element};
    if (id_size > 1) {
        out_request->id = malloc(id_size);
        if (!out_request->id) {
            out_of_memory(out_error);
            return PROTOCOL_NEXT_INVALID;
        }
        memcpy(out_request->id, id, id_size);
    }
    return check_request(out_request, out_error) ? PROTOCOL_NEXT_REQUEST : PROTOCOL_NEXT_INVALID;
}

void protocol_request_finish(ProtocolRequest *request) {
    cJSON_Delete(request->object);
    free(request->id);
    *request = (ProtocolRequest){0};
}

// Checks that the bytes are one JSON value within the limits. Appends to `ids` one NUL-ended text for the top
// value, or for each element of a top array: the JSON text of its member "id" (the first of that name), ""
// where it has none or is no object. The error's path stays empty.
static bool scan(const char *bytes, size_t length, TextBuffer *ids, ProtocolError *out_error) {
    Scanner scanner = {.bytes = bytes, .length = length, .ids = ids, .error = out_error};
    skip_space(&scanner);
    if (!scan_value(&scanner, LEVEL_TOP)) return false;
    skip_space(&scanner);
    if (scanner.at < length) return fault(&scanner, "something after the value");
    if (ids->failed) out_of_memory(out_error);
    return !ids->failed;
}

static void skip_space(Scanner *scanner) {
    while (accept(scanner, ' ') || accept(scanner, '\t') || accept(scanner, '\n') || accept(scanner, '\r')) {
    }
}

static bool accept(Scanner *scanner, char c) {
    if (scanner->at >= scanner->length || scanner->bytes[scanner->at] != c) return false;
    scanner->at++;
    return true;
}

static bool scan_value(Scanner *scanner, Level level) {
    if (++scanner->values > PROTOCOL_MAX_VALUES) {
        protocol_error_set(scanner->error, PROTOCOL_INVALID_REQUEST, NULL,
                           "more than %d JSON values in one message", PROTOCOL_MAX_VALUES);
        return false;
    }
    char c = peek(scanner);
    if (c == '{') return scan_object(scanner, level);
    if (c == '[' && level == LEVEL_TOP) return scan_array(scanner, level);
    if (level != LEVEL_INNER) text_buffer_append_char(scanner->ids, '\0'); // no object, no id
    switch (c) {
    case '[':
        return scan_array(scanner, level);
    case '"':
        return scan_string(scanner);
    case 't':
        return scan_word(scanner, "true");
    case 'f':
        return scan_word(scanner, "false");
    case 'n':
        return scan_word(scanner, "null");
    default:
        return scan_number(scanner);
    }
}

// The next byte; at the end NUL, which no rule accepts.
static char peek(const Scanner *scanner) {
    return scanner->at < scanner->length ? scanner->bytes[scanner->at] : '\0';
}

static bool scan_object(Scanner *scanner, Level level) {
    if (!enter(scanner)) return false;
    bool looks_for_id = level != LEVEL_INNER;
    for (bool first = true; !accept(scanner, '}'); first = false) {
        if (!first && !accept(scanner, ',')) return fault(scanner, "expected \",\" or \"}\"");
        skip_space(scanner);
        if (peek(scanner) != '"') return fault(scanner, "expected a key in quotes");
        size_t key = scanner->at;
        if (!scan_string(scanner)) return false;
        bool is_id = looks_for_id && says_id(scanner->bytes + key, scanner->at - key);
        skip_space(scanner);
        if (!accept(scanner, ':')) return fault(scanner, "expected \":\"");
        skip_space(scanner);
        size_t value = scanner->at;
        if (!scan_value(scanner, LEVEL_INNER)) return false;
        if (is_id) {
            text_buffer_append(scanner->ids, scanner->bytes + value, scanner->at - value);
            looks_for_id = false;
        }
        skip_space(scanner);
    }
    if (level != LEVEL_INNER) text_buffer_append_char(scanner->ids, '\0');
    return leave(scanner);
}

static bool enter(Scanner *scanner) {
    if (scanner->nesting == PROTOCOL_MAX_NESTING)
        return fault(scanner, "arrays and objects nested more than 64 deep");
    scanner->nesting++;
    scanner->at++;
    skip_space(scanner);
    return true;
}

static bool fault(Scanner *scanner, const char *what) {
    if (scanner->at < scanner->length) {
        protocol_error_set(scanner->error, PROTOCOL_PARSE_ERROR, NULL, "not JSON: %s at byte %zu", what,
                           scanner->at);
    } else {
        protocol_error_set(scanner->error, PROTOCOL_PARSE_ERROR, NULL, "not JSON: %s at the end", what);
    }
    return false;
}

static bool scan_string(Scanner *scanner) {
    scanner->at++;
    while (scanner->at < scanner->length) {
        unsigned char c = (unsigned char)scanner->bytes[scanner->at];
        if (c == '"') {
            scanner->at++;
            return true;
        }
        if (c == '\0') return fault(scanner, "NUL in a string");
        if (c < 0x20) return fault(scanner, "a control character in a string");
        if (c == '\\') {
            if (!scan_escape(scanner)) return false;
            continue;
        }
        size_t size = text_utf8_length(scanner->bytes + scanner->at, scanner->length - scanner->at);
        if (size == 0) return fault(scanner, "invalid UTF-8");
        scanner->at += size;
    }
    return fault(scanner, "a string without its closing quote");
}

// At the backslash.
static bool scan_escape(Scanner *scanner) {
    char c = scanner->at + 1 < scanner->length ? scanner->bytes[scanner->at + 1] : '\0';
    if (c != '\0' && strchr("\"\\/bfnrt", c)) {
        scanner->at += 2;
        return true;
    }
    if (c != 'u') return fault(scanner, "an escape that JSON does not have");
    int code = read_hex(scanner, scanner->at + 2);
    if (code < 0) return fault(scanner, "\\u without four hexadecimal digits");
    if (code == 0) return fault(scanner, "NUL in a string");
    if (code >= 0xD800 && code < 0xE000) {
        bool paired = code < 0xDC00 && scanner->at + 8 <= scanner->length &&
                      memcmp(scanner->bytes + scanner->at + 6, "\\u", 2) == 0;
        int low = paired ? read_hex(scanner, scanner->at + 8) : -1;
        if (low < 0xDC00 || low > 0xDFFF) return fault(scanner, "half a surrogate pair");
        scanner->at += 6;
    }
    scanner->at += 6;
    return true;
}

// Four hexadecimal digits at `at`; -1 where they are not.
static int read_hex(const Scanner *scanner, size_t at) {
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = i < scanner->length ? scanner->bytes[i] : '\0';
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = value * 16 + (c - 'A' + 10);
        else
            return -1;
    }
    return value;
}

// Whether the JSON text of a string, quotes included, is "id", with or without escapes.
static bool says_id(const char *text, size_t length) {
    static const char *const letters[2][3] = {{"i", "\\u0069", "\\u0069"}, {"d", "\\u0064", "\\u0064"}};
    size_t at = 1;
    for (int i = 0; i < 2; i++) {
        size_t size = text[at] == '\\' ? 6 : 1;
        const char *letter = letters[i][size == 6];
        if (at + size >= length || memcmp(text + at, letter, size) != 0) return false;
        at += size;
    }
    return at == length - 1;
}

static bool leave(Scanner *scanner) {
    scanner->nesting--;
    return true;
}

static bool scan_array(Scanner *scanner, Level level) {
    if (!enter(scanner)) return false;
    if (accept(scanner, ']')) return leave(scanner);
    for (;;) {
        if (!scan_value(scanner, level == LEVEL_TOP ? LEVEL_BATCH : LEVEL_INNER)) return false;
        skip_space(scanner);
        if (accept(scanner, ']')) return leave(scanner);
        if (!accept(scanner, ',')) return fault(scanner, "expected \",\" or \"]\"");
        skip_space(scanner);
    }
}

static bool scan_word(Scanner *scanner, const char *word) {
    size_t length = strlen(word);
    if (scanner->length - scanner->at < length || memcmp(scanner->bytes + scanner->at, word, length) != 0) {
        return fault(scanner, "expected a value");
    }
    scanner->at += length;
    return true;
}

static bool scan_number(Scanner *scanner) {
    size_t first = scanner->at;
    bool negative = accept(scanner, '-');
    if (!accept(scanner, '0') && !scan_digits(scanner)) {
        return fault(scanner, negative ? "expected a digit" : "expected a value");
    }
    if (accept(scanner, '.') && !scan_digits(scanner)) return fault(scanner, "expected a digit");
    if (accept(scanner, 'e') || accept(scanner, 'E')) {
        if (!accept(scanner, '+')) accept(scanner, '-');
        if (!scan_digits(scanner)) return fault(scanner, "expected a digit");
    }
    if (scanner->at - first > LONGEST_NUMBER)
        return fault(scanner, "a number of more than 63 characters ends");
    return true;
}

static bool scan_digits(Scanner *scanner) {
    size_t first = scanner->at;
    while (peek(scanner) >= '0' && peek(scanner) <= '9') scanner->at++;
    return scanner->at > first;
}

static bool check_shape(const ProtocolMessage *message, ProtocolError *out_error) {
    if (message->batch && !message->root->child) {
        protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, NULL, "a batch must not be empty");
        return false;
    }
    if (!message->batch && !cJSON_IsObject(message->root)) {
        protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, NULL,
                           "a message must be a JSON-RPC 2.0 request (an object) or an array of them");
        return false;
    }
    return true;
}

static bool invalid(ProtocolError *out_error, const char *path, const char *message) {
    protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, path, "%s", message);
    return false;
}

static bool check_request(ProtocolRequest *request, ProtocolError *out_error) {
    const cJSON *object = request->object;
    if (!cJSON_IsObject(object)) return invalid(out_error, NULL, "each element of a batch must be an object");
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "id");
    if (id && !cJSON_IsString(id) && !cJSON_IsNumber(id) && !cJSON_IsNull(id)) {
        free(request->id);
        request->id = NULL;
        return invalid(out_error, "id", "id must be a string, a number or null");
    }
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(object, "jsonrpc");
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0) {
        return invalid(out_error, "jsonrpc", "jsonrpc must be \"2.0\"");
    }
    const cJSON *method = cJSON_GetObjectItemCaseSensitive(object, "method");
    if (!cJSON_IsString(method)) return invalid(out_error, "method", "method must be a string");
    request->method = method->valuestring;
    request->params = cJSON_GetObjectItemCaseSensitive(object, "params");
    request->notification = !id;
    return true;
}

static void out_of_memory(ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
}
