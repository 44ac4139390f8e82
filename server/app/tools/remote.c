// The connection of a tool to a server.
#include "tools/remote.h"

#include "base/safe_text.h"
#include "session/access.h"

#include <protocol/message.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>
#include <text/glob.h>
#include <text/nearest.h>
#include <time.h>

enum {
    HELLO_MS = 5000,
    ANSWER_S = 60,
    MOST_NAMES_LISTED = 60,
    FRAME_HEAD_BYTES = 1024,
    MOST_PARAMS_SHOWN = 200
};

static AppExit connect_to(AppRemote *remote, const AppOptions *options);
static AppExit read_hello(AppRemote *remote, const char *line, size_t length, bool *out_asks_for_token);
static AppExit authenticate(AppRemote *remote, const AppOptions *options);
static bool find_token(AppRemote *remote, const AppOptions *options, char out_token[APP_TOKEN_BYTES + 1]);
static AppExit exchange(AppRemote *remote, const char *method, const char *params, cJSON **out_reply);
static void print_error(AppRemote *remote, const cJSON *error);
static AppExit add_bones(AppRemote *remote, const cJSON *patterns, const cJSON *characters, cJSON *bones);
static bool matches_any(const char *name, const cJSON *patterns);
static void check_kinds(AppRemote *remote, const cJSON *patterns, const cJSON *kinds, const cJSON *bones);
static void print_unmatched(AppRemote *remote, const char *kind, const char *yet, const cJSON *patterns,
                            const cJSON *things);
static void list_names(TextBuffer *list, const char *const *names, size_t count);
static size_t stem_length(const char *name);
static cJSON *parse_frame_head(const char *bytes, size_t length);

AppExit app_remote_open(AppRemote *remote, const AppOptions *options) {
    *remote = (AppRemote){0};
    app_log_init(&remote->log, stderr, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    remote->timeout = (int)options->timeout;
    AppExit status = connect_to(remote, options);
    if (status != APP_EXIT_OK) return status;
    char *line;
    size_t length;
    const NetPeerEvent event = app_remote_read(remote, HELLO_MS, &line, &length);
    if (event != NET_PEER_LINE && event != NET_PEER_TIMEOUT) return APP_EXIT_NO_SERVER;
    bool asks_for_token;
    status = read_hello(remote, event == NET_PEER_LINE ? line : NULL, length, &asks_for_token);
    return status == APP_EXIT_OK && asks_for_token ? authenticate(remote, options) : status;
}

void app_remote_finish(AppRemote *remote) {
    app_log_finish(&remote->log);
    net_peer_close(remote->peer);
    free(remote->hello);
}

NetPeerEvent app_remote_read(AppRemote *remote, int timeout_ms, char **out_line, size_t *out_length) {
    NetError error;
    const NetPeerEvent event = net_peer_read(remote->peer, timeout_ms, out_line, out_length, &error);
    if (event == NET_PEER_ENDED)
        app_log_print(&remote->log, "tweed: %s closed the connection", remote->where);
    else if (event == NET_PEER_FAILED)
        app_log_print(&remote->log, "tweed: %s: %s", remote->where, error.text);
    return event;
}

AppExit app_remote_request(AppRemote *remote, const char *method, const char *params, cJSON **out_result) {
    cJSON *reply;
    const AppExit status = exchange(remote, method, params, &reply);
    *out_result = cJSON_DetachItemFromObjectCaseSensitive(reply, "result");
    if (reply && !*out_result) print_error(remote, cJSON_GetObjectItemCaseSensitive(reply, "error"));
    cJSON_Delete(reply);
    return status == APP_EXIT_OK && !*out_result ? APP_EXIT_REFUSED : status;
}

cJSON *app_remote_recorded_view(const AppRemote *remote) {
    cJSON *message = cJSON_Parse(remote->hello);
    cJSON *view =
        cJSON_DetachItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(message, "params"), "view");
    cJSON_Delete(message);
    return view;
}

