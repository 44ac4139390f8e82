// Mutates text by its tokens as often as by its bytes: a number becomes another, a word or value another one
// of the same text, a token goes or comes twice. So most of what comes out still has the grammar, and gets
// past the parser to what reads the values. Knows no grammar in particular: words, numbers, strings, signs.
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOST_TOKENS = 4096, MOST_STEPS = 3 };

typedef struct Token {
    size_t start, length;
} Token;

typedef struct Text {
    uint8_t *bytes;
    size_t size, capacity;
    uint32_t random;
} Text;

// libFuzzer's
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "3",
                                      "0.5",
                                      "-0.5",
                                      "1e-3",
                                      "1e-9",
                                      "1e9",
                                      "1e38",
                                      "-1e38",
                                      "1e39",
                                      "1e308",
                                      "-1e308",
                                      "1e309",
                                      "4e-46",
                                      "255",
                                      "256",
                                      "4095",
                                      "65536",
                                      "1e6",
                                      "2147483647",
                                      "-2147483648",
                                      "4294967296",
                                      "9007199254740993",
                                      "9223372036854775807",
                                      "1e400"};

static uint32_t draw(Text *text, size_t below) {
    text->random = text->random * 1664525 + 1013904223; // Numerical Recipes' generator
    return (uint32_t)((text->random >> 8) % below);
}

static bool is_of_word(uint8_t byte) {
    return isalnum(byte) || byte == '_' || byte == '.';
}

// A string, a word or number, or a sign.
static size_t token_length(const Text *text, size_t start) {
    const uint8_t *bytes = text->bytes;
    size_t end = start + 1;
    if (bytes[start] == '"' || bytes[start] == '\'') {
        while (end < text->size && bytes[end] != bytes[start] && bytes[end] != '\n') end++;
        return end < text->size ? end + 1 - start : end - start;
    }
    if (is_of_word(bytes[start]) || (bytes[start] == '-' && end < text->size && isdigit(bytes[end])))
        while (end < text->size && is_of_word(bytes[end])) end++;
    return end - start;
}

static size_t find_tokens(const Text *text, Token out_tokens[MOST_TOKENS]) {
    size_t count = 0;
    for (size_t at = 0; at < text->size && count < MOST_TOKENS;) {
        if (isspace(text->bytes[at])) {
            at++;
            continue;
        }
        out_tokens[count] = (Token){at, token_length(text, at)};
        at += out_tokens[count++].length;
    }
    return count;
}

// Other bytes where a token is. What does not fit is left as it was.
static void replace(Text *text, Token token, const uint8_t *bytes, size_t length) {
    uint8_t copy[1024]; // they may lie in the text
    if (length > sizeof copy || text->size - token.length + length > text->capacity) return;
    memcpy(copy, bytes, length);
    uint8_t *at = text->bytes + token.start;
    memmove(at + length, at + token.length, text->size - token.start - token.length);
    memcpy(at, copy, length);
    text->size = text->size - token.length + length;
}

static bool is_number(const Text *text, Token token) {
    const uint8_t first = text->bytes[token.start];
    return isdigit(first) || (first == '-' && token.length > 1) || (first == '.' && token.length > 1);
}

static void change_token(Text *text) {
    static Token tokens[MOST_TOKENS]; // large
    const size_t count = find_tokens(text, tokens);
    if (count == 0) return;
    Token token = tokens[draw(text, count)];
    const Token other = tokens[draw(text, count)];
    for (int tries = 4 * (int)draw(text, 2); tries > 0 && !is_number(text, token); tries--)
        token = tokens[draw(text, count)]; // numbers are what limits are about
    const uint32_t kind = draw(text, 8);
    if (is_number(text, token) && kind < 6) {
        const char *number = numbers[draw(text, sizeof numbers / sizeof *numbers)];
        replace(text, token, (const uint8_t *)number, strlen(number));
    } else if (kind == 0) {
        replace(text, token, text->bytes, 0);
    } else if (kind == 1) {
        const Token before = {token.start, 0};
        replace(text, before, text->bytes + token.start, token.length);
    } else {
        replace(text, token, text->bytes + other.start, other.length);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    Text text = {data, size, max_size, seed};
    if (draw(&text, 2)) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t steps = 1 + draw(&text, MOST_STEPS); steps > 0; steps--) change_token(&text);
    return text.size;
}
