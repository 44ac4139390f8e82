// Writes the file of --port-file.
#include "base/port_file.h"

#include "base/files.h"
#include "base/json.h"

#include <errno.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <string.h>

bool app_port_file_write(const AppOptions *options, AppPorts ports, char *out_message, size_t capacity) {
    if (!options->port_file) return true;
    AppJson json = {0};
    cJSON *object = app_json_root_object(&json);
    app_json_integer(&json, object, "tcp", ports.tcp);
    if (ports.http > 0) app_json_integer(&json, object, "http", ports.http);
    if (options->unix_path) app_json_string(&json, object, "unix", options->unix_path);
    TextBuffer text = {0};
    if (!json.failed) protocol_write_json(&text, object);
    text_buffer_append_char(&text, '\n');
    cJSON_Delete(object);
    const int failure = json.failed || text.failed ? ENOMEM : app_file_replace(options->port_file, &text);
    if (failure != 0)
        snprintf(out_message, capacity, "--port-file %s: %s", options->port_file, strerror(failure));
    text_buffer_finish(&text);
    return failure == 0;
}
