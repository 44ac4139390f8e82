// Finds the line of a path by following it through the tokens of the file.
#include "data/path.h"

#include "data/lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOPS 8 // from a name to its local declaration, from there to another

typedef struct ScriptSource {
    struct ScriptSource *next;
    char *file;
    char *text;
    ScriptToken *tokens; // NULL: not readable
} Source;

// The kind of an expression whose value is a table.
typedef enum Shape {
    SHAPE_LITERAL,  // {...}: fields that are not in it were added by code
    SHAPE_ARGUMENT, // call {...}: the call may change the table
    SHAPE_CALL,     // another call
    SHAPE_NAME,
    SHAPE_OTHER,
} Shape;

// The current expression, and the number of steps taken.
typedef struct Walk {
    const ScriptToken *tokens;
    size_t at;   // the expression's first token
    int line;    // of the last step
    int used;    // steps taken
    Shape shape; // of the expression that could not be entered
} Walk;

static bool is_word(const char *text);
static const ScriptToken *tokens_of(ScriptSources *sources, const char *file);
static bool find_return(Walk *walk);
static bool is_end(const ScriptToken *token);
static bool opens_block(const ScriptToken *token);
static size_t after_closer(const ScriptToken *tokens, size_t at);
static bool closes_block(const ScriptToken *token);
static void walk_along(Walk *walk, const ScriptNodePath *path, int first);
static Shape shape_of(const ScriptToken *tokens, size_t at, size_t *out_table);
static bool go_to_local(Walk *walk);
static bool enter_field(Walk *walk, size_t table, const ScriptStep *step);
static bool token_has_key(const ScriptToken *token, const ScriptStep *step);
static size_t after_expression(const ScriptToken *tokens, size_t at);
static bool is_made_elsewhere(const Walk *walk, const ScriptNode *root, const ScriptNodePath *path);
static const ScriptNode *step_into(const ScriptNode *node, const ScriptStep *step);
static const ScriptCallSite *deepest_call_site(const ScriptNode *node, const ScriptNodePath *path, int used,
                                               int *out_depth);
static bool find_call(Walk *walk, const ScriptCallSite *call_site);

void script_node_path_format(const ScriptNodePath *path, char *buffer, size_t size) {
    size_t length = 0;
    buffer[0] = '\0';
    for (int i = 0; i < path->count && length < size; i++) {
        const ScriptStep *step = &path->steps[i];
        const char *form = !step->key || *step->key == '[' ? "%s" : is_word(step->key) ? ".%s" : "[\"%s\"]";
        char index[16];
        snprintf(index, sizeof index, "[%d]", step->index);
        const char *text = step->key ? step->key : index;
        if (i == 0 && *form == '.') form = "%s";
        length += (size_t)snprintf(buffer + length, size - length, form, text);
    }
}

void script_sources_finish(ScriptSources *sources) {
    for (Source *source = sources->first; source;) {
        Source *next = source->next;
        free(source->file);
        free(source->text);
        free(source->tokens);
        free(source);
        source = next;
    }
    sources->first = NULL;
}

int script_node_path_line(ScriptSources *sources, const char *file, const ScriptNode *root,
                          const ScriptNodePath *path, const char **out_file) {
    *out_file = file;
    Walk walk = {.tokens = file ? tokens_of(sources, file) : NULL};
    const bool begun = walk.tokens && find_return(&walk);
    if (begun) walk_along(&walk, path, 0);
    if (begun && !is_made_elsewhere(&walk, root, path)) return walk.line;
    int depth = 0;
    const ScriptCallSite *call_site = deepest_call_site(root, path, walk.used, &depth);
    if (!call_site || !call_site->line) return walk.line;
    *out_file = call_site->file;
    Walk inner = {.tokens = tokens_of(sources, call_site->file)};
    if (!inner.tokens || !find_call(&inner, call_site)) return call_site->line;
    walk_along(&inner, path, depth);
    return inner.line;
}

