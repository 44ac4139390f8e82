// Messages between the loop's thread and those of the bridge: a bounded queue for any number of threads.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/glob.h>
#include <uv.h>

enum { APP_NODE_BYTES = 32, APP_SUBJECT_SIZE = 320 };
#define APP_NODE_WIDTH "32" // APP_NODE_BYTES, in formats of sscanf

typedef enum AppMessageKind {
    // To the bridge.
    APP_MESSAGE_PUBLISH, // body to subject; reply: where the answer goes, "": none is awaited
    // Stores the body as the character's entry. revision: of the entry that it replaces; 0: there is none, or
    // its node is gone. Answered by APP_MESSAGE_CLAIMED.
    APP_MESSAGE_CLAIM,
    // Stops receiving the requests for the character `name`. Answered by APP_MESSAGE_YIELDED.
    APP_MESSAGE_YIELD,
    APP_MESSAGE_RELEASE, // deletes the character's entry of that revision
    APP_MESSAGE_LEAVE,   // stores the body, which names another node or none, in place of the entry of that
                         // revision
    APP_MESSAGE_STATE,   // body: the newest state of the character `name`, which the node owns
    APP_MESSAGE_STORE,   // body under the key `subject` of the world's bucket; no body: deletes the key
    APP_MESSAGE_UPDATE,  // the same, in place of that revision; 0: where there is none
    APP_MESSAGE_RESYNC,  // number; watches all buckets anew
    APP_MESSAGE_READ,    // name: a bucket, whose entries of the watch `number` have been given
    APP_MESSAGE_PROBE,   // asks the node `name` for the time; answered by APP_MESSAGE_TIME
    APP_MESSAGE_STOP,    // after all messages before it
    // From the bridge.
    APP_MESSAGE_CONNECTED,
    APP_MESSAGE_DISCONNECTED,
    APP_MESSAGE_HEARTBEAT, // the node's own status was stored, at time_ns
    APP_MESSAGE_REPLACED,  // another process has the node's name
    // name; body: its status, empty: it has left; number: of the entries of other nodes that are still to
    // come
    APP_MESSAGE_NODE,
    APP_MESSAGE_CHARACTER, // name, revision; body: its entry, empty: it is gone
    APP_MESSAGE_SYNCED,    // number: the watch that it has begun has given all entries, nodes first
    APP_MESSAGE_CLAIMED,   // name, revision, outcome; body: the last state where it was another node's
    APP_MESSAGE_YIELDED,   // name: no request for the character comes any more
    APP_MESSAGE_WORLD,     // subject: the key, revision, body
    APP_MESSAGE_REQUEST,   // name: the character's, "": for the node; reply, body
    APP_MESSAGE_REPLY,     // number; body, or outcome APP_MESSAGE_UNSERVED
    APP_MESSAGE_TIME,      // body: NODE, the times of a probe in order, and the node's timeline
    APP_MESSAGE_EVENT,     // body; reply: NODE.EPOCH that it is of
    APP_MESSAGE_WARNING,   // body: text for the log
} AppMessageKind;

typedef enum AppMessageOutcome {
    APP_MESSAGE_DONE,
    APP_MESSAGE_TAKEN,       // another node has the name
    APP_MESSAGE_UNSERVED,    // no node serves the subject
    APP_MESSAGE_LATER,       // its owner seems to be gone, which is not sure yet
    APP_MESSAGE_UNAVAILABLE, // the broker cannot be reached
} AppMessageOutcome;

typedef struct AppMessage {
    struct AppMessage *next;
    AppMessageKind kind;
    AppMessageOutcome outcome;
    uint64_t number;   // of a request
    uint64_t revision; // of an entry
    uint64_t time_ns;  // when it was written
    char name[TEXT_NAME_BYTES + 1];
    char subject[APP_SUBJECT_SIZE];
    char reply[APP_SUBJECT_SIZE];
    size_t length;
    char body[]; // [length], and a NUL
} AppMessage;

// Returns NULL when memory runs out.
AppMessage *app_message_create(AppMessageKind kind, const char *body, size_t length);
AppMessage *app_message_copy(const AppMessage *message); // the same

typedef struct AppMailbox {
    uv_mutex_t mutex;
    uv_cond_t changed;
    AppMessage *first, *last;
    size_t count, bytes;
    bool closed;          // takes no message any more
    uv_async_t *receiver; // woken by each message; NULL: none
} AppMailbox;

// False: the system has no mutex left.
bool app_mailbox_init(AppMailbox *mailbox);
// Frees the messages that it holds. No thread may use it any more.
void app_mailbox_finish(AppMailbox *mailbox);

// Takes the message over. False: there is no room, the mailbox is closed, or the message is NULL.
bool app_mailbox_put(AppMailbox *mailbox, AppMessage *message);
// Whether messages of so many bytes in all have room: from the only thread that puts large ones.
bool app_mailbox_has_room(AppMailbox *mailbox, size_t bytes);
// Waits for room, and puts the message then.
bool app_mailbox_put_waiting(AppMailbox *mailbox, AppMessage *message);

// Returns the oldest message, which the caller frees. Waits timeout_ns for one; NULL: none came.
AppMessage *app_mailbox_take(AppMailbox *mailbox, uint64_t timeout_ns);

// From now on each message wakes the receiver, which outlives the mailbox. It is woken for those that are
// there.
void app_mailbox_set_receiver(AppMailbox *mailbox, uv_async_t *receiver);

// From now on messages are dropped, and putting one never waits.
void app_mailbox_close(AppMailbox *mailbox);
