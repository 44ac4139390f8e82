// Reads a recording: server.hello, the request and its reply, then the stream.
#include "tools/recording.h"

#include "tools/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <protocol/reply.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <text/array.h>
#include <unistd.h>

#define MOST_TICK_RATE 1e6

typedef struct Reader {
    AppRecording *recording;
    const char *path;
    size_t number; // of the line
    size_t line_capacity;
    bool has_tick; // some line had
    char *message;
    size_t capacity;
} Reader;

static bool map_file(Reader *reader);
static bool read_line(Reader *reader, const char *bytes, size_t length);
static bool read_hello(Reader *reader, const AppLine *line);
static bool read_request(Reader *reader, const AppLine *line);
static bool read_reply(Reader *reader, const AppLine *line);
static bool read_streamed(Reader *reader, const AppLine *line, const char *bytes, size_t length);
static bool find_slot(AppRecording *recording, const char *name, size_t *out_slot);
static bool wrong(Reader *reader, const char *format, ...) PROTOCOL_PRINTF(2, 3);

bool app_recording_is_at(const char *path) {
    char start[128] = "";
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe does not make it wait
    if (file < 0) return false;
    const ssize_t length = pread(file, start, sizeof start - 1, 0);
    close(file);
    return length > 0 && start[0] == '{' && strstr(start, "\"server.hello\"");
}

bool app_recording_open(AppRecording *recording, const char *path, char *message, size_t capacity) {
    *recording = (AppRecording){0};
    Reader reader = {.recording = recording, .path = path, .message = message, .capacity = capacity};
    if (!map_file(&reader)) return false;
    const char *end = recording->bytes + recording->length;
    for (const char *at = recording->bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader.number++;
        if (!newline) {
            recording->cut_line = reader.number;
            break;
        }
        if (!read_line(&reader, at, (size_t)(newline + 1 - at))) return false;
        at = newline + 1;
    }
    if (recording->line_count > 0) return true;
    if (recording->cut_line > 0) return wrong(&reader, "the last line is not whole");
    snprintf(message, capacity, "%s: nothing was recorded", path);
    return false;
}

void app_recording_finish(AppRecording *recording) {
    if (recording->bytes) munmap(recording->bytes, recording->length);
    cJSON_Delete(recording->hello);
    protocol_view_finish(&recording->view);
    cJSON_Delete(recording->json_view);
    free(recording->lines);
    for (size_t i = 0; i < recording->character_count; i++) free(recording->characters[i]);
    free(recording->characters);
    *recording = (AppRecording){0};
}