AppExit app_remote_check_patterns(AppRemote *remote, const cJSON *view) {
    const cJSON *patterns = cJSON_GetObjectItemCaseSensitive(view, "characters");
    const cJSON *bone_patterns = cJSON_GetObjectItemCaseSensitive(view, "bones");
    const cJSON *kinds = cJSON_GetObjectItemCaseSensitive(view, "kinds");
    cJSON *reply, *bones = cJSON_CreateArray();
    AppExit status = exchange(remote, "character.list", NULL, &reply);
    const cJSON *characters = cJSON_GetObjectItemCaseSensitive(reply, "result");
    if (status == APP_EXIT_OK && !patterns && cJSON_GetArraySize(characters) == 0)
        app_log_print(&remote->log, "tweed: there are no characters yet");
    if (status == APP_EXIT_OK) print_unmatched(remote, "character", " yet", patterns, characters);
    if (status == APP_EXIT_OK && (cJSON_GetArraySize(bone_patterns) > 0 || cJSON_GetArraySize(kinds) > 0))
        status = add_bones(remote, patterns, characters, bones);
    if (cJSON_GetArraySize(bones) > 0) {
        app_remote_check_bones(remote, bone_patterns, bones);
        check_kinds(remote, bone_patterns, kinds, bones);
    }
    cJSON_Delete(bones);
    cJSON_Delete(reply);
    return status;
}

void app_remote_check_bones(AppRemote *remote, const cJSON *patterns, const cJSON *bones) {
    print_unmatched(remote, "bone", "", patterns, bones);
}

void app_remote_heard(AppRemote *remote) {
    remote->heard = app_seconds();
}

bool app_remote_is_overdue(const AppRemote *remote, const AppOptions *options) {
    return options->timeout > 0 && app_seconds() - remote->heard >= (double)options->timeout;
}

AppExit app_remote_report_overdue(AppRemote *remote, const AppOptions *options) {
    app_log_print(&remote->log, "tweed: %s sent no frame within %d s (--timeout)", remote->where,
                  (int)options->timeout);
    return APP_EXIT_LATE;
}

double app_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool app_params_check(const char *source, const char *params) {
    ProtocolMessage message;
    ProtocolError error;
    const char *first = params + strspn(params, " \t\r\n");
    if (protocol_message_read(&message, params, strlen(params), &error)) {
        protocol_message_finish(&message);
        if (*first == '{') return true;
        error.code = PROTOCOL_INVALID_REQUEST;
    }
    // The shell may have taken quotes away, so what it left is shown.
    if (*first != '{')
        fprintf(stderr, "tweed: %s: expected parameters such as {\"character\":\"alan\"}, found ", source);
    else
        fprintf(stderr, "tweed: %s: the parameters are %s%s", source, error.message,
                error.code == PROTOCOL_PARSE_ERROR ? " of " : "");
    if (*first == '\0')
        fputs("nothing", stderr);
    else if (*first != '{' || error.code == PROTOCOL_PARSE_ERROR)
        app_print_safe(stderr, params, MOST_PARAMS_SHOWN);
    fputc('\n', stderr);
    return false;
}

bool app_line_read(AppLine *line, const char *bytes, size_t length, bool with_bones) {
    *line = (AppLine){.method = ""};
    if (!with_bones) line->json = parse_frame_head(bytes, length);
    if (!line->json) line->json = cJSON_ParseWithLength(bytes, length);
    if (!line->json) return false;
    const char *method = app_json_get_text(line->json, "method");
    if (method) line->method = method;
    line->params = cJSON_GetObjectItemCaseSensitive(line->json, "params");
    line->character = app_json_get_text(line->params, "character");
    const cJSON *tick = cJSON_GetObjectItemCaseSensitive(line->params, "tick");
    line->has_tick = cJSON_IsNumber(tick) && tick->valuedouble >= 0.0 && tick->valuedouble <= 0x1p53;
    if (line->has_tick) line->tick = (uint64_t)tick->valuedouble;
    return true;
}

void app_line_finish(AppLine *line) {
    cJSON_Delete(line->json);
    *line = (AppLine){.method = ""};
}

bool app_line_is(const AppLine *line, const char *method) {
    return strcmp(line->method, method) == 0;
}

static AppExit connect_to(AppRemote *remote, const AppOptions *options) {
    NetError error;
    if (options->unix_path) {
        snprintf(remote->where, sizeof remote->where, "%s", options->unix_path);
        remote->peer = net_peer_connect_unix(options->unix_path, &error);
    } else {
        const char *host = options->connect.host;
        snprintf(remote->where, sizeof remote->where, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
                 (int)options->connect.port);
        remote->peer = net_peer_connect_tcp(host, (uint16_t)options->connect.port, &error);
    }
    if (remote->peer) return APP_EXIT_OK;
    app_log_print(&remote->log, "tweed: no server at %s: %s", remote->where, error.text);
    return APP_EXIT_NO_SERVER;
}

