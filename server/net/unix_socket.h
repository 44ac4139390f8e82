// The file of a Unix socket.
#pragma once

#include "net/server.h"

#include <sys/types.h>

// Returns a socket bound to `path` with mode 0600, not yet listening, and the identity of the file. A stale
// socket file is replaced; a live one and any other file are errors. -1: `out_error`.
int net_unix_socket_bind(const char *path, dev_t *out_device, ino_t *out_inode, NetError *out_error);

// Removes the file if it is still the one that was bound.
void net_unix_socket_remove(const char *path, dev_t device, ino_t inode);
