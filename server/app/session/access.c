// Tokens to roles, and the file of tokens.
#include "session/access.h"

#include <errno.h>
#include <fcntl.h>
#include <protocol/message.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/array.h>
#include <unistd.h>

#define MOST_WORDS 3 // more than a line may have

// Limits of a connection that has not authenticated.
enum { UNTRUSTED_BYTES = 1024, UNTRUSTED_MS = 5000 };

typedef struct Word {
    const char *start;
    size_t length;
} Word;

typedef struct ParseLocation {
    const char *path;
    unsigned line; // 0: of the whole file
    char *message;
    size_t capacity;
} ParseLocation;

static AppAccessResult fail_token(AppAccess *access, ProtocolParams params, ProtocolError *out_error);
static bool check_file(int file, const ParseLocation *location);
static bool read_text(int file, char *out_text, size_t *out_length, const ParseLocation *location);
static bool is_space(char c);
static bool take_line(AppTokens *tokens, const char *line, size_t length, const ParseLocation *location);
static bool read_role(Word word, ProtocolRole *out_role);
static bool check_token(Word word, const ParseLocation *location);
static bool add(AppTokens *tokens, ProtocolRole role, Word word, const ParseLocation *location);
static unsigned difference(const unsigned char *token, const unsigned char *given);
static bool fail(const ParseLocation *location, const char *format, ...) PROTOCOL_PRINTF(2, 3);

NetServerOptions app_access_server_options(const AppOptions *options, const AppTokens *tokens) {
    NetServerOptions server = net_default_server_options();
    server.tcp_host = options->listen.host;
    server.tcp_port = (uint16_t)options->listen.port;
    if (!options->no_http && net_has_http()) {
        server.http_host = options->http.host;
        server.http_port = (uint16_t)options->http.port;
        server.allowed_origins = options->allow_origin.names;
        server.allowed_origin_count = options->allow_origin.count;
    }
    server.unix_path = options->unix_path;
    server.max_clients = (unsigned)options->max_clients;
    server.max_message = (size_t)options->max_message;
    if (tokens->count > 0) {
        server.loopback_only = false;
        server.untrusted_bytes = UNTRUSTED_BYTES;
        server.untrusted_ms = UNTRUSTED_MS;
    }
    return server;
}

void app_access_refuse_message(const AppOptions *options, ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_INVALID_REQUEST, NULL,
                       "expected a message of at most %lld bytes, found more",
                       (long long)options->max_message);
}

void app_access_refuse_connection(const NetServer *server, ProtocolError *out_error) {
    protocol_error_set(out_error, PROTOCOL_NOT_NOW, NULL,
                       "there are %u connections already, the most there can be",
                       net_server_max_clients(server));
}

AppAccess app_access_begin(const AppTokens *tokens) {
    const ProtocolRole role = tokens->count > 0 ? PROTOCOL_ROLE_NONE : PROTOCOL_ROLE_OPERATOR;
    return (AppAccess){role, role};
}

AppAccessResult app_access_open(AppAccess *access, const AppTokens *tokens, ProtocolParams params,
                                ProtocolError *out_error) {
    const int64_t protocol = protocol_param_integer(params, "protocol");
    if (protocol_param_given(params, "protocol") && protocol != PROTOCOL_VERSION) {
        protocol_error_version(out_error, (double)protocol);
        return APP_ACCESS_REFUSED;
    }
    AppAccess opened = *access; // a connection that has shown its token need not do so again
    if (tokens->count > 0 && protocol_param_given(params, "token"))
        opened.granted = app_tokens_role(tokens, protocol_param_string(params, "token"));
    if (opened.granted == PROTOCOL_ROLE_NONE) return fail_token(access, params, out_error);
    const ProtocolRole asked = (ProtocolRole)protocol_param_choice(params, "role");
    opened.role = asked == PROTOCOL_ROLE_NONE ? opened.granted : asked;
    if (opened.role > opened.granted) {
        protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, "params.role",
                           "session.open: the token is one for the role %s, not %s",
                           protocol_role_name(opened.granted), protocol_role_name(opened.role));
        return APP_ACCESS_REFUSED;
    }
    *access = opened;
    return APP_ACCESS_OPENED;
}

