// Simulates a shot as fast as it goes, without a network or a clock, and writes it as glTF.
#pragma once

#include "server/app.h"

// Begins with the first tick; the rest follows on the loop, which ends when the file is written, or not.
// False: it cannot begin, which the log tells.
bool app_bake_begin(App *app);

// After the loop: frees the bake and returns the exit status of the process: 0, 1 if nothing was baked, 4 if
// the file cannot be written.
int app_bake_finish(App *app);
