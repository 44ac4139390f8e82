// Characters of this node that go on at another one.
//
// The other node loads the script first, while the character goes on here. Then it gets the character's
// state, takes its name over, and goes on from there; requests for the character wait meanwhile, and its
// frames still come from here. This node drops it when the other one says that it has it.
#pragma once

#include "cluster/cluster.h"

// What a move has come to. error: NULL where it is done; else the character has stayed.
typedef void AppMoveDone(void *context, const char *character, const ProtocolError *error, uint64_t tick);

// cluster.move of a character that is here.
void app_moves_request(AppCluster *cluster, AppCall *call);
// Begins a move; `done` is called later. False with the error: it was not begun.
bool app_moves_begin(AppCluster *cluster, const char *character, const char *node, AppMoveDone *done,
                     void *context, ProtocolError *out_error);
// Nobody waits for what is done with that context any more.
void app_moves_detach(AppCluster *cluster, const void *context);

// Whether requests for the character wait, since its state is on the way.
bool app_moves_is_handing_over(const AppCluster *cluster, const char *character);
// Lets a request wait where that is so. False: it is not.
bool app_moves_defer(AppCluster *cluster, AppCall *call, const char *character);

// An answer of the other node. False: it is none of a move.
bool app_moves_reply(AppCluster *cluster, const AppMessage *message);
// No request for the character comes to this node any more.
void app_moves_note_yielded(AppCluster *cluster, const char *character);
// Between ticks: sends states that are asked for, and gives up what takes too long.
void app_moves_update(AppCluster *cluster, uint64_t now_ns);
void app_moves_finish(AppCluster *cluster);
