// Requests to other nodes and from them, and events.
#pragma once

#include "cluster/node/state.h"

// A request between nodes begins with this and NODE.NUMBER, which identifies it also when it is forwarded
// again.
#define APP_FORWARD_ASKED "{\"asked\":\""
// How a request ends that the old owner of a character has received and passes on to the new one.
#define APP_FORWARD_PASSED_ON ",\"passed_on\":true}"

// Sends a checked call to a character's owner, or to a node, and defers it. The error is set where that
// fails.
void app_forward_to_owner(AppCluster *cluster, AppCall *call, const char *character);
// The same for a request that has waited here while the character moved.
void app_forward_pass_on(AppCluster *cluster, AppCall *call, const char *character);
void app_forward_to_node(AppCluster *cluster, AppCall *call, const char *node);

// The pose owner that stands for a connection of another node's process. process: its
// AppCluster.first_number.
uint64_t app_forward_pose_owner(const char *node, uint64_t process, uint64_t client);

// The answer, or a part of it.
void app_forward_reply(AppCluster *cluster, const AppMessage *reply);
// -32001 about a character that is on its way to a node becomes -32003. context is the AppCluster.
void app_forward_amend(void *context, AppCall *call);
// Fails the requests that await an answer of that node; NULL: of any node.
void app_forward_fail(AppCluster *cluster, const char *node, const char *why);
// Fails what no answer has come to for too long.
void app_forward_expire(AppCluster *cluster, uint64_t now_ns);
void app_forward_finish(AppCluster *cluster);

// A request of this node's own for itself, which awaits no answer. Takes `params` over in any case. NULL when
// memory runs out.
AppRequest *app_forward_create(AppCluster *cluster, ProtocolMethodId method, cJSON *params);
// The request of another node's that a message holds, which is the caller's. NULL: it was answered already,
// with an error.
AppRequest *app_forward_receive(AppCluster *cluster, const AppMessage *message);
// Serves such a request, or one of app_forward_create, in its turn. Answers it where too many wait.
void app_forward_serve_here(AppCluster *cluster, AppRequest *request);
// The router's `answer`: context is the AppCluster.
void app_forward_answer(void *context, const AppRequest *request, const TextBuffer *reply);

// An event of this node's, to the others where it is about characters or their scripts. epoch: the
// character's, 0: of none that the cluster knows.
void app_forward_event(AppCluster *cluster, const char *method, const cJSON *params, uint64_t epoch,
                       const NetBuffer *line);
// A connection has ended that had posed bones.
void app_forward_end_pose_owner(AppCluster *cluster, uint64_t client);

// An event of another node's, to this one's clients.
void app_forward_receive_event(AppCluster *cluster, const AppMessage *message);
