// --port-file.
#include "port_file.h"

#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_file(const char *path, const ProtocolText *text);

// Beside it first, then renamed: who finds the file finds all of it.
bool app_port_file_write(const AppOptions *options, uint16_t port, char *out_message, size_t capacity) {
    if (!options->port_file) return true;
    AppJson json = {0};
    cJSON *ports = app_json_root_object(&json);
    app_json_integer(&json, ports, "tcp", port);
    if (options->unix_path) app_json_string(&json, ports, "unix", options->unix_path);
    ProtocolText text;
    protocol_text_init(&text);
    if (!json.failed) protocol_write_json(&text, ports);
    protocol_text_append_char(&text, '\n');
    cJSON_Delete(ports);

    const size_t path_size = strlen(options->port_file) + sizeof ".new";
    char *beside = malloc(path_size);
    bool written = beside && !json.failed && !text.failed;
    if (written) {
        snprintf(beside, path_size, "%s.new", options->port_file);
        written = write_file(beside, &text) && rename(beside, options->port_file) == 0;
    }
    if (!written) snprintf(out_message, capacity, "--port-file %s: %s", options->port_file, strerror(errno));
    free(beside);
    protocol_text_finish(&text);
    return written;
}

static bool write_file(const char *path, const ProtocolText *text) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return false;
    const bool written = write(file, text->bytes, text->length) == (ssize_t)text->length;
    return (close(file) == 0) & written;
}
