// The times after which a node counts as gone, and those that a node checks itself by before it says so.
#pragma once

#include <stdint.h>

// A node whose status has not come for so long is gone. Its entry in the bucket of the nodes expires then.
#define APP_NODE_TIMEOUT_NS UINT64_C(1200000000)

// A node declares another one gone only after it has stored its own status for so long without a gap. So a
// broker that is away or starts anew makes no node look gone.
#define APP_STEADY_NS (APP_NODE_TIMEOUT_NS + UINT64_C(500000000))

#define APP_HEARTBEAT_NS UINT64_C(250000000) // between two puts of a status

// A node that has done nothing for so long has stood still: its status is put no longer, two heartbeats that
// are further apart are not without a gap, and others may be about to take its characters over. Its newest
// status may be a heartbeat older than that.
#define APP_STANDSTILL_NS UINT64_C(700000000)
_Static_assert(APP_STANDSTILL_NS + APP_HEARTBEAT_NS < APP_NODE_TIMEOUT_NS,
               "a node knows it before the others");
