// What a node knows of its cluster: the nodes, and all characters with owner and epoch.
#pragma once

#include "cluster/broker/mailbox.h"

#include <cjson/cJSON.h>
#include <protocol/error.h>
#include <script/name_table.h>
#include <sim/world.h>

typedef struct AppDirectoryNode {
    char name[APP_NODE_BYTES + 1];
    cJSON *status;        // its newest heartbeat
    uint64_t seen_ns;     // when that came
    uint64_t halted_tick; // at which it has halted, by its newest report; UINT64_MAX: it has not
    bool is_unreachable;  // at its address; the log has said so
    double placed;        // estimated load of characters that were sent there since, as a part of a tick
} AppDirectoryNode;

typedef struct AppDirectoryCharacter {
    char name[TEXT_NAME_BYTES + 1];
    char node[APP_NODE_BYTES + 1]; // the owner; "": none, any node may take it
    char from[APP_NODE_BYTES + 1]; // the node that has handed it over to the owner; "": none
    uint64_t moved_ns;             // when the owner changed
    char *script;
    uint64_t epoch;
    uint32_t revision;    // of the static data, by the newest announcement; see announce.h
    SimLevel level;       // by the newest announcement
    unsigned generation;  // of the newest watch that has shown the entry
    bool is_inherited;    // left by an earlier process of this node
    bool is_taken;        // from this node, without its consent
    uint64_t orphaned_ns; // when its node was found to be gone; 0: the node is there
    uint64_t refused_ns;  // when it could not go on on this node; 0: that was not tried
} AppDirectoryCharacter;

// All zero is empty.
typedef struct AppDirectory {
    AppDirectoryNode *nodes; // [node_count]
    size_t node_count;
    ScriptNameTable characters; // owners are AppDirectoryCharacter
    unsigned generation;
} AppDirectory;

void app_directory_finish(AppDirectory *directory);

// Takes a node's status. NULL: it is no JSON object, or memory ran out.
AppDirectoryNode *app_directory_put_node(AppDirectory *directory, const char *name, const char *status,
                                         uint64_t seen_ns);
void app_directory_remove_node(AppDirectory *directory, const char *name);
// Whether the node takes no characters.
bool app_directory_node_is_drained(const AppDirectoryNode *node);
// The part of a tick that its work takes, with that of the characters that were sent there.
double app_directory_node_load(const AppDirectoryNode *node);
// -32001 about params.node, with the nearest name.
void app_directory_set_unknown(const AppDirectory *directory, const char *name, ProtocolError *out_error);
// -32003 about params.node.
void app_directory_set_drained(const char *name, ProtocolError *out_error);
AppDirectoryNode *app_directory_find_node(const AppDirectory *directory, const char *name); // NULL: none

// NULL: it is known with a higher epoch, or memory ran out.
AppDirectoryCharacter *app_directory_put(AppDirectory *directory, const char *name, const char *node,
                                         const char *script, uint64_t epoch);
// Whether the character's node is not there.
bool app_directory_is_orphan(const AppDirectory *directory, const AppDirectoryCharacter *entry);
void app_directory_remove(AppDirectory *directory, AppDirectoryCharacter *entry);
AppDirectoryCharacter *app_directory_find(const AppDirectory *directory, const char *name); // NULL: none

// All characters in the order of their epochs, an array of *out_count that the caller frees. Returns NULL
// when memory runs out.
AppDirectoryCharacter **app_directory_list(const AppDirectory *directory, size_t *out_count);
