// Subscriptions: marks new frames after a tick and encodes lines when a socket is writable.
#pragma once

#include "base/json.h"
#include "session/sessions.h"
#include "stream/outbox.h"
#include "stream/views.h"
#include "ticks/stats.h"

#define APP_CLIENT_VIEWS  16                 // subscriptions of one connection
#define APP_BACKLOG_BYTES ((size_t)16 << 20) // frames that wait under the policy queue
#define APP_REPEATED_S    2                  // s; a tick that is farther back is of a server that counts anew

typedef struct AppStreams AppStreams;

typedef struct AppSubscription {
    AppView *view;
    ProtocolSubscription options;
    AppOutbox outbox;
    AppOutbox remote; // of the view's remote characters
} AppSubscription;

// What the subscriptions of a view want of other servers.
typedef struct AppRemoteDemand {
    size_t subscriptions;  // 0: nothing any more
    AppStaticKind kind;    // the most that any of them wants
    ProtocolPolicy policy; // queue where any of them has it
    double rate;           // Hz, if all have that rate; 0: every tick
} AppRemoteDemand;

// Where frames of other servers' characters come from. All zero: there are none.
typedef struct AppStreamSource {
    // The subscriptions of the view have changed; `params` are those of one, or NULL where one has ended.
    void (*update)(void *context, AppView *view, const AppRemoteDemand *demand, const cJSON *params);
    // Adds the names that a view shows of them to `names`, or with redirect the servers that have them to
    // `servers`.
    void (*list)(void *context, const AppView *view, AppJson *json, cJSON *names);
    void (*redirect)(void *context, const AppView *view, AppJson *json, cJSON *servers);
    void *context;
} AppStreamSource;

// Under the policy queue: lines that wait in order.
typedef struct AppBacklogLine {
    NetBuffer *buffer;
    int view;
    bool is_frame;
} AppBacklogLine;

typedef struct AppBacklog {
    AppBacklogLine *lines; // ring [capacity]
    size_t first, count, capacity;
    size_t bytes;
} AppBacklog;

// The subscriptions of one connection.
struct AppSubscriber {
    AppSubscriber *next, *previous;
    AppStreams *streams;
    NetConnection *connection;
    AppSubscription subscriptions[APP_CLIENT_VIEWS]; // [count]
    size_t count;
    size_t turn; // the subscription whose outbox is served
    AppBacklog backlog;
    uint64_t frames_sent, frames_skipped;
};

struct AppStreams {
    AppViews views;
    AppStreamSource source;
    bool (*may_send)(void *context); // whether lines may go out now; NULL: always
    void *context;
    AppSubscriber *subscribers;           // newest first
    uint64_t held_back_until;             // the last tick in which a character's frames do not count yet
    int frame_interval;                   // ticks from one frame to the next under the policy latest; 0 is 1
    uint64_t frames_sent, frames_skipped; // of connections that have ended
    AppCharacters *characters;
    const AppTicks *ticks;
    AppStats *stats;
    AppLog *log;
};

// The subscription of the view, new or as it was; its static data and the newest frame become due. `params`
// are those of the request. NULL with -32003 for one too many, -32603 out of memory. Takes `view` over in any
// case.
AppSubscription *app_streams_subscribe(AppStreams *streams, AppClient *client, ProtocolView *view,
                                       const ProtocolSubscription *options, const cJSON *params,
                                       ProtocolError *out_error);
// False: the connection has no such view.
bool app_streams_unsubscribe(AppClient *client, int view);
// Drops all subscriptions of the connection.
void app_streams_end(AppClient *client);

// After a tick: the frames of this tick become due to all subscriptions whose rate asks for one. Views encode
// those that no subscription is behind with.
void app_streams_mark_frames(AppStreams *streams);
// What is due goes out as sockets have room: after a tick, and when meshes have been encoded, for which
// static data may have waited. Between ticks only.
void app_streams_offer(AppStreams *streams);

// Characters were added: their static data is due, and their frames from their first tick on.
void app_streams_add_characters(AppStreams *streams, size_t first_slot);
// The character of that slot was removed, with what was due of it; lines of it in a backlog still go out.
void app_streams_remove_character(AppStreams *streams, size_t slot);

// A character's static data has changed.
void app_streams_mark_static(AppStreams *streams, size_t slot);

// A line of another server's character, which is copied with the view's number; kind: of the static lines
// that come.
void app_streams_put_remote(AppStreams *streams, AppView *view, const ProtocolRelay *line,
                            AppStaticKind kind);
// A character of this server goes on at another one, or one of another server's goes on here, in the slot:
// the clients of all views get each of its frames once. Its first frame here is the newest tick's where they
// have an older one.
void app_streams_hand_over(AppStreams *streams, size_t slot);
void app_streams_take_over(AppStreams *streams, size_t slot);
// It is that server's no longer, or will be described anew.
void app_streams_remove_remote(AppStreams *streams, AppView *view, const char *character);

// The next line for the socket, with a reference for the caller; NULL when there is none, or none before the
// running tick ends.
NetBuffer *app_streams_pull(AppClient *client);

// Whether anything is due.
bool app_streams_has_due(const AppClient *client);
