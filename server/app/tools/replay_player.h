// Plays a recording: its lines in their time, to the connections that have subscribed. A recording cannot be
// changed, so all clients are observers.
#pragma once

#include "base/options.h"
#include "base/web.h"
#include "session/access.h"
#include "stream/livelink.h"
#include "stream/outbox.h"
#include "stream/streams.h"
#include "ticks/deadline_timer.h"
#include "tools/replay_views.h"

#include <net/server.h>

typedef struct AppReplayClient AppReplayClient;

// What JSON Live Link was sent of a character last.
typedef struct AppReplaySubject {
    const AppRecordedLine *description_line, *frame_line; // NULL: nothing
    uint64_t bones;
} AppReplaySubject;

typedef struct AppReplay {
    const AppOptions *options;
    AppLog log;
    AppTokens tokens; // none: every client may watch
    AppRecording recording;
    AppReplayViews views;
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    AppDeadlineTimer tick_timer;
    bool has_tick_timer;
    NetServer *net;
    AppWeb web;
    uint64_t start_ns;

    bool *is_at_start;            // by slot: the character is there from the first tick on
    size_t next;                  // line to play
    uint64_t tick;                // of the line played last, with `shift`
    uint64_t shift;               // ticks that the rounds before had (--loop)
    uint64_t began_ns;            // of this round
    const AppRecordedLine *world; // the newest world.changed; NULL: none yet
    AppReplayClient *clients;     // newest first
    AppLiveLink livelink;
    AppReplaySubject *subjects; // by slot, of JSON Live Link
    TextBuffer text;
} AppReplay;

typedef struct AppReplaySubscription {
    AppReplayView *view;
    ProtocolSubscription options;
    AppOutbox outbox;
    bool is_new; // its reply is not sent yet
} AppReplaySubscription;

struct AppReplayClient {
    AppReplayClient *next;
    AppReplay *replay;
    NetConnection *connection;
    AppAccess access;
    char name[129]; // that it gave in session.open; "": none
    bool takes_events;
    bool gave_wrong_token;                                 // closed once the reply is sent
    AppReplaySubscription subscriptions[APP_CLIENT_VIEWS]; // [count]
    size_t count;
    size_t turn; // the subscription whose outbox is served
    uint64_t frames_sent, frames_skipped;
};

// The recording is open. Plays the first tick, so that its characters are known, to nobody. Returns false
// when memory runs out.
bool app_replay_init(AppReplay *replay);
void app_replay_finish(AppReplay *replay);

// Begins without waiting for a subscription. The livelink is open.
void app_replay_start(AppReplay *replay);

// The tick timer's callback: plays the lines of one tick. Where several ticks are due, the loop serves the
// sockets between them, as it does live.
void app_replay_on_due(void *context);

double app_replay_time(const AppReplay *replay);

// The subscription to that view, new or as it was, which app_replay_catch_up makes current once the reply is
// sent. The first one of all clients begins the recording. Takes `view` over in any case. NULL: the error.
AppReplaySubscription *app_replay_subscribe(AppReplayClient *client, ProtocolView *view,
                                            const ProtocolSubscription *options, ProtocolError *out_error);
// False: the client has no such view.
bool app_replay_unsubscribe(AppReplayClient *client, int view);
void app_replay_unsubscribe_all(AppReplayClient *client);
void app_replay_catch_up(AppReplayClient *client);

// The next line for a socket that has room, with a reference for the caller; NULL: none is due.
NetBuffer *app_replay_pull(AppReplayClient *client);

// Sends the text as one message.
void app_replay_send(AppReplayClient *client, const TextBuffer *text);