bool app_tokens_read(AppTokens *tokens, const char *path, char *out_message, size_t capacity) {
    *tokens = (AppTokens){0};
    const ParseLocation location = {path, 0, out_message, capacity};
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // no wait for the writer of a pipe
    if (file < 0) return fail(&location, "%s", strerror(errno));
    char *text = malloc(APP_TOKEN_FILE_BYTES + 1);
    size_t length = 0;
    bool read = text || fail(&location, "out of memory");
    read = read && check_file(file, &location) && read_text(file, text, &length, &location);
    close(file);
    read = read && app_tokens_parse(tokens, path, text, length, out_message, capacity);
    free(text);
    return read;
}

bool app_tokens_parse(AppTokens *tokens, const char *path, const char *text, size_t length, char *out_message,
                      size_t capacity) {
    *tokens = (AppTokens){0};
    ParseLocation location = {path, 0, out_message, capacity};
    for (size_t start = 0, end; start < length; start = end + 1) {
        const char *newline = memchr(text + start, '\n', length - start);
        end = newline ? (size_t)(newline - text) : length;
        location.line++;
        if (!take_line(tokens, text + start, end - start, &location)) {
            app_tokens_finish(tokens);
            return false;
        }
    }
    location.line = 0;
    return tokens->count > 0 ||
           fail(&location, "expected a line with operator or observer and a token, found none");
}

void app_tokens_finish(AppTokens *tokens) {
    free(tokens->items);
    *tokens = (AppTokens){0};
}

size_t app_token_length(const AppToken *token) {
    const unsigned char *end = memchr(token->bytes, 0, APP_TOKEN_BYTES);
    return end ? (size_t)(end - token->bytes) : APP_TOKEN_BYTES;
}

// Compares all tokens in constant time.
ProtocolRole app_tokens_role(const AppTokens *tokens, const char *token) {
    unsigned char given[APP_TOKEN_BYTES] = {0};
    const size_t length = strlen(token);
    memcpy(given, token, length < APP_TOKEN_BYTES ? length : APP_TOKEN_BYTES);
    const unsigned too_long = length > APP_TOKEN_BYTES;
    unsigned found = 0; // 1 + the role
    for (size_t i = 0; i < tokens->count; i++) {
        const AppToken *known = &tokens->items[i];
        const unsigned differs = difference(known->bytes, given) | too_long; // 0 to 255
        const unsigned is_equal = (differs - 1U) >> 8 & 1U;
        found |= is_equal * (unsigned)(known->role + 1);
    }
    return (ProtocolRole)((int)found - 1);
}

static AppAccessResult fail_token(AppAccess *access, ProtocolParams params, ProtocolError *out_error) {
    const bool is_wrong = protocol_param_given(params, "token");
    protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, "params.token",
                       is_wrong ? "session.open: the token is wrong" : "session.open needs a token");
    if (!is_wrong) return APP_ACCESS_REFUSED;
    *access = (AppAccess){PROTOCOL_ROLE_NONE, PROTOCOL_ROLE_NONE};
    return APP_ACCESS_WRONG_TOKEN;
}

static bool check_file(int file, const ParseLocation *location) {
    struct stat status;
    if (fstat(file, &status) != 0) return fail(location, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode)) return fail(location, "expected a file, found something else");
    const unsigned mode = (unsigned)status.st_mode & 07777U;
    return mode == 0600 || fail(location, "expected mode 0600, found %04o: run chmod 600", mode);
}

