// The grammar of parameters; their meaning is the server's to judge.
#include "tools/params.h"

#include <protocol/message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool app_params_check(const char *taker, const char *params) {
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
        fprintf(stderr, "tweed: %s: expected parameters such as {\"character\":\"alan\"}, found %s\n", taker,
                params);
    else
        fprintf(stderr, "tweed: %s: the parameters are %s\n", taker, error.message);
    return false;
}

// JSON's strings hold no line ends, so those that are there are white space.
char *app_params_in_one_line(const char *params) {
    char *line = malloc(strlen(params) + 1);
    if (!line) return NULL;
    size_t length = 0;
    for (const char *c = params; *c; c++) line[length++] = *c == '\n' || *c == '\r' ? ' ' : *c;
    line[length] = '\0';
    return line;
}