// `line` is NULL where none came in time. A server that is full sends an error in place of server.hello.
static AppExit read_hello(AppRemote *remote, const char *line, size_t length, bool *out_asks_for_token) {
    AppExit status = APP_EXIT_OK;
    *out_asks_for_token = false;
    cJSON *message = line ? cJSON_ParseWithLength(line, length) : NULL;
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(message, "error");
    const char *method = app_json_get_text(message, "method");
    if (error) {
        print_error(remote, error);
        status = APP_EXIT_REFUSED;
    } else if (!method || strcmp(method, "server.hello") != 0) {
        app_log_print(
            &remote->log, "tweed: no tweed server at %s: expected its greeting, found %.100s", remote->where,
            line ? line : "nothing within 5 s (the port of --listen sends it, that of --http does not)");
        status = APP_EXIT_NO_SERVER;
    } else if (!(remote->hello = malloc(length + 1))) {
        app_log_print(&remote->log, "tweed: out of memory");
        status = APP_EXIT_NO_SERVER;
    } else {
        memcpy(remote->hello, line, length + 1);
        const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
        const char *asked = app_json_get_text(params, "authentication");
        *out_asks_for_token = asked && strcmp(asked, "token") == 0;
    }
    cJSON_Delete(message);
    return status;
}

static AppExit authenticate(AppRemote *remote, const AppOptions *options) {
    char token[APP_TOKEN_BYTES + 1];
    if (!find_token(remote, options, token)) return APP_EXIT_REFUSED;
    TextBuffer params = {0};
    text_buffer_append_string(&params, "{\"token\":");
    text_buffer_append_quoted(&params, token);
    text_buffer_append_char(&params, '}');
    text_buffer_append_char(&params, '\0');
    cJSON *result = NULL;
    AppExit status = APP_EXIT_NO_SERVER;
    if (params.failed)
        app_log_print(&remote->log, "tweed: out of memory");
    else
        status = app_remote_request(remote, "session.open", params.bytes, &result);
    cJSON_Delete(result);
    text_buffer_finish(&params);
    return status;
}

static bool find_token(AppRemote *remote, const AppOptions *options, char out_token[APP_TOKEN_BYTES + 1]) {
    const char *from_environment = getenv("TWEED_TOKEN");
    if (options->token_file) {
        AppTokens tokens;
        char message[1024];
        if (!app_tokens_read(&tokens, options->token_file, message, sizeof message)) {
            app_log_print(&remote->log, "tweed: %s", message);
            return false;
        }
        const size_t length = app_token_length(&tokens.items[0]);
        memcpy(out_token, tokens.items[0].bytes, length);
        out_token[length] = '\0';
        app_tokens_finish(&tokens);
        return true;
    }
    if (!from_environment || !from_environment[0]) {
        app_log_print(
            &remote->log,
            "tweed: %s asks for a token: expected --token-file PATH or TWEED_TOKEN in the environment, "
            "found neither",
            remote->where);
        return false;
    }
    if (strlen(from_environment) > APP_TOKEN_BYTES) {
        app_log_print(&remote->log, "tweed: TWEED_TOKEN: expected %d bytes at most, found %zu",
                      APP_TOKEN_BYTES, strlen(from_environment));
        return false;
    }
    memcpy(out_token, from_environment, strlen(from_environment) + 1);
    return true;
}

static AppExit send_request(AppRemote *remote, const char *method, const char *params) {
    TextBuffer text = {0};
    protocol_write_request(&text, "1", method, params);
    // JSON's strings hold no line ends, so those in `params` are white space.
    for (size_t i = 0; i + 1 < text.length; i++)
        if (text.bytes[i] == '\n' || text.bytes[i] == '\r') text.bytes[i] = ' ';
    NetError error = {"out of memory"};
    const bool sent = !text.failed && net_peer_send(remote->peer, text.bytes, text.length, &error);
    text_buffer_finish(&text);
    if (sent) return APP_EXIT_OK;
    app_log_print(&remote->log, "tweed: %s: %s", remote->where, error.text);
    return APP_EXIT_NO_SERVER;
}