static bool is_word(const char *text) {
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

static const ScriptToken *tokens_of(ScriptSources *sources, const char *file) {
    for (const Source *known = sources->first; known; known = known->next)
        if (strcmp(known->file, file) == 0) return known->tokens;
    Source *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    size_t length = 0;
    source->file = strdup(file);
    source->text = script_read_file(file, &length);
    if (source->text) source->tokens = script_tokenize(source->text, length);
    if (!source->file) {
        free(source->tokens);
        free(source->text);
        free(source);
        return NULL;
    }
    source->next = sources->first;
    sources->first = source;
    return source->tokens;
}

// Finds the expression of the last `return` outside functions. False if there is none.
static bool find_return(Walk *walk) {
    const ScriptToken *tokens = walk->tokens;
    bool found = false;
    for (size_t at = 0; !is_end(&tokens[at]);) {
        if (script_token_is(&tokens[at], "return")) {
            walk->at = at + 1;
            walk->line = tokens[at].line;
            found = true;
        }
        at = opens_block(&tokens[at]) ? after_closer(tokens, at) : at + 1;
    }
    return found;
}

static bool is_end(const ScriptToken *token) {
    return token->kind == SCRIPT_TOKEN_END;
}

static bool opens_block(const ScriptToken *token) {
    static const char *const openers[] = {"{", "(", "[", "function", "if", "do", "repeat"};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++)
        if (script_token_is(token, openers[i])) return true;
    return false;
}

// The token after the one that closes the bracket or block at `at`.
static size_t after_closer(const ScriptToken *tokens, size_t at) {
    int depth = 0;
    for (; !is_end(&tokens[at]); at++) {
        if (opens_block(&tokens[at])) depth++;
        if (closes_block(&tokens[at]) && --depth == 0) return at + 1;
    }
    return at;
}

static bool closes_block(const ScriptToken *token) {
    static const char *const closers[] = {"}", ")", "]", "end", "until"};
    for (size_t i = 0; i < sizeof closers / sizeof *closers; i++)
        if (script_token_is(token, closers[i])) return true;
    return false;
}

static void walk_along(Walk *walk, const ScriptNodePath *path, int first) {
    for (int hops = 0; first + walk->used < path->count;) {
        size_t table;
        walk->shape = shape_of(walk->tokens, walk->at, &table);
        if (walk->shape == SHAPE_NAME && hops++ < HOPS && go_to_local(walk)) continue;
        if (walk->shape != SHAPE_LITERAL && walk->shape != SHAPE_ARGUMENT) return;
        if (!enter_field(walk, table, &path->steps[first + walk->used])) return;
    }
}

// Finds the table constructor of an expression, or the one passed to a call.
static Shape shape_of(const ScriptToken *tokens, size_t at, size_t *out_table) {
    *out_table = at;
    if (script_token_is(&tokens[at], "{")) return SHAPE_LITERAL;
    const bool parenthesis = script_token_is(&tokens[at], "(");
    if ((tokens[at].kind != SCRIPT_TOKEN_NAME && !parenthesis) || opens_block(&tokens[at]) != parenthesis)
        return SHAPE_OTHER;
    size_t next = parenthesis ? after_closer(tokens, at) : at + 1;
    Shape shape = parenthesis ? SHAPE_OTHER : SHAPE_NAME;
    for (;;) {
        const ScriptToken *token = &tokens[next];
        if (script_token_is(token, ".") || script_token_is(token, ":")) {
            shape = SHAPE_OTHER;
            next += is_end(&tokens[next + 1]) ? 1 : 2;
        } else if (script_token_is(token, "{") || script_token_is(token, "(")) {
            const size_t first = script_token_is(token, "{") ? next : next + 1;
            shape = script_token_is(&tokens[first], "{") ? SHAPE_ARGUMENT : SHAPE_CALL;
            *out_table = first;
            next = after_closer(tokens, next);
        } else if (token->kind == SCRIPT_TOKEN_STRING) {
            shape = SHAPE_CALL;
            next++;
        } else if (script_token_is(token, "[")) {
            shape = SHAPE_OTHER;
            next = after_closer(tokens, next);
        } else {
            return shape;
        }
    }
}

