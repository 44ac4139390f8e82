// `tweed record FILE`: writes the lines of one subscription as they come, whole lines only. The file begins
// with server.hello, the request and its reply, so that `tweed replay` needs nothing else.

#include "tools/remote.h"
#include "tools/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BEAT_MS = 250, WAITING_S = 1 };

typedef struct Recording {
    AppRemote remote;
    int file; // -1: not open
    const char *path;
    off_t whole_bytes; // of whole lines written
    const AppOptions *options;
    uint64_t frames, first_tick, last_tick, most_ticks;
    bool has_frame;
    time_t shown;
} Recording;

static AppExit subscribe(Recording *recording, const AppOptions *options);
static AppExit open_file(Recording *recording, const char *params, const cJSON *reply);
static AppExit receive(Recording *recording);
static bool record_line(Recording *recording, char *line, size_t length, AppExit *out_status);
static AppExit write_lines(Recording *recording, const char *bytes, size_t length);
static void show_progress(Recording *recording);
static AppExit close_file(Recording *recording, AppExit status);
static AppExit report_write_error(Recording *recording);

int app_tool_record(const AppOptions *options) {
    if (options->view && !app_params_check("--view", options->view)) return APP_EXIT_USAGE;
    Recording recording = {.file = -1,
                           .path = options->files.names[0],
                           .options = options,
                           .most_ticks = (uint64_t)options->ticks};
    AppExit status = app_remote_open(&recording.remote, options);
    if (status == APP_EXIT_OK) {
        net_peer_hold_signals(recording.remote.peer);
        status = subscribe(&recording, options);
    }
    if (status == APP_EXIT_OK) status = receive(&recording);
    if (recording.file >= 0) status = close_file(&recording, status);
    app_remote_finish(&recording.remote);
    return (int)status;
}

// Opens the file only once the server has agreed.
static AppExit subscribe(Recording *recording, const AppOptions *options) {
    cJSON *view = options->view ? cJSON_Parse(options->view) : app_remote_recorded_view(&recording->remote);
    if (!view && !options->view) view = cJSON_CreateObject();
    cJSON_DeleteItemFromObjectCaseSensitive(view, "policy");
    cJSON_AddStringToObject(view, "policy", "queue"); // which leaves no frame out
    TextBuffer params = {0};
    protocol_write_json(&params, view);
    text_buffer_append_char(&params, '\0');
    cJSON *reply = NULL;
    AppExit status = APP_EXIT_OUTPUT;
    if (!view || params.failed)
        app_log_print(&recording->remote.log, "tweed: out of memory");
    else
        status = app_remote_check_patterns(&recording->remote, view);
    if (status == APP_EXIT_OK)
        status = app_remote_request(&recording->remote, "stream.subscribe", params.bytes, &reply);
    if (status == APP_EXIT_OK) status = open_file(recording, params.bytes, reply);
    cJSON_Delete(reply);
    cJSON_Delete(view);
    text_buffer_finish(&params);
    return status;
}

