// Moves characters of this node to other nodes.
//
// The other node loads the script first. Then this node sends the character's state, and the other one takes
// the name over and continues from that state. Until then the character ticks here and sends its frames,
// while requests for it wait. This node drops it when the other one confirms that it has it.
#pragma once

#include "cluster/node/state.h"

// The outcome of a move. error: NULL where the character has moved; else why it has stayed.
typedef void AppMoveDone(void *context, const char *character, const ProtocolError *error, uint64_t tick);

// cluster.move of a character that is here.
void app_moves_request(AppCluster *cluster, AppCall *call);
// Begins a move; `done` is called later. False with the error: it was not begun.
bool app_moves_begin(AppCluster *cluster, const char *character, const char *node, AppMoveDone *done,
                     void *context, ProtocolError *out_error);

// Whether requests for the character wait, since its state is on the way.
bool app_moves_is_handing_over(const AppCluster *cluster, const char *character);
// Defers the call while the character is being handed over. False: it is not.
bool app_moves_defer(AppCluster *cluster, AppCall *call, const char *character);

// Takes the answer of the other node. False: the message is not about a move.
bool app_moves_reply(AppCluster *cluster, const AppMessage *message);
// The bridge receives no more requests for the character.
void app_moves_note_yielded(AppCluster *cluster, const char *character);
// The broker is away: the answers that moves wait for are lost.
void app_moves_note_disconnected(AppCluster *cluster);
// Between ticks: sends states that are asked for, and gives up what takes too long.
void app_moves_update(AppCluster *cluster, uint64_t now_ns);
void app_moves_finish(AppCluster *cluster);
