// `tweed call METHOD [JSON]`, and `tweed call -`, which reads requests from stdin, one a line.
#include "base/safe_text.h"
#include "tools/remote.h"
#include "tools/tools.h"

#include <errno.h>
#include <poll.h>
#include <protocol/reply.h>
#include <string.h>
#include <unistd.h>

static AppExit call(AppRemote *remote, const char *method, const char *params);
static AppExit call_lines(AppRemote *remote);
static AppExit drop_lines(AppRemote *remote);
static AppExit call_whole_lines(AppRemote *remote, TextBuffer *input, bool *out_refused);
static AppExit call_line(AppRemote *remote, char *line);

int app_tool_call(const AppOptions *options) {
    const char *method = options->files.names[0];
    const char *params = options->files.count > 1 ? options->files.names[1] : NULL;
    const bool from_stdin = strcmp(method, "-") == 0;
    if (from_stdin && params) {
        fputs("tweed: call -: expected nothing more, found \"", stderr);
        app_print_safe(stderr, params, SIZE_MAX);
        fputs("\"\n", stderr);
        return APP_EXIT_USAGE;
    }
    if (params && !app_params_check("call", params)) return APP_EXIT_USAGE;
    AppRemote remote;
    AppExit status = app_remote_open(&remote, options);
    if (status == APP_EXIT_OK) status = from_stdin ? call_lines(&remote) : call(&remote, method, params);
    app_remote_finish(&remote);
    return (int)status;
}

// Prints the result in one line.
static AppExit call(AppRemote *remote, const char *method, const char *params) {
    cJSON *result;
    const AppExit status = app_remote_request(remote, method, params, &result);
    if (status != APP_EXIT_OK) return status;
    TextBuffer text = {0};
    protocol_write_json(&text, result);
    if (!text.failed) app_print_safe_json(stdout, text_buffer_string(&text));
    if (!text.failed) fputc('\n', stdout);
    text_buffer_finish(&text);
    cJSON_Delete(result);
    return app_flush_output() ? APP_EXIT_OK : APP_EXIT_OUTPUT;
}

// Frames and events that come while nothing is typed are read and dropped, so that the server need not keep
// them.
static AppExit call_lines(AppRemote *remote) {
    if (isatty(STDIN_FILENO))
        app_log_print(&remote->log, "tweed: %s: type METHOD [JSON]; Ctrl-D ends", remote->where);
    TextBuffer input = {0};
    AppExit status = drop_lines(remote);
    bool is_open = true, refused = false;
    while (is_open && status == APP_EXIT_OK) {
        struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                 {.fd = net_peer_socket(remote->peer), .events = POLLIN}};
        if (poll(files, 2, -1) < 0) continue;
        if (files[1].revents) status = drop_lines(remote);
        if (!files[0].revents || status != APP_EXIT_OK) continue;
        if (!text_buffer_reserve(&input, 4096)) break;
        const ssize_t size = read(STDIN_FILENO, input.bytes + input.length, 4096);
        if (size < 0) app_log_print(&remote->log, "tweed: cannot read stdin: %s", strerror(errno));
        if (size < 0) status = APP_EXIT_USAGE;
        if (size > 0) input.length += (size_t)size;
        is_open = size > 0;
        if (size == 0) text_buffer_append_char(&input, '\n'); // ends the last line, where it has no end
        if (size >= 0) status = call_whole_lines(remote, &input, &refused);
    }
    if (input.failed) app_log_print(&remote->log, "tweed: out of memory");
    if (input.failed) status = APP_EXIT_OUTPUT;
    text_buffer_finish(&input);
    return status == APP_EXIT_OK && refused ? APP_EXIT_REFUSED : status;
}

static AppExit drop_lines(AppRemote *remote) {
    char *line;
    size_t length;
    NetPeerEvent event;
    do event = app_remote_read(remote, 0, &line, &length);
    while (event == NET_PEER_LINE);
    return event == NET_PEER_TIMEOUT ? APP_EXIT_OK : APP_EXIT_NO_SERVER;
}

// A request that is refused does not end it. The rest of the input stays for the next call.
static AppExit call_whole_lines(AppRemote *remote, TextBuffer *input, bool *out_refused) {
    AppExit status = APP_EXIT_OK;
    char *line = input->bytes, *const end = input->bytes + input->length, *newline;
    while (status == APP_EXIT_OK && (newline = memchr(line, '\n', (size_t)(end - line)))) {
        *newline = '\0';
        remote->input_line++;
        status = call_line(remote, line);
        line = newline + 1;
        if (status != APP_EXIT_REFUSED && status != APP_EXIT_USAGE) continue;
        *out_refused = true;
        status = APP_EXIT_OK;
    }
    input->length = (size_t)(end - line);
    memmove(input->bytes, line, input->length);
    return status;
}

// Empty lines and lines that begin with # ask nothing.
static AppExit call_line(AppRemote *remote, char *line) {
    static const char blanks[] = " \t\r";
    char source[32];
    char *method = line + strspn(line, blanks);
    if (*method == '\0' || *method == '#') return APP_EXIT_OK;
    char *params = method + strcspn(method, blanks);
    if (*params) *params++ = '\0';
    params += strspn(params, blanks);
    snprintf(source, sizeof source, "line %d", remote->input_line);
    if (*params && !app_params_check(source, params)) return APP_EXIT_USAGE;
    return call(remote, method, *params ? params : NULL);
}