// A recording that is there already, and may be written, stays whole for those who replay it.
static int open_anew(const char *path) {
    struct stat there;
    if (lstat(path, &there) == 0 && S_ISREG(there.st_mode) && access(path, W_OK) == 0) unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static AppExit open_file(Recording *recording, const char *params, const cJSON *reply) {
    recording->file = strcmp(recording->path, "-") == 0 ? STDOUT_FILENO : open_anew(recording->path);
    if (recording->file < 0) return report_write_error(recording);
    TextBuffer text = {0};
    text_buffer_append_string(&text, recording->remote.hello);
    text_buffer_append_char(&text, '\n');
    protocol_write_request(&text, "1", "stream.subscribe", params);
    protocol_write_result(&text, "1", reply);
    const AppExit status =
        text.failed ? report_write_error(recording) : write_lines(recording, text.bytes, text.length);
    text_buffer_finish(&text);
    return status;
}

static AppExit receive(Recording *recording) {
    AppExit status = APP_EXIT_OK;
    const double began = app_seconds();
    bool waits = false;
    app_remote_heard(&recording->remote);
    for (bool more = true; more;) {
        char *line;
        size_t length;
        switch (app_remote_read(&recording->remote, BEAT_MS, &line, &length)) {
        case NET_PEER_LINE:
            more = record_line(recording, line, length, &status);
            break;
        case NET_PEER_TIMEOUT: // all characters' frames of the last tick have come
            more = !recording->has_frame || !recording->most_ticks ||
                   recording->last_tick - recording->first_tick + 1 < recording->most_ticks;
            break;
        case NET_PEER_SIGNAL:
            return APP_EXIT_OK;
        case NET_PEER_ENDED:
        case NET_PEER_FAILED:
            return APP_EXIT_NO_SERVER;
        }
        if (more && app_remote_is_overdue(&recording->remote, recording->options))
            return app_remote_report_overdue(&recording->remote, recording->options);
        if (more && !waits && !recording->has_frame && app_seconds() - began >= WAITING_S) {
            app_log_print(&recording->remote.log,
                          "tweed: no frame yet: waits for a character to record (--timeout limits that)");
            waits = true;
        }
        show_progress(recording);
    }
    return status;
}

// False: the recording is complete, or failed.
static bool record_line(Recording *recording, char *line, size_t length, AppExit *out_status) {
    AppLine read;
    if (!app_line_read(&read, line, length, false)) {
        app_log_print(&recording->remote.log, "tweed: %s sent what is not JSON: %.60s",
                      recording->remote.where, line);
        *out_status = APP_EXIT_NO_SERVER;
        return false;
    }
    const bool is_frame = app_line_is(&read, "stream.frame") && read.has_tick;
    const uint64_t tick = read.tick;
    app_line_finish(&read);
    if (is_frame && !recording->has_frame) recording->first_tick = tick;
    if (is_frame && recording->most_ticks && tick >= recording->first_tick + recording->most_ticks)
        return false;
    line[length] = '\n'; // in place of the reader's NUL
    *out_status = write_lines(recording, line, length + 1);
    if (is_frame && *out_status == APP_EXIT_OK) {
        recording->has_frame = true;
        app_remote_heard(&recording->remote);
        if (tick > recording->last_tick) recording->last_tick = tick; // nodes of a cluster may lag
        recording->frames++;
    }
    return *out_status == APP_EXIT_OK;
}

// Writes all or nothing: half a line is cut off again, where the file can be cut.
static AppExit write_lines(Recording *recording, const char *bytes, size_t length) {
    for (size_t written = 0; written < length;) {
        const ssize_t size = write(recording->file, bytes + written, length - written);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) {
            const AppExit status = report_write_error(recording);
            if (written > 0 && ftruncate(recording->file, recording->whole_bytes) != 0)
                app_log_print(&recording->remote.log, "tweed: the last line of %s is not whole",
                              recording->path);
            return status;
        }
        written += (size_t)size;
    }
    recording->whole_bytes += (off_t)length;
    return APP_EXIT_OK;
}

static void show_progress(Recording *recording) {
    const time_t now = time(NULL);
    if (now == recording->shown) return;
    recording->shown = now;
    app_log_status(&recording->remote.log,
                   "recording %s · tick %llu · %llu frames · %.1f MiB · Ctrl-C ends it", recording->path,
                   (unsigned long long)recording->last_tick, (unsigned long long)recording->frames,
                   (double)recording->whole_bytes / 1048576);
}

static AppExit close_file(Recording *recording, AppExit status) {
    if (recording->file != STDOUT_FILENO && close(recording->file) != 0 && status != APP_EXIT_OUTPUT)
        status = report_write_error(recording);
    app_log_finish(&recording->remote.log);
    if (recording->has_frame)
        app_log_print(&recording->remote.log, "%s: %llu frame%s, ticks %llu to %llu, %.1f MiB",
                      recording->path, (unsigned long long)recording->frames,
                      recording->frames == 1 ? "" : "s", (unsigned long long)recording->first_tick,
                      (unsigned long long)recording->last_tick, (double)recording->whole_bytes / 1048576);
    else
        app_log_print(&recording->remote.log, "%s: no frames", recording->path);
    return status;
}

static AppExit report_write_error(Recording *recording) {
    app_log_print(&recording->remote.log, "tweed: cannot write %s: %s", recording->path, strerror(errno));
    return APP_EXIT_OUTPUT;
}
