// `tweed call METHOD [JSON]`: the parameters are checked here, so that a slip of the shell's is told with its
// place before anything is sent; what they mean is the server's to judge.
#include "command/call.h"

#include "command/remote.h"

#include <protocol/message.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>

static bool check_params(const char *params);
static char *in_one_line(const char *params);
static AppStatusCode print(AppRemote *remote, const cJSON *result);

int app_call_method(const AppOptions *options) {
    const char *given = options->files.count > 1 ? options->files.names[1] : NULL;
    if (given && !check_params(given)) return APP_STATUS_USAGE;
    char *params = given ? in_one_line(given) : NULL;
    if (given && !params) {
        fprintf(stderr, "tweed: out of memory\n");
        return APP_STATUS_OUTPUT;
    }
    AppRemote remote;
    cJSON *result = NULL;
    AppStatusCode status = app_remote_open(&remote, options);
    if (status == APP_STATUS_FINE)
        status = app_remote_request(&remote, options->files.names[0], params, &result);
    if (status == APP_STATUS_FINE) status = print(&remote, result);
    cJSON_Delete(result);
    app_remote_finish(&remote);
    free(params);
    return (int)status;
}

static bool check_params(const char *params) {
    ProtocolMessage message;
    ProtocolError error;
    const char *first = params + strspn(params, " \t\r\n");
    if (protocol_message_read(&message, params, strlen(params), &error)) {
        protocol_message_finish(&message);
        if (*first == '{') return true;
        error.code = PROTOCOL_INVALID_REQUEST;
    }
    // A value of another kind is JSON, but no parameters.
    if (error.code == PROTOCOL_INVALID_REQUEST && *first != '{')
        fprintf(stderr, "tweed: call: expected parameters such as {\"character\":\"alan\"}, found %s\n",
                params);
    else
        fprintf(stderr, "tweed: call: the parameters are %s\n", error.message);
    return false;
}

// JSON's strings hold no line ends, so those that are there are white space. NULL: out of memory.
static char *in_one_line(const char *params) {
    char *line = malloc(strlen(params) + 1);
    if (!line) return NULL;
    size_t length = 0;
    for (const char *c = params; *c; c++) line[length++] = *c == '\n' || *c == '\r' ? ' ' : *c;
    line[length] = '\0';
    return line;
}

static AppStatusCode print(AppRemote *remote, const cJSON *result) {
    ProtocolText text;
    protocol_text_init(&text);
    protocol_write_json(&text, result);
    protocol_text_append_char(&text, '\n');
    if (!text.failed) fwrite(text.bytes, 1, text.length, stdout);
    protocol_text_finish(&text);
    return app_remote_flush(remote);
}
