// A file that `tweed record` wrote: its lines, and when each is due.
#pragma once

#include <protocol/view.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { APP_RECORDING_HEAD_LINES = 3 }; // server.hello, the request and its reply

typedef enum AppRecordedKind { APP_RECORDED_EVENT, APP_RECORDED_STATIC, APP_RECORDED_FRAME } AppRecordedKind;

typedef struct AppRecordedLine {
    const char *bytes; // of the file
    size_t length;     // with its "\n"
    AppRecordedKind kind;
    uint64_t tick; // when it is due, in ascending order
    size_t slot;   // the character's; SIZE_MAX: an event that removes none
    bool is_world; // world.changed
} AppRecordedLine;

typedef struct AppRecording {
    char *bytes; // [length], of the file
    size_t length;
    cJSON *hello;           // params of server.hello
    double tick_rate;       // Hz
    int view_id;            // in its lines
    ProtocolView view;      // that was recorded
    cJSON *json_view;       // as parameters of stream.subscribe, without those that a client may choose
    AppRecordedLine *lines; // [line_count]
    size_t line_count;
    size_t cut_line;   // the last one, which has no end and is left out; 0: none
    char **characters; // [character_count] names, by slot
    size_t character_count;
} AppRecording;

// Whether a file begins as a recording does, whatever its name is. False, too, if it cannot be read.
bool app_recording_is_at(const char *path);

// False: `message` says what is wrong, with the number of the line. Call app_recording_finish in any case.
bool app_recording_open(AppRecording *recording, const char *path, char *message, size_t capacity);
void app_recording_finish(AppRecording *recording);