// Goes from a name to the value of the nearest `local name =` above. False if there is none.
static bool go_to_local(Walk *walk) {
    const ScriptToken *tokens = walk->tokens, *name = &tokens[walk->at];
    for (size_t at = walk->at; at-- > 0;) {
        if (!script_token_is(&tokens[at], "local") || tokens[at + 1].length != name->length) continue;
        if (memcmp(tokens[at + 1].text, name->text, name->length) != 0) continue;
        if (!script_token_is(&tokens[at + 2], "=")) continue;
        walk->at = at + 3;
        walk->line = tokens[at + 1].line;
        return true;
    }
    return false;
}

// Enters a field of the table constructor that opens at `table`.
static bool enter_field(Walk *walk, size_t table, const ScriptStep *step) {
    const ScriptToken *tokens = walk->tokens;
    int index = 0;
    for (size_t at = table + 1; !is_end(&tokens[at]) && !script_token_is(&tokens[at], "}");) {
        size_t value = at;
        bool matches;
        if (script_token_is(&tokens[at], "[")) {
            value = after_closer(tokens, at) + 1;
            matches = token_has_key(&tokens[at + 1], step);
        } else if (tokens[at].kind == SCRIPT_TOKEN_NAME && script_token_is(&tokens[at + 1], "=")) {
            value = at + 2;
            matches = token_has_key(&tokens[at], step);
        } else {
            matches = ++index == step->index && !step->key;
        }
        if (matches) {
            walk->line = tokens[at].line;
            walk->at = value;
            walk->used++;
            return true;
        }
        at = after_expression(tokens, value);
        if (script_token_is(&tokens[at], ",") || script_token_is(&tokens[at], ";"))
            at++;
        else if (!script_token_is(&tokens[at], "}"))
            return false; // not understood
    }
    return false;
}

static bool token_has_key(const ScriptToken *token, const ScriptStep *step) {
    if (token->kind == SCRIPT_TOKEN_NUMBER) return !step->key && strtol(token->text, NULL, 10) == step->index;
    return step->key && strlen(step->key) == token->length &&
           memcmp(step->key, token->text, token->length) == 0;
}

// The "," or ";" after the expression at `at`, or the bracket that closes the table around it.
static size_t after_expression(const ScriptToken *tokens, size_t at) {
    while (!is_end(&tokens[at]) && !closes_block(&tokens[at])) {
        if (script_token_is(&tokens[at], ",") || script_token_is(&tokens[at], ";")) return at;
        at = opens_block(&tokens[at]) ? after_closer(tokens, at) : at + 1;
    }
    return at;
}

// Whether the value exists but is not written where the walk ended.
static bool is_made_elsewhere(const Walk *walk, const ScriptNode *root, const ScriptNodePath *path) {
    if (walk->used == path->count) return false;
    if (walk->shape != SHAPE_LITERAL) return walk->shape == SHAPE_NAME || walk->shape == SHAPE_OTHER;
    for (int depth = 0; root && depth <= walk->used; depth++) root = step_into(root, &path->steps[depth]);
    return root != NULL;
}

static const ScriptNode *step_into(const ScriptNode *node, const ScriptStep *step) {
    return step->key ? script_node_field(node, step->key) : script_node_item(node, step->index);
}

// The call site of the deepest node along the path, from `used` steps on, that a constructor made.
static const ScriptCallSite *deepest_call_site(const ScriptNode *node, const ScriptNodePath *path, int used,
                                               int *out_depth) {
    const ScriptCallSite *call_site = NULL;
    for (int depth = 0; node; depth++) {
        if (depth >= used && node->call_site) {
            call_site = node->call_site;
            *out_depth = depth;
        }
        if (depth == path->count) break;
        node = step_into(node, &path->steps[depth]);
    }
    return call_site;
}

// Finds the tokens of a call site.
static bool find_call(Walk *walk, const ScriptCallSite *call_site) {
    const ScriptToken *tokens = walk->tokens;
    for (size_t at = 0; !is_end(&tokens[at]); at++) {
        if (tokens[at].line < call_site->line || !script_token_is(&tokens[at], call_site->constructor))
            continue;
        const ScriptToken *next = &tokens[at + 1];
        if (!script_token_is(next, "{") && !script_token_is(next, "(") && next->kind != SCRIPT_TOKEN_STRING)
            continue;
        walk->at = at;
        walk->line = call_site->line;
        return true;
    }
    return false;
}
