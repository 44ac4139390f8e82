// The views of all subscriptions, and their frames. Equal views are one, whose encodings all its
// subscriptions share. Frames that are wanted at once are encoded by the workers, other lines when a
// connection takes them first.
#pragma once

#include "stream/frame_text.h"
#include "stream/outbox.h"
#include "stream/remote_characters.h"
#include "ticks/workers.h"

#include <net/buffer.h>

#define APP_MAX_VIEWS 64 // different ones on the server

// What a stream.static line holds beside the names of the frame's bones.
typedef enum AppStaticKind {
    APP_STATIC_BARE,      // static:false
    APP_STATIC_DESCRIBED, // the description
    APP_STATIC_MESHED,    // the description, with meshes
    APP_STATIC_KIND_COUNT
} AppStaticKind;

// Encodings of the newest tick; NULL: not taken yet.
typedef struct AppEncodings {
    NetBuffer *frame;
    NetBuffer *last_frame; // the one before; once it is sent, its memory is reused
    uint64_t frame_tick;   // of the newer of the two
    size_t body;           // offset in it of what does not depend on the tick
    NetBuffer *statics[APP_STATIC_KIND_COUNT];
} AppEncodings;

typedef struct AppView {
    int id;
    ProtocolView view;
    unsigned subscribers;
    AppBitset members;       // slots of the characters that match
    AppBitset wanted;        // those of them whose frame of the newest tick is waited for
    AppEncodings *encodings; // [character_count], by slot
    size_t character_count;
    AppSelection *selections; // [selection_count], by rig
    size_t selection_count;
    AppRemoteCharacters remote; // characters of other servers
} AppView;

// A frame to encode. The loop begins and ends it; between, any thread may write it.
typedef struct AppFrameJob {
    AppView *view;
    size_t slot;
    AppFrameSource source;
    NetBuffer *memory; // of an older frame, which nobody else has; NULL: none
    NetBuffer *frame;  // that was written; NULL when memory runs out
    size_t body;
} AppFrameJob;

typedef struct AppViews {
    AppView *items[APP_MAX_VIEWS]; // [count]
    size_t count;
    int last_id;
    AppFrameJob *jobs; // [job_count], in [job_capacity]
    size_t job_count, job_capacity;
    AppScratch scratches[APP_MAX_WORKERS]; // of each worker; the first one is the loop's between ticks
} AppViews;

// All zero is without views.
void app_views_finish(AppViews *views);

// The view that equals `view`, or a new one, with one more subscriber. Takes `view` over in any case. NULL
// with -32003 where there are too many, -32603 out of memory.
AppView *app_views_open(AppViews *views, const AppCharacters *characters, ProtocolView *view,
                        ProtocolError *out_error);
// Removes a subscriber; the last one frees the view.
void app_views_close(AppViews *views, AppView *view);

// Adds new characters to all views they match. Returns false when memory runs out; call again later.
bool app_views_add_characters(AppViews *views, const AppCharacters *characters);

// The slots behind it move up by one.
void app_views_remove_character(AppViews *views, size_t slot);

// Drops the encodings of the tick before.
void app_views_expire(AppViews *views);
// Scripts were reloaded: drops all encodings, and the selections of rigs that are gone.
void app_views_drop_rigs(AppViews *views, const SimWorld *world);

// Lists the frames that are wanted, and forgets that they are: 0 where the loop may as well encode them
// itself when they are taken. Then app_views_encode for each job, while nothing changes the world, and
// app_views_end_frames. Views that are closed meanwhile are freed by it.
int app_views_begin_frames(AppViews *views, const AppCharacters *characters);
void app_views_encode(AppViews *views, int job, int worker);
void app_views_end_frames(AppViews *views);

// The newest tick's line. The caller takes a reference of its own. Returns NULL when memory runs out. Between
// ticks only, unless it has been encoded already.
NetBuffer *app_view_frame(AppViews *views, AppView *view, const AppCharacters *characters, size_t slot);
NetBuffer *app_view_static(AppViews *views, AppView *view, AppCharacters *characters, size_t slot,
                           AppStaticKind kind);
// Whether the static data waits for meshes to be encoded. Between ticks only.
bool app_view_waits(const AppView *view, AppCharacters *characters, size_t slot, AppStaticKind kind);
bool app_view_has(const AppView *view, size_t slot, AppDue due, AppStaticKind kind);