static bool map_file(Reader *reader) {
    AppRecording *recording = reader->recording;
    const int file = open(reader->path, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    const int why = errno;
    if (file >= 0) close(file);
    if (bytes != MAP_FAILED) {
        recording->bytes = bytes;
        recording->length = (size_t)status.st_size;
        return true;
    }
    if (file >= 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        snprintf(reader->message, reader->capacity, "%s: nothing was recorded", reader->path);
    else if (file >= 0 && !S_ISREG(status.st_mode))
        snprintf(reader->message, reader->capacity, "cannot read %s: expected a file, found %s", reader->path,
                 S_ISDIR(status.st_mode) ? "a folder" : "a device");
    else
        snprintf(reader->message, reader->capacity, "cannot read %s: %s", reader->path, strerror(why));
    return false;
}

static bool read_line(Reader *reader, const char *bytes, size_t length) {
    AppLine line;
    if (!app_line_read(&line, bytes, length, false)) return wrong(reader, "not JSON");
    bool valid;
    switch (reader->number) {
    case 1:
        valid = read_hello(reader, &line);
        break;
    case 2:
        valid = read_request(reader, &line);
        break;
    case 3:
        valid = read_reply(reader, &line);
        break;
    default:
        valid = read_streamed(reader, &line, bytes, length);
    }
    app_line_finish(&line);
    return valid;
}

static bool read_hello(Reader *reader, const AppLine *line) {
    AppRecording *recording = reader->recording;
    const cJSON *rate = cJSON_GetObjectItemCaseSensitive(line->params, "tick_rate");
    if (!app_line_is(line, "server.hello") || !cJSON_IsNumber(rate) || !(rate->valuedouble >= 1.0) ||
        rate->valuedouble > MOST_TICK_RATE)
        return wrong(reader, "expected server.hello with its tick_rate, as tweed record writes it");
    if (!protocol_json_is_finite(line->params)) return wrong(reader, "expected finite numbers");
    recording->tick_rate = rate->valuedouble;
    recording->hello = cJSON_Duplicate(line->params, true);
    return recording->hello || wrong(reader, "out of memory");
}

static bool read_request(Reader *reader, const AppLine *line) {
    AppRecording *recording = reader->recording;
    if (!app_line_is(line, "stream.subscribe")) return wrong(reader, "expected the request stream.subscribe");
    ProtocolError error;
    ProtocolSubscription subscription;
    const ProtocolMethod *method = protocol_find_method(line->method, &error);
    if (!protocol_validate_params(method, line->params, &error) ||
        !protocol_view_read(line->params, &recording->view, &subscription, &error))
        return wrong(reader, "%s", error.message);
    static const char *const chosen[] = {"characters", "rate", "policy", "static"};
    recording->json_view = line->params ? cJSON_Duplicate(line->params, true) : cJSON_CreateObject();
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(recording->json_view, chosen[i]);
    return recording->json_view || wrong(reader, "out of memory");
}

static bool read_reply(Reader *reader, const AppLine *line) {
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(line->json, "result");
    const cJSON *view = cJSON_GetObjectItemCaseSensitive(result, "view");
    if (!cJSON_IsNumber(view)) return wrong(reader, "expected the reply to stream.subscribe, with its view");
    reader->recording->view_id = view->valueint;
    return true;
}

static bool read_streamed(Reader *reader, const AppLine *line, const char *bytes, size_t length) {
    AppRecording *recording = reader->recording;
    const size_t count = recording->line_count;
    AppRecordedLine read = {.bytes = bytes, .length = length, .slot = SIZE_MAX};
    if (app_line_is(line, "stream.static")) read.kind = APP_RECORDED_STATIC;
    if (app_line_is(line, "stream.frame")) read.kind = APP_RECORDED_FRAME;
    read.is_world = app_line_is(line, "world.changed");
    const bool is_of_one = read.kind != APP_RECORDED_EVENT || app_line_is(line, "character.removed");
    if (is_of_one && !line->character) return wrong(reader, "expected the character's name");
    if (read.kind == APP_RECORDED_FRAME && !line->has_tick) return wrong(reader, "expected the frame's tick");
    if (is_of_one && !find_slot(recording, line->character, &read.slot))
        return wrong(reader, "out of memory");
    read.tick = line->has_tick ? line->tick : 0;
    if (count > 0 && read.tick < recording->lines[count - 1].tick)
        read.tick = recording->lines[count - 1].tick;
    if (!TEXT_ARRAY_GROW(recording->lines, count, reader->line_capacity))
        return wrong(reader, "out of memory");
    recording->lines[recording->line_count++] = read;
    // Lines before the first tick are due with it.
    for (size_t i = 0; line->has_tick && !reader->has_tick && i < count; i++)
        recording->lines[i].tick = read.tick;
    reader->has_tick |= line->has_tick;
    return true;
}

static bool find_slot(AppRecording *recording, const char *name, size_t *out_slot) {
    for (*out_slot = 0; *out_slot < recording->character_count; ++*out_slot)
        if (strcmp(recording->characters[*out_slot], name) == 0) return true;
    char *copy = TEXT_ARRAY_EXTEND(recording->characters, *out_slot) ? strdup(name) : NULL;
    if (!copy) return false;
    recording->characters[recording->character_count++] = copy;
    return true;
}

static bool wrong(Reader *reader, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(reader->message, reader->capacity, "%s:%zu: %s", reader->path, reader->number, what);
    return false;
}