// Seconds to wait for the answer; 0: without end, since a step takes as long as its ticks.
static int patience(const AppRemote *remote, const char *method) {
    if (remote->timeout > 0) return remote->timeout;
    return strcmp(method, "simulation.step") == 0 ? 0 : ANSWER_S;
}

// Sends a request and waits for its reply, an error too. A replayed recording knows few methods.
static AppExit exchange(AppRemote *remote, const char *method, const char *params, cJSON **out_reply) {
    AppExit status = send_request(remote, method, params);
    *out_reply = NULL;
    const int patience_s = patience(remote, method);
    const double deadline = app_seconds() + (double)patience_s;
    while (status == APP_EXIT_OK) {
        char *line;
        size_t length;
        const double left = deadline - app_seconds();
        const int left_ms = patience_s == 0 ? -1 : left > 0.0 ? 1 + (int)(left * 1e3) : 0;
        const NetPeerEvent event = app_remote_read(remote, left_ms, &line, &length);
        if (event == NET_PEER_TIMEOUT || (patience_s > 0 && app_seconds() > deadline)) {
            app_log_print(&remote->log, "tweed: %s did not answer %s within %d s (--timeout)", remote->where,
                          method, patience_s);
            return APP_EXIT_LATE;
        }
        if (event != NET_PEER_LINE) return APP_EXIT_NO_SERVER;
        cJSON *message = cJSON_ParseWithLength(line, length);
        if (!message) {
            app_log_print(&remote->log, "tweed: %s sent what is not JSON: %.60s", remote->where, line);
            return APP_EXIT_NO_SERVER;
        }
        *out_reply = message;
        if (!cJSON_GetObjectItemCaseSensitive(message, "method")) break;
        cJSON_Delete(message);
        *out_reply = NULL;
    }
    return status;
}

// The server's message, the field it is about unless the message names it, and the traceback of a script,
// which repeats the message where nothing was raised.
static void print_error(AppRemote *remote, const cJSON *error) {
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(error, "code");
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(error, "data");
    const char *message = app_json_get_text(error, "message");
    const char *path = app_json_get_text(data, "path");
    const char *traceback = app_json_get_text(data, "traceback");
    if (!message) message = "without a message";
    if (path && (strstr(message, path) || strcmp(path, "method") == 0)) path = NULL;
    if (traceback && strcmp(traceback, message) == 0) traceback = NULL;
    char source[32] = "";
    if (remote->input_line) snprintf(source, sizeof source, "line %d: ", remote->input_line);
    app_log_print(&remote->log, "tweed: %serror %d: %s%s%s%s%s%s", source,
                  cJSON_IsNumber(code) ? code->valueint : 0, message, path ? " (" : "", path ? path : "",
                  path ? ")" : "", traceback ? "\n" : "", traceback ? traceback : "");
}

// Parses the part of a frame before its bones, which has view, tick and character: whole frames take long to
// parse. Quotes inside a string are escaped, so ,"bones": is the key. NULL: the line is no frame.
static cJSON *parse_frame_head(const char *bytes, size_t length) {
    static const char key[] = ",\"bones\":[";
    char head[FRAME_HEAD_BYTES];
    const size_t room = length < FRAME_HEAD_BYTES - 3 ? length : FRAME_HEAD_BYTES - 3;
    memcpy(head, bytes, room);
    head[room] = '\0';
    char *end = strstr(head, key);
    if (!end || !strstr(head, "\"stream.frame\"")) return NULL;
    memcpy(end, "}}", 3);
    return cJSON_Parse(head);
}

// Adds the bones of one character of each script, whose characters all have the same.
static AppExit add_bones(AppRemote *remote, const cJSON *patterns, const cJSON *characters, cJSON *bones) {
    AppExit status = APP_EXIT_OK;
    cJSON *scripts = cJSON_CreateObject(); // keys: the scripts whose bones are added
    const cJSON *character;
    cJSON_ArrayForEach(character, characters) {
        const char *name = app_json_get_text(character, "name"),
                   *script = app_json_get_text(character, "script");
        if (!name || !script || cJSON_GetObjectItemCaseSensitive(scripts, script)) continue;
        if (patterns && !matches_any(name, patterns)) continue;
        cJSON_AddNullToObject(scripts, script);
        cJSON *reply, *bone, *params = cJSON_CreateObject();
        cJSON_AddStringToObject(params, "character", name);
        char *text = cJSON_PrintUnformatted(params);
        status = exchange(remote, "character.describe", text, &reply);
        cJSON *found =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(reply, "result"), "bones");
        while ((bone = cJSON_DetachItemFromArray(found, 0))) cJSON_AddItemToArray(bones, bone);
        cJSON_Delete(reply);
        cJSON_free(text);
        cJSON_Delete(params);
        if (status != APP_EXIT_OK) break;
    }
    cJSON_Delete(scripts);
    return status;
}

