// net without a network: one connection whose peer takes all that is sent, line by line, at once.
#pragma once

#include <net/connection.h>

// `user` is the server's; `on_line` is given each line sent, with its "\n".
NetConnection *no_sockets_open(void *user, void (*on_line)(const char *line, size_t length));
void no_sockets_close(NetConnection *connection);

// Takes what the owner would have pulled.
void no_sockets_take(NetConnection *connection, NetBuffer *buffer);

bool no_sockets_is_closed(const NetConnection *connection); // by its owner
// Whether the owner has sent, or asked for a pull, since the last time.
bool no_sockets_woke(NetConnection *connection);
