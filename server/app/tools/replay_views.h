// The newest lines of a recording's characters, and what views have encoded of them. The view that was
// recorded gets the very lines; others are computed from the recorded bones, when a line is about to be sent.
#pragma once

#include "base/log.h"
#include "stream/views.h"
#include "tools/recording.h"

#include <net/buffer.h>
#include <protocol/recorded.h>

typedef enum AppReading { APP_READING_NONE, APP_READING_DONE, APP_READING_FAILED } AppReading;

// A character's newest lines, and what has been read of them.
typedef struct AppReplayCharacter {
    const AppRecordedLine *static_line, *frame_line; // NULL: none yet
    uint64_t shift;                                  // ticks that are added to the frame's
    const AppRecordedLine *description_line;         // that `description` was read from; NULL: none
    bool has_description;                            // else it cannot be read
    ProtocolDescription description;
    AppReading frame_reading;
    ProtocolRecordedFrame frame;
} AppReplayCharacter;

// What a view has encoded of a character's newest lines; NULL: not taken yet.
typedef struct AppReplayEncodings {
    NetBuffer *frame;
    NetBuffer *statics[APP_STATIC_KIND_COUNT];
    size_t *selection; // [selection_count] bones that the view shows; NULL: not looked up yet
    size_t selection_count;
} AppReplayEncodings;

typedef struct AppReplayView {
    int id;
    ProtocolView view;
    bool is_recorded; // but for its characters
    unsigned subscribers;
    AppReplayEncodings *encodings; // by slot
} AppReplayView;

typedef struct AppReplayViews {
    const AppRecording *recording;
    AppLog *log;
    AppReplayCharacter *newest;          // by slot
    AppReplayView *items[APP_MAX_VIEWS]; // [count]
    size_t count;
    int last_id;
    char refusal[PROTOCOL_ERROR_MESSAGE_BYTES +
                 128]; // why there is no view but the recorded one; "": there is
    bool has_reported; // a frame that cannot be read
    TextBuffer text, part;
    float (*bones)[16]; // [bone_capacity]
    size_t bone_capacity;
} AppReplayViews;

// Reads all descriptions once, to know whether other views can be computed. Returns false when memory runs
// out. Call app_replay_views_finish in any case.
bool app_replay_views_init(AppReplayViews *views, const AppRecording *recording, AppLog *log);
void app_replay_views_finish(AppReplayViews *views);

// Static data or a frame is the newest one of its character now; `shift` is added to its tick.
void app_replay_views_set_line(AppReplayViews *views, const AppRecordedLine *line, uint64_t shift);
void app_replay_views_remove_character(AppReplayViews *views, size_t slot);
void app_replay_views_clear(AppReplayViews *views);

// The view that equals `view`, or a new one, with one more subscriber. Takes `view` over in any case. `held`
// is the recorded view that the connection has already, with its own choice of characters; NULL: none. NULL:
// -32003 where there are too many or none but the recorded one, -32603 out of memory.
AppReplayView *app_replay_views_open(AppReplayViews *views, ProtocolView *view, const AppReplayView *held,
                                     ProtocolError *out_error);
// Removes a subscriber; the last one frees the view.
void app_replay_views_close(AppReplayViews *views, AppReplayView *view);

// The newest line. The caller takes a reference of its own. NULL: there is none, or it cannot be read.
NetBuffer *app_replay_view_frame(AppReplayViews *views, AppReplayView *view, size_t slot);
NetBuffer *app_replay_view_static(AppReplayViews *views, AppReplayView *view, size_t slot,
                                  AppStaticKind kind);
bool app_replay_view_shows(const AppReplayViews *views, const AppReplayView *view, size_t slot);

// The character's bones, each in its parent's space, roots in the recorded one: [bone_count of its
// description], valid until the next call. NULL: there is no frame, or none that can be read.
const float (*app_replay_parent_bones(AppReplayViews *views, size_t slot))[16];

// NULL: the character is not there, or was recorded without its description.
const ProtocolDescription *app_replay_description(AppReplayViews *views, size_t slot);
// Appends the result of character.describe; `kind` is with meshes, where they were recorded, or without.
void app_replay_write_description(AppReplayViews *views, const ProtocolDescription *description,
                                  ProtocolAxes axes, AppStaticKind kind, TextBuffer *out_text);

// Appends a line with `shift` added to its tick.
void app_replay_write_shifted(const AppRecordedLine *line, uint64_t shift, double tick_rate,
                              TextBuffer *out_text);
