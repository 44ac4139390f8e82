// The bridge to the broker: one thread that alone calls nats.c, between two mailboxes. Built without nats.c,
// opening it fails.
#pragma once

#include "cluster/broker/mailbox.h"

typedef struct AppBridgeDef {
    const char *url, *shown_url; // shown_url: for messages, without user and password
    const char *credentials;     // file; NULL: none
    const char *cluster, *node;
    const char *status; // of the node, the first one
} AppBridgeDef;

typedef struct AppBroker AppBroker; // what the thread has of nats.c

typedef struct AppBridge {
    AppBridgeDef def;
    uv_thread_t thread;
    bool is_running;
    AppMailbox out, in;
    uv_mutex_t status_mutex;
    char *status; // put as long as the loop renews it
    uint64_t status_ns;
    char time[64];   // the node's timeline, as other nodes are answered; "": it has none
    uint64_t joined; // the revision of the node's first status: lower ones came before
    AppBroker *broker;
} AppBridge;

// Whether this build has nats.c.
bool app_bridge_is_built_in(void);

// Connects, creates the buckets, takes the node's name and subscribes; blocks for some seconds at most. The
// strings of `def` outlive the bridge, but for the status. False: out_message, and nothing to close.
bool app_bridge_open(AppBridge *bridge, const AppBridgeDef *def, char *out_message, size_t capacity);

// Ends the thread once it has handled the outbox and given the node's name back. No message comes in any
// more.
void app_bridge_stop(AppBridge *bridge);
// Waits for that: 3 s at most.
void app_bridge_close(AppBridge *bridge);

// The node's status from now on. Where it is not renewed for a second the node counts as gone: its loop
// stands.
void app_bridge_set_status(AppBridge *bridge, const char *status);

// What nodes that ask for the time are answered from now on; shorter than 64 bytes.
void app_bridge_set_time(AppBridge *bridge, const char *text);

// A name as part of a subject and as a key: letters, digits, `_` and `-` as they are, other bytes as `=HH`.
void app_bridge_escape(const char *name, char out_key[APP_SUBJECT_SIZE]);
void app_bridge_unescape(const char *key, char *out_name, size_t capacity);
