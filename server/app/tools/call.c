// `tweed call METHOD [JSON]`.
#include "tools/call.h"

#include "tools/params.h"
#include "tools/remote.h"

#include <protocol/reply.h>
#include <stdlib.h>

static AppStatusCode print(AppRemote *remote, const cJSON *result);

int app_call_method(const AppOptions *options) {
    const char *given = options->files.count > 1 ? options->files.names[1] : NULL;
    if (given && !app_params_check("call", given)) return APP_STATUS_USAGE;
    char *params = given ? app_params_in_one_line(given) : NULL;
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

static AppStatusCode print(AppRemote *remote, const cJSON *result) {
    TextBuffer text;
    text_buffer_init(&text);
    protocol_write_json(&text, result);
    text_buffer_append_char(&text, '\n');
    if (!text.failed) fwrite(text.bytes, 1, text.length, stdout);
    text_buffer_finish(&text);
    return app_remote_flush(remote);
}
