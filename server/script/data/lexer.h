// Lua files: reading one, and cutting its text into tokens to find the line where a field is written.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum ScriptTokenKind {
    SCRIPT_TOKEN_END,
    SCRIPT_TOKEN_NAME,   // keywords too
    SCRIPT_TOKEN_STRING, // text without its quotes, escapes as written
    SCRIPT_TOKEN_NUMBER,
    SCRIPT_TOKEN_SYMBOL, // one or more characters: "{", "==", ".."
} ScriptTokenKind;

typedef struct ScriptToken {
    ScriptTokenKind kind;
    int line; // from 1
    const char *text;
    size_t length;
} ScriptToken;

// An array on the heap that ends with a token of kind END; the texts point into `source`. Returns NULL when
// memory runs out. Text that is not Lua gives some tokens, too.
ScriptToken *script_tokenize(const char *source, size_t length);
bool script_token_is(const ScriptToken *token, const char *text); // a name or symbol of that text

// The whole file as a zero-terminated string on the heap. NULL with errno set if it cannot be read, is no
// regular file or is larger than 1 MiB (EFBIG).
char *script_read_file(const char *path, size_t *out_length);
