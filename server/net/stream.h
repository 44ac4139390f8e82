#pragma once
// The transport of NDJSON over a stream socket, TCP or Unix.

#include "listener.h"

// Accepts the peer that waits at the listener and begins its connection; a failure is logged. False: out of
// memory, the peer goes on waiting.
bool net_stream_accept(NetServer *server, NetListener *listener);
