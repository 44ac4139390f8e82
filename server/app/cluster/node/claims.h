// The names that this node has, requests or gives up in the cluster: one claim for each of its characters,
// and for each spawn that waits for its name.
#pragma once

#include "cluster/node/state.h"

typedef enum AppClaimState {
    APP_CLAIM_REQUESTED, // the bridge has been asked to store the character's key
    APP_CLAIM_OWNED,     // the key names this node
    APP_CLAIM_DUE,       // to be requested again, once there is a broker
    APP_CLAIM_LOST,      // another node owns the name: the character is to be removed here
} AppClaimState;

typedef struct AppClaim {
    char name[TEXT_NAME_BYTES + 1];
    AppClaimState state;
    uint64_t revision;   // of the key, the character's epoch; 0: not stored
    uint64_t replaces;   // the revision that the claim may replace, by agreement with its owner; 0: none
    unsigned generation; // of the newest watch that has shown the key

    AppRequest *spawn;             // the character.spawn that waits for the name; NULL: none
    bool is_made_up;               // that request left the name to the server
    bool is_passed_over;           // while another name is made up
    AppMove *move;                 // to another node; NULL: none
    AppArrival *arrival;           // from another node, until the character is here; NULL: none
    char from[APP_NODE_BYTES + 1]; // the node that it arrives from

    bool adopts;         // the character of a node that is gone
    cJSON *restored;     // that character's last state, until it is applied; NULL: none
    cJSON *saved;        // the newest value of the script's on_save; NULL: nothing
    uint64_t saved_ns;   // when on_save was called
    uint64_t state_hash; // of the newest state that was put
    uint64_t state_ns;   // when that state was put

    uint32_t announced_revision; // of the static data, as the other nodes know it; 0: they do not
    SimLevel announced_level;
    uint64_t announced_ns;
} AppClaim;

AppClaim *app_claims_find(const AppCluster *cluster, const char *name); // NULL: none
// Requests the name for a character of that script. Returns NULL when memory runs out.
AppClaim *app_claims_create(AppCluster *cluster, const char *name, const char *script);
// The same for a character that the node `from` hands over, which owns it with that epoch.
AppClaim *app_claims_create_from(AppCluster *cluster, const char *name, const char *script, const char *from,
                                 uint64_t epoch);
// Requests the name again. False: the outbox is full, the claim is due.
bool app_claims_request(AppCluster *cluster, AppClaim *claim, const char *script);
// The bridge has stored the key with that revision.
void app_claims_set_owned(AppCluster *cluster, AppClaim *claim, uint64_t revision);
// Frees the claim, and gives the name back. With revision 0 another node has the name: this one only stops
// receiving the character's requests.
void app_claims_release(AppCluster *cluster, AppClaim *claim);

// Frees the claim, and leaves the name to that node, "": with the character to any that can take it.
void app_claims_leave_to(AppCluster *cluster, AppClaim *claim, const char *node, const char *script);

// Requests each name that this node owns again, in place of its present revision.
void app_claims_confirm(AppCluster *cluster);
// Claims the names of all characters that have no claim, and releases claims that nothing needs.
void app_claims_reconcile(AppCluster *cluster);
// Requests the claims that are due.
void app_claims_request_due(AppCluster *cluster);
// Gives back all names as they are stored; the claims stay.
void app_claims_give_back(AppCluster *cluster);
void app_claims_finish(AppCluster *cluster);
