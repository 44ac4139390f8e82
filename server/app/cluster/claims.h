// The names that this node has, requests or gives up in the cluster: one claim for each of its characters,
// and for each spawn that waits for its name.
#pragma once

#include "cluster/cluster.h"

// A character's key in the bucket, as far as this node is concerned.
typedef enum AppClaimState {
    APP_CLAIM_REQUESTED, // the bridge has been asked
    APP_CLAIM_OWNED,
    APP_CLAIM_DUE,  // to be requested again, once there is a broker
    APP_CLAIM_LOST, // another node owns the name: the character is to go
} AppClaimState;

typedef struct AppClaim {
    char name[TEXT_NAME_BYTES + 1];
    AppClaimState state;
    uint64_t revision;             // the epoch
    AppRequest *spawn;             // the request that waits for the name; NULL: none
    AppMove *move;                 // to another node; NULL: none
    AppArrival *arrival;           // from another node, until it is here; NULL: none
    char from[APP_NODE_BYTES + 1]; // that node, as the entry says it
    uint64_t replaces;           // the revision that it takes the place of, as its owner has agreed; 0: none
    bool is_made_up;             // the name of that request
    bool adopts;                 // a character whose node is gone
    cJSON *restored;             // its last state, until it is applied; NULL: none
    cJSON *saved;                // what the script's on_save gave last; NULL: nothing
    uint64_t saved_ns;           // when it was called
    uint64_t state_hash;         // of the newest state that was put, and
    uint64_t state_ns;           // when
    unsigned generation;         // of the watch that showed the entry last
    uint32_t announced_revision; // as the other nodes were told; 0: they were not
    SimLevel announced_level;
    uint64_t announced_ns;
} AppClaim;

AppClaim *app_claims_find(const AppCluster *cluster, const char *name); // NULL: none
// Requests the name for a character of that script. NULL: out of memory.
AppClaim *app_claims_create(AppCluster *cluster, const char *name, const char *script);
// The same for a character that its owner, a node, hands over, which has it with that epoch.
AppClaim *app_claims_create_from(AppCluster *cluster, const char *name, const char *script, const char *from,
                                 uint64_t epoch);
// Requests the name again. False: the outbox is full, the claim is due.
bool app_claims_request(AppCluster *cluster, AppClaim *claim, const char *script);
// The bridge has stored it under that revision.
void app_claims_set_owned(AppCluster *cluster, AppClaim *claim, uint64_t revision);
// Gives the name back, or with revision 0 only its requests, which are another node's; frees the claim.
void app_claims_release(AppCluster *cluster, AppClaim *claim);

// Claims the names of all characters that have no claim, and releases claims that nothing needs.
void app_claims_reconcile(AppCluster *cluster);
// Requests those that are due.
void app_claims_request_due(AppCluster *cluster);
// Gives back all names as they are stored; the claims stay.
void app_claims_give_back(AppCluster *cluster);
void app_claims_finish(AppCluster *cluster);
