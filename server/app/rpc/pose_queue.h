// Drops poses that a newer pose replaces before they are served.
#pragma once

#include "rpc/requests.h"

// Returns the waiting request that `newer` makes superfluous, or NULL. Both are notifications of
// character.pose of one client, `newer` sets everything that the other one sets, and only such notifications
// wait between them. `newer` is about to wait as well.
AppRequest *app_pose_queue_superseded(const AppRequest *newer);
