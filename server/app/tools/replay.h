// `tweed replay`: a recording, served as if it were live.
#pragma once

#include "base/log.h"
#include "base/options.h"
#include "base/ticker.h"
#include "session/access.h"
#include "stream/outbox.h"
#include "tools/recording.h"

#include <net/server.h>
#include <protocol/message.h>

// The newest of a character.
typedef struct AppReplayed {
    NetBuffer *description, *names; // stream.static, whole and without its description; NULL: none now
    NetBuffer *frame;
    uint64_t tick;
    const AppRecordedLine *static_line;
} AppReplayed;

typedef struct AppReplayClient AppReplayClient;

typedef struct AppReplay {
    const AppOptions *options;
    AppLog log;
    AppTokens tokens; // none: everybody may watch
    AppRecording recording;
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    AppTicker ticker;
    NetServer *net;
    AppReplayed *newest; // [character_count]
    size_t next;         // the line that is due next
    uint64_t tick, began_ns;
    AppReplayClient *clients;
    TextBuffer text;
} AppReplay;

struct AppReplayClient {
    AppReplayClient *next;
    AppReplay *replay;
    NetConnection *connection;
    AppAccess access;
    bool takes_events, is_subscribed;
    bool is_dismissed; // by a wrong token: it goes once the answer is sent
    ProtocolView view;
    ProtocolSubscription wish;
    AppOutbox outbox;
};

// Time runs from the first subscription on, and again from the beginning with the first after all have left.
void app_replay_begin(AppReplay *replay);

// Whether the client watches that character.
bool app_replay_shows(const AppReplayClient *client, size_t slot);

// The reply is sent; now what is there already, as far as the client watches it.
void app_replay_catch_up(AppReplayClient *client);

// Answers what came in.
void app_replay_receive(AppReplayClient *client, const char *bytes, size_t length);
void app_replay_send(AppReplayClient *client, const TextBuffer *text);