static bool read_text(int file, char *out_text, size_t *out_length, const ParseLocation *location) {
    ssize_t taken = 0;
    *out_length = 0;
    do {
        taken = read(file, out_text + *out_length, APP_TOKEN_FILE_BYTES + 1 - *out_length);
        if (taken > 0) *out_length += (size_t)taken;
    } while ((taken > 0 && *out_length <= APP_TOKEN_FILE_BYTES) || (taken < 0 && errno == EINTR));
    if (taken < 0) return fail(location, "%s", strerror(errno));
    return *out_length <= APP_TOKEN_FILE_BYTES ||
           fail(location, "expected %d bytes at most, found more", APP_TOKEN_FILE_BYTES);
}

// Up to a comment; MOST_WORDS at most.
static size_t take_words(const char *line, size_t length, Word out_words[MOST_WORDS]) {
    size_t count = 0;
    for (size_t at = 0; at < length && count < MOST_WORDS;) {
        if (is_space(line[at])) {
            at++;
            continue;
        }
        if (line[at] == '#') break;
        const size_t start = at;
        while (at < length && !is_space(line[at])) at++;
        out_words[count++] = (Word){line + start, at - start};
    }
    return count;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool take_line(AppTokens *tokens, const char *line, size_t length, const ParseLocation *location) {
    Word words[MOST_WORDS];
    ProtocolRole role;
    const size_t count = take_words(line, length, words);
    if (count == 0) return true;
    if (!read_role(words[0], &role))
        return fail(location, "expected operator or observer, found another word");
    if (count == 1) return fail(location, "expected a token after %s, found none", protocol_role_name(role));
    if (count > 2) return fail(location, "expected one token, found more words: a token has no spaces");
    return check_token(words[1], location) && add(tokens, role, words[1], location);
}

static bool read_role(Word word, ProtocolRole *out_role) {
    for (ProtocolRole role = PROTOCOL_ROLE_OBSERVER; role <= PROTOCOL_ROLE_OPERATOR; role++) {
        const char *name = protocol_role_name(role);
        if (strlen(name) != word.length || memcmp(name, word.start, word.length) != 0) continue;
        *out_role = role;
        return true;
    }
    return false;
}

static bool check_token(Word word, const ParseLocation *location) {
    if (word.length > APP_TOKEN_BYTES)
        return fail(location, "expected a token of %d characters at most, found %zu", APP_TOKEN_BYTES,
                    word.length);
    for (size_t i = 0; i < word.length; i++)
        if (word.start[i] < '!' || word.start[i] > '~')
            return fail(
                location,
                "expected a token of visible ASCII characters, found another character at position %zu",
                i + 1);
    return true;
}

static bool add(AppTokens *tokens, ProtocolRole role, Word word, const ParseLocation *location) {
    AppToken token = {.role = role, .line = location->line};
    memcpy(token.bytes, word.start, word.length);
    for (size_t i = 0; i < tokens->count; i++)
        if (memcmp(tokens->items[i].bytes, token.bytes, APP_TOKEN_BYTES) == 0)
            return fail(location, "the token is already on line %u", tokens->items[i].line);
    if (tokens->count == APP_TOKENS)
        return fail(location, "expected %d tokens at most, found one more", APP_TOKENS);
    if (!TEXT_ARRAY_EXTEND(tokens->items, tokens->count)) return fail(location, "out of memory");
    tokens->items[tokens->count++] = token;
    return true;
}

// Returns 0 when equal, in constant time.
static unsigned difference(const unsigned char *token, const unsigned char *given) {
    unsigned bits = 0;
    for (size_t i = 0; i < APP_TOKEN_BYTES; i++) bits |= (unsigned)(token[i] ^ given[i]);
    return bits;
}

static bool fail(const ParseLocation *location, const char *format, ...) {
    int written =
        location->line > 0
            ? snprintf(location->message, location->capacity, "%s:%u: ", location->path, location->line)
            : snprintf(location->message, location->capacity, "%s: ", location->path);
    if (written < 0 || (size_t)written >= location->capacity) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(location->message + written, location->capacity - (size_t)written, format, arguments);
    va_end(arguments);
    return false;
}