static bool matches_any(const char *name, const cJSON *patterns) {
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, patterns) {
        if (cJSON_IsString(pattern) && text_glob_match(pattern->valuestring, name)) return true;
    }
    return false;
}

// Prints the kinds that no bone is of, and whether patterns and kinds leave no bone.
static void check_kinds(AppRemote *remote, const cJSON *patterns, const cJSON *kinds, const cJSON *bones) {
    const cJSON *kind, *bone;
    bool any_kind = false, any_bone = false;
    cJSON_ArrayForEach(kind, kinds) {
        bool found = false;
        if (!cJSON_IsString(kind)) continue;
        cJSON_ArrayForEach(bone, bones) {
            const char *name = app_json_get_text(bone, "name"), *its = app_json_get_text(bone, "kind");
            if (!name || !its || strcmp(its, kind->valuestring) != 0) continue;
            found = true;
            any_bone |= !patterns || matches_any(name, patterns);
        }
        any_kind |= found;
        if (!found) app_log_print(&remote->log, "tweed: no bone is of the kind \"%s\"", kind->valuestring);
    }
    if (any_kind && !any_bone) app_log_print(&remote->log, "tweed: no bone that matches is of these kinds");
}

// Prints the patterns that match none of the names of `things`, and the nearest name or all names.
static void print_unmatched(AppRemote *remote, const char *kind, const char *yet, const cJSON *patterns,
                            const cJSON *things) {
    const size_t count = (size_t)cJSON_GetArraySize(things);
    const char **names = calloc(count + 1, sizeof *names);
    const cJSON *pattern, *thing;
    size_t name_count = 0;
    cJSON_ArrayForEach(thing, things) {
        const char *name = cJSON_IsString(thing) ? thing->valuestring : app_json_get_text(thing, "name");
        if (names && name) names[name_count++] = name;
    }
    cJSON_ArrayForEach(pattern, patterns) {
        const char *text = cJSON_GetStringValue(pattern);
        size_t i = 0;
        while (text && i < name_count && !text_glob_match(text, names[i])) i++;
        if (!names || !text || i < name_count) continue;
        const char *nearest = text_nearest_of(text, names, name_count).best;
        TextBuffer list = {0};
        list_names(&list, names, name_count);
        if (nearest && !strpbrk(text, "*?["))
            app_log_print(&remote->log, "tweed: no %s matches \"%s\"%s; did you mean \"%s\"?", kind, text,
                          yet, nearest);
        else
            app_log_print(&remote->log, "tweed: no %s matches \"%s\"%s; there %s %.*s", kind, text, yet,
                          name_count == 1 ? "is" : "are", (int)list.length, list.bytes ? list.bytes : "");
        text_buffer_finish(&list);
    }
    free(names);
}

// Names that differ only in what follows "_" and a digit, such as those of a garment's bones, are listed
// once.
static void list_names(TextBuffer *list, const char *const *names, size_t count) {
    const char *last = "";
    size_t listed = 0, last_length = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = stem_length(names[i]);
        if (length == last_length && strncmp(names[i], last, length) == 0) continue;
        last = names[i];
        last_length = length;
        if (listed > 0) text_buffer_append_string(list, listed < MOST_NAMES_LISTED ? ", " : " and more");
        if (listed++ == MOST_NAMES_LISTED) break;
        text_buffer_append(list, names[i], length);
        if (names[i][length]) text_buffer_append_char(list, '*');
    }
    if (count == 0) text_buffer_append_string(list, "none");
}

static size_t stem_length(const char *name) {
    for (size_t i = 0; name[i]; i++)
        if (name[i] == '_' && name[i + 1] >= '0' && name[i + 1] <= '9') return i + 1;
    return strlen(name);
}
