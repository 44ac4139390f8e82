// Lua's lexical rules, as far as they decide where a token begins and ends; and reading files.
#include "data/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/array.h>
#include <unistd.h>

typedef struct Cursor {
    const char *at, *end;
    int line;
} Cursor;

#define MAX_SIZE        ((size_t)1 << 20)
#define BYTE_ORDER_MARK "\xEF\xBB\xBF" // of UTF-8

static ScriptToken next_token(Cursor *cursor);
static void skip_blank(Cursor *cursor);
static char peek(const Cursor *cursor, size_t ahead);
static void advance(Cursor *cursor, size_t count);
static size_t long_bracket(const Cursor *cursor);
static void skip_long(Cursor *cursor, size_t level);
static void skip_quoted(Cursor *cursor);
static void skip_number(Cursor *cursor);
static bool is_word(char c);
static size_t symbol_length(const Cursor *cursor);
static char *read_open(FILE *file, size_t *out_length);

ScriptToken *script_tokenize(const char *source, size_t length) {
    Cursor cursor = {source, source + length, 1};
    ScriptToken *tokens = NULL;
    size_t count = 0, capacity = 0;
    do {
        if (!TEXT_ARRAY_GROW(tokens, count, capacity)) {
            free(tokens);
            return NULL;
        }
        tokens[count] = next_token(&cursor);
    } while (tokens[count++].kind != SCRIPT_TOKEN_END);
    return tokens;
}

bool script_token_is(const ScriptToken *token, const char *text) {
    return (token->kind == SCRIPT_TOKEN_NAME || token->kind == SCRIPT_TOKEN_SYMBOL) &&
           token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

char *script_read_file(const char *path, size_t *out_length) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait for a writer
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) {
        const int error = errno;
        if (descriptor >= 0) close(descriptor);
        errno = error;
        return NULL;
    }
    char *text = read_open(file, out_length);
    if (text && strncmp(text, BYTE_ORDER_MARK, 3) == 0) { // written by some editors
        *out_length -= 3;
        memmove(text, text + 3, *out_length + 1);
    }
    const int error = errno;
    fclose(file);
    errno = error;
    return text;
}

static ScriptToken next_token(Cursor *cursor) {
    skip_blank(cursor);
    ScriptToken token = {SCRIPT_TOKEN_END, cursor->line, cursor->at, 0};
    if (cursor->at >= cursor->end) return token;
    const char c = peek(cursor, 0);
    const size_t level = long_bracket(cursor);
    size_t quotes = 0;
    if (c == '"' || c == '\'') {
        token.kind = SCRIPT_TOKEN_STRING;
        skip_quoted(cursor);
        quotes = 1;
    } else if (level) {
        token.kind = SCRIPT_TOKEN_STRING;
        skip_long(cursor, level);
        quotes = level + 1;
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(cursor, 1)))) {
        token.kind = SCRIPT_TOKEN_NUMBER;
        skip_number(cursor);
    } else if (is_word(c)) {
        token.kind = SCRIPT_TOKEN_NAME;
        while (is_word(peek(cursor, 0))) advance(cursor, 1);
    } else {
        token.kind = SCRIPT_TOKEN_SYMBOL;
        advance(cursor, symbol_length(cursor));
    }
    token.length = (size_t)(cursor->at - token.text);
    if (token.length >= 2 * quotes) {
        token.text += quotes;
        token.length -= 2 * quotes;
    }
    return token;
}

static void skip_blank(Cursor *cursor) {
    while (cursor->at < cursor->end) {
        if (isspace((unsigned char)peek(cursor, 0))) {
            advance(cursor, 1);
        } else if (peek(cursor, 0) == '-' && peek(cursor, 1) == '-') {
            advance(cursor, 2);
            const size_t level = long_bracket(cursor);
            if (level)
                skip_long(cursor, level);
            else
                while (cursor->at < cursor->end && peek(cursor, 0) != '\n') advance(cursor, 1);
        } else {
            return;
        }
    }
}

static char peek(const Cursor *cursor, size_t ahead) {
    return (size_t)(cursor->end - cursor->at) > ahead ? cursor->at[ahead] : '\0';
}

static void advance(Cursor *cursor, size_t count) {
    for (; count > 0 && cursor->at < cursor->end; count--, cursor->at++)
        if (*cursor->at == '\n') cursor->line++;
}

// The number of "=" in the "[==[" at the cursor plus 1, or 0 where there is none.
static size_t long_bracket(const Cursor *cursor) {
    if (peek(cursor, 0) != '[') return 0;
    size_t level = 1;
    while (peek(cursor, level) == '=') level++;
    return peek(cursor, level) == '[' ? level : 0;
}

// Skips a long string or comment with brackets of that level.
static void skip_long(Cursor *cursor, size_t level) {
    advance(cursor, level + 1);
    while (cursor->at < cursor->end) {
        size_t equals = 0;
        if (peek(cursor, 0) == ']')
            while (peek(cursor, 1 + equals) == '=') equals++;
        if (peek(cursor, 0) == ']' && equals + 1 == level && peek(cursor, 1 + equals) == ']') {
            advance(cursor, level + 1);
            return;
        }
        advance(cursor, 1);
    }
}

static void skip_quoted(Cursor *cursor) {
    const char quote = peek(cursor, 0);
    advance(cursor, 1);
    while (cursor->at < cursor->end && peek(cursor, 0) != quote && peek(cursor, 0) != '\n')
        advance(cursor, peek(cursor, 0) == '\\' ? 2 : 1);
    if (peek(cursor, 0) == quote) advance(cursor, 1);
}

static void skip_number(Cursor *cursor) {
    while (is_word(peek(cursor, 0)) || peek(cursor, 0) == '.') {
        const char c = (char)tolower((unsigned char)peek(cursor, 0));
        const char sign = peek(cursor, 1);
        advance(cursor, (c == 'e' || c == 'p') && (sign == '+' || sign == '-') ? 2 : 1);
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t symbol_length(const Cursor *cursor) {
    static const char *const longer[] = {"...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        const size_t length = strlen(longer[i]);
        if ((size_t)(cursor->end - cursor->at) >= length && memcmp(cursor->at, longer[i], length) == 0)
            return length;
    }
    return 1;
}

static char *read_open(FILE *file, size_t *out_length) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0) return NULL;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    if (status.st_size > (off_t)MAX_SIZE) {
        errno = EFBIG;
        return NULL;
    }
    const size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1);
    if (!text) return NULL;
    *out_length = fread(text, 1, size, file);
    text[*out_length] = '\0';
    if (!ferror(file)) return text;
    free(text);
    errno = EIO;
    return NULL;
}
