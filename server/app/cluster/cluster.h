// This server as a node of a cluster; README.md beside it has the design. Everything here runs on the loop's
// thread; only app/server includes it.
#pragma once

#include "base/options.h"
#include "characters/pose_owners.h"
#include "cluster/broker/bridge.h"
#include "cluster/broker/timeouts.h"
#include "cluster/directory.h"
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
    AppTicks *ticks; // its timeline and, while there are no characters, its count
    const AppTickClock *clock;
    AppPoseOwners *pose_owners;
    uint16_t port;                                             // that the node listens on
    void (*remove)(void *context, AppCharacter *character);    // with its event
    void (*hand_over)(void *context, AppCharacter *character); // the same without: it goes on elsewhere
    // The simulation is to halt after another tick than before, or to go on. was_paused: it stood.
    void (*pause_changed)(void *context, bool was_paused);
    // All nodes take so many ticks; this one does for the request, which it completes.
    void (*step)(void *context, AppRequest *request, uint64_t ticks);
    void (*step_completed)(void *context); // all nodes have taken them
    void *context;
} AppClusterDef;

// What is the same on all nodes; see replicate.h.
typedef struct AppReplicas {
    cJSON *known;      // {KEY: the value that is in force}, of keys PART, tornado.NAME, fabric.NAME
    cJSON *overridden; // {KEY: true}: another node's value was applied since this one stored its own
    cJSON *stamped; // {PART: {value, time, process}}, of gravity, wind and ground: who set it last, and when;
                    // of the wind also the tick, and its state then
    cJSON *early;   // {KEY: entry} of ticks that this node is not at yet
    cJSON
        *repeats; // {KEY: {tick, state}}, of the wind and tornadoes that have been requested but not set yet
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
    cJSON *entry;      // as the cluster has it; empty: there is none
    uint64_t revision; // of the entry; 0: not known
    uint64_t run;      // how often the cluster has gone on after a pause
    int total;         // locks of all nodes
    uint64_t changed_number,
        done_number; // of changes of this node: the newest, and the newest that is stored
    AppUnownedChange unowned_change;
    uint64_t step_ticks; // of a step that this node is about to begin; 0: none
    uint64_t stored_ns;  // when a change was stored that has not been heard of; 0: none
    bool is_lost;        // the broker may have lost the entry
    uint64_t reported_tick,
        reported_ns;                // what the other nodes know of where this one has halted, and since when
    struct AppPauseWaiter *waiting; // see cluster_pause.c
} AppClusterPause;

// A node that gives its characters away and takes no others; see place.h.
typedef struct AppDrain {
    bool is_on;
    AppRequest *request; // waits until the characters have gone; NULL: none
    cJSON *waiting;      // names of characters that are still to be moved; NULL: none are being moved
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
    AppBridge bridge;
    bool has_joined;
    bool is_connected;
    bool has_seen_nodes;   // those that were there when it joined
    uint64_t connected_ns; // when the broker came back; 0: it was never away
    uv_async_t inbox;      // of the bridge
    AppDirectory directory;
    ScriptNameTable claims;                     // owners are AppClaim
    uint64_t seen_changes;                      // of the characters
    bool must_reconcile;                        // claims with characters, though none of those came or went
    uint64_t status_ns;                         // when the status was written last
    uint64_t updated_ns;                        // when app_cluster_update was called last
    bool is_unsure;                             // whose its characters are: the process has stood still
    bool has_synced;                            // all entries have been seen once
    bool is_sure_again;                         // all entries have been seen since
    uint64_t announce_ns;                       // when others miss what was announced before
    bool is_dropping;                           // a character that lives on elsewhere
    size_t next_state;                          // slot of the claim whose state is put next
    uint64_t heartbeats_since_ns, heartbeat_ns; // the first and the last heartbeat of the present row
    struct AppForward *forwards;                // [forward_count], see forward.c
    size_t forward_count;
    uint64_t first_number, last_number; // of forwarded requests
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

// Joins the cluster of the options and claims the names of all characters; those that another node has are
// removed. Blocks for some seconds at most; before the loop runs. NULL, or has_joined is false: out_message.
AppCluster *app_cluster_join(const AppClusterDef *def, char *out_message, size_t capacity);

// The clock of ticks is about to start: sets it, and the tick count, to the cluster's.
void app_cluster_begin(AppCluster *cluster, AppTickClock *clock);

// Gives up the node's name and its characters, and ends the bridge. NULL: nothing.
void app_cluster_leave(AppCluster *cluster);
// After the loop has closed its handles.
void app_cluster_destroy(AppCluster *cluster);

// At the start of each tick, or of an interval of a pause: claims what has come, drops what is lost.
void app_cluster_update(AppCluster *cluster);

// `cluster` of server.describe.
void app_cluster_describe(const AppCluster *cluster, AppJson *json, cJSON *object);

// A connection has ended that had posed bones.
void app_cluster_end_pose_owner(AppCluster *cluster, uint64_t client);
