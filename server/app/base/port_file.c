// --port-file.
#include "base/json.h"
#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_beside(const char *path, const TextBuffer *text);
static int write_file(const char *path, const TextBuffer *text);

bool app_port_file_write(const AppOptions *options, AppPorts ports, char *out_message, size_t capacity) {
    if (!options->port_file) return true;
    AppJson json = {0};
    cJSON *object = app_json_root_object(&json);
    app_json_integer(&json, object, "tcp", ports.tcp);
    if (ports.http > 0) app_json_integer(&json, object, "http", ports.http);
    if (options->unix_path) app_json_string(&json, object, "unix", options->unix_path);
    TextBuffer text;
    text_buffer_init(&text);
    if (!json.failed) protocol_write_json(&text, object);
    text_buffer_append_char(&text, '\n');
    cJSON_Delete(object);
    const int failure = json.failed || text.failed ? ENOMEM : write_beside(options->port_file, &text);
    if (failure != 0)
        snprintf(out_message, capacity, "--port-file %s: %s", options->port_file, strerror(failure));
    text_buffer_finish(&text);
    return failure == 0;
}

// Writes a file beside it and renames that, so that a reader never sees half of it. Returns 0 or the errno.
static int write_beside(const char *path, const TextBuffer *text) {
    const size_t size = strlen(path) + sizeof ".new";
    char *beside = malloc(size);
    if (!beside) return ENOMEM;
    snprintf(beside, size, "%s.new", path);
    int failure = write_file(beside, text);
    if (failure == 0 && rename(beside, path) != 0) {
        failure = errno;
        unlink(beside);
    }
    free(beside);
    return failure;
}

// Returns 0 or the errno, and then leaves no file.
static int write_file(const char *path, const TextBuffer *text) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return errno;
    int failure = 0;
    for (size_t written = 0; written < text->length && failure == 0;) {
        const ssize_t some = write(file, text->bytes + written, text->length - written);
        if (some >= 0)
            written += (size_t)some;
        else if (errno != EINTR)
            failure = errno;
    }
    if (close(file) != 0 && failure == 0) failure = errno;
    if (failure != 0) unlink(path);
    return failure;
}
