// A file that `tweed record` wrote: its lines, and when each is due.
#pragma once

#include <protocol/view.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum AppRecordedKind { APP_RECORDED_EVENT, APP_RECORDED_STATIC, APP_RECORDED_FRAME } AppRecordedKind;

typedef struct AppRecordedLine {
    const char *bytes; // in the file's
    size_t length;     // with its "\n"
    AppRecordedKind kind;
    uint64_t tick; // when it is due; never below that of the line before
    size_t slot;   // of the character; of events, SIZE_MAX unless they remove one
} AppRecordedLine;

typedef struct AppRecording {
    char *bytes; // [length], the file's
    size_t length;
    cJSON *hello;           // its params
    double tick_rate;       // Hz
    int view_id;            // that its lines name
    ProtocolView view;      // that it was made with
    AppRecordedLine *lines; // [line_count]
    size_t line_count;
    char **characters; // [character_count] names, by slot
    size_t character_count;
} AppRecording;

// False: `message` says what is wrong, with the line's number. Finish it in any case.
bool app_recording_open(AppRecording *recording, const char *path, char *message, size_t capacity);
void app_recording_finish(AppRecording *recording);
