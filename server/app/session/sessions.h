// Connections: the role, the name and the requests of each one.
#pragma once

#include "base/log.h"
#include "characters/characters.h"
#include "session/access.h"
#include "ticks/tick_phase.h"

#include <net/connection.h>
#include <protocol/message.h>
#include <protocol/methods.h>

typedef struct AppSessions AppSessions;
typedef struct AppClient AppClient;
typedef struct AppRequest AppRequest;       // rpc/requests.h
typedef struct AppSubscriber AppSubscriber; // stream/streams.h

// Notifications that failed.
typedef struct AppNotificationErrors {
    unsigned count;       // since the last report
    uint64_t reported_ns; // 0: never
    char last[PROTOCOL_ERROR_MESSAGE_BYTES + 64];
} AppNotificationErrors;

struct AppClient {
    AppClient *next, *previous;
    AppSessions *sessions;
    NetConnection *connection;
    uint64_t id; // the connection's
    AppAccess access;
    bool is_dismissed; // by a wrong token: it is closed once the answer is sent
    bool takes_events;
    bool has_posed;     // it has posed bones
    bool has_viewpoint; // set by session.look
    vec3 viewpoint;     // m, in the world
    bool has_ended;     // it sends nothing more, and is removed once its last request is answered
    char name[129];     // what it calls itself in session.open; "": nothing
    AppNotificationErrors errors;

    // Requests are served one after the other.
    AppRequest *pending;     // being done, answered later; NULL: none
    size_t open_batches;     // whose answers are not sent yet
    size_t waiting_requests; // in the queue
    size_t waiting_bytes;
    unsigned served;          // requests since the last tick
    int64_t credit_ns;        // of the time budget, see rpc/requests.h
    uint64_t skipped_in_pass; // the pass through the queue in which its next request had to wait

    AppSubscriber *subscriber; // NULL: it has never subscribed
};

// An error that a script has raised, and raises again and again.
typedef struct AppRepeatedError {
    char script[256], message[1024];
    unsigned count;       // since the last report
    uint64_t reported_ns; // 0: the entry is free
} AppRepeatedError;

#define APP_REPEATED_ERRORS 16 // distinct errors tracked

// Gets each event as well. All zero: nobody does.
typedef struct AppObserver {
    void (*event)(void *context, const char *method, const cJSON *params, NetBuffer *line);
    void *context;
} AppObserver;

struct AppSessions {
    AppClient *clients; // newest first
    AppObserver observer;
    const AppTokens *tokens;
    const AppTicks *ticks;
    const AppCharacters *characters;
    AppLog *log;
    TextBuffer text;                                  // of the message being written
    int64_t budget_ns;                                // that all requests may take until the next interval
    bool scripts_changed_world;                       // and no event has reported it yet
    uint64_t script_errors;                           // raised by scripts, at load or later, since the start
    AppRepeatedError errors[APP_REPEATED_ERRORS + 1]; // the last one: of all errors beyond that number
};

// Returns NULL when memory runs out.
AppClient *app_sessions_add(AppSessions *sessions, NetConnection *connection);
// The requests and subscriptions are dropped already.
void app_sessions_remove(AppClient *client);

// Sends one line of control data. A failed text closes the connection, since a message would be lost.
void app_client_send(AppClient *client, const TextBuffer *text);

// An answer to nothing that was understood: id null.
void app_client_send_error(AppClient *client, const ProtocolError *error);
