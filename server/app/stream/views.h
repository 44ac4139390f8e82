// The views of all subscriptions, and their frames. Equal views are one, whose encodings all its
// subscriptions share. A line is encoded when a connection takes it first.
#pragma once

#include "characters/characters.h"
#include "stream/outbox.h"

#include <cglm/cglm.h>
#include <net/buffer.h>
#include <protocol/frame.h>
#include <protocol/view.h>

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

// Which bones of a rig the view shows.
typedef struct AppSelection {
    SimRigId rig;
    size_t *bones; // [count]
    size_t count;
} AppSelection;

typedef struct AppView {
    int id;
    ProtocolView view;
    unsigned subscribers;
    AppBitset members;       // slots of the characters that match
    AppEncodings *encodings; // [character_count], by slot
    size_t character_count;
    AppSelection *selections; // [selection_count], by rig
    size_t selection_count;
} AppView;

// Room for what is computed on the way to a frame; grows to what the largest character takes.
typedef struct AppScratch {
    TextBuffer text;
    float *floats;
    size_t float_count;
    ProtocolPoints *points;
    size_t point_count;
    ProtocolWrinkles *wrinkles;
    size_t wrinkle_count;
} AppScratch;

typedef struct AppViews {
    AppView *items[APP_MAX_VIEWS]; // [count]
    size_t count;
    int last_id;
    AppScratch scratch;
} AppViews;

// All zero is without views.
void app_views_finish(AppViews *views);

// The view that equals `view`, or a new one, with one more subscriber. Takes `view` over in any case. NULL
// with -32003 where there are too many, -32603 out of memory.
AppView *app_views_open(AppViews *views, const AppCharacters *characters, ProtocolView *view,
                        ProtocolError *out_error);
// Removes a subscriber; the last one frees the view.
void app_views_close(AppViews *views, AppView *view);

// Adds new characters to all views they match. False: out of memory; call again later.
bool app_views_add_characters(AppViews *views, const AppCharacters *characters);

// The slots behind it move up by one.
void app_views_remove_character(AppViews *views, size_t slot);

// Drops the encodings of the tick before.
void app_views_expire(AppViews *views);
// Scripts were reloaded: drops all encodings, and the selections of rigs that are gone.
void app_views_drop_rigs(AppViews *views, const SimWorld *world);

// The newest tick's line. The caller takes a reference of its own. NULL: out of memory. Between ticks only,
// unless it has been encoded already.
NetBuffer *app_view_frame(AppViews *views, AppView *view, const AppCharacters *characters, size_t slot);
NetBuffer *app_view_static(AppViews *views, AppView *view, AppCharacters *characters, size_t slot,
                           AppStaticKind kind);
// Whether the static data waits for meshes to be encoded. Between ticks only.
bool app_view_waits(const AppView *view, AppCharacters *characters, size_t slot, AppStaticKind kind);
bool app_view_has(const AppView *view, size_t slot, AppDue due, AppStaticKind kind);

// Where the bones of one character are.
typedef struct AppSkeleton {
    const SimRigInfo *rig;
    const mat4 *model; // [rig->bone_count]
    mat4 root;         // model to world
} AppSkeleton;

void app_skeleton_init(AppSkeleton *skeleton, const AppCharacters *characters, const AppCharacter *character);
// In that space, canonical axes. The parent space of a bone without a parent is the model's.
void app_skeleton_place(AppSkeleton *skeleton, ProtocolSpace space, size_t bone, float out_matrix[16]);
