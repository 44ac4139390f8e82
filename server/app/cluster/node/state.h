// What this server has as a node of a cluster. Everything here runs on the loop's thread.
#pragma once

#include "base/options.h"
#include "characters/pose_owners.h"
#include "cluster/broker/bridge.h"
#include "cluster/broker/timeouts.h"
#include "cluster/node/directory.h"
#include "rpc/requests.h"
#include "ticks/tick_clock.h"

typedef struct AppMove AppMove;       // move.c
typedef struct AppArrival AppArrival; // arrival.c

typedef struct AppClusterDef {
    const AppOptions *options;
    uv_loop_t *loop;
    AppLog *log;
    AppCharacters *characters;
    AppSessions *sessions;
    AppRpc *rpc;
    const AppStats *stats;
    AppTicks *ticks; // the cluster sets its timeline and, while there are no characters, its tick
    const AppTickClock *clock;
    AppPoseOwners *pose_owners;
    uint16_t port; // that the node listens on
    // Removes a character, with character.removed.
    void (*remove)(void *context, AppCharacter *character);
    // Removes a character that another node has now, without an event.
    void (*hand_over)(void *context, AppCharacter *character);
    // Ends the server in order, as a failure.
    void (*end)(void *context);
    // The tick at which the simulation halts has changed, or it runs again. was_paused: it was paused before.
    void (*pause_changed)(void *context, bool was_paused);
    // Takes so many ticks, as all nodes do, and completes the request.
    void (*step)(void *context, AppRequest *request, uint64_t ticks);
    // All nodes have taken the ticks of the step.
    void (*step_completed)(void *context);
    void *context;
} AppClusterDef;

// Values that are the same on all nodes; see replicate.h.
typedef struct AppReplicas {
    cJSON *known; // {KEY: the value that is in force}, of keys PART and tornado.NAME
    // {KEY: {PART: {value, time, process}}}, of the bucket's keys: which process set it last, and when. Wind
    // and tornadoes also have the tick, and the wind its state in that tick. See stamps.h.
    cJSON *stamped;
    cJSON *unsent;    // {KEY: when it was put, ns}, of entries that the broker has not shown
    cJSON *revisions; // {KEY: the newest revision that the broker has shown}
    cJSON *early;     // {KEY: entry}, of ticks that this node has not reached
    cJSON *repeats;   // {KEY: {tick, state}}, of wind and tornadoes that are requested but not set yet
} AppReplicas;

// See timing.h.
typedef struct AppTiming {
    char reference[APP_NODE_BYTES + 1]; // whose clock counts; may be this node
    AppClockOffset offset;              // of its clock
    uint64_t error_ns;                  // that the offset may be off
    uint64_t probed_ns;                 // when it was asked last
    bool has_begun;                     // this node has the cluster's time
} AppTiming;

// What becomes of the pause lock that no connection has.
typedef enum AppUnownedChange { APP_UNOWNED_NO_CHANGE, APP_UNOWNED_SET, APP_UNOWNED_CLEAR } AppUnownedChange;

// See cluster_pause.h.
typedef struct AppClusterPause {
    cJSON *entry;            // as the cluster has it; empty: there is none
    uint64_t revision;       // of the entry; 0: not known
    uint64_t run;            // how often the cluster has gone on after a pause
    int total;               // locks of all nodes
    uint64_t changed_number; // of this node's newest change
    uint64_t done_number;    // of its newest change that is stored
    AppUnownedChange unowned_change;
    uint64_t step_ticks;            // of a step that this node is about to begin; 0: none
    uint64_t stored_ns;             // when a change was stored that the watch has not shown; 0: none
    bool is_lost;                   // the broker may have lost the entry
    uint64_t reported_tick;         // at which this node has halted, as it has told the others
    uint64_t reported_ns;           // when it did
    struct AppPauseWaiter *waiting; // see cluster_pause.c
} AppClusterPause;

// A node that gives its characters away and takes no others; see place.h.
typedef struct AppDrain {
    bool is_on;
    AppRequest *request; // waits until the characters have gone; NULL: none
    cJSON *waiting;      // names of characters that are still to be moved; NULL: none are being moved
    cJSON *tried;        // {NAME: {NODE: why it has not taken the character}}
    cJSON *moved, *left; // names, and {character, reason} of those that stay
    size_t moving;
} AppDrain;

typedef struct AppFeed AppFeed; // feeds.c

// A view of this node's clients that shows other nodes' characters.
typedef struct AppWatchedView {
    struct AppWatchedView *next;
    AppView *view;
    cJSON *params; // of stream.subscribe
    AppRemoteDemand demand;
    AppFeed *feeds; // one for each other node
} AppWatchedView;

typedef struct AppCluster {
    AppClusterDef def;
    char name[APP_NODE_BYTES + 1], node[APP_NODE_BYTES + 1];
    char address[300];
    char broker[512]; // its URLs, without user and password
    AppBridge bridge;
    bool has_joined;
    bool is_connected;
    bool has_seen_nodes;   // all nodes that were there when this one joined
    uint64_t connected_ns; // when the broker came back; 0: it was never away
    uv_async_t inbox;      // wakes the loop for the bridge's messages
    AppDirectory directory;
    ScriptNameTable claims;     // owners are AppClaim
    uint64_t seen_changes;      // AppCharacters.changes at the last reconciliation
    bool must_reconcile;        // claims have changed, though no character came or went
    uint64_t status_ns;         // when the status was written last
    uint64_t updated_ns;        // when app_cluster_update was called last
    uint64_t standstill_ns;     // when the process went on after a standstill; 0: its characters are its own
    bool is_replaced;           // another process has the node's name
    bool has_synced;            // all entries have been read once
    unsigned synced_generation; // of the directory: the newest whose entries have all been read
    uint64_t resync_ns;         // when entries were asked for anew
    uint64_t announce_ns;       // announcements before it are repeated then; see announce.h
    cJSON *untold;              // names of characters that came or went while the broker was away; NULL: none
    bool is_dropping;           // a character is being removed that another node owns
    size_t next_state;          // slot of the claim whose state is put next
    uint64_t heartbeat_ns;      // when the newest own heartbeat was stored
    uint64_t heartbeats_since_ns; // since when they have been stored without a gap
    struct AppForward *forwards;  // [forward_count], see forward.c
    size_t forward_count;
    uint64_t forwarded;                 // requests that were sent to other nodes
    uint64_t first_number, last_number; // of requests and moves
    char process[20];                   // the name of this run of the program: first_number
    AppMove *moves;
    AppArrival *arrivals;
    AppDrain drain;
    AppReplicas replicas;
    AppTiming timing;
    AppClusterPause pause;
    AppWatchedView *watched;
} AppCluster;

// What a node's or cluster's name may consist of.
#define APP_NODE_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// How messages about a move begin, from the old owner to the new one.
#define APP_MOVE_FIRST   "#move "   // {"character":…} and the first bytes of its state
#define APP_MOVE_NEXT    "#more "   // its name and the next bytes
#define APP_MOVE_YIELDED "#yielded" // on the character's subject: the old one answers no requests any more
