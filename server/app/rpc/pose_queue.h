// Poses that pile up: of those that wait, a client's newest of a character is enough.
#pragma once

#include "rpc/requests.h"

// A waiting request that `newer`, of the same client and about to wait as well, leaves nothing to do for: a
// notification of character.pose that sets what the newer one sets again. Between them nothing but such
// notifications waits. NULL: none.
AppRequest *app_pose_queue_superseded(const AppRequest *newer);
