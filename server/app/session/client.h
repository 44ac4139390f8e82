// One connection as the application knows it: who it is, what it has asked, and what it watches.
#pragma once

#include "session/access.h"
#include "session/notification_errors.h"
#include "stream/outbox.h"
#include "stream/views.h"

#include <net/connection.h>
#include <protocol/message.h>
#include <protocol/methods.h>

#define APP_CLIENT_VIEWS      16                  // subscriptions of one connection
#define APP_BACKLOG_BYTES     ((size_t)16 << 20)  // frames that wait under the policy queue
#define APP_REQUESTS_PER_TICK 256                 // of one connection
#define APP_WAITING_BYTES     ((size_t)256 << 10) // of requests not served yet; past it the peer is not read

typedef struct App App;
typedef struct AppClient AppClient;
typedef struct AppRequest AppRequest;

typedef struct AppSubscription {
    AppView *view;
    ProtocolSubscription wish;
    AppOutbox outbox;
} AppSubscription;

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

struct AppClient {
    AppClient *next, *previous;
    App *app;
    NetConnection *connection;
    uint64_t id; // the connection's
    AppAccess access;
    bool is_dismissed; // by a wrong token: it goes once the answer is sent
    bool takes_events;
    char name[129]; // what it calls itself in session.open; "" = nothing

    size_t open_batches;     // whose answers are not sent yet
    size_t waiting_requests; // in the queue
    size_t waiting_bytes;
    unsigned served;      // requests since the last tick
    int64_t credit_ns;    // see time_budget.h
    uint64_t passed_over; // the walk through the queue that found it has to wait
    AppRequest *spawning; // a character.spawn of its, while the script is loaded; NULL: none
    bool ended;           // it sends nothing more; it is finished once its last request is answered

    bool drives;                  // it has posed bones
    AppNotificationErrors errors; // of its notifications

    AppSubscription subscriptions[APP_CLIENT_VIEWS]; // [subscription_count]
    size_t subscription_count;
    size_t turn; // the subscription whose outbox is served
    AppBacklog backlog;
    uint64_t frames_sent, frames_skipped;
};

// NULL: out of memory.
AppClient *app_client_create(App *app, NetConnection *connection);
void app_client_destroy(AppClient *client);

// It gets nothing more but the answer to what it asked last, and is closed.
void app_client_dismiss(AppClient *client);

// Sends one line of control data. A text that failed closes the connection, since a message of it is lost.
void app_client_send(AppClient *client, const TextBuffer *text);

// An answer to nothing that was understood: id null.
void app_client_send_error(AppClient *client, const ProtocolError *error);
